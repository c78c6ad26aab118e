"""Records and documents on which they depend, in one command: what it finds, and where it gives way to several."""

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
from runtime.storage.store import Links, Opposed, Provided, Store
from runtime.storage.store.stages import SOURCE
from runtime.storage.wire import to_json

from .conftest import NOTE, SUPPLIER, WIDGET, AccessTo, Document, stored_widget

pytestmark = pytest.mark.anyio

Client = MongoClient[Document]


@pytest.fixture
def widgets(mongo_client: Client, realm: str) -> list[Document]:
    """Six widgets, and notes that lead to all but the last, the other way round."""
    made = [stored_widget(title=f"w{at}", count=at, apiToken="s3cret") for at in range(6)]
    mongo_client[realm]["widgets"].insert_many(made)
    mongo_client[realm]["notes"].insert_many(
        stored_widget(topic="n", to={"id": one["_id"]}) for one in reversed(made[:5])
    )
    return made


@pytest.fixture
def links(access_to: AccessTo, widgets: list[Document]) -> Links:
    return Links(access_to(NOTE), EVERYTHING, "to.id", 10)


async def find(store: Store, access_to: AccessTo, asked: Links | Provided, **options: Any) -> Any:
    return await store.find_linked(access_to(), asked, options.pop("match", EVERYTHING), **options)


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


@pytest.fixture
def provided(access_to: AccessTo, widgets: list[Document]) -> Provided:
    return Provided(EVERYTHING, 10)


@pytest.mark.parametrize(("most", "number", "is_cut"), [(10, 6, False), (6, 6, True), (2, 2, True)])
@pytest.mark.parametrize("wire", [None, WireRows()])
async def test_records_are_found_with_documents_that_allow_it(
    store: Store,
    access_to: AccessTo,
    provided: Provided,
    widgets: list[Document],
    most: int,
    number: int,
    is_cut: bool,
    wire: WireRows | None,
) -> None:
    sought = {"unless": (access_to(NOTE), equals(topic="other")), "given": (access_to(), equals(title="w5"))}
    rows, reach = await find(store, access_to, provided._replace(most=most, **sought), wire=wire)
    assert [row["title"] for row in rows] == [f"w{at}" for at in range(number)]
    assert reach == (widgets[number - 1]["_id"] if is_cut else None)
    assert not any(row.keys() & {"apiToken", SOURCE} for row in rows)


@pytest.mark.parametrize("most", [1, 10])
async def test_other_documents_stand_against_an_answer_or_empty_it(
    store: Store, access_to: AccessTo, provided: Provided, most: int
) -> None:
    there, gone = (access_to(NOTE), equals(topic="n")), (access_to(NOTE), equals(topic="other"))
    asked = provided._replace(most=most)
    for given in (None, there, gone):
        with pytest.raises(Opposed):
            await find(store, access_to, asked._replace(unless=there, given=given))
    for unless in (None, gone):
        assert await find(store, access_to, asked._replace(unless=unless, given=gone)) == ([], None)
    rows, _reach = await find(store, access_to, asked._replace(unless=gone, given=there))
    assert len(rows) == min(most, 6)


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
    for asked in (links, Provided(EVERYTHING, 10), Provided(EVERYTHING, 10, given=(access_to(), EVERYTHING))):
        assert await find(store, access_to, asked) is None
        assert await find(store, access_to, asked, wire=WireRows()) is None
    rows, _reach = await find(store, access_to, links._replace(most=few))
    assert len(rows) == few


@pytest.mark.parametrize("kind", [WIDGET, NOTE, SUPPLIER], ids=lambda kind: kind.name)
async def test_while_a_type_changes_its_shape_it_takes_several_commands(
    store: Store, access_to: AccessTo, links: Links, realm: str, kind: Any
) -> None:
    asked = [Provided(EVERYTHING, 10, (access_to(SUPPLIER), EVERYTHING), (access_to(NOTE), EVERYTHING))]
    asked += [] if kind is SUPPLIER else [links]
    for spelling, changes in ((Spelling(2, (Step("name", ("name",), "title"),)), True), (Spelling(2), False)):
        store.spellings.table = {(realm, kind.collection): spelling}
        assert [await find(store, access_to, one) is None for one in asked] == [changes] * len(asked)


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
