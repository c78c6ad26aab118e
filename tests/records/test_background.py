"""Work in the background of a service ends when it is cancelled, whatever it does at that moment."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any

import pytest

from runtime.identity.realms.realms import read_active_databases
from runtime.outbox import Outbox
from runtime.outbox.posting import Poster
from runtime.outbox.sender import Sender
from runtime.records.name_keeper import NameKeeper
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
