"""Scopes and accesses as plain values: what binds, what is admitted, what is sent."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, fields, replace
from typing import Any

import pytest

from runtime.filter import NOTHING, equals
from runtime.principal import DomainContext, DomainScope
from runtime.storage.access import Access, Action
from runtime.storage.as_service import as_service

from .conftest import WIDGET, Document, principal

FULL = DomainScope("acme", "HQ", "A-1", 0)


@pytest.mark.parametrize(
    ("scope", "match"),
    [
        (DomainScope(), {}),
        (DomainScope("acme"), {"dataDomain.tenantId": "acme"}),
        (DomainScope(""), {"dataDomain.tenantId": ""}),
        (
            FULL,
            {
                "dataDomain.tenantId": "acme",
                "dataDomain.orgRefName": "HQ",
                "dataDomain.accountId": "A-1",
                "dataDomain.dataSegment": 0,
            },
        ),
    ],
    ids=str,
)
def test_each_member_that_is_named_binds(scope: DomainScope, match: Document) -> None:
    assert scope.match == match


OWN = {"tenantId": "acme", "orgRefName": "HQ", "accountId": "A-1", "ownerId": "ann", "dataSegment": 0}


@pytest.mark.parametrize("missing", ["tenantId", "orgRefName", "accountId", "dataSegment"])
@pytest.mark.parametrize("other", ["other", None, "absent"])
def test_a_domain_that_differs_in_one_member_is_not_admitted(missing: str, other: str | None) -> None:
    domain: Document = {**OWN, missing: other}
    if other == "absent":
        del domain[missing]

    assert not FULL.admits(domain)
    assert FULL.admits(OWN)
    assert DomainScope().admits(domain)


class TestShared:
    """What ``with_shared`` adds to a scope: the shared records of the tenant, whatever else is bound."""

    SHARING = replace(FULL, with_shared=True)

    def test_is_an_alternative_to_what_is_bound_in_the_tenant(self) -> None:
        bound = {name: value for name, value in FULL.match.items() if name != "dataDomain.tenantId"}
        assert self.SHARING.match == {
            "dataDomain.tenantId": "acme", "$or": [bound, {"dataDomain.orgRefName": "*"}]
        }  # fmt: skip
        assert DomainScope("acme", "north", with_shared=True).match == {
            "dataDomain.tenantId": "acme", "dataDomain.orgRefName": {"$in": ["north", "*"]}
        }  # fmt: skip
        assert "dataDomain.orgRefName" in DomainScope("acme", data_segment=3, with_shared=True).paths

    @pytest.mark.parametrize("place", [{}, {"accountId": "A-2", "dataSegment": 7}])
    def test_is_admitted_in_the_own_tenant_alone(self, place: Document) -> None:
        shared = {"tenantId": "acme", "orgRefName": "*", **place}
        assert self.SHARING.admits(shared)
        assert self.SHARING.admits(OWN)
        assert not FULL.admits(shared)
        for other in ({"tenantId": "globex"}, {"orgRefName": "other"}, {"orgRefName": None}):
            assert not self.SHARING.admits({**shared, **other})
        assert not self.SHARING.admits({"orgRefName": "*"})

    @pytest.mark.parametrize("scope", [DomainScope(), DomainScope("acme"), DomainScope("")])
    def test_adds_nothing_where_the_whole_tenant_is_seen(self, scope: DomainScope) -> None:
        assert replace(scope, with_shared=True).match == scope.match

    def test_is_for_reading_alone(self) -> None:
        caller = principal()
        assert not caller.scope.with_shared
        assert caller.scope_on("logistics", is_read=True) == replace(caller.scope, with_shared=True)
        for area, is_read in (("logistics", False), ("security", True)):
            assert caller.scope_on(area, is_read=is_read) == caller.scope


def test_whose_record_it_is_does_not_bind() -> None:
    assert FULL.admits({**OWN, "ownerId": "carl"})


def test_the_scope_of_a_caller_is_its_domain_context() -> None:
    caller = principal(domain=DomainContext("acme", "main", "HQ", "A-1", 0))
    assert caller.scope == FULL


@pytest.mark.parametrize(
    ("roles", "is_bound"),
    [
        ({"user"}, True),
        ({"admin"}, True),
        (set(), True),
        ({"System"}, True),
        ({"system"}, False),
        ({"user", "system"}, False),
    ],
    ids=lambda value: "+".join(sorted(value)) if isinstance(value, set) else str(value),
)
def test_the_role_system_alone_is_bound_to_no_tenant(roles: set[str], is_bound: bool) -> None:
    assert (principal(roles=frozenset(roles)).scope.match != {}) is is_bound


def test_scope_rules_and_match_are_all_sent() -> None:
    access = Access(WIDGET, Action.VIEW, "main", DomainScope("acme"), rules=equals(activeStatus="ACTIVE"))

    assert access.scoped(equals(refName="x")) == {
        "$and": [
            {"$and": [{"dataDomain.tenantId": "acme"}, {"activeStatus": "ACTIVE"}]},
            {"refName": "x"},
        ]
    }


def test_a_match_on_the_tenant_does_not_replace_the_scope() -> None:
    access = Access(WIDGET, Action.VIEW, "main", DomainScope("acme"))
    hostile: Any = {"dataDomain.tenantId": "globex"}

    assert access.scoped(equals(**hostile)) == {"$and": [{"dataDomain.tenantId": "acme"}, hostile]}


def test_rules_that_allow_nothing_match_nothing() -> None:
    access = Access(WIDGET, Action.VIEW, "main", DomainScope(), rules=NOTHING)
    assert access.scoped(equals(refName="x")) == {"$and": [{"_id": {"$in": []}}, {"refName": "x"}]}


def test_the_service_itself_sees_hidden_fields_of_all_tenants_unless_told_otherwise() -> None:
    access = as_service(WIDGET, "main")
    assert (access.hidden, access.domain, access.action) == (frozenset(), DomainScope(), Action.VIEW)
    assert as_service(WIDGET, "main", Action.DELETE, DomainScope("acme")).domain == DomainScope("acme")


@pytest.mark.parametrize(
    "value", [as_service(WIDGET, "main"), principal(), FULL], ids=lambda v: type(v).__name__
)
def test_leave_once_given_cannot_be_widened(value: Any) -> None:
    for member in fields(value):
        with pytest.raises(FrozenInstanceError):
            setattr(value, member.name, None)
