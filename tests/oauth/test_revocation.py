"""``POST /oauth/revoke``: what ends with a token, what stays, and who may end it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest
from pymongo import MongoClient
from starlette.testclient import TestClient

from generated.app import create
from runtime.identity.login.spent_tokens import SpentTokens
from runtime.oauth.management import set_active
from tests.http.world import Document, World, open_world
from tests.log_lines import capture_logs
from tests.oauth.applications import check_refused, manage, send
from tests.oauth.presenting import (
    ELSEWHERE,
    INTROSPECT,
    REVOKE,
    WRONG_NAMES,
    Clients,
    send_wrong,
)
from tests.oauth.sign_ins import claims_of, count, is_accepted, refresh_form, sign_in
from tests.patience import wait_until


@pytest.fixture(scope="module")
def clients(world: World) -> Clients:
    return Clients(world)


def check_done(answer: Any) -> None:
    """The one answer to every client that is known."""
    assert (answer.status_code, answer.content) == (200, b""), answer.text
    assert "content-type" not in answer.headers


def spent(world: World) -> int:
    return count(world, "spentTokens")


def test_an_access_token_of_the_client_itself_ends_alone(clients: Clients) -> None:
    first, second = clients.own_token(), clients.own_token()
    check_done(clients.present(REVOKE, first))
    assert not is_accepted(clients.world, first)
    assert is_accepted(clients.world, second)
    again = clients.present(REVOKE, first)
    check_done(again)


def test_an_access_token_of_a_user_ends_alone(clients: Clients) -> None:
    tokens = clients.sign_in()
    check_done(clients.present(REVOKE, tokens["access_token"]))
    assert not is_accepted(clients.world, tokens["access_token"])
    refreshed = send(clients.world, refresh_form(tokens["refresh_token"]), clients.headers("shop"))
    assert refreshed.status_code == 200, refreshed.text
    assert is_accepted(clients.world, refreshed.json()["access_token"])


def test_a_refresh_token_ends_its_whole_session(clients: Clients) -> None:
    tokens, untouched = clients.sign_in(), clients.sign_in()
    with capture_logs() as lines:
        check_done(clients.present(REVOKE, tokens["refresh_token"]))
    assert not is_accepted(clients.world, tokens["access_token"])
    refused = send(clients.world, refresh_form(tokens["refresh_token"]), clients.headers("shop"))
    check_refused(refused, 400, "invalid_grant")
    assert is_accepted(clients.world, untouched["access_token"])
    (ended,) = [line for line in lines if line["event"] == "oauth.family_ended"]
    assert (ended["reason"], ended["client"]) == ("revoked", "shop")
    assert not [line for line in lines if tokens["refresh_token"] in str(line)]


def test_a_used_refresh_token_ends_its_session_too(clients: Clients) -> None:
    tokens = clients.sign_in()
    second = send(clients.world, refresh_form(tokens["refresh_token"]), clients.headers("shop")).json()
    check_done(clients.present(REVOKE, tokens["refresh_token"]))
    assert not is_accepted(clients.world, second["access_token"])


def test_a_public_client_revokes_its_own_tokens(clients: Clients) -> None:
    ours = sign_in(clients.world, "app")
    tokens = send(clients.world, ours.form(client_id="app")).json()
    for name in ("access_token", "refresh_token"):
        check_done(clients.present(REVOKE, tokens[name], "app"))
        assert not is_accepted(clients.world, tokens["access_token"])
    refused = send(clients.world, refresh_form(tokens["refresh_token"], client_id="app"))
    check_refused(refused, 400, "invalid_grant")


FOREIGN: dict[str, Callable[[Clients], str]] = {
    "an access token of another client": lambda c: c.own_token("other"),
    "an access token of another client's user": lambda c: str(c.sign_in("other")["access_token"]),
    "an access token of a login": lambda c: str(c.log_in()["accessToken"]),
}


@pytest.mark.parametrize("client_id", ["shop", "gateway", "app"])
@pytest.mark.parametrize("name", FOREIGN)
def test_nothing_happens_to_the_access_tokens_of_others(clients: Clients, name: str, client_id: str) -> None:
    token, before = FOREIGN[name](clients), spent(clients.world)
    check_done(clients.present(REVOKE, token, client_id))
    assert is_accepted(clients.world, token)
    assert spent(clients.world) == before


def test_nothing_happens_to_the_sessions_of_others(clients: Clients) -> None:
    tokens, login = clients.sign_in("other"), clients.log_in()
    for token in (tokens["refresh_token"], login["refreshToken"]):
        for client_id in ("shop", "app"):
            check_done(clients.present(REVOKE, token, client_id))
    assert is_accepted(clients.world, tokens["access_token"])
    assert is_accepted(clients.world, login["accessToken"])
    refreshed = send(clients.world, refresh_form(tokens["refresh_token"]), clients.headers("other"))
    assert refreshed.status_code == 200
    body = {"refreshToken": login["refreshToken"]}
    assert clients.world.ask("POST /security/refresh", None, json=body).status_code == 200


def make_expired(world: World) -> str:
    """An access token of ``shop`` that was expired half a minute ago."""
    service = world.app.state.service
    tokens, portal = service.tokens, world.client.portal
    assert portal is not None
    holder = portal.call(service.provider.find_holder, tokens.verify_access(world.tokens["acme-user"]))
    return str(tokens.mint_access(holder, client_id="shop", seconds=-30))


UNKNOWN: dict[str, Callable[[Clients], str]] = {
    "no token": lambda _: "made up",
    "a blank": lambda _: " ",
    "three parts": lambda _: "a.b.c",
    "a token of somebody else": lambda _: "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.e30.AA",
    "a cut token": lambda c: c.own_token()[:-5],
    "a token with another signature": lambda c: c.own_token().rpartition(".")[0] + "." + "A" * 342,
    "a long text": lambda _: "a" * 50_000,
    "a text in another script": lambda _: "токен",
    "NUL": lambda _: "\0",
    "an operator": lambda _: '{"$ne":""}',
    "an authorization code": lambda c: sign_in(c.world, "shop").code,
    "an expired access token": lambda c: make_expired(c.world),
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_what_is_not_a_token_in_force_is_answered_the_same_way(clients: Clients, name: str) -> None:
    token, before = UNKNOWN[name](clients), spent(clients.world)
    check_done(clients.present(REVOKE, token))
    assert spent(clients.world) == before


OTHER_KINDS: dict[str, Callable[[Clients], str]] = {
    "an ID token": lambda c: str(c.sign_in()["id_token"]),
    "an ID token of another client": lambda c: str(c.sign_in("other")["id_token"]),
    "a one-purpose token": lambda c: str(
        c.world.app.state.service.tokens.mint_purpose("password-change", "anybody", 60)
    ),
}


@pytest.mark.parametrize("name", OTHER_KINDS)
def test_other_kinds_of_token_cannot_be_revoked(clients: Clients, name: str) -> None:
    for hint in ({}, {"token_type_hint": "access_token"}, {"token_type_hint": "id_token"}):
        answer = clients.present(REVOKE, OTHER_KINDS[name](clients), **hint)
        check_refused(answer, 400, "unsupported_token_type")


@pytest.mark.parametrize("hint", ["access_token", "refresh_token", "id_token", "made up", ""])
def test_a_hint_changes_nothing(clients: Clients, hint: str) -> None:
    tokens = clients.sign_in()
    check_done(clients.present(REVOKE, tokens["access_token"], token_type_hint=hint))
    assert not is_accepted(clients.world, tokens["access_token"])
    check_done(clients.present(REVOKE, tokens["refresh_token"], token_type_hint=hint))
    check_done(clients.present(REVOKE, "made up", token_type_hint=hint))
    refused = send(clients.world, refresh_form(tokens["refresh_token"]), clients.headers("shop"))
    check_refused(refused, 400, "invalid_grant")


@pytest.mark.parametrize("name", WRONG_NAMES)
def test_wrong_requests(clients: Clients, name: str) -> None:
    token, before = clients.own_token(), spent(clients.world)
    answer, wrong = send_wrong(clients, REVOKE, name, token)
    check_refused(answer, wrong.status, wrong.error)
    assert is_accepted(clients.world, token)
    assert spent(clients.world) == before


def test_a_token_of_another_resource_server_can_be_revoked(clients: Clients) -> None:
    token = clients.own_token(resource=ELSEWHERE)
    assert clients.present(INTROSPECT, token, "stock").json()["active"] is True
    check_done(clients.present(REVOKE, token, "stock"))  # which is not the client it was issued to
    assert clients.present(INTROSPECT, token, "stock").json()["active"] is True
    check_done(clients.present(REVOKE, token))
    assert clients.present(INTROSPECT, token, "stock").json() == {"active": False}


def test_a_disabled_client_revokes_nothing(clients: Clients) -> None:
    tokens = clients.sign_in("other")
    manage(clients.world, set_active, clients.world.realm, "other", False)
    check_refused(clients.present(REVOKE, tokens["refresh_token"], "other"), 401, "invalid_client")
    manage(clients.world, set_active, clients.world.realm, "other", True)
    assert is_accepted(clients.world, tokens["access_token"])


def test_of_a_revoked_token_only_a_hash_is_stored_and_goes(clients: Clients) -> None:
    clients.world.documents["spentTokens"].delete_many({})
    token = clients.own_token()
    with capture_logs() as lines:
        check_done(clients.present(REVOKE, token))
    (stored,) = clients.world.documents["spentTokens"].find()
    says = claims_of(token)
    assert not [part for part in (says["jti"], says["sub"], token) if part in str(stored)]
    assert says["exp"] + 60 < stored["expiresAt"].replace(tzinfo=UTC).timestamp() < says["exp"] + 600
    (line,) = [line for line in lines if line["event"] == "oauth.revoked"]
    assert (line["client"], line["subject"]) == ("shop", says["sub"])
    assert token not in str(lines)


def test_many_at_once_end_one_token(clients: Clients) -> None:
    token, before = clients.own_token(), spent(clients.world)
    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(lambda _: clients.present(REVOKE, token), range(16)))
    for answer in answers:
        check_done(answer)
    assert spent(clients.world) == before + 1
    assert not is_accepted(clients.world, token)


@pytest.fixture(scope="module")
def remembering(mongo_uri: str, mongo_client: MongoClient[Document], key_folder: Path) -> Iterator[World]:
    """A worker that remembers for ten seconds."""
    values = {"credential_cache_seconds": 10, "data_folder": key_folder}
    with open_world(mongo_uri, mongo_client, **values) as opened:
        yield opened


@pytest.fixture(scope="module")
def another(remembering: World) -> Iterator[TestClient]:
    """Another one with the same settings."""
    with TestClient(create(remembering.app.state.service.settings)) as client:
        yield client


@pytest.fixture(scope="module")
def remembered(remembering: World) -> Clients:
    return Clients(remembering)


def test_a_revoked_token_is_refused_by_both(
    remembering: World, another: TestClient, remembered: Clients
) -> None:
    admin = remembering.headers("acme")
    for client in (remembering.client, another):
        wait_until(
            lambda client=client: client.get("/ready", headers=admin).json().get("changeStream") is True, 30
        )
    for token in (remembered.own_token(), remembered.sign_in()["access_token"]):
        headers = {"Authorization": f"Bearer {token}"}
        for _ in range(2):
            assert another.get("/security/me", headers=headers).status_code == 200
            assert is_accepted(remembering, token)
        check_done(remembered.present(REVOKE, token))
        assert not is_accepted(remembering, token)
        wait_until(lambda sent=headers: another.get("/security/me", headers=sent).status_code == 401, 1)


def test_a_token_that_is_not_revoked_is_looked_up_once(
    remembering: World, remembered: Clients, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[str] = []
    find = SpentTokens._find

    async def note(self: SpentTokens, realm: str, token_id: str) -> Any:
        looked.append(token_id)
        return await find(self, realm, token_id)

    monkeypatch.setattr(SpentTokens, "_find", note)
    token = remembered.own_token()
    for _ in range(5):
        assert is_accepted(remembering, token)
        assert remembering.ask("GET /security/me", "acme-user").status_code == 200
    assert looked == [claims_of(token)["jti"]]
