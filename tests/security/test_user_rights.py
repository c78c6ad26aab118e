"""What an administrator may do to users: never more than it has itself."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from runtime.errors import Denied, OwnAccount
from runtime.identity.users.user_rights import (
    placed,
    require_grantable,
    require_manageable,
    require_not_own,
    require_operator,
)
from runtime.principal import DomainContext, DomainScope, Identity, Principal
from runtime.rights import Rights
from runtime.seams import NewUser, User

HOME = DomainContext(tenant_id="acme", default_realm="main")
EMEA = replace(HOME, default_realm="emea")


def caller(*roles: str, **place: Any) -> Principal:
    domain = DomainContext(tenant_id="acme", default_realm="main", **place)
    return Principal("boss", "s-boss", frozenset(roles), domain)


def rights(of: Principal, realm: str = "main") -> Rights:
    """Of a caller in a realm, where ``main`` is the default one."""
    return Rights(realm, of.roles, of.scope, is_operator="system" in of.roles and realm == "main")


def bound(*roles: str, realm: str = "main", **more: Any) -> Rights:
    """What the granter of an impersonation may."""
    return Rights(realm, frozenset(roles), DomainScope("acme"), **more)


def user(*roles: str, **more: Any) -> User:
    subject, domain = more.pop("subject", "s-ada"), more.pop("domain", HOME)
    return User("ada", subject, "store", frozenset(roles), domain, **more)


def whole(of: Principal) -> tuple[Principal, Rights]:
    return of, rights(of)


OPERATOR = bound("system", is_operator=True)


@pytest.mark.parametrize(
    ("has", "gives", "may"),
    [
        pytest.param({"admin"}, {"user"}, True, id="admin gives user"),
        pytest.param({"admin"}, {"user", "admin"}, True, id="admin gives admin"),
        pytest.param({"admin"}, {"system"}, False, id="admin gives system"),
        pytest.param({"admin"}, {"admin", "system"}, False, id="system among others"),
        pytest.param({"admin"}, {"driver"}, False, id="a role it has not"),
        pytest.param({"admin", "driver"}, {"driver"}, True, id="a role it has"),
        pytest.param({"admin"}, {"Admin"}, False, id="another case"),
        pytest.param({"driver"}, {"user"}, False, id="only admin includes user"),
        pytest.param({"system"}, {"system", "driver"}, True, id="system gives all"),
    ],
)
def test_roles_are_given_by_who_has_them(has: set[str], gives: set[str], may: bool) -> None:
    if may:
        require_grantable(rights(caller(*has)), gives)
        return
    with pytest.raises(Denied):
        require_grantable(rights(caller(*has)), gives)


@pytest.mark.parametrize(
    ("who", "may"),
    [
        pytest.param(user("user"), True, id="user"),
        pytest.param(user("admin"), True, id="another admin"),
        pytest.param(user("user", "system"), False, id="system"),
        pytest.param(user("driver"), False, id="a role it has not"),
        pytest.param(user("user", realm_roles={"emea": frozenset({"system"})}), False, id="system elsewhere"),
        pytest.param(user("user", realms=frozenset({"emea"})), False, id="other realms"),
        pytest.param(user("user", realm_reg_ex=".*"), False, id="a pattern of realms"),
        pytest.param(user("user", area_realms={"logistics": "emea"}), False, id="an area elsewhere"),
        pytest.param(user("user", domain=DomainContext("globex", "main")), False, id="another tenant"),
        pytest.param(user("user", domain=DomainContext("acme", "emea")), False, id="at home elsewhere"),
    ],
)
def test_users_with_more_are_not_managed(who: User, may: bool) -> None:
    require_manageable(rights(caller("system")), who, None)
    if may:
        require_manageable(rights(caller("admin")), who, None)
        return
    with pytest.raises(Denied):
        require_manageable(rights(caller("admin")), who, None)


@pytest.mark.parametrize(
    ("reach", "may"),
    [
        pytest.param(None, True, id="nobody"),
        pytest.param(bound("user"), True, id="by who has less"),
        pytest.param(bound("admin"), True, id="by an equal"),
        pytest.param(bound("admin", "driver"), False, id="by who has more roles"),
        pytest.param(bound("system", realm="emea"), False, id="by system of a realm"),
        pytest.param(OPERATOR, False, id="by the operator"),
    ],
)
def test_users_who_may_act_as_others_with_more_are_not_managed(reach: Rights | None, may: bool) -> None:
    require_manageable(rights(caller("system")), user("user"), reach)
    if may:
        require_manageable(rights(caller("admin")), user("user"), reach)
        return
    with pytest.raises(Denied):
        require_manageable(rights(caller("admin")), user("user"), reach)


@pytest.mark.parametrize(
    ("who", "reach", "may"),
    [
        pytest.param(user("system", domain=EMEA), None, True, id="system of the realm"),
        pytest.param(user("driver", domain=replace(EMEA, tenant_id="globex")), None, True, id="any user"),
        pytest.param(user("user", domain=EMEA), bound("system", realm="emea"), True, id="reach of its like"),
        pytest.param(user("user", domain=EMEA), OPERATOR, False, id="reach of the operator"),
        pytest.param(user("user", domain=EMEA, realms=frozenset({"main"})), None, False, id="other realms"),
        pytest.param(user("user", domain=EMEA, realm_reg_ex="main"), None, False, id="a pattern of realms"),
        pytest.param(
            user("user", domain=EMEA, realm_roles={"main": frozenset({"user"})}),
            None,
            False,
            id="roles elsewhere",
        ),
        pytest.param(user("user"), None, False, id="at home elsewhere"),
    ],
)
def test_system_of_another_realm_is_bound_to_it(who: User, reach: Rights | None, may: bool) -> None:
    local = rights(caller("system"), "emea")
    require_manageable(rights(caller("system")), who, reach)
    if may:
        require_manageable(local, who, reach)
        return
    with pytest.raises(Denied):
        require_manageable(local, who, reach)


def test_other_realms_are_opened_by_the_operator_alone() -> None:
    require_operator(rights(caller("system")))
    for other in (rights(caller("system"), "emea"), rights(caller("admin"))):
        with pytest.raises(Denied, match="default realm"):
            require_operator(other)


@pytest.mark.parametrize("role", ["admin", "system"])
def test_nobody_manages_itself(role: str) -> None:
    with pytest.raises(OwnAccount):
        require_not_own(caller(role), user("user", subject="s-boss"))
    acting = Identity("ada", "s-ada", "main", frozenset({"user"}), HOME)
    with pytest.raises(OwnAccount):
        require_not_own(replace(caller(role), impersonator=acting), user("user"))
    require_not_own(caller(role), user("user"))


class TestPlace:
    @staticmethod
    def new(**changes: Any) -> NewUser:
        return NewUser(
            **({"user_id": "ada", "password": "x", "tenant_id": "", "roles": frozenset({"user"})} | changes)
        )

    def test_what_is_left_out_is_the_callers(self) -> None:
        north = caller("admin", org_ref_name="north", account_id="a-1", data_segment=0)
        made = placed(*whole(north), self.new())
        assert (made.tenant_id, made.org_ref_name, made.account_id, made.data_segment) == (
            "acme",
            "north",
            "a-1",
            0,
        )

    def test_who_is_bound_to_less_may_bind_to_more(self) -> None:
        made = placed(
            *whole(caller("admin")), self.new(tenant_id="acme", org_ref_name="north", data_segment=7)
        )
        assert (made.org_ref_name, made.data_segment) == ("north", 7)

    @pytest.mark.parametrize(
        "changes",
        [
            {"tenant_id": "globex"},
            {"org_ref_name": "south"},
            {"account_id": "a-2"},
            {"data_segment": 1},
            {"roles": frozenset({"system"})},
            {"realms": frozenset({"emea"})},
            {"realm_roles": {"emea": frozenset({"user"})}},
            {"realm_reg_ex": ".*"},
        ],
        ids=lambda changes: next(iter(changes)),
    )
    def test_what_lies_beyond_is_refused(self, changes: dict[str, Any]) -> None:
        north = caller("admin", org_ref_name="north", account_id="a-1", data_segment=0)
        with pytest.raises(Denied):
            placed(*whole(north), self.new(**changes))

    def test_system_is_bound_to_nothing(self) -> None:
        new = self.new(tenant_id="globex", roles=frozenset({"system"}), realms=frozenset({"emea"}))
        assert placed(*whole(caller("system", org_ref_name="north")), new) == new
