"""What workers may write while a backup is restored into a realm, and how long the restore waits for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from bson import ObjectId

from generated.record_types import CARRIER
from runtime.backup import Place, marks
from runtime.backup.marks import find_pause, set_mark
from runtime.backup.problems import InTheWay
from runtime.errors import StoreUnavailable
from runtime.filter import EVERYTHING, equals
from runtime.identity.realms.realms import OF_THE_DEPLOYMENT
from runtime.model.clock import now
from runtime.storage.access import Access, Action
from runtime.storage.as_service import as_service
from runtime.storage.store import Changes, Store
from tests.http.world import Document, World

NOBODY = equals(refName="nobody")
WRITES: dict[str, Callable[[Store, Access[Any]], Any]] = {
    "insert": lambda store, access: store.insert(access, new()),
    "insert many": lambda store, access: store.insert_many(access, [new()]),
    "update": lambda store, access: store.update_one(access, NOBODY, Changes(set={"name": "x"})),
    "update many": lambda store, access: store.update_many(access, NOBODY, Changes(set={"name": "x"})),
    "delete": lambda store, access: store.delete_one(access, NOBODY),
    "delete many": lambda store, access: store.delete_many(access, NOBODY),
    "in a transaction": lambda store, access: store.transact(lambda own: own.insert(access, new())),
}


def new() -> Document:
    own = ObjectId()
    return {"_id": own, "refName": str(own), "dataDomain": {"tenantId": "acme"}, "activeStatus": "ACTIVE"}


@pytest.fixture
def marked(world: World) -> Iterator[World]:
    """A worker that has begun to serve before a restore into its realm began."""
    mark = {"_id": "m", "refName": world.realm, "realm": world.realm, "dataDomain": {"tenantId": "service"}}
    world.documents["restorations"].insert_one({**mark, "activeStatus": "ACTIVE"})
    world.app.state.service.realms.forget()
    yield world
    world.documents["restorations"].delete_many({})
    world.app.state.service.realms.forget()


def call(world: World, function: Callable[..., Any], *arguments: Any) -> Any:
    assert world.client.portal is not None
    return world.client.portal.call(function, *arguments)


def access_to(kind: Any, database: str) -> Access[Any]:
    return as_service(kind, database, Action.UPDATE)


@pytest.mark.parametrize("name", WRITES)
def test_what_began_before_the_mark_writes_no_more(marked: World, name: str) -> None:
    store, before = marked.app.state.service.store, marked.documents["carriers"].count_documents({})
    with pytest.raises(StoreUnavailable, match="being restored"):
        call(marked, WRITES[name], store, access_to(CARRIER, marked.realm))
    assert marked.documents["carriers"].count_documents({}) == before


def test_other_realms_and_the_notes_of_the_deployment_are_written(marked: World) -> None:
    store = marked.app.state.service.store
    call(marked, WRITES["delete many"], store, access_to(CARRIER, "elsewhere"))
    for kind in OF_THE_DEPLOYMENT:
        call(marked, WRITES["update"], store, access_to(kind, marked.realm))


def test_reading_goes_on_and_so_does_writing_afterwards(world: World, marked: World) -> None:
    store = marked.app.state.service.store
    call(marked, store.find, access_to(CARRIER, marked.realm), EVERYTHING)
    assert marked.ask("GET /logistics/carriers/list").status_code == 503
    marked.documents["restorations"].delete_many({})
    marked.app.state.service.realms.forget()
    assert marked.ask("GET /logistics/carriers/list").status_code == 200
    call(marked, WRITES["insert"], store, access_to(CARRIER, marked.realm))


def test_a_restore_of_one_tenant_leaves_its_realm_open(world: World, marked: World) -> None:
    service = marked.app.state.service
    marked.documents["restorations"].update_one({}, {"$set": {"tenant": "acme"}})
    service.realms.forget()
    assert marked.ask("GET /logistics/carriers/list").status_code == 200
    call(marked, WRITES["insert"], service.store, access_to(CARRIER, marked.realm))


@pytest.mark.parametrize(("seconds", "is_waited_for"), [(None, False), (-1, False), (15, True)])
def test_only_workers_that_are_alive_are_waited_for(
    world: World, seconds: int | None, is_waited_for: bool
) -> None:
    service, workers = world.app.state.service, world.documents["serviceWorkers"]
    if seconds is not None:
        own = {**new(), "shapes": [], "seen": [], "aliveUntil": now() + timedelta(seconds=seconds)}
        workers.insert_one({**own, "refName": "another"})
    try:
        pause = call(world, find_pause, service)
    finally:
        workers.delete_many({"refName": "another"})
    assert pause == (1 + 2 * service.store.seconds if is_waited_for else 0)


def test_a_restore_that_runs_where_the_clock_is_late_is_not_taken_over(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = world.app.state.service
    place = Place(world.realm, world.realm, "acme")
    with monkeypatch.context() as patched:
        patched.setattr(marks, "now", lambda: now() - timedelta(hours=1), raising=False)
        mark = call(world, set_mark, service, place, "b")
    with pytest.raises(InTheWay, match="another command restores"):
        call(world, set_mark, service, place, "b")
    call(world, mark.remove)
    world.app.state.service.realms.forget()
