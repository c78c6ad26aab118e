"""How many records a stream reads at once."""

from __future__ import annotations

import pytest

from runtime.store.reads import at_once


@pytest.mark.parametrize(
    ("characters", "expected"),
    [
        pytest.param([], 1, id="none are there"),
        pytest.param([100] * 20, 1200, id="small ones: as many as may be"),
        pytest.param([5000] * 20, 208, id="5 KB each: a megabyte of them"),
        pytest.param([100] * 19 + [100_000], 204, id="one that is large counts"),
        pytest.param([10**7], 1, id="the largest there are: one by one"),
    ],
)
def test_what_is_read_at_once_is_bound_by_number_and_by_bytes(characters: list[int], expected: int) -> None:
    assert at_once([{"text": "x" * each} for each in characters]) == expected
