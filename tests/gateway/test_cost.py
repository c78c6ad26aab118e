"""What a question to the gateway may cost: bounded at every door before it is spent, and refused with advice."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from pymongo import MongoClient

from runtime.records import relations
from runtime.storage.store import groups
from tests.http.commands import Commands
from tests.http.world import Document, World, open_world

SHIPMENTS = 12
MOST = 10
"""Of targets, groups and references that one question may have here."""


class Attack(NamedTuple):
    """A question that would cost much. ``commands``: how many the store may get until it is refused."""

    tool: str
    arguments: Document
    code: str
    advice: str
    commands: int
    status: int = 422


def find(query: str, **more: Any) -> Document:
    return {"rootType": "Shipment", "query": query} | more


def group(**more: Any) -> Document:
    return {"rootType": "Shipment", "measures": {"n": "count"}} | more


BLOCK = "customer{refName:*}"
ATTACKS = {
    "a path of many steps": Attack("query_find", find("expand(origin.country)"), "query.too_wide", "at most 1", 0),
    "many paths": Attack(
        "query_find", find(" && ".join(f"expand(customer{'.x' * n})" for n in range(1, 30))),
        "query.too_wide", "several requests", 0,
    ),
    "many references": Attack(
        "query_find", find("expand(customer) && expand(origin)"), "query.too_wide", "fewer rows", 1
    ),
    "a block that matches everything": Attack(
        "query_find", find(BLOCK), "query.too_wide", "add a condition", 1
    ),
    "a block that is counted": Attack("query_count", find(BLOCK), "query.too_wide", "add a condition", 1),
    "a block that is exported": Attack("query_export", find(BLOCK), "query.too_wide", "add a condition", 1),
    "a block of what is deleted": Attack(
        "query_deleteMany", find(BLOCK), "query.too_wide", "add a condition", 1
    ),
    "a block of what is grouped": Attack(
        "query_aggregate", group(query=BLOCK), "query.too_wide", "add a condition", 1
    ),
    "blocks in blocks": Attack(
        "query_find", find("customer{" * 4 + "refName:x" + "}" * 4), "filter.syntax", "3", 0, 400
    ),
    "many blocks": Attack(
        "query_find", find(" || ".join([BLOCK] * 9)), "filter.syntax", "8", 0, 400
    ),
    "a group for each record": Attack(
        "query_aggregate", group(groupBy=["id"]), "query.too_wide", "narrow the query", 1
    ),
    "many keys": Attack(
        "query_aggregate", group(groupBy=[f"k{n}" for n in range(9)]), "record.invalid", "8", 0
    ),
    "many rows of groups": Attack(
        "query_aggregate", group(groupBy=["status"], limit=1001), "record.invalid", "1000", 0
    ),
    "more to delete than one request may": Attack(
        "query_deleteMany", find("refName:*"), "delete.too_many", "at most 10", 2
    ),
    "a page without an end": Attack("query_find", find("", limit=10**9), "record.invalid", "1000", 0),
    "a deep text": Attack("query_find", find("(" * 33 + "id:x" + ")" * 33), "filter.syntax", "32", 0, 400),
    "a long text": Attack("query_find", find("refName:" + "x" * 20_000), "record.invalid", "16384", 0),
    "a long list": Attack(
        "query_find", find(f"refName:^[{','.join(['x'] * 1001)}]"), "filter.syntax", "1000", 0, 400
    ),
    "a wild pattern": Attack("query_find", find("refName:" + "*a" * 200), "filter.type", "256", 0, 400),
}  # fmt: skip


@pytest.fixture(scope="module")
def commands() -> Commands:
    """What the service sends to MongoDB."""
    return Commands()


@pytest.fixture(scope="module")
def world(
    mongo_uri: str,
    mongo_client: MongoClient[Any],
    commands: Commands,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[World]:
    folder: Path = tmp_path_factory.mktemp("keys")
    limits = {"expanded_records": MOST, "max_deletions": MOST, "expand_depth": 1}
    with commands.listening(), open_world(mongo_uri, mongo_client, data_folder=folder, **limits) as opened:
        for _each in range(SHIPMENTS):
            opened.make("Shipment", customer={"entityId": opened.make("Customer")["id"]})
        yield opened


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relations, "MOST_TARGETS", MOST)
    monkeypatch.setattr(groups, "MOST_GROUPS", MOST)


@pytest.mark.parametrize("door", ["query", "execute"])
@pytest.mark.parametrize("name", ATTACKS)
def test_it_is_refused_before_it_costs(world: World, commands: Commands, name: str, door: str) -> None:
    attack = ATTACKS[name]
    path, body = f"/api/query/{attack.tool.removeprefix('query_')}", attack.arguments
    if door == "execute":
        path, body = "/api/agent/execute", {"tool": attack.tool, "arguments": attack.arguments}
    before = world.snapshot()
    commands.clear()
    answer = world.ask(f"POST {path}", json=body)
    assert (answer.status_code, answer.json().get("code")) == (attack.status, attack.code), answer.text
    assert attack.advice in answer.text
    asked = [sent.name for sent in commands.sent if sent.collection in ("shipments", "customers", "airports")]
    assert len(asked) == attack.commands, asked
    assert world.snapshot() == before
