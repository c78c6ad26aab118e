"""Relation blocks: what they compile to, what they ask for, where they are refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from bson import ObjectId
from bson.errors import InvalidId

from runtime.errors import FilterSyntax, FilterType, RequestError, UnknownField
from runtime.filter import NOTHING, admits, compile_filter, compile_rule_filter, named_fields, parse_filter
from runtime.filter.compiler import _prepare_once
from runtime.filter.print import print_filter
from runtime.filter.relations import refuse_blocks
from runtime.filter.syntax import RelationBlock
from runtime.model.record_type import Reference
from tests.filter.sample import OID, SHIPMENT

ONE, TWO = ObjectId(OID), ObjectId("65f0c0ffee00c0ffee00c0df")
KIND = replace(
    SHIPMENT, references=(Reference("customer", "logistics.Customer"), Reference("carriers[]", "Carrier"))
)
ASKED = {"$in": [ONE, TWO]}


class Answers:
    """A resolver that notes what it is asked."""

    def __init__(self, *ids: Any) -> None:
        self.ids = ids
        self.asked: list[tuple[str, str]] = []

    def __call__(self, target: str, block: RelationBlock, /) -> Sequence[Any]:
        self.asked.append((target, print_filter(block.where)))
        return self.ids


@pytest.mark.parametrize(
    ("text", "match"),
    [
        pytest.param("customer{a:1}", {"customer.entityId": ASKED}, id="a reference"),
        pytest.param("carriers{a:1}", {"carriers.entityId": ASKED}, id="a list of references: any of them"),
        pytest.param("carriers[*]{a:1}", {"carriers.entityId": ASKED}, id="the list marked"),
        pytest.param("!!customer{a:1}", {"$nor": [{"customer.entityId": ASKED}]}, id="the exact complement"),
        pytest.param(
            "qty:1 || customer{a:1}",
            {"$or": [{"qty": {"$eq": 1}}, {"customer.entityId": ASKED}]},
            id="in an or",
        ),
        pytest.param(
            "customer{a:1} && qty:1", {"customer.entityId": ASKED, "qty": {"$eq": 1}}, id="with others"
        ),
        pytest.param(
            "customer{a:1} && customer{b:1}",
            {"$and": [{"customer.entityId": ASKED}, {"customer.entityId": ASKED}]},
            id="two about one reference",
        ),
    ],
)
def test_a_block_compares_the_id_in_the_reference(text: str, match: Any) -> None:
    assert compile_filter(text, KIND, relations=Answers(ONE, str(TWO))).match == match


def test_the_resolver_is_asked_for_the_type_and_the_condition() -> None:
    answers = Answers()
    found = compile_filter("carriers{!!a:1} && customer{b:1 && c{d:2}}", KIND, relations=answers)
    assert answers.asked == [("Carrier", "!!a:1"), ("logistics.Customer", "b:1 && c{d:2}")]
    assert found.match == {"carriers.entityId": {"$in": []}, "customer.entityId": {"$in": []}}


def test_what_was_compiled_is_decided_on_one_document() -> None:
    document = {"_id": ONE, "customer": {"entityId": TWO}}
    for text, ids, expected in (
        ("customer{a:1}", [TWO], True),
        ("customer{a:1}", [ONE], False),
        ("!!customer{a:1}", [ONE], True),
        ("carriers{a:1}", [TWO], False),
        ("!!carriers{a:1}", [TWO], True),
    ):
        assert admits(compile_filter(text, KIND, relations=Answers(*ids)), document) is expected


def test_ids_are_never_cached() -> None:
    text = "customer{active:true} && qty:1"
    compile_filter(text, KIND, relations=Answers(ONE))
    hits = _prepare_once.cache_info().hits
    second = compile_filter(text, KIND, relations=Answers(TWO))
    assert _prepare_once.cache_info().hits == hits + 1  # of the tree
    assert second.match["customer.entityId"] == {"$in": [TWO]}
    with pytest.raises(FilterSyntax):
        compile_filter(text, KIND)


def test_what_is_in_a_block_is_not_named_by_the_filter() -> None:
    text = "customer{activeStatus:ARCHIVED} && lines:{carriers{sku:A}} && qty:1"
    assert named_fields(text) == {"customer", "lines", "lines.carriers", "qty"}


@pytest.mark.parametrize("text", ["customer{a:1}", "qty:1 || !!customer{a:1}"])
@pytest.mark.parametrize("is_rule", [True, False])
def test_without_a_resolver_a_block_is_refused_by_name(text: str, is_rule: bool) -> None:
    with pytest.raises(FilterSyntax) as caught:
        compile_filter(text, KIND, for_rule=is_rule)
    assert "customer{…} is a relation block" in caught.value.message
    assert "filters that are decided on one record" in caught.value.message
    assert "compare what the reference holds, as in customer" in caught.value.message
    with pytest.raises(FilterSyntax):
        compile_rule_filter(text, KIND, {})


@pytest.mark.parametrize(
    ("text", "error", "column", "said"),
    [
        pytest.param("name{a:1}", FilterType, 1, 'name is not a reference: write name:"words"', id="text"),
        pytest.param("qty:1 && lines{sku:A}", FilterType, 10, "write lines:{…}", id="a list of objects"),
        pytest.param("meta.a{b:1}", FilterType, 1, "is not a reference", id="a free-form field"),
        pytest.param(
            "customer[*]{a:1}", FilterType, 1, "customer is not a list: leave out its [*]", id="a mark"
        ),
        pytest.param("customers{a:1}", UnknownField, 1, "did you mean customer", id="an unknown field"),
        pytest.param(
            "lines:{customer{a:1}}", UnknownField, 8, "lines.customer", id="relative to the element"
        ),
    ],
)
@pytest.mark.parametrize("relations", [Answers(ONE), None], ids=["blocks", "no blocks"])
def test_what_is_not_a_reference_is_refused(
    text: str, error: type[RequestError], column: int, said: str, relations: Answers | None
) -> None:
    with pytest.raises(error) as caught:
        compile_filter(text, KIND, relations=relations)
    assert said in caught.value.message
    assert caught.value.details["column"] == column


@pytest.mark.parametrize("hidden", ["customer", "customer.entityId"])
def test_a_hidden_reference_is_unknown(hidden: str) -> None:
    answers = Answers(ONE)
    for text in ("customer{a:1}", f"customer:@@{ONE}", f"customer:!^[@@{ONE}]", "customer:${id}"):
        with pytest.raises(UnknownField):
            compile_filter(text, KIND, {"id": ONE}, hidden=frozenset({hidden}), relations=answers)
    assert answers.asked == []


@pytest.mark.parametrize("text", ["customer{a:1}", "qty:1 || !!carriers[*]{a:1}"])
def test_what_takes_no_blocks_is_named(text: str) -> None:
    with pytest.raises(FilterSyntax) as caught:
        compile_filter(text, KIND, relations=refuse_blocks("change streams", text, KIND))
    assert "change streams take no relation blocks: compare what the reference holds" in caught.value.message
    assert caught.value.details["column"] > 0


@pytest.mark.parametrize("takes", ["rules", "change streams"])
@pytest.mark.parametrize("path", ["customer", "carriers"])
def test_the_advice_names_no_name_that_is_withheld(takes: str, path: str) -> None:
    text, hidden = f"{path}{{a:1}}", frozenset({f"{path}.entityRefName"})
    for withheld, advice in ((frozenset[str](), f"{path}.entityRefName:"), (hidden, f"{path}:@@")):
        relations = refuse_blocks("change streams", text, KIND, withheld) if takes != "rules" else None
        with pytest.raises(FilterSyntax) as caught:
            compile_filter(text, KIND, relations=relations, hidden=withheld)
        assert f"as in {advice}…" in caught.value.message
        assert caught.value.details["expected"][0].startswith(advice)
        assert not withheld or "entityRefName" not in f"{caught.value.message} {caught.value.details}"


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("customer.name:AA", "; to filter by the referenced record write customer{name:…}"),
        ("carriers.depot.name:AA", "; to filter by the referenced record write carriers{depot.name:…}"),
        ("qty:1 && customer.name:~", "; to filter by the referenced record write customer{name:…}"),
        ("customer.nowhere.entityRefName:AA", "write customer{nowhere.entityRefName:…}"),
    ],
)
def test_a_field_behind_a_reference_is_advised(text: str, advice: str) -> None:
    with pytest.raises(UnknownField) as caught:
        compile_filter(text, KIND)
    assert caught.value.message.endswith(advice)


@pytest.mark.parametrize(
    ("text", "options"),
    [
        pytest.param("customer.entityRefNam:AA", {}, id="a copied name is near"),
        pytest.param("address.zipp:AA", {}, id="an object"),
        pytest.param("customer.name:AA", {"hidden": frozenset({"customer"})}, id="a hidden reference"),
        pytest.param("customer.name:AA", {"for_rule": True}, id="a rule, which takes no blocks"),
    ],
)
def test_no_block_is_advised_elsewhere(text: str, options: Any) -> None:
    with pytest.raises(UnknownField) as caught:
        compile_filter(text, KIND, **options)
    assert "referenced record" not in caught.value.message


def test_only_ids_become_values() -> None:
    for wrong in ("x", {"$ne": None}, 5):
        with pytest.raises((TypeError, InvalidId)):
            compile_filter("customer{a:1}", KIND, relations=Answers(wrong))
    assert compile_filter("customer{a:1}", KIND, relations=Answers()) != NOTHING


def test_a_block_is_parsed_like_its_tree() -> None:
    assert print_filter(parse_filter("carriers[*]{ !!(a:1||b:2) }")) == "carriers{!!(a:1 || b:2)}"
