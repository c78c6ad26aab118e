"""A record type with a field of every kind that partial writes, constraints and calculated fields meet."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Annotated, Any, Literal

from bson import Decimal128, ObjectId
from pydantic import Field

from runtime.model.record import (
    DynamicAttribute,
    EntityReference,
    ExactDecimal,
    LocalDate,
    Moment,
    ObjectIdText,
    Record,
    RecordInput,
    Strict,
    UniqueItems,
    Violation,
)
from runtime.model.record_type import Constraint, RecordType

ID = "65f0c0ffee00c0ffee00c0de"
OTHER_ID = "0123456789abcdef01234567"


class Inside(Strict):
    floor: Annotated[int, Field(ge=0)]
    door: str | None = "front"


class Place(Strict):
    city: Annotated[str, Field(max_length=20)]
    street: str | None = None
    inside: Inside | None = None
    alarm_code: str | None = None


class Line(Strict):
    sku: Annotated[str, Field(pattern="^[A-Z]+$")]
    quantity: int | None = 1
    price: Annotated[Decimal | None, ExactDecimal()] = None
    carrier: EntityReference | None = None


class ParcelFields(Strict):
    label: Annotated[str, Field(min_length=2, max_length=20)]
    code: str | None = None
    size: Literal["S", "M", "L"] | None = "M"
    count: Annotated[int | None, Field(ge=0)] = 7
    ratio: float | None = None
    weight: Annotated[Decimal | None, Field(gt=0), ExactDecimal()] = None
    urgent: bool | None = None
    born: LocalDate | None = None
    due_at: Moment | None = None
    source: ObjectIdText | None = None
    tags: Annotated[list[str] | None, Field(max_length=3), UniqueItems()] = None
    grid: list[list[int]] | None = None
    words: dict[str, Annotated[str, Field(min_length=1)]] | None = None
    rooms: dict[str, Inside] | None = None
    extra: Any = None
    place: Place | None = None
    lines: list[Line] | None = None
    customer: EntityReference | None = None
    carriers: list[EntityReference] | None = None
    dynamic_attributes: dict[str, dict[str, DynamicAttribute]] | None = None
    title: str | None = None
    total: Annotated[Decimal | None, Field(le=100), ExactDecimal()] = None
    seen_by: str | None = None


class ParcelInput(ParcelFields, RecordInput):
    pin: Annotated[str, Field(min_length=4)]
    note: str | None = None


class Parcel(ParcelFields, Record):
    pass


PARCEL: RecordType[Parcel] = RecordType(
    name="Parcel",
    area="post",
    model=Parcel,
    collection="parcels",
    base_path="/post/parcels",
    hidden=frozenset({"pin", "note", "place.alarmCode"}),
    server_set=frozenset({"title", "total", "seenBy"}),
    calculated={"total": "weightTwice", "title": "{label} {place.city}"},
    constraints=(
        Constraint("count:<100 || urgent:true", "more than 100 only when urgent"),
        Constraint("!!lines:{quantity:<1}", "a line has a quantity"),
    ),
)


class LenientParcel(Parcel):
    invalid: bool | None = None
    violations: list[Violation] | None = None


LENIENT: RecordType[Parcel] = replace(PARCEL, lenient=True, model=LenientParcel)


def stored(**members: Any) -> dict[str, Any]:
    """A parcel as the store shows it: without what is hidden, required or not."""
    record: dict[str, Any] = {
        "_id": ObjectId(ID),
        "refName": "P-1",
        "displayName": "P-1",
        "activeStatus": "ACTIVE",
        "dataDomain": {"tenantId": "acme", "dataSegment": 0},
        "version": 4,
        "auditInfo": {"createdBy": "ann"},
        "references": [{"referencedId": ObjectId(ID), "type": "post.Stop", "refName": "S-1"}],
        "label": "Lamp",
        "weight": Decimal128("1.50"),
        "title": "Lamp",
    }
    return {name: value for name, value in (record | members).items() if value is not None}
