"""Where one field decides which records have an edge: the example's predicates, and any others."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from generated.record_types import CATALOG
from runtime.model.record_type import Reference
from runtime.ontology.by_field import find_field
from runtime.ontology.rules import Around, Edge, Rules
from tests.ontology.recomputation import recompute
from tests.ontology.test_revision import relationship
from tests.properties import examples


@pytest.mark.parametrize(
    ("predicate", "is_leaving", "field", "roots"),
    [
        ("shipsFrom", False, "port.entityId", []),
        ("suppliedBy", False, "suppliers.entityId", []),
        ("supplies", True, "suppliers.entityId", []),
        ("liesIn", False, "region.entityId", ["partOf"]),
        ("hasPort", True, "region.entityId", ["partOf"]),
        ("partOf", False, None, None),
        ("dependsOn", False, None, None),
        ("basedIn", False, None, None),
        ("liesIn", True, None, None),
    ],
)
def test_fields_that_decide(
    predicate: str, is_leaving: bool, field: str | None, roots: list[str] | None
) -> None:
    references = [one for kind in CATALOG for one in kind.references]
    found = find_field(references, Rules(CATALOG.relationships), Around(predicate, "", is_leaving))
    assert (found and found.key) == field
    assert (found and found.list_roots("a")) == (roots and [Around(one, "a", False) for one in roots])


NAMES = "pqr"
name = st.sampled_from(NAMES)
words = st.one_of(
    st.fixed_dictionaries({"inverse": name}),
    st.fixed_dictionaries({"sub_property_of": name}),
    st.fixed_dictionaries({"chain": st.lists(name, min_size=2, max_size=2).map(tuple)}),
    st.sampled_from([{"transitive": True}, {"symmetric": True}]),
)
few_rules = st.dictionaries(name, words, max_size=2)
"""Where every predicate has rules, no field decides about any."""

ends = st.sampled_from("abc")


fields = st.one_of(st.lists(name, min_size=1, max_size=4), st.permutations(NAMES))
"""The predicate that each field states."""

statements = st.sets(st.tuples(st.integers(0, 3), ends, ends), min_size=3)
"""The number of a field, and the records that an edge is between."""


@given(few_rules, fields, statements)
@example({"p": {"chain": ("q", "r")}, "r": {"chain": ("q", "q")}}, ["p", "q"], {(1, "a", "a")})
@settings(max_examples=examples(800, nightly=10_000))
def test_without_its_roots_a_field_says_all(
    rules: dict[str, Any], stating: list[str], drawn: set[tuple[int, str, str]]
) -> None:
    relationships = tuple(relationship(one, **rules.get(one, {})) for one in NAMES)
    references = [Reference(f"field{at}", "Thing", predicate=one) for at, one in enumerate(stating)]
    stated: dict[str, set[Edge]] = {one.key: set() for one in references}
    for at, source, destination in drawn:
        if at < len(stating):
            stated[references[at].key].add(Edge(stating[at], source, destination))
    existing = recompute(relationships, set().union(*stated.values()))
    for around in (Around(*one) for one in product(NAMES, "abc", (True, False))):
        found = find_field(references, Rules(relationships), around)
        if found is None or any(_list_ends(root, existing) for root in found.list_roots(around.node)):
            continue
        by_field = _list_ends(Around(found.predicate, around.node, False), stated[found.key])
        assert by_field == _list_ends(around, existing)


def _list_ends(around: Around, among: set[Edge]) -> set[Any]:
    """The records at the other ends of edges around one."""
    if around.is_leaving:
        return {one.destination for one in among if one[:2] == (around.predicate, around.node)}
    return {one.source for one in among if one[::2] == (around.predicate, around.node)}
