"""What users grant to clients, when they answer several windows at once."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pymongo import MongoClient

from runtime.call import Service
from runtime.client import Client
from runtime.identity.users.users import NewUser
from runtime.oauth.authorize.consents import find_consent, store_consent
from runtime.oauth.management import create_client
from tests.http.world import Document, World, open_world
from tests.oauth.applications import manage
from tests.oauth.sign_ins import REDIRECT, find_client

DOMAIN: Any = {"tenantId": "acme"}
FIELDS: Any = {"redirectUris": [REDIRECT], "allowedGrantTypes": ["authorization_code"]}


@pytest.fixture(scope="module")
def world(mongo_uri: str, mongo_client: MongoClient[Document], key_folder: Path) -> Iterator[World]:
    with open_world(mongo_uri, mongo_client, credential_cache_seconds=0, data_folder=key_folder) as opened:
        yield opened


@pytest.fixture(scope="module")
def client(world: World) -> Client:
    manage(world, create_client, NewUser("shop", "", "acme", frozenset()), fields=FIELDS)
    return find_client(world, "shop")


@pytest.mark.parametrize("at_once", [2, 20])
@pytest.mark.parametrize("before", ["none", "one", "that of an earlier client"])
def test_consents_at_once_add_up(world: World, client: Client, before: str, at_once: int) -> None:
    consents = world.documents["consents"]
    consents.delete_many({})
    if before != "none":
        manage(world, store_consent, client, "ann", DOMAIN, ["openid"], ["urn:first"])
    if before == "that of an earlier client":
        consents.update_one({}, {"$set": {"clientRecord": "earlier"}})

    async def store_all(service: Service) -> None:
        each = (
            store_consent(service, client, "ann", DOMAIN, [f"scope:{number}"], [f"urn:{number}"])
            for number in range(at_once)
        )
        await asyncio.gather(*each)

    manage(world, store_all)
    granted = {f"{kind}:{number}" for number in range(at_once) for kind in ("scope", "urn")}
    same = {"openid", "urn:first"} if before == "one" else set[str]()
    assert manage(world, find_consent, client, "ann") == granted | same
    assert consents.count_documents({}) == 1
    assert manage(world, find_consent, client, "bob") is None
