"""``cursor`` of a list: page after page to the end, whatever happens meanwhile; and whose cursors are refused."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
from pymongo import MongoClient
from starlette.testclient import TestClient

from generated.app import create
from runtime.settings import Settings
from tests.http.world import Document, Play, World, open_world
from tests.scenario import Scenario

AIRPORTS = "GET /logistics/airports/list"
CITIES = ["Bern", "Lisbon", None, "Oslo", "Bern", None, "Lisbon", "Bern", "Oslo", None, "Bern", "Ålesund"]


@pytest.fixture(scope="module", autouse=True)
def airports(world: World) -> list[Document]:
    """Twelve of acme in few cities or none, three of globex."""
    for _at in range(3):
        world.make("Airport", "globex", city="Secret")
    return [
        world.make(
            "Airport", refName=f"A-{at:02}", name=f"Field {at % 5}", **({"city": city} if city else {})
        )
        for at, city in enumerate(CITIES)
    ]


def walk(world: World, query: str, limit: int = 5, user: str = "acme") -> Iterator[Document]:
    return world.pages(f"{AIRPORTS}?{query}&limit={limit}", user)


def names(pages: Any) -> list[str]:
    return [row["refName"] for page in pages for row in page["rows"]]


ORDERS = ["", "sort=-id", "sort=city", "sort=-city", "sort=city,-name", "sort=-name,refName", "sort=-refName,city",
          "sort=country.entityRefName,-city", "sort=auditInfo.createdDate", "sort=elevationFt"]  # fmt: skip


@pytest.mark.parametrize("query", ORDERS)
@pytest.mark.parametrize("limit", [1, 5, 12])
def test_page_by_page_is_the_whole_list(world: World, query: str, limit: int) -> None:
    pages = list(walk(world, query, limit))
    whole = world.ask(f"{AIRPORTS}?{query}").json()
    assert names(pages) == names([whole])
    assert "nextCursor" not in whole
    assert [page["offset"] for page in pages] == list(range(0, 12, limit))
    assert [page["rowCount"] for page in pages] == [min(limit, 12 - at) for at in range(0, 12, limit)]
    assert all(page.keys() >= {"offset", "limit", "rows", "rowCount"} for page in pages)


def test_a_filtered_list_ends_with_its_last_match(world: World) -> None:
    pages = list(walk(world, "filter=city:Bern&sort=-name", 2))
    assert [page["rowCount"] for page in pages] == [2, 2]
    assert set(names(pages)) == {"A-00", "A-04", "A-07", "A-10"}


def test_a_page_that_holds_the_rest_exactly_has_no_cursor(play: Play) -> None:
    play(Scenario("full", f"{AIRPORTS}?limit=12", has={"rowCount": 12}, lacks=("nextCursor",)))
    play(Scenario("behind", f"{AIRPORTS}?skip=12", has={"rowCount": 0}, lacks=("nextCursor",)))


def test_a_cursor_goes_on_behind_skipped_rows(world: World) -> None:
    first = world.ask(f"{AIRPORTS}?skip=3&limit=4").json()
    second = world.ask(f"{AIRPORTS}?limit=4&cursor={first['nextCursor']}").json()
    assert names([first, second]) == [f"A-{at:02}" for at in range(3, 11)]
    assert (first["offset"], second["offset"]) == (3, 7)


def test_the_page_size_may_change_on_the_way(world: World) -> None:
    first = world.ask(f"{AIRPORTS}?limit=2&count=exact").json()
    rest = world.ask(f"{AIRPORTS}?limit=1000&cursor={first['nextCursor']}&count=exact").json()
    assert names([first, rest]) == [f"A-{at:02}" for at in range(12)]
    assert first["totalCount"] == rest["totalCount"] == 12, "of the list, not of what is left"


@pytest.mark.parametrize(
    ("projection", "members"),
    [
        pytest.param("name", {"id", "name"}, id="without the sort keys"),
        pytest.param("%2Bid", {"id"}, id="the id alone"),
        pytest.param("country.entityId", {"id", "country"}, id="beside a sort key"),
        pytest.param("%2Bcountry,-country.entityRefName", {"id", "country"}, id="around a sort key"),
    ],
)
def test_a_projection_leaves_out_what_the_cursor_needs(
    world: World, projection: str, members: set[str]
) -> None:
    order = "sort=country.entityRefName,-city"
    pages = list(walk(world, f"{order}&projection={projection}", 5))
    ids = [row["id"] for page in pages for row in page["rows"]]
    whole = world.ask(f"{AIRPORTS}?{order}").json()
    assert ids == [row["id"] for row in whole["rows"]]
    rows = [row for page in pages for row in page["rows"]]
    assert all(row.keys() == members for row in rows)
    assert all("entityRefName" not in row.get("country", {}) for row in rows)


def test_a_carved_out_sort_key_stays_out(world: World) -> None:
    pages = list(walk(world, "sort=city&projection=-city,-country,-auditInfo", 5))
    whole = world.ask(f"{AIRPORTS}?sort=city&projection=-city,-country,-auditInfo").json()
    assert [row for page in pages for row in page["rows"]] == whole["rows"]
    assert all(not row.keys() & {"city", "country", "auditInfo"} for row in whole["rows"])


def test_rows_that_come_and_go_meanwhile_neither_hide_nor_double_others(world: World) -> None:
    user, sort = "acme-south", "sort=city,-name"
    stay = {world.make("Airport", user, city=city)["refName"] for city in ("Bern", "Oslo", "Rome") * 4}
    go = [world.make("Airport", user, city=city) for city in ("Bern", "Oslo", "Rome") * 2]
    seen: list[str] = []
    for page in walk(world, sort, 3, user):
        seen += names([page])
        last = page["rows"][-1]
        assert (
            world.ask(f"DELETE /logistics/airports/id/{last['id']}", user).status_code == 204
        )  # the cursor's own
        stay.discard(last["refName"])
        if go:
            world.ask(f"DELETE /logistics/airports/id/{go.pop()['id']}", user)
        for city in ("Aarau", "Bern", "Zürich"):
            if len(seen) < 15:
                world.make("Airport", user, city=city)
    assert len(seen) == len(set(seen)), "none twice"
    assert stay <= set(seen), "none of those that were there all the time is missing"


def test_a_list_by_a_free_form_field_has_no_cursors(world: World, play: Play) -> None:
    for _at in range(3):
        world.make("Customer")
    customers, sort = "GET /logistics/customers/list", "sort=dynamicAttributes.set.size"
    page = play(Scenario("list", f"{customers}?{sort}&limit=2", has={"rowCount": 2}, lacks=("nextCursor",)))
    assert page["rows"]
    said = {"status": 400, "code": "request.invalid_parameter", "says": ("free-form", "skip")}
    play(Scenario("list", f"{customers}?{sort}&cursor=AAAA", **said))


# Refused ------------------------------------------------------------------------------------------


def cursor_of(
    world: World, query: str = "sort=city&filter=name:~", user: str = "acme", path: str = AIRPORTS
) -> str:
    return str(world.ask(f"{path}?{query}&limit=1", user).json()["nextCursor"])


@pytest.mark.parametrize(
    "query",
    [
        pytest.param("sort=-city&filter=name:~", id="another direction"),
        pytest.param("sort=name&filter=name:~", id="another field"),
        pytest.param("filter=name:~", id="no sort"),
        pytest.param("sort=city&filter=name:~ %26%26 city:Bern", id="another filter"),
        pytest.param("sort=city", id="no filter"),
    ],
)
def test_the_cursor_of_another_filter_or_sort(world: World, play: Play, query: str) -> None:
    said = {"status": 400, "code": "request.invalid_parameter", "says": ("another filter or sort",)}
    play(Scenario("cursor", f"{AIRPORTS}?{query}&cursor={cursor_of(world)}", **said))


@pytest.mark.parametrize("user", ["globex", "acme-south", "system"])
def test_the_cursor_of_somebody_with_another_scope(world: World, play: Play, user: str) -> None:
    cursor = cursor_of(world)
    said: Document = {"status": 400, "code": "request.invalid_parameter", "has": {"parameter": "cursor"}}
    play(Scenario("cursor", f"{AIRPORTS}?sort=city&filter=name:~&cursor={cursor}", user=user, **said))


def test_the_cursor_of_a_colleague_leads_into_the_own_list(world: World) -> None:
    query = f"sort=city&filter=name:~&cursor={cursor_of(world)}"
    own, colleague = (world.ask(f"{AIRPORTS}?{query}", user) for user in ("acme", "acme-user"))
    assert own.json() == colleague.json()


def test_the_cursor_of_another_record_type(world: World, play: Play) -> None:
    said: Document = {"status": 400, "code": "request.invalid_parameter", "has": {"parameter": "cursor"}}
    for path in ("GET /logistics/carriers/list", "GET /logistics/customers/list"):
        play(Scenario("cursor", f"{path}?cursor={cursor_of(world, '')}", **said))


def test_the_cursor_of_another_realm(
    world: World, mongo_uri: str, mongo_client: MongoClient[Document], key_folder: Any
) -> None:
    """The same keys, hence the same secret: only the realm differs."""
    cursor = cursor_of(world, "")
    with open_world(mongo_uri, mongo_client, data_folder=key_folder) as other:
        answer = other.ask(f"{AIRPORTS}?cursor={cursor}")
        assert (answer.status_code, answer.json()["parameter"]) == (400, "cursor")


def test_another_worker_with_the_same_keys_goes_on(
    world: World, mongo_uri: str, mongo_client: MongoClient[Document], key_folder: Any
) -> None:
    cursor = cursor_of(world, "")
    values = {"mongodb_uri": mongo_uri, "default_realm": world.realm, "data_folder": key_folder}
    worker = create(Settings.read({}, environment="development", log_level="ERROR", **values))
    with TestClient(worker) as client:
        path = f"/logistics/airports/list?cursor={cursor}"
        answer = client.get(path, headers=world.headers("acme"))
    assert answer.json() == world.ask(f"GET {path}").json()


REFUSED = [
    Scenario("skip and cursor", "skip=1&cursor=AAAA", says=("skip and cursor exclude each other",)),
    Scenario("no cursor", "cursor=AAAA", says=("cursor",)),
    Scenario("a word", "cursor=next", says=("cursor",)),
    Scenario("an id", f"cursor={'0' * 24}", says=("cursor",)),
    Scenario("an operator", "cursor=$gt", says=("cursor",)),
    Scenario("JSON", 'cursor={"_id":{"$gt":""}}', says=("cursor",)),
    Scenario("NUL", "cursor=%00", says=("cursor",)),
    Scenario("other letters", "cursor=%E6%97%A5", says=("cursor",)),
    Scenario("endless", f"cursor={'A' * 8193}", says=("cursor", "8192")),
    Scenario("longest", f"cursor={'A' * 8192}", says=("cursor",)),
    Scenario("twice", "cursor=AAAA&cursor=AAAA", says=("cursor", "more than once")),
]


@pytest.mark.parametrize("scenario", REFUSED, ids=str)
def test_refused(play: Play, scenario: Scenario) -> None:
    """The ``request`` of these scenarios is the query alone."""
    silent = ("Traceback", "pymongo", "bson", "base64")
    play(
        Scenario(
            scenario.name, f"{AIRPORTS}?{scenario.request}", status=400, code="request.invalid_parameter",
            says=scenario.says, silent_on=silent,
        )
    )  # fmt: skip


def test_a_changed_cursor_is_refused(world: World, play: Play) -> None:
    cursor = cursor_of(world, "sort=city")
    spot = len(cursor) // 2
    for changed in (
        cursor[:-1], cursor[1:], cursor + "A", cursor[:spot] + ("A" if cursor[spot] != "A" else "B") + cursor[spot + 1 :],
        f" {cursor}", f"{cursor}=", cursor.swapcase(),
    ):  # fmt: skip
        said = {"status": 400, "code": "request.invalid_parameter", "says": ("cursor",)}
        play(Scenario("changed", f"{AIRPORTS}?sort=city&cursor={quote(changed)}", **said))


def test_a_cursor_says_no_more_than_the_row_did(world: World) -> None:
    """Sort values and the id, nothing of a hidden field: sorting by one is refused, so none gets in."""
    for _at in range(2):
        world.make("Shipment", customsToken="hush-hush", notes="n")
    cursor = cursor_of(world, "sort=notes", path="GET /logistics/shipments/list")
    octets = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
    assert b"hush" not in octets
    assert b"customsToken" not in octets
    assert b"acme" not in octets
    assert len(cursor) < 120


@pytest.fixture(scope="module")
def large(world: World) -> None:
    """Five records, all but the first of 5 MB: a thousand of the largest on one page would fill the memory."""
    for at in range(5):
        made = world.make("Airport", refName=f"L-{at}", name="Large")
        city = str(at) * (5 * 2**20 if at else 10)
        world.documents["airports"].update_one({"refName": made["refName"]}, {"$set": {"city": city}})


@pytest.mark.usefixtures("large")
class TestLargeRecords:
    def test_come_on_several_pages(self, world: World) -> None:
        pages = list(walk(world, "filter=name:Large", 100))
        assert names(pages) == [f"L-{at}" for at in range(5)]
        assert [(page["offset"], page["rowCount"], page["limit"]) for page in pages] == [
            (0, 4, 100),
            (4, 1, 100),
        ]

    def test_are_refused_where_no_cursor_can_tell_the_place(self, world: World) -> None:
        answer = world.ask(f"{AIRPORTS}?filter=name:Large&sort=city&limit=100")
        assert (answer.status_code, answer.json()["parameter"]) == (400, "limit")
        assert "at most 4" in answer.json()["detail"]
        fitting = world.ask(f"{AIRPORTS}?filter=name:Large&sort=city&limit=4")
        assert fitting.json()["rowCount"] == 4

    def test_of_few_fields_come_on_one_page(self, world: World) -> None:
        (page,) = walk(world, "filter=name:Large&projection=refName", 100)
        assert page["rowCount"] == 5
