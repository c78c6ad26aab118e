"""Record types of tests, by the fields that their records have."""

from __future__ import annotations

from typing import Any

from pydantic import create_model

from runtime.model.record import Record, RecordInput, Strict
from runtime.model.record_type import RecordType


class NoFields(Strict):
    """None besides those of every record."""


def kind_of(name: str, area: str, fields: type[Strict] = NoFields, **facts: Any) -> RecordType[Any]:
    """A record type of which all ``fields`` can be sent and read; ``facts`` are members of ``RecordType``."""
    words = f"{name.lower()}s"
    known = {
        "model": create_model(name, __base__=(fields, Record)),
        "input": create_model(f"{name}Input", __base__=(fields, RecordInput)),
        "collection": words,
        "base_path": f"/{area}/{words}",
    }
    return RecordType(name=name, area=area, **known | facts)
