"""What is said of an error that code of the application raised."""

from __future__ import annotations

import pytest

from runtime.errors.raised import describe_raised


class Mute(Exception):
    def __str__(self) -> str:
        raise ValueError


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (KeyError("tag"), "KeyError: 'tag'"),
        (ValueError("one\ntwo   three"), "ValueError: one two three"),
        (ValueError("x" * 5000), "ValueError: " + "x" * 988),
        (Mute(), "Mute"),
        (SystemExit(), "SystemExit"),
    ],
)
def test_an_error_is_one_line_of_bounded_length(error: BaseException, text: str) -> None:
    assert describe_raised(error) == text


def test_the_line_is_that_of_the_module_if_the_error_came_through_it() -> None:
    def fail() -> None:
        int("x")

    with pytest.raises(ValueError, match="invalid literal") as raised:
        fail()
    line = fail.__code__.co_firstlineno + 1
    assert describe_raised(raised.value, "test_raised").endswith(f"(test_raised.py, line {line})")
    assert describe_raised(raised.value, "another").endswith(f"(test_raised.py, line {line})")
