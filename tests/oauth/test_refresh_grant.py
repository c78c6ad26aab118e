"""The grant ``refresh_token``: new tokens of a session, and every request that gets nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import jwt
import pytest
from pymongo import MongoClient

from runtime.errors import StoreUnavailable
from runtime.oauth.management import set_active
from runtime.principal import SHARED
from tests.http.world import Document, World, open_world
from tests.oauth.applications import basic, check_refused, manage, register, send
from tests.oauth.sign_ins import (
    APPLICATION,
    ELSEWHERE,
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
    "app": WEB | {"publicClient": True},
    "narrow": WEB | {"allowedScopes": ["openid", "records:read", "records:write"]},
    "gone": WEB,
}
SECRETS: dict[str, str] = {}


@pytest.fixture(scope="module")
def world(world: World) -> World:
    SECRETS.update({name: register(world, name, **fields) for name, fields in CLIENTS.items()})
    return world


def refresh(world: World, token: str, client_id: str = "shop", **changes: str) -> Any:
    return send(world, refresh_form(token, **changes), basic(client_id, SECRETS[client_id]))


def begin(world: World, client_id: str = "shop", **changes: Any) -> Document:
    return tokens_of(world, client_id, SECRETS[client_id], **changes)


def test_a_refresh_gives_all_tokens_anew_and_keeps_the_session(world: World) -> None:
    first = begin(world, scope="openid records:read")
    answer = refresh(world, first["refresh_token"])
    assert answer.status_code == 200, answer.text
    assert (answer.headers["cache-control"], answer.headers["pragma"]) == ("no-store", "no-cache")
    second = answer.json()
    assert second.keys() == first.keys()
    assert (second["scope"], second["token_type"], second["expires_in"]) == (
        "openid records:read",
        "Bearer",
        3600,
    )
    assert not {second[name] for name in ("access_token", "refresh_token")} & {*first.values()}
    one, two = claims_of(first["access_token"]), claims_of(second["access_token"])
    changed = {"jti", "iat", "nbf", "exp"}
    assert {k: v for k, v in one.items() if k not in changed} == {
        k: v for k, v in two.items() if k not in changed
    }
    assert is_accepted(world, first["access_token"])
    assert is_accepted(world, second["access_token"])
    (family,) = world.documents["refreshFamilies"].find({"refName": two["sid"]})
    assert (family["clientId"], family["version"]) == ("shop", 2)
    assert family["lastUsedAt"] >= family["auditInfo"]["createdDate"]


def test_the_end_of_a_session_does_not_move(world: World) -> None:
    first = begin(world)
    tokens = [first["refresh_token"]]
    for _ in range(3):
        tokens.append(refresh(world, tokens[-1]).json()["refresh_token"])
    assert len({claims_of(token)["end"] for token in tokens}) == 1


def test_a_used_token_ends_the_session(world: World) -> None:
    first, untouched = begin(world), begin(world)
    second = refresh(world, first["refresh_token"]).json()
    check_refused(refresh(world, first["refresh_token"]), 400, "invalid_grant")
    check_refused(refresh(world, second["refresh_token"]), 400, "invalid_grant")
    assert not is_accepted(world, first["access_token"])
    assert not is_accepted(world, second["access_token"])
    assert is_accepted(world, untouched["access_token"])
    assert refresh(world, untouched["refresh_token"]).status_code == 200


def test_a_used_token_ends_the_session_whatever_else_the_request_says(world: World) -> None:
    for more in ({"scope": "records:write"}, {"resource": "https://other.example"}):
        first = begin(world)
        second = refresh(world, first["refresh_token"]).json()
        check_refused(refresh(world, first["refresh_token"], **more), 400, "invalid_grant")
        assert not is_accepted(world, second["access_token"])


@dataclass(frozen=True)
class Wrong:
    """A request that is refused and leaves the token as it is; ``token`` is replaced, or made of the good one."""

    status: int
    error: str
    changes: Mapping[str, str] = field(default_factory=dict)
    token: str = "good"
    client: str = "shop"
    granted: Mapping[str, Any] = field(default_factory=dict)
    more: str = ""


READING: Document = {"scope": "openid records:read offline_access"}
FOR_STOCK: Document = {"resources": (ELSEWHERE,)}
WRONG: dict[str, Wrong] = {
    "no token": Wrong(400, "invalid_request", token=""),
    "a repeated token": Wrong(400, "invalid_request", more="&refresh_token=x"),
    "a token beyond any length": Wrong(400, "invalid_request", token="x" * 8193),
    "a made-up token": Wrong(400, "invalid_grant", token="made-up"),
    "an access token": Wrong(400, "invalid_grant", token="$access_token"),
    "an ID token": Wrong(400, "invalid_grant", token="$id_token"),
    "a token of a login": Wrong(400, "invalid_grant", token="$login"),
    "a token without its signature": Wrong(400, "invalid_grant", token="$unsigned"),
    "a token with another algorithm": Wrong(400, "invalid_grant", token="$none"),
    "a token and a blank": Wrong(400, "invalid_grant", token="$blank"),
    "a token of another client": Wrong(400, "invalid_grant", client="other"),
    "a token at a public client": Wrong(400, "invalid_grant", {"client_id": "app"}, client="app"),
    "a client that may not refresh": Wrong(400, "unauthorized_client", client="short"),
    "a wrong secret": Wrong(401, "invalid_client", client="shop wrong"),
    "no secret": Wrong(401, "invalid_client", {"client_id": "shop"}, client=""),
    "another realm": Wrong(401, "invalid_client", {"realm": "elsewhere"}),
    "a scope more": Wrong(400, "invalid_scope", {"scope": "openid profile"}),
    "another scope": Wrong(400, "invalid_scope", {"scope": "records:write"}, granted=READING),
    "a wider scope": Wrong(400, "invalid_scope", {"scope": "records:read"}, granted={"scope": "logistics:read"}),
    "an unknown scope": Wrong(400, "invalid_scope", {"scope": "wonderland:read"}),
    "a scope in capitals": Wrong(400, "invalid_scope", {"scope": "OpenID"}),
    "two spaces": Wrong(400, "invalid_scope", {"scope": "openid  openid"}),
    "without the scopes that limit it": Wrong(400, "invalid_scope", {"scope": "openid"}, granted=READING),
    "a scope where none was granted": Wrong(400, "invalid_scope", {"scope": "openid"}, granted={"scope": ""}),
    "a resource nobody granted": Wrong(400, "invalid_target", {"resource": ELSEWHERE}),
    "an unknown resource": Wrong(400, "invalid_target", {"resource": "https://other.example"}),
    "a resource with a fragment": Wrong(400, "invalid_target", {"resource": f"{HERE}#a"}),
    "one resource more": Wrong(400, "invalid_target", {"resource": ELSEWHERE}, granted=FOR_STOCK, more=f"&resource={HERE}"),
    "this service, granted for another": Wrong(400, "invalid_target", {"resource": HERE}, granted=FOR_STOCK),
    "a password": Wrong(400, "unsupported_grant_type", {"grant_type": "password"}),
}  # fmt: skip


def spoil(world: World, good: Document, token: str) -> str:
    """The refresh token of a wrong request."""
    right = good["refresh_token"]
    header, payload, _signature = right.split(".")
    match token:
        case "good":
            return str(right)
        case "$login":
            return str(world.log_in()["refreshToken"])
        case "$unsigned":
            return f"{header}.{payload}."
        case "$none":
            return str(jwt.encode(claims_of(right), None, "none", headers={"typ": "rt+jwt"}))
        case "$blank":
            return f"{right} "
        case "$access_token" | "$id_token":
            return str(good[token[1:]])
    return token


@pytest.mark.parametrize("name", WRONG)
def test_wrong_requests_get_nothing_and_leave_the_token_as_it_is(world: World, name: str) -> None:
    wrong = WRONG[name]
    good = begin(world, **wrong.granted)
    client_id, _, is_wrong = wrong.client.partition(" ")
    form = refresh_form(spoil(world, good, wrong.token)) | wrong.changes
    headers = (
        {} if client_id in ("app", "") else basic(client_id, "wrong" if is_wrong else SECRETS[client_id])
    )
    answer = send(world, urlencode(form) + wrong.more, headers)
    check_refused(answer, wrong.status, wrong.error)
    assert good["refresh_token"] not in answer.text
    assert is_accepted(world, good["access_token"]) is ("resources" not in wrong.granted)
    assert count(world, refName=claims_of(good["access_token"])["sid"], version=1, revoked=False) == 1
    assert refresh(world, good["refresh_token"]).status_code == 200


def test_tokens_of_a_client_are_refused_where_users_refresh(world: World) -> None:
    good = begin(world)
    answer = world.ask("POST /security/refresh", None, json={"refreshToken": good["refresh_token"]})
    assert (answer.status_code, answer.json()["reason"]) == (401, "badRefreshToken")
    assert refresh(world, good["refresh_token"]).status_code == 200


def test_tokens_of_a_login_still_work_after_a_client_tried_them(world: World) -> None:
    login = world.log_in()
    check_refused(refresh(world, login["refreshToken"]), 400, "invalid_grant")
    answer = world.ask("POST /security/refresh", None, json={"refreshToken": login["refreshToken"]})
    assert answer.status_code == 200
    assert is_accepted(world, login["accessToken"])


def test_a_refresh_token_opens_nothing(world: World) -> None:
    assert not is_accepted(world, begin(world)["refresh_token"])
    assert not is_accepted(world, begin(world)["id_token"])


@pytest.mark.parametrize(
    ("granted", "requested", "expected"),
    [
        ("openid records:read records:write", "records:read", "records:read"),
        ("openid records:read records:write", "records:write openid", "records:write openid"),
        ("openid records:read", None, "openid records:read"),
        ("openid records:read", "", "openid records:read"),
        ("openid profile", "profile", "profile"),
        ("openid openid", "openid", "openid"),
    ],
)
def test_a_request_may_name_a_part_of_the_scopes(
    world: World, granted: str, requested: str | None, expected: str
) -> None:
    good = begin(world, scope=granted)
    changes = {} if requested is None else {"scope": requested}
    narrowed = refresh(world, good["refresh_token"], **changes).json()
    assert narrowed["scope"] == claims_of(narrowed["access_token"])["scope"] == expected
    assert ("id_token" in narrowed) is ("openid" in expected.split())
    wide = refresh(world, narrowed["refresh_token"]).json()
    assert wide["scope"] == granted, "it is for one access token, not for the session"


def test_a_client_that_is_always_limited_may_leave_out_all_scopes_about_records(world: World) -> None:
    good = begin(world, "narrow", scope="openid records:read")
    narrowed = refresh(world, good["refresh_token"], "narrow", scope="openid")
    assert narrowed.json()["scope"] == "openid"


def test_a_scope_that_the_client_may_not_request_any_more_cannot_be_named(world: World) -> None:
    good = begin(world, "narrow", scope="openid records:read records:write")
    clients = world.documents["oauth_clients"]
    clients.update_one({"clientId": "narrow"}, {"$pull": {"allowedScopes": "records:write"}})
    try:
        refused = refresh(world, good["refresh_token"], "narrow", scope="records:write")
        check_refused(refused, 400, "invalid_scope")
        rest = refresh(world, good["refresh_token"], "narrow").json()
        assert rest["scope"] == claims_of(rest["access_token"])["scope"] == "openid records:read"
        assert refresh(world, rest["refresh_token"], "narrow", scope="records:read").status_code == 200
    finally:
        clients.update_one({"clientId": "narrow"}, {"$push": {"allowedScopes": "records:write"}})


@pytest.mark.parametrize(
    ("granted", "withdrawn", "error"),
    [
        pytest.param(
            {"resources": (ELSEWHERE,)},
            {"allowedResources": [f"{ELSEWHERE}/2"]},
            "invalid_target",
            id="resource",
        ),
        pytest.param(
            {"scope": "openid records:read"}, {"allowedScopes": ["openid"]}, "invalid_scope", id="every limit"
        ),
    ],
)
def test_a_client_from_which_too_much_is_withdrawn_may_go_on_when_it_is_given_back(
    world: World, granted: Document, withdrawn: Document, error: str
) -> None:
    good = begin(world, "gone", **granted)
    clients = world.documents["oauth_clients"]
    before = clients.find_one_and_update({"clientId": "gone"}, {"$set": withdrawn})
    check_refused(refresh(world, good["refresh_token"], "gone"), 400, error)
    clients.replace_one({"clientId": "gone"}, before)
    assert refresh(world, good["refresh_token"], "gone").status_code == 200


@pytest.mark.parametrize(
    ("granted", "requested", "audience"),
    [
        ((), [], [HERE, f"{HERE}/mcp"]),
        ((), [f"{HERE}/mcp"], [f"{HERE}/mcp"]),
        ((ELSEWHERE, HERE), [ELSEWHERE], [ELSEWHERE]),
        ((ELSEWHERE, HERE), [], [ELSEWHERE, HERE]),
    ],
)
def test_a_request_may_name_a_part_of_the_resources(
    world: World, granted: tuple[str, ...], requested: list[str], audience: list[str]
) -> None:
    good = begin(world, resources=granted)
    body = urlencode(refresh_form(good["refresh_token"])) + "".join(f"&resource={one}" for one in requested)
    answer = send(world, body, basic("shop", SECRETS["shop"])).json()
    assert claims_of(answer["access_token"])["aud"] == audience
    again = refresh(world, answer["refresh_token"]).json()
    assert claims_of(again["access_token"])["aud"] == (list(granted) or [HERE, f"{HERE}/mcp"])


@pytest.mark.parametrize(
    ("granted", "advice"),
    [
        ((), f"; did you mean {HERE}/mcp or {HERE}?"),
        ((HERE,), f"; did you mean {HERE}?"),
        ((ELSEWHERE,), ""),
    ],
)
def test_an_unknown_resource_is_compared_with_those_that_were_granted(
    world: World, granted: tuple[str, ...], advice: str
) -> None:
    good = begin(world, resources=granted)
    answer = refresh(world, good["refresh_token"], resource=f"{HERE}/mcp/")
    check_refused(answer, 400, "invalid_target")
    text = "the client may not request a token for this resource"
    assert answer.json()["error_description"] == text + advice


def test_a_disabled_client_refreshes_nothing_and_may_go_on_when_it_is_enabled(world: World) -> None:
    good = begin(world, "gone")
    manage(world, set_active, world.realm, "gone", False)
    check_refused(refresh(world, good["refresh_token"], "gone"), 401, "invalid_client")
    assert not is_accepted(world, good["access_token"])
    manage(world, set_active, world.realm, "gone", True)
    assert refresh(world, good["refresh_token"], "gone").status_code == 200


def write_client(world: World, client_id: str, **fields: Any) -> None:
    """Change a client as an administrator."""
    path = "/security/oauth/clients"
    (client,) = world.ask(f"GET {path}/list?filter=clientId:{client_id}", "acme").json()["rows"]
    header = {"Content-Type": "application/merge-patch+json"}
    changed = world.ask(f"PATCH {path}/id/{client['id']}", "acme", json=fields, headers=header)
    assert changed.status_code == 200, changed.text


def test_a_client_gets_nothing_of_users_whom_it_is_not_for_any_more(world: World) -> None:
    good, signed_in = begin(world, "gone"), sign_in(world, "gone")
    write_client(world, "gone", dataDomain={"orgRefName": "north"})
    assert not is_accepted(world, good["access_token"])
    check_refused(refresh(world, good["refresh_token"], "gone"), 400, "invalid_grant")
    check_refused(send(world, signed_in.form(), basic("gone", SECRETS["gone"])), 400, "invalid_grant")
    write_client(world, "gone", dataDomain={"orgRefName": SHARED})
    assert is_accepted(world, good["access_token"])
    assert refresh(world, good["refresh_token"], "gone").status_code == 200
    assert send(world, signed_in.form(), basic("gone", SECRETS["gone"])).status_code == 200


def test_no_session_does_more_than_when_the_user_granted_it(world: World) -> None:
    limited, other = ["openid", "records:read"], begin(world, "gone")
    for unlimited in (["openid"], []):
        write_client(world, "narrow", allowedScopes=limited)
        good, signed_in = begin(world, "narrow", scope="openid"), sign_in(world, "narrow", scope="openid")
        write_client(world, "narrow", allowedScopes=["openid", "records:write"])
        assert is_accepted(world, good["access_token"])
        write_client(world, "narrow", allowedScopes=unlimited)
        assert not is_accepted(world, good["access_token"])
        check_refused(refresh(world, good["refresh_token"], "narrow"), 400, "invalid_grant")
        check_refused(send(world, signed_in.form(), basic("narrow", SECRETS["narrow"])), 400, "invalid_grant")
    write_client(world, "narrow", allowedScopes=[*limited, "records:write"])
    assert is_accepted(world, other["access_token"])


def check_ended(world: World, good: Document, signed_in: Any) -> None:
    assert not is_accepted(world, good["access_token"])
    check_refused(refresh(world, good["refresh_token"], "narrow"), 400, "invalid_grant")
    check_refused(send(world, signed_in.form(), basic("narrow", SECRETS["narrow"])), 400, "invalid_grant")


def test_a_session_of_a_limited_client_is_in_force_for_a_limited_one_alone(world: World) -> None:
    """However its limits are lifted, and before anything ends its sessions."""
    clients, limited = world.documents["oauth_clients"], {"allowedScopes": ["openid", "records:read"]}
    clients.update_one({"clientId": "narrow"}, {"$set": limited})
    good, signed_in = begin(world, "narrow", scope="openid"), sign_in(world, "narrow", scope="openid")
    clients.update_one({"clientId": "narrow"}, {"$set": {"allowedScopes": ["openid"]}})
    check_ended(world, good, signed_in)
    clients.update_one({"clientId": "narrow"}, {"$set": limited})
    assert is_accepted(world, good["access_token"])
    assert refresh(world, good["refresh_token"], "narrow").status_code == 200
    assert send(world, signed_in.form(), basic("narrow", SECRETS["narrow"])).status_code == 200


@pytest.mark.parametrize("way", ["in batches", "not behind the write", "from before it was recorded"])
def test_the_sessions_of_a_client_that_loses_its_limits_end(
    world: World, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    async def refuse(*_arguments: object) -> None:
        raise StoreUnavailable("the store did not answer; try again")

    write_client(world, "narrow", allowedScopes=["openid", "records:read"])
    each = [begin(world, "narrow", scope="openid") for _ in range(5)]
    signed_in, families = sign_in(world, "narrow", scope="openid"), world.documents["refreshFamilies"]
    monkeypatch.setattr("runtime.oauth.client_effect._MOST_AT_ONCE", 2)
    if way != "in batches":
        monkeypatch.setattr("runtime.oauth.client_effect._find_ids", refuse)
    if way == "from before it was recorded":
        for name in ("refreshFamilies", "oauth_authorization_codes"):
            world.documents[name].update_many({"clientId": "narrow"}, {"$unset": {"limited": 1}})
    write_client(world, "narrow", allowedScopes=["openid"])
    own = {"clientId": "narrow", "revoked": False, "limited": {"$ne": False}}
    left = families.count_documents(own)
    assert left == (5 if way == "not behind the write" else 0)
    for good in each:
        check_ended(world, good, signed_in)
    assert is_accepted(world, begin(world, "narrow", scope="openid")["access_token"])


def test_a_token_ends_with_its_time(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    tokens = world.app.state.service.tokens
    good, now = begin(world), tokens.clock()
    monkeypatch.setattr(tokens, "clock", lambda: now + tokens.refresh_seconds + 10)
    check_refused(refresh(world, good["refresh_token"]), 400, "invalid_grant")


def test_the_last_access_token_of_a_session_ends_with_it(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    tokens = world.app.state.service.tokens
    good = begin(world)
    ends = claims_of(good["refresh_token"])["end"]
    latest, at = good["refresh_token"], claims_of(good["refresh_token"])["exp"] - 10
    while at < ends - 100:
        monkeypatch.setattr(tokens, "clock", lambda now=at: now)
        answer = refresh(world, latest)
        assert answer.status_code == 200, answer.text
        latest = answer.json()["refresh_token"]
        at = min(at + tokens.refresh_seconds - 10, ends - 100)
    monkeypatch.setattr(tokens, "clock", lambda: ends - 100)
    last = refresh(world, latest).json()
    assert last["expires_in"] == 100
    assert claims_of(last["access_token"])["exp"] == claims_of(last["refresh_token"])["exp"] == ends
    for late in (0, 3):  # clocks may differ by five seconds, but no token is issued for less than none
        monkeypatch.setattr(tokens, "clock", lambda late=late: ends + late)
        check_refused(refresh(world, last["refresh_token"]), 400, "invalid_grant")
        answer = world.ask("POST /security/refresh", None, json={"refreshToken": last["refresh_token"]})
        assert answer.status_code == 401


def test_the_store_has_no_token(world: World) -> None:
    good = begin(world)
    (family,) = world.documents["refreshFamilies"].find({"refName": claims_of(good["access_token"])["sid"]})
    assert claims_of(good["refresh_token"])["jti"] not in repr(family)
    assert family["expiresAt"] - family["rotatedAt"] > timedelta(days=1)


def test_a_public_client_rotates_too(world: World) -> None:
    first = send(world, sign_in(world, "app").form(client_id="app")).json()
    second = send(world, refresh_form(first["refresh_token"], client_id="app")).json()
    again = send(world, refresh_form(first["refresh_token"], client_id="app"))
    check_refused(again, 400, "invalid_grant")
    assert not is_accepted(world, second["access_token"])


def test_within_the_grace_the_same_successor_is_issued_again(
    mongo_uri: str, mongo_client: MongoClient[Document], key_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = {"credential_cache_seconds": 0, "refresh_grace_seconds": 10, "data_folder": key_folder}
    with open_world(mongo_uri, mongo_client, **values) as world:
        SECRETS["shop"] = register(world, "shop", **WEB)
        SECRETS["other"] = register(world, "other", **WEB)
        tokens = world.app.state.service.tokens
        good, now = begin(world, scope="openid profile"), tokens.clock()
        first = refresh(world, good["refresh_token"]).json()
        check_refused(refresh(world, good["refresh_token"], "other"), 400, "invalid_grant")
        check_refused(refresh(world, good["refresh_token"], scope="email"), 400, "invalid_scope")
        second = refresh(world, good["refresh_token"], scope="profile").json()
        jtis = {claims_of(one["refresh_token"])["jti"] for one in (first, second)}
        assert len(jtis) == 1
        assert second["scope"] == "profile"
        third = refresh(world, second["refresh_token"]).json()
        check_refused(refresh(world, good["refresh_token"]), 400, "invalid_grant")
        assert not is_accepted(world, third["access_token"]), "the successor was in use"
        good = begin(world)
        refresh(world, good["refresh_token"])
        monkeypatch.setattr(tokens, "clock", lambda: now + 60)
        check_refused(refresh(world, good["refresh_token"]), 400, "invalid_grant")
