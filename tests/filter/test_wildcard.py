"""Wildcards: the pattern means what a plain matcher means, and never costs more than a look or two."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from runtime.filter.wildcard import exact_pattern, wildcard_pattern

SIGNS = "ab.*?^$|\\(){}[]+-\n\0é "


def plainly(pattern: str, text: str) -> bool:
    """The textbook matcher: reachable positions of the pattern, one character of the text at a time."""
    at = {0}
    for sign in [*text, None]:
        for index in sorted(at):  # a star may stand for nothing
            while index < len(pattern) and pattern[index] == "*":
                index += 1
                at.add(index)
        if sign is not None:
            stay = {i for i in at if i < len(pattern) and pattern[i] == "*"}
            at = stay | {
                i + 1 for i in at if i < len(pattern) and pattern[i] in ("?", sign) and pattern[i] != "*"
            }
    return len(pattern) in at


@given(st.text(SIGNS, max_size=8), st.text(SIGNS, max_size=10))
@example("a*b", "ab\n")
@example("ab*b", "ab")
@example("*ab", "aab")
@example("a*?", "a")
def test_a_pattern_matches_what_the_plain_matcher_matches(pattern: str, text: str) -> None:
    found = re.search(wildcard_pattern(pattern), text, re.DOTALL)
    assert (found is not None) == plainly(pattern, text)


@given(st.text(SIGNS, max_size=8), st.text(SIGNS, max_size=8))
def test_an_exact_pattern_matches_only_itself(text: str, other: str) -> None:
    assert (re.search(exact_pattern(text), other, re.DOTALL) is not None) == (text == other)


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        pytest.param("ab", "^ab(?!.)", id="no wildcard"),
        pytest.param("ab*", "^ab", id="a prefix, which an index can serve"),
        pytest.param("*", "^", id="any text"),
        pytest.param("a***b", "^a(?=.{1})(?>.*)(?<=b)", id="stars in a row are one"),
        pytest.param("a*b*c", "^a(?>.*?b)(?=.{1})(?>.*)(?<=c)", id="parts between stars are atomic"),
        pytest.param("a?c", "^a.c(?!.)", id="one character"),
        pytest.param("a.b|c", r"^a\.b\|c(?!.)", id="everything else is escaped"),
        pytest.param("a\0", r"^a\x00(?!.)", id="NUL, which BSON patterns cannot hold"),
    ],
)
def test_pattern_is_spelt(text: str, pattern: str) -> None:
    assert wildcard_pattern(text) == pattern


@pytest.mark.parametrize("text", ["*a" * 120 + "*b", "*a*a*a*a*a*b", "*" + "a" * 250 + "b", "*?" * 120 + "b"])
def test_many_stars_cost_little(text: str) -> None:
    pattern = re.compile(wildcard_pattern(text), re.DOTALL)
    start = time.perf_counter()
    assert pattern.search("a" * 20_000) is None
    assert time.perf_counter() - start < 2  # a naive chain of .* would not come back
