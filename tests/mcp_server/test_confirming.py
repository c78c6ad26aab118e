"""Writes of many records: an assistant looks at their number first, and what has changed since then stops it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.http.world import Document, World
from tests.mcp_server.talking import use

CSV = "refName,name,mode\nC-1,Atlantic,AIR\nC-2,Baltic,SEA\nC-3,Caspian,SPACE\n"


def delete(world: World, **arguments: Any) -> Document:
    answer: Document = (
        use(world, "query_deleteMany", rootType="Carrier", **arguments).structured_content or {}
    )
    return answer


@pytest.fixture
def carriers(world: World) -> World:
    world.documents["carriers"].delete_many({})
    for name in ("one", "two", "three"):
        world.make("Carrier", name=f"Confirmed {name}")
    return world


def test_nothing_is_deleted_without_a_number(carriers: World) -> None:
    before = carriers.snapshot()
    for said in ({}, {"dryRun": False}, {"confirm": None}, {"dryRun": None}):
        refused = delete(carriers, query="name:Confirmed*", **said)
        assert (refused["code"], refused["violations"][0]["path"]) == ("record.invalid", "confirm")
        assert "dryRun: true" in refused["detail"]
    assert carriers.snapshot() == before


@pytest.mark.parametrize("confirm", [0, 2, 4, 2000])
def test_another_number_deletes_nothing(carriers: World, confirm: int) -> None:
    before = carriers.snapshot()
    refused = delete(carriers, query="name:Confirmed*", confirm=confirm)
    assert refused["code"] == "record.invalid"
    assert refused["detail"] == f"confirm is {confirm}, but matched is 3"
    assert carriers.snapshot() == before


@pytest.mark.parametrize("confirm", ["3", 3.5, -1, True, [3], 10**9])
def test_what_is_no_number_deletes_nothing(carriers: World, confirm: Any) -> None:
    before = carriers.snapshot()
    assert delete(carriers, query="name:Confirmed*", confirm=confirm)["status"] == 422
    assert carriers.snapshot() == before


def test_the_number_of_a_dry_run_deletes(carriers: World) -> None:
    tried = delete(carriers, query="name:Confirmed*", dryRun=True)
    assert tried == {"matched": 3, "deleted": 0}
    assert delete(carriers, query="name:Confirmed*", confirm=tried["matched"]) == {"matched": 3, "deleted": 3}
    assert carriers.documents["carriers"].count_documents({}) == 0


def test_a_record_that_came_in_between_stops_it(carriers: World) -> None:
    tried = delete(carriers, query="name:Confirmed*", dryRun=True)
    carriers.make("Carrier", name="Confirmed late")
    assert delete(carriers, query="name:Confirmed*", confirm=tried["matched"])["status"] == 422
    assert carriers.documents["carriers"].count_documents({}) == 4


def test_the_number_holds_at_the_route_as_well(carriers: World) -> None:
    body = {"rootType": "Carrier", "query": "name:Confirmed*", "confirm": 2}
    assert carriers.ask("POST /api/query/deleteMany", json=body).status_code == 422
    assert carriers.documents["carriers"].count_documents({}) == 3
    assert carriers.ask("POST /api/query/deleteMany", json=body | {"confirm": 3}).json()["deleted"] == 3


def test_an_import_is_committed_with_its_number_of_rows(carriers: World) -> None:
    analysis = use(carriers, "query_import_analyze", rootType="Carrier", csv=CSV).structured_content
    assert analysis is not None
    assert (analysis["validRows"], analysis["errorRows"]) == (2, 1)
    session = {"rootType": "Carrier", "sessionId": analysis["sessionId"]}
    before = carriers.snapshot()
    for said, why in (
        ({}, "is missing: send validRows as confirm"),
        ({"confirm": 3}, "is 3, but validRows is 2"),
    ):
        refused = use(carriers, "query_import_commit", **session, **said).structured_content
        assert refused["violations"] == [{"path": "confirm", "message": why}]
    assert carriers.snapshot() == before
    done = use(carriers, "query_import_commit", **session, confirm=2).structured_content
    assert (done["inserted"], done["failed"]) == (2, 1)
