"""The gate: from a token to a call, and from a call to an access."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from runtime.access.guard import (
    admit,
    allow,
    allow_lookup,
    build_refusal,
    open_anonymous_call,
    open_call,
)
from runtime.access.reopening import adopt_rights
from runtime.call import Call, Service
from runtime.errors import Denied, StoreUnavailable, Unauthenticated
from runtime.model.record import Record, RecordInput, Strict
from runtime.model.record_type import RecordType
from runtime.permissions import Rule, RuleSet
from runtime.principal import SHARED, DomainContext, DomainScope, Identity, Principal
from runtime.seams import LoggedIn, Seams
from runtime.storage.access import Action

PASSWORD = "correct horse battery"

pytestmark = pytest.mark.anyio


class Costs(Strict):
    freight: int | None = None


class ParcelInput(RecordInput):
    margin: int | None = None
    costs: Costs | None = None


PARCEL = RecordType(
    name="Parcel", area="sales", domain="parcel", model=Record, input=ParcelInput,
    collection="parcels", base_path="/sales/parcels", hidden=frozenset({"margin", "costs.freight"}),
)  # fmt: skip


class Provider:
    """An authentication provider of the application, who knows one token."""

    name = "tests"

    def __init__(self, token: str, identity: Identity | Exception) -> None:
        self.token = token
        self.identity = identity

    async def log_in(self, user_id: str, password: str, realm: str, address: str) -> LoggedIn:
        raise NotImplementedError

    async def refresh(self, refresh_token: str) -> LoggedIn:
        raise NotImplementedError

    async def validate(self, access_token: str) -> Identity:
        if access_token != self.token:
            raise Unauthenticated("not mine", bad_token=True)
        if isinstance(self.identity, Exception):
            raise self.identity
        return self.identity


async def opened(
    service: Service, token: str | None, realm_header: str | None = None, area: str = "sales"
) -> Call:
    return await open_call(service, token, realm_header, "request 1", area, "192.0.2.1")


async def token_of(service: Service, user_id: str = "ada") -> str:
    realm = service.settings.default_realm
    return (await service.provider.log_in(user_id, PASSWORD, realm, "192.0.2.1")).access_token


ANYTHING_GOES = Rule("anything goes")


def call_as(service: Service, *roles: str, rules: Sequence[Rule] = (ANYTHING_GOES,), **domain: Any) -> Call:
    context = DomainContext(**({"tenant_id": "acme", "default_realm": "home"} | domain))
    principal = Principal("ada", "s", frozenset(roles), context)
    return Call(service, principal, "home", "home", "request 1", rules=RuleSet(rules))


async def test_token_opens_a_call(service: Service, make_user: Any) -> None:
    made = await make_user("ada", org_ref_name="research")
    call = await opened(service, await token_of(service))

    assert call.principal == Principal(
        "ada", made["subject"], frozenset({"user"}),
        DomainContext("acme", service.settings.default_realm, org_ref_name="research"),
    )  # fmt: skip
    assert (call.realm, call.request_id, call.address) == (
        service.settings.default_realm, "request 1", "192.0.2.1",
    )  # fmt: skip


@pytest.mark.parametrize("token", [None, ""], ids=["none", "empty"])
async def test_no_token_is_a_plain_challenge(service: Service, token: str | None) -> None:
    with pytest.raises(Unauthenticated) as refusal:
        await opened(service, token)
    assert refusal.value.headers == {"WWW-Authenticate": 'Bearer realm="recordsmith"'}


async def test_bad_token_is_named_so(service: Service) -> None:
    with pytest.raises(Unauthenticated) as refusal:
        await opened(service, "a.b.c")
    assert refusal.value.bad_token


async def test_realm_header_must_be_open_to_the_caller(
    service: Service, make_user: Any, make_realm: Any
) -> None:
    databases = [await make_realm(name) for name in ("emea", "apac", "us")]
    await make_user("ada", realms=frozenset({"emea", "apac"}), realm_roles={"emea": frozenset({"admin"})})
    token = await token_of(service)
    emea, apac = await opened(service, token, "emea"), await opened(service, token, "apac")
    assert (emea.realm, emea.principal.roles) == ("emea", {"admin"})
    assert [emea.database, apac.database] == databases[:2]
    assert (apac.realm, apac.principal.roles) == ("apac", frozenset())
    with pytest.raises(Denied):
        await opened(service, token, "us")
    with pytest.raises(Denied, match="needs the role"):
        allow(apac, PARCEL, Action.VIEW)


async def test_providers_are_asked_in_order_the_built_in_last(
    make_service: Any, make_user: Any, realm: str
) -> None:
    await make_user("ada")
    eve = Identity("eve", "s-eve", realm, frozenset({"user"}), DomainContext("initech", realm))
    first = Provider("shared", eve)
    second = Provider("shared", replace(eve, user_id="late"))
    service = await make_service(Seams(auth_providers=(first, second)))

    assert (await opened(service, "shared")).principal.user_id == "eve"
    assert (await opened(service, await token_of(service))).principal.user_id == "ada"
    with pytest.raises(Unauthenticated, match="not accepted"):
        await opened(service, "nobody's")


async def test_fault_of_a_provider_lets_nobody_in(make_service: Any, make_user: Any) -> None:
    await make_user("ada")
    plain = await make_service()
    token = await token_of(plain)
    service = await make_service(Seams(auth_providers=(Provider(token, StoreUnavailable("directory down")),)))
    with pytest.raises(StoreUnavailable):
        await opened(service, token)


@pytest.mark.parametrize(
    ("roles", "is_opened"), [({"user"}, False), ({"admin"}, False), ({"system"}, True)], ids=str
)
async def test_caller_without_a_tenant_is_refused(
    make_service: Any, roles: set[str], is_opened: bool, realm: str
) -> None:
    nobody = Identity("eve", "s", realm, frozenset(roles), DomainContext("", realm))
    service = await make_service(Seams(auth_providers=(Provider("t", nobody),)))
    if is_opened:
        assert (await opened(service, "t")).principal.scope == DomainScope()
    else:
        with pytest.raises(Denied, match="no tenant"):
            await opened(service, "t")


async def test_system_at_home_is_nobody_in_another_realm(
    make_service: Any, make_realm: Any, realm: str
) -> None:
    await make_realm("emea")
    root = Identity(
        "root", "s", realm, frozenset({"system"}), DomainContext("", realm), realms=frozenset({"emea"})
    )
    service = await make_service(Seams(auth_providers=(Provider("t", root),)))
    assert (await opened(service, "t")).principal.roles == {"system"}
    with pytest.raises(Denied):
        await opened(service, "t", "emea")


@pytest.mark.parametrize(
    ("roles", "kind_roles", "is_allowed"),
    [
        pytest.param({"user"}, {"user", "admin"}, True, id="one of two"),
        pytest.param({"user"}, {"admin"}, False, id="not the one"),
        pytest.param({"system"}, {"admin"}, True, id="system passes"),
        pytest.param({"system"}, set(), True, id="system passes where nobody may"),
        pytest.param({"user", "admin"}, set(), False, id="no role is named: nobody else"),
        pytest.param(set(), {"user"}, False, id="no roles"),
        pytest.param({"User"}, {"user"}, False, id="another case"),
        pytest.param({"user "}, {"user"}, False, id="a blank more"),
        pytest.param({"System"}, {"admin"}, False, id="system in another case"),
        pytest.param({"*"}, {"user"}, False, id="no wildcard in the caller's roles"),
        pytest.param({"user"}, {"*"}, False, id="nor in the record type's"),
    ],
)
async def test_roles_of_a_record_type(
    service: Service, roles: set[str], kind_roles: set[str], is_allowed: bool
) -> None:
    kind = replace(PARCEL, roles=frozenset(kind_roles))
    call = call_as(service, *roles)
    for action in Action:
        if is_allowed:
            assert allow(call, kind, action).action is action
        else:
            with pytest.raises(Denied):
                allow(call, kind, action)


async def test_access_is_bound_to_the_callers_domain(service: Service) -> None:
    call = call_as(service, "user", org_ref_name="research", data_segment=0)
    access = allow(call, PARCEL, Action.UPDATE)
    assert (access.kind, access.database) == (PARCEL, "home")
    assert access.domain == DomainScope("acme", "research", None, 0)
    assert access.hidden == {"margin", "costs.freight"}
    assert allow(call_as(service, "admin"), PARCEL, Action.DELETE).domain == DomainScope("acme")
    assert allow(call_as(service, "system"), PARCEL, Action.CREATE).domain == DomainScope()


async def test_what_is_shared_is_for_reading_and_never_of_the_area_security(service: Service) -> None:
    call = call_as(service, "user", org_ref_name="research")
    own = DomainScope("acme", "research")
    assert allow(call, PARCEL, Action.VIEW).domain == replace(own, with_shared=True)
    for action in (Action.CREATE, Action.UPDATE, Action.DELETE):
        assert allow(call, PARCEL, action).domain == own
    guarded = replace(PARCEL, area="security")
    admin = call_as(service, "admin", org_ref_name="research")
    assert allow(admin, guarded, Action.VIEW).domain == own


OTHERS = {
    "rules": {"rules": RuleSet(())},
    "a caller without the role": {
        "principal": Principal("eve", "s-eve", frozenset(), DomainContext("acme", default_realm="main"))
    },
    "nobody": {"principal": Principal("", "", frozenset(), DomainContext("", default_realm="main"))},
    "a user of no tenant": {
        "principal": Principal("eve", "s-eve", frozenset({"user"}), DomainContext("", default_realm="main"))
    },
    "a user of no organisation": {
        "principal": Principal("eve", "s-eve", frozenset({"user"}), DomainContext("acme", "main", SHARED))
    },
}


@pytest.mark.parametrize("changed", OTHERS.values(), ids=OTHERS)
async def test_a_call_that_is_changed_keeps_no_leave(service: Service, changed: dict[str, Any]) -> None:
    """What was allowed once is remembered in the call, and nowhere that another could find it."""
    call = call_as(service, "user")
    kind = replace(PARCEL, roles=frozenset({"user"}))
    access = allow(call, kind, Action.UPDATE)
    assert allow(call, kind, Action.UPDATE) is access
    other = replace(call, **changed)
    assert not other.accesses
    with pytest.raises((Denied, Unauthenticated)):
        allow(other, kind, Action.UPDATE)
    assert not other.accesses, "a refusal is no leave"


async def test_leave_for_one_action_or_type_is_none_for_another(service: Service) -> None:
    viewed = replace(ANYTHING_GOES, action="VIEW")
    call = call_as(service, "user", rules=(viewed,))
    assert allow(call, PARCEL, Action.VIEW).action is Action.VIEW
    for kind, action in ((PARCEL, Action.UPDATE), (replace(PARCEL, roles=frozenset({"x"})), Action.VIEW)):
        with pytest.raises(Denied):
            allow(call, kind, action)


@pytest.mark.parametrize(
    "place",
    [
        DomainScope("acme"),
        DomainScope(None, "research"),
        DomainScope(None, None, "A-1"),
        DomainScope(data_segment=0),
    ],
    ids=["tenant", "organisation", "account", "segment"],
)
async def test_a_rule_of_one_place_is_for_callers_of_that_place(service: Service, place: DomainScope) -> None:
    own = {"org_ref_name": "research", "account_id": "A-1", "data_segment": 0}
    rules = (replace(ANYTHING_GOES, holds_in=place),)
    assert allow(call_as(service, "user", rules=rules, **own), PARCEL, Action.VIEW)
    away = {"tenant_id": "globex", "org_ref_name": "sales", "account_id": "A-2", "data_segment": 1}
    with pytest.raises(Denied, match="no permission rule"):
        allow(call_as(service, "user", rules=rules, **away), PARCEL, Action.VIEW)


@pytest.mark.parametrize(
    ("caller", "named", "error"),
    [
        pytest.param(("user",), {"user", "admin"}, None, id="one of two"),
        pytest.param(("user",), {"admin"}, Denied, id="not the one"),
        pytest.param(("user",), set(), None, id="none named: any caller"),
        pytest.param((), set(), None, id="a caller without roles, none named"),
        pytest.param(("system",), {"admin"}, None, id="system"),
        pytest.param(None, {"user"}, Unauthenticated, id="nobody"),
        pytest.param(None, set(), Unauthenticated, id="nobody, none named"),
    ],
)
async def test_roles_of_an_endpoint(
    service: Service, caller: tuple[str, ...] | None, named: set[str], error: type[Exception] | None
) -> None:
    call = open_anonymous_call(service, "request 1") if caller is None else call_as(service, *caller)
    if error is None:
        admit(call, named, area="sales", domain="report", action="VIEW")
    else:
        with pytest.raises(error):
            admit(call, named, area="sales", domain="report", action="VIEW")


async def test_call_of_nobody_reaches_no_record(service: Service) -> None:
    call = open_anonymous_call(service, "request 1", "192.0.2.1")
    assert (call.principal.roles, call.principal.scope) == (frozenset(), DomainScope(tenant_id=""))
    assert (call.realm, call.address) == (service.settings.default_realm, "192.0.2.1")
    for roles in (frozenset[str](), frozenset({"user"}), frozenset({"anonymous"})):
        with pytest.raises(Unauthenticated):
            allow(call, replace(PARCEL, roles=roles), Action.VIEW)


ALLOW_MANY = Rule("many", filter="refName:A*")
DENY_SOME = Rule("some", allows=False, priority=20, filter="refName:AB*")


@pytest.mark.parametrize(
    ("rules", "admitted"),
    [
        pytest.param((), None, id="no rule at all"),
        pytest.param((Rule("other", domain="invoice"),), None, id="none about this"),
        pytest.param((ANYTHING_GOES, Rule("not", allows=False, priority=20)), None, id="denied"),
        pytest.param((DENY_SOME,), None, id="only a denial of some"),
        pytest.param((ANYTHING_GOES,), {"A", "AB", "B"}, id="everything"),
        pytest.param((ALLOW_MANY,), {"A", "AB"}, id="some"),
        pytest.param((ALLOW_MANY, DENY_SOME), {"A"}, id="some but not others"),
    ],
)
async def test_rules_say_which_records(
    service: Service, rules: tuple[Rule, ...], admitted: set[str] | None
) -> None:
    call = call_as(service, "user", rules=rules)
    if admitted is None:
        with pytest.raises(Denied) as refusal:
            allow(call, PARCEL, Action.VIEW)
        assert refusal.value.decided.question.domain == "parcel"
        assert "some" not in refusal.value.message, "the caller does not learn the names of rules"
        return
    access = allow(call, PARCEL, Action.VIEW)
    inside = {"dataDomain": {"tenantId": "acme"}}
    assert {name for name in ("A", "AB", "B") if access.admits(inside | {"refName": name})} == admitted
    assert not access.admits({"refName": "A", "dataDomain": {"tenantId": "globex"}})


@pytest.mark.parametrize(
    ("rules", "says"),
    [
        pytest.param((), "no permission rule allows", id="no rule at all"),
        pytest.param((DENY_SOME,), "no permission rule allows", id="only a denial of some"),
        pytest.param((ALLOW_MANY,), "no permission rule allows", id="some, but not this"),
        pytest.param((ALLOW_MANY, DENY_SOME), "no permission rule allows", id="which of both is not said"),
        pytest.param((ANYTHING_GOES, DENY_SOME), "denied by a permission rule", id="all but this"),
        pytest.param(
            (Rule("none", allows=False), replace(ALLOW_MANY, priority=20)),
            "denied by a permission rule",
            id="none but others",
        ),
        pytest.param(
            (ANYTHING_GOES, Rule("not", allows=False, priority=20)),
            "denied by a permission rule",
            id="denied",
        ),
    ],
)
@pytest.mark.parametrize("name", ["AB", "B"])
async def test_a_refusal_says_whether_a_rule_denies(
    service: Service, rules: tuple[Rule, ...], says: str, name: str
) -> None:
    """It says the same of every record: the filter of a rule may look at what the caller does not see."""
    call = call_as(service, "user", rules=rules)
    refusal = build_refusal(call, PARCEL, Action.UPDATE, {"refName": name}, is_stored=True)
    assert refusal.message.startswith(says)
    assert refusal.message.endswith("change this record")


@pytest.mark.parametrize(
    ("rules", "says"),
    [
        pytest.param((), "no permission rule allows you to", id="no rule at all"),
        pytest.param((DENY_SOME,), "no permission rule allows you to", id="only a denial of some"),
        pytest.param((Rule("none", allows=False),), "denied by a permission rule: you may not", id="a rule"),
    ],
)
async def test_a_refusal_of_all_says_whether_a_rule_denies(
    service: Service, rules: tuple[Rule, ...], says: str
) -> None:
    with pytest.raises(Denied, match=f"^{says} change records of this type$"):
        allow(call_as(service, "user", rules=rules), PARCEL, Action.UPDATE)


async def test_rules_of_an_endpoint(service: Service) -> None:
    """An endpoint addresses no record: what allows some records does not allow it."""

    def admitted(*rules: Rule) -> None:
        admit(call_as(service, "user", rules=rules), set(), area="sales", domain="report", action="VIEW")

    admitted(Rule("reports", domain="report"))
    for rules in ((), (Rule("others", domain="parcel"),), (Rule("few", filter="refName:A*"),)):
        with pytest.raises(Denied, match="no permission rule allows you to do this"):
            admitted(*rules)
    with pytest.raises(Denied, match="denied by a permission rule: you may not do this"):
        admitted(Rule("reports", domain="report"), Rule("no", allows=False, priority=20))


async def test_fields_that_rules_take_away_are_hidden_and_withheld(service: Service) -> None:
    call = call_as(service, "user", rules=(replace(ANYTHING_GOES, hidden=frozenset({"displayName"})),))
    access = allow(call, PARCEL, Action.VIEW)
    assert access.withheld == {"displayName"}
    assert access.hidden == {"margin", "costs.freight", "displayName"}
    assert access.to_decide().hidden == {"margin", "costs.freight"}


@pytest.mark.parametrize("action", [Action.CREATE, Action.UPDATE])
async def test_what_a_caller_cannot_see_it_does_not_write(service: Service, action: Action) -> None:
    unseen = Rule("unseen", action="VIEW", hidden=frozenset({"displayName"}))
    changing = Rule("changing", action="UPDATE", hidden=frozenset({"refName"}))
    call = call_as(service, "user", rules=(ANYTHING_GOES, unseen, changing))
    own = {"refName"} if action == Action.UPDATE else set()
    assert allow(call, PARCEL, action).withheld == {"displayName"} | own
    assert allow(call, PARCEL, Action.VIEW).withheld == {"displayName"}


async def test_a_leave_is_remembered_for_its_caller_alone(service: Service) -> None:
    own = Rule("own", filter="dataDomain.ownerId:${principalId}")
    call = call_as(service, "user", rules=(own,))
    first = allow(call, PARCEL, Action.VIEW)
    assert allow(call, PARCEL, Action.VIEW) is first
    others = {
        "another user": replace(call, principal=replace(call.principal, user_id="eve")),
        "another tenant": replace(
            call, principal=replace(call.principal, domain=replace(call.principal.domain, tenant_id="globex"))
        ),
        "another realm": replace(call, realm="abroad", database="abroad"),
        "another database": replace(call, database="elsewhere"),
        "other roles": replace(call, principal=replace(call.principal, roles=frozenset({"user", "x"}))),
    }
    for who, other in others.items():
        leave = allow(other, PARCEL, Action.VIEW)
        assert leave is not first, who
    assert allow(others["another user"], PARCEL, Action.VIEW).rules != first.rules
    assert allow(others["another tenant"], PARCEL, Action.VIEW).domain.tenant_id == "globex"
    assert allow(others["another database"], PARCEL, Action.VIEW).database == "elsewhere"


@pytest.mark.parametrize(
    "moved",
    [{"tenant_id": "globex"}, {"org_ref_name": "sales"}, {"account_id": "A-2"}, {"data_segment": 1}],
    ids=str,
)
async def test_a_caller_that_moved_does_not_go_on(service: Service, moved: dict[str, Any]) -> None:
    call = call_as(service, "user")
    with pytest.raises(Denied, match="another tenant or organisation since it began"):
        adopt_rights(call, call_as(service, "user", **moved), "it began")
    with pytest.raises(Denied, match="another tenant or organisation since it began"):
        adopt_rights(call, replace(call, database="elsewhere"), "it began")


async def test_a_caller_goes_on_with_the_rights_of_now(service: Service) -> None:
    call = call_as(service, "user")
    assert adopt_rights(call, replace(call, request_id="request 2"), "it began") is call
    promoted = replace(call, principal=replace(call.principal, roles=frozenset({"admin"})))
    assert adopt_rights(call, promoted, "it began").principal is promoted.principal
    ruled = call_as(service, "user", rules=(Rule("no", allows=False),))
    assert adopt_rights(call, ruled, "it began").rules is ruled.rules


def narrowed_call(service: Service, *scopes: str) -> Call:
    call = call_as(service, "user")
    return replace(call, principal=replace(call.principal, scopes=frozenset(scopes)))


async def test_one_set_of_rules_remembers_accesses_for_each_set_of_scopes(service: Service) -> None:
    whole = call_as(service, "user")
    for _again in range(2):
        assert allow(whole, PARCEL, Action.VIEW)
        reading = replace(whole, principal=replace(whole.principal, scopes=frozenset({"sales:read"})))
        assert allow(reading, PARCEL, Action.VIEW)
        with pytest.raises(Denied, match="lacks the scope sales:write"):
            allow(reading, PARCEL, Action.UPDATE)
        nothing = replace(whole, principal=replace(whole.principal, scopes=frozenset()))
        with pytest.raises(Denied, match="lacks the scope sales:read"):
            allow(nothing, PARCEL, Action.VIEW)


@pytest.mark.parametrize(
    ("scopes", "allowed"),
    [
        pytest.param(["sales:write"], True, id="for writing"),
        pytest.param(["sales:read"], True, id="for reading"),
        pytest.param(["records:write"], True, id="for writing everywhere"),
        pytest.param(["stock:write"], False, id="for another area"),
        pytest.param([], False, id="for nothing"),
    ],
)
async def test_a_write_looks_up_records_with_a_token_for_writing_alone(
    service: Service, scopes: list[str], allowed: bool
) -> None:
    call = narrowed_call(service, *scopes)
    if allowed:
        assert allow_lookup(call, PARCEL).action is Action.VIEW
    else:
        with pytest.raises(Denied, match="lacks the scope sales:read"):
            allow_lookup(call, PARCEL)


async def test_a_lookup_of_a_write_keeps_to_roles_and_rules(service: Service) -> None:
    scopes = frozenset({"sales:write"})
    for call in (call_as(service, "auditor"), call_as(service, "user", rules=())):
        with pytest.raises(Denied):
            allow_lookup(replace(call, principal=replace(call.principal, scopes=scopes)), PARCEL)


async def test_an_endpoint_is_narrowed_after_roles_and_rules(service: Service) -> None:
    call = narrowed_call(service, "sales:read")
    admit(call, ["user"], area="sales", domain="report", action="VIEW")
    with pytest.raises(Denied, match="lacks the scope sales:write") as refusal:
        admit(call, ["user"], area="sales", domain="report", action="PRINT")
    assert refusal.value.headers == {
        "WWW-Authenticate": 'Bearer realm="recordsmith", error="insufficient_scope", scope="sales:write"'
    }
    with pytest.raises(Denied, match="needs the role") as refusal:
        admit(call, ["admin"], area="sales", domain="report", action="PRINT")
    assert refusal.value.headers == {}
