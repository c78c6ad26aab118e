"""Record types that refer to each other through lists of every depth: a clinic's patients and their visits."""

from __future__ import annotations

from typing import Any

from runtime.model.record import EntityReference, RecordInput, Strict
from runtime.model.record_type import Reference
from tests.kinds import kind_of


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


class DoctorStored(DoctorFields, RecordInput):
    """As stored."""

    salary: int | None = None


CLINIC = kind_of(
    "Clinic", "wards", ClinicFields, renamed={"town": "place", "head": "chief"},
    references=(Reference("head", "Doctor"),),
)  # fmt: skip
DOCTOR = kind_of(
    "Doctor", "wards", DoctorFields, stored=DoctorStored, hidden=frozenset({"salary"}), on_delete="archive",
    references=(Reference("clinic", "wards.Clinic"),),
)  # fmt: skip
PATIENT = kind_of(
    "Patient", "wards", PatientFields,
    references=(
        Reference("clinic", "Clinic"),
        Reference("visits[].doctor", "Doctor"),
        Reference("visits[].diagnoses[].found", "Doctor"),
        Reference("teams[][]", "Doctor"),
        Reference("contact.doctor", "Doctor"),
    ),
)  # fmt: skip

WARDS = (CLINIC, DOCTOR, PATIENT)
