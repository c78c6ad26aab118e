"""Text → plan: what a query becomes, and what is refused before anything is read."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.errors import (
    Denied,
    FilterSyntax,
    FilterType,
    InvalidParameter,
    ServiceError,
    TooWide,
    UnknownField,
)
from runtime.filter import parse_filter
from runtime.model.record_type import RecordType
from runtime.permissions import Rule
from runtime.query import AggregationPlan, FilterPlan, plan, plan_query
from runtime.records.time_zone import enter_time_zone
from tests.query.ward import Ward
from tests.query.wards import CLINIC, DOCTOR, PATIENT


@pytest.mark.parametrize(
    ("text", "filter_", "projection"),
    [
        (None, None, None),
        ("", None, None),
        ("  ", None, None),
        ("name:Cy", "name:Cy", None),
        ("name:Cy&&  version:1", "name:Cy&&  version:1", None),
        ("fields:[+name]", None, "+name"),
        ("fields:[name, -visits.day]", None, "+name,-visits.day"),
        ("fields:[+visits[*].day, -visits[*].doctor]", None, "+visits.day,-visits.doctor"),
        ("name:Cy && fields:[-visits] && version:>0", "name:Cy && version:>0", "-visits"),
    ],
)
def test_a_query_without_expansions_is_a_list(
    ward: Ward, text: str | None, filter_: str | None, projection: str | None
) -> None:
    assert plan_query(ward.call(), PATIENT, text) == FilterPlan(PATIENT, filter_, projection)


def test_an_expansion_is_planned_whole(ward: Ward) -> None:
    text = 'name:Cy && expand(visits[*].doctor, fields:[+name], grade:>0) && fields:[+name] && name:"C,y"'
    plan = plan_query(ward.call(), PATIENT, text)
    assert isinstance(plan, AggregationPlan)
    assert (plan.filter, plan.projection) == ('name:Cy && name:"C,y"', "+name")
    assert plan.paths == ("visits[*].doctor",)
    (embedding,) = plan.embeddings
    assert [one.path for one in embedding.references] == ["visits[].doctor"]
    assert embedding.access.kind is DOCTOR
    assert embedding.access.domain.tenant_id == "acme"
    assert embedding.where == parse_filter("grade:>0")
    assert embedding.projection is not None
    assert embedding.projection.include == ("name",)
    assert embedding.inner == ()


def test_paths_share_what_they_have_in_common(ward: Ward) -> None:
    text = "expand(clinic.head.clinic) && expand(clinic, fields:[+town]) && expand(contact.doctor) && expand(teams)"
    plan = plan_query(ward.call(), PATIENT, text)
    assert isinstance(plan, AggregationPlan)
    clinic, doctors = plan.embeddings
    assert [one.path for one in doctors.references] == ["contact.doctor", "teams[][]"]
    assert clinic.projection is not None
    assert clinic.projection.include == ("town", "head")
    (head,) = clinic.inner
    assert head.access.kind is DOCTOR
    assert [one.access.kind for one in head.inner] == [CLINIC]
    assert head.inner[0].where is None


@pytest.mark.parametrize(
    ("text", "error", "says"),
    [
        ("nam:Cy", UnknownField, "did you mean name"),
        ("name:Cy && expand(clinik)", UnknownField, "did you mean clinic"),
        ("version:x && expand(clinic)", FilterType, "version"),
        ("expand(clinic, fields:[+towm])", UnknownField, "did you mean town"),
        ("expand(clinic, fields:[+town,+town])", InvalidParameter, "is named twice"),
        ("expand(clinic, fields:[+_id,-id])", InvalidParameter, "is named twice"),
        ("expand(clinic, towm:Bern)", UnknownField, "did you mean town"),
        ("expand(clinic, name:Cy)", UnknownField, "Clinic has no field name"),
        ("expand(clinic, budget:x)", FilterType, "budget"),
        ("expand(contact.doctor, salary:5)", UnknownField, "Doctor has no field salary"),
        ("expand(contact.doctor, fields:[+salary])", UnknownField, "Doctor has no field salary"),
        ("expand(contact.doctor, grade:${nobody})", ServiceError, "nobody"),
        ("expand(clinic, hasEdge(a, 65f0c0ffee00c0ffee00c0de))", FilterSyntax, "ontology"),
        ('expand(clinic, text("x"))', FilterSyntax, "no text index"),
        ("fields:[+town]", UnknownField, "Patient has no field town"),
        ("fields:[+visits[*].dai]", UnknownField, "Patient has no field visits.dai"),
        ("fields:[+name[*]]", InvalidParameter, "name is not a list: leave out its [*]"),
        ("fields:[+clinic.town] && expand(clinic)", UnknownField, "Patient has no field clinic.town"),
        ("fields:[-clinic] && expand(clinic)", InvalidParameter, "expanded and left out"),
        ("fields:[-visits] && expand(visits.doctor)", InvalidParameter, "expanded and left out"),
        ("fields:[-clinic.entityId] && expand(clinic)", InvalidParameter, "expanded and left out"),
        ("fields:[+visits,-visits[*].doctor.entityId] && expand(visits.doctor)", InvalidParameter, "left out"),
        ("expand(clinic, fields:[-head.entityId]) && expand(clinic.head)", InvalidParameter, "left out"),
        ("expand(clinic, fields:[-head]) && expand(clinic.head)", InvalidParameter, "expanded and left out"),
        ("expand(clinic) && expand(clinic)", InvalidParameter, "expanded twice"),
        ("expand(clinic) || name:Cy", FilterSyntax, "outermost &&"),
        ("expand(clinic, expand(head))", FilterSyntax, "outermost &&"),
        ("expand()", FilterSyntax, ""),
        ("expand(clinic.head.clinic.head.clinic)", TooWide, "at most 4"),
    ],
)  # fmt: skip
def test_wrong_queries_are_refused_with_their_place(
    ward: Ward, text: str, error: type[ServiceError], says: str
) -> None:
    with pytest.raises(error) as caught:
        plan_query(ward.call(), PATIENT, text)
    assert says in caught.value.message
    assert caught.value.status == (422 if error is TooWide else 400)


def test_a_column_is_that_of_the_whole_query(ward: Ward) -> None:
    with pytest.raises(UnknownField) as caught:
        plan_query(ward.call(), PATIENT, "name:Cy && expand(clinic, budgett:5)")
    assert caught.value.details["column"] == 27


def test_the_depth_is_a_setting(ward: Ward) -> None:
    call = ward.call()
    shallow = replace(call.service, settings=call.service.settings.model_copy(update={"expand_depth": 1}))
    with pytest.raises(TooWide):
        plan_query(replace(call, service=shallow), PATIENT, "expand(clinic.head)")


@pytest.mark.parametrize(
    "rule",
    [
        Rule("no clinics", allows=False, domain="clinic", action="VIEW"),
        Rule("nothing", allows=False, area="w*", domain="cl*"),
    ],
)
def test_a_type_that_may_not_be_viewed_is_refused_wherever_it_comes(ward: Ward, rule: Rule) -> None:
    for text, path in {
        "expand(clinic)": "clinic",
        "expand(contact.doctor.clinic)": "contact.doctor.clinic",
        "expand(contact.doctor) && expand(teams[*][*].clinic)": "teams[*][*].clinic",
        "expand(clinic.head)": "clinic",
        "clinic{town:Bern}": "clinic",
        "contact.doctor{clinic{town:Bern}}": "clinic",
    }.items():
        says = f"^{re.escape(path)}: .* you (may not|to) view records of this type$"
        with pytest.raises(Denied, match=says):
            plan_query(ward.call(rules=(rule,)), PATIENT, text)
    assert plan_query(ward.call(rules=(rule,)), PATIENT, "expand(contact.doctor)")


@pytest.mark.parametrize(
    ("scopes", "kind"), [({"wards:read"}, None), ({"other:read"}, PATIENT), ({"records:write"}, PATIENT)]
)
def test_scopes_of_a_token_hold(ward: Ward, scopes: set[str], kind: RecordType[Any] | None) -> None:
    call = ward.call()
    narrowed = replace(call, principal=replace(call.principal, scopes=frozenset(scopes)))
    if kind is None:
        assert plan_query(narrowed, PATIENT, "expand(clinic)")
    else:
        with pytest.raises(Denied) as caught:
            plan_query(narrowed, kind, "expand(clinic)")
        assert "scope" in str(caught.value.details) + caught.value.message


PARTS = st.sampled_from([
    "name:Cy", "nam:Cy", "version:>1", "version:x", "salary:5", "(name:Cy || version:1)", "name:now", "!!name:~",
    "fields:[+name]", "fields:[-visits]", "fields:[+town]", "expand(clinic)", "expand(clinik)",
    "name:${principalId}", "name:${nobody}", "clinic{budget:>1}", "clinic{budgett:1}", 'text("x")',
    "auditInfo.createdDate:>today", "auditInfo.createdDate:2026-03-27", "hasEdge(a, 65f0c0ffee00c0ffee00c0de)",
])  # fmt: skip


@given(
    st.lists(PARTS, min_size=1, max_size=3).map(" && ".join),
    st.sampled_from(["user", "admin"]),
    st.sampled_from(["acme", "globex"]),
    st.sampled_from([None, "Asia/Tokyo"]),
)
def test_a_plan_that_is_remembered_is_that_which_would_be_made(
    ward: Ward, text: str, role: str, tenant: str, zone: str | None
) -> None:
    """The plain twin plans each time. What a rule withholds from a caller is unknown to that caller alone."""
    withheld = Rule("no names", identity="user", domain="patient", allows=True, hidden=frozenset({"name"}))
    call = enter_time_zone(ward.call(tenant, roles=[role], rules=[withheld]), zone)

    def find_plan() -> Any:
        try:
            return plan_query(call, PATIENT, text)
        except ServiceError as error:
            return type(error), error.message, error.details

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plan, "_plan_for_all", lambda *_what: None)
        plain = find_plan()
    assert [find_plan() for _time in range(2)] == [plain] * 2


class Nobody:
    """In place of the store: whatever is asked of it fails."""


def test_nothing_is_asked_of_the_store(ward: Ward) -> None:
    nobody: Any = Nobody()
    call = ward.call()
    call = replace(call, service=replace(call.service, store=nobody))
    assert plan_query(call, PATIENT, "name:Cy && expand(clinic.head, grade:1) && fields:[name]")
