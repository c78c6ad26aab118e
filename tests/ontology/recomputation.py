"""Edges worked out the plain way: apply every rule to all edges until nothing is new."""

from __future__ import annotations

from collections.abc import Iterable

from runtime.model.ontology import Relationship
from runtime.ontology.rules import Edge


def recompute(relationships: Iterable[Relationship], stated: Iterable[Edge]) -> set[Edge]:
    """All edges that follow from the stated ones, with these."""
    rules, edges = list(relationships), set(stated)
    while True:
        new = {edge for rule in rules for edge in _apply(rule, edges)} - edges
        if not new:
            return edges
        edges |= new


def _apply(rule: Relationship, edges: set[Edge]) -> set[Edge]:
    own = {(source, destination) for name, source, destination in edges if name == rule.name}
    found = {Edge(rule.name, source, destination) for source, destination in _walk(rule.chain, edges)}
    if rule.transitive:
        found |= {Edge(rule.name, a, d) for a, b in own for c, d in own if b == c}
    if rule.symmetric:
        found |= {Edge(rule.name, b, a) for a, b in own}
    if rule.sub_property_of:
        found |= {Edge(rule.sub_property_of, a, b) for a, b in own}
    if rule.inverse:
        found |= {Edge(rule.inverse, b, a) for a, b in own}
        found |= {Edge(rule.name, b, a) for name, a, b in edges if name == rule.inverse}
    return found


def _walk(chain: tuple[str, ...], edges: set[Edge]) -> set[tuple[str, str]]:
    if not chain:
        return set()
    ends = {(source, destination) for name, source, destination in edges if name == chain[0]}
    for step in chain[1:]:
        ends = {(a, d) for a, b in ends for name, c, d in edges if name == step and b == c}
    return ends
