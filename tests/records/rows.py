"""A record type with a field of every type that may be sorted by, and every sort of index on it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from decimal import Decimal
from itertools import chain
from random import Random
from typing import Any

from bson import Decimal128, ObjectId
from pydantic import AwareDatetime

from runtime.model.field_type import FieldType, ValueKind
from runtime.model.record import EntityReference, ObjectIdText, Strict
from runtime.model.record_type import Index, RecordType
from tests.kinds import kind_of

Document = dict[str, Any]

TENANTS = ("acme", "globex", "initech")


class Place(Strict):
    city: str | None = None
    floor: int | None = None


class RowFields(Strict):
    code: str
    serial: str | None = None
    name: str | None = None
    count: int | None = None
    ratio: float | None = None
    price: Decimal | None = None
    active: bool | None = None
    seen_at: AwareDatetime | None = None
    owner_key: ObjectIdText | None = None
    extra: Any = None
    place: Place | None = None
    supplier: EntityReference | None = None
    tags: list[str] | None = None


ROW = kind_of(
    "Row",
    "factory",
    RowFields,
    indexes=(
        Index((("code", 1),), unique=True),
        Index((("serial", 1),), unique=True),
        Index((("serial", 1),)),
        Index((("name", 1),)),
        Index((("count", -1),)),
        Index((("active", 1), ("seenAt", -1))),
        Index((("name", 1), ("count", 1), ("refName", 1))),
        Index((("place.city", 1), ("place.floor", -1))),
        Index((("supplier.entityId", 1),)),
        Index((("price", 1), ("ratio", -1))),
        Index((("tags", 1),)),
        Index((("name", 1),), language="en"),
        Index((("place.city", 1), ("name", 1)), language="de"),
        Index((("place.city", -1), ("count", 1)), language="sv"),
    ),
)


def some_documents(kind: RecordType[Any], number: int, seed: int = 1) -> Iterator[Document]:
    """``number`` stored records for each of three tenants, by turns; indexed fields have values or none.

    Not the fields by which records expire: MongoDB looks for those once a minute, in the middle of a test.
    """
    random = Random(seed)
    lasting = [index for index in kind.indexes if index.expire_after_seconds is None]
    paths = {path for index in lasting for path, _direction in index.keys}
    alone = {path for index in kind.indexes if index.unique for path, _direction in index.keys}
    for at in range(number * len(TENANTS)):
        document: Document = {"_id": ObjectId(), "refName": f"R-{random.random():.12f}-{at}", "version": 1}
        document["dataDomain"] = {"tenantId": TENANTS[at % len(TENANTS)], "dataSegment": 0}
        document["activeStatus"] = "ACTIVE"
        for path in sorted(paths - {"_id", "refName"}):
            value = _unique(at) if path in alone else _value(kind.field_at(path), random)
            if path in alone or random.random() < 0.9:
                _put(document, path, value)
        yield document


def keys_of(index: Index, kind: RecordType[Any] | None = None) -> str:
    """An index as a ``sort`` text; ``kind``: of the record type with its texts."""
    return ",".join(
        f"{'-' if direction < 0 else ''}{path}{_mark(index, kind, path)}" for path, direction in index.keys
    )


def _mark(index: Index, kind: RecordType[Any] | None, path: str) -> str:
    is_text = kind is not None and index.language and kind.field_at(path).kind is ValueKind.STRING
    return f"~ci:{index.language}" if is_text else ""


def literal(kind: RecordType[Any], path: str, value: Any) -> str:
    """A stored value as the filter language writes it."""
    if isinstance(value, datetime):
        return f"{path}:{value.isoformat(timespec='milliseconds')}Z"
    if isinstance(value, str):
        return f'{path}:"{value}"'
    return f"{path}:{str(value).lower()}"


def value_at(document: Mapping[str, Any], path: str) -> Any:
    """The value at a dotted path, None where there is none; the first of a list."""
    value: Any = document
    for step in path.split("."):
        value = value.get(step) if isinstance(value, Mapping) else None
    return next(chain(value, [None])) if isinstance(value, list) else value


def _unique(at: int) -> str:
    return f"U-{at * 7919 % 100_003:06d}"


def _value(kind: FieldType, random: Random) -> Any:
    match kind.kind:
        case ValueKind.INTEGER:
            return random.randrange(40)
        case ValueKind.NUMBER:
            return random.randrange(40) / 4
        case ValueKind.DECIMAL:
            return Decimal128(f"{random.randrange(40)}.50")
        case ValueKind.BOOLEAN:
            return random.random() < 0.5
        case ValueKind.DATETIME:
            return datetime(2026, 1, 1) + timedelta(minutes=random.randrange(5000))
        case ValueKind.OBJECT_ID:
            return ObjectId(f"{random.randrange(40):024x}")
        case ValueKind.LIST:
            return [f"tag{random.randrange(40)}" for _each in range(3)]
    if kind.values:
        return random.choice(kind.values)
    return f"text {random.randrange(40)}"


def _put(document: Document, path: str, value: Any) -> None:
    *parents, last = path.split(".")
    for step in parents:
        document = document.setdefault(step, {})
    document[last] = value
