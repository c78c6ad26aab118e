"""How large a body may be on which route, and what is decided before a large one is read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from runtime.errors import Overloaded
from runtime.http.held_bodies import MOST, MOST_OF_ONE, HeldBodies, held_bodies
from tests.http.world import NOWHERE, Play, World
from tests.scenario import Scenario

SMALL = 64 * 2**10
MEGABYTES = 8 * 2**20
VALUES = 20_000
JSON = {"Content-Type": "application/json"}
PATCH = {"Content-Type": "application/merge-patch+json"}

NEVER: Iterator[bytes] = iter(())
"""A body that is never sent: asking for it fails."""

WITHOUT_RECORDS = {
    "login": "POST /security/login",
    "refresh": "POST /security/refresh",
    "logout": "POST /security/logout",
    "password": "POST /security/password",
    "permission check": "POST /security/permission/check",
    "new user": "POST /security/users",
    "roles": "PUT /security/users/subject/x/roles",
}
WITH_RECORDS = {
    "save": ("POST /logistics/carriers", JSON),
    "patch": (f"PATCH /logistics/carriers/id/{NOWHERE}", PATCH),
    "bulk": ("POST /logistics/carriers/bulk", JSON),
    "set in bulk": ("PUT /logistics/carriers/bulk/set", JSON),
    "find": ("POST /logistics/carriers/find", JSON),
}


def send(
    world: World, request: str, headers: dict[str, str], caller: str | None, body: Iterator[bytes]
) -> int:
    """The status of a request whose body comes in pieces, as they are asked for."""
    method, path = request.split(" ")

    async def receive() -> Any:
        return {"type": "http.request", "body": (piece := next(body)), "more_body": bool(piece)}

    sent = world.send_messages(method, path, receive, headers=headers | world.headers(caller))
    status: int = sent[0]["status"]
    return status


@pytest.mark.parametrize("request_", WITHOUT_RECORDS.values(), ids=WITHOUT_RECORDS.keys())
def test_where_no_record_is_sent_64_kib_are_enough(play: Play, request_: str) -> None:
    said: dict[str, Any] = {"status": 413, "code": "request.too_large", "says": (str(SMALL),)}
    play(Scenario("large", request_, content=b" " * (SMALL + 1), headers=JSON, **said))


@pytest.mark.parametrize("request_", WITHOUT_RECORDS.values(), ids=WITHOUT_RECORDS.keys())
def test_where_no_record_is_sent_a_few_thousand_values_are_enough(play: Play, request_: str) -> None:
    content = b"{" + b",".join(b'"%d":1' % at for at in range(5000)) + b"}"
    said: dict[str, Any] = {"status": 413, "code": "request.too_large", "says": ("4096 values",)}
    play(Scenario("large", request_, content=content, headers=JSON, **said))


@pytest.mark.parametrize(("request_", "headers"), WITH_RECORDS.values(), ids=WITH_RECORDS.keys())
def test_the_values_of_a_body_are_bounded(play: Play, request_: str, headers: dict[str, str]) -> None:
    most = 5 * VALUES if request_.endswith("/bulk") else VALUES
    content = b'{"x":[' + b",".join([b"1"] * most) + b"]}"
    said: dict[str, Any] = {"status": 413, "code": "request.too_large", "says": (f"{most} values",)}
    play(Scenario("large", request_, content=content, headers=headers, **said))


@pytest.mark.parametrize(("request_", "headers"), WITH_RECORDS.values(), ids=WITH_RECORDS.keys())
def test_the_nesting_of_a_body_is_bounded(play: Play, request_: str, headers: dict[str, str]) -> None:
    content = b'{"x":' * 65 + b"1" + b"}" * 65
    said: dict[str, Any] = {"status": 400, "code": "request.malformed", "says": ("64 levels",)}
    play(Scenario("deep", request_, content=content, headers=headers, **said))


@pytest.mark.parametrize(
    "request_", [*WITHOUT_RECORDS.values(), *(name for name, _ in WITH_RECORDS.values())]
)
def test_a_large_body_of_nobody_is_not_read(world: World, request_: str) -> None:
    headers = (PATCH if "PATCH" in request_ else JSON) | {"Content-Length": str(MEGABYTES)}
    is_public = request_ in (WITHOUT_RECORDS[name] for name in ("login", "refresh", "password"))
    assert send(world, request_, headers, None, NEVER) == (413 if is_public else 401)


@pytest.mark.parametrize(("request_", "headers"), WITH_RECORDS.values(), ids=WITH_RECORDS.keys())
def test_a_large_body_of_somebody_without_permission_is_not_read(
    world: World, request_: str, headers: dict[str, str]
) -> None:
    headers = headers | {"Content-Length": str(MEGABYTES)}
    assert send(world, request_, headers, "acme-nobody", NEVER) == 403


def test_nor_is_one_of_undeclared_length_to_its_end(world: World) -> None:
    """What came until then is cut off: nothing says how much would have followed."""
    pieces = iter([b" " * 2**14] * 100)
    assert send(world, "POST /logistics/carriers", JSON, "acme-nobody", pieces) == 403
    assert len(list(pieces)) == 95


@pytest.mark.parametrize("request_", [*WITHOUT_RECORDS.values(), *(one for one, _ in WITH_RECORDS.values())])
@pytest.mark.parametrize("coding", ["gzip", "identity, gzip", "br"])
def test_an_encoded_body_is_refused(play: Play, request_: str, coding: str) -> None:
    headers = (PATCH if "PATCH" in request_ else JSON) | {"Content-Encoding": coding}
    said: dict[str, Any] = {"status": 415, "code": "request.media_type", "says": (coding,)}
    answers = {"accept-encoding": "identity"}
    play(Scenario("encoded", request_, content=b"{}", headers=headers, answers=answers, **said))


def test_an_encoded_file_is_refused_and_identity_is_no_encoding(world: World, play: Play) -> None:
    headers = {"Content-Type": "multipart/form-data; boundary=b", "Content-Encoding": "deflate"}
    path = "POST /logistics/carriers/csv?requestedColumns=refName"
    said: dict[str, Any] = {"status": 415, "code": "request.media_type"}
    play(Scenario("file", path, content=b"x", headers=headers, **said))
    body = world.sample("Carrier")
    headers = {"Content-Encoding": "Identity"}
    assert world.ask("POST /logistics/carriers", json=body, headers=headers).status_code == 201


def test_large_bodies_that_are_held_are_bounded(world: World, play: Play) -> None:
    """By those of others here; a small body goes by, and what is answered is held no longer."""
    others: dict[str, Any] = {}
    held_bodies.hold(others, "others", MOST)
    large = json.dumps({"name": "x" * SMALL}).encode()
    said: dict[str, Any] = {"status": 503, "code": "service.overloaded", "says": ("large bodies",)}
    try:
        play(Scenario("held", "POST /logistics/carriers", content=large, headers=JSON, **said))
        small = world.ask("POST /logistics/carriers", json=world.sample("Carrier"))
    finally:
        held_bodies.release(others)
    assert small.status_code == 201
    for request, (name, headers) in WITH_RECORDS.items():
        answer = world.ask(name, content=large, headers=headers)
        assert answer.status_code in (400, 404, 422), (request, answer.text)
    message = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "x" * SMALL}).encode()
    world.ask("POST /mcp", content=message, headers=JSON | {"Accept": "application/json, text/event-stream"})
    assert held_bodies.is_empty


def test_one_user_holds_a_part_of_what_all_may() -> None:
    bodies, one, other = HeldBodies(), [dict[str, Any]() for _ in range(3)], dict[str, Any]()
    for size in (1, MOST_OF_ONE - 1):  # it grows as it comes
        bodies.hold(one[0], "one", size)
    bodies.hold(other, "other", MOST - MOST_OF_ONE)
    with pytest.raises(Overloaded):
        bodies.hold(one[1], "one", 2)
    with pytest.raises(Overloaded):
        bodies.hold(other, "other", MOST - MOST_OF_ONE + 2)
    bodies.release(one[0])
    bodies.hold(one[2], "one", 2 * MOST)  # nobody else holds any: the settings allow one so large
    for scope in (*one, other):
        bodies.release(scope)
    assert bodies.is_empty


REPEATED: dict[str, tuple[str, bytes]] = {
    "login": ("POST /security/login", b'{"userId": "a", "password": "b", "userId": "c"}'),
    "save": ("POST /logistics/carriers", b'{"name": "a", "mode": "AIR", "name": "b"}'),
    "inside a record": (
        "POST /logistics/customers",
        b'{"name": "a", "dataDomain": {"tenantId": "acme", "tenantId": "globex"}}',
    ),
    "patch": (f"PATCH /logistics/carriers/id/{NOWHERE}", b'{"name": "a", "name": null}'),
    "bulk": (
        "POST /logistics/carriers/bulk",
        b'{"operations": [{"op": "save", "record": {"name": "a", "name": "b", "mode": "AIR"}}]}',
    ),
    "operation": ("POST /logistics/carriers/bulk", b'{"operations": [{"op": "save", "op": "delete"}]}'),
    "set in bulk": (
        "PUT /logistics/carriers/bulk/set",
        b'{"filter": "mode:AIR", "values": {"name": "a", "name": "b"}}',
    ),
    "find": ("POST /logistics/carriers/find", b'{"filter": "mode:AIR", "filter": "mode:SEA"}'),
}


@pytest.mark.parametrize(("request_", "content"), REPEATED.values(), ids=REPEATED.keys())
def test_a_member_that_was_sent_twice(play: Play, request_: str, content: bytes) -> None:
    headers = PATCH if "PATCH" in request_ else JSON
    said: dict[str, Any] = {"status": 400, "code": "request.repeated_member"}
    play(Scenario("twice", request_, content=content, headers=headers, **said))


def test_many_unknown_members_are_reported_as_one(play: Play) -> None:
    body = {f"x{at}": 1 for at in range(19_000)}
    said: dict[str, Any] = {"status": 400, "code": "request.unknown_member", "has": {"member": "x0"}}
    play(
        Scenario(
            "unknown", "POST /logistics/carriers", content=json.dumps(body).encode(), headers=JSON, **said
        )
    )


def test_a_bulk_of_as_many_whole_records_as_it_may_have(world: World) -> None:
    """More values than one record may have, in records of a usual size."""
    notes = {f"note{number}": "x" for number in range(30)}
    operations = [{"op": "save", "record": {"name": "x", "mode": "AIR", **notes}} for _ in range(1000)]
    answer = world.ask(
        "POST /logistics/carriers/bulk", "acme", json={"operations": operations, "atomic": False}
    )
    assert answer.status_code == 200
    assert {result["error"]["code"] for result in answer.json()["results"]} == {"request.unknown_member"}


def test_a_record_of_a_bulk_is_bounded_as_on_its_own(play: Play) -> None:
    small, large = {"name": "x"}, {"name": "x", "notes": [[1] * 100] * (VALUES // 100)}
    operations = [{"op": "save", "record": record} for record in (small, large)]
    said: dict[str, Any] = {"status": 413, "code": "request.too_large", "says": ("operations[1]: a record",)}
    play(Scenario("large", "POST /logistics/carriers/bulk", body={"operations": operations}, **said))
