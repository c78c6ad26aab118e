"""GET {basePath}/id/{id} and /refName/{refName}: found, absent, foreign, unchanged."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest

from tests.http.world import NOWHERE, Document, Play, World
from tests.scenario import Scenario

CARRIERS = "/logistics/carriers"


@pytest.fixture(scope="module")
def carrier(world: World) -> Document:
    return world.make("Carrier", refName="atlantic", name="Atlantic Air Cargo")


@pytest.fixture(scope="module")
def foreign(world: World) -> Document:
    """A record of another tenant."""
    return world.make("Carrier", "globex", refName="secret", name="Secret Line")


def by_id(record: Document) -> str:
    return f"GET {CARRIERS}/id/{record['id']}"


def by_ref_name(ref_name: str) -> str:
    return f"GET {CARRIERS}/refName/{quote(ref_name, safe='')}"


def test_by_id_and_by_ref_name_are_the_same_record(play: Play, carrier: Document) -> None:
    answers = {"ETag": '"1"', "content-type": "application/json", "cache-control": "private, no-cache"}
    for request in (by_id(carrier), by_ref_name("atlantic")):
        assert play(Scenario("get", request, answers=answers)) == carrier


def test_what_a_caller_may_do_stands_in_the_record(world: World, play: Play) -> None:
    shipment = world.make("Shipment")
    own = ["VIEW", "UPDATE", "DELETE", "transition:IN_TRANSIT", "transition:CANCELLED"]
    play(Scenario("get", f"GET /logistics/shipments/id/{shipment['id']}", has={"actionList": own}))


@pytest.mark.parametrize(
    "ref_name",
    [
        "a/b",
        "/a//b/",
        "100%",
        "100%25",
        "a%2Fb",
        "%00",
        "a b",
        "a+b",
        "a?b=c&d",
        "a#b",
        "a;b=c",
        "día-été",
        "日本",
        "👩‍🚀",
        "é",
        "e\u0301",
        '"quoted"',
        "\\back",
        "$set",
        "a.b",
        "tab\tnew\nline",
        "id",
        "list",
        "x" * 200,
        "ж" * 200,
    ],
    ids=lambda name: repr(name[:20]),
)
def test_any_ref_name_leads_to_its_record(world: World, ref_name: str) -> None:
    """Paths as a server hands them on, decoded once: the test client would decode twice."""
    made = world.make("Carrier", refName=ref_name)
    assert made["refName"] == ref_name
    status, _headers, found = world.ask_raw("GET", f"{CARRIERS}/refName/{ref_name}")
    assert (status, found) == (200, made)


@pytest.mark.parametrize(
    "ref_name", ["Atlantic", "ATLANTIC", "atlantic ", "atlanti", "atlantic*", "atlantic/", ""]
)
@pytest.mark.usefixtures("carrier")
def test_another_spelling_is_another_record(play: Play, ref_name: str) -> None:
    play(Scenario("get", by_ref_name(ref_name), status=404, code="record.not_found"))


@pytest.mark.parametrize(
    "text",
    [
        NOWHERE,
        "0" * 23,
        "0" * 25,
        "G" * 24,
        "6B0122FF93310E4606EDDAF3",
        "..%2F..",
        "%00",
        "%ff",
        "x" * 9000,
        "$ne",
        "{}",
        "null",
        "1",
        "%E6%97%A5",
    ],
    ids=lambda text: text[:26],
)
def test_an_id_that_names_nothing_is_not_found(play: Play, text: str) -> None:
    play(Scenario("get", f"GET {CARRIERS}/id/{text}", status=404, code="record.not_found"))


def test_the_digits_of_an_id_have_no_case(play: Play, carrier: Document) -> None:
    assert play(Scenario("get", f"GET {CARRIERS}/id/{carrier['id'].upper()}")) == carrier


@pytest.mark.parametrize("user", ["globex", "acme-north"])
def test_a_foreign_record_answers_exactly_as_an_absent_one(
    world: World, carrier: Document, user: str
) -> None:
    """Status, headers and body, but for the name that was asked for and the id of the request."""

    def refusal(path: str, named: str) -> tuple[int, str, dict[str, str]]:
        answer = world.ask(f"GET {CARRIERS}/{path}", user, headers={"X-Request-Id": "same"})
        varying = {"content-length"} if len(named) != 24 else set()
        headers = {name: value for name, value in answer.headers.items() if name not in varying}
        return answer.status_code, answer.text.replace(named, "NAME"), headers

    assert refusal(f"id/{carrier['id']}", carrier["id"]) == refusal(f"id/{NOWHERE}", NOWHERE)
    assert refusal("refName/atlantic", "atlantic") == refusal("refName/atlantis", "atlantis")
    assert refusal(f"id/{NOWHERE}", NOWHERE)[0] == 404


def test_a_foreign_etag_does_not_tell_that_there_is_a_record(play: Play, foreign: Document) -> None:
    for tag in ('"1"', "*"):
        headers = {"If-None-Match": tag}
        answers = {"ETag": None}
        for request in (by_id(foreign), by_ref_name("secret")):
            play(
                Scenario("get", request, headers=headers, status=404, silent_on=("Secret",), answers=answers)
            )


@pytest.mark.parametrize(
    ("tag", "status"),
    [
        pytest.param('"1"', 304, id="the version"),
        pytest.param('W/"1"', 304, id="weak: compared weakly"),
        pytest.param('"9", "1"', 304, id="one of several"),
        pytest.param('"9","1"', 304, id="one of several, no blank"),
        pytest.param("*", 304, id="any"),
        pytest.param('"2"', 200, id="another version"),
        pytest.param("1", 200, id="no quotes"),
        pytest.param("", 200, id="empty"),
        pytest.param('"1', 200, id="unfinished"),
    ],
)
def test_not_modified(world: World, carrier: Document, tag: str, status: int) -> None:
    for request in (by_id(carrier), by_ref_name("atlantic")):
        answer = world.ask(request, headers={"If-None-Match": tag})
        assert answer.status_code == status
        assert answer.headers["ETag"] == '"1"'
        assert answer.headers["cache-control"] == "private, no-cache"
        assert (answer.content == b"") == (status == 304)


@pytest.mark.parametrize(("tag", "status"), [('"2"', 200), ('"1"', 304)])
def test_no_cache_shows_the_next_caller_what_the_last_one_was_shown(
    world: World, carrier: Document, tag: str, status: int
) -> None:
    answer = world.ask(by_id(carrier), headers={"If-None-Match": tag})
    assert answer.status_code == status
    varies = set(answer.headers["vary"].split(", "))
    assert varies >= {"Authorization", "X-Realm", "X-Impersonate-Subject", "X-Impersonate-UserId"}


def test_the_tag_changes_with_the_record(world: World, play: Play) -> None:
    made = world.make("Carrier")
    body = {"id": made["id"], "name": "Renamed", "mode": "AIR"}
    play(Scenario("replace", f"POST {CARRIERS}", body=body, changed=1, answers={"ETag": '"2"'}))
    found = play(Scenario("get", by_id(made), headers={"If-None-Match": '"1"'}, answers={"ETag": '"2"'}))
    assert found["name"] == "Renamed"


def test_parameters_are_refused(play: Play, carrier: Document) -> None:
    for query in ("projection=name", "x=", "filter=mode:AIR"):
        said: dict[str, Any] = {"status": 400, "code": "request.unknown_parameter"}
        play(Scenario("get", f"{by_id(carrier)}?{query}", **said))
    cut = play(Scenario("a colon", f"{by_id(carrier)}?expand=home&x:y=1", **said))
    assert "%26" not in cut["detail"], "nothing that this path takes is cut at an &"
    bare = play(Scenario("no name", f"GET {CARRIERS}/list?mode:AIR", **said))
    assert "%26" not in bare["detail"], "nothing was sent that an & could have cut"


def test_a_tag_that_came_twice_is_refused(world: World, carrier: Document) -> None:
    headers = [("If-None-Match", '"1"'), ("If-None-Match", '"2"'), *world.headers("acme").items()]
    answer = world.client.get(f"{CARRIERS}/id/{carrier['id']}", headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (400, "request.invalid_parameter")


def test_an_operator_gets_the_one_that_is_meant(world: World, play: Play) -> None:
    """Bound to no tenant: its own first, another's where it is the only one, none by chance."""
    theirs = world.make("Carrier", "globex", refName="lone")
    for tenant in ("acme", "globex"):
        world.make("Carrier", tenant, refName="twice")
    assert play(Scenario("the only one", by_ref_name("lone"), "system"))["id"] == theirs["id"]
    refusal = {"code": "request.invalid_parameter", "parameter": "refName"}
    play(Scenario("several", by_ref_name("twice"), "system", status=400, has=refusal))
    own = world.make("Carrier", "system", refName="twice")
    assert play(Scenario("its own", by_ref_name("twice"), "system"))["id"] == own["id"]
    play(Scenario("none", by_ref_name("nowhere at all"), "system", status=404))
