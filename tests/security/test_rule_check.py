"""What a stored rule must be: a table of documents and what is said of them."""

from __future__ import annotations

from typing import Any, cast

import pytest

from runtime.access.rule_check import RuleCheck
from runtime.call import Call, Service
from runtime.errors import Denied, ValidationFailed
from runtime.model.catalog import Catalog
from runtime.model.record import EntityReference, Record, RecordInput
from runtime.model.record_type import RecordType
from runtime.permissions import RuleSet
from runtime.principal import DomainContext, Principal

pytestmark = pytest.mark.anyio


class ParcelInput(RecordInput):
    label: str | None = None
    weight: int | None = None
    secret: str | None = None
    target: EntityReference | None = None


class TruckInput(RecordInput):
    weight: int | None = None
    plate: str | None = None


def kind(area: str, name: str, model: type[RecordInput], **more: Any) -> RecordType[Record]:
    return RecordType(
        name=name, area=area, domain=name.lower(), model=Record, input=model,
        collection=f"{name.lower()}s", base_path=f"/{area}/{name.lower()}s", **more,
    )  # fmt: skip


CATALOG = Catalog(
    (
        kind(
            "logistics",
            "Parcel",
            ParcelInput,
            hidden=frozenset({"secret"}),
            display="{label}",
            text=("label",),
        ),
        kind("fleet", "Truck", TruckInput),
    )
)
CHECK = RuleCheck(CATALOG, frozenset({("fleet", "motor", "START"), ("public", "weather", "VIEW")}))


NO_SERVICE = cast(Service, None)
"""All that the check asks of the service was handed to it when it was made."""


@pytest.fixture
def call() -> Call:
    return call_as("admin")


def call_as(*roles: str, rules: RuleSet | None = None, **domain: Any) -> Call:
    principal = Principal("ann", "s", frozenset(roles), DomainContext("acme", "main", **domain))
    return Call(NO_SERVICE, principal, "main", "main", "request 1", rules=rules or RuleSet(()))


def rule(body: dict[str, str] | None = None, *, version: int = 1, **said: Any) -> dict[str, Any]:
    """A complete document; words of the header are given without it."""
    words = ("identity", "area", "functionalDomain", "action")
    uri: dict[str, Any] = {"header": {word: said.pop(word) for word in words if word in said}}
    if body is not None:
        uri["body"] = body
    return {"name": "r", "effect": "ALLOW", "priority": 10, "version": version, "securityURI": uri} | said


GOOD = {
    "nothing but a name": rule(),
    "no header": rule() | {"securityURI": {}},
    "a record type": rule(area="logistics", functionalDomain="parcel", action="VIEW"),
    "in another case": rule(area="Logistics", functionalDomain="PARCEL", action="view"),
    "an endpoint": rule(area="fleet", functionalDomain="motor", action="START"),
    "an action of endpoints, everywhere": rule(action="START"),
    "a domain in any area": rule(functionalDomain="truck"),
    "wildcards": rule(area="log*", functionalDomain="p?rcel", action="V*"),
    "wildcards that match nothing today": rule(area="later*"),
    "an identity of nobody": rule(identity="gone@acme.example"),
    "a user": rule(identity="user:ann@acme.example"),
    "a whole body": rule({"realm": "*", "ownerId": "ann", "resourceId": "R-1"}),
    "a filter": rule(area="logistics", filter="label:x && weight:>1"),
    "a filter over common fields, everywhere": rule(filter="dataDomain.ownerId:${principalId}"),
    "a filter over a field of all": rule(filter="weight:>1"),
    "a filter with a list variable": rule(filter="dataDomain.ownerId:^${roles}"),
    "a variable without a value here": rule(filter="dataDomain.accountId:${pAccountId}"),
    "as many wildcards as a rule may have": rule(
        area="logistics", filter=f"label:^[{'a*,' * 19}a*,{'b,' * 900}b]"
    ),
    "the id of each record": rule(filter="refName:${resourceId}"),
    "hidden fields": rule(functionalDomain="parcel", hiddenFields=["weight", "target"]),
    "a hidden field of all": rule(hiddenFields=["weight"]),
    "a hidden field of the display name": rule(area="logistics", hiddenFields=["label"]),
    "no hidden fields": rule(area="fleet", functionalDomain="motor", hiddenFields=[]),
    "a denial": rule(effect="DENY"),
}


@pytest.mark.parametrize("document", GOOD.values(), ids=GOOD)
async def test_what_can_be_applied_is_accepted(call: Call, document: dict[str, Any]) -> None:
    await CHECK(call, document)


HEADER = "securityURI.header"
BAD: dict[str, tuple[dict[str, Any], list[tuple[str, str]]]] = {
    "an area that is not": (rule(area="logistic", functionalDomain="parcel"), [(f"{HEADER}.area", "did you mean logistics?")]),
    "a domain that is not": (rule(functionalDomain="parcle"), [(f"{HEADER}.functionalDomain", "mean parcel?")]),
    "a domain of another area": (
        rule(area="fleet", functionalDomain="parcel"), [(f"{HEADER}.functionalDomain", "no functional domain")],
    ),
    "a domain of no area that matches": (
        rule(area="fl*", functionalDomain="parcel"), [(f"{HEADER}.functionalDomain", "no functional domain")],
    ),
    "too many wildcards": (
        rule(area="logistics", filter=f"weight:1 || label:^[{'a*,' * 20}a*]"), [("filter", "more than 20 texts with wildcards")],
    ),
    "an action that is not": (rule(action="VEIW"), [(f"{HEADER}.action", "did you mean VIEW?")]),
    "an action by another word": (
        rule(action="READ"),
        [(f"{HEADER}.action", "no action READ; the actions are CREATE, DELETE, START, UPDATE and VIEW")],
    ),
    "several names": (
        rule(area="x", functionalDomain="y", action="z"),
        [(f"{HEADER}.area", "no functional area x"), (f"{HEADER}.functionalDomain", "y"), (f"{HEADER}.action", "z")],
    ),
    "a blank behind": (rule(identity="clerk "), [(f"{HEADER}.identity", "blanks")]),
    "a user without an id": (rule(identity="user:"), [(f"{HEADER}.identity", "names no user")]),
    "a user with a blank before the id": (rule(identity="user: ann"), [(f"{HEADER}.identity", "names no user")]),
    "a blank before, in the body": (rule({"ownerId": " ann"}), [("securityURI.body.ownerId", "blanks")]),
    "a filter that cannot be read": (rule(filter="weight"), [("filter", "over Parcel")]),
    "an unknown field": (rule(area="logistics", filter="wieght:1"), [("filter", "did you mean weight?")]),
    "a field of one type only": (rule(filter="label:x"), [("filter", "over Truck")]),
    "a field that wildcards reach": (rule(area="*", functionalDomain="t*", filter="label:x"), [("filter", "Truck")]),
    "a value of another type": (rule(filter="weight:heavy"), [("filter", "weight is an integer")]),
    "a field the type hides": (rule(area="logistics", filter="secret:a*"), [("filter", "no field secret")]),
    "an unknown variable": (rule(filter="refName:${principalID}"), [("filter", "principalI")]),
    "the id of each record, in a number": (
        rule(filter="weight:${resourceId}"), [("filter", "the id of the record itself")],
    ),
    "a text search": (rule(area="logistics", filter='text("x")'), [("filter", "over Parcel")]),
    "an edge": (rule(area="logistics", filter="hasOutgoingEdge(owns)"), [("filter", "over Parcel")]),
    "a filter where there are no records": (
        rule(area="fleet", functionalDomain="motor", filter="refName:x"), [("filter", "no record type")],
    ),
    "hidden fields where there are no records": (
        rule(area="fleet", functionalDomain="motor", hiddenFields=["weight"]), [("hiddenFields", "no record type")],
    ),
    "a hidden field that is not": (
        rule(area="fleet", hiddenFields=["weight", "plaet"]), [("hiddenFields[1]", "did you mean plate?")],
    ),
    "a hidden field of one type only": (rule(hiddenFields=["plate"]), [("hiddenFields[0]", "Parcel")]),
    "what the service needs": (
        rule(hiddenFields=["id", "version"]), [("hiddenFields[0]", "needs"), ("hiddenFields[1]", "needs")],
    ),
    "filter and hidden field": (
        rule(area="fleet", filter="x:1", hiddenFields=["y"]), [("filter", "x"), ("hiddenFields[0]", "y")],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("document", "said"), BAD.values(), ids=BAD)
async def test_what_cannot_be_applied_is_told(
    call: Call, document: dict[str, Any], said: list[tuple[str, str]]
) -> None:
    with pytest.raises(ValidationFailed) as refusal:
        await CHECK(call, document)
    violations = refusal.value.details["violations"]
    assert [violation["path"] for violation in violations] == [path for path, _message in said]
    for violation, (_path, message) in zip(violations, said, strict=True):
        assert message in violation["message"]
    assert refusal.value.message == f"{violations[0]['path']}: {violations[0]['message']}"


@pytest.mark.parametrize("segment", [0, 3])
async def test_who_is_bound_to_a_data_segment_writes_no_rules(segment: int) -> None:
    with pytest.raises(Denied, match="data segment"):
        await CHECK(call_as("admin", data_segment=segment), rule())
    await CHECK(call_as("system", data_segment=segment), rule())
    await CHECK(call_as("admin", org_ref_name="north", account_id="A"), rule())
