"""Work in the background of a service ends when it is cancelled, whatever it does at that moment."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from datetime import datetime
from functools import partial
from typing import Any

import pytest
from bson import ObjectId
from pymongo import MongoClient

from runtime.identity.realms.realms import read_active_databases
from runtime.outbox import Outbox
from runtime.outbox.posting import Poster
from runtime.outbox.sender import Sender
from runtime.records.name_keeper import NameKeeper
from tests.patience import wait_until
from tests.records.yard import Yard

pytestmark = pytest.mark.anyio

PATIENCE = 3.0
"""Seconds until a task that was cancelled counts as one that goes on."""

Run = Callable[[], Coroutine[Any, Any, None]]


def keep_names(yard: Yard) -> Run:
    service = yard.service
    databases = partial(read_active_databases, service.store, yard.realm)
    return NameKeeper(service.store, service.catalog, {}, databases).run


def send(yard: Yard) -> Run:
    assert isinstance(yard.service.outbox, Outbox)
    return Sender(yard.service, yard.service.outbox, Poster(1.0, allows_private=False, connections=1)).run


@pytest.mark.parametrize("build", [keep_names, send], ids=["names", "webhooks"])
async def test_a_task_ends_when_it_is_cancelled(yard: Yard, build: Callable[[Yard], Run]) -> None:
    """The driver takes some cancellations for a fault of the connection, which the task would wait out."""
    for steps in range(30):
        task = asyncio.create_task(build(yard)())
        for _ in range(steps):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait({task}, timeout=PATIENCE)
        assert task.cancelled(), steps


async def test_a_note_that_an_ended_process_has_left_is_looked_at(
    yard: Yard, mongo_client: MongoClient[dict[str, Any]]
) -> None:
    """Nothing signals it: it was stored before this process began."""
    notes = mongo_client[yard.realm]["renames"]
    renamed = {"target": "Depot", "targets": [str(ObjectId())], "dataDomain": {"tenantId": "acme"}}
    notes.insert_one({**renamed, "dueAt": datetime(2001, 1, 1), "holder": ""})
    task = asyncio.create_task(keep_names(yard)())
    await asyncio.to_thread(wait_until, lambda: notes.find_one() is None)
    task.cancel()
    await asyncio.wait({task})
