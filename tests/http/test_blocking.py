"""No body of an allowed size holds the event loop: other requests of the worker are answered meanwhile.

The bound is a tenth of what such bodies once took; ``tests/bench/blocking.py`` measures against 50 ms.
"""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from fastapi import FastAPI
from pymongo import MongoClient
from starlette.testclient import TestClient

from runtime.cli.worker import settle
from runtime.identity.users.users import NewUser, create_user
from runtime.settings import Settings
from sample_generated.app import create
from tests.http.blocking import ask, longest_block
from tests.http.nasty_bodies import Nasty, nasty_bodies
from tests.http.world import PASSWORD

BOUND = 0.5
"""Seconds of processor time: a machine that runs everything else as well is slow, and memory is collected."""

USER = NewUser("admin@acme.example", PASSWORD, "acme", frozenset({"system", "admin", "clerk"}))


class Shop:
    """The sample service with somebody signed in, and a stored Maker."""

    def __init__(self, client: TestClient, app: FastAPI) -> None:
        assert client.portal is not None
        self.portal, self.app = client.portal, app
        self.portal.call(create_user, app.state.service, USER)
        login = client.post("/security/login", json={"userId": USER.user_id, "password": PASSWORD})
        self.token: str = login.json()["accessToken"]
        made = client.post(
            "/shop/who/makers", json={"name": "Lux"}, headers={"Authorization": f"Bearer {self.token}"}
        )
        self.maker: str = made.json()["id"]

    def ask(self, nasty: Nasty) -> tuple[int, float]:
        """The status of the answer, and the longest turn of the loop."""

        async def measure() -> tuple[int, float]:
            task = asyncio.ensure_future(ask(self.app, nasty, self.token, self.maker))
            longest = await longest_block(task)
            return task.result(), longest

        return self.portal.call(measure)


@pytest.fixture(scope="module")
def shop(mongo_uri: str, mongo_client: MongoClient[Any], key_folder: Path) -> Iterator[Shop]:
    realm = f"test-{uuid4().hex[:12]}"
    values: dict[str, Any] = {
        "mongodb_uri": mongo_uri,
        "environment": "development",
        "default_realm": realm,
        "data_folder": key_folder,
        "bcrypt_cost": 4,
        "log_level": "ERROR",
    }
    app, threshold = create(Settings.read({}, **values)), gc.get_threshold()
    try:
        with TestClient(app, raise_server_exceptions=False) as client:
            shop = Shop(client, app)
            settle()  # as in a worker: else each collection looks at all that the tests before have left
            yield shop
    finally:
        gc.set_threshold(*threshold)
        mongo_client.drop_database(realm)


def test_no_allowed_body_blocks_the_loop(shop: Shop) -> None:
    """The bodies are made one at a time: together they have hundreds of megabytes."""
    found = {nasty.name: shop.ask(nasty) for nasty in nasty_bodies() if not nasty.is_slow}
    assert {name: seconds for name, (_status, seconds) in found.items() if seconds > BOUND} == {}
    assert {name: status for name, (status, _seconds) in found.items() if status >= 500} == {}
    saved = {name for name, (status, _seconds) in found.items() if status in (200, 201)}
    assert {"save a list of numbers", "save objects in a list", "save a map of decimals"} <= saved
    assert "patch a maker with attributes of type DateTime" in saved


async def _hold(seconds: float) -> None:
    """Work for that much processor time, which is what the probe measures."""
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def test_the_probe_sees_what_holds_the_loop(shop: Shop) -> None:
    assert shop.portal.call(longest_block, _hold(0.1)) > 0.05
    assert shop.portal.call(longest_block, asyncio.sleep(0.05)) < 0.05
