"""What a request leaves behind: nothing, before the garbage collector has come by."""

from __future__ import annotations

import gc
import json
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.requests import Request

from runtime.call import Call
from runtime.http import garbage
from tests.http.test_body_limits import JSON, PATCH, send
from tests.http.world import NOWHERE, World

LARGE = 200_000
TEXT = "x" * LARGE
GONE = {"entityId": NOWHERE}
CARRIER = {"name": "Atlantic Air Cargo", "mode": "AIR"}

BALLAST = {"actionList": [TEXT]}
"""Taken, and kept out of the record."""
DUPLICATE = {"name": "x", "refName": "TWICE"} | BALLAST
ORDER = {"customer": GONE, "items": [{"product": GONE, "quantity": 1, "price": "1"}]} | BALLAST

REFUSED: dict[str, tuple[str, Any, int]] = {
    "unknown member": ("POST /logistics/carriers", CARRIER | {"x": TEXT}, 400),
    "member sent twice": ("POST /logistics/carriers", b'{"name": "%b", "name": 1}' % TEXT.encode(), 400),
    "not JSON": ("POST /logistics/carriers", b'{"name": "%b"' % TEXT.encode(), 400),
    "too many values": ("POST /logistics/carriers", {"x": [TEXT] + [1] * 20_000}, 413),
    "invalid": ("POST /logistics/carriers", CARRIER | {"name": TEXT}, 422),
    "missing reference": ("POST /logistics/orders", ORDER, 422),
    "dynamic attribute": (
        "POST /logistics/customers",
        {"name": "x", "dynamicAttributes": {"a": {"b": {"type": "String", "value": TEXT}}}},
        422,
    ),
    "duplicate": ("POST /logistics/customers", DUPLICATE, 409),
    "stale": ("POST /logistics/customers", DUPLICATE | {"version": 7}, 409),
    "absent": (f"PATCH /logistics/carriers/id/{NOWHERE}", {"name": TEXT}, 404),
    "bulk": (
        "POST /logistics/carriers/bulk",
        {"operations": [{"op": "save", "record": {"name": TEXT}}]},
        200,
    ),
    "bulk, all or none": (
        "POST /logistics/carriers/bulk",
        {"operations": [{"op": "save", "record": {"name": TEXT}}], "atomic": True},
        422,
    ),
    "bulk of duplicates": (
        "POST /logistics/customers/bulk",
        {"operations": [{"op": "save", "record": DUPLICATE}] * 2},
        200,
    ),
    "bulk of missing references": (
        "POST /logistics/orders/bulk",
        {"operations": [{"op": "save", "record": ORDER}] * 2},
        200,
    ),
}


@pytest.fixture(scope="module")
def frozen_heap(world: World) -> None:
    """Spare each collection what is there before the tests."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def uncollected(frozen_heap: None) -> Iterator[list[Any]]:
    """What was left in cycles while the test ran, once it is asked for by ``gc.collect``."""
    gc.collect()
    gc.disable()
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        yield gc.garbage
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()
        gc.collect()


def is_large(value: Any) -> bool:
    held = gc.get_referents(value)
    return any(isinstance(one, str | bytes | bytearray) and len(one) >= LARGE for one in held)


@pytest.mark.parametrize(("request_", "body", "status"), REFUSED.values(), ids=REFUSED.keys())
def test_nothing_of_a_refused_request_waits_for_the_collector(
    world: World, uncollected: list[Any], request_: str, body: Any, status: int
) -> None:
    world.ask("POST /logistics/customers", json={"name": "x", "refName": "TWICE"})
    headers = PATCH if request_.startswith("PATCH") else JSON
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    pieces = [b"", content]
    assert send(world, request_, headers, "acme", iter(pieces.pop, None)) == status
    gc.collect()
    left = [f"{type(one).__name__} {str(one)[:200]}" for one in uncollected if is_large(one)]
    uncollected.clear()
    assert left == []


ANSWERED: dict[str, tuple[str, Any]] = {
    "get": ("GET /logistics/carriers/id/{id}", None),
    "list": ("GET /logistics/carriers/list?filter=name:x", None),
    "export": ("GET /logistics/carriers/csv", None),
    "absent": (f"GET /logistics/carriers/id/{NOWHERE}", None),
    "save": ("POST /logistics/carriers", {"name": "x", "mode": "AIR"}),
    "invalid": ("POST /logistics/carriers", {"name": 1}),
    "bulk": ("POST /logistics/carriers/bulk", {"operations": [{"op": "save", "record": CARRIER}]}),
    "query": ("POST /api/query/find", {"rootType": "logistics.Carrier", "query": "name:x"}),
    "tools": ("POST /mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}),
}


@pytest.mark.parametrize(("request_", "body"), ANSWERED.values(), ids=ANSWERED.keys())
def test_nothing_of_an_answered_request_waits_for_the_collector(
    world: World, uncollected: list[Any], request_: str, body: Any
) -> None:
    made = world.make("Carrier")
    gc.collect()
    uncollected.clear()
    headers = {"Accept": "application/json, text/event-stream"}
    answer = world.ask(request_.format(id=made["id"]), json=body, headers=headers)
    assert answer.status_code in (200, 201, 404, 422), answer.text
    gc.collect()
    left = [type(one).__name__ for one in uncollected if isinstance(one, Call | Request)]
    uncollected.clear()
    assert left == []


def test_many_large_bodies_are_followed_by_a_collection(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[int] = []
    monkeypatch.setattr(garbage.gc, "collect", lambda: ran.append(1))
    bodies = garbage.LargeBodies()
    for _ in range(9):
        bodies.add(8 * 2**20)
    assert len(ran) == 2
