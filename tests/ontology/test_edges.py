"""Edges follow the records through every kind of write."""

from __future__ import annotations

from pymongo import MongoClient

from runtime.ontology.rules import Edge
from tests.http.world import Document, World, open_world
from tests.ontology.places import check_edges, read_edges
from tests.ontology.scene import SUPPLIERS, build, make, patch, ref


def names_of(world: World, predicate: str) -> set[tuple[str, str]]:
    names = {
        str(row["_id"]): row["name"]
        for kind in ("regions", "ports", "suppliers")
        for row in world.documents[kind].find()
    }
    edges = (edge for edge in read_edges(world.documents) if edge.predicate == predicate)
    return {(names.get(edge.source, "gone"), names.get(edge.destination, "gone")) for edge in edges}


def test_what_follows_from_records(world: World) -> None:
    build(world)
    assert names_of(world, "liesIn") == {("Lisbon", "Iberia"), ("Lisbon", "Europe"), ("Lisbon", "World")}
    assert names_of(world, "hasPort") == {("Iberia", "Lisbon"), ("Europe", "Lisbon"), ("World", "Lisbon")}
    assert names_of(world, "dependsOn") == {("Dealer", "Grower"), ("Shop", "Dealer"), ("Shop", "Grower")}
    assert ("Shop", "World") in names_of(world, "exposedTo")
    assert names_of(world, "supplies") == {("Grower", "Dealer"), ("Dealer", "Shop")}


def test_a_changed_reference(world: World) -> None:
    made = build(world)
    assert patch(world, "Region", made["iberia"], partOf=None).status_code == 200
    assert names_of(world, "liesIn") == {("Lisbon", "Iberia")}
    check_edges(world.documents)
    assert patch(world, "Region", made["iberia"], partOf=ref(made["world"])).status_code == 200
    assert names_of(world, "liesIn") == {("Lisbon", "Iberia"), ("Lisbon", "World")}


def test_a_removed_record(world: World) -> None:
    made = build(world)
    world.ask(f"DELETE /logistics/regions/id/{made['europe']['id']}")
    assert names_of(world, "partOf") == {("Iberia", "gone")}
    assert ("Lisbon", "World") not in names_of(world, "liesIn")


def test_an_archived_record_states_nothing_until_it_is_restored(world: World) -> None:
    made = build(world)
    before = names_of(world, "exposedTo")
    world.ask(f"DELETE {SUPPLIERS}/id/{made['dealer']['id']}")
    assert names_of(world, "exposedTo") == {("Grower", "Iberia"), ("Grower", "Europe"), ("Grower", "World")}
    check_edges(world.documents)
    assert world.ask(f"POST {SUPPLIERS}/id/{made['dealer']['id']}/restore").status_code == 200
    assert names_of(world, "exposedTo") == before


def test_a_write_that_states_the_same_touches_no_edge(world: World) -> None:
    made = build(world)
    before = read_edges(world.documents)
    assert patch(world, "Supplier", made["dealer"], name="Renamed").status_code == 200
    assert read_edges(world.documents) == before


def test_a_dry_run_and_a_refused_write_store_no_edge(world: World) -> None:
    made = build(world)
    before = read_edges(world.documents)
    body = {"name": "New", "suppliers": [ref(made["shop"])]}
    assert world.ask(f"POST {SUPPLIERS}?dryRun=true", json=body).status_code in (200, 201)
    operations = [
        {"op": "save", "record": body},
        {"op": "save", "record": {"name": "New", "suppliers": [{"entityId": "0" * 24}]}},
    ]
    answer = world.ask(f"POST {SUPPLIERS}/bulk", json={"atomic": True, "operations": operations})
    assert answer.status_code == 422
    assert read_edges(world.documents) == before


def test_bulk_and_files(world: World) -> None:
    made = build(world)
    operations = [
        {
            "op": "save",
            "record": {"name": f"S{at}", "port": ref(made["port"]), "suppliers": [ref(made["shop"])]},
        }
        for at in range(20)
    ]
    operations.append({"op": "delete", "id": made["grower"]["id"]})
    assert world.ask(f"POST {SUPPLIERS}/bulk", json={"operations": operations}).json()["failed"] == 0
    check_edges(world.documents)
    lines = [
        "refName,name,port.entityRefName",
        *(f"f-{at},File {at},{made['port']['refName']}" for at in range(150)),
    ]
    form = {"file": ("suppliers.csv", "\n".join(lines).encode(), "text/csv")}
    answer = world.ask(f"POST {SUPPLIERS}/csv?requestedColumns=refName,name,port.entityRefName", files=form)
    assert answer.json()["importedCount"] == 150, answer.text[:300]
    assert len([edge for edge in read_edges(world.documents) if edge.predicate == "shipsFrom"]) == 170


def test_too_much_follows(mongo_uri: str, mongo_client: MongoClient[Document]) -> None:
    with open_world(mongo_uri, mongo_client, ontology_max_edges=100) as world:
        last = make(world, "Region", name="R0")
        for at in range(1, 40):
            answer = world.ask("POST /logistics/regions", json={"name": f"R{at}", "partOf": ref(last)})
            assert answer.status_code == 201
            last = answer.json()
        first = world.ask("GET /logistics/regions/list?filter=name:R0").json()["rows"][0]
        top = make(world, "Region", name="Top")
        answer = patch(world, "Region", first, partOf=ref(top))
        assert answer.status_code == 200  # forty edges
        lines = [make(world, "Region", name="L0")]
        for at in range(1, 30):
            lines.append(make(world, "Region", name=f"L{at}", partOf=ref(lines[-1])))
        answer = patch(world, "Region", top, partOf=ref(lines[-1]))
        assert (answer.status_code, answer.json()["code"]) == (422, "ontology.too_many_edges")
        assert "ontology.max-edges" in answer.json()["detail"]
        check_edges(world.documents)


def test_off_there_are_no_edges(mongo_uri: str, mongo_client: MongoClient[Document]) -> None:
    with open_world(mongo_uri, mongo_client, ontology_enabled=False) as world:
        made = build(world)
        assert read_edges(world.documents) == {}
        for path in ("regions/ontology", f"regions/id/{made['iberia']['id']}/ontology"):
            assert world.ask(f"GET /logistics/{path}").status_code == 404
        tools = {tool["name"] for tool in world.ask("GET /api/agent/tools").json()["tools"]}
        assert "query_find" in tools
        assert not {"query_relationships", "query_predicates"} & tools
        for path, body in (("relationships", {"entityId": made["iberia"]["id"]}), ("predicates", {})):
            assert world.ask(f"POST /api/query/{path}", json=body).status_code == 404
        answer = world.ask(f"GET /logistics/ports/list?filter=hasEdge(liesIn, {made['iberia']['id']})")
        assert (answer.status_code, "ontology is off" in answer.json()["detail"]) == (400, True)


def test_an_edge_is_of_a_tenant(world: World) -> None:
    made = build(world)
    other = world.make("Region", caller="globex", name="Elsewhere")
    rows = list(world.documents["ontologyEdges"].find({"dataDomain.tenantId": {"$ne": "acme"}}))
    assert rows == []
    answer = world.ask(f"GET /logistics/ports/list?filter=hasEdge(liesIn, {made['iberia']['id']})", "globex")
    assert (answer.status_code, answer.json()["rows"]) == (200, [])
    assert Edge("partOf", made["iberia"]["id"], other["id"]) not in read_edges(world.documents)
