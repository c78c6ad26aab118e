"""Patterns of rules: what they match, and that no pattern costs more than its length."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from runtime.permissions.pattern import Wildcard, has_wildcards, is_any
from tests.filter.test_wildcard import plainly

SIGNS = "abAB*?é.^$\\[\0\n"


@given(st.text(SIGNS, max_size=9), st.text(SIGNS, max_size=10))
@example("a*b", "bab")
def test_a_pattern_matches_what_the_plain_matcher_matches(pattern: str, text: str) -> None:
    expected = plainly(pattern.casefold(), text.casefold())
    assert Wildcard(pattern).matches(text.casefold()) == expected


@given(st.text(max_size=20))
def test_any_text_matches_itself_and_any_run(text: str) -> None:
    literal = text.replace("*", "").replace("?", "")
    assert Wildcard(literal).matches(literal.casefold())
    assert Wildcard(f"*{literal}*").matches(f"x{literal}y".casefold())
    assert not Wildcard(literal).matches(f"{literal}x".casefold())


@pytest.mark.parametrize(
    ("pattern", "wild", "anything"),
    [
        pytest.param("*", True, True, id="a star"),
        pytest.param("***", True, True, id="stars"),
        pytest.param("?*", True, False, id="at least one character"),
        pytest.param("", False, False, id="the empty text, which matches the empty text"),
        pytest.param("a.b", False, False, id="text"),
    ],
)
def test_patterns_are_told_apart(pattern: str, wild: bool, anything: bool) -> None:
    assert (has_wildcards(pattern), is_any(pattern)) == (wild, anything)


@pytest.mark.timeout(60)  # some milliseconds; a matcher that goes back would not come back
@pytest.mark.parametrize(
    ("pattern", "text", "end"),
    [
        pytest.param("*a" * 500 + "b?", "a" * 5_000 + "b", "x", id="many stars"),
        pytest.param("*" + "a?" * 500 + "b?", "a" * 5_000 + "b", "x", id="one star and a long rest"),
        pytest.param("?*" * 1_000 + "b?", "b" + "a" * 5_000, "bx", id="stars and single characters in turn"),
        pytest.param("*" + "a" * 4_000 + "b*b?", "a" * 5_000 + "b", "bx", id="a long literal"),
        pytest.param("*?" * 2_000 + "b", "a" * 5_000 + "ba", "b", id="hardly anything but wildcards"),
    ],
)
def test_hostile_patterns_cost_little(pattern: str, text: str, end: str) -> None:
    """All but the end of the text fits, in very many ways."""
    for _ in range(10):
        assert not Wildcard(pattern).matches(text)
    assert Wildcard(pattern).matches(text + end)
