"""DELETE {basePath}/id/{id}: gone, absent, foreign, preconditions."""

from __future__ import annotations

from typing import Any

import pytest

from tests.http.world import NOWHERE, Document, Play, World
from tests.scenario import Scenario

CARRIERS = "/logistics/carriers"


def delete(record: Document) -> str:
    return f"DELETE {CARRIERS}/id/{record['id']}"


@pytest.mark.parametrize("user", ["acme", "acme-user", "system"])
def test_a_deleted_record_is_gone(world: World, play: Play, user: str) -> None:
    made = world.make("Carrier", refName=f"gone-{user}")
    answers = {"content-type": None, "ETag": None}
    assert play(Scenario("delete", delete(made), user=user, status=204, removed=1, answers=answers)) is None
    get = f"GET {CARRIERS}/id/{made['id']}"
    play(Scenario("get", get, status=404))
    play(Scenario("again", delete(made), user=user, status=404, code="record.not_found"))
    body = {"refName": f"gone-{user}", "name": "x", "mode": "AIR"}
    play(Scenario("its name is free", f"POST {CARRIERS}", body=body, status=201, stored=1))


@pytest.mark.parametrize(
    "text", [NOWHERE, "xyz", "0" * 23, "%00", "..%2Flist", "x" * 9000], ids=lambda text: text[:24]
)
def test_an_id_that_names_nothing(play: Play, text: str) -> None:
    play(Scenario("delete", f"DELETE {CARRIERS}/id/{text}", status=404, code="record.not_found"))


@pytest.mark.parametrize("headers", [{}, {"If-Match": "*"}, {"If-Match": '"1"'}], ids=str)
@pytest.mark.parametrize("user", ["globex", "acme-north"])
def test_a_foreign_record_is_as_good_as_absent(
    world: World, play: Play, user: str, headers: dict[str, str]
) -> None:
    made = world.make("Carrier")
    said: dict[str, Any] = {
        "status": 404,
        "code": "record.not_found",
        "has": {"detail": f"no Carrier has the id {made['id']}"},
    }
    play(Scenario("delete", delete(made), user=user, headers=headers, **said))


@pytest.mark.parametrize(
    ("tag", "status"),
    [
        pytest.param('"1"', 204, id="the version"),
        pytest.param("*", 204, id="any"),
        pytest.param('"2"', 412, id="another version"),
        pytest.param('W/"1"', 412, id="weak"),
        pytest.param("", 400, id="empty"),
    ],
)
def test_if_match(world: World, play: Play, tag: str, status: int) -> None:
    made = world.make("Carrier")
    removed = 1 if status == 204 else 0
    code = {412: "record.precondition_failed", 400: "request.invalid_parameter"}.get(status)
    play(
        Scenario("delete", delete(made), headers={"If-Match": tag}, status=status, code=code, removed=removed)
    )


def test_if_none_match(world: World, play: Play) -> None:
    made = world.make("Carrier")
    code = "record.precondition_failed"
    play(Scenario("delete", delete(made), headers={"If-None-Match": "*"}, status=412, code=code))
    play(Scenario("delete", delete(made), headers={"If-None-Match": '"2"'}, status=204, removed=1))


def test_who_may_not(world: World, play: Play) -> None:
    made = world.make("Carrier")
    play(Scenario("nobody", delete(made), user=None, status=401, code="access.unauthenticated"))
    play(Scenario("wrong role", delete(made), user="acme-nobody", status=403, code="access.denied"))
    play(Scenario("parameter", f"{delete(made)}?all=1", status=400, code="request.unknown_parameter"))
    play(Scenario("by refName", f"DELETE {CARRIERS}/refName/{made['refName']}", status=405))
    play(Scenario("all of them", f"DELETE {CARRIERS}", status=405))


def test_one_that_is_referred_to_may_go_where_nobody_tracks_it(world: World, play: Play) -> None:
    """References without ``track`` do not hold their target; the names they carry stay readable."""
    carrier = world.make("Carrier", refName="held")
    shipment = world.make("Shipment", carrier={"entityId": carrier["id"]})
    play(Scenario("delete", delete(carrier), status=204, removed=1))
    assert world.read("Shipment", shipment)["carrier"]["entityRefName"] == "held"
