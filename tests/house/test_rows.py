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


def test_a_row_that_pytest_fails_is_named_and_the_others_are_tried() -> None:
    seen: list[int] = []

    @for_each_row("number", ROWS)
    def try_number(number: int) -> None:
        seen.append(number)
        with pytest.raises(ZeroDivisionError):
            1 // (number % 2)

    with pytest.raises(pytest.fail.Exception, match="DID NOT RAISE") as failure:
        try_number()
    assert failure.value.__notes__ == ["row: three"]
    assert seen == [2, 3, 4]


def test_all_rows_that_fail_are_reported() -> None:
    @for_each_row("number", ROWS)
    def try_number(number: int) -> None:
        assert number == 3

    with pytest.raises(ExceptionGroup, match="2 of 3 rows") as failures:
        try_number()
    notes = [one.__notes__ for one in failures.value.exceptions]
    assert notes == [["row: two"], ["row: four"]]


def test_a_table_that_fails_throughout_is_given_up() -> None:
    seen: list[int] = []

    @for_each_row("number", {f"{number}": number for number in range(100)})
    def try_number(number: int) -> None:
        seen.append(number)
        raise AssertionError

    with pytest.raises(ExceptionGroup, match="20 of 100 rows"):
        try_number()
    assert len(seen) == 20
