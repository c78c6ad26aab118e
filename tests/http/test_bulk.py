"""POST {basePath}/bulk: each operation answers as its single request would."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.http.world import NOWHERE, Document, Play, World
from tests.scenario import Scenario

CARRIERS = "/logistics/carriers"
BULK = f"POST {CARRIERS}/bulk"
LINE = {"name": "Atlantic Air Cargo", "mode": "AIR"}
JSON = {"Content-Type": "application/json"}


def save(**members: Any) -> Document:
    return {"op": "save", "record": LINE | members}


def delete(record_id: str) -> Document:
    return {"op": "delete", "id": record_id}


def results(answer: Any) -> list[tuple[int, str | None]]:
    """Status and code of each operation."""
    return [(result["status"], result.get("error", {}).get("code")) for result in answer["results"]]


def test_inserts(world: World, play: Play) -> None:
    body = {"operations": [save(refName=f"bulk-{n}") for n in range(3)]}
    answer = play(Scenario("bulk", BULK, body=body, stored=3, has={"saved": 3, "deleted": 0, "failed": 0}))
    for n, result in enumerate(answer["results"]):
        expected = {"index": n, "op": "save", "status": 201, "refName": f"bulk-{n}", "version": 1}
        assert expected.items() <= result.items()
        found = world.ask(f"GET {CARRIERS}/id/{result['id']}").json()
        assert (found["refName"], found["auditInfo"]["createdBy"]) == (f"bulk-{n}", "admin@acme.example")


def test_mixed(world: World, play: Play) -> None:
    old, gone = world.make("Carrier", refName="old"), world.make("Carrier")
    operations = [
        save(id=old["id"], name="Renamed"),
        delete(gone["id"]),
        save(refName="mixed"),
        save(refName="mixed"),
        save(mode="BOAT"),
        delete(NOWHERE),
        save(id=NOWHERE),
    ]
    answer = play(Scenario("bulk", BULK, body={"operations": operations}, stored=2, changed=1, removed=1))
    assert results(answer) == [
        (200, None), (204, None), (201, None), (409, "record.duplicate"), (422, "record.invalid"),
        (404, "record.not_found"), (201, None),
    ]  # fmt: skip
    assert [result["index"] for result in answer["results"]] == list(range(7))
    assert {k: answer[k] for k in ("saved", "deleted", "failed")} == {"saved": 3, "deleted": 1, "failed": 3}
    assert answer["results"][0].items() >= {"id": old["id"], "version": 2, "refName": "old"}.items()
    assert answer["results"][1] == {"index": 1, "op": "delete", "status": 204, "id": gone["id"]}


def test_what_stands_before_has_happened_before(world: World, play: Play) -> None:
    """A name is freed by a delete and taken by a save, in the order of the operations."""
    made = world.make("Carrier", refName="order")
    operations = [save(refName="order"), delete(made["id"]), save(refName="order"), save(refName="order")]
    answer = play(Scenario("bulk", BULK, body={"operations": operations}, stored=1, removed=1))
    assert results(answer) == [
        (409, "record.duplicate"), (204, None), (201, None), (409, "record.duplicate"),
    ]  # fmt: skip


def test_a_replace_after_an_insert_sees_it(world: World, play: Play) -> None:
    made = world.make("Carrier", refName="first")
    operations = [save(refName="second"), save(id=made["id"], refName="second")]
    answer = play(Scenario("bulk", BULK, body={"operations": operations}, stored=1))
    assert results(answer) == [(201, None), (409, "record.duplicate")]


ALIKE: dict[str, Document] = {
    "good": {},
    "unknown member": {"nmae": "x"},
    "wrong type": {"name": 5},
    "required is null": {"name": None},
    "not of the enumeration": {"mode": "BOAT"},
    "absent id": {"id": NOWHERE},
    "malformed id": {"id": "xyz"},
    "absent id with a version": {"id": NOWHERE, "version": 1},
    "version without an id": {"version": 1},
    "version beyond 64 bits": {"version": 2**70},
    "missing reference": {"home": {"entityId": NOWHERE}},
    "foreign tenant": {"dataDomain": {"tenantId": "globex"}},
    "refName empty": {"refName": ""},
    "deep": {"name": [[[[[[[[[["x"]]]]]]]]]]},
}


@pytest.mark.parametrize("members", ALIKE.values(), ids=ALIKE.keys())
def test_each_answers_as_its_single_request(world: World, members: Document) -> None:
    before = world.snapshot()
    single = world.ask(f"POST {CARRIERS}", json=LINE | members)
    answer = world.ask(BULK, json={"operations": [save(**members)]})
    (result,) = answer.json()["results"]
    assert (answer.status_code, result["status"]) == (200, single.status_code)
    if single.status_code == 201:
        assert len(world.snapshot().keys() - before.keys()) == 2
        return
    assert world.snapshot() == before
    varying = {"instance", "requestId", "decisionId"}
    error, alone = result["error"], single.json()
    assert {k: v for k, v in error.items() if k not in varying} == {
        k: v for k, v in alone.items() if k not in varying
    }


@pytest.mark.parametrize("state", ["BOOKED", "DELIVERED"])
def test_state_graphs_and_hidden_fields_as_singly(world: World, play: Play, state: str) -> None:
    record = world.sample("Shipment") | {"status": state, "customsToken": "hush"}
    scenario = Scenario(
        "bulk", "POST /logistics/shipments/bulk", body={"operations": [{"op": "save", "record": record}]},
        stored=1 if state == "BOOKED" else 0, silent_on=("hush", "customsToken"),
    )  # fmt: skip
    ((status, code),) = results(play(scenario))
    assert (status, code) == ((201, None) if state == "BOOKED" else (422, "state.transition"))


def test_a_replace_keeps_and_clears_hidden_fields(world: World) -> None:
    kept, cleared = (world.make("Shipment", customsToken="hush") for _ in range(2))
    body = world.sample("Shipment")
    operations = [
        {"op": "save", "record": body | {"id": kept["id"]}},
        {"op": "save", "record": body | {"id": cleared["id"], "customsToken": None}},
    ]
    answer = world.ask("POST /logistics/shipments/bulk", json={"operations": operations})
    assert results(answer.json()) == [(200, None), (200, None)]
    stored = {row["refName"]: row.get("customsToken") for row in world.documents["shipments"].find()}
    assert (stored[kept["refName"]], stored[cleared["refName"]]) == ("hush", None)


def test_names_are_filled_in_before_they_are_displayed(world: World) -> None:
    airport = world.make("Airport", refName="EHAM")
    ends = {"origin": {"entityId": airport["id"]}, "destination": {"entityId": airport["id"]}}
    record = world.sample("Shipment") | ends | {"refName": "S-7"}
    answer = world.ask(
        "POST /logistics/shipments/bulk", json={"operations": [{"op": "save", "record": record}]}
    )
    found = world.ask(f"GET /logistics/shipments/id/{answer.json()['results'][0]['id']}").json()
    assert found["displayName"] == "S-7: EHAM to EHAM"


@pytest.mark.parametrize("user", ["globex", "acme-north"])
def test_foreign_ids_are_as_good_as_absent(world: World, play: Play, user: str) -> None:
    made = world.make("Carrier", name="Mine")
    operations = [delete(made["id"]), save(id=made["id"]), delete(NOWHERE), save(id=NOWHERE)]
    body = {"operations": operations}
    answer = play(Scenario("bulk", BULK, user=user, body=body, stored=2, silent_on=("Mine",)))
    assert results(answer) == [(404, "record.not_found"), (201, None)] * 2
    assert made["id"] not in {result.get("id") for result in answer["results"]}
    assert world.read("Carrier", made) == made


REFUSED: dict[str, tuple[Any, int, str]] = {
    "no operations": ({"operations": []}, 422, "record.invalid"),
    "operations missing": ({}, 422, "record.invalid"),
    "operations null": ({"operations": None}, 422, "record.invalid"),
    "operations an object": ({"operations": {"op": "delete"}}, 422, "record.invalid"),
    "unknown operation": ({"operations": [{"op": "drop", "id": NOWHERE}]}, 422, "record.invalid"),
    "unknown member": ({"operations": [save()], "dryRun": True}, 400, "request.unknown_member"),
    "unknown member inside": ({"operations": [save() | {"force": True}]}, 400, "request.unknown_member"),
    "record is a list": ({"operations": [{"op": "save", "record": []}]}, 422, "record.invalid"),
    "malformed id": ({"operations": [delete("xyz")]}, 400, "request.malformed"),
    "no object": ([save()], 422, "record.invalid"),
    "delete with a record": (
        {"operations": [save(), delete(NOWHERE) | {"record": LINE}]},
        422,
        "record.invalid",
    ),
    "delete without an id": ({"operations": [save(), {"op": "delete"}]}, 422, "record.invalid"),
    "save without a record": ({"operations": [save(), {"op": "save"}]}, 422, "record.invalid"),
    "save with an id beside": ({"operations": [save(), save() | {"id": NOWHERE}]}, 422, "record.invalid"),
    "save with null beside": ({"operations": [save(), save() | {"id": None}]}, 422, "record.invalid"),
}


@pytest.mark.parametrize(("body", "status", "code"), REFUSED.values(), ids=REFUSED.keys())
def test_refused_as_a_whole(play: Play, body: Any, status: int, code: str) -> None:
    play(Scenario("bulk", BULK, body=body, status=status, code=code, lacks=("results",)))


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e400"])
def test_numbers_that_are_none_are_not_silently_dropped(play: Play, number: str) -> None:
    record = f'{{"name": "x", "sku": "ABC", "price": {number}}}'
    content = f'{{"operations": [{{"op": "save", "record": {record}}}]}}'.encode()
    scenario = Scenario("bulk", "POST /logistics/products/bulk", content=content, headers=JSON)
    answer = play(scenario)
    assert results(answer) == [(422, "record.invalid")]
    wrong = {"path": "price", "message": "Input should be a finite number; write it as in 12.50"}
    assert wrong in answer["results"][0]["error"]["violations"]


@pytest.mark.parametrize(("number", "status"), [(1000, 200), (1001, 422)])
def test_at_most_1000_operations(play: Play, number: int, status: int) -> None:
    body = {"operations": [save() for _ in range(number)]}
    stored = number if status == 200 else 0
    code = None if stored else "record.invalid"
    answer = play(Scenario("bulk", BULK, body=body, status=status, code=code, stored=stored))
    if stored:
        assert len({result["id"] for result in answer["results"]}) == number


def test_one_failure_among_many_stops_no_other(world: World, play: Play) -> None:
    operations = [save() for _ in range(200)]
    operations[100] = save(name=None)
    answer = play(Scenario("bulk", BULK, body={"operations": operations}, stored=199))
    assert [n for n, (status, _code) in enumerate(results(answer)) if status != 201] == [100]


def test_who_may_not(world: World, play: Play) -> None:
    body = {"operations": [save(), delete(world.make("Carrier")["id"])]}
    play(Scenario("nobody", BULK, user=None, body=body, status=401, code="access.unauthenticated"))
    play(Scenario("wrong role", BULK, user="acme-nobody", body=body, status=403, code="access.denied"))


def test_a_body_beyond_the_limit(play: Play) -> None:
    content = json.dumps({"operations": [save(name="x" * 100)] * 100}).encode() + b" " * 8 * 2**20
    play(Scenario("bulk", BULK, content=content, headers=JSON, status=413, code="request.too_large"))


@pytest.mark.parametrize("query", ["", "?dryRun=true"], ids=["stored", "tried"])
def test_atomic_with_references_to_several_types(world: World, query: str) -> None:
    """They are looked up inside the transaction, which cannot ask for all of them in one command."""
    operations = [{"op": "save", "record": world.sample("Order")} for _ in range(2)]
    answer = world.ask(f"POST /logistics/orders/bulk{query}", json={"operations": operations, "atomic": True})
    assert (answer.status_code, answer.json().get("saved")) == (200, 2)
