"""The grant ``authorization_code``: what a sign-in gives a client, and every request that gets nothing."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any
from urllib.parse import urlencode

import jwt
import pytest
from pymongo import MongoClient

from runtime.call import Service
from runtime.identity.login.client_sign_in import ClientSignIn
from runtime.identity.users.users import NewUser, create_user
from runtime.oauth.management import create_client, set_active
from runtime.realm_setup import create_realm
from runtime.standing import Standing
from tests.http.world import PASSWORD, Document, World
from tests.log_lines import capture_logs
from tests.oauth.applications import basic, check_refused, manage, register, send
from tests.oauth.sign_ins import (
    APPLICATION,
    ELSEWHERE,
    REDIRECT,
    SignIn,
    challenge_of,
    claims_of,
    count,
    is_accepted,
    refresh_form,
    sign_in,
    tokens_of,
)

HERE = "http://127.0.0.1:8080"
WEB = APPLICATION | {"allowedResources": [ELSEWHERE]}
CLIENTS: dict[str, Document] = {
    "shop": WEB,
    "other": WEB,
    "short": WEB | {"allowedGrantTypes": ["authorization_code"]},
    "refresher": WEB | {"allowedGrantTypes": ["refresh_token"]},
    "app": WEB | {"publicClient": True},
    "strict": WEB | {"requirePkce": True},
    "gone": WEB | {"active": False},
}
SECRETS: dict[str, str] = {}


@pytest.fixture(scope="module")
def world(world: World) -> World:
    SECRETS.update({name: register(world, name, **fields) for name, fields in CLIENTS.items()})
    return world


def exchange(world: World, signed_in: SignIn, client_id: str = "shop", **changes: str | None) -> Any:
    return send(world, signed_in.form(**changes), basic(client_id, SECRETS[client_id]))


def test_a_sign_in_gives_tokens(world: World) -> None:
    answer = exchange(world, sign_in(world, "shop", scope="openid profile email", nonce="n-1"))
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/json"
    assert (answer.headers["cache-control"], answer.headers["pragma"]) == ("no-store", "no-cache")
    issued = answer.json()
    assert issued.keys() == {"access_token", "token_type", "expires_in", "scope", "refresh_token", "id_token"}
    assert (issued["token_type"], issued["expires_in"]) == ("Bearer", 3600)
    assert issued["scope"] == "openid profile email"
    assert is_accepted(world, issued["access_token"])


def test_the_access_token_is_one_of_a_login_for_this_client(world: World) -> None:
    issued = tokens_of(world, "shop", SECRETS["shop"], scope="openid records:read")
    assert jwt.get_unverified_header(issued["access_token"])["typ"] == "at+jwt"
    said = claims_of(issued["access_token"])
    assert (said["client_id"], said["scope"], said["iss"]) == ("shop", "openid records:read", HERE)
    assert (said["aud"], said["upn"]) == ([HERE, f"{HERE}/mcp"], "user@acme.example")
    family = world.documents["refreshFamilies"].find_one({"refName": said["sid"]})
    assert family is not None
    assert (family["clientId"], family["subject"]) == ("shop", said["sub"])
    login = claims_of(world.log_in()["accessToken"])
    assert login.keys() <= said.keys()
    assert said.keys() - login.keys() == {"client_id"}


def test_without_openid_there_is_no_id_token_and_without_scopes_no_scope(world: World) -> None:
    assert "id_token" not in tokens_of(world, "shop", SECRETS["shop"], scope="records:read")
    assert not {"id_token", "scope"} & tokens_of(world, "shop", SECRETS["shop"], scope="").keys()


def test_scopes_that_the_client_may_not_request_any_more_are_not_issued(world: World) -> None:
    clients = world.documents["oauth_clients"]
    signed_in = sign_in(world, "shop", scope="openid records:read records:write")
    before = clients.find_one_and_update(
        {"clientId": "shop"}, {"$set": {"allowedScopes": ["openid", "records:read"]}}
    )
    try:
        issued = exchange(world, signed_in).json()
    finally:
        clients.replace_one({"clientId": "shop"}, before)
    assert issued["scope"] == claims_of(issued["access_token"])["scope"] == "openid records:read"


def test_a_client_that_may_not_refresh_gets_no_refresh_token_but_a_session(world: World) -> None:
    issued = tokens_of(world, "short", SECRETS["short"], scope="openid offline_access")
    assert "refresh_token" not in issued
    assert issued["scope"] == "openid offline_access"
    assert is_accepted(world, issued["access_token"])
    assert count(world, refName=claims_of(issued["access_token"])["sid"]) == 1


def test_a_client_that_may_refresh_gets_a_refresh_token_without_asking_for_one(world: World) -> None:
    assert "refresh_token" in tokens_of(world, "shop", SECRETS["shop"], scope="openid")


def test_a_public_client_proves_itself_by_its_verifier(world: World) -> None:
    answer = send(world, sign_in(world, "app").form(client_id="app"))
    assert answer.status_code == 200, answer.text
    assert "refresh_token" in answer.json()


@dataclass(frozen=True)
class Wrong:
    """A request that is refused: how it differs from a good one. ``client``: who sends it."""

    status: int
    error: str
    changes: Mapping[str, str | None] = field(default_factory=dict)
    client: str = "shop"
    granted: Mapping[str, Any] = field(default_factory=dict)
    more: str = ""
    as_client: str | None = None
    """The client that the code was issued to, if not the one that sends the request."""


WITHOUT_PKCE: Document = {"challenge": None}
WRONG: dict[str, Wrong] = {
    "no code": Wrong(400, "invalid_request", {"code": None}),
    "an empty code": Wrong(400, "invalid_request", {"code": ""}),
    "no redirect URI": Wrong(400, "invalid_request", {"redirect_uri": None}),
    "an empty redirect URI": Wrong(400, "invalid_request", {"redirect_uri": ""}),
    "a repeated code": Wrong(400, "invalid_request", more="&code=x"),
    "a repeated redirect URI": Wrong(400, "invalid_request", more="&redirect_uri=x"),
    "a repeated verifier": Wrong(400, "invalid_request", more="&code_verifier=x"),
    "a code beyond any length": Wrong(400, "invalid_request", {"code": "c" * 4001}),
    "a made-up code": Wrong(400, "invalid_grant", {"code": "c" * 43}),
    "the hash of the code": Wrong(400, "invalid_grant", {"code": "$hash"}),
    "the code in capitals": Wrong(400, "invalid_grant", {"code": "$upper"}),
    "a blank after the code": Wrong(400, "invalid_grant", {"code": "$blank"}),
    "a code with a null byte": Wrong(400, "invalid_grant", {"code": "$null"}),
    "an operator for a code": Wrong(400, "invalid_grant", {"code": '{"$ne": 1}'}),
    "another redirect URI": Wrong(400, "invalid_grant", {"redirect_uri": "https://evil.example/"}),
    "a slash more": Wrong(400, "invalid_grant", {"redirect_uri": REDIRECT + "/"}),
    "a query more": Wrong(400, "invalid_grant", {"redirect_uri": REDIRECT + "?a=b"}),
    "another host case": Wrong(400, "invalid_grant", {"redirect_uri": REDIRECT.replace("app", "APP")}),
    "an explicit port": Wrong(400, "invalid_grant", {"redirect_uri": REDIRECT.replace(".example", ".example:443")}),
    "no verifier": Wrong(400, "invalid_grant", {"code_verifier": None}),
    "an empty verifier": Wrong(400, "invalid_grant", {"code_verifier": ""}),
    "another verifier": Wrong(400, "invalid_grant", {"code_verifier": "v" * 43}),
    "a verifier that is too short": Wrong(400, "invalid_grant", {"code_verifier": "v" * 42}),
    "a verifier that is too long": Wrong(400, "invalid_grant", {"code_verifier": "v" * 129}),
    "a verifier of other letters": Wrong(400, "invalid_grant", {"code_verifier": "v" * 43 + "="}),
    "the challenge as verifier": Wrong(400, "invalid_grant", {"code_verifier": "$challenge"}),
    "a verifier without a challenge": Wrong(400, "invalid_grant", {"code_verifier": "v" * 43}, granted=WITHOUT_PKCE),
    "a code of another client": Wrong(400, "invalid_grant", client="other", as_client="shop"),
    "a client that needs PKCE, without": Wrong(400, "invalid_grant", client="strict", granted=WITHOUT_PKCE),
    "a public client without PKCE": Wrong(400, "invalid_grant", client="app", granted=WITHOUT_PKCE),
    "a client of other grants": Wrong(400, "unauthorized_client", client="refresher"),
    "another realm": Wrong(401, "invalid_client", {"realm": "elsewhere"}),
    "a wrong secret": Wrong(401, "invalid_client", client="shop wrong"),
    "a public client with a secret": Wrong(401, "invalid_client", {"client_secret": "x"}, client="app"),
    "a disabled client": Wrong(401, "invalid_client", client="gone", as_client="shop"),
    "a resource nobody granted": Wrong(400, "invalid_target", {"resource": ELSEWHERE}),
    "a resource the client may not have": Wrong(400, "invalid_target", {"resource": "https://other.example"}),
    "a resource with a fragment": Wrong(400, "invalid_target", {"resource": f"{HERE}#a"}),
    "a relative resource": Wrong(400, "invalid_target", {"resource": "/api"}),
    "one resource more than granted": Wrong(
        400, "invalid_target", {"resource": ELSEWHERE}, granted={"resources": (ELSEWHERE,)}, more=f"&resource={HERE}"
    ),
    "this service, granted for another": Wrong(
        400, "invalid_target", {"resource": HERE}, granted={"resources": (ELSEWHERE,)}
    ),
    "a code with the grant refresh_token": Wrong(400, "invalid_request", {"grant_type": "refresh_token"}),
    "a code with the grant client_credentials": Wrong(400, "unauthorized_client", {"grant_type": "client_credentials"}),
    "a password": Wrong(400, "unsupported_grant_type", {"grant_type": "password"}),
}  # fmt: skip


def replaced(value: str | None, signed_in: SignIn) -> str | None:
    made: dict[str, Callable[[], str]] = {
        "$hash": lambda: sha256(signed_in.code.encode()).hexdigest(),
        "$upper": lambda: signed_in.code.swapcase(),
        "$blank": lambda: signed_in.code + " ",
        "$null": lambda: signed_in.code + "\0",
        "$challenge": lambda: challenge_of(str(signed_in.verifier)),
    }
    return made[value]() if value in made else value


@pytest.mark.parametrize("name", WRONG)
def test_wrong_requests_get_nothing_and_leave_the_code_as_it_is(world: World, name: str) -> None:
    wrong = WRONG[name]
    client_id, _, is_wrong = wrong.client.partition(" ")
    owner = wrong.as_client or client_id
    signed_in = sign_in(world, owner, **wrong.granted)
    before = count(world)
    form = signed_in.form(**{key: replaced(value, signed_in) for key, value in wrong.changes.items()})
    headers = basic(client_id, "wrong" if is_wrong else SECRETS[client_id])
    if client_id == "app":
        form, headers = form | {"client_id": "app"}, {}
    answer = send(world, as_form(form) + wrong.more, headers)
    check_refused(answer, wrong.status, wrong.error)
    assert signed_in.code not in answer.text
    assert count(world) == before, "a session began"
    assert count(world, "oauth_authorization_codes", used=True, refName=hash_of(signed_in)) == 0
    if owner in ("shop", "other"):
        resource = wrong.granted.get("resources", (None,))[0]
        assert exchange(world, signed_in, owner, resource=resource).status_code == 200


def as_form(form: Mapping[str, str]) -> str:
    return urlencode(form)


def hash_of(signed_in: SignIn) -> str | None:
    return replaced("$hash", signed_in)


@pytest.mark.parametrize(
    ("granted", "requested", "audience"),
    [
        ((), [], [HERE, f"{HERE}/mcp"]),
        ((), [HERE], [HERE]),
        ((), [f"{HERE}/mcp"], [f"{HERE}/mcp"]),
        ((), [f"{HERE}/mcp", HERE], [f"{HERE}/mcp", HERE]),
        ((ELSEWHERE,), [], [ELSEWHERE]),
        ((ELSEWHERE,), [ELSEWHERE], [ELSEWHERE]),
        ((ELSEWHERE, HERE), [HERE], [HERE]),
        ((ELSEWHERE, HERE), [], [ELSEWHERE, HERE]),
    ],
)
def test_a_token_is_for_the_resources_that_were_granted_or_a_part(
    world: World, granted: tuple[str, ...], requested: list[str], audience: list[str]
) -> None:
    body = as_form(sign_in(world, "shop", resources=granted).form())
    body += "".join(f"&resource={one}" for one in requested)
    answer = send(world, body, basic("shop", SECRETS["shop"]))
    issued = answer.json()["access_token"]
    assert claims_of(issued)["aud"] == audience
    assert is_accepted(world, issued) is (HERE in audience)


def test_a_second_use_ends_the_tokens_at_once(world: World) -> None:
    signed_in = sign_in(world, "shop")
    issued = exchange(world, signed_in).json()
    newer = send(world, refresh_form(issued["refresh_token"]), basic("shop", SECRETS["shop"])).json()
    untouched = tokens_of(world, "shop", SECRETS["shop"])
    assert is_accepted(world, issued["access_token"])
    assert is_accepted(world, newer["access_token"])
    check_refused(exchange(world, signed_in), 400, "invalid_grant")
    for ended in (issued, newer):
        assert not is_accepted(world, ended["access_token"])
        again = send(world, refresh_form(ended["refresh_token"]), basic("shop", SECRETS["shop"]))
        check_refused(again, 400, "invalid_grant")
    assert is_accepted(world, untouched["access_token"])


def test_a_replay_that_proves_less_ends_nothing(world: World) -> None:
    """Codes remain in the histories of browsers: who finds one there must not log its user out."""
    signed_in = sign_in(world, "shop")
    issued = exchange(world, signed_in).json()
    for client_id, changes in (
        ("other", {}),
        ("shop", {"code_verifier": "v" * 43}),
        ("shop", {"code_verifier": None}),
    ):
        check_refused(exchange(world, signed_in, client_id, **changes), 400, "invalid_grant")
    assert is_accepted(world, issued["access_token"])


def disable_user(world: World) -> None:
    world.ask("PUT /security/users/userId/leaver@acme.example/disabled", json={"disabled": True})


def reset_password(world: World) -> None:
    body = {"newPassword": "another horse battery", "forceChangePassword": True}
    answer = world.ask("PUT /security/users/userId/leaver@acme.example/password", json=body)
    assert answer.status_code in (200, 204), answer.text


def change_role(world: World) -> None:
    answer = world.ask("DELETE /security/users/userId/leaver@acme.example/roles?roles=admin")
    assert answer.status_code in (200, 204), answer.text


def remove_user(world: World) -> None:
    answer = world.ask("DELETE /security/users/userId/leaver@acme.example")
    assert answer.status_code in (200, 204), answer.text


def log_out_everywhere(world: World) -> None:
    headers = {"Authorization": f"Bearer {world.log_in('leaver@acme.example')['accessToken']}"}
    assert (
        world.ask("POST /security/logout", None, json={"everywhere": True}, headers=headers).status_code
        == 204
    )


async def find_standing(service: Service, realm: str, subject: str) -> Standing | None:
    return await service.clients.find_standing(realm, subject)


@pytest.fixture
def leaver(world: World) -> str:
    world.documents["credentials"].delete_many({"userId": "leaver@acme.example"})
    world.documents["removedUsers"].delete_many({})
    new = NewUser("leaver@acme.example", PASSWORD, "acme", frozenset({"user", "admin"}))
    manage(world, create_user, new)
    return new.user_id


@pytest.mark.parametrize(
    "happens", [disable_user, reset_password, remove_user, log_out_everywhere, change_role]
)
def test_what_ends_a_login_ends_codes_and_tokens_of_applications(
    world: World, leaver: str, happens: Callable[[World], None]
) -> None:
    waiting = sign_in(world, "shop", leaver)
    issued = exchange(world, sign_in(world, "shop", leaver)).json()
    remembered = manage(world, find_standing, world.realm, claims_of(issued["access_token"])["sub"])

    async def remember(*_: object) -> Standing | None:
        return remembered

    happens(world)
    with pytest.MonkeyPatch.context() as patch:  # a worker that remembers the user of before reads it again
        patch.setattr(ClientSignIn, "find_standing", remember)
        check_refused(exchange(world, waiting), 400, "invalid_grant")
    again = send(world, refresh_form(issued["refresh_token"]), basic("shop", SECRETS["shop"]))
    check_refused(again, 400, "invalid_grant")
    assert not is_accepted(world, issued["access_token"])


def test_a_disabled_client_exchanges_nothing(world: World) -> None:
    signed_in = sign_in(world, "other")
    issued = exchange(world, sign_in(world, "other"), "other").json()
    manage(world, set_active, world.realm, "other", False)
    try:
        check_refused(exchange(world, signed_in, "other"), 401, "invalid_client")
        again = send(world, refresh_form(issued["refresh_token"]), basic("other", SECRETS["other"]))
        check_refused(again, 401, "invalid_client")
        assert not is_accepted(world, issued["access_token"])
    finally:
        manage(world, set_active, world.realm, "other", True)


def test_codes_and_tokens_of_another_realm(world: World, mongo_client: MongoClient[Document]) -> None:
    """Clients of the same id live in both realms, and so do users of the same id."""
    database = f"{world.realm}-emea"
    manage(world, create_realm, "emea", database)
    try:
        for new in (
            NewUser("user@acme.example", PASSWORD, "acme", frozenset({"user"}), realm="emea"),
            NewUser("shop", "", "acme", frozenset({"user"}), realm="emea"),
        ):
            created = manage(world, create_client if new.password == "" else create_user, new)
        elsewhere = mongo_client[database]
        elsewhere["oauth_clients"].update_one({}, {"$set": WEB})
        there = replace(world, realm="emea", documents=elsewhere)
        headers = basic("shop", created.secret)
        first, second = sign_in(there, "shop"), sign_in(there, "shop")
        check_refused(exchange(world, first), 400, "invalid_grant")
        check_refused(send(world, first.form(), headers), 401, "invalid_client")
        issued = send(world, first.form(realm="emea"), headers)
        assert issued.status_code == 200, issued.text
        said = claims_of(issued.json()["access_token"])
        assert (said["realm"], claims_of(issued.json()["id_token"])["realm"]) == ("emea", "emea")
        assert count(there, refName=said["sid"]) == 1
        assert count(world, refName=said["sid"]) == 0
        token = issued.json()["refresh_token"]
        check_refused(send(world, refresh_form(token), basic("shop", SECRETS["shop"])), 400, "invalid_grant")
        assert send(world, refresh_form(token, realm="emea"), headers).status_code == 200
        own = sign_in(world, "shop")
        check_refused(send(world, own.form(realm="emea"), headers), 400, "invalid_grant")
        assert send(world, second.form(realm="emea"), headers).status_code == 200
        assert exchange(world, own).status_code == 200
    finally:
        mongo_client.drop_database(database)


def test_scope_and_unknown_parameters_of_an_exchange_are_ignored(world: World) -> None:
    answer = exchange(world, sign_in(world, "shop", scope="openid"), scope="records:write", foo="bar")
    assert answer.json()["scope"] == "openid"


def test_no_secret_is_in_the_log_of_a_whole_flow(
    world: World,
) -> None:
    with capture_logs() as events:
        signed_in = sign_in(world, "shop", scope="openid")
        issued = exchange(world, signed_in).json()
        newer = send(world, refresh_form(issued["refresh_token"]), basic("shop", SECRETS["shop"])).json()
        exchange(world, signed_in, code_verifier="w" * 43)
        send(world, signed_in.form(client_secret="a wrong one", client_id="shop"))
        send(world, refresh_form(newer["access_token"]), basic("shop", SECRETS["shop"]))
        exchange(world, signed_in)
        send(world, refresh_form(newer["refresh_token"]), basic("shop", SECRETS["shop"]))
    logged = json.dumps(events, default=repr)
    names = [event["event"] for event in events]
    assert [names.count(name) for name in ("oauth.issued", "oauth.code_reused", "oauth.family_ended")] == [
        2,
        1,
        1,
    ]
    refused = [event for event in events if event["event"] == "oauth.refused"]
    assert [(event["error"], event.get("client")) for event in refused] == [
        ("invalid_grant", "shop"),
        ("invalid_client", None),
        ("invalid_grant", "shop"),
        ("invalid_grant", "shop"),
        ("invalid_grant", "shop"),
    ]
    first, second = (event for event in events if event["event"] == "oauth.issued")
    assert (first["client"], first["grant"], first["scope"]) == ("shop", "authorization_code", "openid")
    assert (second["grant"], second["family"]) == ("refresh_token", first["family"])
    secrets = {
        signed_in.code, str(signed_in.verifier), SECRETS["shop"], "a wrong one", "w" * 43, str(hash_of(signed_in)),
        *(one[name] for one in (issued, newer) for name in ("access_token", "refresh_token", "id_token")),
    }  # fmt: skip
    assert {secret for secret in secrets if secret in logged} == set()
    signatures = {secret.rpartition(".")[2] for secret in secrets}
    assert not {signature for signature in signatures if signature in logged}
