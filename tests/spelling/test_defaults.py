"""A new default is filled in as a save would store it."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

import pytest
from bson import Decimal128, ObjectId

from generated.record_types import CATALOG
from runtime.spelling import derive_steps
from runtime.spelling.values import Fill
from runtime.storage.codec import encode_document
from sample_generated.record_types import CATALOG as SAMPLE

DECIMAL, TIMESTAMP, TEXT = {"type": "decimal"}, {"type": "datetime"}, {"type": "string"}
TEN = datetime(2026, 1, 1, 10)
BOX = {
    "type": "object",
    "fields": {"width": {**DECIMAL, "default": "2.0"}, "at": TIMESTAMP, "name": {**TEXT, "default": None}},
}
TABLE = [
    (DECIMAL, "1.50", Decimal128("1.50")),
    (DECIMAL, 1e-7, Decimal128("1E-7")),
    (DECIMAL, 12, Decimal128("12")),
    (TIMESTAMP, "2026-01-01T10:00:00Z", TEN),
    (TIMESTAMP, "2026-01-01T12:00:00+02:00", TEN),
    (TIMESTAMP, "2026-01-01T10:00:00.123456Z", TEN.replace(microsecond=123000)),
    ({"type": "objectId"}, "6b0858317ca44b1266237204", ObjectId("6b0858317ca44b1266237204")),
    ({"type": "number"}, 1, 1.0),
    ({"type": "date"}, "2026-01-01", "2026-01-01"),
    ({"type": "list", "item": DECIMAL}, ["1.5", "2"], [Decimal128("1.5"), Decimal128("2")]),
    ({"type": "list", "item": BOX}, [{}], [{"width": Decimal128("2.0")}]),
    ({"type": "map", "item": TIMESTAMP}, {"a": "2026-01-01T10:00:00Z"}, {"a": TEN}),
    (BOX, {"at": "2026-01-01T10:00:00Z"}, {"width": Decimal128("2.0"), "at": TEN}),
    (BOX, {"width": "3"}, {"width": Decimal128("3")}),
    ({"type": "json"}, {"at": "2026-01-01T10:00:00Z", "n": 1}, {"at": "2026-01-01T10:00:00Z", "n": 1}),
]


def fills(shape: dict[str, Any]) -> dict[str, Any]:
    """Return what records of a type get that was empty before, by field."""
    operations = {step.path[0]: step.operation for step in derive_steps("Thing", {"fields": {}}, shape)}
    return {str(name): one.value for name, one in operations.items() if isinstance(one, Fill)}


@pytest.mark.parametrize(("field", "default", "stored"), TABLE)
def test_a_default_is_stored_as_its_type_is(field: dict[str, Any], default: Any, stored: Any) -> None:
    (found,) = fills({"fields": {"field": {**field, "default": default}}}).values()
    assert (found, type(found)) == (stored, type(stored))


@pytest.mark.parametrize("catalog", [SAMPLE, CATALOG], ids=["sample", "example"])
def test_defaults_are_filled_in_as_a_save_stores_them(catalog: Any) -> None:
    shapes = json.loads(catalog.shapes.read_text("utf-8"))
    seen = set()
    for kind in catalog:
        if kind.name in shapes:
            saved = encode_document(kind, kind.input.model_construct())
            filled = fills(shapes[kind.name])
            assert filled == {name: saved[name] for name in filled}
            seen |= {type(value) for value in filled.values()}
    assert Decimal128 in seen
    assert catalog is CATALOG or {list, dict, datetime} <= seen
