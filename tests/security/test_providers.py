"""Two providers beside the built-in one: who is asked for whom, what they are told, who manages whom."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from pymongo import MongoClient

from runtime.access.guard import open_call
from runtime.call import Service
from runtime.errors import (
    LoginFailed,
    NotFound,
    NotOffered,
    PasswordChangeRequired,
    Throttled,
    Unauthenticated,
    ValidationFailed,
)
from runtime.identity.users.users import everywhere
from runtime.principal import DomainScope
from runtime.seams import AuthProvider, NewUser, Seams, UserKey, UserManagement, Within
from tests.security.directory import Directory, Gate

PASSWORD = "correct horse battery"
THERE = "password of the directory"

pytestmark = pytest.mark.anyio


@pytest.fixture
def directory() -> Directory:
    return Directory()


@pytest.fixture
def gate() -> Gate:
    return Gate()


@pytest.fixture
async def service(make_service: Any, directory: Directory, gate: Gate) -> Service:
    """Knows ``ada`` in the store and ``dora`` in the directory."""
    made: Service = await make_service(Seams(auth_providers=(directory, gate)))
    return made


@pytest.fixture
async def people(service: Service, make_user: Any, directory: Directory) -> None:
    await make_user("ada")
    new = NewUser("dora", THERE, "acme", frozenset({"user"}))
    await directory.create_user(new, everywhere(service.settings.default_realm))


async def login(service: Service, user_id: str, password: str, address: str = "192.0.2.1") -> Any:
    return await service.provider.log_in(user_id, password, service.settings.default_realm, address)


def test_the_directory_meets_both_protocols(directory: Directory, gate: Gate) -> None:
    provider: AuthProvider = directory
    manager: UserManagement = directory
    assert isinstance(manager, UserManagement)
    assert provider.name == "directory"
    assert not isinstance(gate, UserManagement)


async def test_the_built_in_provider_meets_both_protocols(service: Service) -> None:
    manager = service.provider.manager_named(None)
    assert isinstance(manager, UserManagement)
    assert manager.name == "store"


class TestSigningIn:
    async def test_user_of_the_directory(self, service: Service, people: None) -> None:
        logged_in = await login(service, "dora", THERE)
        assert logged_in.identity.subject == "d-dora"
        assert (await service.provider.validate(logged_in.access_token)).user_id == "dora"
        again = await service.provider.refresh(logged_in.refresh_token)
        assert again.identity == logged_in.identity
        with pytest.raises(LoginFailed):
            await service.provider.refresh(logged_in.refresh_token)

    async def test_its_token_opens_a_call(self, service: Service, people: None) -> None:
        token = (await login(service, "dora", THERE)).access_token
        call = await open_call(service, token, None, "request-1", "logistics")
        assert (call.principal.user_id, call.principal.domain.tenant_id) == ("dora", "acme")

    async def test_user_of_the_store(self, service: Service, people: None, directory: Directory) -> None:
        logged_in = await login(service, "ada", PASSWORD)
        assert (await service.provider.validate(logged_in.access_token)).user_id == "ada"
        assert (await service.provider.refresh(logged_in.refresh_token)).identity.user_id == "ada"
        assert directory.asked == []

    async def test_token_of_nobody(self, service: Service, people: None) -> None:
        with pytest.raises(Unauthenticated):
            await service.provider.validate("dir-made-up")
        with pytest.raises(LoginFailed):
            await service.provider.refresh("dir-made-up")

    async def test_password_of_a_store_user_is_told_to_nobody_else(
        self, service: Service, people: None, directory: Directory
    ) -> None:
        directory.people["ada"] = directory.people["dora"]
        with pytest.raises(LoginFailed):
            await login(service, "ada", THERE)
        assert [told for told in directory.asked if "ada" in told or THERE in told] == []

    @pytest.mark.parametrize(
        ("user_id", "password", "owner"),
        [
            pytest.param("nobody", PASSWORD, None, id="unknown"),
            pytest.param("ada", "wrong password", None, id="wrong password in the store"),
            pytest.param("dora", "wrong password", None, id="wrong password in the directory"),
            pytest.param("ada", "wrong password", "directory", id="owned by the directory, unknown there"),
            pytest.param("ada", PASSWORD, "directory", id="right password of the store, owned elsewhere"),
            pytest.param("ada", PASSWORD, "ldap", id="owned by nobody"),
        ],
    )
    async def test_every_refusal_asks_everybody_once(
        self,
        service: Service,
        people: None,
        directory: Directory,
        gate: Gate,
        mongo_client: MongoClient[Any],
        monkeypatch: pytest.MonkeyPatch,
        user_id: str,
        password: str,
        owner: str | None,
    ) -> None:
        if owner:
            own(mongo_client, service, "ada", owner)
        checks = counted_checks(monkeypatch)
        with pytest.raises(LoginFailed) as refusal:
            await login(service, user_id, password)
        assert (refusal.value.message, refusal.value.details["reason"]) == (
            "The user id or the password is wrong.",
            "badCredentials",
        )
        assert (len(directory.asked), gate.asked, checks["passwords"]) == (1, 1, 1)

    async def test_credential_in_the_store_names_its_owner(
        self, service: Service, people: None, directory: Directory, mongo_client: MongoClient[Any]
    ) -> None:
        directory.people["ada"] = directory.people["dora"]
        own(mongo_client, service, "ada", "directory")
        assert (await login(service, "ada", THERE)).identity.subject == "d-dora"

    async def test_disabled_in_the_store_is_disabled_everywhere(
        self, service: Service, people: None, directory: Directory, mongo_client: MongoClient[Any]
    ) -> None:
        directory.people["ada"] = directory.people["dora"]
        own(mongo_client, service, "ada", "directory", disabled=True)
        with pytest.raises(LoginFailed):
            await login(service, "ada", THERE)
        assert THERE not in [password for _user, password in directory.asked]

    async def test_attempts_count_for_every_provider(self, service: Service, people: None) -> None:
        for n in range(10):
            with pytest.raises(LoginFailed):
                await login(service, "dora", "wrong password", address=f"192.0.2.{n}")
        with pytest.raises(Throttled):
            await login(service, "dora", THERE, address="198.51.100.1")

    async def test_forced_change_is_no_failure(self, service: Service, make_user: Any) -> None:
        await make_user("new", force_change_password=True)
        for _ in range(11):
            with pytest.raises(PasswordChangeRequired):
                await login(service, "new", PASSWORD)


class TestManaging:
    async def test_who_manages_whom(
        self, service: Service, people: None, make_user: Any, mongo_client: MongoClient[Any]
    ) -> None:
        within = everywhere(service.settings.default_realm)
        await make_user("gil")
        own(mongo_client, service, "gil", "gate")

        async def manager(**key: str) -> str:
            return (await service.provider.find_manager(UserKey(**key), within)).name

        assert await manager(user_id="ada") == "store"
        assert await manager(user_id="DORA") == "directory"
        assert await manager(subject="d-dora") == "directory"
        assert await manager(user_id="nobody") == "store"
        assert await manager(user_id="gil") == "store"  # the gate manages no users
        own(mongo_client, service, "gil", "directory")
        assert await manager(user_id="gil") == "directory"

    async def test_user_of_another_tenant_is_not_found(self, service: Service, people: None) -> None:
        within = Within(service.settings.default_realm, DomainScope(tenant_id="globex"))
        manager = await service.provider.find_manager(UserKey(user_id="dora"), within)
        with pytest.raises(NotFound):
            await manager.find_user(UserKey(user_id="dora"), within)

    async def test_maker_of_users_is_named(self, service: Service) -> None:
        assert service.provider.manager_named("directory").name == "directory"
        with pytest.raises(ValidationFailed, match=r"did you mean directory\?"):
            service.provider.manager_named("diretory")
        with pytest.raises(ValidationFailed, match="gate, which manages no users"):
            service.provider.manager_named("gate")

    async def test_own_password_is_changed_where_it_is(
        self, service: Service, people: None, directory: Directory
    ) -> None:
        old = await login(service, "dora", THERE)
        changed = await service.provider.change_password(
            old.access_token, THERE, "another password there", "192.0.2.1"
        )
        assert directory.people["dora"].password == "another password there"
        assert (await service.provider.validate(changed.access_token)).user_id == "dora"
        with pytest.raises(Unauthenticated):
            await service.provider.validate(old.access_token)

    async def test_wrong_old_passwords_are_counted(self, service: Service, people: None) -> None:
        token = (await login(service, "dora", THERE)).access_token
        for _ in range(10):
            with pytest.raises(LoginFailed):
                await service.provider.change_password(token, "wrong", "another password", "192.0.2.1")
        with pytest.raises(Throttled):
            await service.provider.change_password(token, THERE, "another password", "192.0.2.1")
        with pytest.raises(Throttled):
            await login(service, "dora", THERE)

    async def test_sessions_of_others_are_theirs(self, service: Service, people: None) -> None:
        with pytest.raises(NotOffered):
            await service.provider.end_sessions("d-dora", service.settings.default_realm, None, True)


def own(mongo_client: MongoClient[Any], service: Service, user_id: str, owner: str, **more: Any) -> None:
    values = {"authProviderName": owner} | more
    credentials = mongo_client[service.settings.default_realm]["credentials"]
    assert credentials.update_one({"userId": user_id}, {"$set": values}).matched_count == 1


def counted_checks(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often a password is compared with a hash."""
    from runtime.identity.credentials import passwords

    checks: Counter[str] = Counter()
    real = passwords.bcrypt.checkpw
    monkeypatch.setattr(
        passwords.bcrypt, "checkpw", lambda *pair: (checks.update(["passwords"]), real(*pair))[1]
    )
    return checks
