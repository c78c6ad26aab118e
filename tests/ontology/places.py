"""The edges of a realm as they are stored, and as they should be."""

from __future__ import annotations

from typing import Any

from pymongo.database import Database

from generated.record_types import CATALOG
from runtime.ontology.rules import Edge
from tests.ontology.recomputation import recompute

FIELDS = {
    "regions": {"partOf": "partOf"},
    "ports": {"region": "liesIn"},
    "suppliers": {"port": "shipsFrom", "suppliers": "suppliedBy"},
}
"""Collection → field → the predicate that it states."""


def read_statements(realm: Database[Any]) -> set[Edge]:
    """What the fields of the records state that are not archived."""
    found: set[Edge] = set()
    for collection, fields in FIELDS.items():
        for record in realm[collection].find({"activeStatus": {"$ne": "ARCHIVED"}}):
            for field, predicate in fields.items():
                value = record.get(field) or []
                for entry in value if isinstance(value, list) else [value]:
                    found.add(Edge(predicate, str(record["_id"]), str(entry["entityId"])))
    return found


def read_edges(realm: Database[Any]) -> dict[Edge, dict[str, Any]]:
    """The stored edges."""
    found = {}
    for row in realm["ontologyEdges"].find():
        edge = Edge(row["predicate"], str(row["source"]["id"]), str(row["destination"]["id"]))
        assert edge not in found
        found[edge] = row
    return found


def check_edges(realm: Database[Any]) -> None:
    """The stored edges are those that a plain recomputation finds."""
    stated, stored = read_statements(realm), read_edges(realm)
    should = recompute(CATALOG.relationships, stated)
    assert should - stored.keys() == set(), "missing"
    assert stored.keys() - should == set(), "too many"
    assert {edge for edge, row in stored.items() if not row["inferred"]} == stated
    for edge, row in stored.items():
        assert (row["provenance"]["rule"] == "field") is (edge in stated)
