"""PUT {basePath}/bulk/set: the same values for many records, each as its single request."""

from __future__ import annotations

import json
from typing import Any

import pytest

from generated.record_types import REGION
from runtime.access.guard import open_call
from runtime.contract.writes import BulkSet
from runtime.records import run_bulk_set
from tests.http.test_bulk import results
from tests.http.world import NOWHERE, Document, Play, World, open_world
from tests.scenario import Scenario

CARRIERS, SHIPMENTS, PRODUCTS = "/logistics/carriers", "/logistics/shipments", "/logistics/products"


def set_many(path: str = CARRIERS, query: str = "", **body: Any) -> dict[str, Any]:
    return {"request": f"PUT {path}/bulk/set{query}", "body": body}


@pytest.fixture
def trio(world: World, request: pytest.FixtureRequest) -> list[Document]:
    """Three carriers with names that no other test has."""
    return [world.make("Carrier", name=f"{request.node.name} {n}") for n in range(3)]


def like(trio: list[Document]) -> str:
    return f"name:^[{','.join(chr(34) + made['name'] + chr(34) for made in trio)}]"


@pytest.mark.parametrize("atomic", [False, True], ids=str)
def test_by_filter(world: World, play: Play, trio: list[Document], atomic: bool) -> None:
    asked = set_many(filter=like(trio), values={"mode": "RAIL", "home": None}, atomic=atomic)
    answer = play(Scenario("set", **asked, changed=3, has={"saved": 3, "deleted": 0, "failed": 0}))
    for n, (result, made) in enumerate(zip(answer["results"], trio, strict=True)):
        told = {"index": n, "op": "set", "status": 200, "id": made["id"], "version": 2}
        assert told.items() <= result.items()
        found = world.read("Carrier", made)
        assert (found["mode"], found["name"]) == ("RAIL", made["name"])


def test_by_ids_in_their_order(world: World, play: Play, trio: list[Document]) -> None:
    foreign = world.make("Carrier", "globex")
    ids = [trio[2]["id"], NOWHERE, foreign["id"], trio[0]["id"]]
    answer = play(Scenario("set", **set_many(ids=ids, values={"mode": "SEA"}), changed=2))
    absent = (404, "record.not_found")
    assert results(answer) == [(200, None), absent, absent, (200, None)]
    assert [result["id"] for result in answer["results"]] == ids


@pytest.mark.parametrize("header", ["If-Match", "If-None-Match"])
@pytest.mark.parametrize("word", ["bulk", "bulk/set", "deleteMany", "csv"])
def test_a_condition_on_one_version_is_refused(
    world: World, trio: list[Document], word: str, header: str
) -> None:
    ids = [made["id"] for made in trio]
    request, body = {
        "bulk": (f"POST {CARRIERS}/bulk", {"operations": [{"op": "delete", "id": one} for one in ids]}),
        "bulk/set": (f"PUT {CARRIERS}/bulk/set", {"ids": ids, "values": {"mode": "SEA"}}),
        "deleteMany": ("POST /api/query/deleteMany", {"rootType": "Carrier", "query": f"id:{ids[0]}"}),
        "csv": (f"POST {CARRIERS}/csv?requestedColumns=refName,name,mode", None),
    }[word]
    sent: Document = {"files": {"file": b"refName,name,mode\nA,A,AIR\n"}} if body is None else {"json": body}
    before = world.snapshot()
    answer = world.ask(request, headers={header: '"1"'}, **sent)
    assert (answer.status_code, f"takes no {header}" in answer.text) == (400, True), answer.text
    assert world.snapshot() == before


def test_nested_and_dotted_names(world: World, play: Play) -> None:
    home = {"street": "1 Road", "city": "Rome", "country": "IT"}
    made = world.make("Customer", billing=home)
    values = {"billing.city": "Oslo", "billing.postalCode": "7", "credit": "5.00"}
    play(Scenario("set", **set_many("/logistics/customers", ids=[made["id"]], values=values), changed=1))
    assert world.read("Customer", made)["billing"] == home | {"city": "Oslo", "postalCode": "7"}


def test_each_is_checked_as_singly(world: World, play: Play) -> None:
    booked, lost = world.make("Shipment"), world.make("Shipment")
    for state in ("IN_TRANSIT", "LOST"):
        assert world.ask(f"PUT {SHIPMENTS}/set?id={lost['id']}&pairs=status:{state}").status_code == 200
    asked = set_many(SHIPMENTS, ids=[booked["id"], lost["id"]], values={"status": "CANCELLED"})
    answer = play(Scenario("set", **asked, changed=1, has={"saved": 1, "failed": 1}))
    assert results(answer) == [(200, None), (422, "state.transition")]
    assert answer["results"][1]["error"]["allowed"] == []


def test_atomic_is_all_or_none(world: World, play: Play, trio: list[Document]) -> None:
    ids = [trio[0]["id"], NOWHERE, trio[1]["id"]]
    asked = set_many(ids=ids, values={"mode": "SEA"}, atomic=True)
    play(Scenario("set", **asked, status=404, has={"index": 1, "id": NOWHERE}))


def test_a_dry_run(play: Play, trio: list[Document]) -> None:
    for atomic in (False, True):
        asked = set_many(query="?dryRun=true", filter=like(trio), values={"mode": "SEA"}, atomic=atomic)
        play(Scenario("set", **asked, has={"saved": 3}, answers={"Dry-Run": "true"}))


@pytest.mark.parametrize("atomic", [False, True], ids=str)
def test_a_key_has_one_effect(play: Play, trio: list[Document], atomic: bool) -> None:
    """The second time the filter would match nothing any more."""
    headers = {"Idempotency-Key": f"many-{trio[0]['id']}"}
    asked = set_many(filter=f"{like(trio)} && mode:AIR", values={"mode": "SEA"}, atomic=atomic)
    first = play(Scenario("first", **asked, headers=headers, changed=3))
    assert play(Scenario("again", **asked, headers=headers)) == first


@pytest.mark.parametrize("atomic", [False, True], ids=str)
def test_a_filter_sees_copied_names_as_they_were(world: World, atomic: bool) -> None:
    """The names in references follow the records that the request renames, once all of them are written."""
    around = world.make("Region", name=f"Iberia {atomic}")
    part = world.make("Region", name="Portugal", partOf={"entityId": around["id"]})
    names = f'name:"Iberia {atomic}" || partOf.entityDisplayName:"Iberia {atomic}"'
    body = BulkSet(filter=names, values={"name": f"Hispania {atomic}"}, atomic=atomic)

    async def rename() -> Any:
        call = await open_call(world.app.state.service, world.tokens["acme"], None, "r-1", "logistics")
        return json.loads((await run_bulk_set(call, REGION, body)).body)

    assert world.client.portal is not None
    assert world.client.portal.call(rename)["saved"] == 2
    assert world.read("Region", part)["partOf"]["entityDisplayName"] == f"Hispania {atomic}"


def test_archived_records_are_left_out_unless_the_filter_names_them(world: World, play: Play) -> None:
    made = world.make("Product", name="Old roses")
    assert world.ask(f"DELETE {PRODUCTS}/id/{made['id']}").status_code == 204
    values = {"details": "Kept."}
    text = f"refName:{made['refName']}"
    play(Scenario("quiet", **set_many(PRODUCTS, filter=text, values=values), has={"results": []}))
    named = f"{text} && activeStatus:ARCHIVED"
    play(Scenario("named", **set_many(PRODUCTS, filter=named, values=values), changed=1, has={"saved": 1}))
    play(Scenario("ids", **set_many(PRODUCTS, ids=[made["id"]], values=values), changed=1, has={"saved": 1}))


@pytest.mark.parametrize("user", ["globex", "acme-north"])
def test_foreign_records_do_not_match(play: Play, trio: list[Document], user: str) -> None:
    asked = set_many(filter=like(trio), values={"mode": "SEA"})
    play(Scenario("set", **asked, user=user, has={"results": [], "saved": 0, "failed": 0}))


NOTHING = 'name:"No carrier has this name"'

REFUSED: dict[str, tuple[Document, int, str]] = {
    "neither": ({"values": {"mode": "SEA"}}, 422, "record.invalid"),
    "both": ({"filter": "mode:AIR", "ids": [NOWHERE], "values": {"mode": "SEA"}}, 422, "record.invalid"),
    "an empty filter": ({"filter": " ", "values": {"mode": "SEA"}}, 422, "record.invalid"),
    "no ids": ({"ids": [], "values": {"mode": "SEA"}}, 422, "record.invalid"),
    "an id twice": ({"ids": [NOWHERE, NOWHERE], "values": {"mode": "SEA"}}, 422, "record.invalid"),
    "no values": ({"ids": [NOWHERE], "values": {}}, 422, "record.invalid"),
    "an unknown field": ({"ids": [NOWHERE], "values": {"mdoe": "SEA"}}, 400, "field.unknown"),
    "a server field": ({"ids": [NOWHERE], "values": {"auditInfo": {}}}, 400, "request.invalid_parameter"),
    "a path in another": (
        {"ids": [NOWHERE], "values": {"home": None, "home.entityId": NOWHERE}}, 400, "request.invalid_parameter",
    ),
    "a value of another type": ({"filter": NOTHING, "values": {"name": 7}}, 422, "record.invalid"),
    "a value that is not listed": ({"filter": NOTHING, "values": {"mode": "ROCKET"}}, 422, "record.invalid"),
    "a wrong type in an object": (
        {"filter": NOTHING, "values": {"home": {"realm": 7}}, "atomic": True}, 422, "record.invalid",
    ),
    "a reference without its id": (
        {"filter": NOTHING, "values": {"home": {"entityRefName": "LPPT"}}}, 422, "record.invalid",
    ),
    "an id that is none": ({"ids": [NOWHERE], "values": {"home.entityId": "x"}}, 400, "request.malformed"),
    "an unknown field in an object": (
        {"filter": NOTHING, "values": {"home": {"entytiId": NOWHERE}}}, 400, "request.unknown_member",
    ),
    "an unknown field in the filter": ({"filter": "mdoe:AIR", "values": {"mode": "SEA"}}, 400, "field.unknown"),
    "an unreadable filter": ({"filter": "mode:(", "values": {"mode": "SEA"}}, 400, "filter.syntax"),
}  # fmt: skip


@pytest.mark.parametrize(("body", "status", "code"), REFUSED.values(), ids=REFUSED)
def test_refused_as_a_whole(play: Play, body: Document, status: int, code: str) -> None:
    play(Scenario("set", **set_many(**body), status=status, code=code))


def test_too_many_are_refused_with_their_number(mongo_uri: str, mongo_client: Any, key_folder: Any) -> None:
    with open_world(mongo_uri, mongo_client, data_folder=key_folder, max_bulk_operations=2) as world:
        made = [world.make("Carrier") for _each in range(3)]
        said: dict[str, Any] = {"status": 422, "code": "set.too_many", "has": {"matched": 3}}
        world.play(Scenario("filter", **set_many(filter="mode:AIR", values={"mode": "SEA"}), **said))
        ids = [record["id"] for record in made]
        world.play(Scenario("ids", **set_many(ids=ids, values={"mode": "SEA"}), **said))
        world.play(Scenario("two", **set_many(ids=ids[:2], values={"mode": "SEA"}), changed=2))
