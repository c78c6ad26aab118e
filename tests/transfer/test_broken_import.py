"""Direct imports that end in the middle: the error says what became of the rows before."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from runtime.call import Call
from runtime.contract.imports import ImportParameters
from runtime.errors import CsvProblem, InternalFault, ServiceError, StoreUnavailable
from runtime.storage.store import Store
from runtime.transfer import import_csv
from runtime.transfer.rows.reading import BATCH
from tests.transfer.stock import BIN, Stock, in_pieces

QUERY = ImportParameters.model_validate_strings({"requestedColumns": "refName,title"})


def failing(call: Call, fault: Exception, at: int) -> Call:
    """The same request over a store that refuses this insert of many, counted from 1."""

    class Failing(Store):
        inserts = 0

        async def insert_many(self, *arguments: Any, **options: Any) -> Any:
            type(self).inserts += 1
            if self.inserts == at:
                raise fault
            return await super().insert_many(*arguments, **options)

    store = Failing.__new__(Failing)
    store.__dict__.update(call.service.store.__dict__)
    return replace(call, service=replace(call.service, store=store))


def lines(*rows: str) -> bytes:
    return "\r\n".join(["refName,title", *rows]).encode()


def many(number: int) -> Sequence[str]:
    return [f"b-{at:04},x" for at in range(number)]


def broken(stock: Stock, call: Call, file: AsyncIterator[bytes]) -> ServiceError:
    with pytest.raises(ServiceError) as caught:
        stock.run(import_csv, call, BIN, QUERY, file)
    return caught.value


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (StoreUnavailable("the store cannot be reached"), StoreUnavailable),
        (RuntimeError("a mistake"), InternalFault),
        (OSError(28, "No space left on device"), InternalFault),
    ],
    ids=["store", "ours", "disk"],
)
def test_a_fault_says_what_was_stored(bins: Stock, fault: Exception, kind: type[ServiceError]) -> None:
    bins.plant({"refName": "b-0000", "title": "Old"}, {"refName": "b-0001", "title": "x"})
    rows = [*many(BATCH - 1), "b-9999,one,too many", *many(3 * BATCH)[BATCH:]]
    error = broken(bins, failing(bins.call(), fault, at=3), in_pieces(lines(*rows)))
    assert type(error) is kind
    counts = {"inserted": 2 * BATCH - 3, "updated": 1, "skipped": 1, "failed": 1}
    assert error.details["counts"] == counts
    assert error.message.endswith(f"so far {2 * BATCH - 3} inserted, 1 updated, 1 skipped, 1 failed")
    assert len(bins.bins()) == 2 * BATCH - 1


def test_a_row_that_cannot_be_read(bins: Stock) -> None:
    """What was read before is stored to its end and counted."""
    error = broken(bins, bins.call(), in_pieces(lines(*many(2 * BATCH), '"never closed')))
    assert type(error) is CsvProblem
    assert error.details["counts"]["inserted"] == len(bins.bins()) == 2 * BATCH


@pytest.mark.parametrize("content", [b'refName,title\r\n"never closed', b""], ids=["a row", "nothing"])
def test_before_any_row_there_is_nothing_to_count(bins: Stock, content: bytes) -> None:
    async def file() -> AsyncIterator[bytes]:
        yield content
        raise StoreUnavailable("gone")

    assert "counts" not in broken(bins, bins.call(), file()).details
    assert bins.bins() == {}
