"""Wildcards: the pattern means what a plain matcher means, and never costs more than a look or two."""

from __future__ import annotations

import time
from random import Random
from typing import Any
from uuid import uuid4

import pytest
from bson.regex import Regex
from hypothesis import example, given
from hypothesis import strategies as st
from pymongo import MongoClient

from runtime.filter.wildcard import exact_pattern, is_found, wildcard_pattern

LETTERS = "aAsSſkKéÉßẞiIİıσς1*?"
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
    assert is_found(wildcard_pattern(pattern), text) == plainly(pattern, text)


@given(st.text(SIGNS, max_size=8), st.frozensets(st.integers(0, 7)), st.text(SIGNS, max_size=10))
@example("a*b", frozenset({1}), "a*b")
@example("*a*", frozenset({0, 2}), "xay")
def test_only_the_signs_that_are_wild_are_wildcards(text: str, at: frozenset[int], other: str) -> None:
    wild = frozenset(one for one in at if text[one : one + 1] in ("*", "?"))
    private = {"*": "\ue000", "?": "\ue001"}
    plain = "".join(sign if one in wild else private.get(sign, sign) for one, sign in enumerate(text))
    hidden = "".join(private.get(sign, sign) for sign in other)
    assert is_found(wildcard_pattern(text, wild=wild), other) == plainly(plain, hidden)


@given(st.text(SIGNS, max_size=8), st.text(SIGNS, max_size=8))
def test_an_exact_pattern_matches_only_itself(text: str, other: str) -> None:
    assert is_found(exact_pattern(text), other) == (text == other)


def folded(text: str) -> str:
    """A character for each character; those that differ in case alone are one."""
    return "".join(chr(min(map(ord, CASES.get(sign.casefold(), sign)))) for sign in text)


CASES: dict[str, list[str]] = {sign.casefold(): [] for sign in LETTERS}
for one in map(chr, range(0x20000)):
    if one.casefold() in CASES:
        CASES[one.casefold()].append(one)


@given(st.text(LETTERS, max_size=6), st.text(LETTERS, max_size=6))
@example("*ss?", "ſSK")
@example("i", "İ")
@example("ß", "ss")
def test_letters_match_in_every_case(pattern: str, text: str) -> None:
    found = is_found(wildcard_pattern(pattern, ignore_case=True), text)
    assert found == plainly(folded(pattern), folded(text))


@given(st.text(LETTERS, max_size=4), st.text(LETTERS, max_size=4))
def test_an_exact_text_matches_in_every_case(text: str, other: str) -> None:
    assert is_found(exact_pattern(text, ignore_case=True), other) == (folded(text) == folded(other))


def test_the_store_sees_the_cases_that_we_see(mongo_client: MongoClient[dict[str, Any]]) -> None:
    signs = [chr(code) for code in range(0x20, 0x1F000) if chr(code).isalpha() and chr(code).casefold()]
    cased = [sign for sign in signs if sign.lower() != sign.upper()]
    rows = mongo_client["filter-test"][f"cases-{uuid4().hex[:8]}"]
    rows.insert_many({"_id": sign} for sign in cased)
    for sign in [*LETTERS, *Random(1).sample(cased, 60)]:
        pattern = exact_pattern(sign, ignore_case=True)
        found = {row["_id"] for row in rows.find({"_id": {"$regex": pattern}})}
        assert found == {other for other in cased if is_found(pattern, other)}
    rows.drop()


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        pytest.param("aB-*k", "^[Aa][Bb]\\-(?=.{1})(?>.*)(?<=[Kk\u212a])", id="letters in all their cases"),
        pytest.param("é1ı", "^[Éé]1ı(?!.)", id="a letter without another case"),
        pytest.param("ß", "^[ßẞ](?!.)", id="one letter never matches two"),
    ],
)
def test_pattern_ignoring_case_is_spelt(text: str, pattern: str) -> None:
    assert wildcard_pattern(text, ignore_case=True) == Regex(pattern, "s")


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
    assert wildcard_pattern(text) == Regex(pattern, "s")


@pytest.mark.parametrize("text", ["*a" * 120 + "*b", "*a*a*a*a*a*b", "*" + "a" * 250 + "b", "*?" * 120 + "b"])
def test_many_stars_cost_little(text: str) -> None:
    pattern = wildcard_pattern(text)
    start = time.perf_counter()
    assert not is_found(pattern, "a" * 20_000)
    assert time.perf_counter() - start < 2  # a naive chain of .* would not come back
