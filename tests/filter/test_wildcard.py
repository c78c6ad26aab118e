"""Wildcards: the pattern means what a plain matcher means, here and in MongoDB, and is decided in little time."""

from __future__ import annotations

import re
from random import Random
from typing import Any
from uuid import uuid4

import pytest
from bson.regex import Regex
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pymongo import MongoClient

from runtime.fast.wildcards import WIDTH, fits
from runtime.filter import wildcard
from runtime.filter.wildcard import exact_pattern, wildcard_pattern

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


def is_found(pattern: Regex[str], text: str) -> bool:
    """What is decided on long texts, too, must be what the expression says."""
    found = wildcard.is_found(pattern, text)
    shape = wildcard._read_shape(pattern.pattern)
    assert shape is None or fits(shape, text) == found
    return found


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


@pytest.mark.parametrize(
    ("text", "ignore_case", "is_read"),
    [
        pytest.param("a*b*c", False, True, id="a part between stars"),
        pytest.param("a*b?*", False, True, id="and nothing behind it"),
        pytest.param("*ſk*", True, True, id="letters in all their cases"),
        pytest.param("*\\x00?[a]*\\", False, True, id="signs that are escaped"),
        pytest.param("a*b", False, False, id="no part between stars"),
        pytest.param("a?b", False, False, id="no star"),
        pytest.param("*" + "a" * 257 + "*", False, False, id="a part that is too long"),
    ],
)
def test_what_may_take_many_steps_is_read_back(text: str, ignore_case: bool, is_read: bool) -> None:
    pattern = wildcard_pattern(text, ignore_case=ignore_case)
    assert (wildcard._read_shape(pattern.pattern) is not None) is is_read


@given(st.text(SIGNS, max_size=40), st.booleans())
def test_every_pattern_with_a_part_between_stars_is_read_back(text: str, ignore_case: bool) -> None:
    pattern = wildcard_pattern(f"*{text}*", ignore_case=ignore_case)
    assert (wildcard._read_shape(pattern.pattern) is None) is (not text.strip("*"))


LONG = [
    "a" * 20_000,
    "a" * 9_999 + "b" + "a" * 10_000,
    "ab\n" * 7_000,
    "aé" * 10_000 + "ſ",
    "a\U0001f600" * 9_000,
]
COSTLY = [
    *(
        "*" + "a?" * 120 + "b*",
        "*" + "a?" * 120 + "B*",
        "*" + "?" * 200 + "b?" * 20,
        "*a?a*" + "?a" * 100 + "*b*",
        "*a???b*",
    ),
    *(
        "*a" * 120 + "*b",
        "*a*a*a*a*a*b",
        "*" + "a" * 250 + "b",
        "*?" * 120 + "b",
        "*a" + "\U0001f600?" * 90 + "*",
    ),
]


@pytest.mark.parametrize("text", COSTLY)
def test_a_long_text_is_not_left_to_the_expression(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It would try each part at each place, 100,000 places for tens of milliseconds."""
    monkeypatch.setattr(wildcard, "_compiled", None)
    for ignore_case in (False, True):
        pattern = wildcard_pattern(text, ignore_case=ignore_case)
        if wildcard._read_shape(pattern.pattern) is not None:
            assert [wildcard.is_found(pattern, one) for one in LONG] == [
                re.search(pattern.pattern, one, re.DOTALL) is not None for one in LONG
            ]


def test_the_store_finds_the_long_texts_that_we_do(mongo_client: MongoClient[dict[str, Any]]) -> None:
    rows = mongo_client["filter-test"][f"long-{uuid4().hex[:8]}"]
    rows.insert_many({"_id": at, "text": text} for at, text in enumerate(LONG))
    for text in COSTLY:
        for ignore_case in (False, True):
            pattern = wildcard_pattern(text, ignore_case=ignore_case)
            found = {row["_id"] for row in rows.find({"text": {"$regex": pattern}})}
            assert found == {at for at, one in enumerate(LONG) if is_found(pattern, one)}
    rows.drop()


@given(seed=st.integers(0, 2**32))
@settings(max_examples=30)
def test_the_store_finds_what_we_do(mongo_client: MongoClient[dict[str, Any]], seed: int) -> None:
    """Parts that nearly fit, at the edges of windows too."""
    random = Random(seed)
    signs = random.choice(["ab", "aAkK\u212a", "aé\n", "ab?*", "aΩ漢", "a\U0001f600\0"])
    texts = [
        "".join(random.choices(signs, k=random.choice([0, 3, 300, WIDTH - 2, WIDTH + 300]))) for _ in range(9)
    ]
    rows = mongo_client["filter-test"][f"drawn-{uuid4().hex[:8]}"]
    rows.insert_many({"_id": at, "text": text} for at, text in enumerate(texts))
    for _ in range(9):
        text = random.choice(texts)
        start = random.choice([0, max(len(text) - 300, 0), WIDTH - 9])
        part = "".join(
            random.choice("?" + 9 * sign) for sign in text[start : start + random.choice([2, 20, 200])]
        )
        pattern = wildcard_pattern(
            f"*{part}{random.choice(['*', '?*', '*a*'])}", ignore_case=random.random() < 0.3
        )
        found = {row["_id"] for row in rows.find({"text": {"$regex": pattern}})}
        assert found == {at for at, one in enumerate(texts) if is_found(pattern, one)}
    rows.drop()
