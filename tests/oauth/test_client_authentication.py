"""How clients prove who they are: each by the one method it is registered for, never by two at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import bcrypt
import pytest

from runtime.identity.clients import registered
from runtime.identity.credentials import passwords
from runtime.oauth.management import rotate_secret
from tests.http.world import Document, World
from tests.oauth.applications import CLIENT_CREDENTIALS, basic, check_refused, manage, register, send

SECRETS: dict[str, str] = {}
"""By client id."""

CLIENTS: dict[str, Document] = {
    "either": {},
    "by-header": {"tokenEndpointAuthMethod": "client_secret_basic"},
    "by-form": {"tokenEndpointAuthMethod": "client_secret_post"},
    "public": {"publicClient": True},
    "public-named": {"publicClient": True, "tokenEndpointAuthMethod": "none"},
    "public-contradictory": {"publicClient": True, "tokenEndpointAuthMethod": "client_secret_post"},
    "none-but-confidential": {"tokenEndpointAuthMethod": "none"},
    "public-disabled": {"publicClient": True, "active": False},
}


@pytest.fixture(scope="module")
def world(world: World) -> World:
    """No memory, so that what is changed is seen at once; failures are not throttled unless a test wants it."""
    SECRETS.update({client_id: register(world, client_id, **more) for client_id, more in CLIENTS.items()})
    return world


@dataclass(frozen=True)
class Wrong:
    """A request that is refused; ``$id`` stands for the secret of that client, ``#id`` for its hash."""

    status: int
    error: str
    form: Mapping[str, str] = field(default_factory=dict)
    basic: tuple[str, str] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)


UNKNOWN_CLIENT = "the client is unknown or disabled, or its secret is wrong or missing"

WRONG: dict[str, Wrong] = {
    "nothing": Wrong(401, "invalid_client"),
    "the id of a client with a secret": Wrong(401, "invalid_client", {"client_id": "either"}),
    "the id alone, registered for Basic": Wrong(401, "invalid_client", {"client_id": "by-header"}),
    "the id alone, registered for the form": Wrong(401, "invalid_client", {"client_id": "by-form"}),
    "the id alone, none without being public": Wrong(
        401, "invalid_client", {"client_id": "none-but-confidential"}
    ),
    "the id alone, public and registered for a secret": Wrong(
        401, "invalid_client", {"client_id": "public-contradictory"}
    ),
    "an unknown id alone": Wrong(401, "invalid_client", {"client_id": "nobody"}),
    "a disabled public client": Wrong(401, "invalid_client", {"client_id": "public-disabled"}),
    "a public client in capitals": Wrong(401, "invalid_client", {"client_id": "PUBLIC"}),
    "a public client with a blank": Wrong(401, "invalid_client", {"client_id": "public "}),
    "a public client of another realm": Wrong(
        401, "invalid_client", {"client_id": "public", "realm": "elsewhere"}
    ),
    "an operator in the id": Wrong(401, "invalid_client", {"client_id": '{"$ne":1}'}),
    "an id with NUL": Wrong(401, "invalid_client", {"client_id": "public\0"}),
    "a public client with a wrong secret": Wrong(
        401, "invalid_client", {"client_id": "public", "client_secret": "x"}
    ),
    "a public client with a secret that is stored": Wrong(
        401, "invalid_client", {"client_id": "public", "client_secret": "$public"}
    ),
    "a public client with that secret by Basic": Wrong(401, "invalid_client", basic=("public", "$public")),
    "a named public client with that secret": Wrong(
        401, "invalid_client", {"client_id": "public-named", "client_secret": "$public-named"}
    ),
    "a public client registered for a secret that sends it": Wrong(
        401,
        "invalid_client",
        {"client_id": "public-contradictory", "client_secret": "$public-contradictory"},
    ),
    "a confidential client registered for none that sends its secret": Wrong(
        401,
        "invalid_client",
        {"client_id": "none-but-confidential", "client_secret": "$none-but-confidential"},
    ),
    "a public client by Basic without a secret": Wrong(401, "invalid_client", basic=("public", "")),
    "a public client by Bearer": Wrong(
        401, "invalid_client", {"client_id": "public"}, headers={"Authorization": "Bearer a.b.c"}
    ),
    "an empty Authorization header and the id of a public client": Wrong(
        401, "invalid_client", {"client_id": "public"}, headers={"Authorization": ""}
    ),
    "Basic, registered for the form": Wrong(401, "invalid_client", basic=("by-form", "$by-form")),
    "the form, registered for Basic": Wrong(
        401, "invalid_client", {"client_id": "by-header", "client_secret": "$by-header"}
    ),
    "Basic, and the secret in the form too": Wrong(
        400,
        "invalid_request",
        {"client_id": "either", "client_secret": "$either"},
        basic=("either", "$either"),
    ),
    "Basic of one client, the id of another in the form": Wrong(
        400, "invalid_request", {"client_id": "by-header"}, basic=("either", "$either")
    ),
    "Basic of one client, the id of a public one in the form": Wrong(
        400, "invalid_request", {"client_id": "public"}, basic=("either", "$either")
    ),
    "the secret of another client": Wrong(401, "invalid_client", basic=("either", "$by-header")),
    "the stored hash as the secret": Wrong(401, "invalid_client", basic=("either", "#either")),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_requests(world: World, name: str) -> None:
    wrong = WRONG[name]
    headers = dict(wrong.headers)
    if wrong.basic is not None:
        headers |= basic(*(fill(world, half) for half in wrong.basic))
    form = {key: fill(world, value) for key, value in wrong.form.items()}
    answer = send(world, CLIENT_CREDENTIALS | form, headers)
    check_refused(answer, wrong.status, wrong.error)
    assert not [secret for secret in SECRETS.values() if secret in answer.text]


def fill(world: World, value: str) -> str:
    match value[:1], value[1:]:
        case "$", client_id:
            return SECRETS[client_id]
        case "#", client_id:
            stored = world.documents["oauth_clients"].find_one({"clientId": client_id})
            assert stored is not None
            return str(stored["clientSecretHash"])
    return value


@pytest.mark.parametrize("client_id", ["public", "public-named"])
def test_a_public_client_authenticates_by_its_id_and_may_not_use_client_credentials(
    world: World, client_id: str
) -> None:
    check_refused(
        send(world, {"grant_type": "client_credentials", "client_id": client_id}), 400, "unauthorized_client"
    )
    answer = send(world, CLIENT_CREDENTIALS, basic(client_id, ""))
    check_refused(answer, 401, "invalid_client")
    assert "a public client sends client_id in the form instead" in answer.json()["error_description"]


@pytest.mark.parametrize("client_id", [name for name in CLIENTS if name not in ("public", "public-named")])
def test_an_id_alone_reveals_nothing(world: World, client_id: str) -> None:
    unknown = send(world, CLIENT_CREDENTIALS | {"client_id": "nobody"})
    answer = send(world, CLIENT_CREDENTIALS | {"client_id": client_id})
    assert (answer.status_code, answer.content) == (unknown.status_code, unknown.content)
    assert answer.json()["error_description"] == UNKNOWN_CLIENT


@pytest.mark.parametrize(
    ("client_id", "ways"),
    [("either", ("header", "form")), ("by-header", ("header",)), ("by-form", ("form",))],
)
def test_a_secret_is_sent_the_way_that_is_registered(
    world: World, client_id: str, ways: tuple[str, ...]
) -> None:
    secret = SECRETS[client_id]
    sent: dict[str, Any] = {
        "header": lambda: send(world, CLIENT_CREDENTIALS, basic(client_id, secret)),
        "form": lambda: send(world, CLIENT_CREDENTIALS | {"client_id": client_id, "client_secret": secret}),
    }
    for way, ask in sent.items():
        assert (ask().status_code == 200) is (way in ways), way


@pytest.mark.parametrize("secret", ["a+b/c%20d==", "p%C3%A4ss", "100%", "%ff", "a b:c", "grün €"])
def test_the_halves_of_basic_may_be_form_encoded_or_not(world: World, secret: str) -> None:
    """RFC 6749 demands the encoding, and many clients leave it out."""
    hashed = bcrypt.hashpw(secret.encode(), bcrypt.gensalt(4)).decode()
    clients = world.documents["oauth_clients"]
    clients.update_one({"clientId": "by-header"}, {"$set": {"previousSecretHash": hashed}})
    for encoded in (True, False):
        answer = send(world, CLIENT_CREDENTIALS, basic("by-header", secret, encoded=encoded))
        assert answer.status_code == 200, (secret, encoded)
    check_refused(send(world, CLIENT_CREDENTIALS, basic("by-header", secret + "x")), 401, "invalid_client")
    clients.update_one({"clientId": "by-header"}, {"$unset": {"previousSecretHash": ""}})


def test_a_secret_is_hashed_twice_only_where_it_reads_in_two_ways(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    hashed: list[str] = []

    def count(password: str, stored: str | None, cost: int) -> bool:
        hashed.append(password)
        return False

    monkeypatch.setattr(passwords, "password_matches", count)
    for sent, tried in {"plain": ["plain"], "a+b": ["a b", "a+b"], "%ff": ["%ff"]}.items():
        hashed.clear()
        answer = send(world, CLIENT_CREDENTIALS, basic("by-form", sent, encoded=False))
        check_refused(answer, 401, "invalid_client")
        assert hashed == tried * 2  # with each of the two secrets that a client may have


def test_a_wrong_secret_costs_the_same_for_any_client(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither whether there is a client, nor whether its secret is being replaced, can be measured."""
    secret = register(world, "rotated")
    manage(world, rotate_secret, world.realm, "rotated")
    hashed: list[str | None] = []
    real = passwords.password_matches

    def count(password: str, stored: str | None, cost: int) -> bool:
        hashed.append(stored)
        return real(password, stored, cost)

    monkeypatch.setattr(passwords, "password_matches", count)
    for client_id in ("rotated", "by-form", "public", "nobody"):
        hashed.clear()
        check_refused(send(world, CLIENT_CREDENTIALS, basic(client_id, "wrong")), 401, "invalid_client")
        assert len(hashed) == 2, client_id
    assert send(world, CLIENT_CREDENTIALS, basic("rotated", secret)).status_code == 200


def test_the_right_secret_renews_a_hash_of_a_lower_cost(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of either of two secrets, and nothing else of the client changes."""
    before = register(world, "costlier")
    after = manage(world, rotate_secret, world.realm, "costlier").secret
    clients, by_id = world.documents["oauth_clients"], {"clientId": "costlier"}
    stored = clients.find_one(by_id) or {}
    monkeypatch.setattr(world.app.state.service.clients, "_cost", 5)
    check_refused(send(world, CLIENT_CREDENTIALS, basic("costlier", "wrong")), 401, "invalid_client")
    assert clients.find_one(by_id) == stored
    for secret, name in ((before, "previousSecretHash"), (after, "clientSecretHash")):
        assert stored[name].startswith("$2b$04$")
        for _again in range(2):
            assert send(world, CLIENT_CREDENTIALS, basic("costlier", secret)).status_code == 200
            renewed = clients.find_one(by_id) or {}
            assert renewed == stored | {name: renewed[name]}
            assert renewed[name].startswith("$2b$05$")
            stored = renewed


def test_a_secret_that_is_replaced_while_its_hash_is_renewed_stays_replaced(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = register(world, "replaced")
    clients, service = world.documents["oauth_clients"], world.app.state.service

    async def replace_first(_secret: str, _cost: int) -> str:
        await rotate_secret(service, world.realm, "replaced", ends_previous=True)
        return "renewed"

    with monkeypatch.context() as patch:
        patch.setattr(service.clients, "_cost", 5)
        patch.setattr(registered, "hash_off_loop", replace_first)
        assert send(world, CLIENT_CREDENTIALS, basic("replaced", secret)).status_code == 200
    stored = clients.find_one({"clientId": "replaced"}) or {}
    assert "renewed" not in stored.values()
    check_refused(send(world, CLIENT_CREDENTIALS, basic("replaced", secret)), 401, "invalid_client")
