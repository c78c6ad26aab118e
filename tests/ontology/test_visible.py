"""Nobody learns by an edge of a record or a field that they may not see."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from generated.record_types import CATALOG
from runtime.ontology.rules import Edge
from tests.http.test_permission_rules import ruled
from tests.http.test_withheld import withholding
from tests.http.world import PATHS, Document, World
from tests.ontology.places import FIELDS, read_statements
from tests.ontology.recomputation import recompute
from tests.ontology.scene import SUPPLIERS, build, make, patch, ref
from tests.properties import examples


def move(world: World, kind: str, record: Document, organisation: str) -> None:
    """Put a record into an organisation, behind the back of the service."""
    place = {"dataDomain.orgRefName": organisation}
    world.documents[f"{kind.lower()}s"].update_one({"name": record["name"]}, {"$set": place})


def edges_of(world: World, kind: str, record_id: str, caller: str, query: str = "limit=1000") -> set[Edge]:
    answer = world.ask(f"GET {PATHS[kind]}/id/{record_id}/ontology?{query}", caller)
    assert answer.status_code == 200, answer.text
    assert answer.json()["hasMore"] is False
    return {
        Edge(row["predicate"], row["source"]["id"], row["destination"]["id"]) for row in answer.json()["rows"]
    }


def predicates_of(
    world: World, kind: str, record: Document, caller: str, query: str = "direction=out"
) -> set[str]:
    return {edge.predicate for edge in edges_of(world, kind, record["id"], caller, query)}


def found(world: World, kind: str, condition: str, caller: str) -> set[str]:
    answer = world.ask(f"GET {PATHS[kind]}/list?limit=1000&filter={condition}", caller)
    assert answer.status_code == 200, answer.text
    return {row["id"] for row in answer.json()["rows"]}


def found_in_pages(world: World, kind: str, condition: str, caller: str) -> set[str]:
    """Find the same by pages of one, in the order of ids: each page reads its edges behind a cursor."""
    ids, query = list[str](), f"limit=1&filter={condition}"
    while True:
        answer = world.ask(f"GET {PATHS[kind]}/list?{query}", caller)
        assert answer.status_code == 200, answer.text
        page = answer.json()
        ids += [row["id"] for row in page["rows"]]
        if "nextCursor" not in page:
            assert ids == sorted(set(ids))
            return set(ids)
        query = f"limit=1&filter={condition}&cursor={page['nextCursor']}"


def test_a_way_through_a_record_that_cannot_be_seen(world: World) -> None:
    end, hidden, other = (make(world, "Supplier", name=name) for name in ("End", "Hidden", "Other"))
    patch(world, "Supplier", hidden, suppliers=[ref(end)])
    patch(world, "Supplier", other, suppliers=[ref(end)])
    begin = make(world, "Supplier", name="Begin", suppliers=[ref(hidden)])
    for record in (end, other, begin):
        move(world, "Supplier", record, "north")
    move(world, "Supplier", hidden, "south")
    assert predicates_of(world, "Supplier", begin, "acme") == {"suppliedBy", "dependsOn"}
    assert edges_of(world, "Supplier", begin["id"], "acme-north") == set()
    asked = f"hasEdge(dependsOn, {end['id']})"
    assert found(world, "Supplier", asked, "acme") == {hidden["id"], other["id"], begin["id"]}
    assert found(world, "Supplier", asked, "acme-north") == {other["id"]}
    assert found(world, "Supplier", f"!!{asked} %26%26 name:B*", "acme-north") == {begin["id"]}
    assert found(world, "Supplier", f"hasEdge(dependsOn, {hidden['id']})", "acme-north") == set()
    patch(world, "Supplier", begin, suppliers=[ref(hidden), ref(other)])
    assert Edge("dependsOn", begin["id"], end["id"]) in edges_of(world, "Supplier", begin["id"], "acme-north")
    assert found(world, "Supplier", asked, "acme-north") == {other["id"], begin["id"]}


def test_pages_of_an_organisation_go_on_behind_records_that_cannot_be_seen(world: World) -> None:
    hub = make(world, "Supplier", name="Hub")
    buyers = [make(world, "Supplier", name=f"B{at}", suppliers=[ref(hub)]) for at in range(7)]
    seen = [buyer for at, buyer in enumerate(buyers) if at in (0, 4, 6)]
    for record in (hub, *buyers):
        move(world, "Supplier", record, "north" if record is hub or record in seen else "south")
    asked = f"hasOutgoingEdge(suppliedBy, {hub['id']})"
    assert found_in_pages(world, "Supplier", asked, "acme-north") == {one["id"] for one in seen}
    assert found_in_pages(world, "Supplier", asked, "acme") == {one["id"] for one in buyers}
    move(world, "Supplier", hub, "south")
    assert found_in_pages(world, "Supplier", asked, "acme-north") == set()


def test_a_withheld_field_states_nothing(world: World) -> None:
    made = build(world)
    everything = predicates_of(world, "Supplier", made["dealer"], "acme-user", "direction=both")
    assert {"suppliedBy", "supplies", "dependsOn", "exposedTo"} <= everything
    with ruled(world, withholding("supplier", "suppliers")):
        assert predicates_of(world, "Supplier", made["dealer"], "acme-user", "direction=both") == set()
        shown = predicates_of(world, "Supplier", made["grower"], "acme-user", "direction=both")
        assert shown == {"shipsFrom", "basedIn", "exposedTo"}
        asked = f"hasEdge(exposedTo, {made['world']['id']})"
        assert found(world, "Supplier", asked, "acme-user") == {made["grower"]["id"]}
        assert found(world, "Supplier", asked, "acme") > {made["grower"]["id"]}
        answer = world.ask(
            f"GET {SUPPLIERS}/ontology?constraints=suppliedBy:{made['grower']['id']}", "acme-user"
        )
        assert answer.json()["rows"] == []


@pytest.mark.parametrize(("former", "shown"), [("bought", "suppliers"), ("removed", "removed")])
def test_a_withheld_field_states_nothing_under_an_earlier_name(
    world: World, monkeypatch: pytest.MonkeyPatch, former: str, shown: str
) -> None:
    """An edge was stored by a field that is ``suppliers`` today; without ``renamedFrom`` nobody knows that."""
    catalog = world.app.state.service.catalog
    renamed = replace(catalog["Supplier"], renamed={"suppliers": "bought"})
    monkeypatch.setitem(catalog._by_title, "Supplier", renamed)
    grower = make(world, "Supplier", name="Grower")
    dealer = make(world, "Supplier", name="Dealer", suppliers=[ref(grower)])
    stored = {"$set": {"provenance.of": [former]}}
    world.documents["ontologyEdges"].update_one({"predicate": "suppliedBy"}, stored)
    path, asked = f"{SUPPLIERS}/id/{dealer['id']}/ontology", f"hasEdge(suppliedBy, {grower['id']})"
    rows = world.ask(f"GET {path}?predicate=suppliedBy", "acme-user").json()["rows"]
    assert [row["provenance"]["of"] for row in rows] == [[shown]]
    assert found(world, "Supplier", asked, "acme-user") == {dealer["id"]}
    with ruled(world, withholding("supplier", "suppliers")):
        assert predicates_of(world, "Supplier", dealer, "acme-user", "direction=both") == set()
        assert found(world, "Supplier", asked, "acme-user") == set()
        assert found_in_pages(world, "Supplier", asked, "acme-user") == set()


def test_records_that_a_rule_denies(world: World) -> None:
    made = build(world)
    header = {"identity": "user", "area": "logistics", "functionalDomain": "region", "action": "VIEW"}
    rule = {"name": "no Europe", "securityURI": {"header": header}, "effect": "DENY", "filter": "name:Europe"}
    with ruled(world, rule):
        edges = edges_of(world, "Port", made["port"]["id"], "acme-user", "direction=out")
        assert edges == {Edge("liesIn", made["port"]["id"], made["iberia"]["id"])}
        asked = f"hasEdge(liesIn, {made['world']['id']})"
        assert found(world, "Port", asked, "acme-user") == set()
        assert found(world, "Port", asked, "acme") == {made["port"]["id"]}


def test_a_type_that_cannot_be_viewed(world: World) -> None:
    made = build(world)
    header = {"identity": "user", "area": "logistics", "functionalDomain": "region", "action": "VIEW"}
    with ruled(world, {"name": "no regions", "securityURI": {"header": header}, "effect": "DENY"}):
        assert edges_of(world, "Port", made["port"]["id"], "acme-user", "direction=out") == set()
        answer = world.ask(
            f"GET /logistics/ports/list?filter=hasEdge(liesIn, {made['world']['id']})", "acme-user"
        )
        assert answer.status_code == 403
        shown = predicates_of(world, "Supplier", made["shop"], "acme-user", "direction=both")
        assert shown == {"suppliedBy", "supplies", "dependsOn"}


def test_a_page_of_connected_records_shows_the_filter_that_was_sent(world: World) -> None:
    made = build(world)
    query = {"constraints": f"liesIn:{made['iberia']['id']}"}
    for sent in ({}, {"filter": "(name:*)"}):
        page = world.ask("GET /logistics/ports/ontology", params=query | sent).json()
        assert [row["id"] for row in page["rows"]] == [made["port"]["id"]]
        assert page.get("filter") == sent.get("filter")


def test_an_edge_to_itself_is_listed_once_whatever_the_direction(world: World) -> None:
    own = make(world, "Supplier", name="Own")
    assert patch(world, "Supplier", own, suppliers=[ref(own)]).status_code == 200
    path = f"GET {SUPPLIERS}/id/{own['id']}/ontology"
    for direction in ("out", "in", "both"):
        rows = world.ask(path, params={"predicate": "suppliedBy", "direction": direction}).json()["rows"]
        assert [row["destination"]["id"] for row in rows] == [own["id"]], direction


@pytest.mark.parametrize("hidden", ["port", "region"])
def test_predicates_of_a_type_that_cannot_be_viewed_are_not_named(world: World, hidden: str) -> None:
    """Neither as the nearest, nor with the types that they lead from and to."""
    header = {"identity": "user", "area": "logistics", "functionalDomain": hidden, "action": "VIEW"}
    asked = [
        "ports/ontology?constraints=liesInn:{id}", "ports/ontology?constraints=zz", "ports/ontology?constraints=hasPort:{id}",
        "ports/list?filter=hasEdge(liesInn, {id})", "ports/list?filter=hasEdge(hasPort, {id})",
        "ports/id/{id}/ontology?predicate=liesInn",
    ]  # fmt: skip
    with ruled(world, {"name": "none", "securityURI": {"header": header}, "effect": "DENY"}):
        for path in asked:
            answer = world.ask(f"GET /logistics/{path.replace('{id}', '0' * 24)}", "acme-user")
            detail = answer.json()["detail"]
            assert (answer.status_code in {400, 403}, "Region" in detail) == (True, False), answer.text
            assert "liesIn" not in detail.replace("liesInn", ""), answer.text


@pytest.mark.parametrize(
    ("condition", "says", "column"),
    [
        ("hasEdge(liesInn, {id})", "did you mean liesIn", 1),
        ("name:x || hasIncomingEdge(liesIn, {id})", "liesIn leads from Port to Region", 11),
        ("hasEdge(supplies, {id})", "supplies leads from Supplier to Supplier", 1),
        (" || ".join(["hasEdge(liesIn, {id})"] * 9), "at most 8 edges", 361),
        (" && ".join(["hasEdge(liesIn, {id})"] * 9), "at most 8 edges", 361),
        ("hasEdge(liesInn, {id}) && hasEdge(liesIn, PTLIS)", "did you mean liesIn", 1),
        ("hasEdge(liesIn, {id}) && hasEdge(liesIn, PTLIS)", "a record id of 24 hexadecimal digits", 62),
    ],
)
def test_conditions_that_cannot_be_asked(world: World, condition: str, says: str, column: int) -> None:
    text = condition.replace("{id}", "0" * 24)
    answer = world.ask("GET /logistics/ports/list", params={"filter": text})
    assert (answer.status_code, says in answer.json()["detail"]) == (400, True), answer.text
    assert answer.json()["column"] == column


@pytest.mark.parametrize(
    ("query", "place", "says"),
    [
        ("constraints=liesIn", "constraints", "pair of a predicate and an id"),
        ("constraints=liesIn:{id},", "constraints", "pair of a predicate and an id"),
        ("constraints=no:{id}", "constraints", "no predicate is called no"),
        ("constraints=liesInn:{id}", "constraints", "did you mean liesIn?"),
        ("constraints=hasPort:{id}", "constraints", "from Region to Port, not from Port: name one of liesIn"),
        ("expand=region", "expand", "feature.ontologyList.aggregation.enabled"),
        ("filter=name:x) || (name:*", 7, ""),
        ("filter=name:x || no:1&constraints=liesIn:{id}", 11, "Port has no field no"),
        ("filter=name:x  || no:1", 12, "Port has no field no"),
        ("constraints=" + ",".join(["liesIn:{id}"] * 9), "constraints", "at most 8"),
        (
            "constraints=liesIn:{id}&filter=" + "%26%26".join(["hasEdge(liesIn,{id})"] * 8),
            "constraints",
            "constraints and filter ask for 1 and 8 edges: at most 8 together",
        ),
    ],
)
def test_lists_that_cannot_be_asked(world: World, query: str, place: str | int, says: str) -> None:
    """``place``: the parameter, or the column in the filter."""
    answer = world.ask(f"GET /logistics/ports/ontology?{query.replace('{id}', '0' * 24)}")
    problem = answer.json()
    assert (answer.status_code, says in problem["detail"]) == (400, True), answer.text
    assert problem.get("column", problem.get("parameter")) == place


@pytest.mark.parametrize(("path", "advice"), [("ports", "liesIn:65f1"), ("suppliers", "basedIn:65f1")])
def test_a_wrong_pair_is_answered_with_a_predicate_of_the_type(world: World, path: str, advice: str) -> None:
    answer = world.ask(f"GET /logistics/{path}/ontology?constraints=within:zz")
    assert (answer.status_code, f"write {advice}" in answer.json()["detail"]) == (400, True), answer.text


def test_both_predicates_of_an_inverse_name_the_other(world: World) -> None:
    listed = world.ask("POST /api/query/predicates", json={}).json()["predicates"]
    inverses = {one["name"]: one["inverse"] for one in listed if "inverse" in one}
    pairs = {"liesIn": "hasPort", "suppliedBy": "supplies"}
    assert inverses == pairs | {back: name for name, back in pairs.items()}


def test_predicates_name_record_types_as_they_are_called_now(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    catalog = world.app.state.service.catalog
    monkeypatch.setitem(catalog._by_title, "Supplier", replace(catalog["Supplier"], title="Vendor"))
    listed = world.ask("POST /api/query/predicates", json={"domainFilter": "Supplier"}).json()["predicates"]
    ends = {one["name"]: (one["domain"], one["range"]) for one in listed}
    assert ends["basedIn"] == ("Vendor", "Region")
    assert "Supplier" not in {end for both in ends.values() for end in both}


def test_pages_of_edges(world: World) -> None:
    made = build(world)
    path = f"/logistics/suppliers/id/{made['shop']['id']}/ontology"
    whole = world.ask(f"GET {path}?limit=1000").json()["rows"]
    pages = [world.ask(f"GET {path}?limit=2&skip={skip}").json() for skip in range(0, len(whole), 2)]
    assert [row for page in pages for row in page["rows"]] == whole
    assert [page["hasMore"] for page in pages][-1] is False
    assert {row["provenance"]["rule"] for row in whole if not row["inferred"]} == {"field"}
    assert world.ask(f"GET {path}?predicate=nothing").status_code == 400
    assert world.ask(f"GET /logistics/suppliers/id/{'0' * 24}/ontology").status_code == 404


def test_connected_records_by_pages(world: World) -> None:
    made = build(world)
    for at in range(5):
        make(world, "Port", name=f"P{at}", region=ref(made["iberia"]))
    path = f"GET /logistics/ports/ontology?constraints=liesIn:{made['world']['id']}&limit=4&sort=name"
    first = world.ask(path).json()
    second = world.ask(f"{path}&cursor={first['nextCursor']}").json()
    assert [row["name"] for row in first["rows"] + second["rows"]] == ["Lisbon", "P0", "P1", "P2", "P3", "P4"]
    both = f"liesIn:{made['world']['id']},liesIn:{made['iberia']['id']}"
    assert (
        len(world.ask(f"GET /logistics/ports/ontology?constraints={both}&filter=name:P*").json()["rows"]) == 5
    )


@given(st.integers(0, 2**32))
@settings(
    max_examples=examples(4, nightly=40),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_what_is_seen_is_what_follows_from_what_is_seen(world: World, seed: int) -> None:
    """The edges that a caller gets are those of an ontology over the records that they may see."""
    random = Random(seed)
    for name in FIELDS:
        world.documents[name].delete_many({})
    world.documents["ontologyEdges"].delete_many({})
    made = scatter(world, random)
    visible = {record["id"] for records in made.values() for record in records if record["seen"]}
    stated = {edge for edge in read_statements(world.documents) if {edge.source, edge.destination} <= visible}
    should = recompute(CATALOG.relationships, stated)
    for kind, records in made.items():
        for record in (one for one in records if one["seen"]):
            around = {edge for edge in should if record["id"] in edge[1:]}
            assert edges_of(world, kind, record["id"], "acme-north") == around
    for predicate in ("dependsOn", "exposedTo", "suppliedBy", "basedIn"):
        for record in (*made["Supplier"], *made["Region"]):
            leads = CATALOG.relationships[[one.name for one in CATALOG.relationships].index(predicate)].range
            if record in made[leads]:
                ends = {
                    edge.source
                    for edge in should
                    if (edge.predicate, edge.destination) == (predicate, record["id"])
                }
                asked = f"hasOutgoingEdge({predicate}, {record['id']})"
                assert found(world, "Supplier", asked, "acme-north") == ends


def scatter(world: World, random: Random) -> dict[str, list[dict[str, Any]]]:
    """Records that are connected at random, some of them in the caller's organisation."""
    made: dict[str, list[dict[str, Any]]] = {"Region": [], "Port": [], "Supplier": []}

    def some(kind: str, most: int) -> list[Document]:
        return [
            ref(one) for one in random.sample(made[kind], min(len(made[kind]), random.randrange(most + 1)))
        ]

    for kind, number in (("Region", 4), ("Port", 3), ("Supplier", 5)):
        for at in range(number):
            fields: dict[str, Any] = {"name": f"{kind}{at}"}
            one = {"Region": "partOf", "Port": "region", "Supplier": "port"}[kind]
            target = {"Region": "Region", "Port": "Region", "Supplier": "Port"}[kind]
            if chosen := some(target, 1):
                fields[one] = chosen[0]
            if kind == "Supplier":
                fields["suppliers"] = some("Supplier", 2)
            made[kind].append(make(world, kind, **fields))
    for kind, records in made.items():
        for record in records:
            record["seen"] = random.random() < 0.7
            move(world, kind, record, "north" if record["seen"] else "south")
    return made
