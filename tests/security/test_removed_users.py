"""Ids of removed users: nobody gets one again, by whatever door, until the operator releases it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from pymongo import MongoClient

from runtime.call import Service
from runtime.errors import Duplicate, NotFound, Unauthenticated, ValidationFailed
from runtime.identity.login.service_tokens import create_token, list_tokens
from runtime.identity.users.users import everywhere, users_of
from runtime.principal import Identity
from runtime.seams import NewUser, Seams, User, UserKey
from tests.log_lines import capture_logs

from .conftest import PASSWORD
from .directory import Directory

pytestmark = pytest.mark.anyio


async def remove(service: Service, user_id: str = "ada") -> None:
    key, within = UserKey(user_id=user_id), everywhere(service.settings.default_realm)
    await users_of(service).remove_user(key, within)


async def release(service: Service, user_id: str = "ada") -> None:
    await users_of(service).release_user_id(user_id, everywhere(service.settings.default_realm))


@pytest.mark.parametrize("again", ["ada", "ADA", "Ａda"], ids=["same", "another case", "full width"])
@pytest.mark.parametrize("tenant", ["acme", "globex"])
async def test_nobody_gets_the_id_again(service: Service, make_user: Any, again: str, tenant: str) -> None:
    await make_user("ada")
    await remove(service)
    with pytest.raises(Duplicate) as refusal:
        await make_user(again, tenant_id=tenant)
    assert refusal.value.details == {"fields": ["userId"]}


async def test_an_id_in_use_and_a_retired_one_look_alike(service: Service, make_user: Any) -> None:
    said = []
    for _each in range(2):
        await make_user("ada") if not said else await remove(service)
        with pytest.raises(Duplicate) as refusal:
            await make_user("ada", tenant_id="globex")
        said.append(refusal.value.message)
    assert said[0] == said[1]


async def test_what_they_granted_to_applications_goes_with_them(
    service: Service, make_user: Any, mongo_client: MongoClient[Any], realm: str
) -> None:
    consents = mongo_client[realm]["consents"]
    for name in ("ada", "bob"):
        await make_user(name)
        stored = mongo_client[realm]["credentials"].find_one({"userId": name})
        assert stored is not None
        for client in ("depot", "shop"):
            consents.insert_one({"subject": stored["subject"], "clientId": client, "refName": client + name})
    await remove(service)
    assert {row["refName"] for row in consents.find()} == {"depotbob", "shopbob"}


async def test_another_realm_may_have_the_id(service: Service, make_user: Any, make_realm: Any) -> None:
    await make_realm("emea")
    await make_user("ada")
    await remove(service)
    assert await make_user("ada", realm="emea")


async def test_the_operator_releases_it_once(service: Service, make_user: Any) -> None:
    first = await make_user("ada")
    with pytest.raises(NotFound, match="no removed user ada"):
        await release(service)
    await remove(service)
    with capture_logs() as lines:
        await release(service, "ADA")
    (line,) = lines
    assert (line["event"], line["user"], line["subject"]) == ("user.id_released", "ada", first["subject"])
    with pytest.raises(NotFound):
        await release(service)
    assert (await make_user("ada"))["subject"] != first["subject"]
    await remove(service)
    with pytest.raises(Duplicate):
        await make_user("ada")


async def test_of_removals_and_creations_at_once_no_id_is_inherited(
    make_service: Any, service: Service, make_user: Any, mongo_client: MongoClient[Any]
) -> None:
    """Whatever the order: the id is never with a new user while it is retired."""
    other = await make_service()
    database = mongo_client[service.settings.default_realm]
    for number in range(8):
        name = f"user{number}"
        first = await make_user(name)
        outcomes = await asyncio.gather(
            remove(other, name), *(make_user(name) for _ in range(4)), remove(service, name),
            return_exceptions=True,
        )  # fmt: skip
        faults = {type(one) for one in outcomes if isinstance(one, BaseException)}
        assert faults <= {Duplicate, NotFound}, outcomes
        left = [one["subject"] for one in database["credentials"].find({"userId": name})]
        assert set(left) <= {first["subject"]}
        assert database["removedUsers"].count_documents({"userId": name}) == 1 - len(left)


async def test_its_service_tokens_are_revoked(service: Service, make_user: Any) -> None:
    realm = service.settings.default_realm
    await make_user("ada")
    await make_user("bob")
    tokens = [await create_token(service, realm, user, 60) for user in ("ada", "bob")]
    await remove(service)
    revoked = {one["userId"]: one["revoked"] for one in await list_tokens(service, realm)}
    assert revoked == {"ada": True, "bob": False}
    with pytest.raises(Unauthenticated):
        await service.provider.validate(tokens[0].token)


class TestUsersOfAnotherProvider:
    """Their ids own records as well."""

    @pytest.fixture
    async def directory(self) -> Directory:
        return Directory()

    @pytest.fixture
    async def service(self, make_service: Any, directory: Directory) -> Service:
        made: Service = await make_service(Seams(auth_providers=(directory,)))
        return made

    async def create(self, service: Service, user_id: str) -> User:
        within = everywhere(service.settings.default_realm)
        await service.provider.require_new_user_id(user_id, within.realm)
        new = NewUser(user_id, PASSWORD, "acme", frozenset({"user"}))
        return await service.provider.manager_named("directory").create_user(new, within)

    async def test_neither_provider_gives_it_out_again(self, service: Service, make_user: Any) -> None:
        await self.create(service, "dora")
        within, key = everywhere(service.settings.default_realm), UserKey(user_id="dora")
        await service.provider.remove_user(await service.provider.find_manager(key, within), key, within)
        with pytest.raises(Duplicate):
            await self.create(service, "DORA")
        with pytest.raises(Duplicate):
            await make_user("dora")

    async def sign_in(self, service: Service, user_id: str) -> Identity:
        signed_in = await service.provider.log_in(
            user_id, PASSWORD, service.settings.default_realm, "192.0.2.1"
        )
        return await service.provider.validate(signed_in.access_token)

    async def test_it_presents_its_own_users(self, service: Service) -> None:
        await self.create(service, "dora")
        assert (await self.sign_in(service, "dora")).user_id == "dora"

    @pytest.mark.parametrize("is_removed", [False, True], ids=["of the store", "removed from the store"])
    async def test_it_cannot_present_somebody_else(
        self, service: Service, directory: Directory, make_user: Any, is_removed: bool
    ) -> None:
        """Who is called like that would own what the other one owns."""
        await self.create(service, "dora")
        token = directory._tokens(directory.people["dora"].user).access_token
        assert await service.provider.validate(token)
        await make_user("DORA")
        if is_removed:
            await remove(service, "dora")
        with pytest.raises(Unauthenticated, match="belongs to somebody else"):
            await service.provider.validate(token)
        if is_removed:
            await release(service, "dora")
            assert await service.provider.validate(token)

    async def test_what_could_be_taken_for_another_is_refused(self, service: Service) -> None:
        with pytest.raises(ValidationFailed, match="mixes the scripts"):
            await self.create(service, "dor\u0430")

    async def test_somebody_who_is_not_there_retires_nothing(self, service: Service) -> None:
        within, manager = (
            everywhere(service.settings.default_realm),
            service.provider.manager_named("directory"),
        )
        with pytest.raises(NotFound):
            await service.provider.remove_user(manager, UserKey(user_id="dora"), within)
        assert await self.create(service, "dora")
