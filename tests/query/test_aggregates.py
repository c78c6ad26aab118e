"""Aggregates of the example service: what they answer, to whom, and what is refused."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pytest
from bson import ObjectId
from pydantic import ValidationError
from pymongo import MongoClient

from runtime.contract.aggregates import AggregateBody
from runtime.errors import (
    Denied,
    FilterSyntax,
    FilterType,
    InvalidParameter,
    ServiceError,
    TooWide,
    UnknownField,
)
from runtime.filter import Moment
from runtime.query.aggregate_plan import plan_groups
from tests.http.test_permission_rules import rule, ruled
from tests.http.test_withheld import withholding
from tests.http.world import Document, World, open_world
from tests.query.aggregating import Aggregate, aggregate_in
from tests.records.parcels import PARCEL


@pytest.fixture(scope="module")
def world(
    mongo_uri: str, mongo_client: MongoClient[dict[str, Any]], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[World]:
    """Four orders of two customers, over two products; one of another tenant, one archived product."""
    with open_world(
        mongo_uri, mongo_client, data_folder=tmp_path_factory.mktemp("keys"), rule_cache_seconds=0
    ) as opened:
        plant(opened)
        yield opened


@pytest.fixture
def aggregate(world: World) -> Aggregate:
    """Ask for an aggregate in the world of the module."""
    return lambda kind, caller="acme", **body: aggregate_in(world, kind, caller, **body)


def plant(world: World) -> None:
    def to(kind: str, name: str, **fields: Any) -> Document:
        return {"entityId": world.make(kind, refName=name, name=name, **fields)["id"]}

    roses, elms = to("Customer", "roses"), to("Customer", "elms")
    tulip, vase = to("Product", "tulip", tags=["red", "cheap"]), to("Product", "vase")
    orders = (
        ("a", roses, "2026-01-31T23:30:00Z", [(tulip, 2, "1.10"), (vase, 1, "2.20")], {}),
        ("b", roses, "2026-02-10T10:00:00Z", [(tulip, 3, "0.10")], {}),
        ("c", elms, "2026-02-11T10:00:00Z", [(vase, 5, "0.20")], {"currency": "USD"}),
        ("d", elms, None, [(vase, 1, "9.99")], {}),
    )
    for name, customer, placed, items, more in orders:
        rows = [{"product": one, "quantity": number, "price": price} for one, number, price in items]
        moment = {"placedAt": placed} if placed else {}
        world.make("Order", refName=name, customer=customer, items=rows, **moment, **more)
    world.make("Order", "globex", refName="foreign", currency="GBP")
    gone = world.make("Product", refName="gone", name="gone", price="100.00")
    assert world.ask(f"DELETE /logistics/products/id/{gone['id']}").status_code == 204


def table(answer: Document) -> list[list[Any]]:
    """The rows as lists; a reference is its name."""
    rows = [[*row.values()] for row in answer["rows"]]
    return [[one["entityRefName"] if isinstance(one, dict) else one for one in row] for row in rows]


@pytest.mark.parametrize(
    ("body", "rows"),
    [
        pytest.param({"measures": {"n": "count"}}, [[4]], id="all records are one group"),
        pytest.param({"groupBy": ["currency"]}, [["EUR"], ["USD"]], id="the distinct values"),
        pytest.param(
            {"groupBy": ["customer"], "measures": {"n": "count"}, "sort": "customer.entityRefName"},
            [["elms", 2], ["roses", 2]],
            id="references by id, with their names",
        ),
        pytest.param(
            {"groupBy": ["currency"], "measures": {"sold": "sum(items.price)", "least": "min(items.price)"}},
            [["EUR", "13.39", "0.10"], ["USD", "0.20", "0.20"]],
            id="decimals are exact; all elements of a list",
        ),
        pytest.param(
            {"groupBy": ["items.product as product"], "measures": {"sold": "sum(items.quantity)", "n": "count"},
             "sort": "-sold"},
            [["vase", 7, 3], ["tulip", 5, 2]],
            id="a key in a list groups the elements",
        ),
        pytest.param(
            {"groupBy": ["items[*].product"], "measures": {"orders": "countDistinct(id)"}, "sort": "-orders"},
            [["vase", 3], ["tulip", 2]],
            id="a list marked, and the records counted",
        ),
        pytest.param(
            {"groupBy": ["placedAt.by(month)"], "measures": {"n": "count"}},
            [[None, 1], ["2026-01", 1], ["2026-02", 2]],
            id="by month, null where there is none",
        ),
        pytest.param(
            {"groupBy": ["placedAt.by( month ) as month"], "measures": {"n": "count"},
             "timeZone": "Europe/Amsterdam"},
            [[None, 1], ["2026-02", 3]],
            id="by month, in a zone",
        ),
        pytest.param(
            {"groupBy": ["placedAt.by(year) as y", "placedAt.by(quarter) as q", "placedAt.by(week) as w"],
             "query": "placedAt:>=2026-02-11"},
            [["2026", "2026-Q1", "2026-W07"]],
            id="by several units",
        ),
        pytest.param(
            {"groupBy": ["placedAt.by(day)", "placedAt.by(hour) as hour"], "query": "refName:a",
             "timeZone": "Asia/Kolkata"},
            [["2026-02-01", "2026-02-01T05"]],
            id="by day and hour, half an hour off",
        ),
        pytest.param(
            {"measures": {"n": "count(placedAt)", "first": "min(placedAt)", "who": "countDistinct(customer)"}},
            [[3, "2026-01-31T23:30:00.000Z", 2]],
            id="count of a field, moments, references counted",
        ),
        pytest.param(
            {"measures": {"q": "avg(items.quantity)", "p": "avg(items.price)"}},
            [[2.4, "2.718"]],
            id="averages",
        ),
        pytest.param(
            {"query": "customer{refName:roses}", "groupBy": ["refName"]}, [["a"], ["b"]], id="a relation block"
        ),
        pytest.param(
            {"query": "items.product{tags:red}", "measures": {"n": "count"}}, [[2]], id="through a list"
        ),
        pytest.param(
            {"groupBy": ["customer"], "measures": {"n": "count", "q": "sum(items.quantity)"},
             "having": "q:>5 && customer.entityRefName:^[roses,elms]"},
            [["elms", 2, 6], ["roses", 2, 6]],
            id="having keeps groups",
        ),
        pytest.param(
            {"groupBy": ["refName"], "measures": {"q": "sum(items.quantity)", "n": "count(items.sku)"},
             "having": "q:>$n"},
            None,
            id="an unknown field inside a list",
        ),
        pytest.param(
            {"groupBy": ["refName"], "measures": {"q": "sum(items.quantity)", "n": "count(items.price)"},
             "having": "q:>$n || !!q:<5"},
            [["a", 3, 2], ["b", 3, 1], ["c", 5, 1]],
            id="having compares columns",
        ),
        pytest.param(
            {"groupBy": ["placedAt.by(month) as month"], "having": 'month:>="2026-02"'}, [["2026-02"]],
            id="having on a label",
        ),
        pytest.param({"groupBy": ["placedAt.by(month) as m"], "having": "m:null"}, [[None]], id="having null"),
        pytest.param({"query": "refName:zzz", "groupBy": ["refName"]}, [], id="no groups of nothing"),
        pytest.param(
            {"query": "refName:zzz", "measures": {"n": "count", "s": "sum(items.price)", "a": "max(placedAt)"}},
            [[0, "0", None]],
            id="but one of all",
        ),
        pytest.param(
            {"query": "refName:zzz", "measures": {"n": "count"}, "having": "n:>0"}, [], id="if having keeps it"
        ),
        pytest.param(
            {"query": "refName:zzz", "measures": {"n": "count"}, "skip": 1}, [], id="and nothing behind it"
        ),
        pytest.param(
            {"groupBy": ["refName"], "sort": "-refName", "skip": 1, "limit": 2}, [["c"], ["b"]], id="a page"
        ),
    ],
)  # fmt: skip
def test_rows(aggregate: Aggregate, body: Document, rows: list[Any] | None) -> None:
    if rows is None:
        with pytest.raises(UnknownField):
            aggregate("Order", **body)
        return
    answer = aggregate("Order", **body)
    sort = sorted if body.get("having", "").startswith("q:>5") else list
    assert sort(table(answer)) == rows
    assert answer["rowCount"] == len(rows)


def test_columns_are_named_as_they_were_asked_for(aggregate: Aggregate) -> None:
    answer = aggregate(
        "Order",
        groupBy=["dataDomain.tenantId", "status as state", "placedAt.by(day)"],
        measures={"n": "count"},
        limit=1,
    )
    (row,) = answer.pop("rows")
    assert [*row] == ["dataDomain.tenantId", "state", "placedAt", "n"]
    assert answer == {"offset": 0, "limit": 1, "rowCount": 1, "hasMore": True}


def test_archived_records_are_left_out_unless_named(aggregate: Aggregate) -> None:
    most = {"most": "max(price)", "n": "count"}
    named = "name:^[tulip,vase,gone]"
    assert table(aggregate("Product", measures=most, query=named)) == [["12.90", 2]]
    both = aggregate("Product", measures=most, query="name:^[tulip,vase,gone] && activeStatus:~")
    assert table(both) == [["100.00", 3]]


def test_elements_of_lists_of_text(aggregate: Aggregate) -> None:
    answer = aggregate("Product", groupBy=["tags"], measures={"n": "count"}, query="name:^[tulip,vase]")
    assert table(answer) == [[None, 1], ["cheap", 1], ["red", 1]]


REFUSED: list[tuple[str, dict[str, Any], type[Exception], str]] = [
    ("nothing asked for", {}, InvalidParameter, "name a field in groupBy, or a measure"),
    ("an unknown field", {"groupBy": ["stauts"]}, UnknownField, "did you mean status"),
    ("an unknown field of a measure", {"measures": {"n": "sum(nix)"}}, UnknownField, "nix"),
    ("an object", {"groupBy": ["dataDomain"]}, InvalidParameter, "group by a field in it"),
    ("a list of objects", {"groupBy": ["items"]}, InvalidParameter, "group by a field in it"),
    ("a unit of a text", {"groupBy": ["status.by(month)"]}, InvalidParameter, "status is not a date"),
    ("an unknown unit", {"groupBy": ["placedAt.by(mnth)"]}, InvalidParameter, "mnth is not one of year, quarter, month, week, day, hour; did you mean month?"),
    ("a sum of a text", {"measures": {"n": "sum(status)"}}, InvalidParameter, "status is a string, which has no sum"),
    ("an average of dates", {"measures": {"n": "avg(placedAt)"}}, InvalidParameter, "has no avg"),
    ("a sum of references", {"measures": {"n": "sum(customer)"}}, InvalidParameter, "write countDistinct(customer)"),
    ("an order of objects", {"measures": {"n": "max(auditInfo)"}}, InvalidParameter, "name a field in it"),
    ("an unknown measure", {"measures": {"n": "median(version)"}}, InvalidParameter, "median is not one of count, countDistinct"),
    ("a measure without a field", {"measures": {"n": "sum"}}, InvalidParameter, "sum is of a field"),
    ("no measure", {"measures": {"n": "version + 1"}}, InvalidParameter, "is not a measure"),
    ("no field", {"groupBy": ["status; drop"]}, InvalidParameter, "is not a field"),
    ("an operator", {"groupBy": ["$status"]}, UnknownField, "$status"),
    ("a variable of MongoDB", {"measures": {"n": "max($$ROOT)"}}, UnknownField, "ROOT"),
    ("an operator inside", {"groupBy": ["items.$price"]}, UnknownField, "items.$price"),
    ("a list of which values are counted", {"measures": {"n": "countDistinct(items.product)"}}, InvalidParameter,
     "is in the list items"),
    ("two columns of one name", {"groupBy": ["status", "currency as status"]}, InvalidParameter, "name one with as"),
    ("a measure named as a key", {"groupBy": ["status"], "measures": {"status": "count"}}, InvalidParameter, "with as"),
    ("a name that is none", {"measures": {"$n": "count"}}, ValidationError, "measures"),
    ("a dotted name", {"measures": {"a.b": "count"}}, ValidationError, "measures"),
    ("an unknown zone", {"groupBy": ["status"], "timeZone": "Europe/Amsterdm"}, InvalidParameter, "did you mean"),
    ("a zone that is a path", {"groupBy": ["status"], "timeZone": "../../etc/passwd"}, InvalidParameter, "time zone"),
    ("too many keys", {"groupBy": ["status"] * 9}, ValidationError, "8 items"),
    ("a column that having does not know", {"groupBy": ["status"], "having": "currency:EUR"}, UnknownField,
     "groups of Order have no column currency; the columns are status"),
    ("an internal column", {"groupBy": ["status"], "having": "k0:PENDING"}, UnknownField, "no column k0"),
    ("a type in having", {"measures": {"n": "count"}, "having": "n:many"}, FilterType, "n is an integer"),
    ("a block in having", {"groupBy": ["customer"], "having": "customer{name:x}"}, FilterSyntax, "relation block"),
    ("text search in having", {"groupBy": ["status"], "having": 'text("x")'}, FilterSyntax, "no text index"),
    ("a variable in having", {"groupBy": ["status"], "having": "status:${resourceId}"}, FilterSyntax, "no variable"),
    ("an element match in having", {"measures": {"n": "count"}, "having": "n:{value:1}"}, FilterType, "no elements"),
    ("a sort by a field", {"groupBy": ["status"], "sort": "currency"}, UnknownField, "no column currency"),
    ("a sort by a reference", {"groupBy": ["customer"], "sort": "customer"}, InvalidParameter, "customer.entityRefName"),
    ("a directive in the query", {"groupBy": ["status"], "query": "expand(customer)"}, FilterSyntax, "not expand("),
    ("a quoted path", {"groupBy": ['"status']}, InvalidParameter, "is not a field"),
    ("a mark without a list", {"groupBy": ["[*]status"]}, InvalidParameter, "follows the name of a list"),
    ("a page that is too large", {"groupBy": ["status"], "limit": 1001}, ValidationError, "1000"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("body", "error", "said"), [one[1:] for one in REFUSED], ids=[one[0] for one in REFUSED]
)
def test_refused(aggregate: Aggregate, body: Document, error: type[Exception], said: str) -> None:
    with pytest.raises(error) as caught:
        aggregate("Order", **body)
    assert said in str(caught.value)
    assert "Value error" not in str(caught.value)
    if isinstance(caught.value, ServiceError):
        assert caught.value.status == 400


HIDDEN = [
    {"groupBy": ["customsToken"]},
    {"groupBy": ["customsToken as c"]},
    {"measures": {"n": "count(customsToken)"}},
    {"measures": {"n": "max(customsToken)"}},
    {"groupBy": ["refName"], "having": "customsToken:~"},
    {"groupBy": ["refName"], "sort": "customsToken"},
    {"groupBy": ["refName"], "query": "customsToken:~"},
    {"groupBy": ["refName"], "query": "refName:$customsToken"},
]


@pytest.mark.parametrize("body", HIDDEN, ids=str)
def test_a_hidden_field_is_unknown(aggregate: Aggregate, body: Document) -> None:
    with pytest.raises(UnknownField) as caught:
        aggregate("Shipment", **body)
    assert "customsToken" not in caught.value.details["nearest"]


@pytest.mark.parametrize("body", HIDDEN, ids=str)
def test_so_is_a_withheld_one(world: World, aggregate: Aggregate, body: Document) -> None:
    asked = {name: _renamed(value) for name, value in body.items()}
    with ruled(world, withholding("order", "currency")):
        with pytest.raises(UnknownField):
            aggregate("Order", "acme-user", **asked)
        assert table(aggregate("Order", "acme-user", measures={"n": "count"})) == [[4]]


def _renamed(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _renamed(one) for name, one in value.items()}
    return (
        [_renamed(one) for one in value]
        if isinstance(value, list)
        else value.replace("customsToken", "currency")
    )


def test_withheld_names_are_not_shown(world: World, aggregate: Aggregate) -> None:
    with ruled(world, withholding("customer", "name")):
        answer = aggregate("Order", "acme-user", groupBy=["customer"])
        assert all("entityDisplayName" not in row["customer"] for row in answer["rows"])
        for body in ({"sort": "customer.entityDisplayName"}, {"having": "customer.entityDisplayName:roses"}):
            with pytest.raises(UnknownField):
                aggregate("Order", "acme-user", groupBy=["customer"], **body)
    answer = aggregate("Order", "acme-user", groupBy=["customer"])
    assert all("entityDisplayName" in row["customer"] for row in answer["rows"])


def test_scope_and_rules_hold(world: World, aggregate: Aggregate) -> None:
    count = {"measures": {"n": "count"}}
    assert table(aggregate("Order", "globex", groupBy=["currency"], **count)) == [["GBP", 1]]
    assert table(aggregate("Order", "acme-north", **count)) == [[0]]
    header = {"identity": "user", "area": "logistics", "functionalDomain": "order"}
    with ruled(world, rule(header, filter="currency:USD")):
        assert table(aggregate("Order", "acme-user", groupBy=["currency"], **count)) == [["EUR", 3]]
    with ruled(world, rule(header)), pytest.raises(Denied):
        aggregate("Order", "acme-user", **count)
    with pytest.raises(Denied):
        aggregate("Order", "acme-nobody", **count)


def test_too_many_groups_are_refused_with_advice(
    aggregate: Aggregate, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("grouping", "groups"):
        monkeypatch.setattr(f"runtime.storage.store.{module}.MOST_GROUPS", 3)
    with pytest.raises(TooWide, match="more than 3 groups: narrow the query"):
        aggregate("Order", groupBy=["refName"], limit=1)
    assert len(aggregate("Order", groupBy=["refName"], query="refName:!a")["rows"]) == 3


def test_rows_beyond_sixteen_megabytes_are_refused_with_advice(world: World, aggregate: Aggregate) -> None:
    orders = world.documents["orders"]
    template = orders.find_one({"refName": "a"})
    assert template is not None
    large = [
        template | {"_id": ObjectId(), "refName": f"z{at}", "currency": f"{at}" * 900_000} for at in range(20)
    ]
    orders.insert_many(large)
    try:
        with pytest.raises(TooWide, match="16 MB"):
            aggregate("Order", groupBy=["refName"], measures={"c": "max(currency)"})
        assert len(aggregate("Order", groupBy=["refName"])["rows"]) == 24
    finally:
        orders.delete_many({"refName": {"$regex": "^z"}})


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Pacific/Midway", "UTC", "Africa/Abidjan"])
def test_the_first_and_the_last_day_are_in_every_zone(world: World, aggregate: Aggregate, zone: str) -> None:
    orders = world.documents["orders"]
    moments = datetime(1, 1, 1), datetime(9999, 12, 31, 23, 59, 59, 999000)
    try:
        for name, moment in zip("ab", moments, strict=True):
            orders.update_one({"refName": name}, {"$set": {"placedAt": moment}})
        for unit, first, last in (
            ("year", "0001", "9999"), ("quarter", "0001-Q1", "9999-Q4"), ("month", "0001-01", "9999-12"),
            ("week", "0001-W01", "9999-W52"), ("day", "0001-01-01", "9999-12-31"),
        ):  # fmt: skip
            rows = table(
                aggregate("Order", groupBy=[f"placedAt.by({unit})"], query="refName:^[a,b]", timeZone=zone)
            )
            assert rows == [[first], [last]], unit
    finally:
        for name, moment in zip(
            "ab", (datetime(2026, 1, 31, 23, 30), datetime(2026, 2, 10, 10)), strict=True
        ):
            orders.update_one({"refName": name}, {"$set": {"placedAt": moment}})


def test_dates_without_a_time_are_of_no_zone(world: World, aggregate: Aggregate) -> None:
    made = [
        world.make("Customer", refName=f"s{at}", since=day)
        for at, day in enumerate(("2026-01-01", "2026-12-31"))
    ]
    try:
        for zone in ("UTC", "Pacific/Kiritimati"):
            body = {
                "groupBy": ["since.by(week) as w", "since.by(quarter) as q"],
                "query": "since:~",
                "timeZone": zone,
            }
            assert table(aggregate("Customer", **body)) == [["2026-W01", "2026-Q1"], ["2026-W53", "2026-Q4"]]
        with pytest.raises(InvalidParameter, match=r"write since\.by\(day\)"):
            aggregate("Customer", groupBy=["since.by(hour)"])
    finally:
        for one in made:
            world.ask(f"DELETE /logistics/customers/id/{one['id']}")


def test_dynamic_attributes_and_whole_numbers(world: World, aggregate: Aggregate) -> None:
    def attributes(value: Any) -> Document:
        return {"size": {"unit.price": {"type": "Long", "value": value}}}

    made = [
        world.make("Customer", refName=f"t{at}", dynamicAttributes=attributes(at + 2**53)) for at in range(2)
    ]
    try:
        path = 'dynamicAttributes.size."unit.price"'
        body = {
            "groupBy": [f"{path} as p"],
            "measures": {"s": f"sum({path})"},
            "query": "refName:t*",
            "having": "p:~",
        }
        assert table(aggregate("Customer", **body)) == [[2**53, 2**53], [2**53 + 1, 2**53 + 1]]
        answer = aggregate("Customer", groupBy=[path], query="refName:t*")
        assert [[*row] for row in answer["rows"]] == [[path], [path]]
    finally:
        for one in made:
            world.ask(f"DELETE /logistics/customers/id/{one['id']}")


@pytest.mark.parametrize(("zone", "expected"), [("UTC", 0), ("Europe/Amsterdam", 1)])
def test_query_and_having_have_the_zone_of_the_groups(aggregate: Aggregate, zone: str, expected: int) -> None:
    body = {"query": "refName:a && placedAt:2026-02", "groupBy": ["refName"], "timeZone": zone}
    assert len(table(aggregate("Order", **body))) == expected
    latest = {"groupBy": ["refName"], "measures": {"at": "max(placedAt)"}, "timeZone": zone}
    asked = {"query": "refName:a", "having": "at:2026-02 && at:<now-1d"}
    assert len(table(aggregate("Order", **latest, **asked))) == expected


CUT = frozenset({"place.inside.door", "customer.entityRefName"})


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("place.zz", "Parcel has no field place.zz; the fields of place are city and street"),
        ("place.insid", "Parcel has no field place.insid; the fields of place are city and street"),
        ("place.inside", "Parcel has no field place.inside; the fields of place are city and street"),
        ("place.inside.zz", "Parcel has no field place.inside.zz; the only field of place.inside is floor"),
        ("plac", "Parcel has no field plac"),
        ("custome", "Parcel has no field custome; did you mean customer?"),
    ],
)
def test_an_object_with_a_hidden_part_is_not_suggested(path: str, message: str) -> None:
    with pytest.raises(UnknownField) as caught:
        plan_groups(PARCEL, CUT, AggregateBody.model_validate({"groupBy": [path]}), 10, Moment.now())
    assert caught.value.message == message
    assert caught.value.details["parameter"] == "groupBy[0]"
