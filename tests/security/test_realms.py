"""Which realms there are: looking them up, making them, switching them off, and signing in to one."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from pymongo import MongoClient

from runtime.access.guard import open_call
from runtime.call import Service
from runtime.errors import (
    Denied,
    Duplicate,
    LoginFailed,
    Misconfigured,
    NotFound,
    Unauthenticated,
    ValidationFailed,
)
from runtime.identity.login.watched import list_sign_in_caches
from runtime.identity.realms.realms import Realm
from runtime.model.seed import Seed
from runtime.oauth.management import create_client
from runtime.realm_setup import create_realm, list_realms, set_realm_active
from runtime.seams import NewUser
from runtime.system.record_types import REALM

PASSWORD = "correct horse battery"

pytestmark = pytest.mark.anyio


@pytest.fixture
def emea(service: Service) -> str:
    """The database of the realm ``emea``."""
    return f"{service.settings.default_realm}-emea"


async def log_in(service: Service, realm: str, password: str = PASSWORD) -> Any:
    return await service.provider.log_in("ada", password, realm, "192.0.2.1")


class TestLookingUp:
    async def test_the_default_realm_is_always_there(self, service: Service) -> None:
        default = service.settings.default_realm
        assert await service.realms.find_database(default) == default
        assert await list_realms(service) == [Realm(default, default)]

    async def test_one_without_a_record_is_not(self, service: Service) -> None:
        for name in ("emea", "admin", "local", "", "../x", "EMEA", "$", "a" * 39, "\ud800"):
            assert await service.realms.find_database(name) is None, name

    async def test_the_name_is_not_the_database(self, service: Service, emea: str) -> None:
        await create_realm(service, "emea", emea)
        assert await service.realms.find_database("emea") == emea
        assert await service.realms.find_database(emea) is None

    async def test_one_that_is_switched_off_is_as_if_it_had_never_been(
        self, service: Service, emea: str
    ) -> None:
        await create_realm(service, "emea", emea)
        assert await set_realm_active(service, "emea", False) == Realm("emea", emea, active=False)
        assert await service.realms.find_database("emea") is None
        assert await set_realm_active(service, "emea", True) == Realm("emea", emea)
        assert await service.realms.find_database("emea") == emea


class TestBelieving:
    """Two workers: one makes and switches, the other believes what it looked up."""

    async def test_what_is_new_is_found_at_once_what_is_gone_after_ten_seconds(
        self, make_service: Any, service: Service, emea: str, clock: Any, believed: float
    ) -> None:
        other = await make_service(credential_cache_seconds=10)
        assert await other.realms.find_database("emea") is None
        await create_realm(service, "emea", emea)
        assert await other.realms.find_database("emea") == emea
        await set_realm_active(service, "emea", False)
        clock.advance(believed - 0.1)
        assert await other.realms.find_database("emea") == emea
        clock.advance(0.1)
        assert await other.realms.find_database("emea") is None

    async def test_being_told_is_enough(self, make_service: Any, service: Service, emea: str) -> None:
        other = await make_service(credential_cache_seconds=10)
        await create_realm(service, "emea", emea)
        assert await other.realms.find_database("emea") == emea
        await set_realm_active(service, "emea", False)
        other.realms.forget()
        assert await other.realms.find_database("emea") is None

    async def test_its_clients_are_forgotten_with_it(
        self, make_service: Any, service: Service, emea: str
    ) -> None:
        other = await make_service(credential_cache_seconds=10)
        await create_realm(service, "emea", emea)
        await create_client(service, NewUser("depot", "", "acme", frozenset({"user"}), realm="emea"))
        assert await other.clients.find("emea", "depot") is not None
        await set_realm_active(service, "emea", False)
        other.realms.forget()
        for kind, forget in list_sign_in_caches(other.provider.own):
            if kind is REALM:
                forget(None, None)
        assert await other.clients.find("emea", "depot") is None

    async def test_the_worker_that_switches_knows_at_once(self, make_service: Any, emea: str) -> None:
        service = await make_service(credential_cache_seconds=10)
        await create_realm(service, "emea", emea)
        assert await service.realms.find_database("emea") == emea
        await set_realm_active(service, "emea", False)
        assert await service.realms.find_database("emea") is None


class TestMaking:
    async def test_a_realm_has_all_indexes_and_no_records(
        self, service: Service, realm: str, mongo_client: MongoClient[Any]
    ) -> None:
        name = f"{realm}-fresh"
        assert name not in mongo_client.list_database_names()
        made = await create_realm(service, "emea", name, description="Europe")
        assert made == Realm("emea", name, description="Europe")
        collections = set(mongo_client[name].list_collection_names())
        assert collections == {kind.collection for kind in service.catalog}
        assert "tenant_refName" in mongo_client[name]["countries"].index_information()
        assert all(mongo_client[name][collection].count_documents({}) == 0 for collection in collections)
        assert (await list_realms(service))[1:] == [made]

    async def test_the_database_is_called_like_the_realm_unless_it_is_named(self, service: Service) -> None:
        name = f"{service.settings.default_realm}-own"
        assert await create_realm(service, name) == Realm(name, name)

    async def test_its_record_tells_who_made_it(
        self, service: Service, emea: str, realm: str, mongo_client: MongoClient[Any]
    ) -> None:
        await create_realm(service, "emea", emea)
        await set_realm_active(service, "emea", False)
        (stored,) = mongo_client[realm]["realms"].find()
        assert (stored["refName"], stored["database"], stored["active"]) == ("emea", emea, False)
        assert stored["version"] == 2
        assert stored["auditInfo"]["createdBy"] == stored["auditInfo"]["lastUpdatedBy"] == "service"

    async def test_making_it_again_changes_nothing(
        self, service: Service, emea: str, realm: str, mongo_client: MongoClient[Any]
    ) -> None:
        first = await create_realm(service, "emea", emea)
        stored = list(mongo_client[realm]["realms"].find())
        assert await create_realm(service, "emea", emea) == await create_realm(service, "emea") == first
        assert list(mongo_client[realm]["realms"].find()) == stored

    async def test_making_it_again_does_not_switch_it_on(self, service: Service, emea: str) -> None:
        await create_realm(service, "emea", emea)
        await set_realm_active(service, "emea", False)
        assert not (await create_realm(service, "emea", emea)).active
        assert await service.realms.find_database("emea") is None

    async def test_a_crash_in_the_middle_leaves_nothing_to_act_in_and_is_made_good(
        self, make_service: Any, emea: str, mongo_client: MongoClient[Any]
    ) -> None:
        good = await make_service()
        country = good.catalog["Country"]
        bad = Seed(country, 1, ({"refName": "XX"},))
        rows = Seed(country, 1, ({"refName": "PT", "code": "PT", "name": "Portugal"},))
        failing = with_seeds(good, rows, bad)
        with pytest.raises(Misconfigured, match="row XX"):
            await create_realm(failing, "emea", emea, seed_tenant="acme")
        assert await good.realms.find_database("emea") is None
        assert mongo_client[emea]["countries"].count_documents({}) == 1

        await create_realm(with_seeds(good, rows), "emea", emea, seed_tenant="acme")
        assert await good.realms.find_database("emea") == emea
        (seeded,) = mongo_client[emea]["countries"].find()
        assert (seeded["refName"], seeded["dataDomain"]["tenantId"]) == ("PT", "acme")

    async def test_a_database_has_one_realm(self, service: Service, emea: str) -> None:
        await create_realm(service, "emea", emea)
        with pytest.raises(Duplicate, match=emea):
            await create_realm(service, "europe", emea)
        with pytest.raises(Duplicate, match=f"stored in {emea}"):
            await create_realm(service, "emea", f"{emea}-2")
        assert await service.realms.find_database("europe") is None
        assert await service.realms.find_database("emea") == emea

    async def test_of_two_that_race_for_a_database_one_gets_it(self, service: Service, emea: str) -> None:
        made = await asyncio.gather(
            *(create_realm(service, name, emea) for name in ("one", "two")), return_exceptions=True
        )
        assert sorted(type(each).__name__ for each in made) == ["Duplicate", "Realm"]
        assert len(await list_realms(service)) == 2

    async def test_names_that_cannot_be(self, service: Service) -> None:
        for name, database, path in (
            ("No Name", None, "refName"),
            ("admin", None, "refName"),
            ("a" * 39, None, "refName"),
            ("emea", "local", "database"),
            ("emea", "a.b", "database"),
            ("emea", "", "database"),
        ):
            with pytest.raises(ValidationFailed) as refusal:
                await create_realm(service, name, database)
            assert path in {fault["path"] for fault in refusal.value.details["violations"]}, name
        assert len(await list_realms(service)) == 1

    async def test_the_default_realm_is_not_for_making_or_switching(self, service: Service) -> None:
        default = service.settings.default_realm
        with pytest.raises(ValidationFailed, match="default realm"):
            await create_realm(service, default)
        with pytest.raises(Duplicate):
            await create_realm(service, "shadow", default)
        with pytest.raises(ValidationFailed, match="default realm"):
            await set_realm_active(service, default, False)

    async def test_switching_one_that_is_not_there(self, service: Service) -> None:
        with pytest.raises(NotFound, match="no realm nowhere"):
            await set_realm_active(service, "nowhere", True)


def with_seeds(service: Service, *seeds: Seed) -> Service:
    """The same service with other seeds."""
    values = {name: getattr(service, name) for name in service.__slots__}
    return Service(**values | {"seeds": seeds})


class TestSigningIn:
    async def test_credentials_live_in_the_database_of_their_realm(
        self, service: Service, make_user: Any, emea: str, realm: str, mongo_client: MongoClient[Any]
    ) -> None:
        await create_realm(service, "emea", emea)
        await make_user("ada", realm="emea")
        assert mongo_client[emea]["credentials"].count_documents({}) == 1
        assert mongo_client[realm]["credentials"].count_documents({}) == 0

        logged_in = await log_in(service, "emea")
        assert (await service.provider.validate(logged_in.access_token)).realm == "emea"
        assert (await service.provider.refresh(logged_in.refresh_token)).identity.realm == "emea"
        assert mongo_client[emea]["refreshFamilies"].count_documents({}) == 1
        for elsewhere in (realm, emea):
            with pytest.raises(LoginFailed):
                await log_in(service, elsewhere)

    async def test_a_realm_nobody_made_answers_like_a_wrong_password(
        self, service: Service, make_user: Any
    ) -> None:
        await make_user("ada")
        answers = []
        for realm, password in (("made-up", PASSWORD), (service.settings.default_realm, "wrong one")):
            with pytest.raises(LoginFailed) as refusal:
                await log_in(service, realm, password)
            answers.append((refusal.value.message, refusal.value.details))
        assert answers[0] == answers[1]

    async def test_switching_a_realm_off_ends_what_came_from_it(
        self, service: Service, make_user: Any, emea: str
    ) -> None:
        await create_realm(service, "emea", emea)
        await make_user("ada", realm="emea")
        logged_in = await log_in(service, "emea")
        await set_realm_active(service, "emea", False)
        with pytest.raises(LoginFailed):
            await log_in(service, "emea")
        with pytest.raises(LoginFailed):
            await service.provider.refresh(logged_in.refresh_token)
        with pytest.raises(Unauthenticated):
            await service.provider.validate(logged_in.access_token)

        await set_realm_active(service, "emea", True)
        await service.provider.validate(logged_in.access_token)
        await service.provider.refresh(logged_in.refresh_token)


class TestActing:
    async def test_a_call_has_the_name_and_the_database(
        self, service: Service, make_user: Any, emea: str, realm: str
    ) -> None:
        await create_realm(service, "emea", emea)
        await make_user("ada", realms=frozenset({"emea"}), realm_roles={"emea": frozenset({"admin"})})
        token = (await log_in(service, realm)).access_token
        home = await open_call(service, token, None, "request 1", "sales")
        away = await open_call(service, token, "emea", "request 1", "sales")
        assert (home.realm, home.database, home.principal.roles) == (realm, realm, {"user"})
        assert (away.realm, away.database, away.principal.roles) == ("emea", emea, {"admin"})

    async def test_unknown_inactive_and_forbidden_realms_look_alike(
        self, service: Service, make_user: Any, emea: str, realm: str
    ) -> None:
        await create_realm(service, "emea", emea)
        await create_realm(service, "apac", f"{realm}-apac")
        await set_realm_active(service, "apac", False)
        await make_user("ada", realm_reg_ex="apac|ghost|admin")
        token = (await log_in(service, realm)).access_token
        said = set()
        for name in ("emea", "apac", "ghost", "admin", "A B", emea, f"{realm}-apac"):
            with pytest.raises(Denied) as refusal:
                await open_call(service, token, name, "request 1", "sales")
            said.add((refusal.value.message, str(refusal.value.details)))
        assert len(said) == 1
