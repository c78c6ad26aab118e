"""Record types that refer to each other through lists of every depth: a clinic's patients and their visits."""

from __future__ import annotations

from typing import Any

from runtime.model.record import EntityReference, Record, RecordInput, Strict
from runtime.model.record_type import RecordType, Reference


class Found(Strict):
    """What a doctor found."""

    code: str | None = None
    found: EntityReference | None = None


class Visit(Strict):
    """A visit of a patient."""

    day: str | None = None
    doctor: EntityReference | None = None
    diagnoses: list[Found] | None = None


class Contact(Strict):
    """Whom to call."""

    doctor: EntityReference | None = None


class ClinicFields(Strict):
    town: str | None = None
    budget: int | None = None
    head: EntityReference | None = None


class DoctorFields(Strict):
    name: str | None = None
    grade: int | None = None
    clinic: EntityReference | None = None


class PatientFields(Strict):
    name: str | None = None
    clinic: EntityReference | None = None
    visits: list[Visit] | None = None
    teams: list[list[EntityReference]] | None = None
    contact: Contact | None = None
    notes: Any = None
    by: dict[str, Contact] | None = None


class ClinicInput(ClinicFields, RecordInput):
    """As sent."""


class Clinic(ClinicFields, Record):
    """As read."""


class DoctorInput(DoctorFields, RecordInput):
    """As sent."""


class DoctorStored(DoctorInput):
    """As stored."""

    salary: int | None = None


class Doctor(DoctorFields, Record):
    """As read."""


class PatientInput(PatientFields, RecordInput):
    """As sent."""


class Patient(PatientFields, Record):
    """As read."""


def _kind(model: type[Record], **facts: Any) -> RecordType[Any]:
    words = f"{model.__name__.lower()}s"
    path = f"/wards/{words}"
    return RecordType(
        name=model.__name__, area="wards", model=model, collection=words, base_path=path, **facts
    )


CLINIC = _kind(
    Clinic, renamed={"town": "place", "head": "chief"},
    references=(Reference("head", "Doctor"),),
)  # fmt: skip
DOCTOR = _kind(
    Doctor, hidden=frozenset({"salary"}), on_delete="archive",
    references=(Reference("clinic", "wards.Clinic"),),
)  # fmt: skip
PATIENT = _kind(
    Patient,
    references=(
        Reference("clinic", "Clinic"),
        Reference("visits[].doctor", "Doctor"),
        Reference("visits[].diagnoses[].found", "Doctor"),
        Reference("teams[][]", "Doctor"),
        Reference("contact.doctor", "Doctor"),
    ),
)  # fmt: skip

WARDS = (CLINIC, DOCTOR, PATIENT)
