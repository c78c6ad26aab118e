"""What a profile does to the text of a cell."""

from __future__ import annotations

import re
import tracemalloc
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from runtime.contract.imports import RowCode
from runtime.transfer.profiles import replacement as module
from runtime.transfer.profiles.replacement import MOST_MATCHES, limit_replacements, replacement
from runtime.transfer.profiles.transformation import Transformation
from runtime.transfer.rows.row_error import RowRefused

ECHO = {"pattern": "(.+)", "replacement": "$1" * 500}


def made(cell: str, mapping: dict[str, Any] | None = None, **transformations: Any) -> str | None:
    whole = {"targetField": "name", "transformations": transformations, **(mapping or {})}
    return Transformation.of(whole).apply(cell)


def values(behavior: str | None = None, **mappings: str) -> dict[str, Any]:
    return {"valueMappings": mappings, "unmappedValueBehavior": behavior}


@pytest.mark.parametrize(
    ("cell", "asked", "text"),
    [
        pytest.param(" Lamp ", {}, " Lamp ", id="nothing is done unasked"),
        pytest.param("", {}, None, id="an empty cell"),
        pytest.param(" Lamp\t", {"trim": True}, "Lamp", id="trim"),
        pytest.param("   ", {"trim": True}, None, id="blanks alone, trimmed"),
        pytest.param("straße", {"case": "UPPER"}, "STRASSE", id="upper case"),
        pytest.param("LAMP", {"case": "LOWER"}, "lamp", id="lower case"),
        pytest.param("o'neil's  big LAMP", {"case": "TITLE"}, "O'neil's  Big Lamp", id="title case"),
        pytest.param("éLAN vital2x", {"case": "TITLE"}, "Élan Vital2X", id="title case of any letters"),
        pytest.param("a-b-c", {"regex": {"pattern": "-"}}, "abc", id="what matches is taken away"),
        pytest.param("12-ab", {"regex": {"pattern": r"(\d+)-(\w+)", "replacement": r"\2/\1"}}, "ab/12", id="groups"),
        pytest.param("12-ab", {"regex": {"pattern": r"(\d+)-", "replacement": "$1$$"}}, "12$ab", id="groups, the other way"),
        pytest.param("x", {"regex": {"pattern": "x", "replacement": r"a\\b$"}}, r"a\b$", id="the signs themselves"),
        pytest.param("ac", {"regex": {"pattern": "(b)?c", "replacement": r"[\1]"}}, "a[]", id="a group that took no part"),
        pytest.param("--", {"regex": {"pattern": "-"}, "default": "none"}, "none", id="a default for what became empty"),
        pytest.param("", {"default": "none"}, "none", id="a default"),
        pytest.param("", {"default": "27.03.2026", "dateFormat": "dd.MM.yyyy"}, "2026-03-27", id="a default date is written as in the file"),
        pytest.param(" 27.mar.26 ", {"trim": True, "dateFormat": "dd.MMM.yy"}, "2026-03-27", id="a date"),
        pytest.param(" lamp-1 ", {"trim": True, "case": "UPPER", "regex": {"pattern": "-[0-9]"}}, "LAMP", id="case before regex"),
    ],
)  # fmt: skip
def test_transformations(cell: str, asked: dict[str, Any], text: str | None) -> None:
    assert made(cell, **asked) == text


@pytest.mark.parametrize(
    ("cell", "mapping", "text"),
    [
        pytest.param("Y", values(Y="true"), "true", id="mapped"),
        pytest.param("N", values(Y="true"), "N", id="not mapped, passed on"),
        pytest.param("N", values("PASSTHROUGH", Y="true"), "N", id="not mapped, passed on by name"),
        pytest.param("N", values("NULL", Y="true"), None, id="not mapped, empty"),
        pytest.param("", values("FAIL", Y="true"), None, id="an empty cell is no value"),
        pytest.param("", {"valueMappings": {"": "none"}}, "none", id="an empty cell, mapped"),
        pytest.param("n/a", {"valueMappings": {"n/a": ""}}, None, id="mapped to nothing"),
        pytest.param("n/a", {"valueMappings": {"n/a": ""}, "transformations": {"default": "0"}}, "0", id="mapped to nothing, with a default"),
        pytest.param(" Y ", {"valueMappings": {"Y": "true"}, "unmappedValueBehavior": "FAIL", "transformations": {"trim": True}}, "true", id="trimmed first"),
        pytest.param("Y", {"valueMappings": {"Y": "yes"}, "transformations": {"case": "UPPER"}}, "YES", id="then the rest"),
    ],
)  # fmt: skip
def test_value_mappings(cell: str, mapping: dict[str, Any], text: str | None) -> None:
    assert Transformation.of({"targetField": "name", **mapping}).apply(cell) == text


def test_a_value_that_must_be_mapped() -> None:
    with pytest.raises(RowRefused) as failed:
        made("purpel", values("FAIL", purple="P", green="G"))
    error = failed.value.error
    assert (error.code, error.field, error.value) == (RowCode.MAPPING, "name", "purpel")
    assert (error.message, error.suggestion) == (
        "purpel is not among the value mappings; did you mean purple?",
        "purple",
    )


def test_a_date_that_is_written_otherwise() -> None:
    with pytest.raises(RowRefused) as failed:
        made("27/03/2026", dateFormat="dd.MM.yyyy")
    assert failed.value.error.code is RowCode.PARSE
    assert failed.value.error.message == "27/03/2026 is not written as in 27.03.2026"


def test_a_replacement_that_makes_too_much() -> None:
    doubled = {"pattern": "x", "replacement": "yy"}
    assert made("zx" * 32_768 + "z", regex=doubled) == "zyy" * 32_768 + "z"
    for cell, regex in (("x" * 70, {"pattern": "x", "replacement": "y" * 1000}), ("x" * 1000, ECHO)):
        with pytest.raises(RowRefused, match="the regex makes it more than 65536 bytes longer") as failed:
            made(cell, regex=regex)
        assert failed.value.error.code is RowCode.MAPPING


def test_what_a_replacement_takes_away_counts_as_room() -> None:
    cell, written = "x" * 100 + "y" * 100_000, "$1" + "z" * 1000
    assert (
        made(cell, regex={"pattern": "(x)|y+", "replacement": written}) == f"x{'z' * 1000}" * 100 + "z" * 1000
    )


def test_a_replacement_that_makes_too_much_is_not_written() -> None:
    tracemalloc.start()
    with pytest.raises(RowRefused, match="bytes longer"):
        made("x" * 1_000_000, regex=ECHO)
    _now, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 10_000_000  # of 500 MB


@pytest.mark.parametrize("text", ["", "b"])
def test_a_regex_that_matches_too_often(text: str) -> None:
    """Whatever replaces the matches: each costs as much."""
    regex = {"pattern": "a", "replacement": text}
    assert made("a" * MOST_MATCHES + "c", regex=regex) == text * MOST_MATCHES + "c"
    with pytest.raises(RowRefused, match=f"the regex matches more than {MOST_MATCHES} times in it") as failed:
        made("a" * (MOST_MATCHES + 1), regex=regex)
    assert (failed.value.error.code, failed.value.error.field) == (RowCode.MAPPING, "name")


def test_a_cell_that_is_too_long_for_its_regex() -> None:
    """The larger the pattern is, the shorter are the cells that it may search."""
    large = {"pattern": "(a?){1000}a{1000}c"}
    assert made("a" * 100, regex=large) == "a" * 100
    with pytest.raises(RowRefused, match="the regex takes too long for a cell of this length") as failed:
        made("a" * 990_000, regex=large)
    assert failed.value.error.code is RowCode.MAPPING
    assert made("a" * 990_000, regex={"pattern": "b+"}) == "a" * 990_000


def test_the_cells_of_a_row_that_take_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    with limit_replacements():
        assert made("aab", regex={"pattern": "a"}) == "b"
    monkeypatch.setattr(module, "MOST_SECONDS", 0.0)
    for cell in ("aab", "b"):
        with limit_replacements(), pytest.raises(RowRefused, match="too long for the cells of this row"):
            made(cell, regex={"pattern": "a"})
    assert made("aab", regex={"pattern": "a"}) == "b"


CELLS = st.text(alphabet="aé€😀1 \n", min_size=1, max_size=12)
PATTERNS = st.sampled_from(["", "a", "a*", "é|", r"\b", r"\B", r"(a)|(é)", "[^a]", "(.)(.)?", r"\d+| *", "^"])


@given(CELLS, PATTERNS, st.sampled_from(["", "é", r"<\1>", "x$$"]))
def test_a_match_is_replaced_as_python_would(cell: str, pattern: str, text: str) -> None:
    """Though the bytes of the cell are searched: no match is inside a character, and none comes twice."""
    compiled = re.compile(pattern, re.ASCII)
    assume(compiled.groups or "1" not in text)
    expected = compiled.sub(text.replace("$$", "$"), cell)
    assert replacement(pattern, text).apply(cell) == expected


def test_a_regex_that_takes_a_character_apart() -> None:
    with pytest.raises(RowRefused, match="takes a character apart"):
        made("é", regex={"pattern": r"^\C"})


@pytest.mark.parametrize(
    ("pattern", "text", "message"),
    [
        pytest.param("a(?=b)", "", "look-around", id="look-ahead"),
        pytest.param(r"(a)\1", "", "back-references", id="a back-reference"),
        pytest.param("(a", "", "cannot be used", id="a bracket that is not closed"),
        pytest.param("(a)", r"\2", "no group 2", id="a group that is not there"),
        pytest.param("a" * 1001, "", "more than 1000 characters", id="a long one"),
        pytest.param("a{1000}{1000}", "", "cannot be used", id="one that would take all memory"),
    ],
)
def test_a_pattern_that_cannot_be_used(pattern: str, text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        replacement(pattern, text)


def test_a_hostile_pattern_takes_linear_time() -> None:
    """A backtracking engine would not come back from this."""
    assert made("a" * 5000, regex={"pattern": "(a+)+b", "replacement": "x"}) == "a" * 5000
