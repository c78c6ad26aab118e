"""An audited record type with hidden fields at the top and inside an object, and what it takes to save one."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from pydantic import AwareDatetime

from runtime.model.record import PersistentEvent, Record, RecordInput, Strict
from runtime.model.record_type import RecordType


class MarkInput(Strict):
    text: str | None = None
    secret: str | None = None


class Mark(Strict):
    text: str | None = None


class CrateFields(Strict):
    """What is both sent and read."""

    content: str | None = None
    weight: Decimal | None = None
    packed_at: AwareDatetime | None = None
    tags: list[str] | None = None
    extra: Any = None
    persistent_events: list[PersistentEvent] | None = None


class CrateInput(CrateFields, RecordInput):
    seal: str | None = None
    mark: MarkInput | None = None


class Crate(CrateFields, Record):
    mark: Mark | None = None


CRATE: RecordType[Crate] = RecordType(
    name="Crate", area="factory", model=Crate, collection="crates", base_path="/factory/crates",
    on_delete="remove", audited=True, persistent_events=True, hidden=frozenset({"seal", "mark.secret"}),
)  # fmt: skip


def crate(**members: Any) -> CrateInput:
    """As a caller sends it, by wire names."""
    return CrateInput.model_validate(members)
