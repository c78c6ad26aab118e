"""The service and MongoDB are killed while watchers watch: no event is lost to one that resumes, none comes twice.

A short run of ``watchers.py``; `make faults` is the long one. Nothing here is timed.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from tests.faults.service import served
from tests.faults.watchers import SETTINGS, find_uncompleted, find_unlike_versions, find_wrong, play
from tests.stoppable import stoppable_server

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="processes are killed by their session")


def test_no_event_is_lost_or_doubled_in_kills(tmp_path: Path) -> None:
    (tmp_path / "mongo").mkdir()
    with (
        stoppable_server(tmp_path / "mongo") as server,
        served(server.address.uri, tmp_path / "service", 1, **SETTINGS) as service,
    ):

        def kill_service() -> None:
            service.kill()
            service.start()

        def kill_primary() -> None:
            server.kill()
            server.start()

        wrong, came, connections = play(service, [kill_service, kill_primary], seed=7)
    assert wrong == []
    assert came > 50
    assert connections >= 8, "each of four streams was cut off, and went on"


@pytest.mark.parametrize(
    ("got", "wanted", "says"),
    [
        ([1, 2], [1, 2, 3], "w: 3 came 0 times, not 1"),
        ([1, 2, 2, 3], [1, 2, 3], "w: 2 came 2 times, not 1"),
        ([2, 1], [1, 2], "another order"),
    ],
)
def test_an_event_that_is_lost_doubled_or_out_of_order_is_found(got: Any, wanted: Any, says: str) -> None:
    assert find_wrong("w", wanted, wanted) == []
    assert says in find_wrong("w", got, wanted)[0]


@pytest.mark.parametrize(
    ("versions", "says"),
    [
        ([1], "has 2 versions"),
        ([1, 2, 2], "has 2 versions"),
        ([2, 1], "has 2 versions"),
        ([], "has 2 versions"),
    ],
)
def test_a_version_that_has_not_come_once_is_found(versions: list[int], says: str) -> None:
    assert find_unlike_versions([{"id": "r", "version": 1}, {"id": "r", "version": 2}], {"r": 2}) == []
    assert says in find_unlike_versions([{"id": "r", "version": one} for one in versions], {"r": 2})[0]
    assert find_unlike_versions([{"id": "q", "version": 1}], {}) == ["q was never acknowledged"]


@pytest.mark.parametrize(
    ("got", "says"),
    [
        (["task:a:SUCCESS", "task:b:SUCCESS"], "the end of the group has not come"),
        (["task:a:SUCCESS", "group:g:COMPLETE"], "b was completed 1 to 1 times, and 0 came"),
        (
            ["task:a:SUCCESS"] * 3 + ["task:b:SUCCESS", "group:g:COMPLETE"],
            "a was completed 1 to 2 times, and 3 came",
        ),
        (["task:a:SUCCESS", "task:b:SUCCESS", "task:c:SUCCESS", "group:g:COMPLETE"], "c was never completed"),
    ],
)
def test_a_completion_that_has_not_come_is_found(got: list[str], says: str) -> None:
    tasks = {"a": 2, "b": 1}
    assert find_uncompleted(["task:a:S", "task:b:S", "task:a:S", "group:g:COMPLETE"], tasks, "g") == []
    assert says in find_uncompleted(got, tasks, "g")
