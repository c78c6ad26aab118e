"""The store on the real MongoDB: the scope is part of every command, hidden fields never come out.

Every row of ``FOREIGN`` is one public method, aimed at a record of somebody else: nothing may be found,
nothing may change. The same rows aimed at an own record are the control that they can do something.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from unittest.mock import patch

import bson
import pytest
from bson import Decimal128, Int64, ObjectId
from pymongo import MongoClient

from runtime.admission import AdaptiveLimit
from runtime.errors import Denied, Duplicate, TooLarge
from runtime.fast.flat_columns import FlatColumn
from runtime.fast.wire_rows import WireRows
from runtime.filter import EVERYTHING, Predicate, Projection, by_id, by_ids, equals
from runtime.model.catalog import Catalog
from runtime.principal import DomainScope
from runtime.spelling import Spelling, Step
from runtime.spelling.texts import Replace
from runtime.storage.access import Access, Action
from runtime.storage.as_service import as_service
from runtime.storage.indexes import apply_indexes
from runtime.storage.store import (
    Changes,
    Function,
    Grouping,
    Key,
    Links,
    Measure,
    Opposed,
    Provided,
    Replacement,
    Store,
)
from runtime.storage.wire import to_json

from .conftest import NOTE, WIDGET, AccessTo, Document, stored_widget

pytestmark = pytest.mark.anyio

Method = Callable[[Store, Access, Predicate, Document], Awaitable[Any]]


@dataclass(frozen=True)
class Row:
    """A method, what it answers when it reaches nothing, and when it reaches one record."""

    method: str
    call: Method
    nothing: Any
    something: Callable[[Any], bool]


def _replaced(document: Document) -> Document:
    return {**document, "title": "changed"}


async def explained(store: Store, access: Access, match: Predicate) -> bool:
    """Nothing of any record: the same for every scope."""
    return (await store.explain(access, match)).sorts


async def streamed(
    store: Store, access: Access, match: Predicate, projection: Projection | None = None
) -> list[list[Document]]:
    async with aclosing(await store.stream(access, match, projection=projection)) as batches:
        return [batch async for batch in batches]


async def read_past(store: Store, access: Access, *, is_whole: bool) -> list[Document]:
    async with store.open_snapshot() as snapshot:
        batches = snapshot.read_whole(access) if is_whole else snapshot.read_shown(access)
        return [one async for batch in batches for one in bson.decode_all(batch)]


async def on_marked(store: Store, access: Access, work: Callable[[], Awaitable[Any]]) -> Any:
    """Work on a record that is stored in the shape of now, and is not afterwards."""
    await store.rewrite_range(_all(access), SPELLING, None, LAST_ID, 1)
    done = await work()
    await store.withdraw_range(_all(access), SPELLING, None, LAST_ID)
    return done


def _links(access: Access, match: Predicate) -> Links:
    """Each document leads to itself."""
    return Links(access, match, "_id", 5)


async def stands_against(store: Store, access: Access, match: Predicate) -> bool:
    """Whether a record that is found in scope leaves others without an answer."""
    try:
        await store.find_linked(_all(access), Provided(match, 5, unless=(access, match)), match)
    except Opposed:
        return True
    return False


def _all(access: Access) -> Access:
    """What the system may access: the records of all scopes."""
    return replace(access, domain=DomainScope(), rules=EVERYTHING)


def _is_linked(found: Any) -> bool:
    return [row["title"] for row in found.rows] == ["old"] and "apiToken" not in found.rows[0]


TITLE = Changes(set={"title": "changed"})

REACHING = [
    Row("find", lambda s, a, m, _d: s.find(a, m), [], lambda found: len(found) == 1),
    Row(
        "find_page",
        lambda s, a, m, _d: s.find_page(a, [m], order=[("_id", 1)], limit=5),
        ([], False),
        lambda found: [row["title"] for row in found.rows] == ["old"],
    ),
    Row(
        "find_page",
        lambda s, a, m, _d: s.find_page(a, [m, equals(title="other"), m], order=[("_id", 1)], limit=5),
        ([], False),
        lambda found: [row["title"] for row in found.rows] == ["old", "old"],
    ),
    Row(
        "find_page",
        lambda s, a, m, _d: s.find_page(a, [m], order=[("_id", 1)], limit=5, wire=WireRows()),
        ([], False),
        lambda found: [row["title"] for row in found.rows] == ["old"],
    ),
    Row(
        "find_encoded",
        lambda s, a, m, _d: s.find_encoded(a, m, limit=5),
        ([], False),
        lambda found: [row["title"] for row in found.rows] == ["old"],
    ),
    Row(
        "stream",
        lambda s, a, m, _d: streamed(s, a, m),
        [],
        lambda found: [[row["title"] for row in batch] for batch in found] == [["old"]],
    ),
    Row("find_one", lambda s, a, m, _d: s.find_one(a, m), None, lambda found: found["title"] == "old"),
    Row(
        "find_across",
        lambda s, a, m, _d: s.find_across(a, m, [(a, m)], Projection()),
        [[], []],
        lambda found: [len(rows) for rows in found] == [1, 1] and found[0] == found[1],
    ),
    Row("find_linked", lambda s, a, m, _d: s.find_linked(a, _links(a, m), m), ([], None), _is_linked),
    Row("find_linked", lambda s, a, m, _d: s.find_linked(a, _links(_all(a), m), m), ([], None), _is_linked),
    Row("find_linked", lambda s, a, m, _d: s.find_linked(_all(a), _links(a, m), m), ([], None), _is_linked),
    Row("find_linked", lambda s, a, m, _d: s.find_linked(a, Provided(m, 5), m), ([], None), _is_linked),
    Row(
        "find_linked",
        lambda s, a, m, _d: s.find_linked(_all(a), Provided(m, 5, given=(a, m)), m),
        ([], None),
        _is_linked,
    ),
    Row(
        "find_linked",
        lambda s, a, m, _d: stands_against(s, a, m),
        False,
        lambda stands: stands is True,
    ),
    Row("explain", lambda s, a, m, _d: explained(s, a, m), False, lambda sorts: sorts is False),
    Row("count", lambda s, a, m, _d: s.count(a, m), 0, lambda number: number == 1),
    Row(
        "group",
        lambda s, a, m, _d: s.group(a, m, Grouping((Key("title"),), (Measure(Function.COUNT),), limit=5)),
        [],
        lambda groups: [(one["k0"], one["m0"]) for one in groups] == [("old", 1)],
    ),
    Row("replace", lambda s, a, m, d: s.replace(a, m, _replaced(d)), False, lambda done: done is True),
    Row(
        "replace",
        lambda s, a, m, d: s.replace(a, m, _replaced(d), keep={"apiToken"}),
        False,
        lambda done: done is True,
    ),
    Row(
        "replace",
        lambda s, a, m, d: s.replace(a, m, _replaced(d), keep={"apiToken"}, before=d),
        False,
        lambda done: done is True,
    ),
    Row(
        "update_one",
        lambda s, a, m, _d: s.update_one(a, m, TITLE),
        None,
        lambda found: found["title"] == "changed",
    ),
    Row(
        "replace_many",
        lambda s, a, _m, d: s.replace_many(a, [Replacement(_replaced(d), 1)]),
        (0, {}),
        lambda done: done == (1, {}),
    ),
    Row(
        "replace_many",
        lambda s, a, _m, d: s.replace_many(a, [Replacement(_replaced(d), 1, {"apiToken"})]),
        (0, {}),
        lambda done: done == (1, {}),
    ),
    Row(
        "replace_many",
        lambda s, a, _m, d: s.replace_many(a, [Replacement(_replaced(d), 1, {"apiToken"}, d)]),
        (0, {}),
        lambda done: done == (1, {}),
    ),
    Row(
        "replace_across",
        lambda s, a, _m, d: s.replace_across(a, Replacement(_replaced(d), 1, {"apiToken"}, d), []),
        0,
        lambda done: done == 1,
    ),
    Row("update_many", lambda s, a, m, _d: s.update_many(a, m, TITLE), 0, lambda number: number == 1),
    Row("update_each", lambda s, a, m, _d: s.update_each(a, [(m, TITLE)]), 0, lambda number: number == 1),
    Row("delete_one", lambda s, a, m, _d: s.delete_one(a, m), False, lambda done: done is True),
    Row("delete_many", lambda s, a, m, _d: s.delete_many(a, m), 0, lambda number: number == 1),
]
SPELLING = Spelling(2, (Step("title", ("title",), operation=Replace({"old": "changed"})),))
NO_ID, LAST_ID = ObjectId("0" * 24), ObjectId("f" * 24)
REACHING += [
    Row("find_range_end", lambda s, a, _m, _d: s.find_range_end(a, NO_ID, 5), None, lambda found: found is not None),
    Row("rewrite_range", lambda s, a, _m, _d: s.rewrite_range(a, SPELLING, None, LAST_ID, 1), 0, lambda number: number == 1),
    Row("read_digest", lambda s, a, _m, _d: s.read_digest(a, SPELLING, None, LAST_ID, 2), (0, 0, None),
        lambda found: found.records == 1),
    Row("withdraw_range", lambda s, a, _m, _d: on_marked(s, a, lambda: s.withdraw_range(a, SPELLING, None, LAST_ID)), 0, lambda number: number == 1),
    Row("find_marked", lambda s, a, _m, _d: on_marked(s, a, lambda: s.find_marked(a, SPELLING)), False, bool),
    Row("count_unmoved", lambda s, a, _m, _d: s.count_unmoved(a, SPELLING, None, LAST_ID), 0, lambda number: number == 1),
    Row("count_lost", lambda s, a, _m, _d: s.count_lost(a, SPELLING, Spelling(2), (None, LAST_ID)), 0, lambda number: number == 1),
    Row("count_holding", lambda s, a, _m, _d: s.count_holding(a, "title", (None, LAST_ID)), 0, lambda number: number == 1),
    Row("sample_holding", lambda s, a, _m, _d: s.sample_holding(a, "title", (None, LAST_ID), 2), [],
        lambda found: [one["value"] for one in found] == ["old"]),
    Row("remove_range", lambda s, a, _m, _d: s.remove_range(a, "title", None, LAST_ID), 0, lambda number: number == 1),
    Row("count_all", lambda s, a, _m, _d: s.count_all(a), 0, lambda number: number == 1),
    Row("remove_some", lambda s, a, _m, _d: s.remove_some(a), 0, lambda number: number == 1),
    Row("open_snapshot", lambda s, a, _m, _d: read_past(s, a, is_whole=True), [],
        lambda found: [one["title"] for one in found] == ["old"]),
    Row("open_snapshot", lambda s, a, _m, _d: read_past(s, a, is_whole=False), [],
        lambda found: found[0]["title"] == "old" and "apiToken" not in found[0]),
    Row("sample_unmoved", lambda s, a, _m, _d: s.sample_unmoved(a, SPELLING, (None, LAST_ID), 2), [],
        lambda found: [one["after"] for one in found] == [{"title": "changed"}]),
]  # fmt: skip
INSERTING = {"insert", "insert_across", "insert_many", "insert_encoded"}
WITHOUT_ACCESS = {
    *("ping", "close", "bare_database", "follow", "feed", "read_time", "transact", "run_after_storing"),
    *("resolve", "count_connections", "count_served", "read_clock"),
    "list_collections",  # names alone
    "takes_several_commands",  # sends none
    "read_past",  # what it reads is shown to holders of an access alone (test_feed.py)
    *(
        "take_turns",
        "busy_line",
        "is_traced",
        "check_before_changing",
        "check_before_writing",
        "check_before_searching",
    ),
}

FOREIGN_SCOPES = {
    "another tenant": ({"tenantId": "globex"}, {}),
    "another organisation": ({"tenantId": "acme", "orgRefName": "north"}, {"org_ref_name": "south"}),
    "another account": ({"tenantId": "acme", "accountId": "A-1"}, {"account_id": "A-2"}),
    "another data segment": ({"tenantId": "acme", "dataSegment": 1}, {"data_segment": 0}),
    "no organisation at all": ({"tenantId": "acme"}, {"org_ref_name": "south"}),
}


def test_the_table_names_every_method_of_the_store() -> None:
    public = {name for name, _ in inspect.getmembers(Store, inspect.isfunction) if not name.startswith("_")}
    assert public == {row.method for row in REACHING} | INSERTING | WITHOUT_ACCESS


@pytest.mark.parametrize("row", REACHING, ids=lambda row: row.method)
async def test_a_record_outside_the_scope_is_out_of_reach(
    row: Row, store: Store, access_to: AccessTo, mongo_client: MongoClient[Document], realm: str
) -> None:
    behind = mongo_client[realm]["widgets"]
    for case, (domain, scope) in FOREIGN_SCOPES.items():
        foreign = stored_widget(dataDomain=domain, title="old")
        behind.insert_one(foreign)
        sent = {**foreign, "dataDomain": {"tenantId": "acme", **_as_domain(scope)}}

        for match in (by_id(str(foreign["_id"])), equals(title="old"), EVERYTHING):
            assert await row.call(store, access_to(**scope), match, sent) == row.nothing, case

        assert behind.find_one_and_delete({}) == foreign, case


@pytest.mark.parametrize("row", REACHING, ids=lambda row: row.method)
async def test_a_record_inside_the_scope_is_reached(row: Row, store: Store, access_to: AccessTo) -> None:
    own = stored_widget(title="old")
    await store.insert(access_to(), dict(own))

    assert row.something(await row.call(store, access_to(), by_id(str(own["_id"])), own))


def _as_domain(scope: Document) -> Document:
    wire = {"org_ref_name": "orgRefName", "account_id": "accountId", "data_segment": "dataSegment"}
    return {wire[name]: value for name, value in scope.items()}


@pytest.mark.parametrize("row", REACHING, ids=lambda row: row.method)
async def test_what_rules_take_away_is_out_of_reach(row: Row, store: Store, access_to: AccessTo) -> None:
    own = stored_widget(title="old")
    await store.insert(access_to(), dict(own))
    scoped = access_to()
    ruled = replace(scoped, rules=equals(displayName="new"))
    sent = own | {"displayName": "new"}

    assert await row.call(store, ruled, by_id(str(own["_id"])), sent) == row.nothing


async def test_what_rules_do_not_admit_is_not_stored(store: Store, access_to: AccessTo) -> None:
    """Both sides of a write: the rules look at the new record as well."""
    ruled = replace(access_to(), rules=equals(title="open"))
    open_one, closed = stored_widget(title="open"), stored_widget(title="closed")
    for refused in (
        lambda: store.insert(ruled, dict(closed)),
        lambda: store.replace(ruled, by_id(str(open_one["_id"])), open_one | {"title": "closed"}),
    ):
        with pytest.raises(Denied):
            await refused()
    errors = await store.insert_many(ruled, [dict(open_one), dict(closed)])
    assert [type(error) for error in errors.values()] == [Denied]
    assert [one["title"] for one in await store.find(access_to(), EVERYTHING)] == ["open"]


async def test_no_tenant_in_the_scope_reaches_all_tenants_of_the_realm_only(
    store: Store, access_to: AccessTo, realm: str
) -> None:
    for tenant in ("acme", "globex"):
        await store.insert(access_to(tenant=tenant), stored_widget(tenant))

    assert await store.count(as_service(WIDGET, realm), EVERYTHING) == 2
    assert await store.count(as_service(WIDGET, f"{realm}-other"), EVERYTHING) == 0


async def test_of_several_changed_records_each_lies_in_its_own_scope(
    store: Store, access_to: AccessTo
) -> None:
    """Not in that of another, neither before nor after."""
    own, other = access_to(), access_to(tenant="globex")
    mine, theirs = stored_widget(title="old"), stored_widget("globex", title="old")
    await store.insert_across(own, dict(mine), [(other, dict(theirs))])
    changes = [Replacement(one | {"title": "new"}, 1) for one in (mine, theirs)]
    moved = Replacement(theirs | {"dataDomain": mine["dataDomain"]}, 1)
    assert await store.replace_across(own, changes[0], [(own, moved)]) == 1
    with pytest.raises(Denied):
        await store.replace_across(own, changes[0], [(own, changes[1])])
    with pytest.raises(ValueError, match="one collection"):
        await store.replace_across(own, changes[0], [(replace(other, database="elsewhere"), changes[1])])
    assert await store.replace_across(other, changes[1], []) == 1
    rows = await store.find(access_to(tenant=None), EVERYTHING, order=[("_id", 1)])
    assert [(row["title"], row["dataDomain"]["tenantId"]) for row in rows] == [
        ("new", "acme"), ("new", "globex"),
    ]  # fmt: skip


class TestInsert:
    async def test_outside_the_scope_is_denied_and_stores_nothing(
        self, store: Store, access_to: AccessTo
    ) -> None:
        with pytest.raises(Denied, match="outside what you may write"):
            await store.insert(access_to(), stored_widget("globex"))

        assert await store.count(access_to(tenant=None), EVERYTHING) == 0

    async def test_of_several_none_is_stored_when_one_is_outside_the_scope(
        self, store: Store, access_to: AccessTo
    ) -> None:
        """Each lies in the scope of its own access, not in that of another."""
        own, other = (access_to(), stored_widget()), (access_to(tenant="globex"), stored_widget("globex"))
        for access, document in ((own[0], other[1]), (other[0], stored_widget())):
            with pytest.raises(Denied):
                await store.insert_across(*own, [other, (access, document)])
        with pytest.raises(ValueError, match="one collection"):
            await store.insert_across(*own, [(replace(own[0], database="elsewhere"), stored_widget())])
        assert await store.count(access_to(tenant=None), EVERYTHING) == 0
        await store.insert_across(*own, [other])
        assert await store.count(access_to(tenant=None), EVERYTHING) == 2

    async def test_a_document_without_a_domain_is_denied(self, store: Store, access_to: AccessTo) -> None:
        with pytest.raises(Denied):
            await store.insert(access_to(), {"_id": ObjectId(), "refName": "x"})

    async def test_a_duplicate_names_the_field_and_neither_tenant_nor_hidden_values(
        self, store: Store, access_to: AccessTo, realm: str
    ) -> None:
        await apply_indexes(store, realm, Catalog((WIDGET,)))
        await store.insert(access_to(), stored_widget(refName="LHR", apiToken="s3cret"))

        with pytest.raises(Duplicate) as caught:
            await store.insert(access_to(), stored_widget(refName="LHR", apiToken="s3cret"))

        assert caught.value.message == "another Widget has the refName LHR"
        assert caught.value.details == {"fields": ["refName"]}

    async def test_a_duplicate_shows_values_as_callers_write_them(
        self, store: Store, access_to: AccessTo, realm: str
    ) -> None:
        values = {
            "seenAt": datetime(2026, 3, 27, 4, 12), "title": None, "serial": "", "active": True,
            "price": Decimal128("1E+2"),
        }  # fmt: skip
        keys = [("dataDomain.tenantId", 1), *((path, 1) for path in values)]
        await store.bare_database(realm)["widgets"].create_index(keys, unique=True)
        await store.insert(access_to(), stored_widget(**values))
        with pytest.raises(Duplicate) as caught:
            await store.insert(access_to(), stored_widget(**values))
        shown = "seenAt 2026-03-27T04:12:00.000Z, title null, serial , active true, price 100"
        assert caught.value.message == f"another Widget has the {shown}"

    async def test_a_duplicate_of_a_hidden_unique_field_says_no_value(
        self, store: Store, access_to: AccessTo, realm: str
    ) -> None:
        collection = store.bare_database(realm)["widgets"]
        await collection.create_index([("dataDomain.tenantId", 1), ("apiToken", 1)], unique=True)
        await store.insert(access_to(), stored_widget(apiToken="s3cret"))

        with pytest.raises(Duplicate) as caught:
            await store.insert(access_to(), stored_widget(apiToken="s3cret"))

        assert "s3cret" not in str(caught.value)
        assert "apiToken" not in str(caught.value)
        assert caught.value.details == {"fields": None}

    async def test_another_tenant_may_use_the_same_ref_name(
        self, store: Store, access_to: AccessTo, realm: str
    ) -> None:
        await apply_indexes(store, realm, Catalog((WIDGET,)))
        for tenant in ("acme", "globex"):
            await store.insert(access_to(tenant=tenant), stored_widget(tenant, refName="LHR"))

        assert await store.count(access_to(), equals(refName="LHR")) == 1

    @pytest.mark.parametrize("size", [16 * 2**20 - 200, 17 * 2**20], ids=["a little", "by far"])
    async def test_more_than_the_store_can_keep_is_too_large(
        self, size: int, store: Store, access_to: AccessTo
    ) -> None:
        with pytest.raises(TooLarge, match="16 MiB"):
            await store.insert(access_to(), stored_widget(title="x" * size))


class TestInsertMany:
    async def test_what_can_be_stored_is_and_each_other_has_its_error(
        self, store: Store, access_to: AccessTo, realm: str
    ) -> None:
        await apply_indexes(store, realm, Catalog((WIDGET,)))
        await store.insert(access_to(), stored_widget(refName="taken"))
        batch = [
            stored_widget(refName="one"),
            stored_widget("globex", refName="two"),
            stored_widget(refName="taken"),
            stored_widget(refName="one"),
            stored_widget(refName="five"),
        ]

        errors = await store.insert_many(access_to(), batch)

        assert {at: type(error) for at, error in errors.items()} == {1: Denied, 2: Duplicate, 3: Duplicate}
        assert str(errors[2]) == "another Widget has the refName taken"
        names = {row["refName"] for row in await store.find(access_to(tenant=None), EVERYTHING)}
        assert names == {"taken", "one", "five"}

    @pytest.mark.parametrize("size", [16 * 2**20 - 200, 17 * 2**20], ids=["a little", "by far"])
    async def test_one_too_large_does_not_keep_the_others_out(
        self, size: int, store: Store, access_to: AccessTo, realm: str
    ) -> None:
        await apply_indexes(store, realm, Catalog((WIDGET,)))
        batch = [
            stored_widget(refName="one"),
            stored_widget(refName="two", title="x" * size),
            stored_widget(refName="one"),
            stored_widget(refName="four"),
        ]

        errors = await store.insert_many(access_to(), batch)

        assert {at: type(error) for at, error in errors.items()} == {1: TooLarge, 2: Duplicate}
        assert await store.count(access_to(), EVERYTHING) == 2

    async def test_nothing_but_strangers_reaches_no_server(self, store: Store, access_to: AccessTo) -> None:
        errors = await store.insert_many(access_to(), [stored_widget("globex"), stored_widget("initech")])

        assert [type(error) for error in errors.values()] == [Denied, Denied]

    async def test_an_empty_batch_is_no_error(self, store: Store, access_to: AccessTo) -> None:
        assert await store.insert_many(access_to(), []) == {}


SECRETS = {"apiToken": "s3cret", "profile": {"title": "Dr", "secretMargin": Decimal128("0.25")}}


class TestHidden:
    @pytest.fixture
    async def record_id(self, store: Store, access_to: AccessTo) -> str:
        widget = stored_widget(title="old", **SECRETS)
        await store.insert(access_to(), widget)
        return str(widget["_id"])

    @pytest.mark.parametrize(
        "projection",
        [
            None,
            Projection(),
            Projection(include=("apiToken",), fields=WIDGET.fields),
            Projection(include=("profile.secretMargin",), fields=WIDGET.fields),
            Projection(include=("profile",), fields=WIDGET.fields),
            Projection(include=("profile", "title"), fields=WIDGET.fields),
            Projection(exclude=("title",), fields=WIDGET.fields),
            Projection(exclude=("apiToken",), fields=WIDGET.fields),
            Projection(exclude=("profile",), fields=WIDGET.fields),
            Projection(exclude=("profile.title",), fields=WIDGET.fields),
            Projection(include=("profile",), exclude=("profile.title",), fields=WIDGET.fields),
        ],
        ids=str,
    )
    async def test_no_read_returns_a_hidden_field(
        self, projection: Projection | None, store: Store, access_to: AccessTo, record_id: str
    ) -> None:
        match = by_id(record_id)
        for found in (
            await store.find_one(access_to(), match, projection=projection),
            *await store.find(access_to(), match, projection=projection),
            *(await streamed(store, access_to(), match, projection))[0],
        ):
            assert found is not None
            assert "apiToken" not in found
            assert "secretMargin" not in found.get("profile", {})

    @pytest.mark.parametrize(
        ("paths", "expected"),
        [
            (("title", "apiToken", "profile.secretMargin", "profile.title"), {"0": "old", "3": "Dr"}),
            (("apiToken",), None),
            (("profile.secretMargin", "apiToken"), None),
        ],
        ids=str,
    )
    async def test_no_leaf_of_a_stream_is_hidden(
        self,
        paths: tuple[str, ...],
        expected: Document | None,
        store: Store,
        access_to: AccessTo,
        record_id: str,
    ) -> None:
        """Where none is left, the id alone."""
        shown = Projection(include=paths, fields=WIDGET.fields)
        read = await store.stream(
            access_to(), by_id(record_id), projection=shown, flat=[FlatColumn(path) for path in paths]
        )

        async with aclosing(read) as batches:
            found = [row async for batch in batches for row in batch]

        assert found == [expected or {"_id": ObjectId(record_id)}]

    @pytest.mark.parametrize("path", ["owner", "ownerId", "$title", "profile"], ids=str)
    async def test_a_leaf_that_the_projection_does_not_show_is_none(
        self, path: str, store: Store, access_to: AccessTo, record_id: str
    ) -> None:
        shown = Projection(include=("title",), fields=WIDGET.fields)
        read = await store.stream(
            access_to(), by_id(record_id), projection=shown, flat=[FlatColumn("title"), FlatColumn(path)]
        )

        async with aclosing(read) as batches:
            assert [row async for batch in batches for row in batch] == [{"0": "old"}]

    async def test_a_visible_neighbour_of_a_hidden_field_is_shown(
        self, store: Store, access_to: AccessTo, record_id: str
    ) -> None:
        found = await store.find_one(
            access_to(), by_id(record_id), projection=Projection(include=("profile",), fields=WIDGET.fields)
        )

        assert found == {"_id": ObjectId(record_id), "profile": {"title": "Dr"}}

    async def test_an_update_does_not_answer_with_it(
        self, store: Store, access_to: AccessTo, record_id: str
    ) -> None:
        found = await store.update_one(access_to(), by_id(record_id), TITLE)

        assert found is not None
        assert found["title"] == "changed"
        assert "apiToken" not in found
        assert found["profile"] == {"title": "Dr"}

    async def test_the_service_itself_sees_it(self, store: Store, realm: str, record_id: str) -> None:
        found = await store.find_one(as_service(WIDGET, realm), by_id(record_id))

        assert found is not None
        assert {name: found[name] for name in SECRETS} == SECRETS

    async def test_hiding_a_whole_and_a_part_of_it_hides_the_whole(
        self, store: Store, access_to: AccessTo, record_id: str
    ) -> None:
        scoped = access_to()
        both = Access(
            scoped.kind, Action.VIEW, scoped.database, scoped.domain, hidden=scoped.hidden | {"profile"}
        )

        found = await store.find_one(both, by_id(record_id))

        assert found is not None
        assert "profile" not in found
        assert found["title"] == "old"


class TestReplace:
    @pytest.fixture(params=["known", "unknown"])
    def replaced(
        self,
        request: pytest.FixtureRequest,
        store: Store,
        access_to: AccessTo,
        mongo_client: MongoClient[Document],
        realm: str,
    ) -> Callable[[Document, Document], Awaitable[Document]]:
        """Stores one document, replaces it keeping its hidden fields, and says what is stored then; with the
        record as it was before and without."""

        async def replace(stored: Document, sent: Document) -> Document:
            before = stored_widget(**stored)
            await store.insert(access_to(), before)
            after = {**stored_widget(), "_id": before["_id"], **sent}
            del after["refName"], after["displayName"]
            access, match = access_to(), by_id(str(before["_id"]))
            known = await store.find_one(access, match) if request.param == "known" else None
            assert await store.replace(access, match, after, keep=access.hidden, before=known)
            found = mongo_client[realm]["widgets"].find_one()
            assert found is not None
            return {name: found[name] for name in ("title", "extra", *SECRETS) if name in found}

        return replace

    @pytest.mark.parametrize(
        ("stored", "sent", "kept"),
        [
            pytest.param(SECRETS, {"title": "new"}, {"title": "new", "apiToken": "s3cret"}, id="at the top"),
            pytest.param(SECRETS, {"apiToken": "n3w"}, {"apiToken": "n3w"}, id="unless sent"),
            pytest.param(
                {"profile": SECRETS["profile"]},
                {"profile": {"title": "Prof"}},
                {"profile": {"title": "Prof", "secretMargin": Decimal128("0.25")}},
                id="inside an object",
            ),
            pytest.param(
                {"profile": SECRETS["profile"]},
                {"profile": {"secretMargin": Decimal128("1")}},
                {"profile": {"secretMargin": Decimal128("1")}},
                id="inside an object unless sent",
            ),
            pytest.param(
                {"profile": SECRETS["profile"]},
                {},
                {"profile": {"secretMargin": Decimal128("0.25")}},
                id="inside an object that is left out",
            ),
        ],
    )
    async def test_hidden_fields_keep_their_value(
        self, stored: Document, sent: Document, kept: Document, replaced: Any
    ) -> None:
        assert (await replaced(stored, sent)).items() >= kept.items()

    @pytest.mark.parametrize(
        ("stored", "sent"),
        [
            pytest.param({}, {"title": "new"}, id="none before and none sent"),
            pytest.param({"title": "old"}, {}, id="what is visible goes"),
            pytest.param({"profile": {"title": "Dr"}}, {}, id="a visible object goes"),
            pytest.param({}, {"profile": {"title": "Dr"}}, id="an object without secrets"),
            pytest.param({}, {"profile": {}}, id="an empty object stays one"),
        ],
    )
    async def test_nothing_appears_that_was_neither_stored_nor_sent(
        self, stored: Document, sent: Document, replaced: Any
    ) -> None:
        assert await replaced(stored, sent) == sent

    @pytest.mark.parametrize(
        "value",
        [
            "$refName",
            "$$ROOT",
            "$$REMOVE",
            {"$gt": 1},
            {"$literal": 1},
            {"deep": [{"$add": [1, 2]}, "$version"]},
            {"$expr": {"$function": "x"}},
            [],
            {},
        ],
        ids=str,
    )
    async def test_values_that_look_like_operators_are_stored_literally(
        self, value: Any, replaced: Any
    ) -> None:
        stored = await replaced(SECRETS, {"extra": value, "title": "$apiToken"})

        assert stored == {"extra": value, "title": "$apiToken", "apiToken": "s3cret"} | {
            "profile": {"secretMargin": Decimal128("0.25")}
        }

    async def test_a_record_cannot_be_moved_out_of_the_scope(
        self, store: Store, access_to: AccessTo, mongo_client: MongoClient[Document], realm: str
    ) -> None:
        own = stored_widget()
        await store.insert(access_to(), own)

        with pytest.raises(Denied):
            await store.replace(
                access_to(), by_id(str(own["_id"])), {**own, "dataDomain": {"tenantId": "globex"}}
            )

        assert mongo_client[realm]["widgets"].find_one() == own

    async def test_only_the_version_that_matches_is_replaced(self, store: Store, access_to: AccessTo) -> None:
        own = stored_widget(version=3)
        await store.insert(access_to(), own)
        stale = by_id(str(own["_id"])) & equals(version=2)

        assert not await store.replace(access_to(), stale, {**own, "title": "stale"}, keep=WIDGET.hidden)
        assert await store.count(access_to(), equals(title="stale")) == 0

    @pytest.mark.parametrize("keep", [(), ("apiToken",)], ids=["plain", "keeping"])
    async def test_more_than_the_store_can_keep_is_too_large(
        self, keep: tuple[str, ...], store: Store, access_to: AccessTo
    ) -> None:
        own = stored_widget()
        await store.insert(access_to(), own)

        with pytest.raises(TooLarge):
            await store.replace(
                access_to(), by_id(str(own["_id"])), {**own, "title": "x" * (16 * 2**20 - 200)}, keep=keep
            )

    async def test_a_taken_name_is_a_duplicate(self, store: Store, access_to: AccessTo, realm: str) -> None:
        await apply_indexes(store, realm, Catalog((WIDGET,)))
        own = stored_widget(refName="one")
        await store.insert_many(access_to(), [own, stored_widget(refName="two")])

        with pytest.raises(Duplicate, match="refName two"):
            await store.replace(
                access_to(), by_id(str(own["_id"])), {**own, "refName": "two"}, keep=["apiToken"]
            )


class TestUpdate:
    async def test_every_sort_of_change_in_one_command(self, store: Store, access_to: AccessTo) -> None:
        own = stored_widget(title="old", status="DRAFT", tags=["a"])
        await store.insert(access_to(), own)

        after = await store.update_one(
            access_to(),
            by_id(str(own["_id"])),
            Changes(set={"status": "OPEN"}, unset=["title"], increment={"version": 1}),
        )

        assert after is not None
        assert (after["status"], after["version"], after["tags"]) == ("OPEN", 2, ["a"])
        assert "title" not in after

    @pytest.mark.parametrize(
        "changes",
        [
            Changes(set={"dataDomain.tenantId": "globex"}),
            Changes(set={"dataDomain": {"tenantId": "globex"}}),
            Changes(set={"_id": 1}),
            Changes(unset=["dataDomain.orgRefName"]),
            Changes(increment={"dataDomain.dataSegment": 1}),
        ],
        ids=str,
    )
    async def test_no_change_moves_a_record_elsewhere(
        self, changes: Changes, store: Store, access_to: AccessTo
    ) -> None:
        own = stored_widget()
        await store.insert(access_to(), own)

        with pytest.raises(ValueError, match="cannot move"):
            await store.update_one(access_to(), by_id(str(own["_id"])), changes)
        with pytest.raises(ValueError, match="cannot move"):
            await store.update_many(access_to(), EVERYTHING, changes)

    async def test_update_many_stays_inside_the_scope(self, store: Store, access_to: AccessTo) -> None:
        for tenant in ("acme", "acme", "globex"):
            await store.insert(access_to(tenant=tenant), stored_widget(tenant, title="old"))

        assert await store.update_many(access_to(), EVERYTHING, TITLE) == 2
        assert await store.count(access_to(tenant="globex"), equals(title="old")) == 1


class TestFind:
    async def test_order_skip_limit_and_projection(self, store: Store, access_to: AccessTo) -> None:
        for number in (3, 1, 5, 2, 4):
            await store.insert(access_to(), stored_widget(count=number, title=f"t{number}"))

        rows = await store.find(
            access_to(),
            EVERYTHING,
            order=[("count", -1)],
            skip=1,
            limit=2,
            projection=Projection(include=("title",)),
        )

        assert [row["title"] for row in rows] == ["t4", "t3"]
        assert [set(row) for row in rows] == [{"_id", "title"}] * 2

    async def test_without_a_limit_all_of_several_batches_come(
        self, store: Store, access_to: AccessTo
    ) -> None:
        await store.insert_many(access_to(), [stored_widget() for _ in range(250)])

        assert len(await store.find(access_to(), EVERYTHING)) == 250

    @pytest.mark.parametrize(
        "value",
        [
            datetime(2026, 3, 27, 4, 12, 14, 118000),
            datetime(1, 1, 1),
            datetime(9999, 12, 31, 23, 59, 59, 999000),
            Decimal128("9.999999999999999999999999999999999E+6144"),
            Int64(2**63 - 1),
            -(2**63),
            "a\0b",
            "\U0001f600 ünï",
        ],
        ids=repr,
    )
    async def test_values_come_back_as_they_were_stored(
        self, value: Any, store: Store, access_to: AccessTo
    ) -> None:
        own = stored_widget(extra=value)
        await store.insert(access_to(), own)

        found = await store.find_one(access_to(), by_id(str(own["_id"])))

        assert found == own

    async def test_across_types_each_has_its_own_rows_scope_and_fields(
        self, store: Store, access_to: AccessTo, mongo_client: MongoClient[Document], realm: str
    ) -> None:
        await store.insert_many(access_to(), [stored_widget(title="w") for _ in range(250)])
        for tenant in ("acme", "globex"):
            note = stored_widget(tenant, topic="n", title="undeclared", apiToken="s3cret")
            mongo_client[realm]["notes"].insert_one(note)

        others = [(access_to(), EVERYTHING), (access_to(NOTE), by_id("0" * 24))]
        projection = Projection(include=("title", "topic", "apiToken"))
        notes, widgets, none = await store.find_across(access_to(NOTE), EVERYTHING, others, projection)

        assert [{**row, "_id": None} for row in notes] == [{"_id": None, "topic": "n"}]
        assert len(widgets) == 250
        assert {frozenset(row) for row in widgets} == {frozenset({"_id", "title"})}
        assert none == []

    @pytest.mark.parametrize("callers", [1, 5])
    async def test_across_types_by_id_each_has_its_own_rows_and_counts_as_one_command(
        self, store: Store, access_to: AccessTo, callers: int
    ) -> None:
        """With those of others in the same turn or alone: the limit of requests follows what commands take."""
        widgets, notes = ([stored_widget(title=str(at)) for at in range(3)] for _each in range(2))
        foreign = stored_widget("globex")
        await store.insert_many(access_to(), widgets)
        await store.insert_many(access_to(NOTE), notes)
        await store.insert(access_to(tenant="globex"), foreign)
        of_widgets, of_notes = ([str(row["_id"]) for row in rows] for rows in (widgets, [*notes, foreign]))
        asked = [(access_to(NOTE), by_ids(of_notes))]

        with patch.object(AdaptiveLimit, "record", autospec=True) as recorded:
            answers = await asyncio.gather(
                *(
                    store.find_across(
                        access_to(),
                        by_ids([*of_widgets, str(foreign["_id"])]),
                        asked,
                        Projection(("refName",)),
                    )
                    for _caller in range(callers)
                )
            )

        assert recorded.call_count == callers
        for found in answers:
            assert [sorted(str(row["_id"]) for row in rows) for rows in found] == [
                sorted(of_widgets), sorted(of_notes[:3]),
            ]  # fmt: skip
        assert len({id(row) for found in answers for rows in found for row in rows}) == 6 * callers

    async def test_a_lookup_that_is_alone_in_its_turn_counts_as_one_command(
        self, store: Store, access_to: AccessTo
    ) -> None:
        own = stored_widget()
        await store.insert(access_to(), own)
        with patch.object(AdaptiveLimit, "record", autospec=True) as recorded:
            found = await store.find_across(access_to(), by_ids([own["_id"]]), [], Projection(("refName",)))
        assert [row["_id"] for rows in found for row in rows] == [own["_id"]]
        assert recorded.call_count == 1

    async def test_in_turn_each_match_has_its_rows_in_order_up_to_the_limit(
        self, store: Store, access_to: AccessTo, mongo_client: MongoClient[Document], realm: str
    ) -> None:
        numbered = [stored_widget(title=title, count=at) for at, title in enumerate("abcabc")]
        foreign = stored_widget("globex", title="b", count=9)
        mongo_client[realm]["widgets"].insert_many([*numbered, foreign])
        access, order = access_to(), [("count", -1), ("_id", -1)]

        async def found(titles: str, limit: int) -> list[tuple[str, int]]:
            matches = [equals(title=title) for title in titles]
            page = await store.find_page(access, matches, order=order, limit=limit)
            assert not page.is_cut
            return [(row["title"], row["count"]) for row in page.rows]

        assert await found("ba", 9) == [("b", 4), ("b", 1), ("a", 3), ("a", 0)]
        assert await found("ba", 3) == [("b", 4), ("b", 1), ("a", 3)]
        assert await found("xc", 1) == [("c", 5)]
        assert await found("", 1) == []

    async def test_in_turn_hidden_fields_stay_in_the_store(self, store: Store, access_to: AccessTo) -> None:
        await store.insert(access_to(), stored_widget(apiToken="s3cret", title="w"))
        for projection in (None, Projection(include=("title", "apiToken"))):
            (row,), _is_cut = await store.find_page(
                access_to(), [EVERYTHING, by_id("0" * 24)], order=[("_id", 1)], limit=2, projection=projection
            )
            assert (row["title"], "apiToken" in row) == ("w", False)
            (encoded,), _is_cut = await store.find_encoded(
                access_to(), EVERYTHING, limit=2, projection=projection
            )
            assert bson.decode(encoded.raw) == row

    @pytest.mark.parametrize("matches", [[EVERYTHING], [equals(count=7), EVERYTHING]], ids=["one", "two"])
    @pytest.mark.parametrize("projection", [None, Projection(include=("title", "apiToken", "auditInfo"))])
    async def test_rows_for_the_wire_are_the_same_json(
        self, store: Store, access_to: AccessTo, matches: list[Predicate], projection: Projection | None
    ) -> None:
        for at in range(12):
            await store.insert(access_to(), stored_widget(apiToken="s3cret", title="w", count=at))

        async def read(wire: WireRows | None) -> list[Document]:
            page = await store.find_page(
                access_to(), matches, order=[("count", 1)], limit=12, projection=projection, wire=wire
            )
            assert not page.is_cut
            return page.rows

        wire = WireRows()
        plain, found = await read(None), await read(wire)
        assert len(plain) == 12
        assert to_json(found) == to_json(plain)
        assert [wire.stored(found, number) for number in range(12)] == plain
        assert not any("apiToken" in row for row in [*found, *plain])

    @pytest.mark.parametrize("matches", [[EVERYTHING], [equals(count=7), EVERYTHING]], ids=["one", "two"])
    async def test_a_page_is_cut_where_an_answer_of_the_store_ends(
        self,
        store: Store,
        access_to: AccessTo,
        mongo_client: MongoClient[Document],
        realm: str,
        matches: list[Predicate],
    ) -> None:
        large = [stored_widget(title="x" * 5 * 2**20, count=at) for at in range(4)]
        for document in large:
            mongo_client[realm]["widgets"].insert_one(document)
        found = await store.find_page(access_to(), matches, order=[("count", 1)], limit=4)
        assert ([row["count"] for row in found.rows], found.is_cut) == ([0, 1, 2], True)
        rest = await store.find_page(access_to(), [EVERYTHING], order=[("count", 1)], limit=4, skip=3)
        assert ([row["count"] for row in rest.rows], rest.is_cut) == ([3], False)
        first = await store.find_page(access_to(), matches, order=[("count", 1)], limit=3)
        assert (len(first.rows), first.is_cut) == (3, False)

    async def test_two_types_do_not_share_a_collection(self, store: Store, access_to: AccessTo) -> None:
        await store.insert(access_to(), stored_widget())

        assert await store.count(access_to(NOTE), EVERYTHING) == 0


async def test_a_record_too_large_for_an_event_is_not_stored(store: Store, access_to: AccessTo) -> None:
    """One event has the record before and after it; one that is too large would end the streams of all tenants."""
    followed = replace(access_to(), kind=replace(WIDGET, changes=True))
    half, large = (stored_widget(title="x" * size) for size in (7 * 2**20, 8 * 2**20))
    await store.insert(followed, half)
    with pytest.raises(TooLarge, match="followed"):
        await store.insert(followed, large)
    with pytest.raises(TooLarge, match="followed"):
        await store.replace(followed, by_id(str(half["_id"])), {**half, "title": large["title"]})
    with pytest.raises(TooLarge, match="followed"):
        await store.replace_many(followed, [Replacement({**half, "title": large["title"]}, 1)])
    assert list(await store.insert_many(followed, [stored_widget(), large, stored_widget()])) == [1]
    await store.insert(access_to(), large)
