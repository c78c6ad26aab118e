"""Decimals off their bits: always what the driver says."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal, DecimalException
from typing import Any

import pytest
from bson import Decimal128
from hypothesis import example, given
from hypothesis import strategies as st

from runtime.fast.decimals import (
    as_decimal,
    decimal128,
    format_decimal,
    format_decimals,
    has_no_minus,
    is_one_number,
    is_plain,
)

SIGNS = st.sampled_from(["", "-", "+"])
DIGITS = st.text("0123456789", max_size=36)
TEXTS = st.builds("{}{}{}{}".format, SIGNS, DIGITS, st.sampled_from(["", "."]), DIGITS)
STORED = st.builds(
    lambda sign, digits, exponent: Decimal128(Decimal((sign, digits, exponent))),
    st.integers(0, 1),
    st.lists(st.integers(0, 9), min_size=1, max_size=34).map(tuple),
    st.integers(-6176, 6111),
)
NEAR = st.builds(
    lambda number, exponent: Decimal128(Decimal(number).scaleb(exponent)),
    st.integers(-(10**20), 10**20),
    st.integers(-36, 3),
)
SPECIAL = st.sampled_from(["NaN", "-NaN", "sNaN", "Infinity", "-Infinity", "0", "-0", "0E+3"]).map(Decimal128)


def outcome(work: Callable[[Any], Any], value: Any) -> Any:
    """What comes out, or the error that does; bits and not values, since 1.0 is not 1.00."""
    try:
        found = work(value)
    except (DecimalException, ValueError) as error:
        return type(error)
    return found.bid if isinstance(found, Decimal128) else found


@given(TEXTS)
@example("")
@example("+")
@example(".5")
@example("5.")
@example("1e5")
@example("0." + "0" * 33)
@example("9" * 35)
@example("-0.00")
@example("٣")
@example("1\n")
def test_text_is_read_as_the_driver_reads_it(text: str) -> None:
    assert outcome(decimal128, text) == outcome(Decimal128, text)


@given(st.decimals(allow_nan=False, allow_infinity=False))
@example(Decimal("1E+3"))
@example(Decimal("-0.00"))
@example(Decimal("1" * 35))
def test_decimals_are_taken_as_the_driver_takes_them(value: Decimal) -> None:
    assert outcome(decimal128, value) == outcome(Decimal128, value)


@given(STORED | NEAR | SPECIAL)
def test_both_ways_back_are_exact(stored: Decimal128) -> None:
    driver = stored.to_decimal()
    assert repr(as_decimal(stored)) == repr(driver)
    assert format_decimal(stored) == f"{driver:f}"


@pytest.mark.parametrize("text", ["19.99", "-0.001", "0", "12345678901234567890.12345678901234"])
def test_what_is_written_reads_the_same(text: str) -> None:
    assert format_decimal(decimal128(text)) == text


@given(st.lists(STORED | NEAR | SPECIAL, max_size=20))
@example([Decimal128("0"), Decimal128("-0"), Decimal128("-0.00"), Decimal128("0.5"), Decimal128("7")])
@example([Decimal128(str(2**64 - 1)), Decimal128(str(2**64))])
def test_many_at_once_are_written_like_one_by_one(stored: list[Decimal128]) -> None:
    texts = format_decimals(stored)
    assert [text or format_decimal(one) for one, text in zip(stored, texts, strict=True)] == [
        format_decimal(one) for one in stored
    ]


def test_amounts_are_among_what_is_written_at_once() -> None:
    assert format_decimals([decimal128(text) for text in ("19.99", "-3", "0.05")]) == ["19.99", "-3", "0.05"]


@given(one=STORED | NEAR | SPECIAL, other=STORED | NEAR | SPECIAL)
def test_where_the_bits_tell_it_two_are_one_number_as_they_are_written(
    one: Decimal128, other: Decimal128
) -> None:
    known = is_one_number(one, other)
    if known is not None:
        assert known is (f"{one.to_decimal():f}" == f"{other.to_decimal():f}")
    assert known or one != other


@given(STORED | NEAR | SPECIAL)
def test_a_plain_one_is_made_again_of_its_text(one: Decimal128) -> None:
    assert not is_plain(one) or decimal128(format_decimal(one)).bid == one.bid


def test_amounts_are_plain() -> None:
    assert all(is_plain(decimal128(text)) for text in ("19.99", "-3", "0.05", "-0.0"))


@given(STORED | NEAR | SPECIAL)
def test_a_number_without_a_minus_is_not_below_zero(one: Decimal128) -> None:
    value = one.to_decimal()
    if has_no_minus(one):
        assert value.is_finite()
        assert value >= 0
    elif value.is_finite() and one.bid[-1] & 0x60 != 0x60:  # else of a form that nobody writes
        assert value.is_signed()


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("1.50", "1.50", True),
        ("1.50", "1.51", False),
        ("1.50", "1.5", None),
        ("1.50", "-1.50", None),
        ("0", "-0", None),
        ("1E+3", "1000", None),
        ("NaN", "Infinity", None),
    ],
)
def test_one_number_is_seen(one: str, other: str, expected: bool | None) -> None:
    assert is_one_number(Decimal128(one), Decimal128(other)) is expected


@pytest.mark.parametrize("other", [None, "1.50", 1.5, True])
def test_what_is_no_decimal_is_left_to_others(other: Any) -> None:
    assert is_one_number(Decimal128("1.50"), other) is None
    assert is_one_number(other, Decimal128("1.50")) is None
