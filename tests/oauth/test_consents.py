"""What users grant to clients, when they answer several windows at once."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Set
from dataclasses import replace
from typing import Any

import pytest

from runtime.call import Service
from runtime.client import Client
from runtime.identity.users.users import NewUser
from runtime.oauth.authorize.consents import find_consent, store_consent
from runtime.oauth.management import create_client
from runtime.signed_on import SignedOn
from tests.http.world import World
from tests.oauth.applications import manage
from tests.oauth.sign_ins import REDIRECT, find_client
from tests.oauth.signed_on import ANN, describe_signed_on

GRANTED: Mapping[str, Set[str]] = {"urn:first": {"openid"}}
FIELDS: Any = {"redirectUris": [REDIRECT], "allowedGrantTypes": ["authorization_code"]}


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
        manage(world, store_consent, client, ANN, ["openid"], ["urn:first"])
    if before == "that of an earlier client":
        consents.update_one({}, {"$set": {"clientRecord": "earlier"}})

    async def store_all(service: Service) -> None:
        each = (
            store_consent(service, client, ANN, [f"scope:{number}"], [f"urn:{number}"])
            for number in range(at_once)
        )
        await asyncio.gather(*each)

    manage(world, store_all)
    granted = {f"urn:{number}": {f"scope:{number}"} for number in range(at_once)}
    same = GRANTED if before == "one" else {}
    assert manage(world, find_consent, client, ANN) == granted | same
    assert consents.count_documents({}) == 1
    assert manage(world, find_consent, client, describe_signed_on("bob")) is None


LATER: dict[str, tuple[SignedOn, SignedOn, Mapping[str, Set[str]] | None]] = {
    "the same": (ANN, ANN, GRANTED),
    "with a role more": (ANN, describe_signed_on("ann", "user", "auditor"), None),
    "as an administrator": (ANN, describe_signed_on("ann", "admin"), None),
    "with a role less": (describe_signed_on("ann", "user", "auditor"), ANN, GRANTED),
    "with a role that another one includes": (describe_signed_on("ann", "admin"), describe_signed_on("ann", "admin", "user"), GRANTED),
    "who may act as others by now": (ANN, describe_signed_on(acts_as_others=True), None),
    "who may not act as others any more": (describe_signed_on(acts_as_others=True), ANN, GRANTED),
}  # fmt: skip


@pytest.mark.parametrize(("then", "now", "expected"), LATER.values(), ids=LATER)
def test_a_consent_is_for_what_the_user_could_do(
    world: World, client: Client, then: SignedOn, now: SignedOn, expected: Mapping[str, Set[str]] | None
) -> None:
    world.documents["consents"].delete_many({})
    manage(world, store_consent, client, then, ["openid"], ["urn:first"])
    assert manage(world, find_consent, client, now) == expected
    manage(world, store_consent, client, now, ["email"], ["urn:first"])
    assert manage(world, find_consent, client, now) == {
        "urn:first": {"email", *(expected or {}).get("urn:first", ())}
    }


OF_OTHERS = frozenset({"admin", "user"})


def test_a_consent_is_for_those_who_have_written_the_client(world: World, client: Client) -> None:
    """Also one that is stored while another writes the client."""
    rewritten = replace(client, writer_roles=OF_OTHERS)
    world.documents["consents"].delete_many({})
    manage(world, store_consent, client, ANN, ["openid"], ["urn:first"])
    assert manage(world, find_consent, rewritten, ANN) is None
    manage(world, store_consent, rewritten, ANN, ["email"], ["urn:first"])
    assert manage(world, find_consent, rewritten, ANN) == {"urn:first": {"email"}}


@pytest.mark.parametrize(("writers", "is_granted"), [({"system"}, True), (OF_OTHERS, False), ((), False)])
def test_a_consent_from_before_its_writers_were_recorded_is_for_clients_of_the_operator(
    world: World, client: Client, writers: Set[str], is_granted: bool
) -> None:
    now = replace(client, writer_roles=frozenset(writers))
    manage(world, store_consent, now, ANN, ["openid"], ["urn:first"])
    assert manage(world, find_consent, now, ANN) is not None
    world.documents["consents"].update_many({}, {"$unset": {"writerRoles": 1}})
    assert (manage(world, find_consent, now, ANN) is not None) is is_granted


@pytest.mark.parametrize("missing", ["roles", "grants"])
def test_a_consent_that_does_not_say_what_it_is_for_is_none(
    world: World, client: Client, missing: str
) -> None:
    """As those from before this was recorded."""
    manage(world, store_consent, client, ANN, ["openid"], ["urn:first"])
    world.documents["consents"].update_many({}, {"$unset": {missing: 1}})
    assert manage(world, find_consent, client, ANN) is None


def test_a_consent_that_an_earlier_version_writes_or_reads_grants_nothing(
    world: World, client: Client
) -> None:
    """Its workers grant each of ``scopes`` at each of ``resources``, and store the roles with those alone."""
    consents, former = world.documents["consents"], {"scopes": ["openid"], "resources": ["urn:first"]}
    manage(world, store_consent, client, ANN, ["openid"], ["urn:first"])
    consents.update_many({}, {"$set": former})
    assert manage(world, find_consent, client, ANN) is None
    manage(world, store_consent, client, ANN, ["email"], ["urn:first"])
    assert manage(world, find_consent, client, ANN) == {"urn:first": {"email"}}
    assert [{name: one[name] for name in former} for one in consents.find()] == [
        {"scopes": [], "resources": []}
    ]
