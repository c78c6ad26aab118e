"""Many records replaced at once: separately while they are few, in one update when they are many, in several
when they are more. Nothing else differs between the three.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from bson import Decimal128
from pymongo import MongoClient
from pymongo.collection import Collection

from runtime.errors import Duplicate, ServiceError
from runtime.model.catalog import Catalog
from runtime.storage.indexes import apply_indexes
from runtime.storage.store import Replacement, Store

from .conftest import WIDGET, AccessTo, Document, stored_widget

pytestmark = pytest.mark.anyio

Home = Collection[Document]
FEW, MANY, MORE = 3, 12, 205
SECRETS = {"apiToken": "s3cret", "profile": {"title": "Dr", "secretMargin": Decimal128("0.25")}}


@pytest.fixture(params=[FEW, MANY, MORE], ids=["few", "many", "more"])
def number(request: pytest.FixtureRequest) -> int:
    return int(request.param)


@pytest.fixture(params=[True, False], ids=["known", "unknown"])
def known(request: pytest.FixtureRequest) -> Callable[[Document], Document | None]:
    """What is said of a record as it was, or nothing."""
    return lambda widget: seen(widget) if request.param else None


def seen(widget: Document) -> Document:
    profile = {name: value for name, value in widget.get("profile", {}).items() if name != "secretMargin"}
    shown = {name: value for name, value in widget.items() if name != "apiToken"}
    return {**shown, "profile": profile} if "profile" in widget else shown


@pytest.fixture
def home(mongo_client: MongoClient[Document], realm: str) -> Home:
    return mongo_client[realm]["widgets"]


@pytest.fixture
def widgets(number: int, home: Home) -> list[Document]:
    """Stored, each with secrets."""
    made = [stored_widget(title=f"old {at}", **SECRETS) for at in range(number)]
    home.insert_many(made)
    return made


def changed(widget: Document, **members: Any) -> Document:
    kept = {name: value for name, value in widget.items() if name not in SECRETS}
    return {**kept, "title": f"new {widget['refName']}", "version": widget["version"] + 1, **members}


def in_store(home: Home) -> dict[Any, Document]:
    return {row["_id"]: row for row in home.find()}


async def test_each_gets_its_own_document(
    widgets: list[Document], store: Store, access_to: AccessTo, home: Home
) -> None:
    after = [changed(one) for one in widgets]
    done = await store.replace_many(access_to(), [Replacement(one, 1) for one in after])
    assert done == (len(widgets), {})
    assert in_store(home) == {one["_id"]: one for one in after}


async def test_one_of_another_version_stays(
    widgets: list[Document], store: Store, access_to: AccessTo, home: Home
) -> None:
    stale, *rest = [changed(one) for one in widgets]
    found = await store.replace_many(
        access_to(), [Replacement(stale, 7), *(Replacement(one, 1) for one in rest)]
    )
    assert found == (len(rest), {})
    assert in_store(home) == {one["_id"]: one for one in (widgets[0], *rest)}


@pytest.mark.parametrize(
    ("keep", "kept"),
    [
        (("apiToken",), {"apiToken": "s3cret"}),
        (("apiToken", "profile"), SECRETS),
        (("apiToken", "profile.secretMargin"), {**SECRETS, "profile": {"secretMargin": Decimal128("0.25")}}),
    ],
    ids=["one", "an object", "inside an object"],
)
async def test_what_is_hidden_is_kept(
    keep: tuple[str, ...],
    kept: Document,
    known: Callable[[Document], Document | None],
    widgets: list[Document],
    store: Store,
    access_to: AccessTo,
    home: Home,
) -> None:
    """Of the stale one too, to which nothing happens at all."""
    stale, *rest = widgets
    replacements = [
        Replacement(changed(stale), 7, keep, known(stale)),
        *(Replacement(changed(one), 1, keep, known(one)) for one in rest),
    ]
    assert await store.replace_many(access_to(), replacements) == (len(rest), {})
    assert in_store(home) == {
        stale["_id"]: stale, **{one["_id"]: changed(one, **kept) for one in rest}
    }  # fmt: skip


async def test_what_has_nothing_hidden_gets_nothing(
    number: int, store: Store, access_to: AccessTo, home: Home
) -> None:
    made = [stored_widget() for _at in range(number)]
    home.insert_many(made)
    after = [changed(one) for one in made]
    replacements = [Replacement(one, 1, {"apiToken", "profile"}) for one in after]
    assert await store.replace_many(access_to(), replacements) == (number, {})
    assert in_store(home) == {one["_id"]: one for one in after}


@pytest.mark.parametrize(
    "value", ["$refName", "$$ROOT", "$$REMOVE", {"$literal": 1}, {"$add": [1, 2]}, {}], ids=repr
)
async def test_no_value_is_an_operator(
    value: Any, widgets: list[Document], store: Store, access_to: AccessTo, home: Home
) -> None:
    after = [changed(one, extra={"a": value}) for one in widgets]
    await store.replace_many(access_to(), [Replacement(one, 1, {"apiToken"}) for one in after])
    assert [one["extra"] for one in in_store(home).values()] == [{"a": value}] * len(after)


async def test_records_of_others_are_out_of_reach(
    number: int, store: Store, access_to: AccessTo, home: Home
) -> None:
    theirs = [stored_widget("globex") for _at in range(number)]
    home.insert_many(theirs)
    after = [changed(one, dataDomain={"tenantId": "acme", "dataSegment": 0}) for one in theirs]
    assert await store.replace_many(access_to(), [Replacement(one, 1) for one in after]) == (0, {})
    assert in_store(home) == {one["_id"]: one for one in theirs}


class TestDuplicates:
    """The second takes the refName of one that is not among them."""

    @pytest.fixture
    async def replacements(
        self, widgets: list[Document], store: Store, access_to: AccessTo, realm: str
    ) -> list[Replacement]:
        await apply_indexes(store, realm, Catalog((WIDGET,)))
        await store.insert(access_to(), stored_widget(refName="taken"))
        after = [changed(one) for one in widgets]
        after[-2]["refName"] = "taken"
        return [Replacement(one, 1) for one in after]

    async def test_the_others_are_replaced(
        self, replacements: list[Replacement], store: Store, access_to: AccessTo, home: Home
    ) -> None:
        _found, errors = await store.replace_many(access_to(), replacements)
        refused = len(replacements) - 2
        assert {at: type(error) for at, error in errors.items()} == {refused: Duplicate}
        stored = in_store(home)
        are_new = [stored[one.document["_id"]]["version"] == 2 for one in replacements]
        assert are_new == [at != refused for at in range(len(replacements))]

    async def test_a_transaction_does_nothing_at_all(
        self, replacements: list[Replacement], store: Store, access_to: AccessTo, home: Home
    ) -> None:
        before = in_store(home)

        async def work(inner: Store) -> None:
            _found, errors = await inner.replace_many(access_to(), replacements)
            for error in errors.values():
                raise error

        with pytest.raises(ServiceError) as caught:
            await store.transact(work)
        assert isinstance(caught.value, Duplicate)
        assert in_store(home) == before


async def test_what_is_too_large_together_goes_one_by_one(
    store: Store, access_to: AccessTo, home: Home
) -> None:
    made = [stored_widget() for _at in range(MANY)]
    home.insert_many(made)
    after = [changed(one, title="x" * 2_000_000) for one in made]
    assert await store.replace_many(access_to(), [Replacement(one, 1) for one in after]) == (MANY, {})
    assert {one["version"] for one in in_store(home).values()} == {2}


async def test_of_two_at_once_each_record_has_one(store: Store, access_to: AccessTo, home: Home) -> None:
    """Neither waits for the other, whichever way both have to go then."""
    made = [stored_widget() for _at in range(100)]
    home.insert_many(made)
    both = [[Replacement(changed(one, title=name), 1) for one in made] for name in ("A", "B")]
    told = await asyncio.gather(*(store.replace_many(access_to(), one) for one in both))
    assert [errors for _found, errors in told] == [{}, {}]
    stored = list(in_store(home).values())
    assert {row["version"] for row in stored} == {2}
    titles = [row["title"] for row in stored]
    assert [found for found, _errors in told] == [titles.count("A"), titles.count("B")]


async def test_one_that_another_is_writing_fails_alone(
    store: Store, access_to: AccessTo, home: Home, mongo_client: MongoClient[Document]
) -> None:
    """The transaction ends at once then; that record waits for the other by itself, and is of another version."""
    made = [stored_widget() for _at in range(MANY)]
    home.insert_many(made)
    with mongo_client.start_session() as session:
        session.start_transaction()
        home.update_one({"_id": made[0]["_id"]}, {"$set": {"title": "mine", "version": 2}}, session=session)
        work = asyncio.create_task(
            store.replace_many(access_to(), [Replacement(changed(one), 1) for one in made])
        )
        await asyncio.sleep(0.3)
        assert not work.done()
        session.commit_transaction()
    assert await work == (MANY - 1, {})
    stored = in_store(home)
    assert stored[made[0]["_id"]]["title"] == "mine"
    assert {row["version"] for row in stored.values()} == {2}
