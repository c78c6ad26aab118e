"""What suggestions may cost: whoever sends the text chooses how often they are asked for, and of what."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextvars import copy_context

from runtime.model.nearest import MOST_CANDIDATES, MOST_SUGGESTIONS, SuggestionLimit, hint, nearest

KNOWN = ["refName", "displayName"]


def test_a_request_gets_so_many_suggestions_and_then_none() -> None:
    with SuggestionLimit():
        found = [nearest("refname", KNOWN) for _each in range(MOST_SUGGESTIONS + 10)]
        assert hint("refname", KNOWN) == ""
    assert found == [["refName"]] * MOST_SUGGESTIONS + [[]] * 10
    assert nearest("refname", KNOWN) == ["refName"]


def test_each_request_has_its_own() -> None:
    with SuggestionLimit():
        for _each in range(MOST_SUGGESTIONS):
            nearest("refname", KNOWN)
        with SuggestionLimit():
            assert nearest("refname", KNOWN) == ["refName"]
        assert nearest("refname", KNOWN) == []


def test_what_a_request_starts_counts_for_it() -> None:
    """Tasks and threads have a copy of the context, and the same count."""

    async def work() -> None:
        for _each in range(MOST_SUGGESTIONS // 2):
            nearest("refname", KNOWN)

    async def run() -> list[str]:
        with SuggestionLimit():
            await asyncio.gather(asyncio.create_task(work()), asyncio.create_task(work()))
            return copy_context().run(nearest, "refname", KNOWN)

    assert asyncio.run(run()) == []


def test_no_more_candidates_are_looked_at() -> None:
    taken = 0

    def many() -> Iterator[str]:
        nonlocal taken
        for number in range(20_000):
            taken += 1
            yield f"name{number}"

    assert nearest("name7", many())[0] == "name7"
    assert taken == MOST_CANDIDATES


def test_the_nearest_of_many_is_found() -> None:
    many = [f"field{number}" for number in range(900)]
    assert nearest("refname", [*many, "refName"]) == ["refName"]
    assert nearest("filed512", many)[0] == "field512"


def test_long_candidates_are_left_out_and_long_names_still_compared() -> None:
    assert nearest("refName" + "x" * 500, ["refName" + "x" * 500]) == []
    assert nearest("x" * 60 + "y", ["x" * 60 + "z"]) == ["x" * 60 + "z"]
