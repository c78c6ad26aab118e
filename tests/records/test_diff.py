"""What the history tells of a write: fields that changed, and nothing of what is hidden or withheld."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest
from bson import Decimal128, Int64, ObjectId
from hypothesis import given
from hypothesis import strategies as st

from runtime.model.record import Record, RecordInput, Strict
from runtime.model.record_type import RecordType
from runtime.records.effects.diff import MOST_BYTES, MOST_ENTRIES, MOST_TOTAL, difference, show_entry

Document = dict[str, Any]


class Part(Strict):
    x: int | None = None
    pay: int | None = None


class ThingInput(RecordInput):
    a: Any = None
    ab: Any = None
    secret: Any = None
    part: Part | None = None
    parts: list[Part] | None = None
    named: dict[str, Part] | None = None


class ThingStored(ThingInput):
    """With what only the server sets."""

    stamp: Any = None


THING = RecordType(
    name="Thing", area="factory", model=Record, input=ThingInput, stored=ThingStored, collection="things",
    base_path="/factory/things", hidden=frozenset({"secret", "part.pay", "stamp"}),
    server_set=frozenset({"stamp"}),
)  # fmt: skip
SOME_ID = ObjectId()
LONG = "x" * (MOST_BYTES + 1)


def entry(path: str, **sides: Any) -> Document:
    return {"path": path, **sides}


DIFFERENCES: dict[str, tuple[Document | None, Document | None, list[Document]]] = {
    "nothing": ({"a": 1}, {"a": 1}, []),
    "a changed value": ({"a": 1, "b": 2}, {"a": 1, "b": 3}, [entry("b", before=2, after=3)]),
    "a new field": ({}, {"a": 1}, [entry("a", after=1)]),
    "a field that went": ({"a": 1}, {}, [entry("a", before=1)]),
    "a new record": (None, {"a": {"b": 1}, "c": []}, [entry("a.b", after=1), entry("c", after=[])]),
    "a removed record": ({"a": {"b": 1}}, None, [entry("a.b", before=1)]),
    "inside an object": (
        {"a": {"b": 1, "c": {"d": 2}}}, {"a": {"b": 1, "c": {"d": 3}}}, [entry("a.c.d", before=2, after=3)],
    ),
    "an object that came": ({}, {"a": {"b": 1}}, [entry("a.b", after=1)]),
    "an empty object": ({}, {"a": {}}, [entry("a", after={})]),
    "an object in place of a value": ({"a": 1}, {"a": {"b": 2}}, [entry("a", before=1, after={"b": 2})]),
    "a list is one value": (
        {"a": [{"b": 1}, {"b": 2}]}, {"a": [{"b": 1}]}, [entry("a", before=[{"b": 1}, {"b": 2}], after=[{"b": 1}])],
    ),
    "an integer of 64 bits as it is stored and as it is sent": ({"a": Int64(2**40)}, {"a": 2**40}, []),
    "a long integer that changed": (
        {"a": Int64(2**40)}, {"a": 2**41}, [entry("a", before=Int64(2**40), after=2**41)],
    ),
    "a whole number that became a fraction": ({"a": Int64(1)}, {"a": 1.0}, [entry("a", before=Int64(1), after=1.0)]),
    "true is not one": ({"a": 1}, {"a": True}, [entry("a", before=1, after=True)]),
    "types of the store": (
        {"a": Decimal128("1.50"), "b": SOME_ID, "c": datetime(2026, 1, 2)},
        {"a": Decimal128("1.5"), "b": SOME_ID, "c": datetime(2026, 1, 3)},
        [
            entry("a", before=Decimal128("1.50"), after=Decimal128("1.5")),
            entry("c", before=datetime(2026, 1, 2), after=datetime(2026, 1, 3)),
        ],
    ),
    "server-kept members are left out": (
        {"_id": 1, "version": 1, "auditInfo": {"createdBy": "a"}, "persistentEvents": []},
        {"_id": 1, "version": 2, "auditInfo": {"createdBy": "b"}, "persistentEvents": [1]},
        [],
    ),
    "of the same name inside an object they are told": (
        {"a": {"version": 1}}, {"a": {"version": 2}}, [entry("a.version", before=1, after=2)],
    ),
    "a large value is told by its size": (
        {"a": LONG}, {"a": "short"}, [entry("a", beforeBytes=MOST_BYTES + 3, after="short")],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("before", "after", "expected"), DIFFERENCES.values(), ids=DIFFERENCES.keys())
def test_difference(before: Document | None, after: Document | None, expected: list[Document]) -> None:
    kept = deepcopy((before, after))
    assert difference(before, after, frozenset()) == {"changes": expected}
    assert (before, after) == kept


HIDDEN = frozenset({"seal", "mark.secret"})


@pytest.mark.parametrize(
    ("before", "after", "emptied", "expected"),
    [
        pytest.param({}, {"seal": "s"}, (), [entry("seal", hidden=True)], id="sent"),
        pytest.param({}, {"mark": {"secret": "s"}}, (), [entry("mark.secret", hidden=True)], id="sent inside"),
        pytest.param({}, {"a": 1}, (), [entry("a", after=1)], id="not sent"),
        pytest.param({"a": 1}, {"a": 1}, {"seal"}, [entry("seal", hidden=True)], id="emptied"),
        pytest.param(
            None, {"mark": {"secret": "s", "text": "t"}}, (),
            [entry("mark.secret", hidden=True), entry("mark.text", after="t")], id="beside what is told",
        ),
    ],
)  # fmt: skip
def test_hidden_fields(
    before: Document | None, after: Document, emptied: frozenset[str], expected: list[Document]
) -> None:
    told = difference(before, after, HIDDEN, emptied)["changes"]
    assert [one for one in told if one.get("after") != {}] == expected
    assert "'s'" not in str(told)


def test_too_many_changes_are_counted() -> None:
    told = difference(None, {f"f{n}": n for n in range(MOST_ENTRIES + 7)}, frozenset())
    assert (len(told["changes"]), told["omitted"]) == (MOST_ENTRIES, 7)


def test_too_many_bytes_are_counted() -> None:
    many = {f"f{n}": "x" * 4000 for n in range(400)}
    told = difference(None, many, frozenset())
    assert len(told["changes"]) + told["omitted"] == 400
    assert MOST_TOTAL - 8192 < sum(len(one["after"]) for one in told["changes"]) <= MOST_TOTAL


@pytest.mark.parametrize(
    ("told", "withheld", "expected"),
    [
        pytest.param(entry("a", after=1), {"b"}, entry("a", after=1), id="another field"),
        pytest.param(entry("ab", after=1), {"a"}, entry("ab", after=1), id="a field of which it is the beginning"),
        pytest.param(entry("a", after=1), {"a"}, None, id="the field itself"),
        pytest.param(entry("a.b", after=1), {"a"}, None, id="inside of it"),
        pytest.param(
            entry("a", before={"b": 1, "c": 2}, after=3), {"a.b"}, entry("a", before={"c": 2}, after=3),
            id="a part of an object",
        ),
        pytest.param(
            entry("a", before=[{"b": 1, "c": 2}], after=[{"b": 1, "c": 3}]), {"a.b"},
            entry("a", before=[{"c": 2}], after=[{"c": 3}]), id="a part of the items of a list",
        ),
        pytest.param(
            entry("a", before=[{"b": 1}], after=[{"b": 2}]), {"a.b"}, None, id="nothing else changed in it",
        ),
        pytest.param(entry("a", afterBytes=9000), {"a.b"}, None, id="a part of what is too large to tell"),
        pytest.param(entry("a", hidden=True), {"b"}, entry("a", hidden=True), id="a hidden one"),
    ],
)  # fmt: skip
def test_what_is_shown(told: Document, withheld: set[str], expected: Document | None) -> None:
    kept = deepcopy(told)
    assert show_entry(told, THING, withheld) == expected
    assert told == kept


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        pytest.param(entry("former", before=1, after=2), None, id="a field that is not declared any more"),
        pytest.param(entry("former", hidden=True), None, id="one that was hidden"),
        pytest.param(entry("part.former", after=1), None, id="one inside an object"),
        pytest.param(
            entry("part", before={"x": 1, "former": 2}, after={"x": 3, "former": 2}),
            entry("part", before={"x": 1}, after={"x": 3}),
            id="an object with one in it",
        ),
        pytest.param(
            entry("parts", before=[{"x": 1, "former": 2}], after=[{"x": 1, "former": 3}]),
            None,
            id="items that differ by nothing else",
        ),
        pytest.param(
            entry("named", after={"k": {"x": 1, "former": 2}}),
            entry("named", after={"k": {"x": 1}}),
            id="a map of objects",
        ),
        pytest.param(entry("secret", before=1, after=2), entry("secret", hidden=True), id="hidden by now"),
        pytest.param(entry("secret.a", after=2), entry("secret", hidden=True), id="inside of that"),
        pytest.param(entry("stamp", hidden=True), None, id="hidden, and nobody can send it"),
        pytest.param(entry("stamp.a", before=1), None, id="inside of that"),
        pytest.param(
            entry("part", after={"x": 1, "pay": 2}), entry("part", after={"x": 1}), id="around what is hidden"
        ),
        pytest.param(entry("part", afterBytes=9000), None, id="too large around what is hidden"),
    ],
)  # fmt: skip
def test_what_is_shown_is_what_the_type_declares_today(told: Document, expected: Document | None) -> None:
    assert show_entry(told, THING, ()) == expected


@pytest.mark.parametrize(
    ("told", "withheld", "expected"),
    [
        (entry("old", before=1, after=2), set(), entry("part", before=1, after=2)),
        (entry("old.x", after=2), set(), entry("part.x", after=2)),
        (entry("old.pay", after=2), set(), entry("part.pay", hidden=True)),
        (entry("old.x", after=2), {"part"}, None),
        (entry("older", after=2), set(), None),
        (entry("past", after=2), set(), entry("secret", hidden=True)),
        (entry("old", after={"was": 1}), set(), entry("part", after={"x": 1})),
        (entry("old", after={"was": 1}), {"part.x"}, entry("part", after={})),
        (
            entry("parts", before=[{"was": 1}], after=[{"was": 2, "x": 3}]), set(),
            entry("parts", before=[{"x": 1}], after=[{"x": 3}]),
        ),
        (entry("named.k.was", after=2), set(), entry("named.k.x", after=2)),
        (entry("named.was", after={"was": 2}), set(), entry("named.was", after={"x": 2})),
    ],
)  # fmt: skip
def test_a_renamed_field_is_shown_by_its_name_of_today(
    told: Document, withheld: set[str], expected: Document | None
) -> None:
    inside = {"part.x": "was", "parts.x": "was", "named.{}.x": "was"}
    renamed = replace(THING, renamed={"part": "old", "secret": "past"}, renamed_inside=inside)
    assert show_entry(told, renamed, withheld) == expected


scalars = st.none() | st.booleans() | st.integers(-5, 5) | st.text("ab", max_size=3)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("pqr"), inner, max_size=3),
    max_leaves=8,
)
documents = st.dictionaries(st.sampled_from("abcd"), values, max_size=4)


@given(documents, documents)
def test_the_changes_lead_from_the_one_to_the_other(before: Document, after: Document) -> None:
    """Applied to the old record they give the new one, but for objects that hold nothing."""
    result = deepcopy(before)
    for one in difference(before, after, frozenset())["changes"]:
        *parents, last = one["path"].split(".")
        place = result
        for step in parents:
            place = place.setdefault(step, {})
        if "after" in one:
            place[last] = one["after"]
        else:
            place.pop(last, None)
    assert _without_empty(result) == _without_empty(after)


def _without_empty(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    inner = {name: _without_empty(one) for name, one in value.items()}
    return {name: one for name, one in inner.items() if one != {}}
