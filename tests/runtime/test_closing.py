"""Records that are inserted as their transaction is committed, with the lane and without."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from pymongo import MongoClient

from runtime.errors import Denied, Duplicate, ServiceError, TooLarge
from runtime.filter import EVERYTHING
from runtime.model.catalog import Catalog
from runtime.storage.indexes import apply_indexes
from runtime.storage.store import Store, Transaction
from tests.lane.secured import secured_server
from tests.log_lines import capture_logs

from .conftest import SUPPLIER, WIDGET, AccessTo, Document, stored_widget

pytestmark = pytest.mark.anyio

Stored = Callable[[], tuple[set[Any], set[Any]]]


@pytest.fixture
def find_stored(mongo_client: MongoClient[Any], realm: str) -> Stored:
    """Return the ids of the widgets and of the suppliers that are there."""

    def find() -> tuple[set[Any], set[Any]]:
        widgets, suppliers = (
            {one["_id"] for one in mongo_client[realm][kind.collection].find()} for kind in (WIDGET, SUPPLIER)
        )
        return widgets, suppliers

    return find


async def store_with(
    store: Store, access_to: AccessTo, widgets: list[Document], suppliers: list[Document], **options: Any
) -> None:
    """Store widgets last, and suppliers along with them."""
    (first, *others) = [(access_to(), one) for one in widgets]

    async def work(transaction: Transaction) -> None:
        await transaction.insert_last(*first, others)
        await transaction.insert_along(access_to(SUPPLIER), suppliers)

    await store.transact(work, **options)


async def test_all_is_stored(store: Store, access_to: AccessTo, find_stored: Stored) -> None:
    widgets, suppliers = ([stored_widget() for _n in range(3)] for _each in range(2))
    await store_with(store, access_to, widgets, suppliers)
    assert find_stored() == ({one["_id"] for one in widgets}, {one["_id"] for one in suppliers})


async def test_a_dry_run_finds_what_is_refused_and_stores_nothing(
    store: Store, access_to: AccessTo, find_stored: Stored
) -> None:
    widget = stored_widget()
    await store_with(store, access_to, [widget], [stored_widget()], is_dry_run=True)
    assert find_stored() == (set(), set())
    await store.insert(access_to(), widget)
    with pytest.raises(Duplicate):
        await store_with(store, access_to, [widget], [stored_widget()], is_dry_run=True)
    assert find_stored() == ({widget["_id"]}, set())


async def test_a_taken_name_is_a_duplicate_of_its_type(
    store: Store, access_to: AccessTo, find_stored: Stored, realm: str
) -> None:
    await apply_indexes(store, realm, Catalog((WIDGET, SUPPLIER)))
    taken = stored_widget()
    await store.insert(access_to(), taken)
    new = stored_widget(refName=taken["refName"])
    with pytest.raises(Duplicate) as raised:
        await store_with(store, access_to, [stored_widget(), new], [stored_widget()])
    assert raised.value.details["fields"] == ["refName"]
    assert WIDGET.shown_name in raised.value.message
    assert find_stored() == ({taken["_id"]}, set())


@pytest.mark.parametrize(
    ("document", "error"),
    [
        pytest.param(stored_widget("globex"), Denied, id="of another tenant"),
        pytest.param(stored_widget(title="x" * 2**24), TooLarge, id="too large"),
    ],
)
async def test_of_what_cannot_be_stored_nothing_is(
    store: Store, access_to: AccessTo, find_stored: Stored, document: Document, error: type[ServiceError]
) -> None:
    reached = []

    async def store_last(transaction: Transaction) -> None:
        await transaction.insert_last(access_to(), document)
        reached.append(1)

    async def store_along(transaction: Transaction) -> None:
        await transaction.insert_last(access_to(SUPPLIER), stored_widget())
        await transaction.insert_along(access_to(), [document])
        reached.append(1)

    for work in (store_last, store_along):
        with pytest.raises(error):
            await store.transact(work)
    assert find_stored() == (set(), set())
    assert not (reached and error is Denied)


async def test_each_is_in_the_scope_of_its_own_access(
    store: Store, access_to: AccessTo, find_stored: Stored
) -> None:
    async def work(transaction: Transaction) -> None:
        others = [(access_to(WIDGET, "acme"), stored_widget("globex"))]
        await transaction.insert_last(access_to(WIDGET, "acme"), stored_widget("acme"), others)

    async def mix(transaction: Transaction) -> None:
        await transaction.insert_last(access_to(), stored_widget(), [(access_to(SUPPLIER), stored_widget())])

    with pytest.raises(Denied):
        await store.transact(work)
    with pytest.raises(ValueError, match="one collection"):
        await store.transact(mix)
    assert find_stored() == (set(), set())


async def test_without_a_last_one_it_is_inserted_at_once(
    store: Store, access_to: AccessTo, find_stored: Stored
) -> None:
    supplier = stored_widget()

    async def work(transaction: Transaction) -> int:
        await transaction.insert_along(access_to(SUPPLIER), [supplier])
        return await transaction.count(access_to(SUPPLIER), EVERYTHING)

    assert await store.transact(work) == 1
    assert find_stored() == (set(), {supplier["_id"]})


async def test_each_is_in_its_own_scope_where_they_are_not_sent_with_the_commit(
    store: Store, access_to: AccessTo, find_stored: Stored
) -> None:
    one, other = stored_widget("acme"), stored_widget("globex")

    async def work(transaction: Transaction) -> None:
        await transaction.count(access_to(), EVERYTHING)
        others = [(access_to(WIDGET, "globex"), other)]
        await transaction.insert_last(access_to(WIDGET, "acme"), one, others)

    await store.transact(work, is_dry_run=True)
    await store.transact(work)
    assert find_stored() == ({one["_id"], other["_id"]}, set())


async def test_what_does_not_fit_into_one_command_is_stored(
    store: Store, access_to: AccessTo, find_stored: Stored
) -> None:
    widget, suppliers = stored_widget(), [stored_widget(title="x" * 2**20) for _n in range(20)]
    await store_with(store, access_to, [widget], suppliers)
    assert find_stored() == ({widget["_id"]}, {one["_id"] for one in suppliers})
    many = [stored_widget(title="x" * 2**20) for _n in range(20)]
    await store_with(store, access_to, many, [stored_widget()])
    assert len(find_stored()[0]) == 21


async def test_only_what_the_store_took_time_for_is_recorded_in_the_limit(
    store: Store, access_to: AccessTo, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded = list[float]()
    monkeypatch.setattr(store.limit, "record", lambda began, ended: recorded.append(ended - began))
    await store_with(store, access_to, [stored_widget()], [stored_widget()])
    assert len(recorded) == (1 if store.count_connections() else 2)  # one exchange, or two


@pytest.fixture(scope="module")
def secured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server that fails commands on demand."""
    with secured_server(tmp_path_factory.mktemp("failing")) as uri:
        yield uri


@asynccontextmanager
async def turned_away(uri: str, namespace: str) -> AsyncIterator[tuple[Store, MongoClient[Any]]]:
    """A store whose next insert into a collection is turned away before its transaction is looked at."""
    store = Store(uri)
    with MongoClient[Any](uri) as client:
        await store.ping()
        data = {"failCommands": ["insert"], "namespace": namespace, "errorCode": 8}
        client.admin.command("configureFailPoint", "failCommand", mode={"times": 1}, data=data)
        try:
            yield store, client
        finally:
            client.admin.command("configureFailPoint", "failCommand", mode="off")
            await store.close()


@pytest.mark.parametrize("kind", [WIDGET, SUPPLIER], ids=["the record", "what belongs to it"])
async def test_nothing_is_left_of_what_mongodb_turns_away(
    secured: str, access_to: AccessTo, realm: str, kind: Any
) -> None:
    async with turned_away(secured, f"{realm}.{kind.collection}") as (store, client):
        with pytest.raises(Exception, match="failCommand"):
            await store_with(store, access_to, [stored_widget()], [stored_widget(), stored_widget()])
        database = client[realm]
        assert [database[one.collection].count_documents({}) for one in (WIDGET, SUPPLIER)] == [0, 0]
        await store_with(store, access_to, [stored_widget()], [stored_widget()])
        assert [database[one.collection].count_documents({}) for one in (WIDGET, SUPPLIER)] == [1, 1]


async def test_no_record_is_stored_without_what_belongs_to_it_in_a_transaction_that_has_begun(
    secured: str, access_to: AccessTo, realm: str
) -> None:
    """What came first, as the holding of others, lets MongoDB run the rest when it turns an insert away."""
    async with turned_away(secured, f"{realm}.{SUPPLIER.collection}") as (store, client):

        async def work(transaction: Transaction) -> None:
            await transaction.count(access_to(), EVERYTHING)
            others = [(access_to(WIDGET, "globex"), stored_widget("globex"))]
            await transaction.insert_last(access_to(WIDGET, "acme"), stored_widget("acme"), others)
            await transaction.insert_along(access_to(SUPPLIER), [stored_widget()])

        with capture_logs() as logged, pytest.raises(Exception, match="failCommand"):
            await store.transact(work)
        database = client[realm]
        assert [database[one.collection].count_documents({}) for one in (WIDGET, SUPPLIER)] == [0, 0]
        assert not [one for one in logged if one["event"] == "store.torn_transaction"]
        await store.transact(work)
        assert [database[one.collection].count_documents({}) for one in (WIDGET, SUPPLIER)] == [2, 1]
