"""A running import ends within a batch when its caller may not import any more."""

from __future__ import annotations

from collections.abc import Callable

import orjson
import pytest
from anyio import sleep, sleep_forever, to_thread

from runtime.transfer.rows.reading import BATCH
from tests.http.profiles import column, saved
from tests.http.world import Document, World

# Rules are read for every request, since those of other workers are reported a moment later.
pytestmark = pytest.mark.settings(rule_cache_seconds=0)

CARRIERS = "/logistics/carriers"
COLUMNS = "refName,name,mode"
HEAD = b'--cut\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\nrefName,name,mode\r\n'


@pytest.fixture
def user(world: World) -> str:
    """A user who may import, signed in under its own name."""
    return world.sign_in_another("admin", "user")


def rows(start: int, number: int, name: bytes = b"Name") -> bytes:
    return b"".join(b"rev-%d,%s,AIR\r\n" % (at, name) for at in range(start, start + number))


def stored(world: World) -> int:
    return world.documents["carriers"].count_documents({"refName": {"$regex": "^rev-"}})


def upload(
    world: World,
    user: str,
    path: str,
    between: Callable[[], None],
    seen: Callable[[], bool],
    query: str = f"requestedColumns={COLUMNS}",
) -> tuple[int, Document]:
    """Send a file of which ``between`` happens when ``seen`` is true of its first batch."""
    pieces = iter([HEAD + rows(0, 2 * BATCH), rows(2 * BATCH, 2 * BATCH, b"Later"), b"\r\n--cut--\r\n"])
    number = 0

    async def receive() -> Document:
        nonlocal number
        number += 1
        if number > 3:  # the sender waits for the answer
            await sleep_forever()
        if number == 2:
            for _look in range(3000):
                if await to_thread.run_sync(seen):
                    break
                await sleep(0.01)
            await to_thread.run_sync(between)
        body = next(pieces)
        return {"type": "http.request", "body": body, "more_body": number < 3}

    headers = world.headers(user) | {"Content-Type": "multipart/form-data; boundary=cut"}
    start, *chunks = world.send_messages(
        "POST", f"{CARRIERS}{path}", receive, query=query.encode(), headers=headers
    )
    return start["status"], orjson.loads(b"".join(chunk["body"] for chunk in chunks))


def log_out(world: World, user: str) -> None:
    assert world.ask("POST /security/logout", user, json={}).status_code == 204


def remove(world: World, user: str) -> None:
    assert world.ask(f"DELETE /security/users/userId/{user}").status_code == 204


def lose_role(world: World, user: str) -> None:
    answer = world.ask(f"DELETE /security/users/userId/{user}/roles?roles=admin")
    assert answer.status_code == 200, answer.text


def deny(
    world: World, user: str, action: str = "CREATE", domain: str = "carrier", area: str = "logistics"
) -> None:
    header = {"identity": user, "area": area, "functionalDomain": domain, "action": action}
    rule = {"name": f"deny {user}", "effect": "DENY", "priority": 50, "securityURI": {"header": header}}
    answer = world.ask("POST /security/permission/rules", json=rule)
    assert answer.status_code == 201, answer.text


REVOKED = pytest.mark.parametrize(
    ("revoke", "status"), [(log_out, 401), (remove, 401), (lose_role, 401), (deny, 403)],
    ids=["a logout", "a removed user", "a role that was taken away", "a rule"],
)  # fmt: skip


@REVOKED
def test_a_direct_import_ends(
    world: World, user: str, revoke: Callable[[World, str], None], status: int
) -> None:
    """What was stored before stays stored and is counted."""
    world.documents["carriers"].delete_many({"refName": {"$regex": "^rev-"}})
    found = upload(world, user, "/csv", lambda: revoke(world, user), lambda: stored(world) >= BATCH)
    assert (found[0], found[1]["status"]) == (status, status)
    number = stored(world)
    assert BATCH <= number <= 2 * BATCH
    assert found[1]["counts"] == {"inserted": number, "updated": 0, "skipped": 0, "failed": 0}


@REVOKED
def test_an_analysis_ends(world: World, user: str, revoke: Callable[[World, str], None], status: int) -> None:
    """Nothing of it stays."""
    sessions = world.documents["importSessions"]

    def is_begun() -> bool:
        return sessions.count_documents({"auditInfo.createdBy": user, "totalRows": {"$gte": BATCH}}) > 0

    found = upload(world, user, "/csv/session", lambda: revoke(world, user), is_begun)
    assert found[0] == status
    assert [one["state"] for one in sessions.find({"auditInfo.createdBy": user})] == ["DISCARDED"]


def test_a_lookup_of_an_analysis_is_that_of_the_caller_by_then(world: World, user: str) -> None:
    """What the caller may not view any more is not found, unless it was before."""
    for name in ("Name", "Later"):
        world.make("Customer", refName=f"looked-up-{name}", name=name)
    sessions = world.documents["importSessions"]
    columns = [column(one, one) for one in COLUMNS.split(",")]
    columns[1]["lookup"] = {"lookupCollection": "customers", "lookupMatchField": "name"}
    query = f"profileRefName={saved(world, 'Carrier', *columns)}"

    def is_begun() -> bool:
        return sessions.count_documents({"auditInfo.createdBy": user, "totalRows": {"$gte": BATCH}}) > 0

    def take_away() -> None:
        deny(world, user, "VIEW", "customer")

    status, body = upload(world, user, "/csv/session/profile", take_away, is_begun, query)
    assert (status, body["validRows"], body["errorRows"]) == (200, 2 * BATCH, 2 * BATCH)


def test_an_import_goes_on_for_a_caller_that_may(world: World, user: str) -> None:
    world.documents["carriers"].delete_many({"refName": {"$regex": "^rev-"}})
    status, body = upload(world, user, "/csv", lambda: None, lambda: stored(world) >= BATCH)
    assert (status, body["insertCount"], stored(world)) == (200, 4 * BATCH, 4 * BATCH)
