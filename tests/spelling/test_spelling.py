"""Any record reads the same in either spelling: in the store and in memory, before, during and after."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from typing import Any
from uuid import uuid4

import pytest
from bson import Decimal128
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from pymongo import MongoClient
from pymongo.collection import Collection

from runtime.spelling import (
    MARK,
    Spelling,
    Step,
    derive_steps,
)
from runtime.spelling.steps import parse_path
from runtime.spelling.texts import Replace
from runtime.spelling.values import Coerce, Confine, Enlist, Fill, Widen

Document = dict[str, Any]
Rows = Collection[Document]

STEPS = {
    "city": ("town", None),
    "address": ("home", None),
    "address.street": ("road", None),
    "lines[].code": ("sku", None),
    "lines[].price": (None, Widen("number", "decimal")),
    "lines[].amount": (None, Fill(2)),
    "rates{}.unit": (None, Fill("kg")),
    "rates{}.value": ("worth", Widen("integer", "number")),
    "weight": (None, Widen("integer", "decimal")),
    "tags": (None, Enlist()),
    "notes": ("remark", Enlist()),
    "status": (None, Replace({"NEW": "OPEN", "OPEN": "ACTIVE"})),
    "priority": (None, Fill(3)),
    "size": (None, Confine(("S", "M"))),
    "amount": (None, Coerce("integer")),
    "flag": (None, Coerce("string")),
}
"""Field → its former name, and what happens to its value."""

WHOLE = st.integers(-(2**40), 2**40)
TEXT = st.text("abc", max_size=2)
OLD = st.fixed_dictionaries(
    {"version": st.just(4)},
    optional={
        "town": TEXT,
        "home": st.fixed_dictionaries({}, optional={"road": TEXT, "zip": TEXT}),
        "lines": st.lists(
            st.fixed_dictionaries({}, optional={"sku": TEXT, "price": st.floats(-1e6, 1e6)}), max_size=2
        ),
        "rates": st.dictionaries(st.sampled_from(["EUR", "x y"]), st.fixed_dictionaries({"worth": WHOLE})),
        "weight": WHOLE,
        "tags": TEXT,
        "remark": TEXT,
        "status": st.sampled_from(["NEW", "OPEN", "SHUT"]),
        "priority": WHOLE,
        "other": TEXT,
        "size": st.sampled_from(["S", "XL"]),
        "amount": st.one_of(WHOLE, st.floats(-5, 5), TEXT, st.lists(WHOLE, max_size=2)),
        "flag": st.one_of(TEXT, st.booleans(), WHOLE),
    },
)
"""Records in the earlier shape."""


def spelling_of(names: set[str], *, is_shared: bool = False) -> Spelling:
    steps = [Step(name, parse_path(name), *STEPS[name]) for name in STEPS if name in names]
    return Spelling(7, tuple(steps), is_shared)


@pytest.fixture(scope="module")
def rows(mongo_client: MongoClient[Document]) -> Iterator[Rows]:
    collection: Rows = mongo_client["spelling-test"][uuid4().hex[:8]]
    yield collection
    collection.drop()


def plain(value: Any) -> Any:
    """The value, with the kind of each number: 1, 1.0 and a decimal of 1 are three values."""
    if isinstance(value, dict):
        return {name: plain(one) for name, one in value.items() if name not in ("_id", MARK)}
    if isinstance(value, list):
        return [plain(one) for one in value]
    if isinstance(value, Decimal128):
        return "decimal", value.to_decimal()
    return "whole" if isinstance(value, int) else type(value), value


def read(rows: Rows, spelling: Spelling) -> Document:
    """The one record, as computed by the store: declared members alone."""
    (found,) = rows.aggregate([*spelling.unification, {"$unset": ["town", "home", "remark", "address.road"]},
                               {"$unset": ["lines.sku"]}])  # fmt: skip
    for one in found.get("rates", {}).values():
        one.pop("worth", None)
    return found


SETTINGS = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@SETTINGS
@example(old={"version": 4, "lines": [{"price": 5e-324}]}, written={"version": 4})
@example(old={"version": 4, "lines": [{"price": -2.2e-308}, {"price": 2.3e-308}]}, written={"version": 4})
@given(old=OLD, written=OLD)
def test_a_record_reads_the_same_in_every_spelling(rows: Rows, old: Document, written: Document) -> None:
    """As an old worker stores it, shared, rewritten by an old worker, and moved."""
    spelling, shared = spelling_of(set(STEPS)), spelling_of(set(STEPS), is_shared=True)
    expected = spelling.unify(old)
    assert not expected.keys() & {"town", "home", "remark"}

    rows.delete_many({})
    rows.insert_one({**old})
    assert plain(read(rows, spelling)) == plain(expected)

    rows.update_many({}, [*shared.unification])
    rows.update_many({}, shared.sharing)
    (raw,) = rows.find({})
    assert plain(read(rows, spelling)) == plain(expected)
    assert plain(spelling.unify(raw)) == plain(expected)
    assert {name: raw[name] for name in ("town", "home", "remark") if name in raw}.keys() == old.keys() & {
        "town", "home", "remark"
    }  # fmt: skip

    gone = [name for name in ("town", "home", "lines", "rates", "weight", "tags", "remark", "status",
                          "size", "amount", "flag")
            if name not in written]  # fmt: skip
    rows.update_many(
        {}, {"$set": {**written, "version": 5}, **({"$unset": dict.fromkeys(gone, 1)} if gone else {})}
    )
    (raw,) = rows.find({})
    later = spelling.unify(raw)
    kept = {"priority": raw["priority"]} if "priority" in raw else {}
    other = {"other": raw["other"]} if "other" in raw else {}
    assert plain(later) == plain(spelling.unify({**written, "version": 5, **other, **kept}))
    assert plain(read(rows, spelling)) == plain(later)

    rows.update_many(spelling.unsettled, spelling.conversion)
    (raw,) = rows.find({})
    assert raw[MARK] == {"of": 7}
    del raw[MARK], raw["_id"]
    assert plain(raw) == plain(later)
    assert rows.count_documents(spelling.unsettled) == 0
    assert plain(read(rows, spelling)) == plain(later)


@SETTINGS
@example(old={"version": 4, "lines": [{"price": 5e-324}, {"price": 1.5}]})
@given(old=OLD)
def test_a_new_record_is_spelled_as_the_store_would(rows: Rows, old: Document) -> None:
    shared = spelling_of(set(STEPS), is_shared=True)
    now = shared.unify(old)
    rows.delete_many({})
    rows.insert_one({**now})
    rows.update_many({}, shared.sharing)
    (raw,) = rows.find({})
    assert plain(raw) == plain(shared.spell(now))
    assert raw[MARK] == shared.spell(now)[MARK]


def digest(rows: Rows, spelling: Spelling) -> Any:
    (found,) = rows.aggregate([{"$project": {"_id": 0, "digest": {"$toHashedIndexKey": spelling.values}}}])
    return found["digest"]


@SETTINGS
@given(
    old=OLD,
    now=st.fixed_dictionaries({}, optional={"city": TEXT, "priority": st.none(), "address": st.just({})}),
    mark=st.sampled_from([None, {"of": 3}, {"of": 7}, {"of": 7, "at": 4}, {"of": 7, "at": 3}]),
    names=st.one_of(st.just({"city", "address", "priority"}), st.sets(st.sampled_from(sorted(STEPS)))),
)
def test_a_move_does_what_its_pipeline_does_and_keeps_the_digest(
    rows: Rows, old: Document, now: Document, mark: Document | None, names: set[str]
) -> None:
    """Whether operators move the record or the pipeline, which operators leave records to."""
    spelling = spelling_of(names)
    stored = {"_id": 1, **old, **now, **({MARK: mark} if mark else {})}
    rows.delete_many({})
    rows.insert_one(dict(stored))
    before = digest(rows, spelling)
    rows.update_many(spelling.unmoved, spelling.conversion)
    (expected,) = rows.find({})

    rows.replace_one({}, dict(stored))
    moved = [rows.update_many(*one).modified_count for one in spelling.moves]
    (found,) = rows.find({})
    assert plain(found) == plain(expected)
    assert found.get(MARK) == expected.get(MARK)
    assert sum(moved) == (mark != {"of": 7})
    assert digest(rows, spelling) == before
    assert len(moved) == 1 + (names <= {"city", "address", "priority"})


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ({"city"}, ({"$rename": {"town": "city"}}, {"city"})),
        ({"city", "priority"}, ({"$rename": {"town": "city"}}, {"city", "priority"})),
        ({"city", "address.street"}, None),
        ({"address", "address.street"}, None),
        ({"notes"}, None),
        ({"weight"}, None),
    ],
)
def test_operators_move_records_where_members_are_renamed_or_added(names: set[str], expected: Any) -> None:
    moves = spelling_of(names).moves
    assert len(spelling_of(names, is_shared=True).moves) == 1
    if expected is None:
        assert len(moves) == 1
        return
    (match, update), _rest = moves
    assert isinstance(update, dict)
    assert {"$rename": update["$rename"]} == expected[0]
    assert [*match] == ["$nor"]  # which no index answers, so ids find the records
    assert {key for one in match["$nor"] for key in one} == expected[1] | {f"{MARK}.of"}


@pytest.mark.parametrize(
    ("match", "expected"),
    [
        ({"town": 1}, {"town": 1}),
        ({"city": 1}, {"$or": [{"city": 1}, {"town": 1}]}),
        ({"lines.code": 1}, {"$or": [{"lines.code": 1}, {"lines.sku": 1}]}),
        ({"address.street": 1}, {}),  # two renames: a record may have moved one of them
        ({"address": {"$elemMatch": {"street": 1}}}, {}),
        ({"weight": 1}, {}),
        ({"rates.EUR.value": 1}, {}),
        ({"$nor": [{"city": 1}]}, {}),
        ({"$nor": [{"other": 1}]}, {"$nor": [{"other": 1}]}),
        ({"$or": [{"other": 1}, {"status": 1}]}, {}),
        ({"$and": [{"other": 1}, {"status": 1}]}, {"other": 1}),
        ({"$expr": {"$eq": ["$city", "$other"]}}, {}),
        (
            {"$text": {"$search": "city"}, "other": 2},
            {"$and": [{"$text": {"$search": "city"}}, {"other": 2}]},
        ),
        ({"$text": {"$search": "$city"}}, {"$text": {"$search": "$city"}}),
    ],
)
def test_a_widened_condition_holds_for_each_spelling(match: Document, expected: Document) -> None:
    assert spelling_of(set(STEPS)).widen(match) == expected


def shape(**fields: Any) -> Document:
    return {"fields": fields}


def nested(**member: Any) -> Document:
    inner = {"street": {"type": "string"}, "floor": {"type": "integer", **member}}
    return shape(
        address={"type": "object", "fields": inner},
        lines={"type": "list", "item": {"type": "object", "fields": inner}},
    )


def test_a_default_inside_objects_is_filled_in_once(rows: Rows) -> None:
    steps = derive_steps("Parcel", nested(), nested(default=1))
    assert [one.name for one in steps] == ["Parcel.address.floor.default", "Parcel.lines[].floor.default"]
    assert derive_steps("Parcel", nested(default=1), nested(default=2)) == ()
    assert derive_steps("Parcel", shape(), nested(default=1)) == ()
    spelling = Spelling(7, steps)
    table = [
        ({}, {}),
        ({"address": {}}, {"address": {"floor": 1}}),
        ({"address": {"floor": 0}}, {"address": {"floor": 0}}),
        ({"lines": [{"street": "a"}, {"floor": 5}]}, {"lines": [{"street": "a", "floor": 1}, {"floor": 5}]}),
        ({"lines": []}, {"lines": []}),
        ({"address": "odd", "lines": [3]}, {"address": "odd", "lines": [3]}),
    ]
    for stored, expected in table:
        rows.delete_many({})
        rows.insert_one({"version": 1, **stored})
        assert read(rows, spelling) | {"_id": 0} == {"_id": 0, "version": 1, **expected}
        assert spelling.unify(stored) == expected
        rows.update_many({}, spelling.conversion)
        rows.update_many({}, {"$unset": {"address.floor": 1}})
        assert "floor" not in read(rows, spelling).get("address", {})


LOSING = {
    "city": ("town", None, False),
    "state": ("status", None, False),
    "state:confine": (None, Confine(("NEW",)), True),
    "size": (None, Confine(("S",)), True),
    "size:fill": (None, Fill("S"), False),
    "amount": (None, Coerce("integer"), True),
    "home.zip": (None, Coerce("integer"), True),
    "home.kind": ("sort", Confine(("A",)), True),
    "lines[].kind": (None, Confine(("A",)), True),
    "lines[].unit": ("per", Confine(("A",)), True),
    "lines[].number": (None, Fill(2), False),
    "marks[]": (None, Confine(("A",)), True),
    "grades{}": (None, Confine(("A",)), True),
    "routes{}.kind": (None, Confine(("A",)), True),
    "tags": (None, Enlist(), False),
    "tags[]": (None, Confine(("A",)), True),
    "parts": (None, Enlist(), False),
    "parts[].kind": (None, Confine(("A",)), True),
    "gone": (None, Coerce(None), True),
}
LETTER = st.sampled_from("AB")
KINDS = st.fixed_dictionaries({}, optional={"kind": LETTER, "per": LETTER, "sku": LETTER})
LOSSY = st.fixed_dictionaries(
    {"version": st.just(4)},
    optional={
        "town": TEXT,
        "status": st.sampled_from(["NEW", "GONE"]),
        "size": st.sampled_from(["S", "L"]),
        "amount": st.one_of(WHOLE, st.just(7.0), st.floats(-5, 5), TEXT, st.lists(WHOLE, max_size=2)),
        "home": st.fixed_dictionaries({}, optional={"zip": st.one_of(WHOLE, TEXT), "sort": LETTER}),
        "lines": st.lists(KINDS, max_size=3),
        "marks": st.lists(LETTER, max_size=3),
        "grades": st.dictionaries(st.sampled_from(["EUR", "x.y", "$z"]), LETTER),
        "routes": st.dictionaries(st.sampled_from(["EUR", "x.y"]), KINDS),
        "tags": LETTER,
        "parts": KINDS,
        "gone": st.one_of(TEXT, WHOLE),
    },
)
"""Records of which the shape of now cannot hold everything."""


def losing_spelling(*, is_shared: bool) -> Spelling:
    steps = tuple(
        Step(name, parse_path(name.partition(":")[0]), former, operation, loses)
        for name, (former, operation, loses) in LOSING.items()
    )
    return Spelling(7, steps, is_shared)


OLD_NAMES = frozenset({
    "town", "status", "size", "amount", "home", "lines", "marks", "grades", "routes", "tags", "parts", "gone"
})  # fmt: skip


def seen_by_old(raw: Document) -> Document:
    """What a worker of the earlier shape reads, without what only the shape of now has."""
    found = {name: deepcopy(value) for name, value in raw.items() if name in OLD_NAMES}
    for one in found.get("lines") or []:
        for name in ("unit", "number"):
            one.pop(name, None)
    (found.get("home") or {}).pop("kind", None)
    return found


def rewrite(rows: Rows, record: Document, version: int) -> None:
    """Store a record as a worker of the earlier shape does."""
    gone = dict.fromkeys(OLD_NAMES - record.keys(), 1)
    rows.update_many({}, {"$set": record | {"version": version}, **({"$unset": gone} if gone else {})})


@settings(SETTINGS, max_examples=30)
@given(old=LOSSY, written=LOSSY)
def test_a_write_keeps_what_the_shape_of_now_cannot_hold(
    rows: Rows, old: Document, written: Document
) -> None:
    """Once and again, also after a worker of the earlier shape has written; the reads stay as they were."""
    shared = losing_spelling(is_shared=True)
    rows.delete_many({})
    rows.insert_one({**old})
    for version, record in enumerate((old, old, written), 4):
        if version == 6:
            rewrite(rows, record, version)
        (raw,) = rows.find({})
        expected, lost = shared.unify(raw), seen_by_old(raw)
        rows.update_many({}, shared.inner.conversion)
        (raw,) = rows.find({})
        assert raw[MARK]["of"] == 7
        assert plain(raw) == plain(expected)
        rows.update_many({"_id": raw["_id"], **shared.settled}, shared.sharing)
        (raw,) = rows.find({})
        assert raw[MARK] == {"of": 7, "at": raw["version"]}
        assert plain(seen_by_old(raw)) == plain(seen_by_old({"size": "S"} | lost if version == 4 else lost))
        assert plain(seen_by_old(raw)).items() >= plain(seen_by_old(record)).items()
        assert plain(shared.unify(raw)) == plain(expected)
