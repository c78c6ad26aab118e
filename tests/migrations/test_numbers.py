"""Numbers that become numbers of another type, at the edges of both: what a run asks for before it loses one."""

from __future__ import annotations

from typing import Any

import pytest
from bson import Decimal128, Int64, ObjectId

from runtime.model.record_type import RecordType
from runtime.spelling import Spelling, derive_steps
from runtime.storage.as_service import as_service
from tests.migrations.test_digests import SAMPLE
from tests.migrations.versions import Opening

pytestmark = pytest.mark.anyio

KIND: RecordType[Any] = SAMPLE
GONE = "gone"
LAST_ID = ObjectId("f" * 24)
LARGE = 2**53
LONG = "0.1234567890123456789012345678901234"

EDGES: dict[str, tuple[str, str, Any, Any, bool]] = {
    "the last integer that is surely a double": ("integer", "number", Int64(LARGE), float(LARGE), False),
    "an integer between two doubles": ("integer", "number", Int64(LARGE + 1), float(LARGE), True),
    "a negative one": ("integer", "number", Int64(-LARGE - 1), -float(LARGE), True),
    "an even one behind": ("integer", "number", Int64(LARGE + 2), float(LARGE + 2), False),
    "the largest integer": ("integer", "number", Int64(2**63 - 1), 2.0**63, True),
    "the least integer": ("integer", "number", Int64(-(2**63)), -(2.0**63), False),
    "an integer as a decimal": ("integer", "decimal", Int64(LARGE + 1), Decimal128(str(LARGE + 1)), False),
    "a decimal that is a double": ("decimal", "number", Decimal128("0.5"), 0.5, False),
    "one with zeros": ("decimal", "number", Decimal128("2.500"), 2.5, False),
    "a decimal between two doubles": ("decimal", "number", Decimal128(str(LARGE + 1)), float(LARGE), True),
    "34 digits": ("decimal", "number", Decimal128(LONG), float(LONG), True),
    "too large": ("decimal", "number", Decimal128("1E+400"), GONE, True),
    "too small": ("decimal", "number", Decimal128("-1E-400"), GONE, True),
    "smaller than MongoDB makes of a decimal": ("decimal", "number", Decimal128("5E-324"), GONE, True),
    "nothing, at length": ("decimal", "number", Decimal128("0E-500"), 0.0, False),
    "more than 64 bits": ("decimal", "integer", Decimal128("1E+30"), GONE, True),
    "a fraction": ("decimal", "integer", Decimal128("1.5"), GONE, True),
    "a whole decimal": ("decimal", "integer", Decimal128("7.00"), 7, False),
    "a large double": ("number", "integer", 1e300, GONE, True),
    "not a number": ("decimal", "integer", Decimal128("NaN"), GONE, True),
    "endless": ("decimal", "integer", Decimal128("Infinity"), GONE, True),
}


@pytest.mark.parametrize(("former", "now", "stored", "expected", "is_lost"), EDGES.values(), ids=EDGES)
async def test_a_loss_is_counted_and_all_readers_agree(
    opening: Opening, database: Any, former: str, now: str, stored: Any, expected: Any, is_lost: bool
) -> None:
    shapes = [{"fields": {"value": {"type": kind}}} for kind in (former, now)]
    steps = derive_steps("Sample", shapes[0], shapes[1])
    spelling, sound = Spelling(2, steps), Spelling(2, tuple(one for one in steps if not one.loses))
    database.samples.insert_one({"_id": LAST_ID, "value": stored})
    async with opening("old") as service:
        access = as_service(KIND, service.realm)
        losing = [one.name for one in steps if one.loses]
        store = service.service.store
        found = await store.count_lost(access, spelling, sound, (None, LAST_ID)) if losing else 0
    assert found == is_lost
    (read,) = database.samples.aggregate(spelling.unification)
    computed = spelling.unify({"_id": LAST_ID, "value": stored})
    for one in (read, computed):
        value = one.get("value", GONE)
        assert (type(value) is float, str(value)) == (type(expected) is float, str(expected))
