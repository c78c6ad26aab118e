"""The commands run in this process, over and over."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.memory import remember_pure_results


@pytest.fixture(scope="module", autouse=True)
def known_results() -> Iterator[None]:
    with remember_pure_results():
        yield


@pytest.fixture(scope="module", autouse=True)
def quick_runs(uncollected: None) -> None:
    """Run the generator without a look at all its objects after each run: a sixth of the time."""
