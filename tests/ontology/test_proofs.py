"""Proofs of edges: what a plain recomputation over the visible statements has, in a step for each record."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.errors import TooManyEdges
from runtime.model.ontology import Relationship
from runtime.ontology.known import Known
from runtime.ontology.proofs import Proofs, choose_places, find_places
from runtime.ontology.rules import STATEMENT, Around, Edge, Reason, Rules
from tests.ontology.recomputation import recompute
from tests.ontology.test_revision import edges, matches, ontologies, relationship

MOST = 2000


def prove(
    ontology: tuple[Relationship, ...], stated: set[Edge], shown: set[Edge], wanted: set[Edge]
) -> dict[Edge, Reason]:
    """Prove edges from those statements that are shown, out of a store of all that follows."""
    stored, rules, known = recompute(ontology, stated), Rules(ontology), Known()
    groups = choose_places(wanted)
    while True:
        places = find_places(rules, known, groups, MOST)
        if not known.missing:
            break
        asked = frozenset(known.missing)
        known.add(asked, [(edge, edge in stated) for edge in stored if matches(edge, asked)])
    proven = Proofs(rules, places, shown, MOST).prove(groups)
    seen = close_over(recompute(ontology, shown))
    for edge, reason in proven.items():
        assert edge in shown or reason in {found for _premises, found in rules.find_premises(edge, seen)}
    return dict(proven)


def close_over(stored: set[Edge]) -> Known:
    known, nodes = Known(), {node for edge in stored for node in edge[1:]}
    asked = [Around(edge.predicate, node, way) for edge in stored for node in nodes for way in (True, False)]
    known.add([*asked, *stored], [(edge, False) for edge in stored])
    return known


@given(ontologies(), st.sets(edges, max_size=7), st.data())
@settings(max_examples=200, deadline=None)
def test_what_is_proven_is_a_plain_recomputation(
    ontology: tuple[Relationship, ...], stated: set[Edge], data: st.DataObject
) -> None:
    shown = data.draw(st.sets(st.sampled_from(sorted(stated)))) if stated else set[Edge]()
    wanted = recompute(ontology, stated)
    assert prove(ontology, stated, shown, wanted).keys() == recompute(ontology, shown)


LINE = [f"n{at}" for at in range(60)]
BUYS = (
    relationship("buys", inverse="sells", sub_property_of="needs"),
    relationship("sells"),
    relationship("needs", transitive=True),
)


TURNED = relationship("within", transitive=True, symmetric=True)
INVERSE = (relationship("within", transitive=True, inverse="has"), relationship("has", transitive=True))
HAS = replace(INVERSE[1], transitive=False)


@pytest.mark.parametrize("is_leaving", [True, False])
@pytest.mark.parametrize(
    ("ontology", "stated_by", "asked", "line"),
    [
        (BUYS, "buys", "needs", LINE),
        ((TURNED,), "within", "within", LINE[:20]),
        (INVERSE, "within", "within", LINE[:20]),
        ((INVERSE[0], HAS), "within", "within", LINE[:20]),
        ((INVERSE[0], HAS), "has", "within", LINE[:20]),
        ((INVERSE[0], HAS), "within", "has", LINE[:20]),
        ((INVERSE[0], HAS), "has", "has", LINE[:20]),
        ((replace(INVERSE[0], inverse=None), replace(HAS, inverse="within")), "within", "has", LINE[:20]),
        ((relationship("in", symmetric=True, sub_property_of="within"), TURNED), "in", "within", LINE[:20]),
    ],
)
def test_a_way_is_walked_once(
    monkeypatch: pytest.MonkeyPatch,
    ontology: tuple[Relationship, ...],
    stated_by: str,
    asked: str,
    line: list[str],
    is_leaving: bool,
) -> None:
    steps = 0
    take = Proofs._take_step

    def count(self: Proofs) -> None:
        nonlocal steps
        steps += 1
        take(self)

    monkeypatch.setattr(Proofs, "_take_step", count)
    stated = {Edge(stated_by, one, following) for one, following in pairwise(line)}
    line = line[::-1] if {stated_by, asked} == {"within", "has"} else line
    wanted = {
        Edge(asked, line[0], one) if is_leaving else Edge(asked, one, line[-1])
        for one in (line[1:] if is_leaving else line[:-1])
    }
    assert prove(ontology, stated, stated, wanted).keys() == wanted
    assert steps <= 15 * len(line)


def test_a_way_is_read_once() -> None:
    stored = recompute((TURNED,), {Edge("within", one, following) for one, following in pairwise(LINE[:9])})
    places, known = [Around("within", LINE[0], way) for way in (True, False)], Known()
    known.add(places, [(edge, False) for edge in stored if matches(edge, frozenset(places))])
    found = find_places(Rules((TURNED,)), known, places[:1], MOST)
    assert not known.missing
    assert set(found) == {Around("within", one, way) for one in LINE[:9] for way in (True, False)}


@pytest.mark.parametrize("is_leaving", [True, False])
@pytest.mark.parametrize("is_symmetric", [True, False])
def test_an_edge_is_not_the_reason_of_itself(is_leaving: bool, is_symmetric: bool) -> None:
    """What is turned from the edge of a way gives that edge back: the reason is the way all the same."""
    turned = {"symmetric": True} if is_symmetric else {"inverse": "contains"}
    ontology = (relationship("within", transitive=True, **turned), relationship("contains"))
    stated = {Edge("within", one, following) for one, following in pairwise(LINE[:6])}
    wanted = {
        Edge("within", LINE[0], one) if is_leaving else Edge("within", one, LINE[5])
        for one in (LINE[2:6] if is_leaving else LINE[:4])
    }
    way = Reason("transitive", ("within", "within"))
    assert prove(ontology, stated, stated, wanted) == dict.fromkeys(wanted, way)


P, Q = relationship("p", inverse="q", sub_property_of="r"), relationship("q", sub_property_of="s")
R, S = relationship("r", transitive=True, inverse="s"), relationship("s", transitive=True)


@given(
    st.sampled_from(
        [
            (P, Q, R, S),
            (R, replace(S, transitive=False)),
            (replace(P, inverse=None), relationship("r", symmetric=True)),
            (replace(P, inverse=None), relationship("r", symmetric=True, transitive=True)),
            (R, S, relationship("q", chain=("r", "q"), inverse="p"), relationship("p")),
            (relationship("q", transitive=True, inverse="s"), replace(Q, name="s", sub_property_of="q")),
            (
                relationship("p", transitive=True),
                relationship("q", transitive=True, inverse="p", sub_property_of="r"),
                relationship("r", symmetric=True, inverse="q"),
            ),
        ]
    ),
    st.sets(edges, max_size=8),
)
@settings(max_examples=100, deadline=None)
def test_reasons_lead_to_statements(ontology: tuple[Relationship, ...], stated: set[Edge]) -> None:
    """No two edges are the reason of each other, whatever ends they were found from."""
    rules, shown = (
        Rules(ontology),
        {edge for edge in stated if edge.predicate in {one.name for one in ontology}},
    )
    reasons = prove(ontology, shown, shown, recompute(ontology, shown))
    led = {edge for edge, reason in reasons.items() if reason == STATEMENT}
    while new := {
        edge
        for graph in [close_over(led)]
        for edge in reasons.keys() - led
        if reasons[edge] in {found for _premises, found in rules.find_premises(edge, graph)}
    }:
        led |= new
    assert led == reasons.keys()


def test_too_many_places_are_refused() -> None:
    rules, known, place = Rules(BUYS), Known(), Around("needs", "a", True)
    known.add([place], [(Edge("needs", "a", f"b{at}"), False) for at in range(20)])
    with pytest.raises(TooManyEdges):
        find_places(rules, known, [place], 10)
