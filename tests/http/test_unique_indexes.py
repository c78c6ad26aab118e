"""In production a record type without its unique indexes is not written, and the service is not ready."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from bson import ObjectId
from pymongo import MongoClient
from starlette.testclient import TestClient

from generated.app import create
from generated.record_types import CARRIER, CATALOG
from runtime.errors import IndexMissing
from runtime.filter import equals
from runtime.settings import Settings
from runtime.storage.access import Access, Action
from runtime.storage.as_service import as_service
from runtime.storage.indexes import apply_indexes
from runtime.storage.store import Changes, Store
from runtime.storage.unique_indexes import UniqueIndexes
from runtime.system.record_types import REALM
from tests.http.world import World
from tests.patience import wait_until
from tests.profiling import profiled

NAME = "tenant_refName"


@contextmanager
def production(world: World) -> Iterator[Callable[..., Any]]:
    """Asks a service in production over the realm of the world."""
    settings = world.app.state.service.settings
    values = {name: getattr(settings, name) for name in settings.model_fields_set}
    keys = {
        "private_key_location": settings.data_folder / "keys" / "private.pem",
        "jwt_secret": "0123456789" * 4,
    }
    app = create(Settings.read({}, **values | keys | {"environment": "production"}))
    headers = {"Authorization": f"Bearer {world.tokens['acme']}"}
    with TestClient(app, raise_server_exceptions=False) as client:
        yield lambda method, path, **more: client.request(method, path, **{"headers": headers, **more})


def restore(world: World, collection: str) -> None:
    """Create the index again as its record type asks for it."""
    documents = world.documents[collection]
    if NAME in documents.index_information():
        documents.drop_index(NAME)
    documents.create_index([("dataDomain.tenantId", 1), ("refName", 1)], name=NAME, unique=True)


def save(ask: Callable[..., Any], name: str) -> Any:
    return ask("POST", "/logistics/carriers", json={"refName": name, "name": name, "mode": "AIR"})


def test_with_its_indexes_it_is_ready_and_writes(world: World) -> None:
    with production(world) as ask:
        assert ask("GET", "/ready").status_code == 200
        assert save(ask, "with-indexes").status_code == 201


@pytest.mark.parametrize("left", ["nothing", "an index that is not unique", "another name"])
def test_writes_are_refused_until_the_index_is_there(world: World, left: str) -> None:
    carriers = world.documents["carriers"]
    stored = world.make("Carrier")
    carriers.drop_index(NAME)
    keys = [("dataDomain.tenantId", 1), ("refName", 1)]
    if left == "an index that is not unique":
        carriers.create_index(keys, name=NAME)
    if left == "another name":
        carriers.create_index(keys, name="by_hand", unique=True)
    try:
        with production(world) as ask:
            if left == "another name":
                assert save(ask, "by-hand").status_code == 201
                return
            refused = save(ask, stored["refName"])
            assert (refused.status_code, refused.json()["code"]) == (503, "store.index_missing")
            assert refused.headers["Retry-After"] == "1"
            assert "recordsmith indexes apply" in refused.json()["detail"]
            assert carriers.count_documents({"refName": stored["refName"]}) == 1
            patch = ask("PUT", f"/logistics/carriers/set?id={stored['id']}&pairs=name:Other")
            assert patch.status_code == 503
            imported = ask(
                "POST", "/logistics/carriers/csv", files={"file": ("c.csv", b"refName,name,mode\nx,X,AIR\n")}
            )
            assert carriers.count_documents({"refName": "x"}) == 0, imported.text
            ready = ask("GET", "/ready")
            assert (ready.status_code, ready.json()["code"]) == (503, "store.index_missing")
            assert [reason["code"] for reason in ready.json()["reasons"]] == ["store.index_missing"]
            stranger = ask("GET", "/ready", headers={"Authorization": ""})
            assert (stranger.status_code, stranger.json()["code"]) == (503, "service.not_ready")
            assert "index" not in stranger.text
            assert ask("GET", "/live").status_code == 200
            assert ask("GET", f"/logistics/carriers/id/{stored['id']}").status_code == 200
            assert (
                ask("POST", "/logistics/countries", json={"name": "Atlantis", "code": "AT"}).status_code
                != 503
            )
            assert ask("DELETE", f"/logistics/carriers/id/{stored['id']}").status_code == 204
            restore(world, "carriers")
            wait_until(lambda: save(ask, "after-" + left.replace(" ", "-")).status_code == 201, 20)
            wait_until(lambda: ask("GET", "/ready").status_code == 200, 20)
    finally:
        if "by_hand" in carriers.index_information():
            carriers.drop_index("by_hand")
        restore(world, "carriers")


def test_users_that_differ_by_case_are_not_let_in(world: World) -> None:
    credentials = world.documents["credentials"]
    unique = {name: told for name, told in credentials.index_information().items() if told.get("unique")}
    for name in unique:
        credentials.drop_index(name)
    try:
        with production(world) as ask:
            body = {"userId": "Admin@acme.example", "password": "correct horse battery", "roles": ["user"]}
            assert ask("POST", "/security/users", json=body).status_code == 503
            assert credentials.count_documents({"userId": body["userId"]}) == 0
    finally:
        for name, told in unique.items():
            kept = {word: told[word] for word in ("partialFilterExpression",) if word in told}
            credentials.create_index(told["key"], name=name, unique=True, **kept)


def write_in_every_way(store: Store, access: Access) -> list[Callable[[], Any]]:
    """Each command of the store that stores records; the document is never reached."""
    nothing, change = equals(refName="none"), Changes(set={"name": "x"})
    document: dict[str, Any] = {"refName": "none"}
    return [
        lambda: store.insert(access, document),
        lambda: store.insert_many(access, [document]),
        lambda: store.replace(access, nothing, document),
        lambda: store.replace_many(access, []),
        lambda: store.update_one(access, nothing, change),
        lambda: store.update_many(access, nothing, change),
        lambda: store.update_each(access, [(nothing, change)]),
    ]


def test_every_command_that_stores_is_refused_and_a_dropped_index_noticed(mongo_uri: str, realm: str) -> None:
    now = [0.0]

    async def databases() -> list[str]:
        return [realm]

    async def play() -> None:
        store = Store(mongo_uri)
        try:
            await apply_indexes(store, realm, CATALOG)
            unique = UniqueIndexes(store, CATALOG, databases, lambda: now[0])
            store.check_before_writing(unique.require)
            access = as_service(CARRIER, realm, Action.UPDATE)
            await store.update_one(access, equals(refName="none"), Changes(set={"name": "x"}))
            await store.bare_database(realm)["carriers"].drop_index(NAME)
            await store.update_one(
                access, equals(refName="none"), Changes(set={"name": "x"})
            )  # believed for 10 s
            now[0] += 10
            for write in write_in_every_way(store, access):
                with pytest.raises(IndexMissing):
                    await write()
            assert not await store.delete_one(access, equals(refName="none"))
            await store.update_one(
                as_service(REALM, realm, Action.UPDATE), equals(refName="n"), Changes(set={"x": 1})
            )
            with pytest.raises(IndexMissing):
                await unique.require_everywhere()
            await apply_indexes(store, realm, CATALOG)
            now[0] += 1
            await unique.require_everywhere()
            await unique.require(access)
        finally:
            await store.close()

    asyncio.run(play())


def test_indexes_that_were_there_are_looked_at_again_after_minutes(
    mongo_uri: str, mongo_client: MongoClient[dict[str, Any]], realm: str
) -> None:
    """There may be thousands of collections, and balancers ask every few seconds."""
    now, numbers = [0.0], list[int]()

    async def databases() -> list[str]:
        return [realm]

    async def play() -> None:
        store = Store(mongo_uri)
        try:
            await apply_indexes(store, realm, CATALOG)
            unique = UniqueIndexes(store, CATALOG, databases, lambda: now[0])
            for seconds in (0, 11, 290, 310):
                now[0] = seconds
                with profiled(mongo_client[realm], *(kind.collection for kind in CATALOG)) as commands:
                    await unique.require_everywhere()
                numbers.append(len(commands))
        finally:
            await store.close()

    asyncio.run(play())
    all_kinds = len(list(CATALOG))
    assert numbers == [all_kinds, 0, 0, all_kinds]


def test_nothing_is_checked_in_development(world: World) -> None:
    assert world.app.state.service.unique_indexes is None
    assert Path(world.app.state.service.settings.data_folder).exists()


def test_a_text_index_of_an_earlier_specification_is_not_searched(world: World) -> None:
    """It may be over a field that is hidden or renamed by now."""
    made = world.make("Product", details="red tulips")
    products = world.documents["products"]
    products.update_one({"_id": ObjectId(made["id"])}, {"$set": {"former": "secretword"}})
    name = next(name for name, one in products.index_information().items() if "weights" in one)
    products.drop_index(name)
    products.create_index([("former", "text")], name=name)
    try:
        with production(world) as ask:
            for path in ("list", "count", "entityref", "csv"):
                answer = ask("GET", f"/logistics/products/{path}", params={"filter": 'text("secretword")'})
                assert (answer.status_code, answer.json()["code"]) == (503, "store.index_missing")
            assert ask("GET", "/logistics/products/list").status_code == 200
    finally:
        products.drop_index(name)
        products.create_index([("details", "text")], name=name, language_override="_textLanguage")
    with production(world) as ask:
        answer = ask("GET", "/logistics/products/count", params={"filter": 'text("tulips")'})
        assert answer.json() == {"count": 1}
