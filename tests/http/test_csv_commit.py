"""Commits that meet a discard, another commit, an expiry, or a store that is no more as it was analysed."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import count
from threading import Event
from typing import Any

import httpx2
import pytest
from pymongo import MongoClient
from starlette.testclient import TestClient

from generated.app import create
from runtime.transfer.rows.reading import BATCH
from runtime.transfer.sessions import committing
from tests.http.world import Document, World
from tests.patience import wait_until

CARRIERS, AIRPORTS = "/logistics/carriers/csv/session", "/logistics/airports/csv/session"
COLUMNS = "refName,name,mode"


@pytest.fixture(scope="module")
def another(world: World) -> Iterator[TestClient]:
    """A second worker with the same settings."""
    with TestClient(create(world.app.state.service.settings), raise_server_exceptions=False) as client:
        yield client


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(4) as opened:
        yield opened


def analysed(world: World, *rows: str, path: str = CARRIERS, columns: str = COLUMNS) -> Document:
    content = "\r\n".join([columns, *rows]).encode()
    answer = world.ask(
        f"POST {path}", params={"requestedColumns": columns}, files={"file": ("r.csv", content, "text/csv")}
    )
    assert answer.status_code == 200, answer.text
    body: Document = answer.json()
    return body


def carriers(prefix: str, number: int) -> list[str]:
    return [f"{prefix}-{at:04},Name {at},AIR" for at in range(number)]


def commit(
    world: World, found: Document, client: TestClient | None = None, path: str = CARRIERS
) -> httpx2.Response:
    headers = world.headers("acme")
    answer: httpx2.Response = (client or world.client).post(
        f"{path}/{found['sessionId']}/commit", headers=headers
    )
    return answer


def done(found: Document, **counts: int) -> Document:
    """The answer of a commit."""
    return {"sessionId": found["sessionId"], "inserted": 0, "updated": 0, "skipped": 0, "failed": 0} | counts


def stored(world: World, prefix: str) -> dict[str, int]:
    """The version of each."""
    rows = world.documents["carriers"].find({"refName": {"$regex": f"^{prefix}-"}})
    return {row["refName"]: row["version"] for row in rows}


def session_of(world: World, found: Document) -> Document:
    kept = world.documents["importSessions"].find_one({"refName": found["sessionId"]})
    assert kept is not None
    return kept


def end_lease(world: World, found: Document) -> None:
    """Let the worker that commits be taken for dead."""
    over = {"$set": {"leaseUntil": datetime.now(UTC) - timedelta(seconds=1)}}
    world.documents["importSessions"].update_one({"refName": found["sessionId"]}, over)


@contextmanager
def stuck(
    world: World, mongo_client: MongoClient[Any], pool: ThreadPoolExecutor, prefix: str
) -> Iterator[tuple[Document, Future[httpx2.Response]]]:
    """A commit that has stored its first batch and waits in the second for a record that somebody else has
    under way; it goes on behind the block."""
    held = world.make("Carrier", refName=f"{prefix}-{BATCH + 5:04}", name="Held")
    found = analysed(world, *carriers(prefix, 3 * BATCH))
    with mongo_client.start_session() as transaction, transaction.start_transaction():
        world.documents["carriers"].update_one(
            {"refName": held["refName"]}, {"$set": {"_lock": 1}}, session=transaction
        )
        running = pool.submit(commit, world, found)
        wait_until(lambda: session_of(world, found)["position"] == BATCH, pause=0.002)
        yield found, running
        transaction.abort_transaction()


class TestDiscard:
    def test_ends_a_commit_behind_the_batch_it_has_stored(
        self, world: World, mongo_client: MongoClient[Any], pool: ThreadPoolExecutor, another: TestClient
    ) -> None:
        with stuck(world, mongo_client, pool, "dis") as (found, running):
            path = f"{CARRIERS}/{found['sessionId']}"
            for client in (another, world.client):
                assert client.delete(path, headers=world.headers("acme")).status_code == 204
        answer = running.result(30)
        assert (answer.status_code, answer.headers["content-type"]) == (409, "application/problem+json")
        assert "discarded" in answer.json()["detail"]
        versions = stored(world, "dis")
        assert versions.pop(f"dis-{BATCH + 5:04}") == 1
        assert versions == {f"dis-{at:04}": 1 for at in range(BATCH)}
        for below in ("/commit", "/rows", "/errors", "/progress"):
            method = "POST" if below == "/commit" else "GET"
            assert world.ask(f"{method} {path}{below}").status_code == 404
        assert world.ask(f"DELETE {path}").status_code == 204

    def test_of_one_that_is_committed_undoes_nothing(self, world: World) -> None:
        found = analysed(world, *carriers("und", 3))
        assert commit(world, found).json() == done(found, inserted=3)
        assert world.ask(f"DELETE {CARRIERS}/{found['sessionId']}").status_code == 204
        assert len(stored(world, "und")) == 3
        assert commit(world, found).status_code == 404


class TestTwoAtOnce:
    def test_two_workers_store_every_row_once(
        self, world: World, another: TestClient, pool: ThreadPoolExecutor
    ) -> None:
        number = 3 * BATCH + 7
        found = analysed(world, *carriers("two", number))
        tries = [pool.submit(commit, world, found, client) for client in (world.client, another) * 2]
        assert [one.result(60).json() for one in tries] == [done(found, inserted=number)] * 4
        assert stored(world, "two") == {f"two-{at:04}": 1 for at in range(number)}

    def test_the_other_worker_goes_on_where_one_was_cut_off(
        self, world: World, mongo_client: MongoClient[Any], pool: ThreadPoolExecutor, another: TestClient
    ) -> None:
        """Its lease is over, so it is taken for dead; it comes back and finds that it has lost the session."""
        with stuck(world, mongo_client, pool, "cut") as (found, running):
            end_lease(world, found)
            before = session_of(world, found)["holder"]
            second = pool.submit(commit, world, found, another)
            wait_until(lambda: session_of(world, found)["holder"] != before, pause=0.002)
        expected = done(found, inserted=3 * BATCH - 1, updated=1)
        assert [one.result(60).json() for one in (running, second)] == [expected] * 2
        versions = stored(world, "cut")
        assert versions.pop(f"cut-{BATCH + 5:04}") == 2
        assert set(versions.values()) == {1}
        assert len(versions) == 3 * BATCH - 1

    def test_a_worker_that_comes_back_after_the_other_has_stored_its_batch(
        self, world: World, pool: ThreadPoolExecutor, another: TestClient, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """It finds its rows stored by the other one, and at once that it has lost the session."""
        number = 3 * BATCH
        found = analysed(world, *carriers("late", number))
        plan, calls, go_on = committing.plan, count(1), Event()

        async def plan_late(*given: Any) -> Any:
            outcomes = await plan(*given)
            if next(calls) == 2:
                await asyncio.to_thread(go_on.wait, 30)
            return outcomes

        monkeypatch.setattr(committing, "plan", plan_late)
        first = pool.submit(commit, world, found)
        wait_until(lambda: session_of(world, found).get("position") == BATCH, pause=0.002)
        end_lease(world, found)
        second = pool.submit(commit, world, found, another)
        wait_until(lambda: session_of(world, found)["position"] > BATCH, pause=0.002)
        go_on.set()
        assert [one.result(30).json() for one in (first, second)] == [done(found, inserted=number)] * 2
        assert stored(world, "late") == {f"late-{at:04}": 1 for at in range(number)}


class TestExpiry:
    def test_an_expired_session_is_gone_at_once(self, world: World) -> None:
        """The store sweeps once a minute; nobody sees what is left until then."""
        found = analysed(world, *carriers("exp", 2))
        over = {"$set": {"expiresAt": datetime.now(UTC) - timedelta(seconds=1)}}
        world.documents["importSessions"].update_one({"refName": found["sessionId"]}, over)
        assert commit(world, found).status_code == 404
        assert world.ask(f"GET {CARRIERS}/{found['sessionId']}/rows").status_code == 404
        assert stored(world, "exp") == {}

    def test_rows_outlive_their_session(self, world: World) -> None:
        """Else a commit in the last minute would find some of them gone, and take them for done."""
        found = analysed(world, *carriers("liv", 2))
        ends = session_of(world, found)["expiresAt"]
        rows = list(world.documents["importRows"].find({"sessionId": found["sessionId"]}))
        assert [row["expiresAt"] - ends >= timedelta(minutes=10) for row in rows] == [True, True]
        assert timedelta(hours=23) < ends.replace(tzinfo=UTC) - datetime.now(UTC) <= timedelta(hours=24)


class TestWhatTheStoreRefuses:
    def test_a_unique_value_that_is_taken_is_found_by_the_analysis(self, world: World) -> None:
        """By a record, and by a row before; the commit stores the others."""
        country = world.ref("Country")
        name = world.read("Country", {"id": country["entityId"]})["refName"]
        world.make("Airport", icao="V1", refName="was-there", country=country)
        rows = [f"v-{at},{icao},Field,{name}" for at, icao in enumerate(("V0", "V1", "V2", "V2"))]
        columns = "refName,icao,name,country.entityRefName"
        found = analysed(world, *rows, path=AIRPORTS, columns=columns)
        assert (found["insertCount"], found["errorRows"]) == (2, 2)
        assert [
            (row["rowNumber"], row["intent"], error["code"], error["field"], error["value"], error["message"])
            for row in found["rows"]
            for error in row["errors"]
        ] == [
            (2, "INSERT", "DUPLICATE", "icao", "V1", "another Airport has the icao V1"),
            (4, "INSERT", "DUPLICATE", "icao", "V2", "another Airport has the icao V2"),
        ]
        assert commit(world, found, path=AIRPORTS).json() == done(found, inserted=2, failed=2)

    def test_a_unique_value_that_was_taken_since(self, world: World) -> None:
        """Its row alone fails, and is told of like those that failed before."""
        country = world.ref("Country")
        name = world.read("Country", {"id": country["entityId"]})["refName"]
        rows = [f"u-{at},U{at},Field,{name}" for at in range(5)]
        columns = "refName,icao,name,country.entityRefName"
        found = analysed(world, *rows, "u-9,u 9,Field,nowhere", path=AIRPORTS, columns=columns)
        assert (found["insertCount"], found["errorRows"]) == (5, 1)
        world.make("Airport", icao="U3", refName="was-faster", country=country)
        assert commit(world, found, path=AIRPORTS).json() == done(found, inserted=4, failed=2)
        names = {row["refName"] for row in world.documents["airports"].find({"refName": {"$regex": "^u-"}})}
        assert names == {"u-0", "u-1", "u-2", "u-4"}
        path = f"{AIRPORTS}/{found['sessionId']}"
        failed = world.ask(f"GET {path}/rows", params={"onlyErrors": "true"}).json()["rows"]
        error = failed[0]["errors"][0]
        assert [row["rowNumber"] for row in failed] == [4, 6]
        assert (error["code"], error["field"], error["value"]) == ("DUPLICATE", "icao", "U3")
        assert "DUPLICATE icao" in world.ask(f"GET {path}/errors").text.splitlines()[1]
        assert commit(world, found, path=AIRPORTS).json() == done(found, inserted=4, failed=2)

    def test_a_unique_value_of_a_row_among_many(self, world: World) -> None:
        """More than one command takes: the first one ends the transaction, and the others are not sent."""
        country = world.ref("Country")
        name = world.read("Country", {"id": country["entityId"]})["refName"]
        rows = [f"many-{at},M{at},Field,{name}" for at in range(BATCH)]
        found = analysed(world, *rows, path=AIRPORTS, columns="refName,icao,name,country.entityRefName")
        world.make("Airport", icao="M3", refName="was-there-first", country=country)
        answer = commit(world, found, path=AIRPORTS)
        assert answer.json() == done(found, inserted=BATCH - 1, failed=1)

    def test_a_record_that_its_own_rules_forbid(self, world: World) -> None:
        """Somebody gave the collection a validator: its row fails, the others go in, the commit ends."""
        found = analysed(world, *carriers("val", 3), "val-x,Forbidden,AIR", "val-y,Fine,AIR")
        rules = {"validator": {"name": {"$ne": "Forbidden"}}}
        world.documents.command("collMod", "carriers", **rules)
        try:
            assert commit(world, found).json() == done(found, inserted=4, failed=1)
            alone = world.ask("POST /logistics/carriers", json={"name": "Forbidden", "mode": "AIR"})
            again = analysed(world, "val-0000,Forbidden,AIR", "val-y,Changed,AIR")
            assert commit(world, again).json() == done(again, updated=1, failed=1)
        finally:
            world.documents.command("collMod", "carriers", validator={})
        assert (alone.status_code, alone.json()["code"]) == (422, "record.not_storable")
        path = f"{CARRIERS}/{found['sessionId']}/rows"
        (failed,) = world.ask(f"GET {path}", params={"onlyErrors": "true"}).json()["rows"]
        (error,) = failed["errors"]
        assert (failed["refName"], error["code"]) == ("val-x", "DB")
        assert "validator" in error["message"]

    def test_a_name_that_was_taken_where_the_caller_cannot_see_it(self, world: World) -> None:
        content = f"{COLUMNS}\r\nhid-1,Mine,AIR\r\nhid-2,Mine,AIR".encode()
        found = world.ask(
            f"POST {CARRIERS}", "acme-south", params={"requestedColumns": COLUMNS},
            files={"file": ("r.csv", content, "text/csv")},
        ).json()  # fmt: skip
        assert found["insertCount"] == 2
        world.make("Carrier", "acme-north", refName="hid-1")
        answer = world.ask(f"POST {CARRIERS}/{found['sessionId']}/commit", "acme-south")
        assert answer.json() == done(found, inserted=1, failed=1)

    def test_a_record_that_was_removed_since_is_made_anew(self, world: World) -> None:
        gone = world.make("Carrier", refName="rem-0000", name="Old")
        found = analysed(world, *carriers("rem", 1))
        assert found["updateCount"] == 1
        assert world.ask(f"DELETE /logistics/carriers/id/{gone['id']}").status_code == 204
        assert commit(world, found).json() == done(found, inserted=1)
        assert stored(world, "rem") == {"rem-0000": 1}

    def test_a_record_that_is_as_its_row_by_now_is_no_write(self, world: World) -> None:
        found = analysed(world, *carriers("now", 1))
        world.make("Carrier", refName="now-0000", name="Name 0", mode="AIR")
        assert commit(world, found).json() == done(found, skipped=1)
        assert stored(world, "now") == {"now-0000": 1}


def events(answer: httpx2.Response) -> list[Any]:
    """The data of a stream of server-sent events."""
    assert answer.headers["content-type"].startswith("text/event-stream")
    lines = answer.text.splitlines()
    return [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: ")]


def test_progress_never_goes_back_and_ends_with_the_commit(
    world: World, pool: ThreadPoolExecutor, another: TestClient
) -> None:
    """Also on a worker that another one commits for."""
    found = analysed(world, *carriers("pro", 2 * BATCH), "pro-x,Name,BOAT")
    path = f"{CARRIERS}/{found['sessionId']}/progress"
    following = pool.submit(another.get, path, headers=world.headers("acme"))
    assert commit(world, found).json() == done(found, inserted=2 * BATCH, failed=1)
    told = events(following.result(30))
    numbers = [event["doneRows"] for event in told]
    assert numbers == sorted(numbers)
    assert told[-1] | {"status": "COMMITTED", "doneRows": 2 * BATCH + 1, "inserted": 2 * BATCH} == told[-1]
