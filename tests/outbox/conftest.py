"""A service that may send into this machine, and a receiver."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pymongo import MongoClient

from tests.http.world import Document, World, open_world
from tests.outbox.receiver import Receiver, run_receiver

SETTINGS = {
    "webhook_private": True, "webhook_retry_seconds": 0.1, "webhook_seconds": 1.0, "webhook_waiting": 100,
    "webhook_bytes": 16 * 1024, "webhooks_per_tenant": 5, "rule_cache_seconds": 0,
}  # fmt: skip


@pytest.fixture(scope="module")
def world(mongo_uri: str, mongo_client: MongoClient[Document]) -> Iterator[World]:
    with open_world(mongo_uri, mongo_client, credential_cache_seconds=0, **SETTINGS) as world:
        yield world


@pytest.fixture
def receiver(world: World) -> Iterator[Receiver]:
    with run_receiver() as receiver:
        yield receiver
    world.documents["webhooks"].delete_many({})
    world.documents["webhookDeliveries"].delete_many({})
