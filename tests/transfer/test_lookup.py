"""Lookups in the store: what is stored in a profile is a path, never a piece of a filter."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from runtime.call import Call
from runtime.errors import UnknownField
from runtime.permissions import Rule, RuleSet
from runtime.storage.store import Store
from runtime.transfer.profiles import lookup as lookup_module
from runtime.transfer.profiles.lookup import Lookup, Result, StoreLookups, Unclear
from tests.transfer.stock import BIN, Document, Stock

pytestmark = pytest.mark.usefixtures("bins")


@pytest.fixture
def reader(stock: Stock) -> Call:
    """A caller from whom a rule withholds the titles of bins."""
    return stock.call_by(RuleSet([Rule("titles are withheld", hidden=frozenset({"title"}))]))


def find(stock: Stock, call: Call, lookup: Lookup, *values: str) -> dict[str, Result]:
    return dict(stock.run(StoreLookups(call).find, lookup, values))


@pytest.mark.parametrize("limit", ["a", "z"])
@pytest.mark.parametrize("field", ["title", "displayName"])
def test_a_match_field_is_not_read_as_filter_text(stock: Stock, reader: Call, limit: str, field: str) -> None:
    """Read as text it would compare a field of the writer's choice, and the cell ``None`` would tell the answer:
    a binary search of a withheld value."""
    stock.plant({"refName": "b-1", "displayName": "middle", "title": "middle"})
    spliced = f'labels.x:~||{field}:>"{limit}"||refName'
    assert find(stock, reader, Lookup("bins", spliced, "refName"), "None") == {}


@pytest.mark.parametrize("lookup", [Lookup("bins", "title", "id"), Lookup("bins", "refName", "title")])
def test_a_withheld_field_is_unknown(stock: Stock, reader: Call, lookup: Lookup) -> None:
    stock.plant({"refName": "b-1", "title": "middle"})
    with pytest.raises(UnknownField):
        find(stock, reader, lookup, "middle", "b-1")


def test_values_of_a_withheld_field_are_not_suggested(stock: Stock, reader: Call) -> None:
    stock.plant({"refName": "b-1", "title": "middle"})
    with pytest.raises(UnknownField):
        stock.run(StoreLookups(reader).list_values, Lookup("bins", "title", "id"))


def test_a_key_of_a_map_is_matched_as_it_is_spelled(stock: Stock) -> None:
    stock.plant({"refName": "b-1", "labels": {"size": "L"}}, {"refName": "b-2", "labels": {"colour": "L"}})
    assert find(stock, stock.call(), Lookup("bins", "labels.size", "refName"), "L", "M") == {"L": "b-1"}


def test_a_value_of_far_too_many_records_is_unclear_and_does_not_fill_the_memory(
    stock: Stock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A profile may compare any field, and a state may be that of millions of records."""
    monkeypatch.setattr(lookup_module, "_MOST_READ", 10)
    read: list[int] = []
    call, store = stock.call(), stock.service.store

    async def find(*arguments: Any, **options: Any) -> list[Document]:
        rows = await Store.find(store, *arguments, **options)
        read.append(len(rows))
        return rows

    monkeypatch.setattr(store, "find", find)
    stock.plant(
        *({"refName": f"b-{n}", "title": "new"} for n in range(50)),
        *({"refName": f"c-{n}", "title": f"old {n}"} for n in range(8)),
    )
    titles = ("new", *(f"old {n}" for n in range(8)), "none")
    found = stock.run(StoreLookups(call).find, Lookup("bins", "title", "refName"), titles)
    assert found == {"new": Unclear.SEVERAL} | {f"old {n}": f"c-{n}" for n in range(8)}
    assert max(read) <= 11


@pytest.mark.parametrize(("live", "expected"), [(1, "b-0"), (0, Unclear.SEVERAL), (2, Unclear.SEVERAL)])
def test_a_live_record_counts_before_far_too_many_archived_ones(
    stock: Stock, monkeypatch: pytest.MonkeyPatch, live: int, expected: Result
) -> None:
    monkeypatch.setattr(lookup_module, "_MOST_READ", 10)
    monkeypatch.setattr(lookup_module, "kind_of", lambda *_asked: replace(BIN, on_delete="archive"))
    stock.plant(
        *({"refName": f"a-{n}", "title": "new", "activeStatus": "ARCHIVED"} for n in range(50)),
        *({"refName": f"b-{n}", "title": "new"} for n in range(live)),
    )
    assert find(stock, stock.call(), Lookup("bins", "title", "refName"), "new", "none") == {"new": expected}


def test_records_with_the_same_result_are_one(stock: Stock) -> None:
    stock.plant(*({"refName": f"b-{n}", "title": "new", "count": n // 2} for n in range(4)))
    assert find(stock, stock.call(), Lookup("bins", "title", "title"), "new") == {"new": "new"}
    assert find(stock, stock.call(), Lookup("bins", "title", "count"), "new") == {"new": Unclear.SEVERAL}


@pytest.mark.parametrize(
    "written", ["2026-03-27T04:12:14Z", "2026-03-27T04:12:14.000Z", "2026-03-27T05:12:14+01:00"]
)
def test_a_timestamp_is_matched_however_it_is_written(stock: Stock, written: str) -> None:
    stock.plant({"refName": "b-1", "seenAt": datetime(2026, 3, 27, 4, 12, 14)})
    assert find(stock, stock.call(), Lookup("bins", "seenAt", "refName"), written) == {written: "b-1"}
    assert find(stock, stock.call(), Lookup("bins", "refName", "seenAt"), "b-1") == {
        "b-1": "2026-03-27T04:12:14.000Z"
    }
