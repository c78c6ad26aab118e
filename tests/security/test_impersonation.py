"""Acting as somebody else: as whom, when not, and that never more than the target's rights come of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest
from pymongo import MongoClient

from runtime.access.guard import open_call
from runtime.call import Call, Service
from runtime.errors import Denied, ServiceError
from runtime.principal import DomainContext, Identity, OnBehalfOf
from runtime.seams import UserKey
from runtime.storage.store import Store

PASSWORD = "correct horse battery"
BY_OPERATOR = {"impersonationGranter": {"operator": True}}

ANYBODY = "userId:~"
"""A script that matches every credential."""

NO_LEAVE: dict[str, dict[str, Any]] = {
    "not enabled": {"impersonationEnabled": False},
    "enabled is null": {"impersonationEnabled": None},
    "enabled is a text": {"impersonationEnabled": "true"},
    "no script": {"impersonateFilterScript": None},
    "an empty script": {"impersonateFilterScript": ""},
    "a script for others": {"impersonateFilterScript": "userId:bob"},
    "a script that cannot be read": {"impersonateFilterScript": "userId:ada &&"},
    "a value that cannot be read": {"impersonateFilterScript": "disabled:maybe"},
    "a field that is not there": {"impersonateFilterScript": "nickname:~"},
    "a hidden field": {"impersonateFilterScript": "passwordHash:~"},
    "a hidden field in a negation": {"impersonateFilterScript": "!!loginName:x"},
    "an unknown variable": {"impersonateFilterScript": "userId:${nobody}"},
    "one in a negation": {"impersonateFilterScript": "!!(userId:${nobody})"},
    "one without a value": {"impersonateFilterScript": "!!(userId:${pAccountId})"},
}
"""What of a caller's credential makes that it may act as nobody."""

SYSTEM = frozenset({"system"})

BOUNDS: dict[str, tuple[dict[str, Any], dict[str, Any], bool]] = {
    "of the same tenant": ({}, {}, True),
    "narrower": ({}, {"org_ref_name": "north", "account_id": "A-1", "data_segment": 3}, True),
    "of another tenant": ({}, {"tenant_id": "globex"}, False),
    "of the same organisation": ({"org_ref_name": "north"}, {"org_ref_name": "north"}, True),
    "of another": ({"org_ref_name": "north"}, {"org_ref_name": "south"}, False),
    "of the whole tenant": ({"org_ref_name": "north"}, {}, False),
    "of all accounts": ({"account_id": "A-1"}, {}, False),
    "of the same segment": ({"data_segment": 0}, {"data_segment": 0}, True),
    "of all segments, its record in segment 0": ({"data_segment": 0}, {}, False),
    "another admin": ({}, {"roles": frozenset({"admin"})}, True),
    "system": ({}, {"roles": SYSTEM}, False),
    "system elsewhere": ({}, {"realm_roles": {"emea": SYSTEM}}, False),
    "by system": ({"roles": SYSTEM}, {"tenant_id": "globex"}, True),
    "by its like": ({"roles": SYSTEM}, {"roles": SYSTEM}, True),
    "by who is system elsewhere": ({"realm_roles": {"emea": SYSTEM}}, {"tenant_id": "globex"}, False),
}
"""Caller, target, and whether the one may act as the other when its script admits everybody."""

pytestmark = pytest.mark.anyio

Changer = Callable[..., None]
Caller = Callable[..., Awaitable[Identity]]


@pytest.fixture
def change(realm: str, mongo_client: MongoClient[Any]) -> Changer:
    """Sets members of a stored credential, behind the service's back."""

    def write(user_id: str, **members: Any) -> None:
        done = mongo_client[realm]["credentials"].update_one({"userId": user_id}, {"$set": members})
        assert done.matched_count == 1

    return write


@pytest.fixture
async def caller(service: Service, make_user: Any, change: Changer) -> Caller:
    """A user who may act as others, as the provider tells of it."""

    async def make(user_id: str = "helper", script: str | None = ANYBODY, **facts: Any) -> Identity:
        await make_user(user_id, **({"roles": frozenset({"admin"})} | facts))
        change(user_id, impersonationEnabled=True, impersonateFilterScript=script, **BY_OPERATOR)
        return await identity_of(service, user_id)

    return make


async def token_of(service: Service, user_id: str) -> str:
    realm = service.settings.default_realm
    return (await service.provider.log_in(user_id, PASSWORD, realm, "192.0.2.1")).access_token


async def identity_of(service: Service, user_id: str) -> Identity:
    return await service.provider.validate(await token_of(service, user_id))


async def acts_as(service: Service, caller: Identity, target: str | UserKey) -> bool:
    """Whether the caller may; then it is the target that it gets."""
    key = UserKey(user_id=target) if isinstance(target, str) else target
    try:
        found = await service.impersonation.find_identity(caller, key)
    except Denied as denied:
        refusal = (denied.message, denied.details)
    else:
        assert key.user_id in (found.user_id, None)
        return True
    assert refusal == ("you may not act as this user", {})
    return False


class TestWho:
    async def test_one_whom_the_script_names(self, service: Service, make_user: Any, caller: Caller) -> None:
        ada = await make_user("ada", org_ref_name="research")
        await make_user("bob")
        helper = await caller(script="userId:ada")
        found = await service.impersonation.find_identity(helper, UserKey(subject=ada["subject"]))
        assert found == await identity_of(service, "ada")
        assert not await acts_as(service, helper, "bob")

    async def test_user_ids_have_no_case(self, service: Service, make_user: Any, caller: Caller) -> None:
        await make_user("Ada")
        helper = await caller()
        assert (await service.impersonation.find_identity(helper, UserKey(user_id="aDA"))).user_id == "Ada"

    async def test_nobody_without_a_script_that_admits(
        self, service: Service, make_user: Any, caller: Caller, change: Changer
    ) -> None:
        await make_user("ada")
        await caller()
        usual = {"impersonationEnabled": True, "impersonateFilterScript": ANYBODY}
        for name, members in NO_LEAVE.items():
            change("helper", **usual)
            assert await acts_as(service, await identity_of(service, "helper"), "ada")
            change("helper", **members)
            assert not await acts_as(service, await identity_of(service, "helper"), "ada"), name

    async def test_a_name_is_a_name_and_nothing_else(
        self, service: Service, make_user: Any, caller: Caller
    ) -> None:
        await make_user("ada")
        helper = await caller()
        for text in ("nobody", "*", "?da", "a" * 200, '{"$ne": ""}', "ada||userId:~", "${principalId}"):
            assert not await acts_as(service, helper, UserKey(user_id=text)), text
            assert not await acts_as(service, helper, UserKey(subject=text)), text
        assert not await acts_as(service, helper, UserKey(subject="ada"))

    async def test_the_name_of_a_caller_is_no_part_of_the_script(
        self, service: Service, make_user: Any, caller: Caller
    ) -> None:
        await make_user("ada")
        for user_id in ("*", "???", "bob||userId:~", '"', "${principalId}", "null"):
            self_only = await caller(user_id, script="userId:${principalId}")
            assert not await acts_as(service, self_only, "ada"), user_id
            assert await acts_as(service, self_only, user_id), user_id

    async def test_variables_of_a_script_are_the_callers(
        self, service: Service, make_user: Any, caller: Caller
    ) -> None:
        await make_user("ada", account_id="A-1")
        await make_user("bob", account_id="A-2")
        helper = await caller(script="domainContext.accountId:${pAccountId}", account_id="A-1")
        assert await acts_as(service, helper, "ada")
        assert not await acts_as(service, helper, "bob")


class TestBounds:
    async def test_a_target_lies_inside_the_callers_scope(
        self, service: Service, make_user: Any, caller: Caller
    ) -> None:
        for number, (name, (own, target, may)) in enumerate(BOUNDS.items()):
            await make_user(f"target-{number}", **target)
            helper = await caller(f"helper-{number}", **own)
            assert await acts_as(service, helper, f"target-{number}") is may, name

    async def test_a_record_that_lies_about_its_user_opens_nothing(
        self, service: Service, make_user: Any, caller: Caller, change: Changer
    ) -> None:
        await make_user("ada", tenant_id="globex")
        change("ada", **{"dataDomain.tenantId": "acme"})
        assert not await acts_as(service, await caller(), "ada")
        change("ada", **{"dataDomain.tenantId": "globex", "domainContext.tenantId": "acme"})
        assert not await acts_as(service, await identity_of(service, "helper"), "ada")

    async def test_a_target_lives_where_the_caller_does(
        self, service: Service, make_user: Any, make_realm: Any, caller: Caller
    ) -> None:
        await make_realm("emea")
        await make_user("ada", realm="emea")
        helper = await caller(realms=frozenset({"emea"}), realm_roles={"emea": frozenset({"admin"})})
        assert not await acts_as(service, helper, "ada")
        assert await acts_as(service, replace(helper, realm="emea"), "ada")
        assert not await acts_as(service, replace(helper, realm="ghost"), "ada")

    async def test_a_caller_of_no_tenant_acts_as_nobody(
        self, service: Service, make_user: Any, caller: Caller
    ) -> None:
        await make_user("ada")
        helper = await caller()
        nowhere = replace(helper, domain=DomainContext("", service.settings.default_realm))
        assert not await acts_as(service, nowhere, "ada")


class TestBelieving:
    @pytest.fixture
    async def reads(self, monkeypatch: pytest.MonkeyPatch) -> list[str]:
        """The collections of which one record was asked for."""
        asked: list[str] = []
        real = Store.find_one

        async def counting(self: Store, access: Any, *rest: Any, **options: Any) -> Any:
            asked.append(access.kind.collection)
            return await real(self, access, *rest, **options)

        monkeypatch.setattr(Store, "find_one", counting)
        return asked

    async def test_one_read_and_then_none_for_ten_seconds(
        self, make_service: Any, make_user: Any, caller: Caller, reads: list[str], clock: Any
    ) -> None:
        service = await make_service(credential_cache_seconds=10)
        await make_user("ada")
        helper = await caller()
        reads.clear()
        for _each in range(3):
            assert await acts_as(service, helper, "ada")
        assert reads == ["credentials"]
        clock.advance(10)
        assert await acts_as(service, helper, "ada")
        assert reads == ["credentials"] * 2

    async def test_what_a_target_may_is_not_believed_for_longer(
        self,
        make_service: Any,
        make_user: Any,
        caller: Caller,
        change: Changer,
        clock: Any,
        believed: float,
    ) -> None:
        service = await make_service(credential_cache_seconds=10)
        await make_user("ada")
        helper = await caller()
        assert await acts_as(service, helper, "ada")
        change("ada", disabled=True)
        clock.advance(believed - 0.1)
        assert await acts_as(service, helper, "ada")
        clock.advance(0.1)
        assert not await acts_as(service, helper, "ada")

    async def test_being_told_is_enough(
        self, make_service: Any, make_user: Any, caller: Caller, change: Changer
    ) -> None:
        service = await make_service(credential_cache_seconds=10)
        await make_user("ada")
        helper = await caller()
        assert await acts_as(service, helper, "ada")
        change("ada", activeStatus="ARCHIVED")
        service.impersonation.forget()
        assert not await acts_as(service, helper, "ada")

    async def test_a_refusal_is_not_remembered(
        self, make_service: Any, make_user: Any, caller: Caller
    ) -> None:
        service = await make_service(credential_cache_seconds=10)
        helper = await caller()
        assert not await acts_as(service, helper, "ada")
        await make_user("ada")
        assert await acts_as(service, helper, "ada")

    @pytest.mark.parametrize(
        "changes",
        [
            pytest.param({"impersonation_script": "userId:bob"}, id="another script"),
            pytest.param({"impersonation_script": None}, id="no script any more"),
            pytest.param({"domain": DomainContext("globex", "x")}, id="another tenant"),
            pytest.param({"subject": "other", "impersonation_script": None}, id="somebody else"),
        ],
    )
    async def test_what_was_found_is_for_the_same_caller_alone(
        self, make_service: Any, make_user: Any, caller: Caller, changes: dict[str, Any]
    ) -> None:
        service = await make_service(credential_cache_seconds=10)
        await make_user("ada")
        helper = await caller()
        assert await acts_as(service, helper, "ada")
        assert not await acts_as(service, replace(helper, **changes), "ada")


class TestTheCall:
    async def opened(self, service: Service, caller: str, target: str | None, **rest: Any) -> Call:
        key = None if target is None else UserKey(user_id=target)
        token = await token_of(service, caller)
        header = rest.pop("realm_header", None)
        return await open_call(service, token, header, "request 1", "sales", target=key, **rest)

    async def test_has_the_target_and_nothing_of_the_caller(
        self, service: Service, make_user: Any, caller: Caller
    ) -> None:
        ada = await make_user("ada", org_ref_name="research")
        helper = await caller(roles=frozenset({"admin", "system"}), account_id="A-1")
        call = await self.opened(service, "helper", "ada")
        principal = call.principal
        assert (principal.user_id, principal.subject) == ("ada", ada["subject"])
        assert principal.roles == {"user"}
        assert principal.domain == DomainContext("acme", service.settings.default_realm, "research")
        assert principal.scope.tenant_id == "acme"
        assert principal.impersonator == helper

    async def test_without_a_target_nobody_is_impersonated(self, service: Service, caller: Caller) -> None:
        await caller()
        call = await self.opened(service, "helper", None)
        assert (call.principal.user_id, call.principal.impersonator) == ("helper", None)

    async def test_is_in_the_realms_of_the_target(
        self, service: Service, make_user: Any, make_realm: Any, caller: Caller
    ) -> None:
        for name in ("emea", "apac"):
            await make_realm(name)
        await make_user("ada", realms=frozenset({"apac"}), realm_roles={"apac": frozenset({"admin"})})
        await caller(realms=frozenset({"emea"}), realm_roles={"emea": frozenset({"user"})})
        call = await self.opened(service, "helper", "ada", realm_header="apac")
        assert (call.realm, call.principal.roles) == ("apac", {"admin"})
        with pytest.raises(Denied, match="this realm"):
            await self.opened(service, "helper", "ada", realm_header="emea")

    async def test_ends_with_each_of_its_ends(
        self, service: Service, make_user: Any, caller: Caller, change: Changer
    ) -> None:
        await make_user("ada")
        await caller()
        token = await token_of(service, "helper")
        endings: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
            ("ada", {"disabled": True}, {"disabled": False}),
            ("helper", {"disabled": True}, {"disabled": False}),
            ("helper", {"impersonationEnabled": False}, {"impersonationEnabled": True}),
            ("helper", {"tokenEpoch": 9}, {"tokenEpoch": 1}),
            ("ada", {"roles": ["system"]}, {"roles": ["user"]}),
        ]
        target = UserKey(user_id="ada")
        for user_id, end, begin in endings:
            assert (await open_call(service, token, None, "r", "sales", target=target)).principal.impersonator
            change(user_id, **end)
            with pytest.raises(ServiceError) as refusal:
                await open_call(service, token, None, "r", "sales", target=target)
            assert refusal.value.status in (401, 403), end
            change(user_id, **begin)

    async def test_does_not_lead_on_to_others(self, service: Service, make_user: Any, caller: Caller) -> None:
        """The target's own leave to impersonate is not the caller's."""
        await make_user("bob")
        await caller("ada", script="userId:bob")
        await caller("helper", script="userId:ada")
        call = await self.opened(service, "helper", "ada")
        assert call.principal.user_id == "ada"
        with pytest.raises(Denied, match="act as this user"):
            await self.opened(service, "helper", "bob")

    async def test_acting_on_behalf_is_a_remark(self, service: Service, caller: Caller) -> None:
        await caller()
        named = OnBehalfOf(user_id="globex-customer", subject="s-9")
        call = await self.opened(service, "helper", None, on_behalf_of=named)
        plain = await self.opened(service, "helper", None)
        assert call.principal == replace(plain.principal, on_behalf_of=named)
