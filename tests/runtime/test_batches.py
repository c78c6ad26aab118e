"""How many records a stream reads at once."""

from __future__ import annotations

import pytest

from runtime.store.reads import Batches

KB = 1024


@pytest.mark.parametrize(
    ("asked", "size", "following"),
    [
        pytest.param(100, 12 * KB, 1000, id="small records: as many as may be"),
        pytest.param(100, 500 * KB, 204, id="5 KB each: a megabyte of them"),
        pytest.param(204, 1020 * KB, 204, id="and so on"),
        pytest.param(1000, 16 * 1024 * KB, 62, id="a batch that the store cut off at 16 MB"),
        pytest.param(62, 62 * KB, 1000, id="small ones again"),
        pytest.param(1, 16 * 1024 * KB, 1, id="the largest there are: one by one"),
    ],
)
def test_a_batch_is_bound_by_number_and_by_bytes(asked: int, size: int, following: int) -> None:
    assert Batches().after(asked, size) == following
