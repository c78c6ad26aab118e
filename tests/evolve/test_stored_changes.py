"""What a change of the specifications does to stored data: a table of edits, and a property."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.evolve.changes import compare_stored
from generator.evolve.stored import (
    StoredField,
    StoredGraph,
    StoredRecord,
    StoredSpecs,
    StoredState,
    StoredType,
    UnreadableReleaseError,
    describe_stored,
    read_stored,
    render_stored,
)
from generator.evolve.stored_types import Fit, compare_types
from runtime.spelling.shapes import derive_steps
from tests.evolve.written import read_model

GRAPH = """
stateGraph: journey
states:
  BOOKED: {initial: true, next: [SENT, LOST]}
  SENT: {next: [DONE, LOST]}
  LOST: {final: true}
  DONE: {final: true}
"""
OTHERS = {
    "country.yaml": "record: Country\nfields: {name: string}\n",
    "place.yaml": "record: Place\nfields: {name: string}\n",
    "address.yaml": "structure: Address\nfields: {street: {type: string, required: true}, city: string}\n",
}

Rows = list[tuple[str, str]]


def changes(folder: Path, old: str, new: str, graphs: tuple[str, str] = (GRAPH, GRAPH)) -> Rows:
    """Compare two versions of the record type Parcel: kind and path of each change."""
    return [(str(one.kind).removeprefix("data-"), one.path) for one in compare(folder, old, new, graphs)]


def compare(folder: Path, old: str, new: str, graphs: tuple[str, str] = (GRAPH, GRAPH)) -> tuple:
    texts = [
        text if text.startswith("record:") else f"record: Parcel\nfields: {text}\n" for text in (old, new)
    ]
    specs = [
        describe_stored(
            read_model(folder / str(number), {**OTHERS, "parcel.yaml": text, "journey.yaml": graph})
        )
        for number, (text, graph) in enumerate(zip(texts, graphs, strict=True))
    ]
    return compare_stored(*specs)


FIELDS: dict[str, tuple[str, str, Rows]] = {
    "nothing": ("{a: string}", "{a: string}", []),
    "another order": ("{a: string, b: integer}", "{b: integer, a: string}", []),
    "a description": ("{a: string}", "{a: {type: string, description: Some.}}", []),
    "a field more": ("{a: string}", "{a: string, b: string}", [("field-added", "b")]),
    "a required field more": (
        "{a: string}",
        "{a: string, b: {type: string, required: true}}",
        [("field-added", "b"), ("field-required", "b")],
    ),
    "a field gone": ("{a: string, b: string}", "{a: string}", [("field-removed", "b")]),
    "a rename": ("{town: string}", "{city: {type: string, renamedFrom: town}}", [("field-renamed", "city")]),
    "a rename of long ago": (
        "{city: {type: string, renamedFrom: town}}",
        "{city: {type: string, renamedFrom: town}}",
        [],
    ),
    "a rename that is declared late": (
        "{city: integer}",
        "{city: {type: integer, renamedFrom: town}}",
        [("field-renamed-late", "city")],
    ),
    "a late rename of another name": (
        "{city: {type: string, renamedFrom: town}}",
        "{city: {type: string, renamedFrom: place}}",
        [("field-renamed-late", "city")],
    ),
    "a late rename inside a list": (
        "{lines: {list: {city: integer}}}",
        "{lines: {list: {city: {type: integer, renamedFrom: town}}}}",
        [("field-renamed-late", "lines[].city")],
    ),
    "a late rename to a new field": (
        "{a: string}",
        "{a: string, city: {type: integer, renamedFrom: town}}",
        [("field-added", "city"), ("field-renamed-late", "city")],
    ),
    "a rename that is over": ("{city: {type: string, renamedFrom: town}}", "{city: string}", []),
    "a rename that is not declared": (
        "{town: string}",
        "{city: string}",
        [("field-added", "city"), ("field-removed", "town")],
    ),
    "a rename with another type": (
        "{town: integer}",
        "{city: {type: number, renamedFrom: town}}",
        [("field-renamed", "city"), ("type-widened", "city")],
    ),
    "required now": ("{a: string}", "{a: {type: string, required: true}}", [("field-required", "a")]),
    "optional now": ("{a: {type: string, required: true}}", "{a: string}", [("field-optional", "a")]),
    "a default": ("{a: integer}", "{a: {type: integer, default: 1}}", [("default-changed", "a")]),
    "integer to decimal": ("{a: integer}", "{a: decimal}", [("type-widened", "a")]),
    "integer to number": ("{a: integer}", "{a: number}", [("type-widened", "a")]),
    "number to decimal": ("{a: number}", "{a: decimal}", [("type-widened", "a")]),
    "number to integer": ("{a: number}", "{a: integer}", [("type-changed", "a")]),
    "decimal to number": ("{a: decimal}", "{a: number}", [("type-changed", "a")]),
    "string to integer": ("{a: string}", "{a: integer}", [("type-changed", "a")]),
    "integer to string": ("{a: integer}", "{a: string}", [("type-changed", "a")]),
    "string to text": ("{a: string}", "{a: text}", [("search-changed", "a")]),
    "text to string": ("{a: text}", "{a: string}", [("search-changed", "a")]),
    "string to shorter text": (
        "{a: {type: string, maxLength: 9}}",
        "{a: {type: text, maxLength: 5}}",
        [("search-changed", "a"), ("limit-narrowed", "a")],
    ),
    "date to datetime": ("{a: date}", "{a: datetime}", [("type-changed", "a")]),
    "string to json": ("{a: string}", "{a: json}", [("type-widened", "a")]),
    "decimal to json": ("{a: decimal}", "{a: json}", [("type-changed", "a")]),
    "datetime to date": ("{a: datetime}", "{a: date}", [("type-changed", "a")]),
    "string to enum": ("{a: string}", "{a: {enum: [X, Y]}}", [("type-narrowed", "a")]),
    "enum to string": ("{a: {enum: [X, Y]}}", "{a: string}", [("type-widened", "a")]),
    "enum to states": ("{a: {enum: [SENT, LOST]}}", "{a: {states: journey}}", [("type-widened", "a")]),
    "another enum to states": ("{a: {enum: [SENT, HELD]}}", "{a: {states: journey}}", [("type-narrowed", "a")]),
    "single to list": ("{a: string}", "{a: {list: string}}", [("type-widened", "a")]),
    "single to list of wider ones": ("{a: integer}", "{a: {list: number}}", [("type-widened", "a")]),
    "single to list of others": ("{a: string}", "{a: {list: integer}}", [("type-changed", "a")]),
    "list to single": ("{a: {list: string}}", "{a: string}", [("type-changed", "a")]),
    "list to map": ("{a: {list: string}}", "{a: {map: string}}", [("type-changed", "a")]),
    "object to json": ("{a: {object: {b: string}}}", "{a: json}", [("type-changed", "a")]),
    "items of a list": ("{a: {list: integer}}", "{a: {list: string}}", [("type-changed", "a[]")]),
    "values of a map": ("{a: {map: integer}}", "{a: {map: number}}", [("type-widened", "a{}")]),
    "a field inside a list": (
        "{a: {list: {b: string, c: string}}}",
        "{a: {list: {b: string}}}",
        [("field-removed", "a[].c")],
    ),
    "a structure for an object of its fields": (
        "{a: {object: {street: {type: string, required: true}, city: string}}}",
        "{a: {structure: Address}}",
        [],
    ),
    "an enum value less": ("{a: {enum: [X, Y]}}", "{a: {enum: [X]}}", [("enum-value-removed", "a")]),
    "an enum value more": ("{a: {enum: [X]}}", "{a: {enum: [X, Y]}}", [("enum-value-added", "a")]),
    "a shorter text": (
        "{a: {type: string, maxLength: 9}}",
        "{a: {type: string, maxLength: 5}}",
        [("limit-narrowed", "a")],
    ),
    "a longer text": (
        "{a: {type: string, maxLength: 5}}",
        "{a: {type: string, maxLength: 9}}",
        [("limit-widened", "a")],
    ),
    "a pattern": ("{a: string}", '{a: {type: string, pattern: "^x$"}}', [("limit-narrowed", "a")]),
    "no pattern": ('{a: {type: string, pattern: "^x$"}}', "{a: string}", [("limit-widened", "a")]),
    "another target": ("{a: {reference: Country}}", "{a: {reference: Place}}", [("reference-changed", "a")]),
    "unique now": ("{a: string}", "{a: {type: string, unique: true}}", [("unique-index-added", "a")]),
    "a new field that is unique": ("{a: string}", "{a: string, b: {type: string, unique: true}}", [("field-added", "b")]),
    "no longer unique": ("{a: {type: string, unique: true}}", "{a: string}", [("unique-index-removed", "a")]),
    "hidden now": ("{a: string}", "{a: {type: string, hidden: true}}", []),
}  # fmt: skip


@pytest.mark.parametrize("name", FIELDS)
def test_fields(tmp_path: Path, name: str) -> None:
    old, new, expected = FIELDS[name]
    assert changes(tmp_path, old, new) == expected


def parcel(rest: str, fields: str = "{a: string, b: string, at: datetime}") -> str:
    return f"record: Parcel\nfields: {fields}\n{rest}\n"


def unique(*fields: str, words: str = "") -> str:
    return parcel(f"indexes: [{{fields: [{', '.join(fields)}], unique: true{words}}}]")


RECORDS: dict[str, tuple[str, str, Rows]] = {
    "another collection": (
        parcel("collection: parcels"),
        parcel("collection: boxes"),
        [("collection-changed", "")],
    ),
    "another path": (parcel("path: /post/parcels"), parcel("path: /post/boxes"), []),
    "no history": (parcel("audited: true"), parcel(""), [("history-stopped", "")]),
    "no attributes": (parcel("dynamicAttributes: true"), parcel(""), [("attributes-removed", "")]),
    "archived no longer": (parcel("onDelete: archive"), parcel(""), [("deletion-changed", "")]),
    "a constraint": (
        parcel(""),
        parcel('constraints: [{when: "a:x", message: No.}]'),
        [("constraint-added", "")],
    ),
    "no constraint": (
        parcel('constraints: [{when: "a:x", message: No.}]'),
        parcel(""),
        [("constraint-removed", "")],
    ),
    "a constraint that is lenient": (
        parcel(""),
        parcel('validation: lenient\nconstraints: [{when: "a:x", message: No.}]'),
        [],
    ),
    "strict now": (
        parcel('validation: lenient\nconstraints: [{when: "a:x", message: No.}]'),
        parcel('constraints: [{when: "a:x", message: No.}]'),
        [("constraint-added", "")],
    ),
    "a unique index": (parcel(""), unique("a", "b"), [("unique-index-added", "a, b")]),
    "a unique index over fewer fields": (
        unique("a", "b"),
        unique("a"),
        [("unique-index-added", "a")],
    ),
    "a unique index over more fields": (unique("a"), unique("a", "b"), [("unique-index-removed", "a")]),
    "another direction": (unique("a"), unique("-a"), []),
    "unique over all tenants": (
        unique("a"),
        unique("a", words=", perRealm: true"),
        [("unique-index-added", "a")],
    ),
    "an index": (parcel(""), parcel("indexes: [[a]]"), []),
    "an expiry": (
        parcel(""),
        parcel("indexes: [{fields: [at], expireAfterSeconds: 60, perRealm: true}]"),
        [("expiry-added", "at")],
    ),
    "a later expiry": (
        parcel("indexes: [{fields: [at], expireAfterSeconds: 60, perRealm: true}]"),
        parcel("indexes: [{fields: [at], expireAfterSeconds: 90, perRealm: true}]"),
        [("expiry-removed", "at")],
    ),
}


@pytest.mark.parametrize("name", RECORDS)
def test_records(tmp_path: Path, name: str) -> None:
    old, new, expected = RECORDS[name]
    assert changes(tmp_path, old, new) == expected


GRAPHS: dict[str, tuple[str, list[tuple[str, object, object]]]] = {
    "nothing": (GRAPH, []),
    "a state gone": (
        "stateGraph: journey\nstates: {BOOKED: {initial: true, next: [SENT]}, SENT: {next: [DONE]}, DONE: {final: true}}",
        [("state-removed", "LOST", None)],
    ),
    "a state more": (
        GRAPH.replace("next: [SENT, LOST]", "next: [SENT, LOST, HELD]") + "  HELD: {final: true}\n",
        [("state-added", None, "HELD")],
    ),
    "a way gone": (
        GRAPH.replace("next: [SENT, LOST]", "next: [SENT]"),
        [("transition-removed", "BOOKED → LOST", None)],
    ),
    "a way more": (
        GRAPH.replace("next: [SENT, LOST]", "next: [SENT, LOST, DONE]"),
        [("transition-added", None, "BOOKED → DONE")],
    ),
    "a state renamed": (
        GRAPH.replace("LOST", "MISSING").replace("MISSING: {final", "MISSING: {renamedFrom: LOST, final"),
        [("state-renamed", "LOST", "MISSING")],
    ),
    "starts elsewhere too": (
        GRAPH.replace("SENT: {next", "SENT: {initial: true, next"),
        [("transition-added", None, "start → SENT"), ("state-required", "BOOKED", None)],
    ),
    "starts elsewhere too, but as before where no state is sent": (
        GRAPH.replace("SENT: {next", "SENT: {initial: true, next").replace("states:", "default: BOOKED\nstates:"),
        [("transition-added", None, "start → SENT")],
    ),
    "starts elsewhere where no state is sent": (
        GRAPH.replace("SENT: {next", "SENT: {initial: true, next").replace("states:", "default: SENT\nstates:"),
        [("transition-added", None, "start → SENT"), ("default-changed", "BOOKED", "SENT")],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", GRAPHS)
def test_states(tmp_path: Path, name: str) -> None:
    new, expected = GRAPHS[name]
    found = compare(tmp_path, "{s: {states: journey}}", "{s: {states: journey}}", (GRAPH, new))
    rows = [(str(one.kind).removeprefix("data-"), one.before, one.after) for one in found]
    assert rows == expected
    assert {one.path for one in found} <= {"s"}


def test_only_records_that_may_lack_a_state_need_a_default(tmp_path: Path) -> None:
    open_graph = GRAPHS["starts elsewhere too"][0]
    required = "{s: {states: journey, required: true}}"
    assert changes(tmp_path, required, required, (GRAPH, open_graph)) == [("transition-added", "s")]
    late = ("{}", "{s: {states: journey}}", (open_graph, open_graph))
    assert changes(tmp_path, *late) == [("field-added", "s"), ("state-required", "s")]


def test_a_graph_that_no_field_uses_changes_nothing(tmp_path: Path) -> None:
    assert compare(tmp_path, "{a: string}", "{a: string}", (GRAPH, GRAPHS["a state gone"][0])) == ()


def test_record_types_that_come_go_and_are_renamed() -> None:
    def specs(*records: StoredRecord) -> StoredSpecs:
        return StoredSpecs(records=records)

    link = StoredField("to", StoredType("reference", target="Parcel"))
    old = specs(StoredRecord("Parcel", "post", "parcels"), StoredRecord("Trip", "post", "trips", (link,)))
    moved = replace(link, type=StoredType("reference", target="Box"))
    trip = StoredRecord("Trip", "post", "trips", (moved,))
    box = StoredRecord("Box", "post", "parcels", renamed_from="Parcel")
    assert [str(one.kind) for one in compare_stored(old, specs(box, trip))] == ["data-record-renamed"]
    again = replace(trip, fields=(replace(link, type=StoredType("reference", target="Crate")),))
    crate = specs(replace(box, name="Crate"), again)
    assert [str(one.kind) for one in compare_stored(specs(box, trip), crate)] == ["data-record-renamed"]
    for changed, kind in (
        (replace(box, collection="boxes"), "data-collection-changed"),
        (replace(box, area="freight"), "data-area-changed"),
    ):
        found = [str(one.kind) for one in compare_stored(old, specs(changed, trip))]
        assert found == ["data-record-renamed", kind]
    forgotten = compare_stored(specs(box, trip), specs(replace(box, renamed_from=None), trip))
    assert [(str(one.kind), one.record) for one in forgotten] == [
        ("data-record-added", "Box"),
        ("data-record-removed", "Box"),
    ]
    assert [(str(one.kind), one.record) for one in compare_stored(old, specs())] == [
        ("data-record-removed", "Parcel"),
        ("data-record-removed", "Trip"),
    ]
    assert {str(one.kind) for one in compare_stored(specs(), old)} == {"data-record-added"}


def test_a_state_renamed_keeps_its_ways() -> None:
    def specs(*states: StoredState) -> StoredSpecs:
        kind = StoredType("states", values=tuple(one.name for one in states), target="g")
        record = StoredRecord("Parcel", "post", "parcels", (StoredField("s", kind),))
        return StoredSpecs(records=(record,), graphs=(StoredGraph("g", states),))

    old = specs(StoredState("A", ("B",), initial=True), StoredState("B", final=True))
    new = specs(StoredState("A", ("C",), initial=True), StoredState("C", final=True, renamed_from="B"))
    assert [(str(one.kind), one.before, one.after) for one in compare_stored(old, new)] == [
        ("data-state-renamed", "B", "C")
    ]


def test_a_state_that_is_merged_into_another_moves_there_with_its_ways() -> None:
    def specs(*states: StoredState) -> StoredSpecs:
        kind = StoredType("states", values=tuple(one.name for one in states), target="g")
        record = StoredRecord("Parcel", "post", "parcels", (StoredField("s", kind),))
        return StoredSpecs(records=(record,), graphs=(StoredGraph("g", states),))

    held = StoredState("HELD", ("SENT", "DONE", "LOST"))
    ends = StoredState("DONE", final=True), StoredState("LOST", final=True)
    old = specs(StoredState("SENT", ("HELD", "DONE"), initial=True), held, *ends)
    new = specs(StoredState("SENT", ("DONE",), initial=True, renamed_from="HELD"), *ends)
    assert [(str(one.kind), one.before, one.after) for one in compare_stored(old, new)] == [
        ("data-state-renamed", "HELD", "SENT"),
        ("data-transition-removed", "SENT → LOST", None),
    ]


def test_a_unique_index_follows_a_renamed_field() -> None:
    def record(field: StoredField, *keys: str) -> StoredSpecs:
        index = replace(UNIQUE, keys=keys)
        return StoredSpecs(records=(StoredRecord("Parcel", "post", "parcels", (field,), (index,)),))

    text = StoredType("string")
    inner = StoredType("object", fields=(StoredField("code", text),))
    old = record(StoredField("town", inner), "town.code")
    renamed = record(StoredField("city", inner, renamed_from="town"), "city.code")
    assert [str(one.kind) for one in compare_stored(old, renamed)] == ["data-field-renamed"]


UNIQUE = next(
    iter(
        read_stored(
            b'{"records": [{"name": "A", "area": "a", "collection": "as", "indexes": [{"keys": [], "unique": true}]}]}',
            "x",
        ).records
    )
).indexes[0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "stored.json: Invalid JSON"),
        (b"[]", "stored.json: "),
        (b'{"records": [{"name": 1}]}', "stored.json: records.0.name: Input should be a valid string"),
    ],
)
def test_a_release_that_cannot_be_read(text: bytes, message: str) -> None:
    with pytest.raises(UnreadableReleaseError, match=message.replace(".", "[.]")):
        read_stored(text, "stored.json")


names = st.sampled_from(["a", "b", "c"])
scalars = st.sampled_from(["string", "integer", "number", "decimal", "date"]).map(StoredType)
types = st.recursive(
    scalars,
    lambda inner: st.one_of(
        inner.map(lambda one: StoredType("list", item=one)),
        st.dictionaries(names, inner, max_size=2).map(
            lambda them: StoredType(
                "object", fields=tuple(StoredField(name, one) for name, one in them.items())
            )
        ),
    ),
    max_leaves=4,
)
records = st.dictionaries(names, types, max_size=3).map(
    lambda them: StoredRecord("R", "a", "rs", tuple(StoredField(name, one) for name, one in them.items()))
)
specs = records.map(lambda one: StoredSpecs(records=(one,)))


SINGLE = (
    *("string", "integer", "number", "decimal", "boolean", "date", "datetime", "objectId", "json", "enum"),
    "states",
)


@pytest.mark.parametrize("before", SINGLE)
def test_migrations_keep_the_values_that_a_comparison_says_are_kept(before: str) -> None:
    """An integer may be larger than a number has digits for; a migration counts those."""
    for after in SINGLE:
        shapes = [
            {"fields": {"a": {"type": kind, **({"values": ["X"]} if kind in ("enum", "states") else {})}}}
            for kind in (before, after)
        ]
        loses = any(step.loses for step in derive_steps("Thing", *shapes))
        fit = compare_types(*(StoredType(kind, values=("X",)) for kind in (before, after)))
        is_kept = fit in (Fit.SAME, Fit.CONVERTED)
        assert not (is_kept and loses) or (before, after) == ("integer", "number"), after


@given(specs)
def test_the_same_specifications_have_no_changes(one: StoredSpecs) -> None:
    assert compare_stored(one, one) == ()
    assert read_stored(render_stored(one).encode(), "stored.json") == one


@given(specs, specs)
def test_what_one_direction_adds_the_other_removes(one: StoredSpecs, other: StoredSpecs) -> None:
    there = {change.path for change in compare_stored(one, other) if change.kind == "data-field-added"}
    back = {change.path for change in compare_stored(other, one) if change.kind == "data-field-removed"}
    assert there == back
    assert bool(compare_stored(one, other)) == bool(compare_stored(other, one))
