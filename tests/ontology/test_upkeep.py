"""``ontology check`` finds every edge that is wrong, and ``ontology rebuild`` mends it, while others write."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from random import Random
from typing import Any

import pytest
from bson import ObjectId

from runtime.errors import NotFound, StoreUnavailable
from runtime.ontology import EdgeTally, Upkeep
from runtime.storage.wire import derive_id
from tests.http.world import World
from tests.ontology.places import check_edges, read_edges
from tests.ontology.scene import build, make, patch, ref


def run(world: World, begin: str = "", *, repair: bool = True) -> EdgeTally:
    upkeep = Upkeep(world.app.state.service, world.realm, repair, lambda _number: None)
    assert world.client.portal is not None
    found: EdgeTally = world.client.portal.call(partial(upkeep.run, begin))
    return found


def test_right_edges_are_not_written(world: World) -> None:
    build(world)
    before = read_edges(world.documents)
    assert run(world, repair=False).is_sound
    assert run(world).is_sound
    assert read_edges(world.documents) == before


def test_edges_of_records_that_were_there_before(world: World) -> None:
    build(world)
    number = world.documents["ontologyEdges"].delete_many({}).deleted_count
    tally = run(world, repair=False)
    assert (tally.is_sound, tally.surplus, read_edges(world.documents)) == (False, 0, {})
    tally = run(world)
    assert (tally.missing, tally.wrong, tally.surplus) == (number, 0, 0)
    check_edges(world.documents)
    assert run(world, repair=False).is_sound


def test_any_edge_that_is_missing_alone_is_found(world: World) -> None:
    """Also one that follows from an inferred edge, which is there."""
    build(world)
    edges, before = world.documents["ontologyEdges"], read_edges(world.documents)
    lone = [row for row in before.values() if row["inferred"]]
    unfound = []
    for row in lone:
        edges.delete_one({"_id": row["_id"]})
        if run(world, repair=False).is_sound or run(world).missing != 1:
            unfound.append((row["predicate"], row["provenance"]))
        check_edges(world.documents)
        edges.replace_one({"_id": row["_id"]}, row, upsert=True)
    assert lone
    assert unfound == []
    assert run(world).is_sound


def edge(world: World, predicate: str, source: str, destination: str, *, inferred: bool = True) -> None:
    """An edge that nothing is the reason for."""
    own, rule = derive_id("acme", predicate, source, destination), "inverse" if inferred else "field"
    world.documents["ontologyEdges"].insert_one({
        "_id": own, "refName": str(own), "dataDomain": {"tenantId": "acme"}, "predicate": predicate,
        "source": {"type": "Supplier", "id": ObjectId(source)}, "inferred": inferred,
        "destination": {"type": "Supplier", "id": ObjectId(destination)},
        "provenance": {"rule": rule, "of": ["suppliers"]}, "timestamp": world.documents["suppliers"].find_one()["auditInfo"]["createdDate"],
    })  # fmt: skip


def test_edges_that_keep_each_other_alive(world: World) -> None:
    made = build(world)
    before = read_edges(world.documents)
    loose = make(world, "Supplier", name="Loose")
    edge(world, "suppliedBy", loose["id"], made["shop"]["id"])
    edge(world, "supplies", made["shop"]["id"], loose["id"])
    edge(world, "gone", made["shop"]["id"], loose["id"])
    assert run(world, repair=False).surplus == 3
    assert run(world).surplus == 3
    assert read_edges(world.documents) == before


def test_a_statement_that_no_record_makes(world: World) -> None:
    made = build(world)
    edges, changed = world.documents["ontologyEdges"], {"provenance.of": ["port"]}
    assert edges.update_one({"predicate": "suppliedBy"}, {"$set": changed}).modified_count == 1
    assert edges.update_one(
        {"predicate": "liesIn", "inferred": False}, {"$set": {"inferred": True}}
    ).modified_count
    world.documents["regions"].delete_one({"_id": ObjectId(made["europe"]["id"])})
    tally = run(world, repair=False)
    assert (tally.missing, tally.wrong, tally.surplus > 3) == (0, 2, True)
    run(world)
    check_edges(world.documents)
    assert run(world, repair=False).is_sound


def test_a_run_goes_on_where_another_ended(world: World) -> None:
    made = build(world)
    world.documents["ontologyEdges"].delete_many({})
    assert run(world, f"Supplier:{made['grower']['id']}", repair=False).records == 2
    with pytest.raises(NotFound, match="name one of Port, Region, Supplier, OntologyEdge"):
        run(world, "Nothing:x")
    assert run(world, "Region").records == 6
    run(world)


def test_writers_that_let_no_large_batch_end(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    build(world)
    number = world.documents["ontologyEdges"].delete_many({}).deleted_count
    compare, sizes = Upkeep._compare_batch, []

    async def refuse(
        self: Upkeep, work: Any, access: Any, match: Any, before: EdgeTally, transaction: Any
    ) -> None:
        await compare(self, work, access, match, before, transaction)
        sizes.append(len(match.match["_id"]["$in"]))
        if sizes[-1] > 1:
            raise StoreUnavailable("busy")

    monkeypatch.setattr(Upkeep, "_compare_batch", refuse)
    tally = run(world)
    assert sizes.count(1) > 6
    assert (tally.missing, tally.wrong, tally.surplus, tally.records) == (
        number,
        0,
        0,
        sizes.count(1) - number,
    )
    check_edges(world.documents)
    monkeypatch.setattr(Upkeep, "_compare_batch", compare)
    assert run(world, repair=False).is_sound


def test_a_store_that_is_away_is_given_up(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    build(world)
    tries: list[int] = []

    async def refuse(self: Upkeep, work: Any, access: Any, match: Any, *_rest: Any) -> None:
        tries.append(len(match.match["_id"]["$in"]))
        raise StoreUnavailable("away")

    monkeypatch.setattr(Upkeep, "_compare_batch", refuse)
    with pytest.raises(StoreUnavailable):
        run(world)
    assert tries[-1] == 1
    assert len(tries) <= 4


def test_a_rebuild_while_others_write(world: World) -> None:
    random = Random(7)
    regions = [make(world, "Region", name=f"R{at}") for at in range(6)]
    world.documents["ontologyEdges"].delete_many({})

    def write(at: int) -> int:
        answer: Any = patch(world, "Region", regions[at % 6], partOf=ref(random.choice(regions)))
        return int(answer.status_code)

    with ThreadPoolExecutor(4) as pool:
        writes = [pool.submit(write, at) for at in range(40)]
        for _ in range(3):
            run(world)
        assert {one.result() for one in writes} == {200}
    check_edges(world.documents)
