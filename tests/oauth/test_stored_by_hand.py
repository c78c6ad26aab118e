"""Clients and credentials that an operator has put into the store, without what the service adds to records."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import bcrypt
import jwt
import pytest

from runtime.cli.client_output import shown
from runtime.errors import ValidationFailed
from runtime.identity.users.users import list_tenants
from runtime.oauth.management import list_clients, remove_client, rotate_secret, set_active
from tests.http.world import Document, World
from tests.oauth.applications import CLIENT_CREDENTIALS, basic, check_refused, manage, send
from tests.oauth.sign_ins import REDIRECT, challenge_of
from tests.oauth.walking import Walker, answer_at

CLIENTS = "/security/oauth/clients"
VERIFIER = "v" * 43
SECRET = "a secret of the operator"
CLIENT: Document = {
    "clientId": "by-hand",
    "clientSecretHash": bcrypt.hashpw(SECRET.encode(), bcrypt.gensalt(4)).decode(),
    "publicClient": False,
    "redirectUris": [REDIRECT],
    "allowedGrantTypes": ["authorization_code", "client_credentials", "refresh_token"],
    "allowedScopes": ["openid", "profile", "email"],
    "active": True,
}
CREDENTIAL: Document = {
    "userId": "by-hand",
    "subject": "5f0d3c2a9e1b47d8",
    "credentialType": "OAUTH",
    "roles": ["user"],
    "domainContext": {"tenantId": "acme"},
    "lastUpdate": datetime(2026, 3, 27),
}


def stored_version(world: World) -> Any:
    return (world.documents["oauth_clients"].find_one({"clientId": "by-hand"}) or {}).get("version")


@pytest.fixture
def world(world: World) -> Iterator[World]:
    """Begin with the client and its credential."""
    world.documents["oauth_clients"].insert_one(CLIENT | {"realm": world.realm})
    world.documents["credentials"].insert_one(dict(CREDENTIAL))
    yield world
    world.documents["oauth_clients"].delete_many({})
    own = [{name: CREDENTIAL[name]} for name in ("subject", "userId")]
    world.documents["credentials"].delete_many({"$or": own})


OWN = basic("by-hand", SECRET)


def test_it_gets_tokens_with_the_rights_of_its_credential(world: World) -> None:
    issued = send(world, CLIENT_CREDENTIALS, OWN)
    assert issued.status_code == 200, issued.text
    says = jwt.decode(issued.json()["access_token"], options={"verify_signature": False})
    assert (says["sub"], says["tenantId"], says["groups"]) == (CREDENTIAL["subject"], "acme", ["user"])
    sent = {"Authorization": f"Bearer {issued.json()['access_token']}"}
    assert world.ask("GET /logistics/carriers/list", None, headers=sent).status_code == 200
    assert world.ask("GET /security/oauth/clients/list", None, headers=sent).status_code == 403


@pytest.mark.parametrize("is_public", [False, True], ids=["with a secret", "public"])
def test_users_sign_in_to_it(world: World, is_public: bool) -> None:
    proof, own = ({"client_id": "by-hand"}, None) if is_public else ({}, OWN)
    if is_public:
        grants = ["authorization_code", "refresh_token"]
        changes: Document = {"$set": {"publicClient": True, "allowedGrantTypes": grants}}
        changes["$unset"] = {"clientSecretHash": ""}
        world.documents["oauth_clients"].update_one({"clientId": "by-hand"}, changes)
    walker = Walker(world)
    page = walker.open(
        {
            "response_type": "code", "client_id": "by-hand", "redirect_uri": REDIRECT, "scope": "openid",
            "code_challenge": challenge_of(VERIFIER), "code_challenge_method": "S256",
        }
    )  # fmt: skip
    code = answer_at(walker.log_in(page), REDIRECT)["code"]
    form = {"grant_type": "authorization_code", "code": code, "redirect_uri": REDIRECT}
    issued = send(world, form | {"code_verifier": VERIFIER} | proof, own)
    assert issued.status_code == 200, issued.text
    again = {"grant_type": "refresh_token", "refresh_token": issued.json()["refresh_token"]}
    assert send(world, again | proof, own).status_code == 200


REFUSED: dict[str, tuple[str, Document, int, str]] = {
    "client that is not active": ("oauth_clients", {"active": False}, 401, "invalid_client"),
    "client with a text for active": ("oauth_clients", {"active": "false"}, 401, "invalid_client"),
    "client with a number for active": ("oauth_clients", {"active": 0}, 401, "invalid_client"),
    "client whose hash is binary": (
        "oauth_clients", {"clientSecretHash": CLIENT["clientSecretHash"].encode()}, 401, "invalid_client",
    ),
    "client that is archived": ("oauth_clients", {"activeStatus": "ARCHIVED"}, 401, "invalid_client"),
    "client of a tenant, credential of another": (
        "oauth_clients", {"dataDomain": {"tenantId": "globex"}}, 400, "unauthorized_client",
    ),
    "credential with a tenant of null": (
        "credentials", {"domainContext": {"tenantId": None}}, 400, "unauthorized_client",
    ),
    "credential of the operator": ("credentials", {"dataDomain": None}, 400, "unauthorized_client"),
    "credential of a user": ("credentials", {"credentialType": None}, 400, "unauthorized_client"),
    "credential with another user id": ("credentials", {"userId": "By-Hand"}, 400, "unauthorized_client"),
    "credential that is disabled": ("credentials", {"disabled": True}, 400, "unauthorized_client"),
    "credential with the record of another tenant": (
        "credentials", {"dataDomain": {"tenantId": "globex"}}, 400, "unauthorized_client",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("collection", "fields", "status", "error"), REFUSED.values(), ids=REFUSED)
def test_it_gets_nothing(world: World, collection: str, fields: Document, status: int, error: str) -> None:
    """Both are of one tenant here."""
    place: Document = {"dataDomain": {"tenantId": "acme"}}
    world.documents["oauth_clients"].update_one({"clientId": "by-hand"}, {"$set": place})
    world.documents["credentials"].update_one(
        {"userId": "by-hand"}, {"$set": place | {"loginName": "by-hand"}}
    )
    assert send(world, CLIENT_CREDENTIALS, OWN).status_code == 200
    key = "clientId" if collection == "oauth_clients" else "userId"
    changed = world.documents[collection].update_one({key: "by-hand"}, {"$set": fields})
    assert changed.modified_count == 1
    check_refused(send(world, CLIENT_CREDENTIALS, OWN), status, error)


@pytest.mark.parametrize("missing", ["subject", "domainContext", "domainContext.tenantId"])
def test_a_credential_without_a_subject_or_a_tenant_gets_nothing(world: World, missing: str) -> None:
    world.documents["credentials"].update_one({"userId": "by-hand"}, {"$unset": {missing: ""}})
    check_refused(send(world, CLIENT_CREDENTIALS, OWN), 400, "unauthorized_client")
    assert "acme" in manage(world, list_tenants, world.realm)


@pytest.mark.parametrize("missing", ["userId", "subject", "domainContext", "domainContext.tenantId"])
def test_a_credential_that_lacks_something_is_no_user(world: World, missing: str) -> None:
    found = world.documents["credentials"]
    place: Document = {"dataDomain": {"tenantId": "acme"}, "loginName": "by-hand", "refName": "by-hand"}
    found.update_one({"userId": "by-hand"}, {"$set": place})
    found.update_one({"userId": "by-hand"}, {"$unset": {missing: ""}})
    try:
        for caller in ("acme", "system"):
            users = world.ask("GET /security/users?limit=1000", caller)
            assert users.status_code == 200, users.text
            assert "by-hand" not in {one["userId"] for one in users.json()["rows"]}
            assert world.ask("GET /security/users/userId/by-hand", caller).status_code == 404
    finally:
        found.delete_one({"refName": "by-hand"})


def test_a_credential_without_a_version_is_managed(world: World) -> None:
    found = world.documents["credentials"]
    place: Document = {"dataDomain": {"tenantId": "acme"}, "loginName": "by-hand", "refName": "by-hand"}
    found.update_one({"userId": "by-hand"}, {"$set": place})
    user = "/security/users/userId/by-hand"
    assert world.ask(f"GET {user}").status_code == 200
    for path, sent in ((f"{user}/roles", {"roles": ["admin"]}), (f"{user}/disabled", {"disabled": True})):
        found.update_one({"userId": "by-hand"}, {"$unset": {"version": ""}})
        answer = world.ask(f"PUT {path}", json=sent)
        assert answer.status_code < 300, answer.text
    stored = found.find_one({"userId": "by-hand"}) or {}
    assert (stored["roles"], stored["disabled"], stored["version"]) == (["admin", "user"], True, 1)


@pytest.mark.parametrize("step", ["rotate-secret", "credential", "delete"])
def test_a_client_whose_credential_lacks_its_subject_is_managed(world: World, step: str) -> None:
    clients, found = world.documents["oauth_clients"], world.documents["credentials"]
    whole: Document = {"refName": "by-hand", "version": 1, "dataDomain": {"tenantId": "acme"}}
    clients.update_one({"clientId": "by-hand"}, {"$set": whole})
    place: Document = {"dataDomain": {"tenantId": "acme"}, "loginName": "by-hand"}
    found.update_one({"userId": "by-hand"}, {"$set": place, "$unset": {"subject": ""}})
    body = clients.find_one({"clientId": "by-hand"})
    assert body is not None
    if step == "delete":
        answer = world.ask(f"DELETE {CLIENTS}/id/{body['_id']}", "system")
    else:
        sent: Document = {"roles": ["user"]} if step == "credential" else {}
        answer = world.ask(f"POST {CLIENTS}/by-hand/{step}", "system", json=sent)
    expected = {"rotate-secret": 200, "credential": 409, "delete": 204}
    assert answer.status_code == expected[step], answer.text


@pytest.mark.parametrize("step", ["rotate-secret", "credential"])
@pytest.mark.parametrize(("version", "later"), [(1, 2), (1.0, 2), (..., 1), (True, None), (None, None)])
def test_a_client_without_a_version_is_managed(
    world: World, step: str, version: Any, later: int | None
) -> None:
    """Unless its version cannot be counted up."""
    whole: Document = {"refName": "by-hand", "dataDomain": {"tenantId": "acme"}}
    whole |= {} if version is ... else {"version": version}
    world.documents["oauth_clients"].update_one({"clientId": "by-hand"}, {"$set": whole})
    world.documents["credentials"].delete_one({"userId": "by-hand"})
    try:
        sent: Document = {"roles": ["user"]} if step == "credential" else {}
        answer = world.ask(f"POST {CLIENTS}/by-hand/{step}", "system", json=sent)
        done = {"rotate-secret": 200, "credential": 201}[step]
        assert answer.status_code == (422 if later is None else done), answer.text
        assert stored_version(world) == (version if later is None else later)
    finally:
        world.documents["credentials"].delete_many({"userId": "by-hand"})


@pytest.mark.parametrize("version", [None, "1"])
def test_the_command_line_says_which_version_to_correct(world: World, version: Any) -> None:
    world.documents["oauth_clients"].update_one({"clientId": "by-hand"}, {"$set": {"version": version}})
    for change, *more in ((rotate_secret,), (set_active, False)):
        with pytest.raises(ValidationFailed, match=r"^version has to be a whole number in the stored record"):
            manage(world, change, world.realm, "by-hand", *more)
    assert stored_version(world) == version


PLACES = [None, {}, {"tenantId": None}, "acme"]


@pytest.mark.parametrize("place", PLACES, ids=str)
def test_a_client_whose_data_domain_names_no_tenant_is_none(world: World, place: Any) -> None:
    """Only without a data domain is it for the users of all tenants."""
    world.documents["oauth_clients"].update_one({"clientId": "by-hand"}, {"$set": {"dataDomain": place}})
    check_refused(send(world, CLIENT_CREDENTIALS, OWN), 401, "invalid_client")


def test_nothing_but_true_makes_it_public_or_opens_it_to_all_tenants(world: World) -> None:
    place: Document = {"dataDomain": {"tenantId": "globex"}}
    said = {"publicClient": "false", "allTenants": "false"}
    world.documents["oauth_clients"].update_one({"clientId": "by-hand"}, {"$set": place | said})
    refresh = {"grant_type": "refresh_token", "refresh_token": "x"}
    check_refused(send(world, refresh | {"client_id": "by-hand"}), 401, "invalid_client")
    check_refused(send(world, refresh, OWN), 400, "invalid_grant")
    walker = Walker(world)
    request = {"response_type": "code", "client_id": "by-hand", "redirect_uri": REDIRECT}
    assert answer_at(walker.log_in(walker.open(request)), REDIRECT)["error"] == "access_denied"


@pytest.mark.parametrize("missing", ["refName", "version", "dataDomain"])
def test_the_api_changes_it_once_it_has_the_members_of_records(world: World, missing: str) -> None:
    whole: Document = {"refName": "by-hand", "version": 1, "dataDomain": {"tenantId": "acme"}}
    added = {name: value for name, value in whole.items() if name != missing}
    clients = world.documents["oauth_clients"]
    clients.update_one({"clientId": "by-hand"}, {"$set": added})
    body = clients.find_one({"clientId": "by-hand"})
    assert body is not None
    path, merge = f"{CLIENTS}/id/{body['_id']}", {"Content-Type": "application/merge-patch+json"}
    refused = world.ask(f"PATCH {path}", "system", content=b'{"active": false}', headers=merge)
    assert (refused.status_code, refused.json()["violations"][0]["path"]) == (422, missing), refused.text
    sent = {"ids": [str(body["_id"])], "values": {"active": False}}
    (result,) = world.ask(f"PUT {CLIENTS}/bulk/set", "system", json=sent).json()["results"]
    assert (result["status"], result["error"]["violations"][0]["path"]) == (422, missing)
    assert clients.find_one({"clientId": "by-hand"}) == body

    clients.update_one({"clientId": "by-hand"}, {"$set": whole})
    changed = world.ask(f"PATCH {path}", "system", content=b'{"active": false}', headers=merge)
    assert (changed.status_code, changed.json()["active"], changed.json()["version"]) == (200, False, 2)


def test_the_api_creates_no_credential_for_a_client_of_no_tenant(world: World) -> None:
    world.documents["credentials"].delete_one({"userId": "by-hand"})
    refused = world.ask(f"POST {CLIENTS}/by-hand/credential", "system", json={"roles": ["user"]})
    assert (refused.status_code, refused.json()["violations"][0]["path"]) == (422, "clientId"), refused.text


def test_the_credential_of_a_tenant_is_not_that_of_an_operators_client(world: World) -> None:
    place: Document = {"dataDomain": {"tenantId": "acme"}, "loginName": "by-hand"}
    world.documents["credentials"].update_one({"userId": "by-hand"}, {"$set": place})
    check_refused(send(world, CLIENT_CREDENTIALS, OWN), 400, "unauthorized_client")


def test_no_administrator_of_a_tenant_sees_or_changes_it(world: World) -> None:
    listed = world.ask("GET /security/oauth/clients/list")
    assert (listed.status_code, listed.json()["rows"]) == (200, [])
    rotated = world.ask("POST /security/oauth/clients/by-hand/rotate-secret", json={})
    assert rotated.status_code == 404
    taken = world.ask("POST /security/oauth/clients", json={"clientId": "by-hand"})
    assert taken.status_code == 409


def test_an_operator_manages_it(world: World) -> None:
    rotated = manage(world, rotate_secret, world.realm, "by-hand", ends_previous=True)
    assert send(world, CLIENT_CREDENTIALS, basic("by-hand", rotated.secret)).status_code == 200
    check_refused(send(world, CLIENT_CREDENTIALS, OWN), 401, "invalid_client")
    manage(world, set_active, world.realm, "by-hand", False)
    check_refused(send(world, CLIENT_CREDENTIALS, basic("by-hand", rotated.secret)), 401, "invalid_client")
    assert [shown(one)["clientId"] for one in manage(world, list_clients, world.realm)] == ["by-hand"]
    assert "acme" in manage(world, list_tenants, world.realm)
    manage(world, remove_client, world.realm, "by-hand")
    assert world.documents["credentials"].count_documents({"userId": "by-hand"}) == 0
    assert world.documents["removedUsers"].delete_many({"loginName": "by-hand"}).deleted_count == 1
