"""Idempotency-Key on uploads and commits: the same file has its effect once, another file is refused."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx2
import pytest

from runtime.transfer.rows.reading import BATCH
from tests.http.world import Document, World

CARRIERS = "/logistics/carriers"
COLUMNS = "refName,name,mode"
REPLAYED = "idempotency-replayed"
PROFILE: Document = {
    "refName": "csv-keys",
    "targetType": "logistics.Carrier",
    "columnMappings": [{"sourceColumn": name, "targetField": name} for name in ("refName", "name", "mode")],
}
LONG_AGO = datetime.now(UTC) - timedelta(days=1)


@pytest.fixture(scope="module", autouse=True)
def profile(world: World) -> None:
    assert world.ask("POST /integration/import-profiles", json=PROFILE).status_code == 201


def send(
    world: World, path: str, key: str, *rows: str, columns: str = COLUMNS, caller: str = "acme", **query: str
) -> httpx2.Response:
    asked = {"profileRefName": "csv-keys"} if path.endswith("profile") else {"requestedColumns": columns}
    content = "\r\n".join([columns, *rows]).encode()
    return world.ask(
        f"POST {CARRIERS}{path}", caller, params=asked | query, headers={"Idempotency-Key": key},
        files={"file": ("rows.csv", content, "text/csv")},
    )  # fmt: skip


def commit(world: World, session_id: str, key: str) -> httpx2.Response:
    path = f"POST {CARRIERS}/csv/session/{session_id}/commit"
    return world.ask(path, headers={"Idempotency-Key": key})


def names(world: World, **match: Any) -> list[str]:
    return sorted(row["name"] for row in world.documents["carriers"].find(match))


def key_document(world: World) -> Document:
    found = world.documents["idempotencyKeys"].find_one({}, sort=[("expiresAt", -1)])
    assert found is not None
    return found


def sessions(world: World) -> int:
    return world.documents["importSessions"].count_documents({})


def check_again(first: httpx2.Response, again: httpx2.Response) -> None:
    assert first.status_code == 200, first.text
    assert (again.status_code, again.content) == (200, first.content)
    assert (first.headers.get(REPLAYED), again.headers.get(REPLAYED)) == (None, "true")
    counts = [name for name in first.headers if name.startswith("x-import-")]
    assert [again.headers[name] for name in counts] == [first.headers[name] for name in counts]


UPLOADS = pytest.mark.parametrize("path", ["/csv", "/csv/session", "/csv/session/profile"])


@UPLOADS
def test_the_same_file_again(world: World, path: str) -> None:
    """Each is sent under another boundary, as every client does."""
    rows = (f"again{path},One,AIR", f"bad{path},Two,BOAT")
    first = send(world, path, f"again{path}", *rows)
    before = sessions(world)
    check_again(first, send(world, path, f"again{path}", *rows))
    assert sessions(world) == before


@UPLOADS
@pytest.mark.parametrize("change", ["rows", "query", "method"])
def test_another_request_with_the_key(world: World, path: str, change: str) -> None:
    key = f"other{path}{change}"
    assert send(world, path, key, f"o{path},One,AIR").status_code == 200
    before = world.snapshot()
    if change == "rows":
        answer = send(world, path, key, f"o{path},Two,AIR")
    elif change == "query":
        answer = send(world, path, key, f"o{path},One,AIR", restoreArchived="true")
    else:
        body = {"name": "One", "mode": "AIR"}
        answer = world.ask(f"POST {CARRIERS}", json=body, headers={"Idempotency-Key": key})
    assert (answer.status_code, answer.json()["code"]) == (422, "idempotency.mismatch")
    assert world.snapshot() == before


def test_a_direct_import_stores_nameless_rows_once(world: World) -> None:
    """Without a refName nothing else tells a row that is stored from a new one."""
    rows = ["Nameless,AIR", "Nameless,SEA", "Wrong,BOAT"]
    answers = [send(world, "/csv", "nameless", *rows, columns="name,mode") for _each in range(3)]
    check_again(answers[0], answers[2])
    assert len(names(world, name="Nameless")) == 2
    body = answers[0].json()
    counts = [
        body[name] for name in ("importedCount", "insertCount", "updateCount", "skipCount", "failedCount")
    ]
    assert counts == [2, 2, 0, 0, 1]
    assert [row["rowNumber"] for row in body["rows"]] == [3]
    assert answers[0].headers["x-import-message"] == "2 inserted, 0 updated, 0 skipped, 1 failed"


def test_a_direct_import_answers_as_without_a_key(world: World) -> None:
    rows = ["same-1,One,AIR", "same-2,Two,BOAT", "same-1,Again,AIR", "same-3,Three,SEA,more"]
    keyed = send(world, "/csv", "as-without", *rows)
    world.documents["carriers"].delete_many({"refName": {"$regex": "^same-"}})
    content = "\r\n".join([COLUMNS, *rows]).encode()
    plain = world.ask(
        f"POST {CARRIERS}/csv", params={"requestedColumns": COLUMNS},
        files={"file": ("rows.csv", content, "text/csv")},
    )  # fmt: skip
    assert keyed.json() == plain.json()


def abandon(world: World, **fields: Any) -> None:
    """As if the worker that did the last request had died before it knew the answer."""
    given_up = {"state": "IN_FLIGHT", "leaseUntil": LONG_AGO, **fields}
    kept = key_document(world)
    if "parts" not in fields:  # nor was its file known
        given_up["request"] = kept["request"].partition(" ")[0]
    world.documents["idempotencyKeys"].update_one({"_id": kept["_id"]}, {"$set": given_up})


class TestInFlight:
    def test_one_that_is_running(self, world: World) -> None:
        send(world, "/csv", "running", "running-1,One,AIR")
        abandon(world, leaseUntil=datetime.now(UTC) + timedelta(minutes=1))
        answer = send(world, "/csv", "running", "running-1,One,AIR")
        assert (answer.status_code, answer.json()["code"]) == (409, "idempotency.in_flight")

    def test_one_that_was_cut_off_before_it_stored_anything(self, world: World) -> None:
        send(world, "/csv", "early", "early-1,One,AIR")
        world.documents["carriers"].delete_one({"refName": "early-1"})
        abandon(world)
        assert send(world, "/csv", "early", "early-1,One,AIR").json()["insertCount"] == 1

    def test_one_that_was_cut_off_goes_on(self, world: World) -> None:
        """Its session had been committed, but its answer was not stored: the rows are not stored again."""
        rows = ["Cut,AIR"] * (BATCH + 3)
        found = send(world, "/csv/session", "cut-session", *rows, columns="name,mode").json()
        send(world, "/csv", "cut", *rows, columns="name,mode")
        stored = len(names(world, name="Cut"))
        assert stored == BATCH + 3
        part = f'{{"sessionId":"{found["sessionId"]}"}}'
        abandon(world, isBegun=True, parts={"0": part})
        other = send(world, "/csv", "cut", "Other,AIR", columns="name,mode")
        assert (other.status_code, other.json()["code"]) == (422, "idempotency.mismatch")
        answers = [send(world, "/csv", "cut", *rows, columns="name,mode") for _each in range(2)]
        check_again(*answers)
        assert answers[0].json()["insertCount"] == BATCH + 3
        assert len(names(world, name="Cut")) == stored + BATCH + 3  # those of the session that was named
        assert names(world, name="Other") == []


@UPLOADS
@pytest.mark.parametrize(
    ("columns", "rows", "status"),
    [(COLUMNS, ('r-1,"never closed,AIR',), 400), ("refName,nme,mode", ("r-1,One,AIR",), 400)],
    ids=["a quote", "a column"],
)
def test_a_refused_file_leaves_the_key_free(
    world: World, path: str, columns: str, rows: tuple[str, ...], status: int
) -> None:
    key = f"refused{path}{columns}"
    assert send(world, path, key, *rows, columns=columns).status_code == status
    assert send(world, path, key, "r-1,One,AIR").status_code == 200


class TestCommit:
    def test_again_after_the_session_is_gone(self, world: World) -> None:
        found = send(world, "/csv/session", "to-commit", "com-1,One,AIR", "com-2,Two,BOAT").json()
        first = commit(world, found["sessionId"], "commit")
        assert first.json() == {
            "sessionId": found["sessionId"], "inserted": 1, "updated": 0, "skipped": 0, "failed": 1,
        }  # fmt: skip
        assert world.ask(f"DELETE {CARRIERS}/csv/session/{found['sessionId']}").status_code == 204
        check_again(first, commit(world, found["sessionId"], "commit"))
        assert commit(world, found["sessionId"], "another").status_code == 404

    def test_of_another_session(self, world: World) -> None:
        ids = [
            send(world, "/csv/session", f"s{at}", f"two-{at},One,AIR").json()["sessionId"] for at in range(2)
        ]
        assert commit(world, ids[0], "both").status_code == 200
        answer = commit(world, ids[1], "both")
        assert (answer.status_code, answer.json()["code"]) == (422, "idempotency.mismatch")
        assert world.documents["carriers"].count_documents({"refName": {"$regex": "^two-"}}) == 1

    def test_of_one_that_is_not_ready(self, world: World) -> None:
        """That it was still being read is true for a moment only, so the key can be sent again."""
        found = send(world, "/csv/session", "unready", "unr-1,One,AIR").json()
        one = {"refName": found["sessionId"]}
        world.documents["importSessions"].update_one(one, {"$set": {"state": "ANALYZING"}})
        assert commit(world, found["sessionId"], "unready-c").json()["code"] == "import.not_ready"
        world.documents["importSessions"].update_one(one, {"$set": {"state": "ANALYZED"}})
        assert commit(world, found["sessionId"], "unready-c").json()["inserted"] == 1


def test_keys_of_others_are_others(world: World) -> None:
    answers = [
        send(world, "/csv", "shared", "shared-1,One,AIR", caller=caller) for caller in ("acme", "globex")
    ]
    assert [answer.json()["insertCount"] for answer in answers] == [1, 1]


@pytest.mark.parametrize("ask", [
    lambda world, key: send(world, "/csv", key, "k-1,One,AIR"),
    lambda world, key: commit(world, "0" * 24, key),
], ids=["import", "commit"])  # fmt: skip
def test_keys_that_cannot_be_read(world: World, ask: Callable[[World, str], httpx2.Response]) -> None:
    answer = ask(world, "x" * 256)
    assert (answer.status_code, "Idempotency-Key must be 1 to 255" in answer.text) == (400, True)
