"""kill −9 of the service during the commit of an import: every row once, and the counts equal the store."""

from __future__ import annotations

import signal
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import httpx2

from runtime.model.clock import now
from tests.http.world import CALLERS, PASSWORD, World
from tests.patience import wait_until
from tests.serving import serving

ROWS = 3000
KILLS = 2
CSV = "/logistics/carriers/csv/session"


def signed_in(url: str) -> httpx2.Client:
    user = {"userId": CALLERS["acme"].user_id, "password": PASSWORD}
    token = httpx2.post(f"{url}/security/login", json=user, timeout=60).json()["accessToken"]
    return httpx2.Client(base_url=url, headers={"Authorization": f"Bearer {token}"}, timeout=120)


def committed(client: httpx2.Client, session_id: str) -> Any:
    """The answer of a commit, None when the service died over it."""
    try:
        answer = client.post(f"{CSV}/{session_id}/commit")
    except httpx2.TransportError:
        return None
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_every_row_once(world: World, mongo_uri: str, key_folder: Path) -> None:
    world.make("Carrier", refName="k-0", name="Old")
    lines = [f"k-{n},Name {n},AIR" if n % 100 else f"k-{n},Name {n},BOAT" for n in range(1, ROWS + 1)]
    content = "\r\n".join(["refName,name,mode", "k-0,New,AIR", *lines]).encode()
    session_id = ""
    patient = {"MONGODB_TIMEOUT_MS": "60000"}  # on a busy machine a commit waits for its store
    for kill in range(KILLS + 1):
        with (
            serving(mongo_uri, world.realm, key_folder, **patient) as (process, url),
            signed_in(url) as client,
        ):
            if not session_id:
                file = {"file": ("rows.csv", content, "text/csv")}
                found = client.post(CSV, params={"requestedColumns": "refName,name,mode"}, files=file).json()
                session_id = found["sessionId"]
                assert (found["totalRows"], found["errorRows"]) == (ROWS + 1, ROWS // 100)
            if kill == KILLS:
                answer = committed(client, session_id)
                break
            before = position(world)
            with ThreadPoolExecutor(2) as pool:
                tries = [pool.submit(committed, client, session_id) for _ in range(2)]
                wait_until(partial(is_behind, world, before), pause=0.002)
                process.send_signal(signal.SIGKILL)
                for one in tries:
                    one.result(timeout=60)
            end_lease(world)
    failed = ROWS // 100
    assert answer == {
        "sessionId": session_id, "inserted": ROWS - failed, "updated": 1, "skipped": 0, "failed": failed,
    }  # fmt: skip
    rows = list(world.documents["carriers"].find({"refName": {"$regex": "^k-"}}))
    assert len(rows) == ROWS - failed + 1
    assert {row["refName"]: row["version"] for row in rows} == {
        f"k-{n}": 1 if n else 2 for n in range(ROWS + 1) if n == 0 or n % 100
    }


def end_lease(world: World) -> None:
    """Let the lease of the killed commit end now; that others wait for it is tested with a short one."""
    world.documents["importSessions"].update_one(
        {"leaseUntil": {"$gt": now()}}, {"$set": {"leaseUntil": now()}}
    )


def is_behind(world: World, before: int) -> bool:
    """Whether a batch has been stored since."""
    return position(world) > before


def position(world: World) -> int:
    """How far the one session is."""
    found = world.documents["importSessions"].find_one()
    return int(found["position"]) if found else 0
