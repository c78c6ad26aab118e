"""User management of the store: each operation by user id and by subject, in scope and out of it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest
from pymongo import MongoClient

from runtime.call import Service
from runtime.errors import (
    Denied,
    LoginFailed,
    NotFound,
    Unauthenticated,
    ValidationFailed,
    VersionConflict,
)
from runtime.identity.credentials.passwords import password_matches
from runtime.principal import DomainScope
from runtime.seams import LoggedIn, NewUser, UserKey, UserManagement, Within
from tests.log_lines import capture_logs

PASSWORD = "correct horse battery"
OTHER = "another password"

pytestmark = pytest.mark.anyio

Change = Callable[[UserManagement, UserKey, Within], Awaitable[Any]]


@dataclass
class Managed:
    """The user ``ada`` of acme, who is signed in, and who manages it."""

    service: Service
    users: UserManagement
    documents: Any
    signed_in: LoggedIn
    made: dict[str, Any]

    @property
    def realm(self) -> str:
        return self.service.settings.default_realm

    def within(self, tenant: str | None = "acme", **place: Any) -> Within:
        return Within(self.realm, DomainScope(tenant, **place), {"lastUpdatedBy": "boss"})

    def stored(self, user_id: str = "ada") -> dict[str, Any]:
        found: dict[str, Any] = self.documents.find_one({"userId": user_id})
        return found

    async def login(self, password: str = PASSWORD) -> LoggedIn:
        return await self.service.provider.log_in("ada", password, self.realm, "192.0.2.1")

    async def is_signed_in(self) -> bool:
        """Whether the tokens of the beginning are still accepted: all or none of them."""
        accepted = set()
        for work in (
            self.service.provider.validate(self.signed_in.access_token),
            self.service.provider.refresh(self.signed_in.refresh_token),
        ):
            try:
                await work
                accepted.add(True)
            except (Unauthenticated, LoginFailed):
                accepted.add(False)
        assert len(accepted) == 1
        return accepted.pop()


@pytest.fixture
async def managed(make_service: Any, mongo_client: MongoClient[Any]) -> Managed:
    """Believes credentials for 10 s, so that what a change ends at once is ended by the change."""
    service: Service = await make_service(credential_cache_seconds=10)
    users = service.provider.manager_named(None)
    realm = service.settings.default_realm
    new = NewUser("ada", PASSWORD, "acme", frozenset({"user", "admin"}))
    await users.create_user(new, Within(realm, DomainScope("acme")))
    signed_in = await service.provider.log_in("ada", PASSWORD, realm, "192.0.2.1")
    await service.provider.validate(signed_in.access_token)
    documents = mongo_client[realm]["credentials"]
    return Managed(service, users, documents, signed_in, documents.find_one({"userId": "ada"}))


ENDING: dict[str, Change] = {
    "reset password": lambda users, key, within: users.reset_password(key, OTHER, True, within),
    "change password": lambda users, key, within: users.change_password(key, PASSWORD, OTHER, False, within),
    "assign roles": lambda users, key, within: users.assign_roles(key, {"system"}, within),
    "remove roles": lambda users, key, within: users.remove_roles(key, {"admin"}, within),
    "disable": lambda users, key, within: users.disable_user(key, within),
    "disable impersonation": lambda users, key, within: users.disable_impersonation(key, within),
    "disable realm override": lambda users, key, within: users.disable_realm_override(key, within),
    "remove": lambda users, key, within: users.remove_user(key, within),
}
LEAVING: dict[str, Change] = {
    "enable": lambda users, key, within: users.enable_user(key, within),
    "enable impersonation": lambda users, key, within: users.enable_impersonation(key, "roles:user", within),
    "enable realm override": lambda users, key, within: users.enable_realm_override(key, "emea-.*", within),
}
IDLE: dict[str, Change] = {
    "assign roles that they have": lambda users, key, within: users.assign_roles(key, {"user"}, within),
    "remove roles that they lack": lambda users, key, within: users.remove_roles(key, {"system"}, within),
}
READING: dict[str, Change] = {
    "find": lambda users, key, within: users.find_user(key, within),
    "roles": lambda users, key, within: users.list_roles(key, within),
    "subject": lambda users, key, within: users.find_subject(key.user_id or "ada", within),
    "user id": lambda users, key, within: users.find_user_id(key.subject or "", within),
}


@pytest.mark.parametrize("named", ["user id", "subject"])
@pytest.mark.parametrize("change", ENDING)
async def test_what_is_taken_away_ends_all_tokens(managed: Managed, change: str, named: str) -> None:
    await ENDING[change](managed.users, key_of(managed, named), managed.within())
    assert not await managed.is_signed_in()


@pytest.mark.parametrize("named", ["user id", "subject"])
@pytest.mark.parametrize("change", LEAVING)
async def test_what_is_given_leaves_them(managed: Managed, change: str, named: str) -> None:
    await LEAVING[change](managed.users, key_of(managed, named), managed.within())
    assert await managed.is_signed_in()


@pytest.mark.parametrize("change", IDLE)
async def test_roles_that_stay_as_they_are_end_no_token(managed: Managed, change: str) -> None:
    assert await IDLE[change](managed.users, UserKey(user_id="ada"), managed.within()) == {"admin", "user"}
    assert managed.stored() == managed.made
    assert await managed.is_signed_in()


async def test_another_version_than_the_one_decided_on_is_left_as_it_is(managed: Managed) -> None:
    stale = replace(managed.within(), version=managed.made["version"] + 1)
    for name, change in {**ENDING, **LEAVING}.items():
        if name != "change password":  # the user's own doing, decided by the password
            with pytest.raises(VersionConflict):
                await change(managed.users, UserKey(user_id="ada"), stale)
            assert managed.stored() == managed.made, name
    user = await managed.users.find_user(UserKey(user_id="ada"), managed.within())
    await managed.users.disable_user(UserKey(user_id="ada"), replace(stale, version=user.version))
    assert managed.stored()["disabled"] is True


@pytest.mark.parametrize("member", ["version", "tokenEpoch"])
@pytest.mark.parametrize("value", [None, "1"])
async def test_user_whose_numbers_cannot_be_counted_up(managed: Managed, member: str, value: Any) -> None:
    managed.documents.update_one({"userId": "ada"}, {"$set": {member: value}})
    before = managed.stored()
    with pytest.raises(ValidationFailed, match=f"^{member} has to be a whole number in the stored record"):
        await managed.users.disable_user(UserKey(user_id="ada"), managed.within())
    assert managed.stored() == before


@pytest.mark.parametrize("change", [*ENDING, *LEAVING])
async def test_change_says_who_made_it(managed: Managed, change: str) -> None:
    await (ENDING | LEAVING)[change](managed.users, UserKey(user_id="ada"), managed.within())
    after = managed.stored()
    if change == "remove":
        assert after is None
        return
    assert after["version"] == managed.made["version"] + 1
    assert after["auditInfo"]["lastUpdatedBy"] == "boss"
    assert after["auditInfo"]["createdBy"] == "service"
    assert (after["subject"], after["loginName"]) == (managed.made["subject"], "ada")


@pytest.mark.parametrize("named", ["user id", "subject"])
@pytest.mark.parametrize("change", [*ENDING, *LEAVING, *READING])
@pytest.mark.parametrize(
    "place",
    [
        pytest.param({"tenant": "globex"}, id="another tenant"),
        pytest.param({"org_ref_name": "north"}, id="an organisation"),
        pytest.param({"account_id": "a-1"}, id="an account"),
        pytest.param({"data_segment": 0}, id="segment 0, while the user sees all"),
    ],
)
async def test_outside_the_scope_there_is_nobody(
    managed: Managed, change: str, named: str, place: dict[str, Any]
) -> None:
    if (change, named) == ("user id", "user id"):
        named = "subject"
    work = (ENDING | LEAVING | READING)[change]
    with pytest.raises((NotFound, LoginFailed)) as refusal:
        await work(managed.users, key_of(managed, named), managed.within(**place))
    assert managed.stored() == managed.made
    assert "globex" not in refusal.value.message


async def test_user_of_a_segment_is_managed_by_its_administrator(managed: Managed) -> None:
    within = managed.within(data_segment=0)
    new = NewUser("bob", PASSWORD, "acme", frozenset({"user"}), data_segment=0)
    assert (await managed.users.create_user(new, within)).domain.data_segment == 0
    await managed.users.disable_user(UserKey(user_id="bob"), within)
    assert managed.stored("bob")["disabled"] is True


@pytest.mark.parametrize(
    "place", [{"tenant": "globex"}, {"org_ref_name": "north"}, {"account_id": "a"}], ids=str
)
async def test_user_is_not_made_outside_the_scope(managed: Managed, place: dict[str, Any]) -> None:
    with pytest.raises(Denied):
        await managed.users.create_user(
            NewUser("bob", PASSWORD, "acme", frozenset({"user"})), managed.within(**place)
        )
    assert managed.stored("bob") is None


async def test_maker_is_in_the_audit(managed: Managed) -> None:
    with capture_logs() as lines:
        await managed.users.create_user(
            NewUser("bob", PASSWORD, "acme", frozenset({"user"})), managed.within()
        )
    assert [(line["event"], line["user"], line["by"]) for line in lines] == [("user.created", "bob", "boss")]
    audit = managed.stored("bob")["auditInfo"]
    assert (audit["createdBy"], audit["lastUpdatedBy"]) == ("boss", "boss")


async def test_user_is_told_as_it_is(managed: Managed) -> None:
    key = UserKey(user_id="ADA")
    await managed.users.enable_impersonation(key, "roles:user", managed.within())
    await managed.users.enable_realm_override(key, "emea-.*", managed.within())
    user = await managed.users.find_user(key, managed.within())
    assert (user.user_id, user.subject, user.provider) == ("ada", managed.made["subject"], "store")
    assert (user.roles, user.domain.tenant_id) == ({"user", "admin"}, "acme")
    assert (user.impersonation_enabled, user.impersonate_filter_script) == (True, "roles:user")
    assert (user.realm_reg_ex, user.disabled, user.force_change_password) == ("emea-.*", False, False)
    assert not any("$2b$" in str(value) for value in (user, repr(user)))

    await managed.users.disable_impersonation(key, managed.within())
    await managed.users.disable_realm_override(key, managed.within())
    user = await managed.users.find_user(key, managed.within())
    assert (user.impersonation_enabled, user.impersonate_filter_script, user.realm_reg_ex) == (
        False,
        None,
        None,
    )


async def test_names_lead_to_each_other(managed: Managed) -> None:
    subject = managed.made["subject"]
    assert await managed.users.find_subject("Ada", managed.within()) == subject
    assert await managed.users.find_user_id(subject, managed.within()) == "ada"


@pytest.mark.parametrize(
    ("name", "exists"), [("ada", True), ("ADA", True), ("ad", False), ("", False), ("\ud800", False)]
)
async def test_exists_by_user_id(managed: Managed, name: str, exists: bool) -> None:
    assert await managed.users.check_user_id_exists(name, managed.within()) is exists
    assert await managed.users.check_user_id_exists(name, managed.within("globex")) is False


async def test_exists_by_subject(managed: Managed) -> None:
    subject = managed.made["subject"]
    assert await managed.users.check_subject_exists(subject, managed.within()) is True
    assert await managed.users.check_subject_exists(subject, managed.within("globex")) is False
    for made_up in ("0" * 32, "", "\ud800", "a\0", "x" * 201):
        assert await managed.users.check_subject_exists(made_up, managed.within()) is False


def test_key_names_exactly_one() -> None:
    with pytest.raises(ValueError, match="by user id or by subject"):
        UserKey()
    with pytest.raises(ValueError, match="by user id or by subject"):
        UserKey(user_id="ada", subject="s")


class TestRoles:
    async def test_are_added_and_taken(self, managed: Managed) -> None:
        key = UserKey(user_id="ada")
        assert await managed.users.remove_roles(key, {"admin", "system"}, managed.within()) == {"user"}
        assert await managed.users.assign_roles(key, {"system"}, managed.within()) == {"user", "system"}
        assert managed.stored()["roles"] == ["system", "user"]
        assert await managed.users.list_roles(key, managed.within()) == {"user", "system"}

    async def test_one_is_left(self, managed: Managed) -> None:
        with pytest.raises(ValidationFailed, match="at least one role"):
            await managed.users.remove_roles(UserKey(user_id="ada"), {"user", "admin"}, managed.within())
        assert managed.stored() == managed.made

    async def test_unknown_ones_are_refused_with_the_nearest(self, managed: Managed) -> None:
        with pytest.raises(ValidationFailed, match=r"amdin, which is not a role; did you mean admin\?"):
            await managed.users.assign_roles(UserKey(user_id="ada"), {"amdin"}, managed.within())
        with pytest.raises(ValidationFailed, match="which is not a role; the roles are admin, "):
            await managed.users.remove_roles(UserKey(user_id="ada"), {"zz"}, managed.within())
        assert managed.stored() == managed.made

    async def test_role_that_went_from_the_specification_can_be_taken(self, managed: Managed) -> None:
        managed.documents.update_one({"userId": "ada"}, {"$push": {"roles": "driver"}})
        left = await managed.users.remove_roles(UserKey(user_id="ada"), {"driver"}, managed.within())
        assert left == {"admin", "user"}

    async def test_of_changes_at_once_none_is_lost(self, managed: Managed) -> None:
        key = UserKey(user_id="ada")
        await asyncio.gather(
            managed.users.assign_roles(key, {"system"}, managed.within()),
            managed.users.remove_roles(key, {"admin"}, managed.within()),
        )
        assert managed.stored()["roles"] == ["system", "user"]

    async def test_nobody_is_called_like_a_role_it_loses(self, managed: Managed) -> None:
        new = NewUser("admin", PASSWORD, "acme", frozenset({"user", "admin"}))
        await managed.users.create_user(new, managed.within())
        with pytest.raises(ValidationFailed, match="the name of a role"):
            await managed.users.remove_roles(UserKey(user_id="admin"), {"admin"}, managed.within())
        assert managed.stored("admin")["roles"] == ["admin", "user"]


class TestPasswords:
    async def test_own_is_changed_by_the_old(self, managed: Managed) -> None:
        await managed.users.change_password(UserKey(user_id="ada"), PASSWORD, OTHER, True, managed.within())
        after = managed.stored()
        assert password_matches(OTHER, after["passwordHash"], 4)
        assert after["forceChangePassword"] is True

    @pytest.mark.parametrize(
        ("old", "new", "error"),
        [
            pytest.param("wrong password", OTHER, LoginFailed, id="wrong old one"),
            pytest.param("", OTHER, LoginFailed, id="no old one"),
            pytest.param(PASSWORD, "short", ValidationFailed, id="short"),
            pytest.param(PASSWORD, "ä" * 37, ValidationFailed, id="more than 72 bytes"),
            pytest.param(PASSWORD, PASSWORD, ValidationFailed, id="the same again"),
        ],
    )
    async def test_refusals_change_nothing(
        self, managed: Managed, old: str, new: str, error: type[Exception]
    ) -> None:
        with pytest.raises(error):
            await managed.users.change_password(UserKey(user_id="ada"), old, new, False, managed.within())
        assert managed.stored() == managed.made

    async def test_disabled_user_changes_nothing(self, managed: Managed) -> None:
        await managed.users.disable_user(UserKey(user_id="ada"), managed.within())
        with pytest.raises(LoginFailed):
            await managed.users.change_password(
                UserKey(user_id="ada"), PASSWORD, OTHER, False, managed.within()
            )

    async def test_of_two_changes_at_once_one_wins(self, managed: Managed) -> None:
        outcomes = await asyncio.gather(
            *(
                managed.users.change_password(
                    UserKey(user_id="ada"), PASSWORD, f"{OTHER} {n}", False, managed.within()
                )
                for n in range(4)
            ),
            return_exceptions=True,
        )
        assert sorted(type(one).__name__ for one in outcomes) == ["LoginFailed"] * 3 + ["NoneType"]

    async def test_reset_needs_no_old_one(self, managed: Managed) -> None:
        await managed.users.reset_password(UserKey(user_id="ada"), OTHER, False, managed.within())
        assert (await managed.login(OTHER)).identity.user_id == "ada"

    @pytest.mark.parametrize("new", ["short", "x" * 73], ids=["short", "long"])
    async def test_reset_to_what_cannot_be(self, managed: Managed, new: str) -> None:
        with pytest.raises(ValidationFailed):
            await managed.users.reset_password(UserKey(user_id="ada"), new, False, managed.within())
        assert managed.stored() == managed.made


@pytest.mark.parametrize(
    ("script", "says"),
    [
        pytest.param("", "must be 1 to 2000", id="empty"),
        pytest.param("x" * 2001, "must be 1 to 2000", id="long"),
        pytest.param("roles:", "", id="no filter"),
        pytest.param("rolls:user", "did you mean roles", id="unknown field"),
        pytest.param("passwordHash:~", "passwordHash", id="hidden field"),
        pytest.param("disabled:perhaps", "disabled is a boolean", id="wrong type"),
        pytest.param("!!(userId:${principalID})", "did you mean principalId", id="unknown variable"),
    ],
)
async def test_impersonation_takes_a_filter_of_credentials(managed: Managed, script: str, says: str) -> None:
    with pytest.raises(ValidationFailed, match="impersonation") as refusal:
        await managed.users.enable_impersonation(UserKey(user_id="ada"), script, managed.within())
    assert says in refusal.value.message
    assert refusal.value.details["violations"][0]["path"] == "filterScript"
    assert managed.stored() == managed.made


@pytest.mark.parametrize("pattern", ["", "(", "(?=x)", r"(a)\1", "x" * 201], ids=str)
async def test_realm_override_takes_a_pattern(managed: Managed, pattern: str) -> None:
    with pytest.raises(ValidationFailed, match="realmRegEx"):
        await managed.users.enable_realm_override(UserKey(user_id="ada"), pattern, managed.within())
    assert managed.stored() == managed.made


def key_of(managed: Managed, named: str) -> UserKey:
    return UserKey(user_id="ada") if named == "user id" else UserKey(subject=managed.made["subject"])
