"""The stages of an aggregate on the real MongoDB = a plain interpreter, over random records and questions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any, Literal
from uuid import uuid4

import pytest
from bson import Decimal128, ObjectId
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import AwareDatetime
from pymongo import MongoClient

from runtime.contract.aggregates import AggregateBody
from runtime.filter import EVERYTHING, Moment
from runtime.model.record import EntityReference, ObjectIdText, Strict
from runtime.principal import DomainScope
from runtime.query.aggregate_plan import plan_groups
from runtime.storage.access import Access, Action
from runtime.storage.store.grouping import ROWS, build_group_stages
from tests.kinds import kind_of
from tests.properties import examples
from tests.query.plain_groups import group, in_order, plain

ZONES = ["UTC", "Europe/Amsterdam", "Asia/Kolkata", "America/New_York", "Pacific/Auckland"]
UNITS = ["year", "quarter", "month", "week", "day", "hour"]


class Line(Strict):
    sku: str | None = None
    quantity: int | None = None
    price: Decimal | None = None
    due_at: AwareDatetime | None = None
    product: EntityReference | None = None
    marks: list[int] | None = None


class _Fields(Strict):
    status: Literal["A", "B"] | None = None
    name: str | None = None
    qty: int | None = None
    weight: float | None = None
    total: Decimal | None = None
    active: bool | None = None
    born: date | None = None
    placed: AwareDatetime | None = None
    owner: ObjectIdText | None = None
    customer: EntityReference | None = None
    carriers: list[EntityReference] | None = None
    tags: list[str] | None = None
    lines: list[Line] | None = None


SALE = kind_of("Sale", "test", _Fields)
ACCESS = Access(SALE, Action.VIEW, "unused", DomainScope("acme"))

IDS = [ObjectId(f"65f0c0ffee00c0ffee00c0d{digit}") for digit in "def"]
ids = st.sampled_from(IDS)
numbers = st.integers(-3, 3) | st.sampled_from([2**40, -(2**40)])
decimals = st.decimals(-100, 100, places=2).map(Decimal128) | st.just(Decimal128("12345678901234567890.12"))
moments = st.integers(0, 37 * 365 * 24 * 60).map(
    lambda minutes: datetime(2000, 1, 1) + timedelta(minutes=minutes)
)
days = st.dates(date(2000, 1, 1), date(2037, 1, 1)).map(str)


def members(**fields: Any) -> st.SearchStrategy[dict[str, Any]]:
    """An object whose members may be null or missing."""
    return st.fixed_dictionaries({}, optional={name: st.none() | one for name, one in fields.items()})


references = ids.map(lambda one: {"entityId": one, "entityRefName": f"n{str(one)[-1]}"})
lines = members(
    sku=st.sampled_from("xyz"), quantity=numbers, price=decimals, dueAt=moments, product=references,
    marks=st.lists(numbers, max_size=2),
)  # fmt: skip
records = st.lists(
    members(
        status=st.sampled_from("AB"), name=st.sampled_from(["a", "A", "é", "", "b a"]), qty=numbers,
        weight=st.floats(-100, 100, allow_nan=False), total=decimals, active=st.booleans(), born=days,
        placed=moments, owner=ids, customer=references, carriers=st.lists(references, max_size=2),
        tags=st.lists(st.sampled_from("pqr"), max_size=3), lines=st.lists(lines, max_size=3),
    ),
    max_size=12,
)  # fmt: skip

KEYS = [
    *("status", "name", "qty", "total", "active", "born", "placed", "owner", "customer", "carriers", "tags"),
    *("lines.sku", "lines.quantity", "lines.price", "lines.product", "lines.marks", "lines.dueAt"),
]
DATES = {"born": UNITS[:-1], "placed": UNITS, "lines.dueAt": UNITS}
LISTS = {"carriers": ["carriers"], "tags": ["tags"], "lines.marks": ["lines", "lines.marks"]}
SUMMED = ["qty", "weight", "total", "lines.quantity", "lines.price", "lines.marks"]
ORDERED = [*SUMMED, "name", "born", "placed", "owner", "tags", "lines.sku", "lines.dueAt"]
COUNTED = [*ORDERED, "active", "customer", "carriers", "lines.product", "status"]


def lists_of(path: str) -> list[str]:
    return LISTS.get(path, ["lines"] if path.startswith("lines.") else [])


keys = st.lists(
    st.sampled_from(KEYS).flatmap(
        lambda path: st.tuples(st.just(path), st.none() | st.sampled_from(DATES[path]) if path in DATES else st.none())
    ),
    max_size=3, unique_by=lambda one: one[0],
)  # fmt: skip
measures = st.lists(
    st.one_of(
        st.just(("count", None)),
        st.tuples(st.sampled_from(["count", "countDistinct"]), st.sampled_from(COUNTED)),
        st.tuples(st.sampled_from(["sum", "avg"]), st.sampled_from(SUMMED)),
        st.tuples(st.sampled_from(["min", "max"]), st.sampled_from(ORDERED)),
    ),
    min_size=1,
    max_size=4,
)


@pytest.fixture(scope="module")
def sales(mongo_client: MongoClient[dict[str, Any]]) -> Any:
    """A collection of its own."""
    name = f"test-{uuid4().hex[:12]}"
    yield mongo_client[name]["sales"]
    mongo_client.drop_database(name)


def same(one: Any, other: Any) -> bool:
    """Whether two values are equal; floats may differ in their last digits, since their order does."""
    if isinstance(one, float) or isinstance(other, float):
        return one is not None and other is not None and math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9)
    return bool(one == other) or (one == 0 and other == 0)


@settings(max_examples=examples(150, nightly=3000))
@given(records, keys, measures, st.sampled_from(ZONES), st.sampled_from(["", "-", "+"]), st.integers(-1, 3))
def test_groups_are_those_of_a_plain_interpreter(
    sales: Any,
    records: list[dict[str, Any]],
    keys: list[tuple[str, str | None]],
    measures: list[tuple[str, str | None]],
    zone: str,
    sign: str,
    least: int,
) -> None:
    lists = sorted({one for path, _unit in keys for one in lists_of(path)})
    asked = {
        f"m{at}": one
        for at, one in enumerate(measures)
        if not (one[0] == "countDistinct" and one[1] and set(lists_of(one[1])) - set(lists))
    } | {"n": ("count", None)}
    body = AggregateBody.model_validate(
        {
            "groupBy": [f"{path}.by({unit})" if unit else path for path, unit in keys],
            "measures": {name: f"{function}({path or ''})" for name, (function, path) in asked.items()},
            "timeZone": zone,
            "having": f"n:>{least}",
            **({"sort": f"{sign}n"} if sign else {}),
        }
    )
    plan = plan_groups(SALE, frozenset(), body, 1000, Moment.now())
    domain = {"dataDomain": {"tenantId": "acme"}}
    foreign = {"status": "A", "total": Decimal128("1"), "dataDomain": {"tenantId": "globex"}}
    sales.delete_many({})
    sales.insert_many([foreign, *({**one, **domain} for one in records)])
    stages = build_group_stages(ACCESS, EVERYTHING, plan.grouping)
    (found,) = sales.aggregate(stages)
    expected = [one for one in group(records, keys, lists, asked, zone) if one[1]["n"] > least]
    if sign:
        expected.sort(key=lambda one: -one[1]["n"] if sign == "-" else one[1]["n"])
    shown = [_read(plan.columns, len(keys), row) for row in found[ROWS]]
    assert [one[0] for one in shown] == [list(one[0]) for one in expected]
    for (_key, got), (_, wanted) in zip(shown, expected, strict=True):
        names = [*asked]
        assert all(same(one, wanted[name]) for name, one in zip(names, got, strict=True)), (
            asked,
            got,
            wanted,
        )


def _read(columns: Any, number: int, row: dict[str, Any]) -> tuple[Sequence[Any], Sequence[Any]]:
    found = [plain(row[place.path]) for place in columns.values()]
    return found[:number], found[number:]


def test_null_comes_first() -> None:
    assert sorted([1, None, 0], key=in_order) == [None, 0, 1]
