"""Webhooks of a realm that is switched off wait until it is switched on again."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
from pymongo import MongoClient

from runtime.identity.realms.realms import Realm
from runtime.identity.users.users import NewUser, create_user, everywhere
from runtime.outbox.active import find_active
from runtime.outbox.queue import Queue
from runtime.realm_setup import create_realm, set_realm_active
from runtime.seams import UserKey
from tests.http.world import PASSWORD, Document, World
from tests.outbox.hooks import WEBHOOKS, await_value, make_hook
from tests.outbox.receiver import Receiver

AWAY = "away"


@pytest.fixture
def away(world: World, mongo_client: MongoClient[Document]) -> Iterator[Realm]:
    """Another realm, with the caller ``away``."""
    service, realm, portal = world.app.state.service, Realm(AWAY, f"{world.realm}-away"), world.client.portal
    assert portal is not None

    async def sign_in() -> str:
        await create_user(service, NewUser("ann", PASSWORD, "acme", frozenset({"admin"}), realm=AWAY))
        own = service.provider.own
        stored = await own.credentials.find(UserKey(user_id="ann"), everywhere(AWAY))
        return str((await own.begin_session(stored, AWAY)).access_token)

    try:
        portal.call(create_realm, service, AWAY, realm.database)
        world.tokens[AWAY] = portal.call(sign_in)
        yield realm
    finally:
        mongo_client.drop_database(realm.database)
        world.documents["realms"].delete_many({"refName": AWAY})


def test_a_realm_that_is_switched_off_pauses_no_webhook(
    world: World, receiver: Receiver, away: Realm, mongo_client: MongoClient[Document]
) -> None:
    """A worker may look at what waits before it knows that the realm is off: then nobody of it can call."""
    service, portal = world.app.state.service, world.client.portal
    assert portal is not None
    receiver.answer = lambda _one: (500, {})
    hook = make_hook(world, receiver.address, AWAY)
    world.make("Carrier", AWAY)
    receiver.await_all(1)
    rows = list(mongo_client[away.database]["webhookDeliveries"].find())
    portal.call(set_realm_active, service, AWAY, False)
    queue = Queue(service.store, timedelta(seconds=1))
    assert portal.call(find_active, service, service.outbox, queue, away, rows) == {}
    portal.call(set_realm_active, service, AWAY, True)
    assert "pausedReason" not in world.ask(f"GET {WEBHOOKS}/id/{hook['id']}", AWAY).json()
    receiver.answer = lambda _one: (204, {})
    world.make("Carrier", AWAY)
    stored = mongo_client[away.database]["webhookDeliveries"]
    await_value(lambda: stored.count_documents({"status": "DELIVERED"}) == 2)
