"""What an administrator grants, manages and acts as never exceeds what the administrator has, now and later."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
from pymongo import ReplaceOne

from runtime.identity.credentials.passwords import hash_off_loop
from runtime.identity.users import store_users
from runtime.identity.users.users import NewUser, everywhere, users_of
from runtime.seams import UserKey
from tests.http.test_users import CHANGES, NEW_PASSWORD, USERS
from tests.http.world import PASSWORD, Document, Play, World
from tests.scenario import Scenario

# Without a cache, since grants are changed in the database.
pytestmark = pytest.mark.settings(credential_cache_seconds=0)

ME = "GET /security/me"
ANYBODY = {"filterScript": "userId:~"}
MORE = {"status": 403, "code": "access.denied", "says": ("more than you",)}

PEOPLE = {
    "agent": NewUser("agent@acme.example", PASSWORD, "acme", frozenset({"user"})),
    "boss": NewUser("boss@acme.example", PASSWORD, "acme", frozenset({"admin"})),
    "north-boss": NewUser("boss@north.example", PASSWORD, "acme", frozenset({"admin"}), org_ref_name="north"),
    "peer": NewUser("peer@acme.example", PASSWORD, "acme", frozenset({"admin"})),
    "abroad": NewUser(
        "abroad@acme.example", PASSWORD, "acme", frozenset({"user"}), realms=frozenset({"emea"})
    ),
    "local-system": NewUser("local@acme.example", PASSWORD, "acme", frozenset({"system"})),
    "trusted": NewUser("trusted@acme.example", PASSWORD, "acme", frozenset({"user"})),
    "deputy": NewUser("deputy@acme.example", PASSWORD, "acme", frozenset({"user"})),
}


@pytest.fixture(scope="module", autouse=True)
def people(world: World) -> None:
    for name, user in PEOPLE.items():
        world.sign_in(name, user)
    allow_as_operator(world, "trusted@acme.example")
    allow(world, "acme", "deputy@acme.example")


@pytest.fixture(autouse=True)
def people_as_they_were(world: World) -> Iterator[None]:
    """Puts every credential, session and token back after a test."""
    collections = [world.documents[name] for name in ("credentials", "refreshFamilies")]
    before, tokens = [list(collection.find()) for collection in collections], dict(world.tokens)
    yield
    world.tokens.update(tokens)
    for collection, documents in zip(collections, before, strict=True):
        collection.bulk_write([ReplaceOne({"_id": one["_id"]}, one, upsert=True) for one in documents])


def allow(world: World, granter: str, user_id: str, script: str = "userId:~", **options: Any) -> None:
    """Let a user act as others, over HTTP."""
    path = f"PUT {USERS}/userId/{user_id}/impersonation"
    answer = world.ask(path, granter, json={"filterScript": script}, **options)
    assert answer.status_code == 204, answer.text


def allow_as_operator(world: World, user_id: str, script: str = "userId:~") -> None:
    """The same from the command line."""
    service = world.app.state.service
    assert world.client.portal is not None
    world.client.portal.call(
        partial(users_of(service).enable_impersonation, UserKey(user_id=user_id), script, everywhere(world.realm))
    )  # fmt: skip


def change(world: World, user_id: str, **members: Any) -> None:
    """Set members of a credential, behind the service's back."""
    done = world.documents["credentials"].update_one({"userId": user_id}, {"$set": members})
    assert done.matched_count == 1


def acts_as(world: World, caller: str, user_id: str, **headers: str) -> bool:
    """Whether the caller may act as a user: 200 or 403, nothing else."""
    answer = world.ask(ME, caller, headers={"X-Impersonate-UserId": user_id} | headers)
    assert answer.status_code in (200, 403), answer.text
    return answer.status_code == 200


class TestUse:
    @pytest.mark.parametrize(
        ("granter", "target", "may"),
        [
            pytest.param("boss", "user@acme.example", True, id="a user"),
            pytest.param("boss", "peer@acme.example", True, id="another admin"),
            pytest.param("boss", "boss@acme.example", True, id="the granter"),
            pytest.param("boss", "north@acme.example", True, id="a user of an organisation"),
            pytest.param("boss", "nobody@acme.example", False, id="a role the granter does not have"),
            pytest.param("boss", "local@acme.example", False, id="system"),
            pytest.param("boss", "abroad@acme.example", False, id="realms the granter does not have"),
            pytest.param("boss", "trusted@acme.example", False, id="impersonation by the operator"),
            pytest.param("boss", "deputy@acme.example", True, id="impersonation by an equal"),
            pytest.param("boss", "admin@globex.example", False, id="another tenant"),
            pytest.param("system", "nobody@acme.example", True, id="granted by system: any role"),
            pytest.param("system", "abroad@acme.example", True, id="granted by system: other realms"),
            pytest.param("system", "trusted@acme.example", True, id="granted by system: impersonation"),
            pytest.param("system", "local@acme.example", False, id="granted by system: not system"),
        ],
    )
    def test_the_target_has_no_more_than_the_granter(
        self, world: World, granter: str, target: str, may: bool
    ) -> None:
        allow(world, granter, "agent@acme.example")
        assert acts_as(world, "agent", target) is may

    def test_the_operator_is_not_bounded(self, world: World) -> None:
        for target in ("nobody@acme.example", "abroad@acme.example", "trusted@acme.example"):
            assert acts_as(world, "trusted", target), target
        assert not acts_as(world, "trusted", "local@acme.example")

    def test_a_granter_of_an_organisation(self, world: World) -> None:
        world.sign_in(
            "north-agent",
            NewUser("agent@north.example", PASSWORD, "acme", frozenset({"user"}), org_ref_name="north"),
        )
        allow(world, "north-boss", "agent@north.example")
        assert acts_as(world, "north-agent", "north@acme.example")
        assert not acts_as(world, "north-agent", "user@acme.example")

    @pytest.mark.parametrize(
        ("members", "target"),
        [
            pytest.param({"disabled": True}, "user@acme.example", id="disabled"),
            pytest.param({"activeStatus": "ARCHIVED"}, "user@acme.example", id="archived"),
            pytest.param({"roles": ["user"]}, "peer@acme.example", id="fewer roles"),
            pytest.param({"domainContext.orgRefName": "south"}, "north@acme.example", id="a smaller scope"),
            pytest.param({"domainContext.defaultRealm": "emea"}, "user@acme.example", id="another realm"),
        ],
    )
    def test_a_granter_that_has_less_now(self, world: World, members: Document, target: str) -> None:
        allow(world, "boss", "agent@acme.example")
        assert acts_as(world, "agent", target)
        change(world, "boss@acme.example", **members)
        assert not acts_as(world, "agent", target)

    def test_what_is_left_of_a_demoted_granter_carries_on(self, world: World) -> None:
        allow(world, "boss", "agent@acme.example")
        change(world, "boss@acme.example", roles=["user"])
        assert acts_as(world, "agent", "user@acme.example")

    def test_a_granter_that_was_promoted_carries_no_more_than_before(self, world: World) -> None:
        allow(world, "boss", "agent@acme.example")
        for roles in (["admin", "auditor"], ["admin", "system"]):
            change(world, "boss@acme.example", roles=roles)
            assert not acts_as(world, "agent", "nobody@acme.example"), roles
            assert acts_as(world, "agent", "user@acme.example"), roles
        allow(world, "boss", "agent@acme.example")
        assert acts_as(world, "agent", "nobody@acme.example")

    def test_a_granter_that_is_gone(self, world: World) -> None:
        world.sign_in("brief", NewUser("brief@acme.example", PASSWORD, "acme", frozenset({"admin"})))
        allow(world, "brief", "agent@acme.example")
        assert acts_as(world, "agent", "user@acme.example")
        assert world.ask(f"DELETE {USERS}/userId/brief@acme.example").status_code == 204
        assert not acts_as(world, "agent", "user@acme.example")

    def test_a_target_that_has_more_now(self, world: World) -> None:
        allow(world, "boss", "agent@acme.example")
        for members in (
            {"roles": ["user", "auditor"]},
            {"realms": ["emea"]},
            {"realmRegEx": "emea"},
            {"realmRoles": {"emea": ["user"]}},
            {"area2RealmOverrides": {"logistics": "emea"}},
            {"domainContext.defaultRealm": "emea"},
        ):
            before = world.documents["credentials"].find_one({"userId": "user@acme.example"})
            assert before is not None
            assert acts_as(world, "agent", "user@acme.example"), members
            change(world, "user@acme.example", **members)
            assert not acts_as(world, "agent", "user@acme.example"), members
            world.documents["credentials"].replace_one({"_id": before["_id"]}, before)
        allow_as_operator(world, "user@acme.example")
        assert not acts_as(world, "agent", "user@acme.example")

    @pytest.mark.parametrize(
        "granter",
        [
            *(None, {}, "operator", {"operator": "true"}, {"operator": False}, {"roles": ["admin"]}),
            {"subject": "made-up", "realm": "made-up", "roles": ["system"], "operator": True},
            {"subject": 7, "realm": 7, "roles": ["admin"]},
        ],
        ids=str,
    )
    def test_a_grant_without_a_readable_granter_carries_nothing(self, world: World, granter: Any) -> None:
        allow_as_operator(world, "agent@acme.example")
        assert acts_as(world, "agent", "user@acme.example")
        change(world, "agent@acme.example", impersonationGranter=granter)
        assert not acts_as(world, "agent", "user@acme.example")

    def test_the_last_granter_counts(self, world: World) -> None:
        allow_as_operator(world, "agent@acme.example")
        assert acts_as(world, "agent", "nobody@acme.example")
        allow(world, "system", "agent@acme.example")
        allow(world, "system", "agent@acme.example", script="roles:user")
        assert (
            world.ask(f"DELETE {USERS}/userId/agent@acme.example/impersonation", "system").status_code == 204
        )
        stored = world.documents["credentials"].find_one({"userId": "agent@acme.example"})
        assert stored is not None
        assert "impersonationGranter" not in stored
        token = world.client.post(
            "/security/login", json={"userId": "agent@acme.example", "password": PASSWORD}
        ).json()["accessToken"]
        world.tokens["agent"] = token
        allow(world, "boss", "agent@acme.example")
        assert not acts_as(world, "agent", "nobody@acme.example")
        assert acts_as(world, "agent", "user@acme.example")


@pytest.mark.parametrize("change_", CHANGES)
class TestManaging:
    def test_a_user_whom_the_operator_lets_act_as_others(self, play: Play, change_: str) -> None:
        method, tail, body = CHANGES[change_]
        play(Scenario(change_, f"{method} {USERS}/userId/trusted@acme.example{tail}", body=body, **MORE))

    @pytest.mark.parametrize("members", [{"disabled": True}, {"roles": ["user"]}], ids=str)
    def test_also_while_its_granter_has_less(
        self, world: World, play: Play, change_: str, members: Document
    ) -> None:
        allow(world, "system", "agent@acme.example")
        change(world, "operator@service.example", **members)
        method, tail, body = CHANGES[change_]
        play(Scenario(change_, f"{method} {USERS}/userId/agent@acme.example{tail}", body=body, **MORE))

    def test_a_user_whom_an_equal_lets_act_as_others(self, world: World, change_: str) -> None:
        allow(world, "boss", "agent@acme.example")
        method, tail, body = CHANGES[change_]
        answer = world.ask(f"{method} {USERS}/userId/agent@acme.example{tail}", "peer", json=body)
        assert answer.status_code in (200, 204, 422), answer.text

    def test_oneself_while_acting_as_another(self, world: World, play: Play, change_: str) -> None:
        allow_as_operator(world, "agent@acme.example", "userId:peer@acme.example")
        method, tail, body = CHANGES[change_]
        said: Document = {"status": 409, "code": "user.own_account"}
        headers = {"X-Impersonate-UserId": "peer@acme.example"}
        request = f"{method} {USERS}/userId/agent@acme.example{tail}"
        play(Scenario(change_, request, user="agent", headers=headers, body=body, **said))


def test_what_is_granted_while_acting_as_an_admin_is_the_admins(world: World) -> None:
    """The one that acts has more than the admin; the grant has not."""
    world.sign_in("root", NewUser("root@service.example", PASSWORD, "operations", frozenset({"system"})))
    allow_as_operator(world, "root@service.example")
    allow(world, "root", "agent@acme.example", headers={"X-Impersonate-UserId": "boss@acme.example"})
    assert acts_as(world, "agent", "user@acme.example")
    assert not acts_as(world, "agent", "nobody@acme.example")
    change(world, "boss@acme.example", disabled=True)
    assert not acts_as(world, "agent", "user@acme.example")


def test_a_promotion_in_between_is_decided_on(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hashing a password takes long enough to be hit on purpose by an administrator who keeps trying."""
    user = {"userId": "agent@acme.example"}
    changes = {"$set": {"roles": ["user", "system"]}, "$inc": {"version": 1, "tokenEpoch": 1}}

    async def promote_and_hash(password: str, cost: int) -> str:
        world.documents["credentials"].update_one(user, changes)
        return await hash_off_loop(password, cost)

    monkeypatch.setattr(store_users, "hash_off_loop", promote_and_hash)
    before = world.documents["credentials"].find_one(user)
    assert before is not None
    answer = world.ask(f"PUT {USERS}/userId/{user['userId']}/password", json={"newPassword": NEW_PASSWORD})
    assert (answer.status_code, answer.json()["code"]) == (403, "access.denied")
    after = world.documents["credentials"].find_one(user)
    assert after is not None
    assert after["passwordHash"] == before["passwordHash"]
