"""Clients as records: what can be saved, by whom, whose rights their tokens have, and what ends with them."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import Any

import bcrypt
import jwt
import pytest
from pymongo import MongoClient
from starlette.testclient import TestClient

from generated.app import create
from runtime.errors import StoreUnavailable
from runtime.identity.users.users import NewUser
from runtime.oauth.management import create_client, remove_client, rotate_secret
from runtime.settings import Settings
from tests.http.world import CALLERS, NOWHERE, PASSWORD, Document, World, open_world
from tests.log_lines import capture_logs
from tests.oauth.applications import CLIENT_CREDENTIALS, basic, check_refused, manage, send
from tests.profiling import most_examined, profiled

CLIENTS = "/security/oauth/clients"
PAGE = "https://app.example/callback"
MERGE = {"Content-Type": "application/merge-patch+json"}
LATER = datetime(2099, 1, 1)


@pytest.fixture(scope="module")
def world(world: World) -> World:
    """No memory, so that what is changed is seen at once."""
    world.sign_in(
        "acme-north-admin",
        NewUser("na@acme.example", PASSWORD, "acme", frozenset({"admin"}), org_ref_name="north"),
    )
    return world


def save(world: World, caller: str = "acme", **fields: Any) -> Any:
    return world.ask(f"POST {CLIENTS}", caller, json=fields)


def patch(world: World, record_id: str, caller: str = "acme", **fields: Any) -> Any:
    return world.ask(f"PATCH {CLIENTS}/id/{record_id}", caller, json=fields, headers=MERGE)


def rotate(world: World, client_id: str, caller: str | None = "acme", **body: Any) -> Any:
    return world.ask(f"POST {CLIENTS}/{client_id}/rotate-secret", caller, json=body)


def stored(world: World, client_id: str) -> Document:
    found = world.documents["oauth_clients"].find_one({"clientId": client_id})
    assert found is not None
    return found


def own_token(world: World, client_id: str, secret: str) -> Any:
    return send(world, CLIENT_CREDENTIALS, basic(client_id, secret))


def powerful(world: World, client_id: str, **changes: Any) -> str:
    """A client whose credential has the role system; its secret."""
    new = NewUser(client_id, "", "acme", **({"roles": frozenset({"system"})} | changes))
    return str(manage(world, create_client, new).secret)


class TestSaving:
    @pytest.mark.parametrize(
        ("fields", "path"),
        [
            ({"redirectUris": [PAGE, "javascript:alert(1)"]}, "redirectUris[1]"),
            ({"postLogoutRedirectUris": ["http://app.example/"]}, "postLogoutRedirectUris[0]"),
            ({"allowedGrantTypes": ["authorization_code"]}, "redirectUris"),
            ({"allowedGrantTypes": ["refresh_token"]}, "allowedGrantTypes[0]"),
            ({"publicClient": True, "allowedGrantTypes": ["client_credentials"]}, "allowedGrantTypes[0]"),
            ({"tokenEndpointAuthMethod": "private_key_jwt"}, "jwks"),
            ({"jwks": {"keys": [{"kty": "oct", "k": "YWJj"}]}}, "jwks.keys[0].kty"),
            ({"allowedScopes": ["logistic:read"]}, "allowedScopes[0]"),
            ({"allowedResources": ["api"]}, "allowedResources[0]"),
            *(
                ({"clientSecretHash": hashed}, "clientSecretHash")
                for hashed in (
                    "secret",
                    "$2b$03$" + "a" * 53,
                    "$2b$15$" + "a" * 53,
                    "$2b$31$" + "a" * 53,
                    "$2b$12$" + "a" * 52,
                    "$2b$12$" + "a" * 54,
                    "$2x$12$" + "a" * 53,
                    "$5$rounds=5000$" + "a" * 50,
                    "$2b$12$" + "ä" * 53,
                    "$2b$12$" + "a" * 53 + "\n",
                )
            ),
            ({"realm": "elsewhere"}, "realm"),
        ],
    )
    def test_what_is_wrong_is_named_by_its_path(self, world: World, fields: Document, path: str) -> None:
        answer = save(world, clientId="wrong", **fields)
        assert answer.status_code == 422, answer.text
        assert [one["path"] for one in answer.json()["violations"]] == [path]
        assert world.documents["oauth_clients"].find_one({"clientId": "wrong"}) is None

    def test_every_fault_is_reported_at_once(self, world: World) -> None:
        answer = save(
            world, clientId="wrong", redirectUris=["a"], allowedScopes=["b"], allowedResources=["c"]
        )
        paths = [one["path"] for one in answer.json()["violations"]]
        assert paths == ["redirectUris[0]", "allowedScopes[0]", "allowedResources[0]"]

    def test_partial_writes_are_checked_as_a_whole(self, world: World) -> None:
        made = save(
            world, clientId="partial", redirectUris=[PAGE], allowedGrantTypes=["authorization_code"]
        ).json()
        assert patch(world, made["id"], redirectUris=None).status_code == 422
        assert patch(world, made["id"], tokenEndpointAuthMethod="none").status_code == 422
        assert patch(world, made["id"], tokenEndpointAuthMethod="none", publicClient=True).status_code == 200

    def test_the_realm_may_be_named_if_it_is_the_right_one(self, world: World) -> None:
        made = save(world, clientId="realm", realm=world.realm)
        assert (made.status_code, made.json()["realm"]) == (201, world.realm)
        assert patch(world, made.json()["id"], realm="elsewhere").status_code == 422

    def test_a_hash_may_come_with_a_new_client_and_stays(self, world: World) -> None:
        hashed = bcrypt.hashpw(b"imported", bcrypt.gensalt(4)).decode()
        grants = ["client_credentials"]
        made = save(world, clientId="imported", clientSecretHash=hashed, allowedGrantTypes=grants)
        assert made.status_code == 201, made.text
        assert hashed not in made.text
        whole = made.json() | {"clientName": "Imported"}
        saved = world.ask(f"POST {CLIENTS}", json=whole)
        assert (saved.status_code, hashed in saved.text) == (200, False)
        assert stored(world, "imported")["clientSecretHash"] == hashed
        refused = own_token(world, "imported", "imported")
        check_refused(refused, 400, "unauthorized_client")
        assert "an administrator creates" in refused.json()["error_description"]
        check_refused(own_token(world, "imported", "other"), 401, "invalid_client")
        same = world.ask(f"POST {CLIENTS}", json=whole | {"version": 2, "clientSecretHash": hashed})
        assert same.status_code == 200, same.text
        other = bcrypt.hashpw(b"mine", bcrypt.gensalt(4)).decode()
        replaced = world.ask(f"POST {CLIENTS}", json=whole | {"version": 3, "clientSecretHash": other})
        assert replaced.status_code == 422
        assert replaced.json()["violations"][0]["path"] == "clientSecretHash"
        assert stored(world, "imported")["clientSecretHash"] == hashed
        assert save(world, clientId="x", previousSecretHash=hashed).status_code == 400

    def test_a_bulk_request_and_an_import_are_checked_too(self, world: World) -> None:
        bad = {"op": "save", "record": {"clientId": "bulk-bad", "redirectUris": ["a"]}}
        good = {"op": "save", "record": {"clientId": "bulk-good"}}
        answer = world.ask(f"POST {CLIENTS}/bulk", json={"atomic": False, "operations": [bad, good]})
        assert [one["status"] for one in answer.json()["results"]] == [422, 201]


class TestRights:
    """A client whose own credential may do more than the caller."""

    @pytest.fixture
    def power(self, world: World) -> Iterator[tuple[str, str]]:
        """The secret and the record id of ``power``."""
        secret = powerful(world, "power")
        yield secret, str(stored(world, "power")["_id"])
        world.documents["removedUsers"].delete_many({})
        world.documents["credentials"].delete_many({"userId": "power"})
        world.documents["oauth_clients"].delete_many({"clientId": "power"})

    def refuse_all(self, world: World, record_id: str, caller: str) -> None:
        before = stored(world, "power")
        for answer in (
            patch(world, record_id, caller, active=False),
            patch(world, record_id, caller, active=True),
            patch(world, record_id, caller, redirectUris=["https://evil.example/"]),
            patch(world, record_id, caller, clientName="Evil"),
            rotate(world, "power", caller),
            rotate(world, "power", caller, endPrevious=True),
            world.ask(f"DELETE {CLIENTS}/id/{record_id}", caller),
            world.ask(f"PUT {CLIENTS}/set?id={record_id}&pairs=clientName:Evil", caller),
        ):
            assert (answer.status_code, answer.json()["code"]) == (403, "access.denied"), answer.text
        deleted = {"atomic": False, "operations": [{"op": "delete", "id": record_id}]}
        answer = world.ask(f"POST {CLIENTS}/bulk", caller, json=deleted)
        assert [one["status"] for one in answer.json()["results"]] == [403]
        assert stored(world, "power") == before

    def test_an_admin_of_the_tenant_writes_nothing_of_it(self, world: World, power: tuple[str, str]) -> None:
        self.refuse_all(world, power[1], "acme")
        assert own_token(world, "power", power[0]).status_code == 200
        assert patch(world, power[1], "system", active=False).status_code == 200
        self.refuse_all(world, power[1], "acme")
        assert patch(world, power[1], "system", active=True).status_code == 200
        assert rotate(world, "power", "system").status_code == 200

    def test_a_credential_of_the_whole_tenant_is_beyond_one_organisation(self, world: World) -> None:
        powerful(world, "wide", roles=frozenset({"admin"}))
        record = stored(world, "wide")
        world.documents["oauth_clients"].update_one(
            {"clientId": "wide"}, {"$set": {"dataDomain.orgRefName": "north"}}
        )
        assert patch(world, str(record["_id"]), "acme-north-admin", active=False).status_code == 403
        assert rotate(world, "wide", "acme-north-admin").status_code == 403
        assert patch(world, str(record["_id"]), "acme", active=False).status_code == 200

    def test_nobody_claims_a_credential_by_creating_its_client(self, world: World) -> None:
        powerful(world, "orphan")
        world.documents["oauth_clients"].delete_one({"clientId": "orphan"})
        claimed = save(world, clientId="orphan", allowedGrantTypes=["client_credentials"])
        assert claimed.status_code == 403, claimed.text
        assert world.documents["oauth_clients"].find_one({"clientId": "orphan"}) is None
        dry = world.ask(f"POST {CLIENTS}?dryRun=true", json={"clientId": "orphan"})
        assert dry.status_code == 403

    @pytest.mark.parametrize(("segment", "status"), [(0, 403), (7, 201)])
    def test_users_of_all_segments_are_beyond_the_admin_of_one(
        self, world: World, segment: int, status: int
    ) -> None:
        """Records of segment 0 are also those of users whom no segment binds, who see all of them."""
        caller = f"segment-{segment}"
        admin = NewUser(
            f"{caller}@acme.example", PASSWORD, "acme", frozenset({"admin"}), data_segment=segment
        )
        world.sign_in(caller, admin)
        assert save(world, caller, clientId=f"{caller}-app", redirectUris=[PAGE]).status_code == status
        assert save(world, caller, clientId=f"{caller}-machine").status_code == 201
        made = save(world, clientId=f"{caller}-of-all", redirectUris=[PAGE]).json()
        before = stored(world, f"{caller}-of-all")
        theirs = patch(world, made["id"], caller, redirectUris=["https://evil.example/"])
        assert theirs.status_code in (403, 404)
        assert rotate(world, f"{caller}-of-all", caller).status_code in (403, 404)
        assert stored(world, f"{caller}-of-all") == before

    def test_an_admin_of_a_tenant_writes_no_client_of_all_tenants(self, world: World) -> None:
        """Another redirect URI or secret would give the admin the tokens of users of other tenants."""
        made = save(world, clientId="everywhere", redirectUris=[PAGE]).json()
        match = {"clientId": "everywhere"}
        world.documents["oauth_clients"].update_one(match, {"$set": {"allTenants": True}})
        before = stored(world, "everywhere")
        assert patch(world, made["id"], redirectUris=["https://evil.example/"]).status_code == 403
        assert rotate(world, "everywhere").status_code == 403
        assert world.ask(f"DELETE {CLIENTS}/id/{made['id']}").status_code == 403
        assert stored(world, "everywhere") == before
        assert save(world, clientId="also", redirectUris=[PAGE], allTenants=True).status_code in (
            201,
            400,
            422,
        )
        assert "allTenants" not in (world.documents["oauth_clients"].find_one({"clientId": "also"}) or {})
        assert patch(world, made["id"], "system", clientName="Portal").status_code == 200

    def test_a_user_may_rotate_nothing(self, world: World, power: tuple[str, str]) -> None:
        assert rotate(world, "power", "acme-user").status_code == 403
        assert rotate(world, "power", None).status_code == 401
        assert rotate(world, "power", "acme-nobody").status_code == 403


class TestRotating:
    @pytest.mark.parametrize("body", [{}, {"endPrevious": True}], ids=str)
    def test_a_rotation_with_a_key_takes_effect_once(self, world: World, body: Document) -> None:
        client_id = f"once-{len(body)}"
        save(world, clientId=client_id, allowedGrantTypes=["client_credentials"])
        path, key = f"POST {CLIENTS}/{client_id}/rotate-secret", {"Idempotency-Key": client_id}
        first, again = (world.ask(path, json=body, headers=key) for _ in range(2))
        assert first.status_code == 200, first.text
        after = stored(world, client_id)
        assert (again.status_code, again.json()["code"]) == (409, "idempotency.no_answer")
        assert stored(world, client_id) == after
        assert "previousSecretHash" not in after
        secret = first.json()["clientSecret"]
        assert bcrypt.checkpw(secret.encode(), after["clientSecretHash"].encode())
        other = world.ask(path, json={"endPrevious": not body}, headers=key)
        assert (other.status_code, other.json()["code"]) == (422, "idempotency.mismatch")
        assert secret not in str(list(world.documents["idempotencyKeys"].find()))

    def test_the_secret_is_shown_once(self, world: World) -> None:
        made = save(world, clientId="rotated", allowedGrantTypes=["client_credentials"]).json()
        first = rotate(world, "rotated")
        assert first.status_code == 200, first.text
        assert first.headers["cache-control"] == "no-store"
        assert first.json().keys() == {"clientId", "clientSecret"}
        secret = first.json()["clientSecret"]
        record = stored(world, "rotated")
        assert secret not in str(record)
        assert bcrypt.checkpw(secret.encode(), record["clientSecretHash"].encode())
        assert record["auditInfo"]["lastUpdatedBy"] == CALLERS["acme"].user_id
        assert record["version"] == 2
        assert secret not in world.ask(f"GET {CLIENTS}/id/{made['id']}").text
        second = rotate(world, "rotated").json()["clientSecret"]
        for known in (secret, second):
            check_refused(own_token(world, "rotated", known), 400, "unauthorized_client")
        third = rotate(world, "rotated", endPrevious=True).json()["clientSecret"]
        for gone in (secret, second):
            check_refused(own_token(world, "rotated", gone), 401, "invalid_client")
        check_refused(own_token(world, "rotated", third), 400, "unauthorized_client")

    def test_the_secret_before_does_not_outlive_one_that_is_cleared(self, world: World) -> None:
        made = save(world, clientId="cleared", allowedGrantTypes=["client_credentials"]).json()
        secrets = [rotate(world, "cleared").json()["clientSecret"] for _ in range(2)]
        assert patch(world, made["id"], clientSecretHash=None).status_code == 200
        for gone in secrets:
            check_refused(own_token(world, "cleared", gone), 401, "invalid_client")
        new = rotate(world, "cleared").json()["clientSecret"]
        check_refused(own_token(world, "cleared", new), 400, "unauthorized_client")
        for gone in secrets:
            check_refused(own_token(world, "cleared", gone), 401, "invalid_client")

    @pytest.mark.parametrize(
        "fields",
        [
            {"publicClient": True},
            {"tokenEndpointAuthMethod": "private_key_jwt", "jwks": {"keys": [{"kty": "OKP", "crv": "Ed25519", "x": "A" * 43}]}},
        ],
    )  # fmt: skip
    def test_a_client_without_a_secret_gets_none(self, world: World, fields: Document) -> None:
        client_id = f"none-{len(fields)}"
        assert save(world, clientId=client_id, **fields).status_code == 201
        assert rotate(world, client_id).status_code == 422
        assert "clientSecretHash" not in stored(world, client_id)

    def test_clients_of_others_look_like_none(self, world: World) -> None:
        assert save(world, clientId="of-acme").status_code == 201
        missing, foreign = rotate(world, "of-nobody", "globex"), rotate(world, "of-acme", "globex")
        assert missing.status_code == foreign.status_code == 404
        assert missing.json()["code"] == foreign.json()["code"]
        assert missing.json()["detail"] == "no OauthClient has the clientId of-nobody"
        assert foreign.json()["detail"] == "no OauthClient has the clientId of-acme"
        assert "clientSecretHash" not in stored(world, "of-acme")
        taken = save(world, "globex", clientId="of-acme")
        assert taken.status_code == 409
        assert "acme" not in taken.text.replace("of-acme", "")

    @pytest.mark.parametrize("body", [{"secret": "mine"}, {"endPrevious": "maybe"}, {"clientSecret": "a"}])
    def test_nobody_chooses_a_secret(self, world: World, body: Document) -> None:
        assert rotate(world, "of-acme", **body).status_code in (400, 422)


def give_credential(
    world: World, client_id: str, *roles: str, caller: str | None = "acme", **body: Any
) -> Any:
    return world.ask(f"POST {CLIENTS}/{client_id}/credential", caller, json={"roles": [*roles], **body})


def credential_of(world: World, client_id: str) -> Document | None:
    return world.documents["credentials"].find_one({"userId": client_id})


MACHINE = {"allowedGrantTypes": ["client_credentials"]}


class TestCreatingACredential:
    """Over the API, in the data domain of the client: it never does more than who created it."""

    def test_the_client_gets_tokens_with_its_rights(self, world: World) -> None:
        save(world, clientId="batch", **MACHINE)
        secret = rotate(world, "batch").json()["clientSecret"]
        check_refused(own_token(world, "batch", secret), 400, "unauthorized_client")
        before = stored(world, "batch")
        made = give_credential(world, "batch", "user")
        assert made.status_code == 201, made.text
        after = stored(world, "batch")
        assert made.json() == {"clientId": "batch", "subject": after["subject"], "roles": ["user"]}
        assert after["version"] == before["version"] + 1
        assert after["auditInfo"]["lastUpdatedBy"] == "admin@acme.example"
        credential = credential_of(world, "batch")
        assert credential is not None
        assert (credential["credentialType"], credential["subject"]) == ("OAUTH", after["subject"])
        assert credential["domainContext"] == {"tenantId": "acme", "defaultRealm": world.realm}
        assert credential["auditInfo"]["createdBy"] == "admin@acme.example"
        assert not {"passwordHash", "realms", "realmRoles", "impersonationEnabled"} & credential.keys()
        says = jwt.decode(
            own_token(world, "batch", secret).json()["access_token"], options={"verify_signature": False}
        )
        assert (says["sub"], says["groups"]) == (after["subject"], ["user"])
        for password in ("", PASSWORD, secret):
            login = world.ask("POST /security/login", None, json={"userId": "batch", "password": password})
            assert login.status_code in (401, 422), "nobody logs in with it"

    def test_nobody_gives_it_a_password(self, world: World) -> None:
        """A login with it would outlast the client, and would not be narrowed to its scopes."""
        save(world, clientId="plain-machine", **MACHINE)
        subject = give_credential(world, "plain-machine", "user").json()["subject"]
        before = credential_of(world, "plain-machine")
        for name in ("userId/plain-machine", f"subject/{subject}"):
            body = {"newPassword": PASSWORD, "forceChangePassword": False}
            answer = world.ask(f"PUT /security/users/{name}/password", "acme", json=body)
            assert answer.status_code == 422, answer.text
            assert [one["path"] for one in answer.json()["violations"]] == ["userId"]
            assert "rotate its secret" in answer.json()["detail"]
        assert credential_of(world, "plain-machine") == before

    def test_nobody_logs_in_with_a_password_that_an_earlier_version_gave_it(self, world: World) -> None:
        save(world, clientId="old-machine", **MACHINE)
        assert give_credential(world, "old-machine", "user").status_code == 201
        credentials = world.documents["credentials"]
        user = credentials.find_one({"loginName": "user@acme.example"})
        assert user is not None
        given = {name: user[name] for name in ("passwordHash", "hashingAlgorithm")}
        credentials.update_one({"loginName": "old-machine"}, {"$set": given})
        for name, status in (("user@acme.example", 200), ("old-machine", 401)):
            body = {"userId": name, "password": PASSWORD}
            assert world.ask("POST /security/login", None, json=body).status_code == status

    def test_a_client_has_one_credential(self, world: World) -> None:
        save(world, clientId="twice", **MACHINE)
        assert give_credential(world, "twice", "user").status_code == 201
        before = stored(world, "twice"), credential_of(world, "twice")
        again = give_credential(world, "twice", "user")
        assert (again.status_code, again.json()["code"]) == (409, "record.duplicate")
        assert (stored(world, "twice"), credential_of(world, "twice")) == before

    def test_of_many_at_once_one_is_stored(self, world: World) -> None:
        save(world, clientId="raced", **MACHINE)
        with ThreadPoolExecutor(20) as pool:
            answers = list(pool.map(lambda _number: give_credential(world, "raced", "user"), range(20)))
        assert sorted(one.status_code for one in answers) == [201] + [409] * 19
        (made,) = (one.json() for one in answers if one.status_code == 201)
        assert stored(world, "raced")["subject"] == made["subject"]
        assert world.documents["credentials"].count_documents({"userId": "raced"}) == 1

    @pytest.mark.parametrize(
        ("caller", "roles", "status"),
        [
            ("acme", ["system"], 403),
            ("acme", ["user", "system"], 403),
            ("acme", ["admin"], 201),
            ("acme", ["auditor"], 422),
            ("acme", ["nonsense"], 422),
            ("acme", [], 422),
            ("acme-user", ["user"], 403),
            ("acme-nobody", ["auditor"], 403),
            (None, ["user"], 401),
            ("globex", ["user"], 404),
            ("acme-north-admin", ["user"], 404),
            ("system", ["system"], 201),
        ],
    )
    def test_nobody_grants_more_than_they_have(
        self, world: World, caller: str | None, roles: list[str], status: int
    ) -> None:
        client_id = f"granted-{caller}-{'-'.join(roles)}"
        save(world, clientId=client_id, **MACHINE)
        before = stored(world, client_id)
        answer = give_credential(world, client_id, *roles, caller=caller)
        assert answer.status_code == status, answer.text
        if status == 201:
            assert answer.json()["roles"] == sorted(roles)
        else:
            assert stored(world, client_id) == before
            assert credential_of(world, client_id) is None

    def test_it_belongs_where_the_client_does(self, world: World) -> None:
        save(world, "acme-north-admin", clientId="northern", **MACHINE)
        assert give_credential(world, "northern", "user", caller="acme").status_code == 201
        credential = credential_of(world, "northern")
        assert credential is not None
        assert credential["domainContext"]["orgRefName"] == credential["dataDomain"]["orgRefName"] == "north"

    @pytest.mark.parametrize("segment", [0, 7])
    def test_that_of_one_segment_stays_in_it(self, world: World, segment: int) -> None:
        caller = f"of-segment-{segment}"
        admin = NewUser(
            f"{caller}@acme.example", PASSWORD, "acme", frozenset({"admin"}), data_segment=segment
        )
        world.sign_in(caller, admin)
        save(world, caller, clientId=f"{caller}-batch", **MACHINE)
        assert give_credential(world, f"{caller}-batch", "user", caller=caller).status_code == 201
        credential = credential_of(world, f"{caller}-batch")
        assert credential is not None
        assert credential["domainContext"]["dataSegment"] == segment

    def test_who_may_not_write_the_client_gives_it_nothing(self, world: World) -> None:
        save(world, clientId="portal", redirectUris=[PAGE], **MACHINE)
        world.documents["oauth_clients"].update_one({"clientId": "portal"}, {"$set": {"allTenants": True}})
        assert give_credential(world, "portal", "user").status_code == 403
        assert credential_of(world, "portal") is None
        assert give_credential(world, "portal", "user", caller="system").status_code == 201

    @pytest.mark.parametrize("body", [{"password": PASSWORD}, {"tenantId": "globex"}, {"realmRegEx": ".*"}])
    def test_nothing_else_is_chosen(self, world: World, body: Document) -> None:
        save(world, clientId="plain", **MACHINE)
        assert give_credential(world, "plain", "user", **body).status_code in (400, 422)
        assert credential_of(world, "plain") is None

    def test_the_id_of_a_user_is_not_that_of_a_credential(self, world: World) -> None:
        for user_id in ("admin@globex.example", "USER@acme.example"):
            save(world, clientId=user_id, **MACHINE)
            answer = give_credential(world, user_id, "user")
            assert (answer.status_code, answer.json()["code"]) == (409, "record.duplicate")
            assert "globex" not in answer.text.replace(user_id, "")
            assert "subject" not in stored(world, user_id)
        save(world, clientId="admin", **MACHINE)
        assert give_credential(world, "admin", "user").status_code == 422, "the name of a role it lacks"

    def test_only_for_clients_that_use_it(self, world: World) -> None:
        save(world, clientId="page-only", redirectUris=[PAGE], allowedGrantTypes=["authorization_code"])
        answer = give_credential(world, "page-only", "user")
        assert answer.status_code == 422
        assert "client_credentials" in answer.json()["detail"]
        assert credential_of(world, "page-only") is None
        assert give_credential(world, "absent", "user").status_code == 404

    def test_a_removed_one_is_not_replaced(self, world: World) -> None:
        save(world, clientId="fallen", **MACHINE)
        secret = rotate(world, "fallen").json()["clientSecret"]
        give_credential(world, "fallen", "user")
        assert world.ask("DELETE /security/users/userId/fallen").status_code == 204
        check_refused(own_token(world, "fallen", secret), 400, "unauthorized_client")
        assert give_credential(world, "fallen", "user").status_code == 409

    def test_it_ends_with_the_client(self, world: World) -> None:
        made = save(world, clientId="brief", **MACHINE).json()
        secret = rotate(world, "brief").json()["clientSecret"]
        give_credential(world, "brief", "user")
        token = own_token(world, "brief", secret).json()["access_token"]
        assert world.is_in(token)
        assert world.ask(f"DELETE {CLIENTS}/id/{made['id']}").status_code == 204
        assert credential_of(world, "brief") is None
        assert not world.is_in(token)


class TestOwnCredential:
    """client_credentials of a client that was made as a record: the credential with its id as user id."""

    def make(self, world: World, client_id: str, **changes: Any) -> str:
        made = save(world, clientId=client_id, allowedGrantTypes=["client_credentials"])
        assert made.status_code == 201, made.text
        secret = rotate(world, client_id).json()["clientSecret"]
        # A credential that came with seed data: it is made together with a client, which goes.
        new = NewUser(f"seed-{client_id}", "", "acme", frozenset({"user"}))
        manage(world, create_client, new)
        world.documents["oauth_clients"].delete_one({"clientId": new.user_id})
        fields = {"userId": client_id, "loginName": client_id.casefold()} | changes
        world.documents["credentials"].update_one({"userId": new.user_id}, {"$set": fields})
        return str(secret)

    def test_its_rights_are_those_of_the_credential(self, world: World) -> None:
        secret = self.make(world, "seeded")
        answer = own_token(world, "seeded", secret)
        assert answer.status_code == 200, answer.text
        says = jwt.decode(answer.json()["access_token"], options={"verify_signature": False})
        assert (says["client_id"], says["upn"], says["groups"]) == ("seeded", "seeded", ["user"])
        assert "subject" not in stored(world, "seeded")
        assert world.is_in(answer.json()["access_token"])

    @pytest.mark.parametrize(
        "changes",
        [
            {"credentialType": None},
            {"credentialType": "USER"},
            {"domainContext.tenantId": "globex"},
            {"dataDomain.tenantId": "globex"},
            {"userId": "Other-0"},
            {"userId": "someone"},
            {"disabled": True},
            {"activeStatus": "ARCHIVED"},
        ],
    )
    def test_no_other_credential_counts(self, world: World, changes: Document) -> None:
        client_id = "other-" + "-".join(map(str, [*changes, *changes.values()]))
        secret = self.make(world, client_id, **changes)
        check_refused(own_token(world, client_id, secret), 400, "unauthorized_client")

    def test_a_user_of_that_name_is_none(self, world: World) -> None:
        name = "person"
        world.sign_in(name, NewUser(name, PASSWORD, "acme", frozenset({"user"})))
        assert save(world, clientId=name, allowedGrantTypes=["client_credentials"]).status_code == 201
        secret = rotate(world, name).json()["clientSecret"]
        check_refused(own_token(world, name, secret), 400, "unauthorized_client")
        world.documents["oauth_clients"].delete_one({"clientId": name})
        assert world.ask("GET /security/me", name).status_code == 200

    def test_its_tokens_end_with_the_client(self, world: World) -> None:
        secret = self.make(world, "ending")
        token = own_token(world, "ending", secret).json()["access_token"]
        record_id = str(stored(world, "ending")["_id"])
        assert patch(world, record_id, active=False).status_code == 200
        assert not world.is_in(token)
        check_refused(own_token(world, "ending", secret), 401, "invalid_client")
        assert patch(world, record_id, active=True).status_code == 200
        assert world.is_in(token)


def test_a_client_that_moves_to_another_tenant_leaves_its_credential(world: World) -> None:
    secret = powerful(world, "moving", roles=frozenset({"user"}))
    token = own_token(world, "moving", secret).json()["access_token"]
    record_id = str(stored(world, "moving")["_id"])
    assert patch(world, record_id, "acme", dataDomain={"tenantId": "globex"}).status_code == 403
    assert world.is_in(token)
    assert patch(world, record_id, "system", dataDomain={"tenantId": "globex"}).status_code == 200
    given = rotate(world, "moving", "globex").json()["clientSecret"]
    check_refused(own_token(world, "moving", given), 400, "unauthorized_client")
    assert not world.is_in(token)


class TestRemoving:
    def family(self, world: World, client_id: str, **changes: Any) -> Any:
        document = {
            "refName": f"family-{client_id}-{len(changes)}", "clientId": client_id, "subject": "s", "revoked": False,
            "current": "c", "rotatedAt": LATER, "expiresAt": LATER, "version": 1,
            "dataDomain": {"tenantId": "acme", "dataSegment": 0}, "activeStatus": "ACTIVE",
        }  # fmt: skip
        return world.documents["refreshFamilies"].insert_one(document | changes).inserted_id

    def note(self, world: World, collection: str, client_id: str, **fields: Any) -> Any:
        document = {
            "refName": f"{collection}-{client_id}", "clientId": client_id, "subject": "s", "version": 1,
            "dataDomain": {"tenantId": "acme", "dataSegment": 0}, "activeStatus": "ACTIVE",
        }  # fmt: skip
        return world.documents[collection].insert_one(document | fields).inserted_id

    @pytest.mark.parametrize("way", ["id", "bulk", "atomic bulk", "command line"])
    def test_all_of_it_ends(self, world: World, way: str) -> None:
        client_id = f"gone-by-{way.replace(' ', '-')}"
        secret = powerful(world, client_id, roles=frozenset({"user"}))
        token = own_token(world, client_id, secret).json()["access_token"]
        family, other = self.family(world, client_id), self.family(world, f"not-{client_id}")
        consent = self.note(world, "consents", client_id, scopes=["openid"])
        pushed = self.note(world, "pushedRequests", client_id, expiresAt=LATER)
        code = self.note(world, "oauth_authorization_codes", client_id, used=False, expiresAt=LATER)
        other_consent = self.note(world, "consents", f"not-{client_id}", scopes=["openid"])
        record_id = str(stored(world, client_id)["_id"])
        operations = [{"op": "delete", "id": record_id}]
        dry = world.ask(f"DELETE {CLIENTS}/id/{record_id}?dryRun=true")
        assert dry.status_code == 204
        assert world.is_in(token)
        if way == "id":
            assert world.ask(f"DELETE {CLIENTS}/id/{record_id}").status_code == 204
        elif way == "command line":
            manage(world, remove_client, world.realm, client_id)
        else:
            body = {"atomic": way == "atomic bulk", "operations": operations}
            answer = world.ask(f"POST {CLIENTS}/bulk", json=body)
            assert [one["status"] for one in answer.json()["results"]] == [204]
        documents = world.documents
        assert not world.is_in(token)
        check_refused(own_token(world, client_id, secret), 401, "invalid_client")
        assert documents["credentials"].find_one({"userId": client_id}) is None
        assert documents["removedUsers"].find_one({"userId": client_id}) is not None
        assert documents["refreshFamilies"].find_one({"_id": family})["revoked"] is True
        assert documents["refreshFamilies"].find_one({"_id": other})["revoked"] is False
        assert documents["consents"].find_one({"_id": consent}) is None
        assert documents["consents"].find_one({"_id": other_consent}) is not None
        assert documents["pushedRequests"].find_one({"_id": pushed}) is None
        assert documents["oauth_authorization_codes"].find_one({"_id": code})["used"] is True
        again = save(world, clientId=client_id)
        assert (again.status_code, again.json()["code"]) == (409, "record.duplicate")
        assert again.json()["fields"] == ["clientId"]

    def test_many_sessions_and_consents_end_in_batches(
        self, world: World, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Those of a later client with the same id stay: it may have come in between."""
        monkeypatch.setattr("runtime.oauth.client_effect._MOST_AT_ONCE", 2)
        made = save(world, clientId="popular").json()
        for number, record in enumerate([*[made["id"]] * 5, NOWHERE]):
            own: Any = {"refName": f"of-popular-{number}", "subject": f"s{number}", "clientRecord": record}
            self.family(world, "popular", **own)
            self.note(world, "consents", "popular", **own)
        assert world.ask(f"DELETE {CLIENTS}/id/{made['id']}").status_code == 204
        for name in ("refreshFamilies", "consents"):
            left = world.documents[name].find({"clientId": "popular", "revoked": {"$ne": True}})
            assert [one["clientRecord"] for one in left] == [NOWHERE]

    def test_it_is_removed_also_where_its_sessions_cannot_be_ended(
        self, world: World, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        async def refuse(*_arguments: object) -> None:
            raise StoreUnavailable("the store did not answer; try again")

        made = save(world, clientId="unlucky").json()
        self.family(world, "unlucky", clientRecord=made["id"])
        monkeypatch.setattr("runtime.oauth.client_effect._find_ids", refuse)
        with capture_logs() as lines:
            assert world.ask(f"DELETE {CLIENTS}/id/{made['id']}").status_code == 204
        events = [(one["event"], one["realm"]) for one in lines if one.get("client") == "unlucky"]
        assert [event for event, _ in events] == ["client.removed", "client.not_cleared_away"]
        assert {realm for _, realm in events} == {world.realm}
        assert world.ask(f"GET {CLIENTS}/id/{made['id']}").status_code == 404

    def test_what_users_have_granted_to_others_is_not_read(self, world: World) -> None:
        record_id = save(world, clientId="unpopular").json()["id"]
        for number in range(30):
            self.family(world, f"popular-{number}", refName=f"popular-{number}")
            self.note(
                world, "consents", f"popular-{number}", refName=f"popular-{number}", subject=str(number)
            )
        with profiled(world.documents, "refreshFamilies", "consents") as commands:
            assert world.ask(f"DELETE {CLIENTS}/id/{record_id}").status_code == 204
        assert most_examined(commands) <= 1

    def test_an_id_without_a_credential_may_come_back_and_inherits_nothing(self, world: World) -> None:
        made = save(world, clientId="returning").json()
        secret = rotate(world, "returning").json()["clientSecret"]
        assert world.ask(f"DELETE {CLIENTS}/id/{made['id']}").status_code == 204
        back = save(world, "globex", clientId="returning", allowedGrantTypes=["client_credentials"])
        assert back.status_code == 201
        check_refused(own_token(world, "returning", secret), 401, "invalid_client")


def test_every_worker_knows_within_a_second(
    mongo_uri: str, mongo_client: MongoClient[Document], key_folder: Any
) -> None:
    """Two services over one realm, with their usual memory."""
    with open_world(mongo_uri, mongo_client, data_folder=key_folder) as world:
        secret = powerful(world, "watched", roles=frozenset({"user"}))
        settings = Settings.read(
            {}, mongodb_uri=mongo_uri, environment="development", default_realm=world.realm, bcrypt_cost=4,
            queue_ms=60_000, log_level="ERROR", data_folder=key_folder,
        )  # fmt: skip
        with TestClient(create(settings), raise_server_exceptions=False) as other:

            def ask_other() -> int:
                headers = basic("watched", secret) | {"Content-Type": "application/x-www-form-urlencoded"}
                body = "grant_type=client_credentials"
                return other.post("/oauth/token", content=body, headers=headers).status_code

            token = own_token(world, "watched", secret).json()["access_token"]
            bearer = {"Authorization": f"Bearer {token}"}
            assert ask_other() == 200
            assert other.get("/security/me", headers=bearer).status_code == 200
            record_id = str(stored(world, "watched")["_id"])
            assert patch(world, record_id, active=False).status_code == 200
            deadline = datetime.now() + timedelta(seconds=1)
            while ask_other() != 401 or other.get("/security/me", headers=bearer).status_code != 401:
                assert datetime.now() < deadline
            assert own_token(world, "watched", secret).status_code == 401
            assert not world.is_in(token)
            manage(world, rotate_secret, world.realm, "watched")
