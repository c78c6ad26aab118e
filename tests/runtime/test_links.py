"""Records and the documents that lead to them, in one command: what it finds, and where it gives way to several."""

from __future__ import annotations

from typing import Any

import pytest
from bson import ObjectId
from pymongo import MongoClient

from runtime.fast.wire_rows import WireRows
from runtime.filter import EVERYTHING, Projection, compile_filter, equals
from runtime.model.catalog import Catalog
from runtime.spelling import Spelling, Step
from runtime.storage.indexes import apply_indexes
from runtime.storage.store import Links, Store
from runtime.storage.wire import to_json

from .conftest import NOTE, SUPPLIER, WIDGET, AccessTo, Document, stored_widget

pytestmark = pytest.mark.anyio

Client = MongoClient[Document]


@pytest.fixture
def widgets(mongo_client: Client, realm: str) -> list[Document]:
    """Six widgets, and notes that lead to all but the last, the other way round; every other one is in doubt."""
    made = [stored_widget(title=f"w{at}", count=at, apiToken="s3cret") for at in range(6)]
    mongo_client[realm]["widgets"].insert_many(made)
    mongo_client[realm]["notes"].insert_many(
        stored_widget(topic="n", to={"id": one["_id"]}, isOld=at % 2 == 1)
        for at, one in reversed(list(enumerate(made[:5])))
    )
    return made


@pytest.fixture
def links(access_to: AccessTo, widgets: list[Document]) -> Links:
    return Links(access_to(NOTE), EVERYTHING, "to.id", 10)


async def find(store: Store, access_to: AccessTo, links: Links, **options: Any) -> Any:
    return await store.find_linked(access_to(), links, options.pop("match", EVERYTHING), **options)


@pytest.mark.parametrize(("most", "number", "is_cut"), [(10, 5, False), (5, 5, True), (2, 2, True)])
async def test_the_first_records_are_found_in_the_order_of_ids(
    store: Store,
    access_to: AccessTo,
    links: Links,
    widgets: list[Document],
    most: int,
    number: int,
    is_cut: bool,
) -> None:
    rows, reach = await find(store, access_to, links._replace(most=most))
    assert [row["title"] for row in rows] == [f"w{at}" for at in range(number)]
    assert reach == (widgets[number - 1]["_id"] if is_cut else None)
    assert all("apiToken" not in row for row in rows)


async def test_a_match_narrows_the_records_and_not_how_far_they_reach(
    store: Store, access_to: AccessTo, links: Links, widgets: list[Document]
) -> None:
    found = await find(store, access_to, links._replace(most=3), match=equals(title="w4"))
    assert found == ([], widgets[2]["_id"])
    found = await find(store, access_to, links._replace(match=equals(topic="other")))
    assert found == ([], None)


async def test_rows_as_text_are_the_same_json(store: Store, access_to: AccessTo, links: Links) -> None:
    shown = Projection(include=("title", "dataDomain", "auditInfo"))
    for projection in (None, shown):
        plain = await find(store, access_to, links._replace(most=4), projection=projection)
        text = await find(store, access_to, links._replace(most=4), projection=projection, wire=WireRows())
        assert to_json(text.rows) == to_json(plain.rows)
        assert text.reach == plain.reach


async def test_what_is_in_doubt_has_to_be_looked_at(store: Store, access_to: AccessTo, links: Links) -> None:
    doubtful = links._replace(doubt="isOld")
    assert await find(store, access_to, doubtful) is None
    rows, _reach = await find(store, access_to, doubtful._replace(most=1))
    assert [row["title"] for row in rows] == ["w0"]


@pytest.mark.parametrize(("title", "number"), [("w5", 5), ("nobody", 0)])
async def test_a_record_that_is_not_found_leads_nowhere(
    store: Store, access_to: AccessTo, links: Links, title: str, number: int
) -> None:
    around = links._replace(around=(access_to(), equals(title=title)))
    rows, reach = await find(store, access_to, around)
    assert (len(rows), reach) == (number, None)


@pytest.mark.parametrize(("megabytes", "few"), [(6, 2), (15, 1)])
async def test_records_of_more_than_one_answer_take_several_commands(
    store: Store,
    access_to: AccessTo,
    links: Links,
    mongo_client: Client,
    realm: str,
    megabytes: int,
    few: int,
) -> None:
    """Joined records of more than 64 MB are refused with a code of their own."""
    mongo_client[realm]["widgets"].update_many({}, {"$set": {"title": "x" * (megabytes * 2**20)}})
    assert await find(store, access_to, links) is None
    assert await find(store, access_to, links, wire=WireRows()) is None
    rows, _reach = await find(store, access_to, links._replace(most=few))
    assert len(rows) == few


@pytest.mark.parametrize("kind", [WIDGET, NOTE, SUPPLIER], ids=lambda kind: kind.name)
async def test_while_a_type_changes_its_shape_it_takes_several_commands(
    store: Store, access_to: AccessTo, links: Links, realm: str, kind: Any
) -> None:
    around = links._replace(around=(access_to(SUPPLIER), EVERYTHING))
    assert await find(store, access_to, around) == ([], None)
    store.spellings.table = {(realm, kind.collection): Spelling(2, (Step("name", ("name",), "title"),))}
    assert await find(store, access_to, around) is None
    store.spellings.table = {(realm, kind.collection): Spelling(2)}
    assert await find(store, access_to, around) == ([], None)


async def test_a_text_search_takes_several_commands(store: Store, access_to: AccessTo, realm: str) -> None:
    await apply_indexes(store, realm, Catalog((NOTE,)))
    search = compile_filter('text("n")', NOTE)
    links = Links(access_to(WIDGET), EVERYTHING, "_id", 10)
    assert await store.find_linked(access_to(NOTE), links, search) is None


async def test_a_transaction_takes_several_commands(store: Store, access_to: AccessTo, links: Links) -> None:
    assert await store.transact(lambda its: its.find_linked(access_to(), links, EVERYTHING)) is None


async def test_ids_that_are_stored_nowhere_are_passed_over(
    store: Store, access_to: AccessTo, links: Links, mongo_client: Client, realm: str
) -> None:
    gone = ObjectId("0" * 24)
    mongo_client[realm]["notes"].insert_one(stored_widget(topic="n", to={"id": gone}))
    rows, reach = await find(store, access_to, links._replace(most=2))
    assert [row["title"] for row in rows] == ["w0"]
    assert reach == rows[0]["_id"]
