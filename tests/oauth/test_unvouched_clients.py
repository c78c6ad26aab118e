"""Clients that nobody vouches for, those that registered themselves and those of documents: a whole sign-in with
each, and that a link to the service never leads to them by itself."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from typing import Any

import pytest

from runtime.oauth.client_documents import ClientDocuments, Fetcher
from runtime.oauth.client_documents.fetching import Fetched
from runtime.permissions.token_scopes import known_scopes
from tests.http.world import World
from tests.oauth.applications import basic, send
from tests.oauth.sign_ins import USER, challenge_of, claims_of
from tests.oauth.walking import Walker, answer_at, title_of

pytestmark = pytest.mark.settings(registration="open", registrations_per_hour=500)

URL = "https://app.example/client.json"
CALLBACK = "https://app.example/callback"
AFTER = "https://app.example/signed-out"
SCOPE = "openid profile logistics:read"
METADATA = {
    "client_name": "Field notes",
    "redirect_uris": [CALLBACK],
    "post_logout_redirect_uris": [AFTER],
    "grant_types": ["authorization_code", "refresh_token"],
    "scope": f"{SCOPE} records:write",
}
KINDS = ("public", "with a secret", "of a document")


class Documents(Fetcher):
    """In place of the network."""

    async def fetch(self, url: Any) -> Fetched:
        return Fetched(
            json.dumps({"client_id": url, **METADATA}).encode(), {"content-type": "application/json"}
        )


class Application:
    """A client, as its developer wrote it."""

    def __init__(self, world: World, kind: str) -> None:
        self.world, self.kind = world, kind
        self.verifier = secrets.token_urlsafe(48)
        if kind == "of a document":
            self.client_id, self.headers = URL, dict[str, str]()
            return
        method = "none" if kind == "public" else "client_secret_basic"
        answer = world.ask(
            "POST /oauth/register", None, json=METADATA | {"token_endpoint_auth_method": method}
        )
        assert answer.status_code == 201, answer.text
        made = answer.json()
        self.client_id = made["client_id"]
        self.headers = {} if kind == "public" else basic(self.client_id, made["client_secret"])

    def request(self, **changes: str | None) -> dict[str, str]:
        sent = {
            "response_type": "code",
            "client_id": self.client_id,
            "redirect_uri": CALLBACK,
            "scope": SCOPE,
            "state": "s-1",
            "nonce": "n-1",
            "code_challenge": challenge_of(self.verifier),
            "code_challenge_method": "S256",
        } | changes
        return {name: value for name, value in sent.items() if value is not None}

    def exchange(self, code: str) -> Any:
        form = {"grant_type": "authorization_code", "code": code, "redirect_uri": CALLBACK}
        return self.send(form | {"code_verifier": self.verifier})

    def send(self, form: Mapping[str, str]) -> Any:
        own = {} if self.headers else {"client_id": self.client_id}
        return send(self.world, {**form, **own}, self.headers)


@pytest.fixture(scope="module")
def world(world: World) -> World:
    service = world.app.state.service
    scopes = known_scopes({kind.area for kind in service.catalog})
    service.provider.own.clients.documents = ClientDocuments(
        service.realms, ["app.example"], scopes, service.tokens.clock, Documents()
    )
    return world


@pytest.fixture(params=KINDS)
def application(world: World, request: pytest.FixtureRequest) -> Application:
    world.documents["consents"].delete_many({})
    return Application(world, request.param)


@pytest.fixture
def walker(world: World) -> Walker:
    return Walker(world)


def test_a_whole_sign_in(world: World, application: Application, walker: Walker) -> None:
    page = walker.open(application.request())
    assert title_of(page) == "Sign in"
    assert "Field notes" in page.text
    consent = walker.log_in(page)
    assert title_of(consent) == "Allow access?"
    for shown in (application.client_id, "Field notes", "app.example", "read records of the area logistics"):
        assert shown in consent.text
    arrived = answer_at(walker.fill(consent, decision="allow"), CALLBACK)
    assert arrived.keys() == {"code", "state", "iss"}
    issued = application.exchange(arrived["code"])
    assert issued.status_code == 200, issued.text
    tokens = issued.json()
    assert tokens["scope"] == SCOPE
    claims = claims_of(tokens["id_token"])
    assert (claims["aud"], claims["nonce"]) == (application.client_id, "n-1")
    assert claims["preferred_username"] == USER
    assert application.exchange(arrived["code"]).json()["error"] == "invalid_grant"

    again = answer_at(walker.open(application.request(prompt="none")), CALLBACK)
    fresh = application.exchange(again["code"]).json()
    bearer = {"Authorization": f"Bearer {fresh['access_token']}"}
    assert world.ask("GET /logistics/carriers/list", None, headers=bearer).status_code == 200
    assert (
        world.ask(
            "POST /logistics/carriers", None, json={"name": "A", "mode": "AIR"}, headers=bearer
        ).status_code
        == 403
    )
    assert world.ask("GET /security/me", None, headers=bearer).status_code == 403
    renewed = application.send({"grant_type": "refresh_token", "refresh_token": fresh["refresh_token"]})
    assert renewed.status_code == 200, renewed.text
    stored = world.documents["oauth_clients"].find_one({"clientId": application.client_id})
    assert "unusedUntil" not in (stored or {})


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"response_type": None}, "invalid_request"),
        ({"response_type": "token"}, "unsupported_response_type"),
        ({"scope": "no-such-scope"}, "invalid_scope"),
        ({"scope": "security:write"}, "invalid_scope"),
        ({"resource": "https://elsewhere.example/"}, "invalid_target"),
        ({"code_challenge_method": "plain"}, "invalid_request"),
        ({"prompt": "none"}, "login_required"),
        ({"id_token_hint": "x"}, "invalid_request"),
    ],
)
@pytest.mark.parametrize("way", ["open", "post"])
def test_a_link_leads_nowhere(
    application: Application, walker: Walker, changes: Mapping[str, str | None], error: str, way: str
) -> None:
    """Anybody could register an address, and have a link to this service send users there (RFC 9700 §4.11.2)."""
    answer = getattr(walker, way)(application.request(**changes))
    assert (answer.status_code, title_of(answer)) == (400, "The application was refused")
    assert f"({error})" in answer.text
    assert "location" not in answer.headers
    assert "<form" not in answer.text


def test_a_user_who_has_decided_returns(application: Application, walker: Walker) -> None:
    """The page has named the application, and where it returns to."""
    consent = walker.log_in(walker.open(application.request()))
    silent = walker.open(application.request(prompt="none"))
    assert (silent.status_code, "(consent_required)" in silent.text) == (400, True)
    refused = answer_at(walker.fill(consent, decision="deny"), CALLBACK)
    assert (refused["error"], refused["state"]) == ("access_denied", "s-1")


def test_a_fault_leads_nowhere_either(
    world: World, application: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_arguments: Any) -> None:
        raise RuntimeError("the secret of the fault")

    monkeypatch.setattr(world.app.state.service.sign_ons, "find", fail)
    answer = world.ask("GET /oauth/authorize", None, params=application.request())
    assert (answer.status_code, title_of(answer)) == (500, "This did not work")
    assert "location" not in answer.headers
    assert "secret of the fault" not in answer.text


def test_a_logout_leads_there_after_a_click_alone(
    world: World, application: Application, walker: Walker
) -> None:
    query = f"/oauth/logout?client_id={application.client_id}&post_logout_redirect_uri={AFTER}"
    nobody = walker.follow(query)
    assert (nobody.status_code, title_of(nobody)) == (200, "You are signed out")
    walker.log_in(walker.open(application.request()))
    asked = walker.follow(query)
    assert title_of(asked) == "Sign out?"
    done = walker.fill(asked, path="/oauth/logout", decision="logout")
    assert (done.status_code, done.headers["location"]) == (303, AFTER)
