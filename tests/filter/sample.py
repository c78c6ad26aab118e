"""The record type that the tables of this folder filter, one field of every kind."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any, Literal

from pydantic import AwareDatetime

from runtime.model.record import DynamicAttribute, EntityReference, ObjectIdText, Record, RecordInput, Strict
from runtime.model.record_type import RecordType

OID = "65f0c0ffee00c0ffee00c0de"


class Line(Strict):
    sku: str
    quantity: int | None = None
    due_at: AwareDatetime | None = None
    tags: list[str] | None = None


class Address(Strict):
    city: str | None = None
    zip: str | None = None
    secret: str | None = None


class _Fields(Strict):
    status: Literal["PENDING", "SHIPPED", "DELIVERED"] | None = None
    name: str | None = None
    qty: int | None = None
    weight: float | None = None
    price: Decimal | None = None
    active: bool | None = None
    born: date | None = None
    placed: AwareDatetime | None = None
    owner: ObjectIdText | None = None
    customer: EntityReference | None = None
    carriers: list[EntityReference] | None = None
    address: Address | None = None
    lines: list[Line] | None = None
    tags: list[str] | None = None
    scores: list[int] | None = None
    stamps: list[AwareDatetime] | None = None
    grid: list[list[int]] | None = None
    labels: dict[str, str] | None = None
    meta: Any = None
    dynamic_attributes: dict[str, dict[str, DynamicAttribute]] | None = None
    api_token: str | None = None


class Shipment(_Fields, Record):
    pass


class ShipmentInput(_Fields, RecordInput):
    pass


SHIPMENT = RecordType(
    name="Shipment", area="logistics", model=Shipment, collection="shipments",
    base_path="/logistics/shipments", hidden=frozenset({"apiToken", "address.secret"}), text=("name",),
)  # fmt: skip
WITHOUT_TEXT = RecordType(
    name="Note", area="logistics", model=Shipment, collection="notes", base_path="/logistics/notes"
)
