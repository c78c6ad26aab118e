"""Which columns may be asked for, what the rows of records are, and that cells are read back as they were."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest
from bson import Decimal128, ObjectId
from hypothesis import given
from hypothesis import strategies as st

from runtime.errors import InvalidParameter, UnknownField
from runtime.filter.unreadable import Unreadable
from runtime.model.field_type import FieldType, ValueKind
from runtime.model.record import DynamicAttribute, EntityReference, Strict
from runtime.records.document.dynamic import Written
from runtime.transfer.csv.cells import build_cell_writer, read_cell
from runtime.transfer.csv.columns import (
    MAX_COLUMNS,
    Columns,
    parse_importable_columns,
    parse_requested_columns,
)
from tests.kinds import kind_of


class Part(Strict):
    sku: str
    quantity: int | None = None
    maker: EntityReference | None = None
    marks: list[str] | None = None


class BoxFields(Strict):
    title: str | None = None
    count: int | None = None
    owner: EntityReference | None = None
    parts: list[Part] | None = None
    tags: list[str] | None = None
    labels: dict[str, str] | None = None
    extra: Any = None
    secret: str | None = None
    dynamic_attributes: dict[str, dict[str, DynamicAttribute]] | None = None


BOX = kind_of(
    "Box", "stock", BoxFields, collection="boxes", base_path="/stock/boxes", hidden=frozenset({"secret"})
)

OWNER = ObjectId("65f0c0ffee00c0ffee00c0de")
DOCUMENT: dict[str, Any] = {
    "_id": ObjectId("65f0c0ffee00c0ffee00c0aa"),
    "refName": "B-1",
    "title": "=cmd()",
    "count": -5,
    "owner": {"entityId": OWNER, "entityRefName": "O-1"},
    "parts": [{"sku": "A", "quantity": 2}, {"sku": "B", "maker": {"entityId": OWNER}, "marks": ["x"]}],
    "tags": ["red", "a;b"],
    "labels": {"size": "XL", "net, weight": "5 kg"},
    "extra": {"deep": {"er": [1]}},
    "dynamicAttributes": {"dims": {"height": {"type": "Double", "value": 2.5}}},
    "auditInfo": {"createdDate": datetime(2026, 3, 27, 4, 12, 14, 118000)},
}


def rows(text: str, *documents: dict[str, Any], guard: bool = True) -> list[tuple[str, ...]]:
    return parse_requested_columns(text, BOX).rows(documents or [DOCUMENT], guard=guard)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("refName", ["B-1"]),
        ("id, refName", ["65f0c0ffee00c0ffee00c0aa", "B-1"]),
        ("title,count", ["'=cmd()", "-5"]),
        ("displayName,owner.realm", ["", ""]),
        ("owner.entityRefName,owner.entityId", ["O-1", "65f0c0ffee00c0ffee00c0de"]),
        ("owner", ['{"entityId":"65f0c0ffee00c0ffee00c0de","entityRefName":"O-1"}']),
        ("tags", ['["red","a;b"]']),
        ("labels,labels.size,labels.none", ['{"size":"XL","net, weight":"5 kg"}', "XL", ""]),
        ('labels."net, weight",title,extra."deep".er', ["5 kg", "'=cmd()", "[1]"]),
        ("extra,extra.deep.er,extra.none.er", ['{"deep":{"er":[1]}}', "[1]", ""]),
        ("dynamicAttributes.dims.height,dynamicAttributes.dims.none", ["2.5", ""]),
        ("auditInfo.createdDate", ["2026-03-27T04:12:14.118Z"]),
    ],
)
def test_one_row_of_a_record(text: str, expected: list[str]) -> None:
    assert rows(text) == [tuple(expected)]


def test_without_the_guard_texts_stand_as_they_are() -> None:
    assert rows("title", guard=False) == [("=cmd()",)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("refName,parts[0].sku,parts[0].quantity", [("B-1", "A", "2"), ("B-1", "B", "")]),
        ("parts[0].maker.entityId", [("",), ("65f0c0ffee00c0ffee00c0de",)]),
        ("parts[0].marks", [("",), ('["x"]',)]),
        ("tags[0],refName", [("red", "B-1"), ("a;b", "B-1")]),
        ("parts[0],count", [('{"sku":"A","quantity":2}', "-5"), ('{"sku":"B","maker":{"entityId":"65f0c0ffee00c0ffee00c0de"},"marks":["x"]}', "-5")]),
        ("tags[0],tags", [("red", '["red","a;b"]'), ("a;b", '["red","a;b"]')]),
    ],
)  # fmt: skip
def test_a_row_of_each_item(text: str, expected: list[tuple[str, ...]]) -> None:
    assert rows(text) == expected


@pytest.mark.parametrize("empty", [{}, {"parts": []}, {"parts": None}], ids=str)
def test_a_record_without_items_has_a_row_all_the_same(empty: dict[str, Any]) -> None:
    documents = ({"refName": "B-0", **empty}, {"refName": "B-2", "parts": [{"sku": "C"}]})
    assert rows("refName,parts[0].sku", *documents) == [("B-0", ""), ("B-2", "C")]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "names between commas"),
        ("refName,,title", "names between commas"),
        ("refName, refName", "refName is named twice"),
        ("parts.sku", r"parts is a list: write parts\[0\].sku"),
        ("parts[1].sku", r"only one \[0\]"),
        ("parts[].sku", r"only one \[0\]"),
        ("parts[0].marks[0]", r"only one \[0\]"),
        ("parts[0].sku,tags[0]", "do not go together"),
        ("title[0]", "title is not a list"),
        ("labels[0]", "labels is not a list"),
        ("[0].sku", r"the name of a list belongs before \[0\]"),
        ("parts[0]sku", r"write parts\[0\].field"),
        ("parts[0].", r"write parts\[0\].field"),
        (",".join(f"labels.l{n}" for n in range(MAX_COLUMNS + 1)), "at most 200 columns"),
    ],
)
def test_what_cannot_be_a_column(text: str, says: str) -> None:
    with pytest.raises(InvalidParameter, match=says) as refused:
        parse_requested_columns(text, BOX)
    assert refused.value.details["parameter"] == "requestedColumns"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("refName,owner,owner.entityRefName", "owner.entityRefName is a part of owner"),
        ("refName,owner.entityRefName,owner", "owner.entityRefName is a part of owner"),
        ("parts,refName,parts[0].sku", r"parts\[0\].sku is a part of parts"),
        ("parts[0],parts[0].sku", r"parts\[0\].sku is a part of parts\[0\]"),
        ("refName,tags[0],tags", r"tags\[0\] and tags are one column"),
        ('labels.en,labels."en"', 'labels.en and labels."en" are one column'),
        ("extra.a.b.c,extra.a,errors", "extra.a.b.c is a part of extra.a"),
        ("title,id", "rows find their record by refName: name it as well, or leave id out"),
    ],
)
def test_what_a_file_cannot_say_twice(text: str, says: str) -> None:
    """Which of two columns counts would depend on their order; an export may have both."""
    with pytest.raises(InvalidParameter, match=says) as refused:
        parse_importable_columns(text, BOX, frozenset())
    assert refused.value.details["parameter"] == "requestedColumns"
    assert parse_requested_columns(text.removesuffix(",errors"), BOX)


@pytest.mark.parametrize(
    "text",
    [
        "owner.entityId,owner.entityRefName",
        "refName,id,title",
        "labels.a,labels.ab",
        "parts[0].sku,parts[0].quantity",
        "refName,auditInfo,auditInfo.createdBy",
    ],
)
def test_columns_that_go_together(text: str) -> None:
    assert parse_importable_columns(text, BOX, frozenset()) == parse_requested_columns(text, BOX)


@pytest.mark.parametrize("text", ["titel", "owner.entityRefname", "parts[0].sk", "secret", "parts[0.sku"])
def test_unknown_and_hidden_fields(text: str) -> None:
    with pytest.raises(UnknownField, match="Box has no field"):
        parse_requested_columns(f"refName,{text}", BOX)


def test_what_rules_take_away_is_unknown() -> None:
    with pytest.raises(UnknownField):
        parse_requested_columns("title", BOX, frozenset({"title"}))


def test_the_nearest_name_is_told() -> None:
    with pytest.raises(UnknownField, match="did you mean title"):
        parse_requested_columns("titel", BOX)


def test_only_what_is_asked_for_leaves_the_store() -> None:
    columns: Columns = parse_requested_columns("refName,parts[0].sku,owner.entityRefName", BOX)
    assert columns.projection.as_mongo(BOX.hidden) == {
        "_id": 1,
        "owner.entityRefName": 1,
        "parts.sku": 1,
        "refName": 1,
    }
    assert columns.names == ("refName", "parts[0].sku", "owner.entityRefName")
    assert columns.list_path == "parts"


INT64 = st.integers(-(2**63), 2**63 - 1)
DECIMALS = st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**20), max_value=10**20, places=9)
MOMENTS = st.datetimes(min_value=datetime(1, 1, 1), timezones=st.just(UTC)).map(
    lambda one: one.replace(microsecond=one.microsecond // 1000 * 1000)
)
TEXTS = st.text(min_size=1)
JSON = st.recursive(
    st.one_of(st.booleans(), INT64, st.floats(allow_nan=False, allow_infinity=False), st.text()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)

VALUES: dict[str, tuple[FieldType, st.SearchStrategy[Any]]] = {
    "text": (FieldType(ValueKind.STRING), TEXTS),
    "integer": (FieldType(ValueKind.INTEGER), INT64),
    "number": (FieldType(ValueKind.NUMBER), st.floats(allow_nan=False, allow_infinity=False)),
    "decimal": (FieldType(ValueKind.DECIMAL), DECIMALS.map(Decimal128)),
    "boolean": (FieldType(ValueKind.BOOLEAN), st.booleans()),
    "date": (FieldType(ValueKind.DATE), st.dates(min_value=date(1, 1, 1)).map(date.isoformat)),
    "moment": (FieldType(ValueKind.DATETIME), MOMENTS),
    "id": (FieldType(ValueKind.OBJECT_ID), st.binary(min_size=12, max_size=12).map(ObjectId)),
    "free-form": (FieldType(ValueKind.JSON), JSON),
    "list": (FieldType(ValueKind.LIST, item=FieldType(ValueKind.STRING)), st.lists(st.text(), max_size=4)),
    "list of decimals": (
        FieldType(ValueKind.LIST, item=FieldType(ValueKind.DECIMAL)),
        st.lists(DECIMALS.map(Decimal128), max_size=3),
    ),
    "map of ids": (
        FieldType(ValueKind.MAP, item=FieldType(ValueKind.OBJECT_ID)),
        st.dictionaries(st.text(max_size=3), st.binary(min_size=12, max_size=12).map(ObjectId), max_size=3),
    ),
    "object": (
        FieldType(ValueKind.OBJECT, fields={"when": FieldType(ValueKind.DATETIME)}),
        st.fixed_dictionaries({"when": MOMENTS}),
    ),
}


@pytest.mark.parametrize("name", VALUES)
@given(data=st.data(), guard=st.booleans())
def test_every_value_is_read_back_as_it_was(name: str, data: st.DataObject, guard: bool) -> None:
    field_type, values = VALUES[name]
    value = data.draw(values)
    (cell,) = build_cell_writer(field_type, guard=guard)([as_stored(value)])
    assert read_cell(field_type, cell, guard=guard) == value


def as_stored(value: Any) -> Any:
    """Moments are naive in the store."""
    if isinstance(value, datetime):
        return value.replace(tzinfo=None)
    return {name: as_stored(one) for name, one in value.items()} if isinstance(value, dict) else value


@pytest.mark.parametrize("name", VALUES)
def test_nothing_is_the_empty_cell(name: str) -> None:
    field_type, _values = VALUES[name]
    assert build_cell_writer(field_type, guard=True)([None]) == [""]
    assert read_cell(field_type, "", guard=True) is None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("12.50", Decimal128("12.50")),
        ("-0.010", Decimal128("-0.010")),
        ("1000", Decimal128("1E+3")),
        ("9" * 34, Decimal128("9" * 34)),
        ("1E+6000", Decimal128("1E+6000")),
    ],
)
def test_decimals_are_exact_and_have_a_dot(text: str, value: Decimal128) -> None:
    field_type = FieldType(ValueKind.DECIMAL)
    assert build_cell_writer(field_type, guard=True)([value]) == [text]
    assert Decimal(str(read_cell(field_type, text, guard=True))) == value.to_decimal()


ATTRIBUTE = FieldType(ValueKind.JSON, is_attribute=True)


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        (True, "true"),
        (-5, "-5"),
        (2.5, "2.5"),
        ("-5", "'-5"),
        ("red", "red"),
        (datetime(2026, 3, 27, 4, 12), "2026-03-27T04:12:00.000Z"),
        (OWNER, "65f0c0ffee00c0ffee00c0de"),
        (["red", "blue"], '["red","blue"]'),
        ({"a": 1}, '{"a":1}'),
        (None, ""),
    ],
)
def test_a_dynamic_attribute_is_written_by_its_own_type(value: Any, cell: str) -> None:
    assert build_cell_writer(ATTRIBUTE, guard=True)([value]) == [cell]


def test_a_dynamic_attribute_is_read_as_text_whose_type_comes_later() -> None:
    assert read_cell(ATTRIBUTE, "'-5", guard=True) == Written("-5")
    assert read_cell(ATTRIBUTE, "'-5", guard=False) == Written("'-5")


@pytest.mark.parametrize(
    ("name", "cell", "value"), [("count", "'-5", -5), ("tags", "'\n[]", []), ("extra", "'\t{}", {})]
)
def test_the_guard_is_taken_off_whatever_the_type(name: str, cell: str, value: Any) -> None:
    """A tool that guards every cell, as error files do, is understood."""
    assert read_cell(BOX.field_at(name), cell, guard=True) == value


@pytest.mark.parametrize(
    ("name", "cell", "says"),
    [
        ("integer", "5.5", "an integer"),
        ("integer", "'5", "an integer"),
        ("boolean", "yes", "a boolean"),
        ("moment", "2026-03-27T04:12", "needs a zone"),
        ("date", "27.3.2026", "yyyy-MM-dd"),
        ("decimal", "12,50", "a decimal number"),
        ("free-form", "{", "JSON"),
        ("free-form", "NaN", "JSON"),
        ("free-form", '[{"a": 1, "a": 2}]', "with each member once"),
        ("free-form", "1e400", "JSON with finite numbers"),
        ("list of decimals", "[1e400]", "JSON with finite numbers"),
        ("free-form", "[" * 65 + "]" * 65, "at most 64 levels"),
        ("free-form", "[" + "1," * 20_000 + "1]", "of at most 20000 values"),
        ("list", "a;b", "JSON"),
        ("list", '{"a": 1}', "a list and is written as JSON"),
        ("object", '["a"]', "an object and is written as JSON"),
        ("list of decimals", '["x"]', "a decimal number"),
    ],
)
def test_a_cell_that_the_type_cannot_read(name: str, cell: str, says: str) -> None:
    with pytest.raises(Unreadable, match=says):
        read_cell(VALUES[name][0], cell, guard=True)
