"""Rows in batches: so many, or so large together, however they come."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.transfer.csv.row_limits import Row
from runtime.transfer.rows import reading
from runtime.transfer.rows.reading import BATCH, MOST_TOGETHER, group_in_batches, size_of_rows

LARGE = MOST_TOGETHER // 2


def row(number: int, size: int) -> Row:
    return number, ["x" * (size // 2), "x" * (size - size // 2)]


def batches(pieces: Sequence[Sequence[Row]], begun: Sequence[Row] = ()) -> list[list[Row]]:
    async def coming() -> AsyncIterator[list[Row]]:
        for piece in pieces:
            yield list(piece)

    async def taken() -> list[list[Row]]:
        return [batch async for batch in group_in_batches(coming(), size_of_rows, begun)]

    return asyncio.run(taken())


SIZES = {
    "none": ([], []),
    "a few": ([[3, 4], [5]], [3]),
    "as many as go together": ([[1] * BATCH], [BATCH]),
    "one more": ([[1] * BATCH, [1]], [BATCH, 1]),
    "many in a piece": ([[1] * (2 * BATCH + 7)], [BATCH, BATCH, 7]),
    "many small pieces": ([[1]] * (BATCH + 1), [BATCH, 1]),
    "two large ones": ([[LARGE], [LARGE], [1]], [2, 1]),
    "large ones, each in a piece": ([[LARGE + 1]] * 5, [2, 2, 1]),
    "small ones before large ones": ([[1, 1], [LARGE], [LARGE], [LARGE]], [4, 1]),
    "as large as they may be": ([[MOST_TOGETHER - 1], [1], [1]], [2, 1]),
}


@pytest.mark.parametrize(("pieces", "expected"), SIZES.values(), ids=SIZES)
def test_a_batch_is_so_many_rows_or_so_large(pieces: list[list[int]], expected: list[int]) -> None:
    found = batches([[row(at, size) for at, size in enumerate(sizes)] for sizes in pieces])
    assert list(map(len, found)) == expected


def test_what_has_begun_counts_too() -> None:
    begun = [row(1, LARGE)]
    assert list(map(len, batches([[row(2, LARGE)], [row(3, 1)]], begun))) == [2, 1]
    assert list(map(len, batches([], begun))) == [1]
    many = [row(at, 1) for at in range(2 * BATCH + 1)]
    assert list(map(len, batches([[row(2, 1)]], many))) == [BATCH, BATCH, 2]


@given(st.lists(st.lists(st.integers(0, 30), max_size=6), max_size=12), st.integers(0, 3))
def test_no_row_is_lost_and_none_waits_behind_too_much(sizes: list[list[int]], begun: int) -> None:
    """With small limits, which are looked up at each batch."""
    most, many = 40, 4
    numbered = iter(range(1000))
    first = [row(next(numbered), 5) for _one in range(begun)]
    pieces = [[row(next(numbered), size) for size in piece] for piece in sizes]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "MOST_TOGETHER", most)
        patch.setattr(reading, "BATCH", many)
        found = batches(pieces, first)
    assert [one for batch in found for one in batch] == [*first, *(one for piece in pieces for one in piece)]
    assert all(0 < len(batch) <= many for batch in found)
    largest = max((size_of_rows(piece) for piece in pieces), default=0)
    assert all(size_of_rows(batch) < most + largest for batch in found)
