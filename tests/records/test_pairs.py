"""``pairs=a:1,b.c:x``: what is read, and what is said about what is not."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from bson import Decimal128, ObjectId
from hypothesis import given
from hypothesis import strategies as st

from runtime.errors import InvalidParameter, RequestError, UnknownField
from runtime.records.document.dynamic import Written
from runtime.records.document.pairs import MAX_PAIRS, parse_pairs
from tests.records.parcels import ID, PARCEL

READ: dict[str, tuple[str, dict[str, Any]]] = {
    "text": ("label:Lamp", {"label": "Lamp"}),
    "text with blanks": (" label : big  lamp ", {"label": "big  lamp"}),
    "text with a colon": ("label:a:b", {"label": "a:b"}),
    "text that looks like a number": ("label:007", {"label": "007"}),
    "quoted": ('label:"a, [b] ""c"" "', {"label": 'a, [b] "c" '}),
    "the empty text": ('label:""', {"label": ""}),
    "the word null": ('label:"null"', {"label": "null"}),
    "wildcards are text": ("label:a*b?", {"label": "a*b?"}),
    "several": ("label:x,count:3 , urgent:true", {"label": "x", "count": 3, "urgent": True}),
    "null": ("count:null,place:null", {"count": None, "place": None}),
    "an integer": ("count:-5", {"count": -5}),
    "a whole number": ("count:5.0", {"count": 5}),
    "a marked integer": ("count:#5", {"count": 5}),
    "a number": ("ratio:2", {"ratio": 2.0}),
    "a decimal": ("weight:2.50", {"weight": Decimal128("2.50")}),
    "a marked decimal": ("weight:##2.50", {"weight": Decimal128("2.50")}),
    "a date": ("born:2026-03-27", {"born": "2026-03-27"}),
    "a moment": ("dueAt:2026-03-27T04:12:14Z", {"dueAt": datetime(2026, 3, 27, 4, 12, 14, tzinfo=UTC)}),
    "an enum": ("size:L", {"size": "L"}),
    "an id": (f"source:{ID}", {"source": ObjectId(ID)}),
    "an id as reference": (f"source:@@{ID}", {"source": ObjectId(ID)}),
    "a reference": (f"customer:@@{ID.upper()}", {"customer": {"entityId": ObjectId(ID)}}),
    "the id of a reference": (f"customer.entityId:{ID}", {"customer.entityId": ObjectId(ID)}),
    "dotted": ("place.inside.floor:3", {"place.inside.floor": 3}),
    "in a map": ("words.en:x,rooms.a.floor:1", {"words.en": "x", "rooms.a.floor": 1}),
    "in free-form": ("extra.a.b:5,extra.c:x", {"extra.a.b": 5, "extra.c": "x"}),
    "a list": ('tags:[a, "b,c" ,d]', {"tags": ["a", "b,c", "d"]}),
    "an empty list": ("tags:[ ]", {"tags": []}),
    "a list of lists": ("grid:[[1,2],[],[3]]", {"grid": [[1, 2], [], [3]]}),
    "a list of references": (f"carriers:[@@{ID}]", {"carriers": [{"entityId": ObjectId(ID)}]}),
    "a free-form list": ('extra:[1,x,"2",[true]]', {"extra": [1, "x", "2", [True]]}),
    "a hidden field of the type": ("pin:1234", {"pin": "1234"}),
    "an attribute": ("dynamicAttributes.s.n:5", {"dynamicAttributes.s.n": Written("5")}),
    "a quoted attribute": (
        'dynamicAttributes.s.n:"5"',
        {"dynamicAttributes.s.n": Written("5", quoted=True)},
    ),
    "an attribute cleared": ("dynamicAttributes.s.n:null", {"dynamicAttributes.s.n": None}),
    "a set of attributes cleared": ("dynamicAttributes.s:null", {"dynamicAttributes.s": None}),
    "the version": ("version:4", {"version": 4}),
    "the scope": ("dataDomain.ownerId:bob", {"dataDomain.ownerId": "bob"}),
}


@pytest.mark.parametrize(("text", "values"), READ.values(), ids=READ)
def test_pairs_are_read(text: str, values: dict[str, Any]) -> None:
    found = parse_pairs(PARCEL, text, frozenset())
    assert found == values
    assert [type(value) for value in found.values()] == [type(value) for value in values.values()]


WRONG: dict[str, tuple[str, int, str]] = {
    "nothing": ("", 1, "a field name and its value belong here"),
    "blanks": ("   ", 4, "a field name and its value belong here"),
    "a name alone": ("label", 6, "label has no value: write label:value"),
    "no name": (":x", 1, "a field name"),
    "a quoted name": ('"la bel":x', 1, "no field la bel"),
    "a quoted dot": ('"label.a":x', 1, 'no field "label.a"'),
    "a quoted operator": ('extra."$where":x', 1, 'no field extra."$where"'),
    "quotes inside a name": ('la"bel":x', 1, "quotes are around a whole step"),
    "no value": ("label:", 7, "a value is missing"),
    "no value before a comma": ("label: ,count:3", 8, "a value is missing"),
    "a comma at the end": ("label:x,", 9, "a field name"),
    "two commas": ("label:x,,count:3", 9, "a field name"),
    "an open quote": ('label:"x', 7, "the double quote is not closed"),
    "a quote inside": ('label:x"y"', 8, "pairs have commas between them"),
    "text behind a quote": ('label:"x"y', 10, "pairs have commas between them"),
    "an open list": ("tags:[a", 8, "commas between them, and ] at the end"),
    "a list that ends with a comma": ("tags:[a,]", 9, "a value is missing"),
    "a stray bracket": ("label:a]", 8, "pairs have commas"),
    "an object": ("place:{}", 7, "an object is not written in pairs"),
    "a word for a number": ("label:x,count:five", 15, "count is an integer: write count:5"),
    "a fraction for an integer": ("label:x,count:5.5", 15, "count is an integer: write count:5"),
    "a quoted number": ('count:"5"', 7, "count is an integer and is written without quotes"),
    "a number for text": ("label:#5", 7, "label is text and # makes a number"),
    "a fraction": ("count:1.5", 7, "count is an integer"),
    "no such word": ("size:XL", 6, "size is one of S, M, L"),
    "no such day": ("born:2026-02-30", 6, "not in the calendar"),
    "no zone": ("dueAt:2026-01-01T00:00:00", 7, "needs a zone"),
    "a value for a list": ("tags:a", 6, "tags is a list: write tags:[a,…]"),
    "a list for a value": ("label:[a]", 7, "label is text"),
    "a value for a list of lists": ("grid:1", 6, "grid is a list: write grid:[[1,…]]"),
    "a list for a list of lists": ("grid:[1]", 6, "grid is a list: write grid:[[1,…]]"),
    "too few lists in one place": ("grid:[[2],1]", 6, "grid is a list: write grid:[[2,…]]"),
    "a word in a list of lists": ("grid:[[x]]", 6, "grid is an integer: write grid:5"),
    "a value for a list of objects": (
        "lines:x",
        7,
        "lines is a list of objects, which pairs cannot write: send it",
    ),
    "a list for a list of objects": ("lines:[x]", 7, "lines is a list of objects, which pairs cannot write"),
    "a name for references": (
        "carriers:x",
        10,
        "carriers is a list: write carriers:[@@65f0c0ffee00c0ffee00c0de,…]",
    ),
    "null in a list": ("tags:[null]", 6, "tags is"),
    "a value for an object": ("place:x", 7, "place is an object: name its members, as in place.name:value"),
    "a name for a reference": ("customer:ACME", 10, "customer is a reference: write customer:@@65f0"),
    "an id for a reference": (f"customer:{ID}", 10, f"customer is a reference: write customer:@@{ID}"),
    "an element": ("tags[0]:x", 5, "an element is not set alone: set the whole list, as in tags:[…]"),
    "an element of objects": (
        "lines[0].sku:x",
        6,
        "lines is a list of objects, which pairs cannot write: send it as JSON",
    ),
    "an element of references": ("carriers[0]:x", 9, "set the whole list, as in carriers:[…]"),
    "an element of an attribute": ("dynamicAttributes.a.b[0]:x", 22, "as in dynamicAttributes.a.b:[…]"),
    "an index of text": ("label[0]:x", 6, "label is text: write label:"),
    "an index of an object": (
        "place[0]:x",
        6,
        "place is an object: name its members, as in place.name:value",
    ),
    "an index of a map": ("dynamicAttributes[a]:x", 18, "dynamicAttributes is a map: name its members"),
    "an index of a reference": ("customer[0]:x", 9, "customer is a reference: write customer:@@65f0"),
    "an index of an unknown field": ("lable[0]:x", 1, "Parcel has no field lable; did you mean label?"),
    "no version": ("version:null", 9, "version is an integer"),
    "unknown": ("lable:x", 1, "Parcel has no field lable; did you mean label?"),
    "unknown below": ("label:x,place.citty:y", 9, "no field place.citty; did you mean city?"),
    "below a scalar": ("label.x:y", 1, "no field label.x"),
    "an operator": ("extra.$where:x", 1, "no field extra.$where"),
    "an empty step": ("place..city:x", 1, "no field"),
    "in a list": ("lines.sku:x", 1, "lines.sku is inside the list lines, which is set whole, as JSON"),
    "in a list of words": (
        "tags.first:x",
        1,
        "tags.first is inside the list tags, which is set whole: tags:[…]",
    ),
    "unknown in a reference": (
        "customer.x:1",
        1,
        "no field customer.x; the only field of customer that can be set is entityId",
    ),
    "an index": ("lines.0.sku:x", 1, "set whole"),
    "a copy in a reference": ("customer.entityRefName:x", 1, "set customer.entityId"),
    "the id": (f"id:{ID}", 1, "id is written by the server"),
    "audit": ("auditInfo.createdBy:x", 1, "auditInfo.createdBy is written by the server"),
    "back-references": ("references:[]", 1, "written by the server"),
    "actions": ("actionList:[]", 1, "written by the server"),
    "a calculated field": ("title:x", 1, "title is written by the server"),
    "twice": ("label:x,label:y", 9, "label is named twice"),
    "inside another": ("place:null,place.city:x", 12, "place.city is inside place, which is set as well"),
    "around another": ("place.city:x,place:null", 14, "place.city is inside place"),
}


@pytest.mark.parametrize(("text", "column", "said"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_told_with_its_place(text: str, column: int, said: str) -> None:
    with pytest.raises(RequestError) as found:
        parse_pairs(PARCEL, text, frozenset())
    assert said in found.value.message
    assert found.value.status == 400
    assert found.value.details["column"] == column
    assert found.value.details["parameter"] == "pairs"
    caret = found.value.details["excerpt"].split("\n")[1]
    assert caret == " " * (column - 1) + "^"


def test_what_is_wrong_with_a_value_is_told_in_parts() -> None:
    with pytest.raises(InvalidParameter) as found:
        parse_pairs(PARCEL, "count:five", frozenset())
    details = {name: found.value.details[name] for name in ("field", "fieldType", "value", "expected")}
    assert details == {"field": "count", "fieldType": "integer", "value": "five", "expected": ["an integer"]}


def test_names_near_an_unknown_one_are_told() -> None:
    with pytest.raises(UnknownField) as found:
        parse_pairs(PARCEL, "lable:x", frozenset())
    assert (found.value.details["field"], found.value.details["nearest"]) == ("lable", ["label"])


@pytest.mark.parametrize("path", ["count", "place", "place.city", "place.inside.floor"])
def test_what_rules_hide_is_unknown(path: str) -> None:
    hidden = frozenset({"count", "place"})
    with pytest.raises(UnknownField) as found:
        parse_pairs(PARCEL, f"{path}:1", hidden)
    assert found.value.details["nearest"] == []


@pytest.mark.parametrize(
    ("hidden", "path", "message"),
    [
        ("entityId", "entityId", "Parcel has no field customer.entityId"),
        ("entityId", "x", "Parcel has no field customer.x"),
        ("entityId", "entityRefName", "customer.entityRefName is a copy that follows the record"),
        (
            "entityRefName",
            "entityRefName",
            "Parcel has no field customer.entityRefName; the only field of customer that can be set is entityId",
        ),
    ],
)
def test_what_rules_hide_in_a_reference_is_never_named(hidden: str, path: str, message: str) -> None:
    with pytest.raises(RequestError) as found:
        parse_pairs(PARCEL, f"customer.{path}:x", frozenset({f"customer.{hidden}"}))
    assert found.value.message.removeprefix("pairs: ") == message


def test_a_hidden_path_hides_what_is_there_alone() -> None:
    hidden = frozenset({"place.street"})
    assert parse_pairs(PARCEL, "place.city:x", hidden) == {"place.city": "x"}
    with pytest.raises(UnknownField):
        parse_pairs(PARCEL, "place.street:x", hidden)


def test_size_is_bounded() -> None:
    many = ",".join(f"words.w{number}:x" for number in range(MAX_PAIRS))
    assert len(parse_pairs(PARCEL, many, frozenset())) == MAX_PAIRS
    for text in (f"{many},label:x", f"label:{'x' * 20_000}", f"grid:{'[' * 1000}", f"tags:[{'a,' * 1001}a]"):
        with pytest.raises(InvalidParameter, match="at most"):
            parse_pairs(PARCEL, text, frozenset())


NAMES = st.sampled_from(["label", "place.city", "place.street", "words.en", "words.de", "note", "refName"])


@given(st.dictionaries(NAMES, st.text(max_size=12), min_size=1))
def test_any_text_can_be_quoted(values: dict[str, str]) -> None:
    written = ",".join('{}:"{}"'.format(path, text.replace('"', '""')) for path, text in values.items())
    assert parse_pairs(PARCEL, written, frozenset()) == values


@given(st.text('abelcount.:,"[]{}#@ 5ü\n', max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    refused = None
    try:
        assert parse_pairs(PARCEL, text, frozenset())
    except RequestError as error:
        refused = error
    assert refused is None or refused.status == 400
    assert refused is None or 1 <= refused.details["column"] <= len(text) + 1
