"""Questions about edges: what they find, and what they cost MongoDB."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest
from bson import ObjectId

from runtime.ontology import ends
from runtime.query import explain
from runtime.records.operations import windows
from runtime.storage.wire import derive_id
from tests.http.test_permission_rules import ruled
from tests.http.test_withheld import withholding
from tests.http.world import Document, World
from tests.ontology.scene import build, make, patch, ref
from tests.profiling import profiled

Condition = Callable[[str, str, set[tuple[str, str]]], bool]

EDGES = "ontologyEdges"


@pytest.mark.parametrize(
    ("kind", "condition", "number"),
    [
        ("ports", "hasEdge(liesIn, {europe})", 1),
        ("ports", "hasEdge(hasPort, {europe})", 1),
        ("suppliers", "hasOutgoingEdge(dependsOn, {grower})", 2),
        ("suppliers", "hasIncomingEdge(dependsOn, {shop})", 2),
    ],
)
def test_a_page_by_an_edge_reads_edges_in_an_index_alone_and_its_records_with_them(
    world: World, kind: str, condition: str, number: int
) -> None:
    made = {name: record["id"] for name, record in build(world).items()}
    with profiled(world.documents, EDGES) as commands:
        answer = world.ask(f"GET /logistics/{kind}/list", params={"filter": condition.format(**made)})
    assert answer.json()["rowCount"] == number
    ((keys, documents),) = [(one["keysExamined"], one["docsExamined"]) for one in commands]
    assert documents == number, "the records alone, no edge"
    assert keys <= 3 * number, "one for each edge; for each record one, and the one behind it"


def test_the_edges_of_a_record_come_in_the_order_of_an_index(world: World) -> None:
    made = build(world)
    with profiled(world.documents, EDGES) as commands:
        answer: Any = world.ask(f"GET /logistics/ports/id/{made['port']['id']}/ontology?predicate=liesIn")
    rows = answer.json()["rows"]
    assert [row["destination"]["id"] for row in rows] == sorted(row["destination"]["id"] for row in rows)
    assert len(rows) == 3
    assert not any(one.get("hasSortStage") for one in commands)


HUBS = [ObjectId(f"65f1c0de65f1c0de65f1c0{digit}e") for digit in "abc"]


def build_edge(predicate: str, source: ObjectId, end: ObjectId, rule: str, of: str) -> Document:
    return {
        "_id": derive_id("acme", predicate, str(source), str(end)), "refName": f"{predicate}{source}{end}",
        "dataDomain": {"tenantId": "acme"}, "predicate": predicate,
        "source": {"type": "Supplier", "id": source}, "inferred": rule != "field",
        "destination": {"type": "Supplier", "id": end}, "provenance": {"rule": rule, "of": [of]},
    }  # fmt: skip


@pytest.fixture
def crowd(opened: World) -> Iterator[World]:
    """Many suppliers, who depend on hubs or hubs on them, and some buy from hubs: behind the service's back.

    Every third one is of the south, and so is the last hub; all others are of the north.
    """
    chance, database = Random(7), opened.documents
    members = sorted(ObjectId() for _member in range(48))
    chosen = [
        (source, hub) if chance.random() < 0.7 else (hub, source)
        for hub in HUBS
        for source in chance.sample(members, 32)
    ]
    places = {one: "south" if at % 3 == 0 else "north" for at, one in enumerate(members)}
    places |= dict(zip(HUBS, ("north", "north", "south"), strict=True))
    database["suppliers"].insert_many(
        {
            "_id": one, "refName": str(one), "name": f"n{at % 4}", "version": 1, "activeStatus": "ACTIVE",
            "dataDomain": {"tenantId": "acme", "orgRefName": place, "dataSegment": 0, "ownerId": "ann@acme"},
            "suppliers": [{"entityId": end} for source, end in chosen if source == one],
        }
        for at, (one, place) in enumerate(places.items())
    )  # fmt: skip
    database[EDGES].insert_many(
        [build_edge("dependsOn", source, end, "subPropertyOf", "suppliedBy") for source, end in chosen]
        + [build_edge("suppliedBy", source, end, "field", "suppliers") for source, end in chosen]
    )
    yield opened
    for name in ("suppliers", EDGES):
        database[name].delete_many({})


def evaluate(world: World, condition: Condition) -> list[str]:
    """Which suppliers match, by plain means."""
    edges = {
        (str(row["source"]["id"]), str(row["destination"]["id"])) for row in world.documents[EDGES].find()
    }
    rows = world.documents["suppliers"].find().sort("_id", 1)
    return [str(row["_id"]) for row in rows if condition(str(row["_id"]), row["name"], edges)]


def suppliers_of(world: World, place: str) -> set[str]:
    """The suppliers of an organisation."""
    rows = world.documents["suppliers"].find({"dataDomain.orgRefName": place})
    return {str(row["_id"]) for row in rows}


def list_pages(world: World, text: str, limit: int, caller: str = "acme") -> Iterator[list[str]]:
    query = {"filter": text, "limit": str(limit)}
    while True:
        answer = world.ask("GET /logistics/suppliers/list", caller, params=query)
        assert answer.status_code == 200, answer.text
        page = answer.json()
        yield [row["id"] for row in page["rows"]]
        if "nextCursor" not in page:
            return
        query["cursor"] = page["nextCursor"]


A, B, C = map(str, HUBS)


@pytest.mark.parametrize("limit", [2, 50])
@pytest.mark.parametrize(
    ("text", "condition"),
    [
        (f"hasOutgoingEdge(dependsOn, {A})", lambda own, _name, edges: (own, A) in edges),
        (f"hasEdge(dependsOn, {A})", lambda own, _name, edges: (own, A) in edges or (A, own) in edges),
        (
            f"hasOutgoingEdge(dependsOn, {A}) && hasIncomingEdge(dependsOn, {B})",
            lambda own, _name, edges: (own, A) in edges and (B, own) in edges,
        ),
        (
            f"hasEdge(dependsOn, {A}) || hasOutgoingEdge(dependsOn, {C}) || name:n1",
            lambda own, name, edges: (own, A) in edges or (A, own) in edges or (own, C) in edges or name == "n1",
        ),
        (
            f"!!hasEdge(dependsOn, {B}) && name:n2",
            lambda own, name, edges: (own, B) not in edges and (B, own) not in edges and name == "n2",
        ),
        (f"hasOutgoingEdge(dependsOn, {A}) && name:nobody", lambda _own, _name, _edges: False),
        ("hasEdge(dependsOn, 65f1c0de65f1c0de65f1c0de)", lambda _own, _name, _edges: False),
    ],
)  # fmt: skip
def test_pages_in_the_order_of_ids_are_right(
    crowd: World, text: str, condition: Condition, limit: int
) -> None:
    pages, expected = list(list_pages(crowd, text, limit)), evaluate(crowd, condition)
    assert [one for page in pages for one in page] == expected
    assert all(len(page) == limit for page in pages[:-1])
    query = f"filter={text.replace('&', '%26')}&limit=1000"
    for order in ("&sort=-id", "&count=exact", "&skip=1"):
        page = crowd.ask(f"GET /logistics/suppliers/list?{query}{order}").json()
        found = [row["id"] for row in page["rows"]]
        assert found == {"&sort=-id": expected[::-1], "&skip=1": expected[1:]}.get(order, expected)
        assert page.get("totalCount") == (len(expected) if "count" in order else None)


@pytest.mark.parametrize("limit", [1, 50])
def test_a_page_by_an_edge_has_the_rows_of_the_page_by_the_field_that_states_it(
    world: World, limit: int
) -> None:
    region = make(world, "Region", name="Coast")
    for number in range(3):
        make(world, "Port", name=f"Port {number}", region=ref(region))
    by_edge, by_field = (
        world.ask("GET /logistics/ports/list", params={"filter": text, "limit": str(limit)}).json()
        for text in (f"hasEdge(liesIn, {region['id']})", f"region:@@{region['id']}")
    )
    assert by_edge["rows"] == by_field["rows"]
    assert len(by_edge["rows"]) == min(limit, 3)


def test_a_page_reads_no_more_of_many_edges_than_it_has_rows(crowd: World) -> None:
    query = {"filter": f"hasOutgoingEdge(dependsOn, {A})", "limit": "5"}
    cursor = crowd.ask("GET /logistics/suppliers/list", params=query).json()["nextCursor"]
    with profiled(crowd.documents, EDGES) as commands:
        crowd.ask("GET /logistics/suppliers/list", params=query | {"cursor": cursor})
    assert [(_count_edges(one), one["docsExamined"]) for one in commands] == [(6, 6)]
    assert commands[0]["keysExamined"] <= 3 * 6


def _count_edges(command: Document) -> int:
    """How many edges a command reads at most: as ids of its one answer, or as its rows."""
    stages = command["command"].get("pipeline", ())
    return next((stage["$limit"] for stage in stages if "$limit" in stage), command["nreturned"])


@pytest.mark.parametrize("condition", ["hasOutgoingEdge(suppliedBy, {})", "hasIncomingEdge(supplies, {})"])
@pytest.mark.parametrize(("caller", "others"), [("acme", 0), ("acme-north", 1)])
def test_edges_that_nothing_else_leads_to_are_read_by_the_field_that_states_them(
    crowd: World, condition: str, caller: str, others: int
) -> None:
    query = {"filter": f"{condition.format(A)} && name:^[n0,n1,n2,n3]", "limit": "5"}
    with profiled(crowd.documents, "suppliers", EDGES) as commands:
        rows = crowd.ask("GET /logistics/suppliers/list", caller, params=query).json()["rows"]
    (command,) = commands
    assert [row["suppliers"][0]["entityId"] for row in rows].count(A) == 5
    assert "hasSortStage" not in command
    skipped = command["docsExamined"] - 6 - others
    assert skipped == 0 if caller == "acme" else skipped < 6, "records, one behind the page, and the hub"


@pytest.mark.parametrize("limit", ["10", "1000"])
def test_other_orders_and_counts_by_a_field_take_any_number(
    crowd: World, monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    monkeypatch.setattr(ends, "MOST_ENDS", 12)
    expected = evaluate(crowd, lambda own, _name, edges: (own, A) in edges)
    assert len(expected) > 12
    for caller in ("acme", "acme-north"):
        query = {
            "filter": f"hasOutgoingEdge(suppliedBy, {A})",
            "sort": "-id",
            "limit": limit,
            "count": "exact",
        }
        with profiled(crowd.documents, EDGES) as commands:
            page = crowd.ask("GET /logistics/suppliers/list", caller, params=query).json()
        seen = [one for one in expected if caller == "acme" or one in suppliers_of(crowd, "north")]
        assert ([row["id"] for row in page["rows"]], page["totalCount"]) == (
            seen[::-1][: int(limit)],
            len(seen),
        )
        assert commands == [], "nothing leads to such edges"
    refused = crowd.ask(
        "GET /logistics/suppliers/list", params=query | {"filter": f"hasOutgoingEdge(dependsOn, {A})"}
    )
    assert (refused.status_code, refused.json()["code"]) == (422, "query.too_wide")


def test_a_question_that_a_field_does_not_answer_alone_is_asked_by_it_once(world: World) -> None:
    europe = build(world)["europe"]["id"]
    tried = list[int]()
    for _turn in range(3):
        with profiled(world.documents, "ports", EDGES) as commands:
            page = world.ask("GET /logistics/ports/list", params={"filter": f"hasEdge(liesIn, {europe})"})
        assert page.json()["rowCount"] == 1
        tried.append(sum(one["ns"].endswith(".ports") for one in commands))
    assert tried == [1, 0, 0]


def test_an_answer_does_not_depend_on_pages_that_were_read_before(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ends, "MOST_ENDS", 2)
    monkeypatch.setattr(windows, "MOST_TARGETS", 5)
    region = make(world, "Region", name="Coast")
    part = make(world, "Region", name="Bay", partOf=ref(region))
    for number in range(5):
        make(world, "Port", name=f"Port {number}", region=ref(region))
    text = f"hasEdge(liesIn, {region['id']})"
    questions = [("count", {"filter": text}), ("list", {"filter": f"{text} && name:nowhere", "limit": "1"})]

    def ask_all() -> list[tuple[int, int | None]]:
        answers = [world.ask(f"GET /logistics/ports/{path}", params=query) for path, query in questions]
        return [(one.status_code, one.json().get("count", one.json().get("rowCount"))) for one in answers]

    assert ask_all() == [(422, None), (422, None)]
    assert patch(world, "Region", part, partOf=None).status_code == 200
    assert ask_all() == [(200, 5), (200, 0)]


def test_a_page_that_few_records_are_for_reads_a_bounded_number_of_edges(
    crowd: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(windows, "MOST_TARGETS", 12)
    text = f"hasOutgoingEdge(dependsOn, {A})"
    query = {"filter": f"{text} && name:nobody", "limit": "2"}
    with profiled(crowd.documents, EDGES) as commands:
        answer = crowd.ask("GET /logistics/suppliers/list", params=query)
    assert (answer.status_code, answer.json()["code"]) == (422, "query.too_wide")
    assert sum(map(_count_edges, commands)) == 12
    assert len(list(list_pages(crowd, text, 2))) > 6, "as long as pages fill, there is no end"


def test_a_page_ends_early_where_few_records_of_many_edges_match(
    crowd: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(windows, "MOST_TARGETS", 12)
    text = f"hasOutgoingEdge(dependsOn, {A}) && name:n1"
    expected = evaluate(crowd, lambda own, name, edges: (own, A) in edges and name == "n1")
    pages = list(list_pages(crowd, text, 50))
    assert [one for page in pages for one in page] == expected
    assert len(pages) > 1


def test_an_explanation_reads_as_few_edges_as_its_page(crowd: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ends, "MOST_ENDS", 12)
    monkeypatch.setattr(explain, "MOST_TARGETS", 12)
    query = f"hasOutgoingEdge(dependsOn, {A})"
    assert crowd.ask("GET /logistics/suppliers/list", params={"filter": query}).status_code == 200
    body = {"rootType": "Supplier", "query": query, "explain": True}
    answer = crowd.ask("POST /api/query/plan", json=body)
    assert answer.status_code == 200, answer.text
    assert (answer.json()["cost"]["matched"], answer.json()["index"]["names"]) == (12, ["_id_"])
    sent = {"filter": query, "sort": "name"}
    assert crowd.ask("GET /logistics/suppliers/list", params=sent).status_code == 422


@pytest.mark.parametrize(("predicate", "limit"), [("suppliedBy", 3), ("dependsOn", 5)])
def test_pages_have_no_edge_that_the_caller_may_not_know_of(crowd: World, predicate: str, limit: int) -> None:
    def find(hub: str, caller: str) -> list[str]:
        pages = list_pages(crowd, f"hasOutgoingEdge({predicate}, {hub})", limit, caller)
        return [one for page in pages for one in page]

    north = suppliers_of(crowd, "north")
    for hub in (A, B, C):
        everybody = evaluate(crowd, lambda own, _name, edges, hub=hub: (own, hub) in edges)
        assert find(hub, "acme") == everybody
        seen = [one for one in everybody if one in north]
        assert seen != everybody
        assert find(hub, "acme-north") == (seen if hub in north else [])
        assert find(hub, "globex") == []
    with ruled(crowd, withholding("supplier", "suppliers")):
        assert find(A, "acme-user") == []
