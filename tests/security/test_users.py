"""Managing users: what is stored, what is refused, and what never comes back."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from bson import ObjectId
from pymongo import MongoClient

from runtime.call import Service
from runtime.errors import Duplicate, NotFound, ValidationFailed
from runtime.identity.credentials.passwords import password_matches
from runtime.identity.users.store_users import StoreUsers
from runtime.identity.users.users import (
    NewUser,
    create_user,
    disable_user,
    everywhere,
    list_tenants,
    list_users,
    set_password,
    users_of,
)
from tests.profiling import most_examined, profiled

PASSWORD = "correct horse battery"
HIDDEN = {"loginName", "passwordHash", "hashingAlgorithm", "tokenEpoch"}

pytestmark = pytest.mark.anyio


def stored(mongo_client: MongoClient[Any], service: Service, user_id: str) -> dict[str, Any]:
    found = mongo_client[service.settings.default_realm]["credentials"].find_one({"userId": user_id})
    assert found is not None
    return found


async def test_new_user_is_a_record_like_any_other(
    service: Service, make_user: Any, mongo_client: MongoClient[Any], clock: Any
) -> None:
    answer = await make_user(
        "Ada@Acme", org_ref_name="research", data_segment=2, email="ada@acme.example",
        roles=frozenset({"user", "admin"}),
        realms=frozenset({"emea"}), realm_roles={"emea": frozenset({"user"})},
    )  # fmt: skip
    found = stored(mongo_client, service, "Ada@Acme")
    realm = service.settings.default_realm

    assert {name: value for name, value in found.items() if name not in HIDDEN} == answer
    assert found.keys() - answer.keys() == HIDDEN
    assert (found["refName"], found["displayName"], found["loginName"]) == (
        "ada@acme",
        "Ada@Acme",
        "ada@acme",
    )
    assert (found["version"], found["activeStatus"]) == (1, "ACTIVE")
    assert found["dataDomain"] == {
        "tenantId": "acme", "orgRefName": "research", "ownerId": "Ada@Acme", "dataSegment": 2,
    }  # fmt: skip
    assert found["domainContext"] == {
        "tenantId": "acme", "orgRefName": "research", "defaultRealm": realm, "dataSegment": 2,
    }  # fmt: skip
    audit = found["auditInfo"]
    assert (audit["createdBy"], audit["lastUpdatedBy"]) == ("service", "service")
    assert abs(audit["createdDate"].timestamp() - clock.seconds) < 86400  # naive UTC
    assert found["roles"] == ["admin", "user"]
    assert (found["realms"], found["realmRoles"]) == (["emea"], {"emea": ["user"]})
    assert (found["tokenEpoch"], found["authProviderName"], found["hashingAlgorithm"]) == (
        1,
        "store",
        "bcrypt",
    )
    assert "accountId" not in found["dataDomain"]
    assert password_matches(PASSWORD, found["passwordHash"], 4)
    assert len(found["subject"]) == 32


@pytest.mark.parametrize("again", ["ada", "ADA", "Ａda"], ids=["same", "another case", "full width"])
async def test_user_id_is_taken_once_a_realm(service: Service, make_user: Any, again: str) -> None:
    await make_user("ada")
    with pytest.raises(Duplicate) as refusal:
        await make_user(again, tenant_id="initech")
    assert "is or was in use in the realm" in refusal.value.message
    assert refusal.value.details == {"fields": ["userId"]}


async def test_of_many_who_want_one_name_one_gets_it(service: Service, make_user: Any) -> None:
    outcomes = await asyncio.gather(*(make_user("ada") for _ in range(10)), return_exceptions=True)
    assert sorted(type(outcome).__name__ for outcome in outcomes) == ["Duplicate"] * 9 + ["dict"]


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        pytest.param({"user_id": ""}, "userId", id="empty user id"),
        pytest.param({"user_id": "x" * 101}, "userId", id="long user id"),
        pytest.param({"user_id": "ada lovelace"}, "userId", id="blank in the user id"),
        pytest.param({"user_id": "ada\n"}, "userId", id="line break in the user id"),
        pytest.param({"user_id": "a\0"}, "userId", id="NUL in the user id"),
        pytest.param({"user_id": "a\u202eb"}, "userId", id="direction mark in the user id"),
        pytest.param({"user_id": "\ud800"}, "userId", id="half a surrogate pair"),
        pytest.param({"user_id": "service"}, "userId", id="the service itself"),
        pytest.param({"user_id": "Anonymous"}, "userId", id="nobody"),
        pytest.param({"user_id": "SYSTEM"}, "userId", id="a role it does not have"),
        pytest.param({"user_id": "admin"}, "userId", id="another such role"),
        pytest.param({"tenant_id": ""}, "tenantId", id="no tenant"),
        pytest.param({"tenant_id": "x" * 201}, "tenantId", id="long tenant"),
        pytest.param({"tenant_id": "a\nb"}, "tenantId", id="line break in the tenant"),
        pytest.param({"org_ref_name": ""}, "orgRefName", id="empty organisation"),
        pytest.param({"account_id": ""}, "accountId", id="empty account"),
        pytest.param({"roles": frozenset()}, "roles", id="no roles"),
        pytest.param({"roles": frozenset({"user", "root"})}, "roles", id="unknown role"),
        pytest.param({"roles": frozenset({"Admin"})}, "roles", id="role in another case"),
        pytest.param({"realm_roles": {"emea": frozenset({"root"})}}, "roles", id="unknown role elsewhere"),
        pytest.param({"realm": "admin"}, "realm", id="MongoDB's own database"),
        pytest.param({"realm": "No Realm"}, "realm", id="no name for a realm"),
        pytest.param({"password": "short"}, "password", id="short password"),
        pytest.param({"password": "xyz" * 25}, "password", id="long password"),
    ],
)
async def test_user_that_cannot_be_is_refused(
    service: Service, make_user: Any, changes: dict[str, Any], path: str
) -> None:
    with pytest.raises(ValidationFailed) as refusal:
        await make_user(**changes)
    assert [fault["path"] for fault in refusal.value.details["violations"]] == [path]
    assert await list_users(service, service.settings.default_realm) == []


async def test_all_faults_are_told_at_once(service: Service) -> None:
    new = NewUser(user_id="", password=PASSWORD, tenant_id="", roles=frozenset({"usr"}))
    with pytest.raises(ValidationFailed, match=r"did you mean user\?") as refusal:
        await create_user(service, new)
    assert [fault["path"] for fault in refusal.value.details["violations"]] == ["userId", "tenantId", "roles"]


async def test_user_may_be_called_like_a_role_it_has(make_user: Any) -> None:
    assert (await make_user("admin", roles=frozenset({"admin"})))["userId"] == "admin"


async def test_roles_of_the_application_are_known_when_told(service: Service) -> None:
    new = NewUser("ada", PASSWORD, "acme", frozenset({"driver"}))
    users = StoreUsers(users_of(service).credentials, service.settings, {"user", "driver"})
    assert (await users.create(new, everywhere(service.settings.default_realm)))["roles"] == ["driver"]


async def test_password_is_not_shown_by_the_order(service: Service) -> None:
    assert PASSWORD not in repr(NewUser("ada", PASSWORD, "acme", frozenset({"user"})))


async def test_list_is_in_order_and_without_secrets(service: Service, make_user: Any) -> None:
    for user_id, tenant in (("Zoe", "acme"), ("bob", "initech"), ("ada", "acme")):
        await make_user(user_id, tenant_id=tenant)
    realm = service.settings.default_realm
    assert [user["userId"] for user in await list_users(service, realm)] == ["ada", "bob", "Zoe"]
    assert [user["userId"] for user in await list_users(service, realm, "acme")] == ["ada", "Zoe"]
    assert await list_users(service, realm, "nobody") == []
    assert not any(HIDDEN & user.keys() for user in await list_users(service, realm))


async def test_a_page_of_users_of_all_tenants_reads_no_others(
    service: Service, make_user: Any, mongo_client: MongoClient[Any]
) -> None:
    realm = service.settings.default_realm
    for number in range(12):
        await make_user(f"user-{number:02}", tenant_id=f"tenant-{number % 5}")
    with profiled(mongo_client[realm], "credentials") as commands:
        page = await users_of(service).list_users(everywhere(realm), skip=2, limit=3)
    assert [one.user_id for one in page] == ["user-02", "user-03", "user-04"]
    assert most_examined(commands) <= 5


async def test_tenants_are_listed_without_sorting_or_reading_their_users(
    service: Service, make_user: Any, mongo_client: MongoClient[Any]
) -> None:
    await make_user("ada")
    realm = service.settings.default_realm
    users = mongo_client[realm]["credentials"]
    (stored,) = users.find()
    users.insert_many(
        {**stored, "_id": ObjectId(), "loginName": f"{at}", "subject": f"{at}", "refName": f"{at}"}
        for at in range(50)
    )
    with profiled(mongo_client[realm], "credentials") as commands:
        assert await list_tenants(service, realm) == ["acme"]
    assert not any(one.get("hasSortStage") for one in commands)
    assert sum(one["responseLength"] for one in commands) < 51 * 150


async def test_disabling_counts_as_a_write(
    service: Service, make_user: Any, mongo_client: MongoClient[Any], clock: Any
) -> None:
    before = await make_user("ada")
    clock.advance(60)
    await disable_user(service, service.settings.default_realm, "ADA", True)
    after = stored(mongo_client, service, "ada")

    assert (after["disabled"], after["version"], after["tokenEpoch"]) == (True, 2, 2)
    assert after["auditInfo"]["createdDate"] == before["auditInfo"]["createdDate"]
    assert after["auditInfo"]["lastUpdatedDate"] > before["auditInfo"]["lastUpdatedDate"]
    assert (after["subject"], after["roles"]) == (before["subject"], before["roles"])


async def test_password_is_replaced_and_may_have_to_be_changed(
    service: Service, make_user: Any, mongo_client: MongoClient[Any]
) -> None:
    await make_user("ada")
    realm = service.settings.default_realm
    await set_password(service, realm, "ada", "another password", force_change=True)
    after = stored(mongo_client, service, "ada")
    assert password_matches("another password", after["passwordHash"], 4)
    assert (after["forceChangePassword"], after["tokenEpoch"]) == (True, 2)

    with pytest.raises(ValidationFailed):
        await set_password(service, realm, "ada", "short")
    assert stored(mongo_client, service, "ada") == after


@pytest.mark.parametrize(
    "user_id", ["nobody", "", "x" * 101, "\ud800"], ids=["unknown", "empty", "long", "surrogate"]
)
async def test_unknown_user_is_not_found(service: Service, user_id: str) -> None:
    realm = service.settings.default_realm
    with pytest.raises(NotFound):
        await disable_user(service, realm, user_id, True)
    with pytest.raises(NotFound):
        await set_password(service, realm, user_id, PASSWORD)


@pytest.mark.parametrize("name", ["admin", "No Realm", ""])
async def test_no_user_is_in_a_realm_that_cannot_be(service: Service, make_user: Any, name: str) -> None:
    await make_user("ada")
    with pytest.raises(NotFound):
        await disable_user(service, name, "ada", True)
