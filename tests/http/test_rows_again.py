"""Pages that come again show what is stored now, and each caller what is theirs."""

from __future__ import annotations

from typing import Any

import pytest

from runtime.fast import wire_rows
from runtime.fast.rows_again import RowMemory
from runtime.records.operations import listing
from runtime.storage.wire import render_list
from tests.http.world import Document, World
from tests.lanes import TAKES_LANE

LIST = "GET /logistics/carriers/list"
MERGE_PATCH = {"Content-Type": "application/merge-patch+json"}


@pytest.fixture(scope="module")
def carriers(world: World) -> list[Document]:
    """Three carriers of acme, and one of globex."""
    world.make("Carrier", "globex", name="Secret Line", refName="secret")
    return [world.make("Carrier", refName=name, name=f"Line {name}") for name in "abc"]


@pytest.fixture(autouse=True)
def memory(monkeypatch: pytest.MonkeyPatch) -> RowMemory:
    """A memory of its own for each test."""
    memory = RowMemory()
    monkeypatch.setattr(wire_rows, "MEMORY", memory)
    return memory


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many rows were written as JSON for the memory; without the lane nothing is remembered."""
    numbers: list[int] = []

    def render(rows: list[Document]) -> Any:
        numbers.append(len(rows))
        return render_list(rows)

    monkeypatch.setattr(listing, "render_list", render)
    return numbers


def ask(world: World, query: str = "", caller: str = "acme", times: int = 4) -> Any:
    """A page that was asked for several times, the same each time."""
    pages = [world.ask(f"{LIST}?{query}", caller).json() for _time in range(times)]
    assert all(page == pages[0] for page in pages)
    return pages[0]


@pytest.mark.parametrize(
    "query",
    [
        "",
        "limit=2",
        "limit=2&skip=1",
        "sort=-name",
        "sort=-name&limit=1&projection=refName",
        "projection=-name",
        "count=exact",
        "actions=true",
        "filter=refName:^[a,c]&timeZone=Europe/Vienna",
    ],
)
@pytest.mark.usefixtures("carriers")
def test_a_page_is_the_same_each_time(world: World, written: list[int], query: str) -> None:
    assert ask(world, query)["rows"]
    assert len(written) == (TAKES_LANE and "actions" not in query)


@pytest.mark.usefixtures("carriers")
def test_callers_of_a_tenant_share_what_was_written_and_no_other_does(
    world: World, written: list[int]
) -> None:
    page = ask(world)
    assert ask(world, caller="acme-user") == page
    assert [row["refName"] for row in page["rows"]] == ["a", "b", "c"]
    assert [row["refName"] for row in ask(world, caller="globex")["rows"]] == ["secret"]
    assert written == ([3, 1] if TAKES_LANE else [])


def test_a_page_shows_what_is_stored_now(world: World, carriers: list[Document]) -> None:
    path = f"/logistics/carriers/id/{carriers[1]['id']}"
    assert [row["name"] for row in ask(world)["rows"]] == ["Line a", "Line b", "Line c"]
    for name in ("Renamed", "Line b"):
        assert world.ask(f"PATCH {path}", json={"name": name}, headers=MERGE_PATCH).status_code == 200
        rows = ask(world, times=1)["rows"]
        assert [row["name"] for row in rows] == ["Line a", name, "Line c"]
    carrier = world.make("Carrier", refName="d", name="Line d")
    assert len(ask(world)["rows"]) == 4
    assert world.ask(f"DELETE /logistics/carriers/id/{carrier['id']}").status_code == 204
    assert len(ask(world, times=1)["rows"]) == 3


@pytest.mark.usefixtures("carriers")
def test_pages_follow_each_other(world: World) -> None:
    for _time in range(4):
        pages = world.pages(f"{LIST}?limit=1&sort=-name")
        assert [row["refName"] for page in pages for row in page["rows"]] == ["c", "b", "a"]
