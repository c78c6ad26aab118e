"""Copied names are right a moment after a rename, whatever is written at the same time and whoever dies.

The service of the module is listened to, so that another one, as a process of its own would, acts right before a
command of it is sent.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from bson import ObjectId
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from pymongo import MongoClient
from starlette.testclient import TestClient

from generated.app import create
from runtime.records import name_keeper
from runtime.records.effects.copies import refresh
from runtime.records.effects.integrity import Scope, examine
from tests.http.commands import Commands
from tests.http.test_csv_import import send
from tests.http.world import Document, World, open_world
from tests.patience import wait_until

SHIPMENTS, AIRPORTS, ORDERS = "/logistics/shipments", "/logistics/airports", "/logistics/orders"
PATCH = {"Content-Type": "application/merge-patch+json"}


@dataclass(repr=False)
class Two:
    """Two services over one realm; ``commands`` are those of the first."""

    world: World
    other: World
    commands: Commands

    def _repr_pretty_(self, printer: Any, _is_cycle: bool) -> None:
        """Hypothesis would print all that the services hold."""
        printer.text("two services")

    def rename(self, airport: Document, name: str) -> None:
        """Rename an airport by the other service."""
        body = {"refName": name}
        answer = self.other.ask(f"PATCH {AIRPORTS}/id/{airport['id']}", json=body, headers=PATCH)
        assert answer.status_code == 200, answer.text

    def shipment(self, airport: Document) -> Document:
        to = {"entityId": airport["id"]}
        return self.world.make("Shipment", origin=to, destination=to)

    def order_of(self, shipment: Document) -> Document:
        return self.world.make("Order", shipments=[{"entityId": shipment["id"]}])

    def wrong(self) -> list[Any]:
        """What is not as it should be in all of the realm."""
        service = self.world.app.state.service
        scope = Scope(service, self.world.realm)

        async def look() -> list[Any]:
            return (await examine(scope, repair=False, tell=lambda _count: None)).named

        assert self.world.client.portal is not None
        found: list[Any] = self.world.client.portal.call(look)
        return found + [row for row in self.world.documents["shipments"].find() if not is_named_right(row)]


def is_named_right(row: Document) -> bool:
    """Whether the display name of a stored shipment is made of the names that it has copied."""
    origin, destination = (row[field]["entityRefName"] for field in ("origin", "destination"))
    return bool(row["displayName"] == f"{row['refName']}: {origin} to {destination}")


@pytest.fixture(scope="module")
def two(mongo_uri: str, mongo_client: MongoClient[Any], key_folder: Path) -> Iterator[Two]:
    commands = Commands()
    with commands.listening():
        opened = open_world(mongo_uri, mongo_client, data_folder=key_folder)
        world = opened.__enter__()
    try:
        with TestClient(create(world.app.state.service.settings), raise_server_exceptions=False) as client:
            yield Two(world, replace(world, client=client), commands)
    finally:
        opened.__exit__(None, None, None)


def save_whole(two: Two, shipment: Document) -> Any:
    return two.world.ask(f"POST {SHIPMENTS}", json=shipment | {"notes": "saved"})


def patch_name(two: Two, shipment: Document) -> Any:
    """What its display name is made of, not the references themselves."""
    body = {"refName": f"{shipment['refName']}-b"}
    return two.world.ask(f"PATCH {SHIPMENTS}/id/{shipment['id']}", json=body, headers=PATCH)


def patch_reference(two: Two, shipment: Document) -> Any:
    """Send one of two references again, as it is."""
    body = {"destination": {"entityId": shipment["destination"]["entityId"]}}
    return two.world.ask(f"PATCH {SHIPMENTS}/id/{shipment['id']}", json=body, headers=PATCH)


@pytest.mark.parametrize(
    "write", [save_whole, patch_name, patch_reference], ids=["save", "part of the display name", "reference"]
)
def test_a_write_that_read_the_old_name_and_comes_last(
    two: Two, write: Callable[[Two, Document], Any]
) -> None:
    airport = two.world.make("Airport")
    shipment = two.shipment(airport)
    name = f"renamed-{airport['refName']}"
    two.commands.before("update", "shipments", lambda: two.rename(airport, name))
    assert write(two, shipment).status_code == 200
    wait_until(lambda: two.world.read("Shipment", shipment)["origin"]["entityRefName"] == name)
    assert two.world.read("Shipment", shipment)["displayName"].endswith(f": {name} to {name}")
    assert is_named_right(two.world.documents["shipments"].find_one({"_id": ObjectId(shipment["id"])}) or {})
    two.rename(airport, f"{name}-again")
    assert two.world.read("Shipment", shipment)["displayName"].endswith(f": {name}-again to {name}-again")


@pytest.mark.parametrize("edited", ["notes", "refName"])
def test_an_automatic_name_that_was_read_before_a_rename_is_not_chosen(two: Two, edited: str) -> None:
    """A form that was open in the meantime sends the whole record back, at its version."""
    airport = two.world.make("Airport")
    shipment, name = two.shipment(airport), f"renamed-{airport['refName']}"
    two.rename(airport, name)
    body = shipment | {edited: f"edited-{shipment['id']}"}
    saved = two.world.ask(f"POST {SHIPMENTS}", json=body).json()
    assert saved["displayName"] == f"{body['refName']}: {name} to {name}"


def test_a_new_record_that_read_the_old_name(two: Two) -> None:
    airport = two.world.make("Airport")
    name = f"renamed-{airport['refName']}"
    two.commands.before("insert", "shipments", lambda: two.rename(airport, name))
    shipment = two.shipment(airport)
    wait_until(lambda: two.world.read("Shipment", shipment)["origin"]["entityRefName"] == name)


@pytest.mark.parametrize("is_half_done", [False, True], ids=["nothing copied", "half of a chain copied"])
def test_a_rename_whose_process_dies_before_it_copies(
    two: Two, monkeypatch: pytest.MonkeyPatch, is_half_done: bool
) -> None:
    """Another worker copies, through display names that are made of copies to the copies of those."""
    airport = two.world.make("Airport")
    shipment = two.shipment(airport)
    order = two.order_of(shipment)
    name, shown = f"renamed-{airport['refName']}", f"{shipment['refName']}: "

    async def die(*_arguments: object) -> None:
        if is_half_done:
            copied = {f"{field}.entityRefName": name for field in ("origin", "destination")}
            copied |= {f"{field}.entityDisplayName": name for field in ("origin", "destination")}
            half = {"$set": copied | {"displayName": f"{shown}{name} to {name}"}}
            two.world.documents["shipments"].update_one({"_id": ObjectId(shipment["id"])}, half)

    with monkeypatch.context() as patch:
        patch.setattr("runtime.records.commit.follow_names", die)
        two.rename(airport, name)
    wait_until(
        lambda: (
            two.world.read("Order", order)["shipments"][0]["entityDisplayName"] == f"{shown}{name} to {name}"
        )
    )
    wait_until(lambda: two.world.documents["renames"].count_documents({}) == 0)


def test_a_slow_write_has_the_names_it_copied_looked_at(two: Two, monkeypatch: pytest.MonkeyPatch) -> None:
    """It comes long after the renamed record's copies were looked at last."""
    airport = two.world.make("Airport")
    shipment = two.shipment(airport)
    by_hand = {"$set": {"refName": "by-hand", "displayName": "by-hand"}}
    airports = two.world.documents["airports"]
    monkeypatch.setattr("runtime.records.renames.MOST_SECONDS", -1.0)
    two.commands.before(
        "update", "shipments", lambda: airports.update_one({"_id": ObjectId(airport["id"])}, by_hand)
    )
    assert patch_name(two, shipment).status_code == 200
    wait_until(lambda: two.world.read("Shipment", shipment)["origin"]["entityRefName"] == "by-hand")


def test_a_slow_rename_is_looked_at_again_after_it_is_stored(
    two: Two, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The look that it announced first may be over by then."""
    airport = two.world.make("Airport")
    monkeypatch.setattr("runtime.records.renames.MOST_SECONDS", -1.0)
    two.commands.clear()
    path, body = f"{AIRPORTS}/id/{airport['id']}", {"refName": f"renamed-{airport['refName']}"}
    assert two.world.ask(f"PATCH {path}", json=body, headers=PATCH).status_code == 200
    notes = [note for one in two.commands.sent for note in one.made if one.collection == "renames"]
    assert [note["targets"] for note in notes if "refNames" not in note] == [[airport["id"]]] * 2


def test_a_slow_write_that_copies_no_name_leaves_no_note(two: Two, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its references stay as they are stored, so a rename finds them; notes would cost a busy service more."""
    airport = two.world.make("Airport")
    shipment = two.shipment(airport)
    monkeypatch.setattr("runtime.records.renames.MOST_SECONDS", -1.0)
    name = f"renamed-{airport['refName']}"
    two.commands.clear()
    two.commands.before("update", "shipments", lambda: two.rename(airport, name))
    path = f"{SHIPMENTS}/id/{shipment['id']}"
    assert two.world.ask(f"PATCH {path}", json={"notes": "patched"}, headers=PATCH).status_code == 200
    assert [one.collection for one in two.commands.sent if one.name == "insert"] == []
    assert two.world.read("Shipment", shipment)["origin"]["entityRefName"] == name
    assert two.wrong() == []


def test_a_look_that_takes_longer_than_a_note_is_held(two: Two, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other worker waits for its end: two that take the note from each other would never end."""
    airport = two.world.make("Airport")
    looks: list[float] = []

    async def look_long(*arguments: Any, **options: Any) -> int:
        looks.append(time.monotonic())
        changed = await refresh(*arguments, **options)
        await asyncio.sleep(2)
        return changed

    monkeypatch.setattr(name_keeper, "_HELD", timedelta(seconds=1))
    monkeypatch.setattr(name_keeper, "refresh", look_long)
    two.rename(airport, f"renamed-{airport['refName']}")
    wait_until(lambda: bool(looks) and two.world.documents["renames"].count_documents({}) == 0)


def test_an_import_that_renames(two: Two) -> None:
    airport = two.world.make("Airport", name="Old")
    shipment = two.shipment(airport)
    answer = send(
        two.world, f"{AIRPORTS}/csv", f"{airport['refName']},By import", columns="refName,displayName"
    )
    assert answer.json()["updateCount"] == 1, answer.text
    wait_until(lambda: two.world.read("Shipment", shipment)["origin"]["entityDisplayName"] == "By import")
    wait_until(lambda: two.world.documents["renames"].count_documents({}) == 0)


@pytest.mark.parametrize("atomic", [False, True])
def test_renames_of_one_request_are_followed_together(
    two: Two, atomic: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each has a note that is stored before it, and all have their copies when the answer comes."""
    monkeypatch.setattr("runtime.records.renames.MOST_SECONDS", 60.0)  # slow writes have notes of their own
    airports = [two.world.make("Airport") for _each in range(20)]
    shipment = two.shipment(airports[-1])
    wait_until(lambda: two.world.documents["renames"].count_documents({}) == 0)
    two.commands.clear()
    body = {"ids": [one["id"] for one in airports], "values": {"displayName": "Together"}, "atomic": atomic}
    answer = two.world.ask(f"PUT {AIRPORTS}/bulk/set", json=body)
    sent = [(one.name, one.collection) for one in two.commands.sent]
    assert answer.json()["saved"] == 20
    assert two.world.read("Shipment", shipment)["origin"]["entityDisplayName"] == "Together"
    assert sent.count(("find", "shipments")) < 10
    written = [one for one in sent if one in (("insert", "renames"), ("update", "airports"))]
    assert written[:40] == [("insert", "renames"), ("update", "airports")] * 20
    wait_until(lambda: two.world.documents["renames"].count_documents({}) == 0)


def test_notes_in_the_database_of_another_service_are_left_alone(
    two: Two, realm: str, mongo_client: MongoClient[Any]
) -> None:
    """Services may share a deployment: the change stream signals the writes of all."""
    airport = two.world.make("Airport")
    airports = {"target": "Airport", "targets": [airport["id"]], "dataDomain": {"tenantId": "acme"}}
    note = airports | {"_id": ObjectId(), "dueAt": datetime(2001, 1, 1), "holder": ""}
    mongo_client[realm]["renames"].insert_one(note)
    two.rename(airport, f"renamed-{airport['refName']}")  # signalled later, and done in its turn
    wait_until(lambda: two.world.documents["renames"].count_documents({}) == 0)
    assert mongo_client[realm]["renames"].find_one() == note


ACTS = ("rename", "rename other", "save", "patch", "move", "bulk", "order")


@settings(max_examples=5, phases=(Phase.explicit, Phase.generate))
@given(acts=st.lists(st.sampled_from(ACTS), min_size=6, max_size=16))
def test_writers_and_renamers_leave_no_old_name(two: Two, acts: list[str]) -> None:
    """Whatever is written side by side by two services: a moment later every name is that of its record."""
    airports = [two.world.make("Airport"), two.world.make("Airport")]
    shipment = two.shipment(airports[0])
    order = two.order_of(shipment)

    def act(n: int) -> Any:
        world, to = (two.world, two.other)[n % 2], {"entityId": airports[n % 2]["id"]}
        chosen = {"displayName": None, "version": None}  # neither is what the caller insists on
        whole = shipment | chosen | {"origin": to, "notes": f"n{n}"}
        match acts[n]:
            case "rename" | "rename other":
                airport = airports[acts[n] == "rename other"]
                body = {"refName": f"{airport['id']}-{n}"}
                return world.ask(f"PATCH {AIRPORTS}/id/{airport['id']}", json=body, headers=PATCH)
            case "save":
                return world.ask(f"POST {SHIPMENTS}", json=whole)
            case "bulk":
                body = {
                    "operations": [{"op": "save", "record": whole}],
                    "atomic": n % 3 == 0,
                }
                return world.ask(f"POST {SHIPMENTS}/bulk", json=body)
            case "order":
                body = {"shipments": [{"entityId": shipment["id"]}], "currency": "EUR"}
                return world.ask(f"PATCH {ORDERS}/id/{order['id']}", json=body, headers=PATCH)
        body = {"refName": f"s-{shipment['id']}-{n}"} if acts[n] == "patch" else {"destination": to}
        return world.ask(f"PATCH {SHIPMENTS}/id/{shipment['id']}", json=body, headers=PATCH)

    def act_in_the_end(n: int) -> Any:
        """Again where the record was busy for longer than a request may wait: the machine may be."""
        answer = act(n)
        while answer.status_code == 503 and answer.json()["code"] == "record.busy":
            answer = act(n)
        return answer

    with ThreadPoolExecutor(len(acts)) as pool:
        answers = list(pool.map(act_in_the_end, range(len(acts))))
    assert [answer.text for answer in answers if answer.status_code >= 300] == []
    wait_until(lambda: not two.wrong())
