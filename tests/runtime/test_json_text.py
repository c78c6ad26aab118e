"""JSON text before it is parsed: counted as it arrives, nested so deep, no member twice."""

from __future__ import annotations

import json
from contextlib import nullcontext
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.errors import MalformedRequest, RepeatedMember, TooLarge
from runtime.json_text import (
    MAX_DEPTH,
    MOST_ESCAPES,
    Measure,
    UnfitJson,
    read_cell_json,
    require_distinct,
    require_measure,
)

MANY = 10**6

STRINGS = st.text(alphabet='ab,:[]{}"\\\n é😀', max_size=8)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | STRINGS,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(STRINGS, inner, max_size=5),
    max_leaves=30,
)


def count(value: Any) -> int:
    """A value, and all in it; an empty list or object has room for one."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return 1 if inner is None else 1 + max(sum(map(count, inner)), 1)


@given(VALUES, st.booleans(), st.lists(st.integers(0, 400), max_size=4))
def test_the_count_is_that_of_the_values_however_the_text_is_cut(
    value: Any, is_ascii: bool, cuts: list[int]
) -> None:
    text = json.dumps(value, ensure_ascii=is_ascii).encode()
    measure = Measure(MANY)
    for start, end in zip([0, *sorted(cuts)], [*sorted(cuts), len(text)], strict=True):
        measure.add(text[start:end])
    assert measure.values == count(value)


@given(st.binary(max_size=60), st.lists(st.integers(0, 60), max_size=4))
def test_any_bytes_are_counted_or_refused(text: bytes, cuts: list[int]) -> None:
    measure = Measure(MANY)
    for start, end in zip([0, *sorted(cuts)], [*sorted(cuts), len(text)], strict=True):
        measure.add(text[start:end])
    assert measure.values <= 1 + len(text)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(b"[" + b",".join([b"1"] * 100) + b"]", id="items"),
        pytest.param(b"{" + b",".join(b'"%d":1' % at for at in range(100)) + b"}", id="members"),
        pytest.param(b"[" + b",".join([b"[]"] * 51) + b"]", id="empty lists"),
        pytest.param(b"[" + b",".join([b"{}"] * 51) + b"]", id="empty objects"),
        pytest.param(b'"' * 1000, id="nothing but quotes"),
        pytest.param(b'["\\\\",' + b"1," * 100, id="behind a backslash"),
        pytest.param(b'["\\"",' + b"1," * 100, id="behind a quote in a string"),
    ],
)
def test_more_values_than_allowed(text: bytes) -> None:
    with pytest.raises(TooLarge, match="more than 100 values"):
        require_measure(text, 100)


@pytest.mark.parametrize("escape", [rb"\n", rb"\\", rb"\"", rb"\u00e9"])
@pytest.mark.parametrize("cut", [64 * 1024, 99_999])
def test_escapes_are_counted_over_all_pieces(escape: bytes, cut: int) -> None:
    most = MOST_ESCAPES // escape.count(b"\\")
    for number in (most, most + 1):
        text, measure = b'"' + escape * number + b'"', Measure(MANY)
        with pytest.raises(TooLarge, match="backslashes") if number > most else nullcontext():
            for start in range(0, len(text), cut):
                measure.add(text[start : start + cut])


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(b"[" + b",".join([b"1"] * 99) + b"]", id="as many as allowed"),
        pytest.param(b'"' + b"," * 1000 + b'"', id="commas in a string"),
        pytest.param(b'"' + b'\\",' * 1000 + b'"', id="quotes in a string"),
        pytest.param(b'"' + b"\\\\" * 1000 + b'"', id="backslashes"),
        pytest.param(b"x" * 1000, id="not JSON"),
    ],
)
def test_as_many_values_as_allowed(text: bytes) -> None:
    require_measure(text, 100)


@pytest.mark.parametrize(("open_", "close"), [(b"[", b"]"), (b'{"a":', b"}")], ids=["lists", "objects"])
def test_nesting(open_: bytes, close: bytes) -> None:
    require_measure(open_ * MAX_DEPTH + b"1" + close * MAX_DEPTH, MANY)
    for unfinished in (b"", b"1" + close * (MAX_DEPTH + 1)):
        with pytest.raises(MalformedRequest, match="deeper than 64 levels"):
            require_measure(open_ * (MAX_DEPTH + 1) + unfinished, MANY)


def test_many_brackets_one_after_the_other_are_not_deep() -> None:
    require_measure(b"[" + b",".join([b"[]"] * 1000) + b"]", MANY)
    require_measure(b'"' + b"[" * 1000 + b'"', MANY)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('{"a": 1, "a": 2}', "a"),
        ('{"a": 1, "b": 3, "a": null}', "a"),
        ('{"x": [{"y": {"a": 1, "a": 1}}]}', "a"),
        ('{"é": 1, "\\u00e9": 2}', "é"),
        ('{"": 1, "": 2}', ""),
        ('[{"a": 1}, {"a": 1, "b": 1, "b": 1}]', "b"),
        ('{"a":%s,"a":1}' % ("9" * 10_000), "a"),
    ],
)
def test_a_member_that_was_sent_twice(text: str, name: str) -> None:
    with pytest.raises(RepeatedMember) as caught:
        require_distinct(text.encode())
    assert caught.value.details["member"] == name
    assert f'"{name}"' in caught.value.message


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1, "A": 2, "a ": 3}',
        '[{"a": 1}, {"a": 2}]',
        '{"a": {"a": {"a": 1}}}',
        '{"a": "\\"a\\": 1, \\"a\\": 2"}',
        '{"a": 1, "a": 2',  # its parser reports it
        "{'a': 1, 'a': 2}",
        "[" * 100_000,
    ],
)
def test_members_that_were_not(text: str) -> None:
    require_distinct(text.encode())


@given(VALUES)
def test_what_a_writer_makes_has_no_member_twice(value: Any) -> None:
    require_distinct(json.dumps(value).encode())


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"a": 1, "a": 2}', "with each member once"),
        ("[" + "1," * 20_000 + "1]", "of at most 20000 values"),
        ("[" * 65 + "]" * 65, "nested at most 64 levels deep"),
        ("1e400", "with finite numbers"),
        ('{"a": ["x", {"b": -1E0999}]}', "with finite numbers"),
        pytest.param(f"[{'9' * 400}.0]", "with finite numbers", id="many digits"),
    ],
)
def test_a_cell_that_is_not_taken_says_what_would_be_right(text: str, says: str) -> None:
    with pytest.raises(UnfitJson, match=says):
        read_cell_json(text)


@given(VALUES)
def test_a_cell_is_read_as_it_was_written(value: Any) -> None:
    assert read_cell_json(json.dumps(value)) == value


def test_bytes_that_are_no_text_are_left_to_the_parser() -> None:
    require_distinct(b'{"\xff": 1, "\xff": 2}')


def test_a_long_name_does_not_come_back_whole() -> None:
    with pytest.raises(RepeatedMember) as caught:
        require_distinct(json.dumps({"x" * 10_000: 1}).encode()[:-1] + b', "' + b"x" * 10_000 + b'": 1}')
    assert len(caught.value.message) + len(str(caught.value.details)) < 1000
