"""What a filter of a rule, a script or a tool may name."""

from __future__ import annotations

from dataclasses import replace

from runtime.filter import OWN_ID
from runtime.permissions import variables_of
from runtime.principal import DomainContext, Principal
from tests.filter.sample import SHIPMENT

ANN = Principal(
    "ann@acme.example", "s-ann", frozenset({"user", "clerk"}), DomainContext("acme", "main", account_id="a-1")
)


def test_each_variable_has_the_value_of_the_caller() -> None:
    assert variables_of(ANN, "north", SHIPMENT, "VIEW") == {
        "ownerId": "ann@acme.example",
        "principalId": "ann@acme.example",
        "resourceId": OWN_ID,
        "action": "VIEW",
        "functionalDomain": SHIPMENT.domain,
        "area": SHIPMENT.area,
        "realm": "north",
        "pTenantId": "acme",
        "pAccountId": "a-1",
        "rTenantId": "acme",
        "rAccountId": "a-1",
        "roles": ("clerk", "user"),
    }


def test_a_caller_without_an_account_has_no_value_for_it() -> None:
    variables = variables_of(replace(ANN, domain=DomainContext("acme", "main")), "main", SHIPMENT, "VIEW")
    assert (variables["pAccountId"], variables["rAccountId"]) == (None, None)
