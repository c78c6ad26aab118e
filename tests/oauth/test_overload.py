"""What is answered when there is too much to do, and that no request uses the store without a place at the gate."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2
import pytest
from pymongo import MongoClient

from runtime.errors import InternalFault, Overloaded, RecordBusy, StoreUnavailable
from runtime.oauth.management import create_client
from runtime.seams import NewUser
from tests.http.world import PASSWORD, Document, World, open_world
from tests.oauth.applications import FORM, basic, manage, register, send
from tests.oauth.sign_ins import REDIRECT, USER, refresh_form, sign_in, tokens_of
from tests.oauth.signing import RSA, Signer, jwk
from tests.oauth.signing import form as form_of
from tests.oauth.walking import Walker, answer_at, title_of

WEB: Document = {
    "allowedGrantTypes": ["authorization_code", "refresh_token", "client_credentials"],
    "redirectUris": [REDIRECT],
}
REQUEST = {"response_type": "code", "client_id": "web", "redirect_uri": REDIRECT, "state": "s-1"}
ISSUER = "http://127.0.0.1:8080"
SECRETS: dict[str, str] = {}
SIGNER = Signer("keyed")

JSON_ROUTES = ("token", "par", "revoke", "introspect", "userinfo", "register")
PAGES = ("GET authorize", "POST authorize", "GET logout", "POST logout")


@pytest.fixture(scope="module")
def world(mongo_uri: str, mongo_client: MongoClient[Document], key_folder: Path) -> Iterator[World]:
    values: dict[str, Any] = {
        "registration": "open",
        "queue_ms": 200,
        "login_failures": 1000,
        "data_folder": key_folder,
    }
    with open_world(mongo_uri, mongo_client, **values) as opened:
        SECRETS.update({name: register(opened, name, **WEB) for name in ("web", "fresh", "public")})
        public = {"$set": {"publicClient": True}, "$unset": {"clientSecretHash": ""}}
        opened.documents["oauth_clients"].update_one({"clientId": "public"}, public)
        keyed = WEB | {"tokenEndpointAuthMethod": "private_key_jwt", "jwks": {"keys": [jwk(RSA, kid="rsa")]}}
        manage(opened, create_client, NewUser("keyed", "", "acme", frozenset({"user"})), fields=keyed)
        yield opened


@contextmanager
def full_gate(world: World) -> Iterator[None]:
    """Others have all the places, and keep them."""
    gate = world.app.state.service.gate
    places = 500
    for _ in range(places):
        gate.enter("others")
    try:
        yield
    finally:
        for _ in range(places):
            gate.leave("others", 0.0)


def ask(world: World, route: str) -> httpx2.Response:
    method, _blank, name = route.rpartition(" ")
    path = f"{method or 'POST'} /oauth/{name}"
    own = basic("web", SECRETS["web"])
    match name:
        case "token":
            return send(world, {"grant_type": "client_credentials"}, own)
        case "par":
            return send(world, REQUEST, own, "/oauth/par")
        case "revoke" | "introspect":
            return send(world, {"token": "x"}, own, f"/oauth/{name}")
        case "userinfo":
            return world.ask("GET /oauth/userinfo", "acme")
        case "register":
            return world.ask(path, None, json={"redirect_uris": [REDIRECT]})
        case "authorize" if method == "GET":
            return world.ask(path, None, params=REQUEST)
    body = {} if method == "GET" else {"content": b"client_id=web", "headers": {"Content-Type": FORM}}
    return world.ask(path, None, **body)


def check_busy(answer: httpx2.Response, status: int) -> None:
    assert (answer.status_code, answer.json()["error"]) == (status, "temporarily_unavailable"), answer.text
    assert answer.json().keys() == {"error", "error_description"}
    assert int(answer.headers["retry-after"]) >= 1
    assert answer.headers["cache-control"] == "no-store"
    assert "www-authenticate" not in answer.headers


@pytest.mark.parametrize("route", JSON_ROUTES)
def test_too_many_at_once(world: World, route: str) -> None:
    with full_gate(world):
        check_busy(ask(world, route), 503)
    assert ask(world, route).status_code < 300


@pytest.mark.parametrize("route", PAGES)
def test_too_many_at_once_for_a_page(world: World, route: str) -> None:
    with full_gate(world):
        answer = ask(world, route)
    assert (answer.status_code, title_of(answer)) == (503, "This did not work")
    assert int(answer.headers["retry-after"]) >= 1
    assert "location" not in answer.headers
    assert ask(world, route).status_code in (200, 303, 400)


@pytest.mark.parametrize("route", ["token", "par", "revoke", "introspect"])
def test_too_many_wrong_secrets(
    mongo_uri: str, mongo_client: MongoClient[Document], key_folder: Path, route: str
) -> None:
    with open_world(mongo_uri, mongo_client, login_failures=2, data_folder=key_folder) as world:
        right = register(world, "web", **WEB)
        SECRETS["web"], kept = "wrong", SECRETS.get("web", "")
        try:
            assert [ask(world, route).status_code for _ in range(2)] == [401, 401]
            check_busy(ask(world, route), 429)
            SECRETS["web"] = right
            check_busy(ask(world, route), 429)
        finally:
            SECRETS["web"] = kept


def test_nobody_elsewhere_locks_a_client_out(
    mongo_uri: str, mongo_client: MongoClient[Document], key_folder: Path
) -> None:
    """Not by failing in its name, and not as a user with the name under which its failures might count."""
    with open_world(mongo_uri, mongo_client, login_failures=2, data_folder=key_folder) as world:
        secret = register(world, "web", **WEB)
        own, form = replace(world, peer=("192.0.2.1", 50000)), {"grant_type": "client_credentials"}
        names = ("client web at address:192.0.2.1", "client web at 192.0.2.1", "web")
        for at, name in enumerate(names):
            attacker = replace(world, peer=(f"198.51.100.{at}", 50000))
            body = {"userId": name, "password": "x"}
            for status in (401, 401, 429):
                assert attacker.ask("POST /security/login", None, json=body).status_code == status
            check_busy(send(attacker, form, basic("web", "wrong")), 429)
        assert send(own, form, basic("web", secret)).status_code == 200


FAULTS: list[tuple[Exception, str, int]] = [
    (StoreUnavailable("mongo-7.internal does not answer"), "temporarily_unavailable", 503),
    (RecordBusy("the secret of the record"), "temporarily_unavailable", 503),
    (Overloaded("the queue is full", retryAfter=7), "temporarily_unavailable", 503),
    (InternalFault("the secret of the fault"), "server_error", 500),
    (RuntimeError("the secret of the fault"), "server_error", 500),
]


@pytest.mark.parametrize(("fault", "error", "status"), FAULTS, ids=[type(one[0]).__name__ for one in FAULTS])
def test_a_fault_on_the_way(
    world: World, monkeypatch: pytest.MonkeyPatch, fault: Exception, error: str, status: int
) -> None:
    """The client of a sign-in gets it by the browser, with ``state`` and ``iss``, and no reason."""

    async def fail(*_arguments: Any, **_options: Any) -> None:
        raise fault

    service = world.app.state.service
    walker = Walker(world)
    page = walker.open(REQUEST)
    monkeypatch.setattr(service.sign_ons, "find", fail)
    monkeypatch.setattr(service.sign_ons, "begin", fail)
    monkeypatch.setattr(service.clients, "mint_own_token", fail)
    for answer in (walker.open(REQUEST), walker.log_in(page)):
        said = answer_at(answer, REDIRECT)
        assert said.keys() == {"error", "error_description", "state", "iss"}
        assert (said["error"], said["state"], said["iss"]) == (error, "s-1", ISSUER)
        assert "secret" not in said["error_description"]
        assert "mongo" not in said["error_description"]
    refused = ask(world, "token")
    assert (refused.status_code, refused.json()["error"]) == (status, error)
    assert "secret" not in refused.text
    assert "mongo" not in refused.text
    assert ("retry-after" in refused.headers) is (status == 503)


def test_too_many_logins_at_once(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    async def refuse(*_arguments: Any, **_options: Any) -> None:
        raise Overloaded("the service is overloaded", retryAfter=3)

    walker = Walker(world)
    page = walker.open(REQUEST)
    monkeypatch.setattr(world.app.state.service.provider, "authenticate", refuse)
    answer = walker.log_in(page)
    assert (answer.status_code, answer.headers["retry-after"], title_of(answer)) == (503, "3", "Sign in")
    assert "busy" in answer.text


def log_in_by_page(world: World) -> httpx2.Response:
    walker = Walker(world)
    return walker.log_in(walker.open(REQUEST), USER, PASSWORD)


def exchange(
    client_id: str, *, by: str = "secret", grant: str = "code"
) -> Callable[[World], httpx2.Response]:
    """A token request of a client that proves itself by its secret, its key, or not at all."""

    def own(world: World) -> tuple[Document, dict[str, str]]:
        match by:
            case "nothing":
                return {"client_id": client_id}, {}
            case "key":
                return form_of(SIGNER.with_claims()), {}
        return {}, basic(client_id, SECRETS[client_id])

    def ask_for_it(world: World) -> httpx2.Response:
        form: Document = sign_in(world, client_id).form()
        if grant == "refresh":
            form = refresh_form(send(world, form | own(world)[0], own(world)[1]).json()["refresh_token"])
        elif grant == "credentials":
            form = {"grant_type": "client_credentials"}
        added, headers = own(world)
        return send(world, form | added, headers)

    return ask_for_it


WITH_PLACES: dict[str, Callable[[World], httpx2.Response]] = {
    "a secret that is verified": exchange("fresh"),
    "a secret that is remembered": exchange("web"),
    "a refresh": exchange("web", grant="refresh"),
    "no secret": exchange("public", by="nothing"),
    "a key": exchange("keyed", by="key"),
    "a login on the page": log_in_by_page,
}


@pytest.mark.parametrize("name", WITH_PLACES)
def test_the_store_is_written_with_a_place_at_the_gate(
    world: World, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Hashing has a queue of its own; what follows must not escape the limit."""
    service, held = world.app.state.service, list[int]()
    if name != "a secret that is verified":
        tokens_of(world, "web", SECRETS["web"])
    real = {way: getattr(type(service.store), way) for way in ("insert", "update_one", "transact")}

    def watch(way: str) -> None:
        async def work(store: Any, *arguments: Any, **options: Any) -> Any:
            if way == "transact" or arguments[0].kind.name in ("RefreshFamily", "SignOn"):
                held.append(service.gate.taken)
            return await real[way](store, *arguments, **options)

        monkeypatch.setattr(type(service.store), way, work)

    for way in real:
        watch(way)
    answer = WITH_PLACES[name](world)
    assert answer.status_code in (200, 303), answer.text
    assert held
    assert all(held)
    assert service.gate.taken == 0
