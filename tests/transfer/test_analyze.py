"""What is to be done with rows: decided as their single requests would be, a batch at a time."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from bson import Decimal128

from runtime.contract.imports import RowCode
from runtime.errors import Denied
from runtime.model.record_type import Constraint, Index
from runtime.permissions import RuleSet
from runtime.permissions.rule import Rule
from runtime.storage.store import Store
from runtime.transfer.importing.analyze import Analysis, require_import_permission
from runtime.transfer.importing.existing import Existing
from runtime.transfer.importing.planning import plan
from runtime.transfer.importing.targets import Targets, fold_references
from runtime.transfer.rows.intent import Intent
from runtime.transfer.rows.row_error import RowError
from runtime.transfer.rows.rows import Failed, InputRow, Insert, Outcome, Skip, Update
from tests.transfer.stock import BIN, Document, Stock

COLUMNS = "refName,title,count"
SHELVED = "refName,dataDomain.tenantId,shelf.entityRefName"


def decided(stock: Stock, *rows: InputRow, tenant: str = "acme") -> list[Outcome]:
    found: list[Outcome] = stock.run(Analysis(stock.call(tenant), BIN).decide, rows)
    return found


def count_finds(bins: Stock, monkeypatch: pytest.MonkeyPatch, targets: Targets, rows: list[InputRow]) -> int:
    """Look up the shelves of rows; count the commands."""
    asked, find = [], Store.find

    def count(store: Any, access: Any, *rest: Any, **more: Any) -> Any:
        asked.append((asyncio.current_task(), access.kind.name))
        return find(store, access, *rest, **more)

    async def look_up() -> list[str]:
        await targets.find([(row, fold_references(BIN, row.values)) for row in rows])
        return [name for task, name in asked if task is asyncio.current_task()]  # others read something too

    with monkeypatch.context() as patch:
        patch.setattr(Store, "find", count)
        names: list[str] = bins.run(look_up)
    assert set(names) == {"Shelf"}
    return len(names)


def words(outcomes: list[Outcome]) -> list[str]:
    """``insert``, ``update``, ``skip``, or the code and field of what is wrong."""
    return [
        f"{found.errors[0].code} {found.errors[0].field}"
        if isinstance(found, Failed)
        else type(found).__name__.lower()
        for found in outcomes
    ]


def row(number: int, intent: Intent = Intent.UPSERT, **values: Any) -> InputRow:
    return InputRow(number, {name: str(value) for name, value in values.items()}, values, intent)


class TestIntents:
    @pytest.mark.parametrize(
        ("intent", "is_there", "expected"),
        [
            (Intent.UPSERT, False, "insert"),
            (Intent.UPSERT, True, "update"),
            (Intent.INSERT, False, "insert"),
            (Intent.INSERT, True, "INTENT refName"),
            (Intent.UPDATE, True, "update"),
            (Intent.UPDATE, False, "INTENT refName"),
            (Intent.SKIP, False, "skip"),
            (Intent.SKIP, True, "skip"),
        ],
    )
    def test_what_a_row_asks_for(self, bins: Stock, intent: Intent, is_there: bool, expected: str) -> None:
        bins.plant({"refName": "b-1" if is_there else "b-2", "title": "Old"})
        assert words(decided(bins, row(1, intent, refName="b-1", title="New"))) == [expected]

    def test_an_unchanged_row_is_no_write_whatever_it_asks(self, bins: Stock) -> None:
        bins.plant({"refName": "b-1", "title": "Same"})
        assert words(decided(bins, row(1, Intent.UPDATE, refName="b-1", title="Same"))) == ["skip"]

    def test_a_row_without_a_name_is_new(self, bins: Stock) -> None:
        """Each of them: the server names its record."""
        rows = [InputRow(number, {}, {"title": "Same"}) for number in (1, 2)]
        assert words(decided(bins, *rows)) == ["insert", "insert"]


class TestOrder:
    def test_outcomes_stand_in_the_order_of_the_rows(self, bins: Stock) -> None:
        bins.plant({"refName": "b-2", "title": "Old"}, {"refName": "b-4", "title": "Same"})
        rows = [
            row(1, refName="b-1", title="New"),
            row(2, refName="b-2", title="New"),
            InputRow(3, {}, {}, errors=(RowError(RowCode.PARSE, "torn"),)),
            row(4, refName="b-4", title="Same"),
            row(5, refName="b-1", title="Again"),
            row(6, Intent.SKIP, refName="b-6"),
        ]
        outcomes = decided(bins, *rows)
        assert words(outcomes) == ["insert", "update", "PARSE None", "skip", "DUPLICATE refName", "skip"]
        assert [found.row for found in outcomes] == rows

    def test_a_name_that_came_in_an_earlier_batch(self, bins: Stock) -> None:
        analysis = Analysis(bins.call(), BIN)
        assert words(bins.run(analysis.decide, [row(1, refName="b-1")])) == ["insert"]
        assert words(bins.run(analysis.decide, [row(2, refName="b-1")])) == ["DUPLICATE refName"]

    def test_the_name_of_a_row_that_is_left_alone_may_come_again(self, bins: Stock) -> None:
        rows = [row(1, Intent.SKIP, refName="b-1"), row(2, refName="b-1")]
        assert words(decided(bins, *rows)) == ["skip", "insert"]

    def test_nothing_is_stored(self, bins: Stock) -> None:
        decided(bins, row(1, refName="b-1", title="New"))
        assert bins.bins() == {}

    def test_no_rows(self, bins: Stock) -> None:
        assert decided(bins) == []


class TestScope:
    def test_records_of_another_tenant_are_others(self, bins: Stock) -> None:
        bins.plant({"refName": "b-1", "title": "Theirs"}, tenant="globex")
        assert words(decided(bins, row(1, refName="b-1", title="Mine"))) == ["insert"]

    def test_a_reference_is_found_by_name_in_the_callers_tenant(self, bins: Stock) -> None:
        columns = "refName,shelf.entityRefName"
        known, unknown = decided(bins, *bins.rows(columns, "b-1,room-a1", "b-2,room-a9"))
        assert isinstance(known, Insert)
        assert known.change.after is not None
        shelf = bins.documents["shelves"].find_one({"refName": "room-a1", "dataDomain.tenantId": "acme"})
        assert shelf is not None
        assert known.change.after["shelf"]["entityId"] == shelf["_id"]
        assert isinstance(unknown, Failed)
        assert (unknown.errors[0].code, unknown.errors[0].suggestion) == (RowCode.REFERENCE, "room-a1")

    def test_an_operator_looks_names_up_in_the_tenants_of_their_rows(
        self, bins: Stock, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Few commands look for all names in all tenants, each of which has some of them."""
        some = {f"t{number}": [f"own-{number}", *["shared"] * (number % 2)] for number in range(200)}
        for tenant, names in some.items():
            bins.plant(*({"refName": name} for name in names), tenant=tenant, collection="shelves")
        lines = [
            f"b-{tenant}-{name},{tenant},{name}"
            for tenant in some
            for name in ("shared", f"own-{tenant[1:]}", "own-7")
        ]
        rows, targets = bins.rows(SHELVED, *lines), Targets(bins.call("system"), BIN)
        assert count_finds(bins, monkeypatch, targets, rows) == 12
        shelves = {
            (shelf["dataDomain"]["tenantId"], shelf["refName"]): shelf["_id"]
            for shelf in bins.documents["shelves"].find({"dataDomain.tenantId": {"$in": list(some)}})
        }
        bins.documents["shelves"].delete_many({"dataDomain.tenantId": {"$in": list(some)}})
        for row in rows:
            change = fold_references(BIN, row.values)
            name = change["shelf"]["entityRefName"]
            tenant = row.values["dataDomain.tenantId"]
            missing = targets.fill(row, change)
            assert bool(missing) is (name not in some[tenant])
            assert missing or change["shelf"] == {"entityId": shelves[tenant, name]}

    def test_an_operator_looks_the_names_of_one_tenant_up_together(
        self, bins: Stock, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        lines = [f"b-{number},acme,shelf-{number}" for number in range(500)]
        rows, targets = bins.rows(SHELVED, *lines), Targets(bins.call("system"), BIN)
        assert count_finds(bins, monkeypatch, targets, rows) == 1

    def test_who_may_do_nothing_is_refused(self, bins: Stock) -> None:
        call = bins.call()
        require_import_permission(call, BIN)
        with pytest.raises(Denied):
            require_import_permission(bins.call_by(RuleSet(())), BIN)


THERE = ({"refName": "b-1", "code": "A"}, {"refName": "b-2", "code": "B"}, {"refName": "b-3", "title": "x"})
UNIQUE_CODES: dict[str, tuple[list[list[InputRow]], list[str]]] = {
    "of a stored record": ([[row(1, refName="n-1", code="A"), row(2, refName="n-2", code="C")]], ["DUPLICATE code", "insert"]),
    "of a changed record": ([[row(1, refName="b-3", code="A")]], ["DUPLICATE code"]),
    "of the record itself": ([[row(1, refName="b-1", code="A", title="New")]], ["update"]),
    "of a row before": ([[row(1, refName="n-1", code="C"), row(2, refName="n-2", code="C")]], ["insert", "DUPLICATE code"]),
    "of a row of an earlier batch": ([[row(1, refName="n-1", code="C")], [row(2, code="C")]], ["insert", "DUPLICATE code"]),
    "of a row before that failed": ([[row(1, Intent.UPDATE, refName="n-1", code="C"), row(2, refName="n-2", code="C")]], ["INTENT refName", "insert"]),
    "given away before": ([[row(1, refName="b-1", code="C")], [row(2, refName="n-1", code="A"), row(3, refName="n-2", code="A")]], ["update", "insert", "DUPLICATE code"]),
    "cleared before": ([[row(1, refName="b-1", code=None), row(2, refName="n-1", code="A")]], ["update", "insert"]),
    "given away behind it": ([[row(1, refName="n-1", code="A"), row(2, refName="b-1", code="C"), row(3, refName="n-2", code="A")]], ["DUPLICATE code", "update", "insert"]),
    "kept by a row that fails": ([[row(1, refName="b-1", code="B"), row(2, refName="n-1", code="A")], [row(3, refName="n-2", code="A")]], ["DUPLICATE code"] * 3),
    "kept by rows that fail for each other": ([[row(1, refName="b-1", code="B"), row(2, refName="b-2", code="A")]], ["DUPLICATE code"] * 2),
    "none": ([[row(1, refName="n-1"), row(2, refName="n-2"), row(3, refName="n-3", code=None)]], ["insert"] * 3),
    "that is an empty text": ([[row(1, refName="n-1", code="")], [row(2, refName="n-2", code="")]], ["insert", "DUPLICATE code"]),
    "of a name that is free again": ([[row(1, refName="n-1", code="A"), row(2, refName="n-1", code="C")]], ["DUPLICATE code", "insert"]),
}  # fmt: skip


class TestUniqueValues:
    """A session stores nothing yet, so its analysis looks for the records that have the values already."""

    @pytest.mark.parametrize(("batches", "expected"), UNIQUE_CODES.values(), ids=UNIQUE_CODES)
    def test_a_value(self, bins: Stock, batches: list[list[InputRow]], expected: list[str]) -> None:
        bins.plant(*THERE)
        before = bins.bins()
        analysis = Analysis(bins.call(), BIN, is_stored=False)
        found: list[Outcome] = []
        for batch in batches:
            outcomes = bins.run(analysis.decide, batch)
            while outcomes:
                outcomes, through = bins.run(analysis.follow, outcomes, outcomes)
                found += through
        assert words(sorted(found, key=lambda one: one.row.number)) == expected
        assert bins.bins() == before

    def test_of_another_tenant_is_not_the_same(self, bins: Stock) -> None:
        bins.plant({"refName": "b-1", "code": "A"}, tenant="globex")
        analysis = Analysis(bins.call(), BIN, is_stored=False)
        assert words(bins.run(analysis.decide, [row(1, refName="n-1", code="A")])) == ["insert"]

    def test_that_a_rule_withholds_is_not_looked_for(self, bins: Stock) -> None:
        """Whether a value exists would reveal it."""
        bins.plant(*THERE)
        rules = RuleSet([Rule("codes are withheld", hidden=frozenset({"code"}))])
        analysis = Analysis(bins.call_by(rules), BIN, is_stored=False)
        assert words(bins.run(analysis.decide, [row(1, refName="n-1", code="A")])) == ["insert"]


class TestFailedRows:
    """A row with an error is looked at further, so that a file is corrected once."""

    KIND = replace(BIN, constraints=(Constraint("count:null || price:>##5", "counted bins have a price"),))

    @pytest.mark.parametrize(
        ("withheld", "price", "expected"),
        [
            (set(), "3", ["PARSE ratio", "VALIDATION count"]),
            (set(), "9", ["PARSE ratio"]),
            ({"price"}, "3", ["PARSE ratio"]),
            ({"price"}, "9", ["PARSE ratio"]),
        ],
    )
    def test_reveal_no_withheld_field(
        self, bins: Stock, withheld: set[str], price: str, expected: list[str]
    ) -> None:
        """A row that has no error cannot change what is checked together with a withheld field."""
        bins.plant({"refName": "b-1", "price": Decimal128(price)})
        call = bins.call_by(RuleSet([Rule("withheld", hidden=frozenset(withheld))]))
        failing = row(1, refName="b-1", count=1)._replace(
            errors=(RowError(RowCode.PARSE, "no number", "ratio"),)
        )
        found = bins.run(Analysis(call, self.KIND).decide, [failing])
        assert [f"{one.code} {one.field}" for one in found[0].errors] == expected


PLACE = replace(
    BIN,
    indexes=(
        Index((("title", 1), ("count", -1)), unique=True),
        Index((("price", 1), ("active", 1), ("ratio", 1)), unique=True),
        Index((("title", 1), ("secret", 1)), unique=True),
        Index((("title", 1), ("ratio", 1))),
        Index((("tags", 1), ("ratio", 1)), unique=True),
    ),
)
"""Bins of which no two may have the same title and count, nor the same price, ratio and being active."""

PLACES = (
    {"refName": "b-1", "title": "A", "count": 1, "secret": "s"},
    {"refName": "b-2", "title": "B", "count": 2},
    {"refName": "b-3", "price": Decimal128("1.50"), "active": True, "ratio": 2.0},
    {"refName": "b-4", "title": "N", "count": 7.0},
    {"refName": "b-5", "price": 3, "active": True, "ratio": -0.0},
)
UNIQUE_TOGETHER: dict[str, tuple[list[list[InputRow]], list[str]]] = {
    "of a stored record": ([[row(1, refName="n-1", title="A", count=1)]], ["DUPLICATE title"]),
    "only in part": ([[row(1, refName="n-1", title="A", count=2), row(2, refName="n-2", title="A"), row(3, refName="n-3", count=1)]], ["insert"] * 3),
    "of a changed record": ([[row(1, refName="b-1", title="B", count=2)]], ["DUPLICATE title"]),
    "of a record of which one field changes": ([[row(1, refName="n-1", title="A", count=2), row(2, refName="b-1", count=2)]], ["insert", "DUPLICATE title"]),
    "of the record itself": ([[row(1, refName="b-1", title="A", count=1, code="C")]], ["update"]),
    "of a row before": ([[row(1, refName="n-1", title="C", count=1), row(2, refName="n-2", title="C", count=1)]], ["insert", "DUPLICATE title"]),
    "of a row of an earlier batch": ([[row(1, refName="n-1", title="C", count=1)], [row(2, title="C", count=1)]], ["insert", "DUPLICATE title"]),
    "given away before": ([[row(1, refName="b-1", count=5)], [row(2, refName="n-1", title="A", count=1)]], ["update", "insert"]),
    "cleared before": ([[row(1, refName="b-1", count=None), row(2, refName="n-1", title="A", count=1)]], ["update", "insert"]),
    "of numbers that are written in another way": ([[InputRow(1, {}, {"price": "1.5", "active": True, "ratio": 2})]], ["DUPLICATE price"]),
    "of numbers that were stored as another type": ([[InputRow(1, {}, {"title": "N", "count": 7}), InputRow(2, {}, {"price": "3", "active": True, "ratio": 0})]], ["DUPLICATE title", "DUPLICATE price"]),
    "of other numbers": ([[InputRow(1, {}, {"price": "1.5", "active": False, "ratio": 2})]], ["insert"]),
    "with a field that nobody sees": ([[row(1, refName="n-1", title="A", secret="s")]], ["insert"]),
    "of an index that is not unique": ([[row(1, title="A", ratio=1), row(2, title="A", ratio=1)]], ["insert"] * 2),
    "of a list": ([[InputRow(at, {}, {"tags": ["t"], "ratio": 1}) for at in (1, 2)]], ["insert"] * 2),
}  # fmt: skip
"""Values that an index over several fields allows one record only."""


class TestUniqueTogether:
    @pytest.mark.parametrize(("batches", "expected"), UNIQUE_TOGETHER.values(), ids=UNIQUE_TOGETHER)
    def test_values(self, bins: Stock, batches: list[list[InputRow]], expected: list[str]) -> None:
        bins.plant(*PLACES)
        analysis = Analysis(bins.call(), PLACE, is_stored=False)
        found = [one for batch in batches for one in bins.run(analysis.decide, batch)]
        assert words(found) == expected

    def test_the_finding_names_all_fields(self, bins: Stock) -> None:
        bins.plant(*PLACES)
        analysis = Analysis(bins.call(), PLACE, is_stored=False)
        (found,) = bins.run(analysis.decide, [row(1, refName="n-1", title="A", count=1)])
        assert found.errors[0].message == "another Bin has the title A, count 1"

    def test_one_of_which_a_rule_withholds_is_not_looked_for(self, bins: Stock) -> None:
        bins.plant(*PLACES)
        rules = RuleSet([Rule("counts are withheld", hidden=frozenset({"count"}))])
        analysis = Analysis(bins.call_by(rules), PLACE, is_stored=False)
        assert words(bins.run(analysis.decide, [row(1, refName="n-1", title="A", count=1)])) == ["insert"]

    def test_long_values_are_looked_for_a_part_at_a_time(self, bins: Stock) -> None:
        """A command of the store has at most 16 MiB; these titles, which the rows keep, have more."""
        titles = [f"{number}{'漢' * 1_000_000}" for number in range(6)]
        bins.plant(*({"refName": f"b-{title[0]}", "title": title, "count": 1} for title in titles))
        bins.plant({"refName": "b-9", "title": titles[5], "count": 2})
        analysis = Analysis(bins.call(), PLACE, is_stored=False)
        found = bins.run(analysis.decide, [row(at, refName=f"b-{at}", count=2) for at in range(6)])
        assert words(found) == [*(["update"] * 5), "DUPLICATE title"]

    def test_of_another_tenant_are_not_the_same(self, bins: Stock) -> None:
        bins.plant(*PLACES, tenant="globex")
        analysis = Analysis(bins.call(), PLACE, is_stored=False)
        assert words(bins.run(analysis.decide, [row(1, title="A", count=1)])) == ["insert"]


def stored(**fields: Any) -> Document:
    return {"refName": "b-1", **fields}


EMPTY_CELLS: dict[str, tuple[Document, str, str, Document | None]] = {
    "an empty text": ({"title": ""}, "title", "", None),
    "a null": ({"title": None}, "title", "", None),
    "nothing": ({}, "title", "", None),
    "a text": ({"title": "x"}, "title", "", {"title": None}),
    "an empty text in an object": ({"size": {"unit": "", "height": 1.5}}, "size.unit,size.height", ",1.5", None),
    "an empty list": ({"tags": []}, "tags", "", None),
    "a list": ({"tags": ["a"]}, "tags", "", {"tags": None}),
    "an empty text beside a change": ({"title": "", "count": 1}, "title,count", ",2", {"title": "", "count": 2}),
    "an empty attribute": (
        {"dynamicAttributes": {"all": {"text": {"type": "String", "value": ""}}}}, "dynamicAttributes.all.text", "", None,
    ),
}  # fmt: skip
"""What is stored, the columns and cells of its row, and what is stored afterwards where that differs."""


@pytest.mark.parametrize(("before", "columns", "cells", "after"), EMPTY_CELLS.values(), ids=EMPTY_CELLS)
def test_an_empty_cell_clears_what_is_not_empty(
    bins: Stock, before: Document, columns: str, cells: str, after: Document | None
) -> None:
    bins.plant(stored(**before))
    (found,) = decided(bins, *bins.rows(f"refName,{columns}", f"b-1,{cells}"))
    if after is None:
        assert isinstance(found, Skip)
        return
    assert isinstance(found, Update)
    assert found.change.after is not None
    assert {name: found.change.after.get(name) for name in after} == after


NUMBER = "dynamicAttributes.all.n"


def attribute(kind: str, value: Any) -> Document:
    """A record's dynamic attribute of this type."""
    return {"dynamicAttributes": {"all": {"n": {"type": kind, "value": value}}}}


UNCHANGED: dict[str, tuple[Document, str, str]] = {
    "a number": ({"count": 5}, "count", "5"),
    "a number with a fraction of nothing": ({"ratio": 2.0}, "ratio", "2"),
    "a boolean": ({"active": True}, "active", "true"),
    "a list": ({"tags": ["a", ""]}, "tags", '"[""a"",""""]"'),
    "members in another order": ({"labels": {"a": "1", "b": "2"}}, "labels", '"{""b"":""2"",""a"":""1""}"'),
    "free-form values": ({"extra": {"deep": [1, True, None]}}, "extra", '"{""deep"":[1,true,null]}"'),
    "an attribute": (attribute("Integer", 5), NUMBER, "5"),
    "an attribute that looks like another type": (attribute("String", "5"), NUMBER, "5"),
    "several choices": (attribute("MultiSelect", ["a", "b"]), NUMBER, '"[""a"",""b""]"'),
    "an object as an attribute": (attribute("Object", {"a": 1}), NUMBER, '"{""a"":1}"'),
}  # fmt: skip


@pytest.mark.parametrize(("before", "columns", "cells"), UNCHANGED.values(), ids=UNCHANGED)
def test_a_record_that_is_as_its_row_is_no_write(
    bins: Stock, before: Document, columns: str, cells: str
) -> None:
    bins.plant(stored(**before))
    assert words(decided(bins, *bins.rows(f"refName,{columns}", f"b-1,{cells}"))) == ["skip"]


CHANGED: dict[str, tuple[Document, str, str, Document]] = {
    "a boolean for a number": ({"extra": 1}, "extra", "true", {"extra": True}),
    "a number for a boolean": ({"extra": {"a": True}}, "extra", '"{""a"":1}"', {"extra": {"a": 1}}),
    "one member less": (
        {"labels": {"a": "1", "b": "2"}}, "labels", '"{""a"":""1""}"', {"labels": {"a": "1"}},
    ),
    "one member of an object less": (
        {"size": {"unit": "cm", "height": 2.5}}, "size", '"{""unit"":""cm""}"', {"size": {"unit": "cm"}},
    ),
    "items in another order": ({"tags": ["a", "b"]}, "tags", '"[""b"",""a""]"', {"tags": ["b", "a"]}),
    "one item less": ({"tags": ["a", "b"]}, "tags", '"[""a""]"', {"tags": ["a"]}),
    "other choices": (
        attribute("MultiSelect", ["a", "b"]), NUMBER, '"[""a"",""c""]"', attribute("MultiSelect", ["a", "c"]),
    ),
    "an attribute by the type it has": (attribute("String", "x"), NUMBER, "7", attribute("String", "7")),
    "a new attribute by what it looks like": ({}, NUMBER, "7", attribute("Integer", 7)),
    "an object as an attribute": (
        attribute("Object", {"a": 1}), NUMBER, '"{""a"":2}"', attribute("Object", {"a": 2}),
    ),
    "only one member of an object": (
        {"size": {"unit": "cm", "height": 2.5}}, "size.unit", "m", {"size": {"unit": "m", "height": 2.5}},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("before", "columns", "cells", "after"), CHANGED.values(), ids=CHANGED)
def test_what_a_row_changes(bins: Stock, before: Document, columns: str, cells: str, after: Document) -> None:
    bins.plant(stored(**before))
    (found,) = decided(bins, *bins.rows(f"refName,{columns}", f"b-1,{cells}"))
    assert isinstance(found, Update)
    assert found.change.after is not None
    assert repr({name: found.change.after.get(name) for name in after}) == repr(after)


@pytest.mark.parametrize(
    ("kind", "cell"), [("Integer", "many"), ("Object", "text"), ("Date", "2026-02-30"), ("MultiSelect", "[a")]
)
def test_an_attribute_whose_type_cannot_read_its_cell(bins: Stock, kind: str, cell: str) -> None:
    bins.plant(stored(**attribute(kind, None)))
    (found,) = decided(bins, *bins.rows(f"refName,{NUMBER}", f"b-1,{cell}"))
    assert isinstance(found, Failed)
    assert (found.errors[0].code, found.errors[0].field, found.errors[0].value) == (
        RowCode.PARSE,
        NUMBER,
        cell,
    )


ITEMS: dict[str, tuple[list[Any], list[str], list[Any] | None]] = {
    "the same": ([{"sku": "a", "note": "x"}, {"sku": "b"}], ["a,x", "b,"], None),
    "an empty text inside": ([{"sku": "a", "note": ""}], ["a,"], None),
    "an item of nothing but empty texts": ([{"sku": "a"}, {"sku": "", "note": ""}, {"sku": "c"}], ["a,", ",", "c,"], None),
    "a record without items": ([], [","], None),
    "one item more": ([{"sku": "a", "note": ""}], ["a,", "b,y"], [{"sku": "a", "note": ""}, {"sku": "b", "note": "y"}]),
    "one item less": ([{"sku": "a"}, {"sku": "b"}], ["a,"], [{"sku": "a"}]),
    "a text that is cleared": ([{"sku": "a", "note": "x"}], ["a,"], [{"sku": "a"}]),
    "an empty row where there is an item": ([{"sku": "a"}, {"sku": "b"}], ["a,", ","], [{"sku": "a"}]),
    "all of them gone": ([{"sku": "a"}], [","], []),
}  # fmt: skip
"""The stored list, its rows, and the list afterwards where that differs."""


@pytest.mark.parametrize(("before", "cells", "after"), ITEMS.values(), ids=ITEMS)
def test_a_list_by_its_items(
    bins: Stock, before: list[Any], cells: list[str], after: list[Any] | None
) -> None:
    bins.plant(stored(parts=before))
    lines = (f"b-1,{cell}" for cell in cells)
    (found,) = decided(bins, *bins.rows("refName,parts[0].sku,parts[0].note", *lines))
    if after is None:
        assert isinstance(found, Skip)
        return
    assert isinstance(found, Update)
    assert found.change.after is not None
    assert found.change.after.get("parts", []) == after


class TestPlan:
    def test_decides_as_the_store_is_now(self, bins: Stock) -> None:
        rows = bins.rows(COLUMNS, "b-1,One,1")
        targets = Targets(bins.call(), BIN)
        assert words(bins.run(plan, bins.call(), BIN, rows, targets)) == ["insert"]
        bins.plant({"refName": "b-1", "title": "Other"})
        assert words(bins.run(plan, bins.call(), BIN, rows, targets)) == ["update"]
        bins.documents["bins"].update_one({"refName": "b-1"}, {"$set": {"title": "One", "count": 1}})
        assert words(bins.run(plan, bins.call(), BIN, rows, targets)) == ["skip"]

    def test_others_in_the_worker_go_on_while_rows_are_compared(self, bins: Stock) -> None:
        rows = [row(number, Intent.UPDATE, refName=f"b-{number}") for number in range(1, 401)]
        call = bins.call()

        async def compare() -> int:
            nothing = Existing({}, frozenset())
            task = asyncio.create_task(plan(call, BIN, rows, Targets(call, BIN), nothing))
            turns = 0
            while not task.done():
                turns += 1
                await asyncio.sleep(0)
            assert words(task.result()) == ["INTENT refName"] * 400
            return turns

        assert bins.run(compare) >= 8

    def test_keeps_what_the_file_does_not_name(self, bins: Stock) -> None:
        kept = {"secret": "s", "tags": ["t"], "shelf": None, "extra": {"a": ""}}
        bins.plant(stored(title="Old", **kept))
        (found,) = decided(bins, *bins.rows("refName,title", "b-1,New"))
        assert isinstance(found, Update)
        assert found.change.after is not None
        assert found.change.keep == {"secret"}
        assert (found.change.after["tags"], found.change.after["extra"]) == (["t"], {"a": ""})
        assert found.change.after["version"] == 2

    def test_a_version_that_is_not_the_stored_one(self, bins: Stock) -> None:
        bins.plant(stored(title="Old", version=3))
        columns = "refName,version,title"
        outcomes = decided(bins, *bins.rows(columns, "b-1,2,New"))
        assert words(outcomes) == ["DB None"]
        assert words(decided(bins, *bins.rows(columns, "b-1,3,New"))) == ["update"]

    def test_what_the_server_keeps_is_not_taken_from_the_file(self, bins: Stock) -> None:
        bins.plant(stored(title="Old"))
        columns = "refName,id,auditInfo.createdBy"
        assert words(decided(bins, *bins.rows(columns, f"b-1,{'0' * 24},eve"))) == ["skip"]
