"""What a question about edges costs MongoDB."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.http.world import Document, World
from tests.ontology.scene import build

EDGES = "ontologyEdges"


@contextmanager
def profiled(world: World, collection: str) -> Iterator[list[Document]]:
    """Fill the list with the commands on a collection, as MongoDB profiles them."""
    commands: list[Document] = []
    database = world.documents
    database.command("profile", 2)
    try:
        yield commands
    finally:
        database.command("profile", 0)
        commands += database["system.profile"].find({"ns": f"{database.name}.{collection}"}).sort("ts", 1)
        database.drop_collection("system.profile")


@pytest.mark.parametrize(
    ("kind", "condition", "number"),
    [
        ("ports", "hasEdge(liesIn, {europe})", 1),
        ("ports", "hasEdge(hasPort, {iberia})", 1),
        ("suppliers", "hasOutgoingEdge(dependsOn, {grower})", 2),
        ("suppliers", "hasIncomingEdge(dependsOn, {shop})", 2),
    ],
)
def test_a_question_is_answered_by_an_index_alone(
    world: World, kind: str, condition: str, number: int
) -> None:
    made = {name: record["id"] for name, record in build(world).items()}
    with profiled(world, EDGES) as commands:
        answer = world.ask(f"GET /logistics/{kind}/list", params={"filter": condition.format(**made)})
    assert answer.json()["rowCount"] == number
    assert [(one["keysExamined"], one["docsExamined"]) for one in commands] == [(number, 0)]


def test_the_edges_of_a_record_come_in_the_order_of_an_index(world: World) -> None:
    made = build(world)
    with profiled(world, EDGES) as commands:
        answer: Any = world.ask(f"GET /logistics/ports/id/{made['port']['id']}/ontology?predicate=liesIn")
    rows = answer.json()["rows"]
    assert [row["destination"]["id"] for row in rows] == sorted(row["destination"]["id"] for row in rows)
    assert len(rows) == 3
    assert not any(one.get("hasSortStage") for one in commands)
