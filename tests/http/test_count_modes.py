"""``count=none|exact|estimated`` and ``actions=true`` of a list: what is told beside the rows."""

from __future__ import annotations

import pytest
from bson import ObjectId

from runtime.records.operations import listing
from tests.http.world import Document, Play, World
from tests.scenario import Scenario

LIST = "GET /logistics/carriers/list"


@pytest.fixture(scope="module", autouse=True)
def carriers(world: World) -> None:
    """Seven of acme, two of its north, five of globex."""
    for user, number in (("acme", 7), ("acme-north", 2), ("globex", 5)):
        for at in range(number):
            world.make("Carrier", user, name=f"Line {at}", mode="AIR" if at % 2 else "SEA")


@pytest.mark.parametrize(
    ("query", "total"),
    [
        pytest.param("", None, id="not asked"),
        pytest.param("count=none", None, id="none"),
        pytest.param("count=exact", 9, id="exact"),
        pytest.param("count=exact&limit=2&skip=4", 9, id="of all pages"),
        pytest.param("count=exact&skip=100", 9, id="behind the last row"),
        pytest.param("count=exact&filter=mode:AIR", 4, id="of those that match"),
        pytest.param("count=exact&filter=mode:RAIL", 0, id="of none"),
        pytest.param("count=exact&filter=dataDomain.tenantId:globex", 0, id="not of foreign ones"),
        pytest.param("count=estimated", 9, id="few are counted exactly"),
        pytest.param("count=estimated&filter=mode:AIR", 4, id="few of a filter too"),
    ],
)
def test_the_total(play: Play, query: str, total: int | None) -> None:
    page = play(Scenario("count", f"{LIST}?{query}"))
    assert page.get("totalCount") == total
    assert ("totalCount" in page) == (total is not None)


@pytest.mark.parametrize(
    ("user", "total"), [("acme-user", 9), ("acme-north", 2), ("acme-south", 0), ("globex", 5), ("system", 14)]
)
@pytest.mark.parametrize("mode", ["exact", "estimated"])
def test_foreign_rows_are_never_counted(play: Play, user: str, total: int, mode: str) -> None:
    assert play(Scenario("count", f"{LIST}?count={mode}&limit=1", user=user))["totalCount"] == total


@pytest.mark.parametrize("user", ["acme", "globex", "system"])
def test_an_estimate_ends_where_counting_would_cost(
    play: Play, monkeypatch: pytest.MonkeyPatch, user: str
) -> None:
    monkeypatch.setattr(listing, "MOST_ESTIMATED", 5)
    assert play(Scenario("count", f"{LIST}?count=estimated", user=user))["totalCount"] == 5
    assert play(Scenario("count", f"{LIST}?count=exact", user=user))["totalCount"] >= 5


def test_ten_thousand_and_more_are_estimated_as_ten_thousand(world: World, play: Play) -> None:
    def stored(at: int) -> Document:
        domain = {"tenantId": "globex", "dataSegment": 0}
        return {"_id": ObjectId(), "refName": f"many-{at}", "name": "Many", "dataDomain": domain}

    world.documents["customers"].insert_many([stored(at) for at in range(10_003)])
    customers = "GET /logistics/customers/list"
    for user, mode, total in (
        ("globex", "estimated", 10_000), ("globex", "exact", 10_003), ("acme", "estimated", 0),
    ):  # fmt: skip
        page = world.ask(f"{customers}?limit=1&count={mode}", user).json()
        assert page["totalCount"] == total
    page = world.ask(f"{customers}?limit=1&count=estimated&filter=refName:many-7", "globex").json()
    assert page["totalCount"] == 1


@pytest.mark.parametrize("value", ["all", "", "EXACT", "true", "1", "exact,none"])
def test_another_word_is_refused(play: Play, value: str) -> None:
    said = {"status": 400, "code": "request.invalid_parameter", "says": ("count",)}
    play(Scenario("count", f"{LIST}?count={value}", **said))


# Actions ------------------------------------------------------------------------------------------


def test_rows_tell_what_may_be_done_when_asked(world: World, play: Play) -> None:
    booked = world.make("Shipment", refName="S-1", notes="n")
    moving = world.make("Shipment", refName="S-2")
    play(Scenario("move", "POST /logistics/shipments", body=moving | {"status": "IN_TRANSIT"}, changed=1))
    own = ["VIEW", "UPDATE", "DELETE"]
    expected = {
        "S-1": [*own, "transition:IN_TRANSIT", "transition:CANCELLED"],
        "S-2": [*own, "transition:DELIVERED", "transition:LOST"],
    }
    shipments = "GET /logistics/shipments/list?filter=refName:^[S-1,S-2]"
    for more in ("", "&projection=refName", "&projection=-status", "&projection=refName&sort=-notes"):
        page = play(Scenario("actions", f"{shipments}&actions=true{more}"))
        assert {row["refName"]: row["actionList"] for row in page["rows"]} == expected
        if "projection" in more:
            hidden = {"status"} if more.endswith("-status") else {"status", "dataDomain"}
            assert not any(hidden & row.keys() for row in page["rows"]), (
                "asked of the store, not by the caller"
            )
    page = play(Scenario("actions", f"{shipments}&actions=true"))
    single = world.read("Shipment", booked)
    assert page["rows"][0] == single, "the row is the record, with its actions"


@pytest.mark.parametrize("query", ["", "?actions=false"])
def test_rows_do_not_tell_unasked(play: Play, query: str) -> None:
    assert all("actionList" not in row for row in play(Scenario("list", LIST + query))["rows"])


@pytest.mark.parametrize("value", ["1", "yes", "on", "True", "TRUE", "", "null"])
def test_only_true_and_false_are_booleans(play: Play, value: str) -> None:
    said = {"status": 400, "code": "request.invalid_parameter", "says": ("actions", "true or false")}
    play(Scenario("actions", f"{LIST}?actions={value}", **said))
