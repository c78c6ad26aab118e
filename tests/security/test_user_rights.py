"""What an administrator may do to users: never more than it has itself."""

from __future__ import annotations

from typing import Any

import pytest

from runtime.errors import Denied, OwnAccount
from runtime.principal import DomainContext, Principal
from runtime.seams import NewUser, User
from runtime.security.user_rights import placed, require_grantable, require_manageable


def caller(*roles: str, **place: Any) -> Principal:
    domain = DomainContext(tenant_id="acme", default_realm="main", **place)
    return Principal("boss", "s-boss", frozenset(roles), domain)


def user(*roles: str, **more: Any) -> User:
    domain = DomainContext(tenant_id="acme", default_realm="main")
    return User("ada", more.pop("subject", "s-ada"), "store", frozenset(roles), domain, **more)


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
        require_grantable(caller(*has), gives)
        return
    with pytest.raises(Denied):
        require_grantable(caller(*has), gives)


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
    ],
)
def test_users_with_more_are_not_managed(who: User, may: bool) -> None:
    require_manageable(caller("system"), who)
    if may:
        require_manageable(caller("admin"), who)
        return
    with pytest.raises(Denied):
        require_manageable(caller("admin"), who)


@pytest.mark.parametrize("role", ["admin", "system"])
def test_nobody_manages_itself(role: str) -> None:
    with pytest.raises(OwnAccount):
        require_manageable(caller(role), user("user", subject="s-boss"))


class TestPlace:
    @staticmethod
    def new(**changes: Any) -> NewUser:
        return NewUser(
            **({"user_id": "ada", "password": "x", "tenant_id": "", "roles": frozenset({"user"})} | changes)
        )

    def test_what_is_left_out_is_the_callers(self) -> None:
        bound = caller("admin", org_ref_name="north", account_id="a-1", data_segment=0)
        made = placed(bound, self.new())
        assert (made.tenant_id, made.org_ref_name, made.account_id, made.data_segment) == (
            "acme",
            "north",
            "a-1",
            0,
        )

    def test_who_is_bound_to_less_may_bind_to_more(self) -> None:
        made = placed(caller("admin"), self.new(tenant_id="acme", org_ref_name="north", data_segment=7))
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
        bound = caller("admin", org_ref_name="north", account_id="a-1", data_segment=0)
        with pytest.raises(Denied):
            placed(bound, self.new(**changes))

    def test_system_is_bound_to_nothing(self) -> None:
        new = self.new(tenant_id="globex", roles=frozenset({"system"}), realms=frozenset({"emea"}))
        assert placed(caller("system", org_ref_name="north"), new) == new
