"""The digest of what a move touches: two records that read differently have two digests, wherever the difference is."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from bson import Decimal128, Int64

from runtime.model.record import Strict
from runtime.spelling import Spelling, Step
from runtime.storage.as_service import as_service
from tests.kinds import kind_of
from tests.migrations.versions import Document, Opening

pytestmark = pytest.mark.anyio


class Part(Strict):
    price: Decimal | None = None
    rates: dict[str, Decimal] | None = None
    name: str | None = None


class Fields(Strict):
    share: float | None = None
    total: Decimal | None = None
    count: int | None = None
    curve: list[list[float]] | None = None
    parts: list[Part] | None = None
    part: Part | None = None
    name: str | None = None


SAMPLE = kind_of("Sample", "lab", Fields)
NAMES = tuple(Fields.model_fields)
RENAMED = Spelling(2, tuple(Step(name, (name,), f"old{name}") for name in NAMES))

DIFFERING: dict[str, tuple[Any, Any]] = {
    "a fraction": ({"share": 1.2}, {"share": 1.7}),
    "a small fraction": ({"share": 1e-9}, {"share": 2e-9}),
    "late digits": ({"share": 0.12345678901234}, {"share": 0.12345678901235}),
    "beyond 64 bits": ({"share": 1e300}, {"share": 2e300}),
    "the fraction of a decimal": ({"total": Decimal128("1.2")}, {"total": Decimal128("1.3")}),
    "the last of 34 digits": (
        {"total": Decimal128("0.1234567890123456789012345678901234")},
        {"total": Decimal128("0.1234567890123456789012345678901235")},
    ),
    "a large integer": ({"count": Int64(2**53)}, {"count": Int64(2**53 + 1)}),
    "in a list of lists": ({"curve": [[1.1], [2.2, 3.3]]}, {"curve": [[1.1], [2.2, 3.4]]}),
    "in an object": ({"part": {"price": Decimal128("0.1")}}, {"part": {"price": Decimal128("0.2")}}),
    "in objects of a list": (
        {"parts": [{}, {"price": Decimal128("0.1")}]}, {"parts": [{}, {"price": Decimal128("0.2")}]},
    ),
    "in a map": (
        {"parts": [{"rates": {"a": Decimal128("0.1")}}]}, {"parts": [{"rates": {"a": Decimal128("0.2")}}]},
    ),
    "null": ({"share": None}, {}),
    "a text": ({"part": {"price": "x", "name": "a"}}, {"part": {"price": "x", "name": "b"}}),
}  # fmt: skip


@pytest.mark.parametrize("differing", DIFFERING.values(), ids=DIFFERING)
async def test_what_reads_differently_has_another_digest(
    opening: Opening, database: Any, differing: tuple[Document, Document]
) -> None:
    """Written under the former names, and under those of now."""
    async with opening("old") as service:
        access, digests = as_service(SAMPLE, service.realm), []
        for stored in differing:
            former = {f"old{name}": value for name, value in stored.items()}
            for spelled in (former, {**stored, "_spelling": {"of": 2}}):
                database.samples.replace_one({"_id": 1}, spelled, upsert=True)
                digests.append(await service.service.store.read_digest(access, RENAMED, None, None, 10))
    assert digests[0] == digests[1]
    assert digests[2] == digests[3]
    assert digests[0] != digests[2]
    assert {one.records for one in digests} == {1}
