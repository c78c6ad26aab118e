"""Sort and projection: what is refused, and that no projection shows a hidden field."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pymongo import MongoClient

from runtime.errors import InvalidParameter, RequestError, UnknownField
from runtime.filter import Projection, parse_order, parse_projection, parse_sort
from tests.filter.sample import SHIPMENT


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        pytest.param(None, [("_id", 1)], id="nothing"),
        pytest.param(" ", [("_id", 1)], id="blank"),
        pytest.param("name", [("name", 1), ("_id", 1)], id="no sign"),
        pytest.param("-placed", [("placed", -1), ("_id", -1)], id="the tie-break goes with the last key"),
        pytest.param("-placed,+qty", [("placed", -1), ("qty", 1), ("_id", 1)], id="several"),
        pytest.param(
            " qty , -name ", [("qty", 1), ("name", -1), ("_id", -1)], id="a plus that a URL made a blank"
        ),
        pytest.param("-id", [("_id", -1)], id="id"),
        pytest.param("qty,id,name", [("qty", 1), ("_id", 1)], id="nothing matters after id"),
        pytest.param("address.city", [("address.city", 1), ("_id", 1)], id="inside an object"),
        pytest.param(
            '-labels."unit, price"', [("labels.unit, price", -1), ("_id", -1)], id="a key in quotes"
        ),
        pytest.param("customer.entityRefName", [("customer.entityRefName", 1), ("_id", 1)], id="reference"),
        pytest.param(
            "-dynamicAttributes.a.b",
            [("dynamicAttributes.a.b.value", -1), ("_id", -1)],
            id="dynamic attribute",
        ),
    ],
)
def test_sort_reads_as_keys(text: str | None, keys: list[tuple[str, int]]) -> None:
    assert parse_sort(text, SHIPMENT) == tuple(keys)


@pytest.mark.parametrize(
    ("text", "error", "column", "said"),
    [
        pytest.param("-nmae", UnknownField, 2, "did you mean name", id="unknown"),
        pytest.param("apiToken", UnknownField, 1, "has no field apiToken", id="hidden"),
        pytest.param(
            "lines.size", UnknownField, 1, "only a filter counts the elements of a list", id="a size"
        ),
        pytest.param(
            "qty,address.secret", UnknownField, 5, "has no field address.secret", id="hidden inside"
        ),
        pytest.param("id,nmae", UnknownField, 4, "did you mean name", id="unknown behind the id"),
        pytest.param("qty,-qty", InvalidParameter, 6, "qty is named twice", id="twice"),
        pytest.param('name,labels."a', InvalidParameter, 6, "names between commas", id="open quotes"),
        pytest.param(
            'labels."a.b"', UnknownField, 1, "only names of attributes have dots, or", id="a dot in quotes"
        ),
        pytest.param("qty,,name", InvalidParameter, 5, "names between commas", id="empty"),
        pytest.param("-", InvalidParameter, 1, "names between commas", id="sign alone"),
        pytest.param("--qty", InvalidParameter, 1, "names between commas", id="two signs"),
        pytest.param("tags", InvalidParameter, 1, "no single value to sort by", id="list"),
        pytest.param("lines.sku", InvalidParameter, 1, "no single value to sort by", id="in a list"),
        pytest.param("address", InvalidParameter, 1, "sort by one of them", id="object"),
        pytest.param("labels", InvalidParameter, 1, "sort by one of them", id="map"),
        pytest.param("customer", InvalidParameter, 1, "sort by customer.entityRefName", id="reference"),
        pytest.param("meta.a,meta.b", InvalidParameter, 8, "only one may sort", id="two free-form fields"),
        pytest.param(
            ",".join(f"labels.k{i}" for i in range(9)), InvalidParameter, 81, "at most 8", id="nine keys"
        ),
    ],
)
def test_sort_is_refused(text: str, error: type[RequestError], column: int, said: str) -> None:
    with pytest.raises(error) as caught:
        parse_sort(text, SHIPMENT)
    assert said in caught.value.message
    assert caught.value.details["column"] == column
    assert caught.value.details["excerpt"].splitlines()[0]


def test_advice_to_sort_names_no_member_of_a_reference_that_is_withheld() -> None:
    with pytest.raises(InvalidParameter) as caught:
        parse_order("customer", SHIPMENT, frozenset({"customer.entityRefName"}))
    assert caught.value.message == "customer is a reference, which has no order"


NOTHING_HIDDEN: frozenset[str] = frozenset()
LINES = ("lines.sku", "lines.quantity", "lines.tags", "lines.dueAt")


def but(*paths: str) -> dict[str, int]:
    """The projection of all declared fields of a shipment but these."""
    return {
        path: one
        for path, one in Projection(fields=SHIPMENT.fields).as_mongo(set()).items()
        if path not in paths
    }


@pytest.mark.parametrize(
    ("text", "hidden", "projection"),
    [
        pytest.param("+name,+qty", NOTHING_HIDDEN, {"_id": 1, "name": 1, "qty": 1}, id="only those and id"),
        pytest.param("name, qty", NOTHING_HIDDEN, {"_id": 1, "name": 1, "qty": 1}, id="no sign includes"),
        pytest.param("+id", NOTHING_HIDDEN, {"_id": 1}, id="only id"),
        pytest.param(
            '+meta."a,b",labels."c d"',
            NOTHING_HIDDEN,
            {"_id": 1, "meta.a,b": 1, "labels.c d": 1},
            id="quoted",
        ),
        pytest.param("-name", NOTHING_HIDDEN, but("name"), id="all but one"),
        pytest.param("-name", {"apiToken"}, but("apiToken", "name"), id="and none that is hidden"),
        pytest.param("-lines,-lines.sku", NOTHING_HIDDEN, but(*LINES), id="a part of what is excluded"),
        pytest.param(
            "+lines,+lines.sku",
            NOTHING_HIDDEN,
            {"_id": 1} | dict.fromkeys(LINES, 1),
            id="a part of what is included",
        ),
        pytest.param(
            "+address,-address.zip",
            NOTHING_HIDDEN,
            {"_id": 1, "address.city": 1, "address.secret": 1},
            id="carved",
        ),
        pytest.param(
            "+address",
            {"address.secret"},
            {"_id": 1, "address.city": 1, "address.zip": 1},
            id="hidden inside",
        ),
        pytest.param("+address.city,-address", NOTHING_HIDDEN, {"_id": 1}, id="carved away"),
        pytest.param("+lines.sku,+qty", {"lines"}, {"_id": 1, "qty": 1}, id="inside what is hidden"),
        pytest.param(
            "+lines,-lines.tags",
            {"lines.sku"},
            {"_id": 1, "lines.quantity": 1, "lines.dueAt": 1},
            id="carved out of a list",
        ),
        pytest.param(
            "+meta,+qty", {"meta.secret"}, {"_id": 1, "qty": 1}, id="free form that hides something"
        ),
        pytest.param("-qty", {"meta.a", "meta", "meta.b"}, but("meta", "qty"), id="no path inside another"),
        pytest.param(
            "+dynamicAttributes.a.b", NOTHING_HIDDEN, {"_id": 1, "dynamicAttributes.a.b": 1}, id="attribute"
        ),
    ],
)
def test_projection_becomes_mongo(text: str, hidden: set[str], projection: dict[str, int]) -> None:
    assert parse_projection(text, SHIPMENT).as_mongo(hidden) == projection


def test_a_projection_shows_declared_fields_alone() -> None:
    fields = {
        name: SHIPMENT.fields[name] for name in ("id", "name", "apiToken", "address", "meta", "customer")
    }
    every = {"_id": 1, "name": 1, "address.city": 1, "address.zip": 1, "meta": 1, "customer": 1}
    assert Projection(fields=fields).as_mongo({"address.secret", "apiToken"}) == every
    assert Projection(("name", "former", "address.former"), fields=fields).as_mongo(set()) == {
        "_id": 1,
        "name": 1,
    }
    assert Projection().as_mongo(set()) == {"_id": 1}


@pytest.mark.parametrize(
    ("text", "error", "said"),
    [
        pytest.param("+nmae", UnknownField, "did you mean name", id="unknown"),
        pytest.param("-apiToken", UnknownField, "has no field apiToken", id="hidden"),
        pytest.param("lines.size", UnknownField, "as in lines.size:>3", id="a size"),
        pytest.param("+address.secret", UnknownField, "has no field address.secret", id="hidden inside"),
        pytest.param("+qty,-qty", InvalidParameter, "qty is named twice", id="both ways"),
        pytest.param("-id", InvalidParameter, "id is always returned", id="without id"),
        pytest.param("+qty,", InvalidParameter, "names between commas", id="empty"),
        pytest.param(
            "+meta,-meta.a", InvalidParameter, "cannot be carved out of meta", id="out of free form"
        ),
        pytest.param(
            "+labels,-labels.a", InvalidParameter, "cannot be carved out of labels", id="out of a map"
        ),
        pytest.param(
            ",".join(f"labels.k{i}" for i in range(201)), InvalidParameter, "at most 200", id="too many"
        ),
    ],
)
def test_projection_is_refused(text: str, error: type[RequestError], said: str) -> None:
    with pytest.raises(error) as caught:
        parse_projection(text, SHIPMENT)
    assert said in caught.value.message
    assert caught.value.details["column"] >= 1


def test_what_rules_hide_can_be_neither_sorted_nor_projected() -> None:
    for parse in (parse_order, parse_projection):
        parse("qty", SHIPMENT)
        with pytest.raises(UnknownField):
            parse("qty", SHIPMENT, frozenset({"qty"}))


RECORD: dict[str, Any] = {
    "name": "n",
    "qty": 1,
    "apiToken": "t",
    "address": {"city": "c", "zip": "z", "secret": "s"},
    "lines": [{"sku": "a", "quantity": 1, "tags": ["x"]}, {"sku": "b"}],
    "labels": {"a": "1", "b": "2"},
    "meta": {"a": 1, "b": {"c": 2}},
    "dynamicAttributes": {"s": {"n": {"type": "Long", "value": 5}}},
}
PATHS = [
    *("name", "qty", "address", "address.city", "address.zip", "lines", "lines.sku", "lines.tags"),
    *("labels", "labels.a", "meta", "meta.a", "meta.b.c", "dynamicAttributes", "dynamicAttributes.s.n"),
]
HIDEABLE = [*PATHS, "apiToken", "address.secret"]


def leaves(value: Any, path: str = "") -> set[str]:
    """The dotted paths of everything that is not an object or a list."""
    if isinstance(value, dict):
        return {
            leaf
            for name, inner in value.items()
            for leaf in leaves(inner, f"{path}.{name}" if path else name)
        }
    if isinstance(value, list) and any(isinstance(inner, dict) for inner in value):
        return {leaf for inner in value for leaf in leaves(inner, path)}
    return {path}


def is_in(path: str, parents: tuple[str, ...] | frozenset[str]) -> bool:
    return any(path == parent or path.startswith(f"{parent}.") for parent in parents)


@settings(max_examples=150)
@given(
    include=st.lists(st.sampled_from(PATHS), max_size=4, unique=True).map(tuple),
    exclude=st.lists(st.sampled_from(PATHS), max_size=3, unique=True).map(tuple),
    hidden=st.frozensets(st.sampled_from(HIDEABLE), max_size=4),
)
def test_mongodb_shows_what_was_asked_for_and_nothing_hidden(
    mongo_client: MongoClient[dict[str, Any]],
    include: tuple[str, ...],
    exclude: tuple[str, ...],
    hidden: frozenset[str],
) -> None:
    rows = mongo_client["filter-test"]["projection"]
    rows.replace_one({"_id": 1}, RECORD, upsert=True)
    shown = rows.find_one({"_id": 1}, Projection(include, exclude, SHIPMENT.fields).as_mongo(hidden))
    assert shown is not None
    assert shown.pop("_id") == 1
    allowed = {
        leaf
        for leaf in leaves(RECORD)
        if not is_in(leaf, hidden) and not is_in(leaf, exclude) and (not include or is_in(leaf, include))
    }
    found = {path for path in leaves(shown) if path in leaves(RECORD)}
    assert found <= allowed
    if not any(is_in(path, ("labels", "meta", "dynamicAttributes")) for path in {*exclude, *hidden}):
        assert found == allowed
