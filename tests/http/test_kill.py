"""kill −9 of the service during a stream of saves: what was acknowledged is there, and nothing by halves."""

from __future__ import annotations

import signal
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
from jsonschema import Draft202012Validator

from tests.http.world import CALLERS, PASSWORD, Document, World
from tests.patience import wait_until
from tests.serving import serving

CARRIERS = "/logistics/carriers"
WRITERS = 6


@dataclass
class Writer:
    """One caller: inserts a record, replaces it a few times, begins another; until nobody answers."""

    name: str
    acknowledged: dict[str, int] = field(default_factory=dict)
    """The last version of each record that the service has answered."""

    def write(self, client: httpx2.Client) -> None:
        number = 0
        try:
            while True:
                number += 1
                self._life_of_a_record(client, f"{self.name}-{number}")
        except httpx2.TransportError:
            return

    def _life_of_a_record(self, client: httpx2.Client, ref_name: str) -> None:
        body: Document = {"refName": ref_name, "mode": "AIR"}
        for version in range(1, 5):
            answer = client.post(CARRIERS, json=body | {"name": f"version {version}"})
            assert answer.status_code in (200, 201), answer.text
            body["id"] = answer.json()["id"]
            self.acknowledged[ref_name] = version


def signed_in(url: str) -> httpx2.Client:
    user = {"userId": CALLERS["acme"].user_id, "password": PASSWORD}
    token = httpx2.post(f"{url}/security/login", json=user, timeout=30).json()["accessToken"]
    return httpx2.Client(base_url=url, headers={"Authorization": f"Bearer {token}"}, timeout=30)


def test_nothing_acknowledged_is_lost(world: World, mongo_uri: str, key_folder: Path) -> None:
    writers = [Writer(f"w{number}") for number in range(WRITERS)]
    with (
        serving(mongo_uri, world.realm, key_folder) as (process, url),
        ThreadPoolExecutor(WRITERS) as pool,
        signed_in(url) as client,
    ):
        ends = [pool.submit(writer.write, client) for writer in writers]
        wait_until(lambda: all(len(writer.acknowledged) > 5 for writer in writers))
        process.send_signal(signal.SIGKILL)
        for end in ends:
            end.result(timeout=60)

    acknowledged = {name: version for writer in writers for name, version in writer.acknowledged.items()}
    with serving(mongo_uri, world.realm, key_folder) as (_process, url), signed_in(url) as client:
        validator = Draft202012Validator(client.get(f"{CARRIERS}/schema").json())
        found = {row["refName"]: row for row in everything(client)}
    assert acknowledged.keys() <= found.keys()
    for name, row in found.items():
        validator.validate(row)
        assert row["name"] == f"version {row['version']}"  # whole: content and version of one write
        # One write more may have been on its way to the store when the service died.
        assert row["version"] - acknowledged.get(name, 0) in (0, 1)
    assert len(found) - len(acknowledged) <= WRITERS


def everything(client: httpx2.Client) -> list[Any]:
    """All carriers, page by page."""
    rows: list[Any] = []
    while True:
        page = client.get(f"{CARRIERS}/list", params={"skip": len(rows), "limit": 1000}).json()
        rows += page["rows"]
        if page["rowCount"] < 1000:
            return rows
