"""Rows that are written as their records would be are left alone unread, and nothing else comes of it."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest
from bson import Decimal128
from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.model.record_type import Reference
from runtime.transfer.csv.columns import parse_requested_columns
from runtime.transfer.importing.analyze import Analysis
from runtime.transfer.importing.as_stored import Comparison, can_be_compared
from runtime.transfer.importing.existing import Existing
from runtime.transfer.importing.storing import Storing
from runtime.transfer.importing.targets import Targets
from runtime.transfer.rows.reading import Reading
from runtime.transfer.rows.rows import InputRow
from tests.properties import examples
from tests.transfer.bins import FLAT, SIGNS, bins
from tests.transfer.stock import BIN, Document, Stock
from tests.transfer.test_analyze import words

SINGLE = "refName,displayName,title,code,count,ratio,price,active,seenAt,day,ownerKey,shelf.entityRefName,size.unit"
COLUMNS = parse_requested_columns("refName,title,count", BIN)


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        (SINGLE, True),
        ("title,refName,version,id,auditInfo.createdBy", True),
        pytest.param("title,count", False, id="no key"),
        pytest.param("refName,dataDomain.tenantId", False, id="of other tenants"),
        pytest.param("refName,size", False, id="an object may have hidden fields"),
        pytest.param("refName,shelf", False, id="a reference as a whole"),
        pytest.param("refName,tags", False, id="a list"),
        pytest.param("refName,labels", False, id="a map"),
        pytest.param("refName,extra", False, id="a free form"),
        pytest.param("refName,parts[0].sku", False, id="several rows a record"),
        pytest.param("refName,dynamicAttributes.all.text", False, id="an attribute"),
        (FLAT, False),
    ],
)
def test_only_files_of_single_values_are_compared(columns: str, expected: bool) -> None:
    assert can_be_compared(parse_requested_columns(columns, BIN)) is expected


def test_records_that_the_rows_before_may_rename_are_not_looked_at_early() -> None:
    kind = replace(BIN, references=(Reference("shelf", "Bin"),))
    assert can_be_compared(parse_requested_columns("refName,title", BIN))
    assert not can_be_compared(parse_requested_columns("refName,title", kind))


def read(
    stock: Stock, *rows: tuple[str, ...], columns: Any = COLUMNS, guard: bool = True
) -> tuple[list[InputRow], Existing]:
    reading = Reading(columns, guard=guard)
    comparison = Comparison(stock.call(), reading)
    numbered = [(number, list(cells)) for number, cells in enumerate(rows, 1)]
    found: tuple[list[InputRow], Existing] = stock.run(comparison.read, numbered)
    return found


def _storing(call: Any) -> Storing:
    return Storing(call, BIN, Targets(call, BIN), Reading(COLUMNS, guard=True))


def test_a_row_that_differs_is_read(bins: Stock) -> None:
    bins.plant({"refName": "b-1", "title": "One", "count": 1}, {"refName": "b-2", "title": "=2+2"})
    bins.plant({"refName": "b-3", "title": "Theirs"}, tenant="globex")
    same, other, guarded, unguarded, theirs, new, torn, unnamed, wrong = read(
        bins, ("b-1", "One", "1"), ("b-1", "One", "2"), ("b-2", "'=2+2", ""), ("b-2", "=2+2", ""),
        ("b-3", "Theirs", ""), ("b-4", "New", ""), ("b-1", "One"), ("", "One", "1"), ("b-1", "One", "many"),
    )[0]  # fmt: skip
    assert [row.is_as_stored for row in (same, guarded)] == [True, True]
    assert (same.values, same.raw) == ({"refName": "b-1"}, {"refName": "b-1", "title": "One", "count": "1"})
    assert not any(row.is_as_stored for row in (other, unguarded, theirs, new, torn, unnamed, wrong))
    assert (other.values, other.is_partly_read) == ({"refName": "b-1", "count": 2}, True)
    assert not any(row.is_partly_read for row in (same, theirs, new, torn, unnamed))
    assert [len(row.errors) for row in (torn, wrong, new, unnamed)] == [1, 1, 0, 0]


def test_a_torn_row_is_reported_as_what_it_would_have_been(bins: Stock) -> None:
    """It names its record as long as it has the cell for it."""
    bins.plant({"refName": "b-1", "title": "One"})
    answer = bins.imported("title,refName", b"title,refName\r\nOne,b-1,x\r\nOne,b-2,x\r\nOne\r\n")
    found = [(row.get("refName"), row["intent"]) for row in answer["rows"]]
    assert found == [("b-1", "UPDATE"), ("b-2", "INSERT"), (None, "INSERT")]


def test_which_of_several_is_meant_is_not_guessed(bins: Stock) -> None:
    """Such records come from before the index of refNames."""
    bins.documents["bins"].drop_index("tenant_refName")
    try:
        bins.plant({"refName": "b-1", "title": "One"}, {"refName": "b-1", "title": "One"})
        rows, stored = read(bins, ("b-1", "One", ""))
        assert (rows[0].is_as_stored, stored.unclear) == (False, {("acme", "b-1")})
    finally:
        bins.empty()
        bins.documents["bins"].create_index(
            [("dataDomain.tenantId", 1), ("refName", 1)], name="tenant_refName", unique=True
        )


def test_the_second_of_a_name_is_refused_where_the_first_was_left_alone(bins: Stock) -> None:
    bins.plant({"refName": "b-1", "title": "One", "count": 1})
    answer = bins.imported(
        "refName,title,count", b"refName,title,count\r\nb-1,One,1\r\nb-1,One,1\r\nb-1,Two,2\r\n"
    )
    assert (answer["skipCount"], answer["failedCount"], answer["updateCount"]) == (1, 2, 0)
    assert {row["errors"][0]["code"] for row in answer["rows"]} == {"DUPLICATE"}
    assert bins.bins()["b-1"]["title"] == "One"


def test_a_record_that_changed_since_it_was_compared_is_not_overwritten(bins: Stock) -> None:
    """It is decided again, on what has come meanwhile: the row says both title and count."""
    bins.plant({"refName": "b-1", "title": "One", "count": 1})
    rows, stored = read(bins, ("b-1", "One", "2"))
    bins.documents["bins"].update_one({"refName": "b-1"}, {"$set": {"title": "New"}, "$inc": {"version": 1}})
    outcomes = bins.run(Analysis(bins.call(), BIN).decide, rows, stored)
    assert words(outcomes) == ["update"]
    stored_as = bins.run(_storing(bins.call()).store, outcomes)
    assert words(stored_as) == ["update"]
    found = bins.bins()["b-1"]
    assert (found["title"], found["count"], found["version"]) == ("One", 2, 3)


@pytest.mark.parametrize("has_effect", [False, True])
def test_a_record_that_was_stored_since_its_row_was_decided_is_updated(bins: Stock, has_effect: bool) -> None:
    """As in two imports of one file at the same time, in a transaction or not."""
    call = bins.call()
    effects = {BIN.name: _do_nothing} if has_effect else {}
    call = replace(call, service=replace(call.service, effects=effects))
    outcomes = bins.run(Analysis(call, BIN).decide, read(bins, ("b-1", "One", "2"), ("b-2", "Two", ""))[0])
    assert words(outcomes) == ["insert", "insert"]
    bins.plant({"refName": "b-1", "title": "Theirs", "count": 1})
    assert words(bins.run(_storing(call).store, outcomes)) == ["update", "insert"]
    found = {name: (one["title"], one.get("count"), one["version"]) for name, one in bins.bins().items()}
    assert found == {"b-1": ("One", 2, 2), "b-2": ("Two", None, 1)}


async def _do_nothing(_call: Any, _transaction: Any, _before: Any, _after: Any) -> None:
    """An effect that needs a transaction."""


@settings(max_examples=examples(25, nightly=500))
@given(data=st.data(), guard=st.booleans())
def test_comparing_first_decides_nothing_else(stock: Stock, data: st.DataObject, guard: bool) -> None:
    """Cells of records that are there, some of them changed, decided with and without a comparison."""
    stock.empty()
    shelves = {
        row["refName"]: row["_id"] for row in stock.documents["shelves"].find({"dataDomain.tenantId": "acme"})
    }
    planted: list[Document] = stock.plant(*data.draw(bins(shelves, SIGNS, "utf-8")))
    columns = parse_requested_columns(SINGLE, BIN)
    cells = [list(row) for row in columns.rows(planted, guard=guard)]
    for row in cells:
        for at in data.draw(st.lists(st.integers(1, len(row) - 1), max_size=2)):
            row[at] = data.draw(st.sampled_from(["", "1", "1.0", "true", "X", "2026-01-01", "room-a1"]))
    rows, stored = read(stock, *map(tuple, cells), columns=columns, guard=guard)
    compared = stock.run(Analysis(stock.call(), BIN).decide, rows, stored)
    reading = Reading(columns, guard=guard)
    plain = [reading.row((number, row)) for number, row in enumerate(cells, 1)]
    assert words(compared) == words(stock.run(Analysis(stock.call(), BIN).decide, plain))


def test_of_a_batch_only_the_record_that_changed_is_decided_again(bins: Stock) -> None:
    """Whatever types its fields have: what was stored is known as what was written."""
    whole = {
        "seenAt": datetime(2026, 1, 2, 3, 4, 5, 678000), "price": Decimal128("12.90"), "ratio": 0.5,
        "tags": ["a"], "size": {"unit": "m", "height": 1.5}, "extra": {"a": [1, None]}, "secret": "hidden",
    }  # fmt: skip
    bins.plant(*({"refName": f"b-{at}", "count": 1, **whole} for at in range(3)))
    rows, stored = read(bins, *((f"b-{at}", "New", "2") for at in range(3)))
    outcomes = bins.run(Analysis(bins.call(), BIN).decide, rows, stored)
    bins.documents["bins"].update_one(
        {"refName": "b-1"}, {"$set": {"day": "2026-01-01"}, "$inc": {"version": 1}}
    )
    calls = bins.call()
    done = bins.run(_storing(calls).store, outcomes)
    assert words(done) == ["update", "update", "update"]
    assert [found is before for found, before in zip(done, outcomes, strict=True)] == [True, False, True]
    assert {name: (one["title"], one["version"]) for name, one in bins.bins().items()} == {
        "b-0": ("New", 2), "b-1": ("New", 3), "b-2": ("New", 2),
    }  # fmt: skip
    assert bins.bins()["b-1"]["day"] == "2026-01-01"
