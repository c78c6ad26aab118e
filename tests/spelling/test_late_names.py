"""A former name that workers of the earlier shape do not use: only records without the name of now have it."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from runtime.spelling import MARK, Spelling, Step, derive_steps
from runtime.spelling.steps import parse_path
from runtime.spelling.values import Confine
from tests.spelling.test_spelling import SETTINGS, TEXT, Document, Rows, plain, read, rows

__all__ = ["rows"]

FORMERS = {"city": "town", "address.street": "road", "lines[].code": "sku"}
STEPS = [Step(name, parse_path(name), former, is_late=True) for name, former in FORMERS.items()]
LOSES = Step("confine", ("address", "street"), operation=Confine(("a",)), loses=True)
ADDRESS = st.fixed_dictionaries({}, optional={"street": TEXT, "road": TEXT, "zip": TEXT})
LINE = st.fixed_dictionaries({}, optional={"code": TEXT, "sku": TEXT})
STORED = st.fixed_dictionaries(
    {"version": st.just(4)},
    optional={"city": TEXT, "town": TEXT, "address": ADDRESS, "lines": st.lists(LINE, max_size=2)},
)
WRITTEN = st.fixed_dictionaries(
    {"version": st.just(5)},
    optional={
        "city": TEXT,
        "address": st.fixed_dictionaries({}, optional={"street": TEXT, "zip": TEXT}),
        "lines": st.lists(st.fixed_dictionaries({}, optional={"code": TEXT}), max_size=2),
    },
)
MARKS = st.sampled_from([None, {"of": 3}, {"of": 7, "at": 4}, {"of": 7, "at": 3}])


def find(rows: Rows) -> Document:
    (raw,) = rows.find({})
    return raw


def bare(rows: Rows) -> Any:
    return plain(find(rows))


@SETTINGS
@given(stored=STORED, written=WRITTEN, mark=MARKS)
def test_what_workers_of_the_earlier_shape_write_is_read(
    rows: Rows, stored: Document, written: Document, mark: Document | None
) -> None:
    shared, usual = Spelling(7, tuple(STEPS), is_shared=True), Spelling(7, tuple(STEPS))
    document = {**stored, **({MARK: mark} if mark else {})}
    expected = plain(usual.unify(document))
    rows.delete_many({})
    rows.insert_one({"_id": 1, **document})
    computed = read(rows, usual)
    (computed.get("address") or {}).pop("road", None)
    assert plain(computed) == expected

    rows.update_many({}, [*shared.unification, *shared.sharing])
    assert bare(rows) == expected  # the former names are gone: nobody uses them
    assert bare(rows) == plain(shared.spell(usual.unify(document)))
    gone = dict.fromkeys({"city", "address", "lines"} - written.keys(), 1)
    rows.update_many({}, {"$set": written, **({"$unset": gone} if gone else {})})
    assert plain(usual.unify(find(rows))) == plain(written)
    rows.update_many(usual.unsettled, usual.conversion)
    assert bare(rows) == plain(written)


@SETTINGS
@given(stored=STORED, mark=MARKS)
def test_a_write_keeps_a_value_under_the_former_name_too(
    rows: Rows, stored: Document, mark: Document | None
) -> None:
    shared = Spelling(7, (*STEPS, LOSES), is_shared=True)
    rows.delete_many({})
    rows.insert_one({"_id": 1, **stored, **({MARK: mark} if mark else {})})
    expected = plain(shared.unify(find(rows)))
    rows.update_many({}, shared.inner.conversion)
    rows.update_many({}, shared.sharing)
    address = stored.get("address", {})
    assert find(rows).get("address", {}).get("street") == address.get("street", address.get("road"))
    assert plain(shared.unify(find(rows))) == expected


def shape(removed: list[str], **fields: Any) -> Document:
    return {"fields": fields, **({"removed": dict.fromkeys(removed, False)} if removed else {})}


def nested(**member: Any) -> Document:
    inner = {"type": "object", "fields": {"street": {"type": "string", **member}}}
    return {"type": "map", "item": {"type": "list", "item": inner}}


def test_a_former_name_is_late_where_records_may_still_have_it() -> None:
    now = {"stops": nested(renamedFrom="road")}
    (step,) = derive_steps("Tour", shape(["stops{}[].road"], stops=nested()), shape([], **now))
    assert (step.name, step.former, step.is_late) == ("Tour.stops{}[].street.renamedFrom.road", "road", True)
    assert derive_steps("Tour", shape(["stops.road", "road"], stops=nested()), shape([], **now)) == ()
    now = {"halts": {**nested(renamedFrom="road"), "renamedFrom": "stops"}}
    steps = derive_steps("Tour", shape(["stops{}[].road"], stops=nested()), shape([], **now))
    assert [(one.name, one.is_late) for one in steps] == [
        ("Tour.halts.renamedFrom.stops", False),
        ("Tour.halts{}[].street.renamedFrom.road", True),
    ]
