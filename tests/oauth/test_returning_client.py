"""A client whose id belonged to an earlier one: it inherits nothing, not even what was stored during the removal."""

from __future__ import annotations

import pytest

from runtime.identity.users.users import NewUser
from runtime.oauth.authorize.consents import find_consent, store_consent
from runtime.oauth.authorize.pushed import take_pushed
from runtime.oauth.authorize.steps import THIS_SERVICE
from runtime.oauth.management import create_client, remove_client
from runtime.oauth.refusals import PageRefused
from tests.http.world import Document, World
from tests.oauth.applications import basic, check_refused, manage, send
from tests.oauth.sign_ins import REDIRECT, find_client, is_accepted, refresh_form, sign_in, tokens_of
from tests.oauth.signed_on import ANN

CLIENT = "returning"
OF_CLIENTS = ("refreshFamilies", "oauth_authorization_codes", "consents", "pushedRequests")


def create(world: World) -> str:
    fields = {
        "redirectUris": [REDIRECT],
        "allowedGrantTypes": ["authorization_code", "refresh_token"],
        "allowedScopes": ["openid", "profile"],
    }
    return str(manage(world, create_client, NewUser(CLIENT, "", "acme", frozenset()), fields=fields).secret)


def push(world: World, secret: str) -> str:
    form = {"response_type": "code", "redirect_uri": REDIRECT}
    answer = send(world, form, basic(CLIENT, secret), "/oauth/par")
    assert answer.status_code == 201, answer.text
    return str(answer.json()["request_uri"])


def introspect(world: World, secret: str, token: str) -> Document:
    return dict(send(world, {"token": token}, basic(CLIENT, secret), "/oauth/introspect").json())


def test_a_later_client_inherits_nothing(world: World) -> None:
    secret = create(world)
    tokens, waiting = tokens_of(world, CLIENT, secret), sign_in(world, CLIENT)
    pushed, first = push(world, secret), find_client(world, CLIENT)
    manage(world, store_consent, first, ANN, ["openid", "profile"], [THIS_SERVICE])
    assert manage(world, find_consent, first, ANN) == {THIS_SERVICE: {"openid", "profile"}}
    stored = {name: list(world.documents[name].find({"clientId": CLIENT})) for name in OF_CLIENTS}
    assert [len(rows) for rows in stored.values()] == [1, 2, 1, 1]

    manage(world, remove_client, world.realm, CLIENT)
    for name, rows in stored.items():  # as if each had been stored in the moment after the removal
        for row in rows:
            world.documents[name].replace_one({"_id": row["_id"]}, row, upsert=True)
    assert not is_accepted(world, tokens["access_token"])
    again = create(world)
    later = find_client(world, CLIENT)
    assert later.record_id != first.record_id

    own = basic(CLIENT, again)
    assert not is_accepted(world, tokens["access_token"])
    for token in (tokens["access_token"], tokens["refresh_token"]):
        assert introspect(world, again, token) == {"active": False}
        assert send(world, {"token": token}, own, "/oauth/revoke").status_code == 200
    families = world.documents["refreshFamilies"]
    assert families.count_documents({"clientId": CLIENT, "revoked": False}) == 1
    check_refused(send(world, refresh_form(tokens["refresh_token"]), own), 400, "invalid_grant")
    check_refused(send(world, waiting.form(), own), 400, "invalid_grant")
    assert families.count_documents({"clientId": CLIENT}) == 1
    with pytest.raises(PageRefused):
        manage(world, take_pushed, later, pushed)
    assert manage(world, find_consent, later, ANN) is None
    manage(world, store_consent, later, ANN, ["openid"], [THIS_SERVICE])
    assert manage(world, find_consent, later, ANN) == {THIS_SERVICE: {"openid"}}
    assert is_accepted(world, tokens_of(world, CLIENT, again)["access_token"])
