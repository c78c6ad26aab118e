"""Dynamic attributes of a file: four ways to write them, three to merge them."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

import pytest
from bson import ObjectId
from hypothesis import given
from hypothesis import strategies as st

from runtime.contract.imports import RowCode, VerticalColumn
from runtime.records.document.dynamic import MAX_STRING, Written, read_attributes
from runtime.transfer.rows.attribute import TYPES
from runtime.transfer.rows.dynamic import (
    AttributeColumn,
    Attributes,
    Merge,
    add_attribute,
    merge_attributes,
    parse_attribute_column,
    read_cell,
    read_json,
    read_vertical,
)
from runtime.transfer.rows.row_error import RowRefused

ID = "65f0c0ffee00c0ffee00c0de"
MOMENT = datetime(2026, 3, 27, 4, 12, 14)


def column(header: str, prefix: str = "dyn.") -> AttributeColumn:
    found = parse_attribute_column(header, prefix)
    assert found is not None
    return found


def as_new(value: Any) -> dict[str, Any]:
    """What an attribute becomes in a new record."""
    made, errors = merge_attributes(None, {"s": {"n": value}}, Merge.MERGE)
    assert errors == []
    return dict(made["s"]["n"])


def vertical(**cells: str) -> dict[VerticalColumn, str]:
    return {VerticalColumn[name.upper()]: text for name, text in cells.items()}


# Headers ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("header", "prefix", "expected"),
    [
        pytest.param(
            "dyn.specs.weight:Double", "dyn.", AttributeColumn("specs", "weight", "Double"), id="typed"
        ),
        pytest.param("dyn.specs.weight", "dyn.", AttributeColumn("specs", "weight"), id="untyped"),
        pytest.param("attr_a.b:Boolean", "attr_", AttributeColumn("a", "b", "Boolean"), id="another prefix"),
        pytest.param("dyn.my set.my name", "dyn.", AttributeColumn("my set", "my name"), id="blanks inside"),
        pytest.param("weight:Double", "dyn.", None, id="no prefix"),
        pytest.param("Dyn.a.b", "dyn.", None, id="the prefix in another case"),
    ],
)
def test_what_a_header_says(header: str, prefix: str, expected: AttributeColumn | None) -> None:
    assert parse_attribute_column(header, prefix) == expected


@pytest.mark.parametrize(
    ("header", "message"),
    [
        pytest.param("dyn.weight:Double", "write dyn.<set>.<name>:<Type>", id="no set"),
        pytest.param("dyn.", "write dyn.<set>.<name>:<Type>", id="nothing"),
        pytest.param("dyn.a.", "write dyn.<set>.<name>:<Type>", id="no name"),
        pytest.param("dyn.a.b.c", "write dyn.<set>.<name>:<Type>", id="one step too many"),
        pytest.param("dyn.$a.b", "write dyn.<set>.<name>:<Type>", id="a name the store cannot keep"),
        pytest.param(f"dyn.a.{'b' * 101}", "write dyn.<set>.<name>:<Type>", id="a long name"),
        pytest.param("dyn.a.b:double", "did you mean Double?", id="a type in the wrong case"),
        pytest.param("dyn.a.b:Intger", "did you mean Integer?", id="a misspelt type"),
        pytest.param("dyn.a.b:Colour", "one of String, Text, Integer", id="an unknown type"),
        pytest.param("dyn.a.b:", "one of String, Text, Integer", id="a colon and no type"),
    ],
)
def test_a_header_that_begins_like_an_attribute_and_is_none(header: str, message: str) -> None:
    with pytest.raises(RowRefused) as refused:
        parse_attribute_column(header)
    assert message in refused.value.error.message


# Cells --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "text", "stored"),
    [
        ("String", "007", "007"),
        ("Text", "x" * 5000, "x" * 5000),
        ("Integer", "-5", -5),
        ("Long", "9007199254740993", 9007199254740993),
        ("Float", "2.5", 2.5),
        ("Double", "2", 2.0),
        ("Date", "2026-03-27", "2026-03-27"),
        ("DateTime", "2026-03-27T05:12:14+01:00", MOMENT),
        ("Boolean", "true", True),
        ("Select", "red", "red"),
        ("MultiSelect", "red", ["red"]),
        ("MultiSelect", "red;blue", ["red;blue"]),
        ("MultiSelect", '["red", "blue"]', ["red", "blue"]),
        ("ObjectRef", ID, ObjectId(ID)),
        ("ObjectRef", f"@@{ID}", ObjectId(ID)),
        ("Object", '{"a": [1, 2]}', {"a": [1, 2]}),
    ],
)
def test_a_cell_of_a_type_that_the_header_names(kind: str, text: str, stored: Any) -> None:
    value = read_cell(column(f"dyn.s.n:{kind}"), text)
    assert as_new(value) == {"type": kind, "value": stored}
    assert type(as_new(value)["value"]) is type(stored)


def test_every_type_has_a_row_above() -> None:
    (mark,) = test_a_cell_of_a_type_that_the_header_names.pytestmark
    assert {row[0] for row in mark.args[1]} == set(TYPES)


@pytest.mark.parametrize(
    ("kind", "text", "message"),
    [
        ("Integer", "5.5", "is Integer: an integer, such as 5"),
        ("Integer", "2147483648", "of 32 bits"),
        ("Long", "9223372036854775808", "of 64 bits"),
        ("Double", "1,5", "is Double: a number, such as 2.5"),
        ("Boolean", "yes", "is Boolean: a boolean, such as true"),
        ("Date", "27.03.2026", "written yyyy-MM-dd"),
        ("DateTime", "2026-03-27T04:12:14", "needs a zone"),
        ("ObjectRef", "LIS", "24 hexadecimal digits"),
        ("Object", "[1]", "a JSON object"),
        ("Object", "{", "a JSON object"),
        ("Object", '{"a": 1, "a": 2}', "a JSON object with each member once"),
        ("Object", '{"a": 1e400}', "a JSON object with finite numbers"),
        ("MultiSelect", "[red", "or a JSON list"),
    ],
)
def test_a_cell_that_the_named_type_cannot_read(kind: str, text: str, message: str) -> None:
    with pytest.raises(RowRefused) as refused:
        read_cell(column(f"dyn.s.n:{kind}"), text)
    error = refused.value.error
    assert (error.code, error.field, error.value) == (RowCode.PARSE, "dynamicAttributes.s.n", text)
    assert message in error.message


@pytest.mark.parametrize(
    ("text", "kind", "stored"),
    [
        ("true", "Boolean", True),
        ("True", "String", "True"),
        ("5", "Integer", 5),
        ("007", "String", "007"),
        ("2147483648", "Long", 2**31),
        ("9223372036854775808", "String", "9223372036854775808"),
        ("2.50", "Double", 2.5),
        ("2026-03-27", "Date", "2026-03-27"),
        ("2026-02-30", "String", "2026-02-30"),
        ("2026-03-27T04:12:14Z", "DateTime", MOMENT),
        ("red", "String", "red"),
        ("x" * (MAX_STRING + 1), "Text", "x" * (MAX_STRING + 1)),
    ],
)
def test_the_type_that_a_new_attribute_looks_like(text: str, kind: str, stored: Any) -> None:
    assert as_new(read_cell(column("dyn.s.n"), text)) == {"type": kind, "value": stored}


def test_an_empty_cell_says_nothing() -> None:
    assert read_cell(column("dyn.s.n"), "") is None
    assert read_cell(column("dyn.s.n:Double"), "") is None


# JSON ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (True, {"type": "Boolean", "value": True}),
        (5, {"type": "Integer", "value": 5}),
        (2**40, {"type": "Long", "value": 2**40}),
        (2.5, {"type": "Double", "value": 2.5}),
        (1e300, {"type": "Double", "value": 1e300}),
        ("red", {"type": "String", "value": "red"}),
        ("5", {"type": "String", "value": "5"}),
        ("true", {"type": "String", "value": "true"}),
        ("2026-03-27", {"type": "Date", "value": "2026-03-27"}),
        ("2026-03-27T04:12:14Z", {"type": "DateTime", "value": MOMENT}),
        (["red", "blue"], {"type": "MultiSelect", "value": ["red", "blue"]}),
        ([], {"type": "MultiSelect", "value": []}),
        ({"a": 1}, {"type": "Object", "value": {"a": 1}}),
        ({"type": "Double", "value": 2}, {"type": "Double", "value": 2.0}),
        ({"type": "Double"}, {"type": "Double"}),
        ({"type": "Lamp", "value": 2}, {"type": "Object", "value": {"type": "Lamp", "value": 2}}),
        ({"type": "Double", "more": 2}, {"type": "Object", "value": {"type": "Double", "more": 2}}),
    ],
)  # fmt: skip
def test_a_plain_json_value_has_a_type_and_a_typed_one_keeps_its_own(value: Any, expected: Any) -> None:
    assert as_new(read_json(json.dumps({"s": {"n": value}}))["s"]["n"]) == expected


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        pytest.param("{", RowCode.PARSE, "is not JSON", id="broken"),
        pytest.param('{"s": {"n": 1, "n": 2}}', RowCode.PARSE, "each member once", id="a member twice"),
        pytest.param('{"s": {"n": [%s1]}}' % ("1," * 20_000), RowCode.PARSE, "at most 20000", id="too much"),
        pytest.param("[]", RowCode.PARSE, "object of sets", id="a list"),
        pytest.param('{"s": 5}', RowCode.PARSE, "object of sets", id="a set that is none"),
        pytest.param('{"s": {"n": NaN}}', RowCode.PARSE, "is not JSON", id="not a number"),
        pytest.param('{"s": {"n": 1e400}}', RowCode.PARSE, "finite numbers", id="beyond all numbers"),
        pytest.param(
            '{"s": {"a\ufdd0": 1}}', RowCode.MAPPING, "are reserved", id="a reserved sign in a name"
        ),
        pytest.param('{"": {"n": 1}}', RowCode.MAPPING, "is not a name of set", id="an empty name"),
    ],
)
def test_json_that_cannot_be_read(text: str, code: RowCode, message: str) -> None:
    with pytest.raises(RowRefused) as refused:
        read_json(text)
    assert refused.value.error.code is code
    assert message in refused.value.error.message


def test_an_empty_cell_and_a_null_are_no_attributes() -> None:
    assert read_json("") == {}
    assert read_json('{"s": {"n": null}, "t": {}}') == {}


def test_a_list_that_is_no_choice_is_an_error_of_the_record() -> None:
    _made, errors = merge_attributes(None, read_json('{"s": {"n": [1, 2]}}'), Merge.MERGE)
    assert [(error.code, error.field) for error in errors] == [(RowCode.VALIDATION, "dynamicAttributes.s.n")]


# VERTICAL -----------------------------------------------------------------------------------------


def test_a_row_is_one_attribute() -> None:
    found = read_vertical(vertical(set=" s ", name="n", type="Double", value="2"))
    assert found == (AttributeColumn("s", "n", "Double"), {"type": "Double", "value": 2.0})


def test_a_type_that_is_absent_or_empty_is_not_known_yet() -> None:
    assert read_vertical(vertical(set="s", name="n", value="2")) == (AttributeColumn("s", "n"), Written("2"))
    assert read_vertical(vertical(set="s", name="n", type="", value="2")) == (
        AttributeColumn("s", "n"),
        Written("2"),
    )


def test_a_row_without_a_value_gives_no_attribute() -> None:
    assert read_vertical(vertical(set="s", name="n", type="Double", value="")) is None
    assert read_vertical(vertical(set="", name="", value="")) is None


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ({"set": "", "name": "n", "value": "2"}, "nothing is not a name of set"),
        ({"set": "s", "name": "", "value": "2"}, "nothing is not a name of attribute"),
        ({"set": "s", "name": "n", "type": "double", "value": "2"}, "did you mean Double?"),
    ],
)
def test_a_row_that_names_no_attribute(cells: dict[str, str], message: str) -> None:
    with pytest.raises(RowRefused) as refused:
        read_vertical(vertical(**cells))
    assert message in refused.value.error.message
    assert refused.value.error.code is RowCode.MAPPING


# Merging ------------------------------------------------------------------------------------------

STORED: dict[str, dict[str, dict[str, Any]]] = {
    "s": {"a": {"type": "String", "value": "old"}, "b": {"type": "Double", "value": 1.5}},
    "t": {"c": {"type": "Boolean", "value": True}},
}


@pytest.mark.parametrize(
    ("merge", "expected"),
    [
        pytest.param(
            Merge.MERGE,
            {
                "s": {"a": {"type": "String", "value": "7"}, "b": {"type": "Double", "value": 1.5}},
                "t": STORED["t"],
                "u": {"d": {"type": "Integer", "value": 1}},
            },
            id="MERGE changes and adds",
        ),
        pytest.param(
            Merge.REPLACE,
            {"s": {"a": {"type": "String", "value": "7"}}, "u": {"d": {"type": "Integer", "value": 1}}},
            id="REPLACE takes the others away",
        ),
        pytest.param(
            Merge.APPEND, {**STORED, "u": {"d": {"type": "Integer", "value": 1}}}, id="APPEND only adds"
        ),
    ],
)  # fmt: skip
def test_the_three_merges(merge: Merge, expected: Any) -> None:
    imported: Attributes = {"s": {"a": Written("7")}, "u": {"d": Written("1")}}
    assert merge_attributes(STORED, imported, merge) == (expected, [])


@pytest.mark.parametrize("merge", Merge)
def test_a_row_without_attributes_changes_none(merge: Merge) -> None:
    assert merge_attributes(STORED, {}, merge) == (STORED, [])
    assert merge_attributes(None, {}, merge) == ({}, [])


def test_a_type_that_is_named_changes_that_of_the_stored_attribute() -> None:
    imported: Attributes = {"s": {"a": {"type": "Integer", "value": 7}}}
    made, errors = merge_attributes(STORED, imported, Merge.MERGE)
    assert (made["s"]["a"], errors) == ({"type": "Integer", "value": 7}, [])


def test_text_is_read_by_the_type_of_the_attribute_it_changes() -> None:
    made, errors = merge_attributes(STORED, {"s": {"b": Written("2")}}, Merge.MERGE)
    assert (made["s"]["b"], errors) == ({"type": "Double", "value": 2.0}, [])


def test_what_cannot_be_read_leaves_all_attributes_as_they_are() -> None:
    imported: Attributes = {"s": {"a": Written("new"), "b": Written("much")}, "t": {"c": Written("maybe")}}
    made, errors = merge_attributes(STORED, imported, Merge.MERGE)
    assert made == STORED
    assert [(error.code, error.field, error.value) for error in errors] == [
        (RowCode.PARSE, "dynamicAttributes.s.b", "much"),
        (RowCode.PARSE, "dynamicAttributes.t.c", "maybe"),
    ]


def test_what_append_does_not_take_is_not_read_either() -> None:
    assert merge_attributes(STORED, {"s": {"b": Written("much")}}, Merge.APPEND) == (STORED, [])


def test_the_stored_attributes_are_not_touched() -> None:
    before = json.dumps(STORED)
    merge_attributes(STORED, {"s": {"z": Written("1")}}, Merge.MERGE)
    assert json.dumps(STORED) == before


def test_too_many_attributes_are_an_error() -> None:
    imported: Attributes = {f"s{number}": {"n": Written("1")} for number in range(65)}
    made, errors = merge_attributes(None, imported, Merge.MERGE)
    assert (made, [error.code for error in errors]) == ({}, [RowCode.VALIDATION])


def test_one_attribute_given_twice_is_an_error() -> None:
    found: Attributes = {}
    add_attribute(found, "s", "n", Written("1"))
    with pytest.raises(RowRefused, match=r"dynamicAttributes\.s\.n is given twice"):
        add_attribute(found, "s", "n", Written("1"))


names = st.from_regex(r"[a-z]{1,4}", fullmatch=True)
typed = st.one_of(
    st.builds(lambda text: {"type": "String", "value": text}, st.text(min_size=1, max_size=20)),
    st.builds(lambda number: {"type": "Long", "value": number}, st.integers(-(2**63), 2**63 - 1)),
    st.builds(
        lambda number: {"type": "Double", "value": number}, st.floats(allow_nan=False, allow_infinity=False)
    ),
    st.builds(lambda value: {"type": "Boolean", "value": value}, st.booleans()),
)
sets = st.dictionaries(names, st.dictionaries(names, typed, min_size=1, max_size=3), max_size=3)


@given(stored=sets, imported=sets)
def test_what_each_merge_keeps_of_both(stored: Any, imported: Any) -> None:
    """Of every attribute there is, one of the two sides counts, and the merge says which."""
    before, given_ = read_attributes(stored), read_attributes(imported)
    merged = {merge: merge_attributes(before, imported, merge)[0] for merge in Merge}

    def flat(attributes: Any) -> dict[tuple[str, str], Any]:
        return {(group, name): one for group, members in attributes.items() for name, one in members.items()}

    assert flat(merged[Merge.MERGE]) == flat(before) | flat(given_)
    assert flat(merged[Merge.APPEND]) == flat(given_) | flat(before)
    assert flat(merged[Merge.REPLACE]) == (flat(given_) or flat(before))


@given(sets)
def test_json_in_stored_form_comes_back_as_it_was(stored: Any) -> None:
    """What an export writes as JSON, an import reads as the same attributes."""
    read = read_json(json.dumps(stored))
    assert merge_attributes(None, read, Merge.MERGE) == (read_attributes(stored), [])
