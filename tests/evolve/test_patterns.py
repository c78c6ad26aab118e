"""A text that one pattern admits and another does not."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.evolve.patterns import find_counterexample


@pytest.mark.parametrize(
    ("admitting", "refusing"),
    [
        ("^[A-Z]{2}$", "^[A-Z]{3}$"),
        (r"^\d{2,4}$", r"^\d{2,3}$"),
        ("^[a-c]+$", "^a+$"),
        ("abc", "^abc"),
        ("^(?:a|b)c$", "^ac$"),
        ("^[^x]*$", "^[^y]*$"),
        (r"^\W$", r"^\s$"),
        ("^.$", "^[a-z]$"),
        (r"^\+?[0-9]{1,17}(?:\.[0-9]{1,17})?$", r"^\+?[0-9]{1,16}$"),
    ],
)
def test_a_pattern_that_admits_less_is_found_out(admitting: str, refusing: str) -> None:
    text = find_counterexample(admitting, refusing)
    assert text is not None
    assert re.search(admitting, text)
    assert not re.search(refusing, text)


@pytest.mark.parametrize(
    ("admitting", "refusing"),
    [
        ("[0-9]+", "[0-9]*"),
        ("^a+$", "^[a-c]+$"),
        ("^abc", "abc"),
        ("^(a+)+$", "^a+$"),
        ("(", "a"),
        ("a", "("),
        ("a" * 501, "b"),
        (r"(?=a)b", "x"),
        ("^(?:(?:(?:(?:(?:^)*)*)*)*)*$", "^x*$"),
        ("^(?:(?:(?:a{1000}){1000}){1000}){1000}$", "b"),
    ],
    ids=repr,
)
def test_nothing_is_claimed_without_a_text(admitting: str, refusing: str) -> None:
    assert find_counterexample(admitting, refusing) is None


@given(st.from_regex(r"(?:[ab]|\[[ab-c]\]|\(a\|b\)|[ab][*+?]){1,4}", fullmatch=True))
def test_a_pattern_admits_what_it_admits(pattern: str) -> None:
    assert find_counterexample(pattern, pattern) is None
