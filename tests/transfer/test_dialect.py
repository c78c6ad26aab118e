"""What a dialect may be, and the guard against texts that spreadsheets run."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.contract.charset import Charset
from runtime.errors import InvalidParameter
from runtime.transfer.csv.dialect import FORMULA_STARTS, Dialect, guard_raw, guard_text, remove_guard


@pytest.mark.parametrize(
    "options",
    [
        pytest.param({}, id="the usual one"),
        pytest.param({"separator": ";"}, id="a semicolon"),
        pytest.param({"separator": "\t"}, id="a tab"),
        pytest.param({"separator": " "}, id="a blank"),
        pytest.param({"separator": "'", "quote_char": "|"}, id="an apostrophe separates"),
        pytest.param({"quote_char": "'"}, id="an apostrophe quotes"),
        pytest.param(
            {"separator": "§", "charset": Charset.UTF_16_LE}, id="beyond ASCII, where there is more"
        ),
    ],
)
def test_what_can_be_read_back_can_be_built(options: dict[str, Any]) -> None:
    assert Dialect(**options)


@pytest.mark.parametrize(
    ("options", "parameter", "says"),
    [
        pytest.param({"separator": ""}, "fieldSeparator", "one character, not 0", id="no separator"),
        pytest.param({"separator": ",,"}, "fieldSeparator", "one character, not 2", id="two separators"),
        pytest.param({"quote_char": '""'}, "quoteChar", "one character, not 2", id="two quotes"),
        pytest.param({"separator": '"'}, "quoteChar", "must differ", id="separator and quote are the same"),
        pytest.param({"separator": "\n"}, "fieldSeparator", "U+000A", id="a line feed separates"),
        pytest.param({"quote_char": "\r"}, "quoteChar", "U+000D", id="a carriage return quotes"),
        pytest.param({"quote_char": "\t"}, "quoteChar", "a tab cannot quote", id="a tab quotes"),
        pytest.param({"separator": "\0"}, "fieldSeparator", "U+0000", id="a NUL separates"),
        pytest.param({"separator": "\ufeff"}, "fieldSeparator", "U+FEFF", id="a byte order mark separates"),
        pytest.param({"separator": "\u2028"}, "fieldSeparator", "U+2028", id="a line separator separates"),
        pytest.param(
            {"separator": "§", "charset": Charset.US_ASCII}, "fieldSeparator", "US-ASCII", id="not in the set"
        ),
    ],
)
def test_what_could_not_be_read_back_is_refused(options: dict[str, Any], parameter: str, says: str) -> None:
    with pytest.raises(InvalidParameter, match=says.replace("+", r"\+")) as refused:
        Dialect(**options)
    assert refused.value.details["parameter"] == parameter


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("=1+1", "'=1+1"),
        ("+49 30 1234", "'+49 30 1234"),
        ("-12", "'-12"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\tx", "'\tx"),
        ("\rx", "'\rx"),
        ("\nx", "'\nx"),
        ("＝1+1", "'＝1+1"),
        ("＋49", "'＋49"),
        ("－12", "'－12"),
        ("＠SUM(A1)", "'＠SUM(A1)"),
        ("'＝1", "''＝1"),
        ("'=1", "''=1"),
        ("''@", "'''@"),
        ("", ""),
        ("'", "'"),
        ("'quoted'", "'quoted'"),
        ("1=1", "1=1"),
        (" =1", " =1"),
        ("Ten red tulips", "Ten red tulips"),
    ],
)
def test_the_guard(text: str, written: str) -> None:
    assert guard_text(text) == written
    assert remove_guard(written) == text


SUSPECT = st.text(st.one_of(st.sampled_from("'" + FORMULA_STARTS), st.characters(codec="utf-8")), max_size=8)


@given(SUSPECT)
def test_every_text_survives_the_guard(text: str) -> None:
    assert remove_guard(guard_text(text)) == text


@given(SUSPECT)
def test_nothing_that_is_guarded_begins_like_a_formula(text: str) -> None:
    assert not guard_text(text).startswith(tuple(FORMULA_STARTS))


@given(SUSPECT, SUSPECT)
def test_the_guard_tells_texts_apart(one: str, other: str) -> None:
    assert (guard_text(one) == guard_text(other)) is (one == other)


@pytest.mark.parametrize(
    ("cell", "written"),
    [
        ("=1+1", "'=1+1"),
        ("'=1+1", "'=1+1"),
        ("''=1", "''=1"),
        ("\n{}", "'\n{}"),
        ("＠A1", "'＠A1"),
        ("-12,5 EUR", "'-12,5 EUR"),
        ("-2+3+cmd|' /C calc'!A0", "'-2+3+cmd|' /C calc'!A0"),
        ("-", "'-"),
        ("-5", "-5"),
        ("+5.25", "+5.25"),
        ("-1.234,50", "-1.234,50"),
        ("-.5e-7", "-.5e-7"),
        ("Lamp", "Lamp"),
        ("", ""),
    ],
)
def test_a_cell_of_a_file_is_guarded_once_and_numbers_stay(cell: str, written: str) -> None:
    assert guard_raw(cell) == written


@given(SUSPECT)
def test_a_guarded_cell_says_what_it_said(cell: str) -> None:
    written = guard_raw(cell)
    assert remove_guard(written) == remove_guard(cell)
    assert guard_raw(written) == written
    assert not written.startswith(tuple(FORMULA_STARTS)) or set(written) <= set("+-.,0123456789eE")
