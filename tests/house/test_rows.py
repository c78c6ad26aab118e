"""Rows that are tried in one test: each is, and those that fail are named."""

import pytest

from tests.rows import for_each_row

ROWS = {"two": 2, "three": 3, "four": 4}


def test_every_row_is_tried_with_the_fixtures_of_the_test() -> None:
    seen: list[tuple[str, int]] = []

    @for_each_row("number", ROWS)
    def try_number(fixture: str, number: int) -> None:
        seen.append((fixture, number))

    try_number(fixture="one")
    assert seen == [("one", 2), ("one", 3), ("one", 4)]


def test_a_row_that_fails_is_named() -> None:
    @for_each_row("number", ROWS)
    def try_number(number: int) -> None:
        assert number != 3

    with pytest.raises(AssertionError) as failure:
        try_number()
    assert failure.value.__notes__ == ["row: three"]


def test_all_rows_that_fail_are_reported() -> None:
    @for_each_row("number", ROWS)
    def try_number(number: int) -> None:
        assert number == 3

    with pytest.raises(ExceptionGroup, match="2 of 3 rows") as failures:
        try_number()
    notes = [one.__notes__ for one in failures.value.exceptions]
    assert notes == [["row: two"], ["row: four"]]
