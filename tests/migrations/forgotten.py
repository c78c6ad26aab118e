"""Versions that forgot `renamedFrom`, and some that declare it after all: of a field, at every depth, of a state."""

from __future__ import annotations

from typing import Any, Literal

from runtime.model.record import Strict
from runtime.model.record_type import RecordType
from tests.kinds import kind_of
from tests.migrations.versions import OLD_SHAPE, TEXT, VERSIONS, Document, Place, shape


class NamedLine(Strict):
    code: str | None = None
    amount: int | None = None


class NamedFields(Strict):
    city: str | None = None
    place: Place | None = None
    lines: list[NamedLine] | None = None
    weight: int | None = None
    tag: str | None = None
    status: Literal["NEW", "GONE"] | None = None
    secret: str | None = None


class OpenedFields(Strict):
    town: str | None = None
    status: Literal["OPEN", "GONE"] | None = None


def _kind(hidden: frozenset[str] = frozenset({"secret"}), **more: Any) -> RecordType[Any]:
    return kind_of("Parcel", "post", NamedFields, hidden=hidden, **more)


def _shape(city: Document, street: Document, code: Document) -> Document:
    fields = {name: field for name, field in OLD_SHAPE["Parcel"]["fields"].items() if name != "town"}
    line = {"type": "object", "fields": {"code": {**TEXT, **code}, "amount": {"type": "integer"}}}
    return shape(
        **fields
        | {
            "city": {**TEXT, **city},
            "place": {"type": "object", "fields": {"street": {**TEXT, **street}, "zipCode": TEXT}},
            "lines": {"type": "list", "item": line},
        }
    )


_TOWN, _ROAD, _SKU = {"renamedFrom": "town"}, {"renamedFrom": "road"}, {"renamedFrom": "sku"}

VERSIONS["forgotten"] = (_kind(), _shape({}, {}, {}))
VERSIONS["recalled"] = (_kind(renamed={"city": "town"}), _shape(_TOWN, {}, {}))
VERSIONS["recalled and hidden"] = (
    _kind(renamed={"city": "town"}, hidden=frozenset({"secret", "city"})),
    _shape({**_TOWN, "hidden": True}, {}, {}),
)
VERSIONS["recalled inside"] = (
    _kind(renamed={"city": "town"}, renamed_inside={"place.street": "road"}),
    _shape(_TOWN, _ROAD, _SKU),
)


def _opened(**states: Document) -> tuple[RecordType[Any], Document]:
    kind = kind_of("Parcel", "post", OpenedFields)
    return kind, shape(town=TEXT, status={"type": "states", "values": ["OPEN", "GONE"], **states})


VERSIONS["state forgotten"] = _opened()
VERSIONS["state recalled"] = _opened(renamed={"OPEN": "NEW"})
