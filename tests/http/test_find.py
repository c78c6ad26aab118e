"""POST {basePath}/find: a list that is asked for in a body."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

import pytest

from tests.http.world import Document, Play, World
from tests.scenario import Scenario

FIND = "POST /logistics/carriers/find"
LIST = "GET /logistics/carriers/list"


@pytest.fixture(scope="module", autouse=True)
def carriers(world: World) -> list[Document]:
    """Of acme: five carriers in a known order; of globex one that nobody else may see."""
    world.make("Carrier", "globex", name="Secret Line", refName="secret")
    rows = [("a", "ROAD"), ("b", "AIR"), ("c", "SEA"), ("d", "AIR"), ("e", "RAIL")]
    return [world.make("Carrier", refName=f"c-{name}", name=f"Line {name}", mode=mode) for name, mode in rows]


@pytest.fixture(scope="module")
def shipment(world: World) -> Document:
    """One shipment with a hidden value."""
    return world.make("Shipment", refName="S-1", customsToken="hush-hush")


@pytest.mark.parametrize(
    "asked",
    [
        pytest.param({}, id="nothing"),
        pytest.param({"limit": 2}, id="limit"),
        pytest.param({"skip": 1, "limit": 2, "sort": "-name", "filter": "mode:AIR"}, id="a page, filtered"),
        pytest.param({"sort": "mode,-name", "projection": "+name"}, id="sorted and projected"),
        pytest.param({"count": "exact", "filter": 'name:"Line c" || mode:AIR'}, id="counted"),
        pytest.param({"count": "estimated", "actions": True}, id="with actions"),
        pytest.param(
            {"filter": "", "sort": "", "projection": "", "cursor": ""}, id="empty texts say nothing"
        ),
    ],
)
def test_the_page_is_that_of_the_list(world: World, play: Play, asked: Document) -> None:
    query = {name: str(value).lower() if name == "actions" else value for name, value in asked.items()}
    listed = world.ask(f"{LIST}?{urlencode(query)}")
    assert listed.status_code == 200
    found = play(Scenario("find", FIND, body=asked, silent_on=("Secret Line",)))
    assert without_cursor(found) == without_cursor(listed.json())


def without_cursor(page: Document) -> tuple[Document, bool]:
    """The page, and whether it has a cursor: its letters hold ids in an order of their own."""
    return {name: value for name, value in page.items() if name != "nextCursor"}, "nextCursor" in page


def test_null_says_nothing(play: Play) -> None:
    nulls = dict.fromkeys(("limit", "filter", "sort", "projection", "cursor"))
    page = play(Scenario("find", FIND, body=nulls, has={"rowCount": 5, "limit": 50}))
    assert page.keys() == {"offset", "limit", "rows", "rowCount"}


def test_a_filter_longer_than_a_url(play: Play, carriers: list[Document]) -> None:
    names = ",".join(['"c-a"', *(f'"{"x" * 30}-{number}"' for number in range(400)), '"c-e"'])
    filter_text = f"refName:^[{names}]"
    assert 13_000 < len(filter_text) < 16 * 1024
    page = play(Scenario("find", FIND, body={"filter": filter_text}, has={"filter": filter_text}))
    assert [row["id"] for row in page["rows"]] == [carriers[0]["id"], carriers[4]["id"]]


def test_the_cursor_of_a_list_goes_on_in_a_find(world: World, play: Play) -> None:
    first = world.ask(f"{LIST}?limit=2&sort=-name").json()
    body = {"cursor": first["nextCursor"], "limit": 9, "sort": "-name"}
    page = play(Scenario("find", FIND, body=body, has={"offset": 2}, lacks=("nextCursor",)))
    assert [row["name"] for row in page["rows"]] == ["Line c", "Line b", "Line a"]


@pytest.mark.parametrize("user", ["globex", "acme-north", "system"])
def test_each_finds_its_own(play: Play, user: str) -> None:
    seen = {"globex": ["secret"], "acme-north": [], "system": ["c-a", "c-b", "c-c", "c-d", "c-e", "secret"]}
    page = play(Scenario("find", FIND, user=user, body={"sort": "refName", "count": "exact"}))
    assert [row["refName"] for row in page["rows"]] == seen[user]
    assert page["totalCount"] == len(seen[user])


REFUSED = [
    Scenario("unknown member", FIND, body={"lim": 5}, status=400, code="request.unknown_member", says=("lim", "limit")),
    Scenario("operator as member", FIND, body={"$where": "1"}, status=400, code="request.unknown_member"),
    Scenario("filter as an object", FIND, body={"filter": {"$ne": None}}, status=400, code="request.invalid_parameter", says=("filter",)),
    Scenario("filter as a list", FIND, body={"filter": ["mode:AIR"]}, status=400, code="request.invalid_parameter"),
    Scenario("limit as text", FIND, body={"limit": "5"}, status=400, code="request.invalid_parameter", says=("limit",)),
    Scenario("limit as a fraction", FIND, body={"limit": 1.5}, status=400, code="request.invalid_parameter"),
    Scenario("limit as a boolean", FIND, body={"limit": True}, status=400, code="request.invalid_parameter"),
    Scenario("limit 0", FIND, body={"limit": 0}, status=400, code="request.invalid_parameter"),
    Scenario("limit 1001", FIND, body={"limit": 1001}, status=400, code="request.invalid_parameter", says=("1000",)),
    Scenario("skip -1", FIND, body={"skip": -1}, status=400, code="request.invalid_parameter"),
    Scenario("skip null", FIND, body={"skip": None}, status=400, code="request.invalid_parameter"),
    Scenario("actions as text", FIND, body={"actions": "true"}, status=400, code="request.invalid_parameter"),
    Scenario("another way to count", FIND, body={"count": "all"}, status=400, code="request.invalid_parameter", says=("count",)),
    Scenario("endless sort", FIND, body={"sort": "a" * 1025}, status=400, code="request.invalid_parameter"),
    Scenario("filter over 16 KiB", FIND, body={"filter": "name:" + "x" * 16400}, status=400, code="request.invalid_parameter"),
    Scenario("filter cut short", FIND, body={"filter": "mode:"}, status=400, code="filter.syntax", has={"column": 6}),
    Scenario("filter value of another type", FIND, body={"filter": "active:maybe"}, status=400, code="filter.type"),
    Scenario("unknown filter field", FIND, body={"filter": "mod:AIR"}, status=400, code="field.unknown", says=("mode",)),
    Scenario("unknown sort field", FIND, body={"sort": "mod"}, status=400, code="field.unknown"),
    Scenario("unknown projection field", FIND, body={"projection": "mod"}, status=400, code="field.unknown"),
    Scenario("no cursor", FIND, body={"cursor": "x"}, status=400, code="request.invalid_parameter", says=("cursor",)),
    Scenario("a list", FIND, body=[], status=422, code="record.invalid"),
    Scenario("no JSON", FIND, content=b"{", headers={"Content-Type": "application/json"}, status=400, code="request.malformed"),
    Scenario("nothing", FIND, content=b"", headers={"Content-Type": "application/json"}, status=400, code="request.malformed"),
    Scenario("a form", FIND, content=b"limit=5", headers={"Content-Type": "application/x-www-form-urlencoded"},
             status=415, code="request.media_type"),
    Scenario("query parameters", f"{FIND}?limit=5", body={}, status=400, code="request.unknown_parameter"),
    Scenario("another method", "GET /logistics/carriers/find", status=405, code="request.method_not_allowed"),
    Scenario("nobody", FIND, user=None, body={}, status=401, code="access.unauthenticated"),
    Scenario("wrong role", FIND, user="acme-nobody", body={}, status=403, code="access.denied"),
]  # fmt: skip


@pytest.mark.parametrize("scenario", REFUSED, ids=str)
def test_refused(play: Play, scenario: Scenario) -> None:
    play(scenario)


@pytest.mark.usefixtures("shipment")
def test_a_hidden_field_is_unknown_here_too(play: Play) -> None:
    def said(**body: Any) -> None:
        silent = ("hush-hush", "S-1")
        find = "POST /logistics/shipments/find"
        play(Scenario("hidden", find, body=body, status=400, code="field.unknown", silent_on=silent))

    said(filter="customsToken:hush*")
    said(filter="status:BOOKED || customsToken:~")
    said(sort="customsToken")
    said(projection="+customsToken")
    page = play(Scenario("shown", "POST /logistics/shipments/find", body={}, silent_on=("customsToken",)))
    assert page["rowCount"] == 1
