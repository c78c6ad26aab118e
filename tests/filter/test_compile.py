"""Tree + record type → match: every row of the filter language that is about meaning."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from bson import Decimal128, ObjectId
from bson.regex import Regex
from pydantic import create_model

from runtime.errors import FilterSyntax, FilterType, RequestError, UnknownField
from runtime.filter import (
    NOTHING,
    Predicate,
    Undecidable,
    by_ids,
    compile_filter,
    compile_rule_filter,
    match_values,
    named_fields,
    parse_filter,
)
from runtime.filter.compiler import CACHED_FILTERS, CACHED_TEXT, _prepare_once
from runtime.filter.syntax import EdgeKind
from runtime.model.record import Record, RecordInput, Strict
from tests.filter.sample import OID, SHIPMENT, WITHOUT_TEXT


def span(first: tuple[int, int, int], last: tuple[int, int, int]) -> dict[str, Any]:
    return {"$gte": utc(*first), "$lte": utc(*last, 23, 59, 59, 999000)}


def utc(year: int, month: int, day: int, *time: int) -> datetime:
    return datetime(year, month, day, *time, tzinfo=UTC)


DAY = {"$gte": utc(2026, 1, 2), "$lte": utc(2026, 1, 2, 23, 59, 59, 999000)}


@pytest.mark.parametrize(
    ("text", "match"),
    [
        pytest.param("name:x", {"name": {"$eq": "x"}}, id="equals"),
        pytest.param("name:!x", {"name": {"$ne": "x"}}, id="not equals, a missing field included"),
        pytest.param("qty:<5", {"qty": {"$lt": 5}}, id="less"),
        pytest.param("qty:<=5", {"qty": {"$lte": 5}}, id="less or equal"),
        pytest.param("qty:>5", {"qty": {"$gt": 5}}, id="greater"),
        pytest.param("qty:>=-5", {"qty": {"$gte": -5}}, id="greater or equal"),
        pytest.param("qty:^[1,#2,##3e0]", {"qty": {"$in": [1, 2, 3]}}, id="in"),
        pytest.param("qty:!^[1]", {"qty": {"$nin": [1]}}, id="not in"),
        pytest.param("qty:^[]", {"qty": {"$in": []}}, id="in nothing"),
        pytest.param("qty:~", {"qty": {"$ne": None}}, id="exists: present and not null"),
        pytest.param("!!qty:~", {"$nor": [{"qty": {"$ne": None}}]}, id="does not exist"),
        pytest.param("qty:null", {"qty": {"$eq": None}}, id="null or missing"),
        pytest.param("qty:!null", {"qty": {"$ne": None}}, id="not null"),
        pytest.param("qty:^[null,1]", {"qty": {"$in": [None, 1]}}, id="null in a list"),
        pytest.param('name:"null"', {"name": {"$eq": "null"}}, id="quoted null is text"),
        pytest.param("name:true", {"name": {"$eq": "true"}}, id="true on a text field is text"),
        pytest.param("active:true", {"active": {"$eq": True}}, id="true on a boolean"),
        pytest.param(f"name:{OID}", {"name": {"$eq": OID}}, id="24 hex digits on a text field are text"),
        pytest.param(f"owner:{OID}", {"owner": {"$eq": ObjectId(OID)}}, id="24 hex digits on an id field"),
        pytest.param(f"id:{OID.upper()}", {"_id": {"$eq": ObjectId(OID)}}, id="id is _id in the store"),
        pytest.param("name:5", {"name": {"$eq": "5"}}, id="digits on a text field are text"),
        pytest.param("weight:5", {"weight": {"$eq": 5.0}}, id="number"),
        pytest.param("price:##19.90", {"price": {"$eq": Decimal128("19.90")}}, id="decimal"),
        pytest.param("born:2026-01-02", {"born": {"$eq": "2026-01-02"}}, id="local dates are text"),
        pytest.param("born:>2026-01-02", {"born": {"$gt": "2026-01-02"}}, id="local dates in order"),
        pytest.param("placed:2026-01-02", {"placed": DAY}, id="a day"),
        pytest.param("placed:2026-01", {"placed": span((2026, 1, 1), (2026, 1, 31))}, id="a month"),
        pytest.param("placed:2024-02", {"placed": span((2024, 2, 1), (2024, 2, 29))}, id="a leap month"),
        pytest.param("placed:9999", {"placed": span((9999, 1, 1), (9999, 12, 31))}, id="the last year"),
        pytest.param(
            "placed:!2026", {"placed": {"$not": span((2026, 1, 1), (2026, 12, 31))}}, id="not that year"
        ),
        pytest.param("placed:>=2026-03", {"placed": {"$gte": utc(2026, 3, 1)}}, id="from a month on"),
        pytest.param("placed:<2026", {"placed": {"$lt": utc(2026, 1, 1)}}, id="before a year"),
        pytest.param(
            "born:2026-02", {"born": {"$gte": "2026-02-01", "$lte": "2026-02-28"}}, id="born in a month"
        ),
        pytest.param("born:>2026", {"born": {"$gt": "2026-01-01"}}, id="born after the start of a year"),
        pytest.param(
            "born:!^[2025,2026-01-02]",
            {
                "$nor": [
                    {"born": {"$in": ["2026-01-02"]}},
                    {"born": {"$gte": "2025-01-01", "$lte": "2025-12-31"}},
                ]
            },
            id="none of a year and a day",
        ),
        pytest.param(
            "stamps:2026-01",
            {"stamps": {"$elemMatch": span((2026, 1, 1), (2026, 1, 31))}},
            id="one stamp of a month",
        ),
        pytest.param('labels."unit price":x', {"labels.unit price": {"$eq": "x"}}, id="a key in quotes"),
        pytest.param('meta."a b"."c:d":>5', {"meta.a b.c:d": {"$gt": 5}}, id="keys of what is free-form"),
        pytest.param(
            'dynamicAttributes.set."unit price":5',
            {"dynamicAttributes.set.unit price.value": {"$eq": 5}},
            id="an attribute in quotes",
        ),
        pytest.param("placed:!2026-01-02", {"placed": {"$not": DAY}}, id="not that day"),
        pytest.param("placed:>2026-01-02", {"placed": {"$gt": utc(2026, 1, 2)}}, id="after midnight"),
        pytest.param("placed:<=2026-01-02", {"placed": {"$lte": utc(2026, 1, 2)}}, id="until midnight"),
        pytest.param(
            "placed:9999-12-31",
            {"placed": {"$gte": utc(9999, 12, 31), "$lte": utc(9999, 12, 31, 23, 59, 59, 999000)}},
            id="the last day there is",
        ),
        pytest.param(
            "placed:2026-01-02T04:12:14.1189+02:00",
            {"placed": {"$eq": utc(2026, 1, 2, 2, 12, 14, 118000)}},
            id="a moment, to UTC and milliseconds",
        ),
        pytest.param(
            "placed:^[2026-01-02,2026-01-03T00:00Z]",
            {"$or": [{"placed": {"$in": [utc(2026, 1, 3)]}}, {"placed": DAY}]},
            id="a day in a list is the whole day",
        ),
        pytest.param("placed:!^[2026-01-02]", {"$nor": [{"placed": DAY}]}, id="none of these days"),
        pytest.param("stamps:2026-01-02", {"stamps": {"$elemMatch": DAY}}, id="one stamp of that day"),
        pytest.param(
            "stamps:!2026-01-02", {"$nor": [{"stamps": {"$elemMatch": DAY}}]}, id="no stamp of that day"
        ),
        pytest.param(
            "lines.dueAt:2026-01-02", {"lines": {"$elemMatch": {"dueAt": DAY}}}, id="one line due that day"
        ),
        pytest.param(
            "lines:{dueAt:2026-01-02}", {"lines": {"$elemMatch": {"dueAt": DAY}}}, id="the same, as element"
        ),
        pytest.param("name:J*n", {"name": {"$regex": Regex("^J(?=.{1})(?>.*)(?<=n)", "s")}}, id="wildcards"),
        pytest.param('name:"J*n"', {"name": {"$eq": "J*n"}}, id="stars in quotes are stars"),
        pytest.param("name:!J*", {"name": {"$not": {"$regex": Regex("^J", "s")}}}, id="not like"),
        pytest.param("name:j*~ci", {"name": {"$regex": Regex("^[Jj]", "s")}}, id="wildcards ignoring case"),
        pytest.param('name:"a.b"~ci', {"name": {"$regex": Regex(r"^[Aa]\.[Bb](?!.)", "s")}}, id="~ci"),
        pytest.param("name:a~cs", {"name": {"$eq": "a"}}, id="~cs"),
        pytest.param("name:^[J*,x]", {"name": {"$in": [Regex("^J", "s"), "x"]}}, id="wildcards in a list"),
        pytest.param(
            "status:pending~ci",
            {"status": {"$regex": Regex("^[Pp][Ee][Nn][Dd][Ii][Nn][Gg](?!.)", "s")}},
            id="enum ~ci",
        ),
        pytest.param("tags:a", {"tags": {"$eq": "a"}}, id="any element"),
        pytest.param("tags:!a", {"tags": {"$ne": "a"}}, id="no element"),
        pytest.param("tags:~", {"tags": {"$type": ["array"]}}, id="a list is there"),
        pytest.param("lines.sku:~", {"lines.sku": {"$type": ["string"]}}, id="some line has it"),
        pytest.param("lines.sku:a", {"lines.sku": {"$eq": "a"}}, id="some line"),
        pytest.param(
            "lines:{sku:a && (quantity:>1 || quantity:null)}",
            {
                "lines": {
                    "$elemMatch": {
                        "sku": {"$eq": "a"},
                        "$or": [{"quantity": {"$gt": 1}}, {"quantity": {"$eq": None}}],
                    }
                }
            },
            id="one line all of it",
        ),
        pytest.param(
            "lines:{tags:{value:a}}",
            {"lines": {"$elemMatch": {"tags": {"$elemMatch": {"$eq": "a"}}}}},
            id="element of an element",
        ),
        pytest.param(
            "scores:{value:>1 && value:<=5}",
            {"scores": {"$elemMatch": {"$gt": 1, "$lte": 5}}},
            id="one score",
        ),
        pytest.param("scores:{value:!^[1]}", {"scores": {"$elemMatch": {"$nin": [1]}}}, id="one other score"),
        pytest.param(
            "lines:every{quantity:>0}",
            {"lines": {"$not": {"$elemMatch": {"$nor": [{"quantity": {"$gt": 0}}]}}}},
            id="every line",
        ),
        pytest.param(
            "scores:every{value:>0 && value:!5}",
            {"scores": {"$not": {"$elemMatch": {"$not": {"$gt": 0, "$ne": 5}}}}},
            id="every score",
        ),
        pytest.param(
            "lines:every{tags:every{value:a*} && sku:~}",
            {
                "lines": {
                    "$not": {
                        "$elemMatch": {
                            "$nor": [
                                {
                                    "tags": {"$not": {"$elemMatch": {"$not": {"$regex": Regex("^a", "s")}}}},
                                    "sku": {"$ne": None},
                                }
                            ]
                        }
                    }
                }
            },
            id="every tag of every line",
        ),
        pytest.param(
            "lines.tags:every{value:a}",
            {"lines.tags": {"$not": {"$elemMatch": {"$not": {"$eq": "a"}}}}},
            id="every tag of all lines",
        ),
        pytest.param("lines.size:>3", {"lines.3": {"$exists": True}}, id="more than three lines"),
        pytest.param("lines.size:>=3", {"lines.2": {"$exists": True}}, id="three lines or more"),
        pytest.param("lines.size:<3", {"lines.2": {"$exists": False}}, id="fewer than three lines"),
        pytest.param("lines.size:<=3", {"lines.3": {"$exists": False}}, id="three lines or fewer"),
        pytest.param("lines.size:3", {"lines": {"$size": 3}}, id="three lines"),
        pytest.param("lines.size:!3", {"$nor": [{"lines": {"$size": 3}}]}, id="another number of lines"),
        pytest.param("tags.size:0", {"tags.0": {"$exists": False}}, id="no tags, or none at all"),
        pytest.param("tags.size:<=-1", {"_id": {"$in": []}}, id="a size that no list has"),
        pytest.param("tags.size:#-1", {"_id": {"$in": []}}, id="nor this one"),
        pytest.param("tags.size:>=0", {}, id="a size that every list has"),
        pytest.param(
            "tags.size:^[1,2]",
            {"$or": [{"tags": {"$size": 1}}, {"tags": {"$size": 2}}, {"_id": {"$in": []}}]},
            id="one of these sizes",
        ),
        pytest.param("tags.size:!^[]", {"$nor": [{"$or": [{"_id": {"$in": []}}]}]}, id="none of no sizes"),
        pytest.param("grid.size:2", {"grid": {"$size": 2}}, id="rows of a grid"),
        pytest.param("lines:{tags.size:>=0}", {"lines": {"$elemMatch": {}}}, id="any line, inside of it"),
        pytest.param(
            "lines.tags.size:>=0",
            {
                "$or": [
                    {"lines.tags.0": {"$exists": True}},
                    {"lines": {"$elemMatch": {"tags.0": {"$exists": False}}}},
                ]
            },
            id="any line, of any size",
        ),
        pytest.param("lines.tags.size:>1", {"lines.tags.1": {"$exists": True}}, id="any line has two tags"),
        pytest.param(
            "lines.tags.size:<1",
            {"lines": {"$elemMatch": {"tags.0": {"$exists": False}}}},
            id="any line is without tags",
        ),
        pytest.param(
            "lines:{tags.size:<2}",
            {"lines": {"$elemMatch": {"tags.1": {"$exists": False}}}},
            id="the same in an element",
        ),
        pytest.param("labels.size:x", {"labels.size": {"$eq": "x"}}, id="size is a key of a map"),
        pytest.param("meta.size:5", {"meta.size": {"$eq": 5}}, id="size is a member of what is free-form"),
        pytest.param(
            "address:{city:x && zip:y}",
            {"address.city": {"$eq": "x"}, "address.zip": {"$eq": "y"}},
            id="object",
        ),
        pytest.param("labels.a-b:x", {"labels.a-b": {"$eq": "x"}}, id="key of a map"),
        pytest.param("meta.a.b:5", {"meta.a.b": {"$eq": 5}}, id="free form: whole number"),
        pytest.param("meta.a:5.0", {"meta.a": {"$eq": 5.0}}, id="free form: number"),
        pytest.param("meta.a:false", {"meta.a": {"$eq": False}}, id="free form: boolean"),
        pytest.param('meta.a:"5"', {"meta.a": {"$eq": "5"}}, id="free form: quoted is text"),
        pytest.param("meta:{a:1}", {"meta": {"$elemMatch": {"a": {"$eq": 1}}}}, id="free form: element"),
        pytest.param(
            "dynamicAttributes.set.name:5",
            {"dynamicAttributes.set.name.value": {"$eq": 5}},
            id="dynamic attribute",
        ),
        pytest.param(
            "dynamicAttributes.set.name:2026-03-27",
            {"dynamicAttributes.set.name.value": {"$eq": "2026-03-27"}},
            id="dynamic attribute: a day is that of a Date",
        ),
        pytest.param(
            "dynamicAttributes.set.name.type:Long",
            {"dynamicAttributes.set.name.type": {"$eq": "Long"}},
            id="type of a dynamic attribute",
        ),
        pytest.param(f"customer:@@{OID}", {"customer.entityId": {"$eq": ObjectId(OID)}}, id="reference"),
        pytest.param(
            f"customer:!@@{OID}", {"customer.entityId": {"$ne": ObjectId(OID)}}, id="not that reference"
        ),
        pytest.param("customer:null", {"customer": {"$eq": None}}, id="no reference"),
        pytest.param(
            f"carriers:^[@@{OID},null]",
            {"carriers.entityId": {"$in": [ObjectId(OID), None]}},
            id="references",
        ),
        pytest.param(
            "customer.entityRefName:R-1", {"customer.entityRefName": {"$eq": "R-1"}}, id="by refName"
        ),
        pytest.param(
            "customer:{entityRefName:R}", {"customer.entityRefName": {"$eq": "R"}}, id="in a reference"
        ),
        pytest.param("qty:1 && name:x", {"qty": {"$eq": 1}, "name": {"$eq": "x"}}, id="and of two fields"),
        pytest.param(
            "qty:>1 && qty:<5", {"$and": [{"qty": {"$gt": 1}}, {"qty": {"$lt": 5}}]}, id="and of one"
        ),
        pytest.param("qty:1 || name:x", {"$or": [{"qty": {"$eq": 1}}, {"name": {"$eq": "x"}}]}, id="or"),
        pytest.param("!!qty:1", {"$nor": [{"qty": {"$eq": 1}}]}, id="not"),
        pytest.param(
            'text("red shoes") && qty:1',
            {"$text": {"$search": "red shoes"}, "qty": {"$eq": 1}},
            id="text search",
        ),
        pytest.param(
            "dataDomain.tenantId:acme", {"dataDomain.tenantId": {"$eq": "acme"}}, id="common fields are known"
        ),
    ],
)
def test_filter_compiles_to_match(text: str, match: dict[str, Any]) -> None:
    assert compile_filter(text, SHIPMENT).match == match


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        pytest.param("qty:>abc", 6, "qty is an integer: write qty:>5", id="integer"),
        pytest.param(
            'qty:"5"', 5, "qty is an integer and is written without quotes: write qty:5", id="quotes"
        ),
        pytest.param("qty:5.5", 5, "qty is an integer: write qty:5", id="fraction"),
        pytest.param("qty:^[1,x]", 9, "qty is an integer: write qty:^[5]", id="in a list"),
        pytest.param("qty:#", 5, "qty is an integer: write qty:5", id="no digits"),
        pytest.param("qty:9223372036854775808", 5, "of 64 bits, from -9223372036854775808", id="64 bits"),
        pytest.param("qty:٣", 5, "qty is an integer: write qty:5", id="digits of other scripts"),
        pytest.param("qty:J*", 5, "qty is an integer and takes no wildcards: write qty:5", id="wildcard"),
        pytest.param("qty:5~ci", 5, "qty is an integer and takes no ~ci: write qty:5", id="~ci"),
        pytest.param("placed:2026~ci", 8, "placed is a date-time and takes no ~ci", id="~ci of a year"),
        pytest.param("born:^[2026-03~ci]", 8, "born is a date and takes no ~ci", id="~ci of a month"),
        pytest.param("weight:nan", 8, "weight is a number: write weight:2.5", id="not a number"),
        pytest.param("weight:1e999", 8, "of at most 1.8e308", id="double range"),
        pytest.param("price:1,5", None, "", id="comma"),
        pytest.param(
            "price:##1e9999", 7, "of at most 34 digits, between 1e-6176 and 1e6145", id="decimal range"
        ),
        pytest.param("price:1e-9999", 7, "digits, between 1e-6176 and 1e6145", id="too many decimals"),
        pytest.param("active:yes", 8, "active is a boolean: write active:true", id="boolean"),
        pytest.param(
            "active:>true", 1, "a boolean, which has no order: write active:true", id="order of booleans"
        ),
        pytest.param("born:2026-02-30", 6, "2026-02-30 is not in the calendar", id="impossible date"),
        pytest.param(
            "born:02.01.2026", 6, "born is a date written yyyy-MM-dd: write born:2026-03-27", id="date"
        ),
        pytest.param("placed:2026-13-01", 8, "2026-13-01 is not in the calendar", id="impossible day"),
        pytest.param("placed:2026-01-02T25:00Z", 8, "is not in the calendar", id="impossible hour"),
        pytest.param(
            "placed:2026-01-02T10:00",
            8,
            "needs a zone: write placed:2026-01-02T10:00Z",
            id="date-time without zone",
        ),
        pytest.param(
            "placed:noon", 8, "placed is a date-time: write placed:2026-03-27T04:12:14Z", id="date-time"
        ),
        pytest.param("owner:x", 7, "an object id of 24 hexadecimal digits: write owner:65f0", id="object id"),
        pytest.param(
            "status:PENDNG", 8, "one of PENDING, SHIPPED, DELIVERED: write status:PENDING", id="enum"
        ),
        pytest.param("status:shiped~ci", 8, "one of PENDING, SHIPPED, DELIVERED", id="enum ~ci"),
        pytest.param("name:#5", 6, 'name is text and # makes a number: write name:"5"', id="number on text"),
        pytest.param("name:>J*", 7, "wildcards go with name: and name:!", id="order of patterns"),
        pytest.param("name:>j~ci", 7, "~ci goes with name: and name:!", id="order ignoring case"),
        pytest.param(
            f"customer:>@@{OID}", 1, "has no order: order by customer.entityRefName", id="order of references"
        ),
        pytest.param(
            f"carriers:<=@@{OID}", 1, "has no order: order by carriers.entityRefName", id="and in a list"
        ),
        pytest.param("placed:2026-13", 8, "placed is a date-time", id="no such month"),
        pytest.param("placed:2026-00", 8, "placed is a date-time", id="month 0"),
        pytest.param("placed:<2026-00", 9, "placed is a date-time", id="before month 0"),
        pytest.param("placed:2026-12-00", 8, "2026-12-00 is not in the calendar", id="day 0"),
        pytest.param("placed:2026-00-10", 8, "2026-00-10 is not in the calendar", id="day of month 0"),
        pytest.param("born:^[2026-00]", 8, "born is a date", id="month 0 of a list"),
        pytest.param("born:0000", 6, "born is a date", id="no such year"),
        pytest.param("qty:2026-01", 5, "qty is an integer", id="a month for a number"),
        pytest.param("name:>null", 7, "null has no order: write name:null or name:!null", id="order of null"),
        pytest.param("name:" + "*a" * 129, 6, "with wildcards a text has at most 256", id="pattern length"),
        pytest.param(
            "customer:REF-1",
            10,
            "customer is a reference: write customer.entityRefName:REF-1 (its reference name), or @@ and the id",
            id="reference",
        ),
        pytest.param("customer:#5", 10, "write customer.entityRefName:#5", id="a reference and a number"),
        pytest.param(
            f"customer:{OID}",
            10,
            f"is a reference: write the id as @@{OID}",
            id="a reference and an id without @@",
        ),
        pytest.param(f"carriers:!{OID}", 11, f"write the id as @@{OID}", id="not an id without @@"),
        pytest.param(f"carriers:^[{OID}]", 12, f"write the id as @@{OID}", id="an id of several without @@"),
        pytest.param(
            f'customer:"@@{OID}"',
            10,
            f"write the id as @@{OID}, without quotes",
            id="a reference and a quoted id",
        ),
        pytest.param(
            "customer:@@65f0", 10, "@@ is followed by the id, of 24", id="a reference and half an id"
        ),
        pytest.param("customer:^[REF-1]", 12, "write customer.entityRefName:^[REF-1] (its", id="references"),
        pytest.param("customer:!REF-1", 11, "write customer.entityRefName:!REF-1 (its", id="not a reference"),
        pytest.param(
            "carriers:!^[A, B]", 13, "write carriers.entityRefName:!^[A] (its", id="none of references"
        ),
        pytest.param(
            "customer:>=REF-1", 12, "write customer.entityRefName:>=REF-1 (its", id="a name and behind"
        ),
        pytest.param("customer:!@@65f0", 11, "by name it is customer.entityRefName:!…", id="not half an id"),
        pytest.param(f"name:@@{OID}", 6, "name is text", id="reference on text"),
        pytest.param(
            "address:x", 1, "address is an object: name one of its fields, as in address.", id="object"
        ),
        pytest.param("labels:x", 1, "labels is a map: name one of its keys", id="map"),
        pytest.param("grid:5", 1, "grid is a list of lists", id="list of lists"),
        pytest.param("tags.size:x", 11, "tags.size is an integer: write tags.size:5", id="size of no number"),
        pytest.param("tags.size:1.5", 11, "tags.size is an integer", id="half an element"),
        pytest.param("tags.size:>2*", 12, "wildcards go with", id="an order of sizes with a wildcard"),
        pytest.param("tags.size:null", 1, "write tags.size:0 for a list that is empty", id="no size"),
        pytest.param("tags.size:~", 1, "tags.size is always there", id="a size that is there"),
        pytest.param("tags.size:>$qty", 12, "outside of lists", id="a size and another field"),
        pytest.param("address:every{city:x}", 1, "address is not a list", id="every of an object"),
        pytest.param("labels:every{a:x}", 1, "labels is not a list", id="every of a map"),
        pytest.param("meta:every{a:x}", 1, "meta is not a list", id="every of what is free-form"),
        pytest.param("grid:every{value:5}", 1, "grid is not a list of values", id="every of lists"),
        pytest.param("name:every{value:5}", 1, "name is not a list", id="every of a text"),
        pytest.param(
            "grid:{value:5}", 1, "grid is a list of lists: write grid:~", id="elements of lists of lists"
        ),
        pytest.param(
            "name:{value:5}", 1, "name has no elements to match: write name:value", id="element of text"
        ),
    ],
)
def test_a_value_of_another_type_is_refused_with_advice(text: str, column: int | None, message: str) -> None:
    with pytest.raises(FilterType if column else FilterSyntax) as caught:
        compile_filter(text, SHIPMENT)
    assert message in caught.value.message
    if column:
        details = caught.value.details
        assert details["column"] == column
        assert details["excerpt"].splitlines()[0].startswith(text[:20])
        assert details["field"] == text.split(":")[0]
        assert "expected" in details


def test_a_type_error_names_field_type_and_value() -> None:
    with pytest.raises(FilterType) as caught:
        compile_filter("name:x && qty:>abc", SHIPMENT)
    assert caught.value.message == "qty is an integer: write qty:>5"
    assert caught.value.details == {
        "field": "qty",
        "fieldType": "integer",
        "value": "abc",
        "expected": ["an integer"],
        "column": 16,
        "excerpt": "name:x && qty:>abc\n               ^",
    }


@pytest.mark.parametrize(
    ("text", "nearest"),
    [
        pytest.param("statsu:x", ["status"], id="misspelt"),
        pytest.param("lines.skuu:x", ["sku"], id="misspelt inside"),
        pytest.param("lines:{skuu:x}", ["sku"], id="misspelt in an element"),
        pytest.param("apiToken:x", [], id="hidden"),
        pytest.param("apiTokn:x", [], id="hidden is not suggested"),
        pytest.param("address.secret:x", [], id="hidden inside"),
        pytest.param("address.secre:x", [], id="hidden inside is not suggested"),
        pytest.param("address:{secret:x}", [], id="hidden in an element match"),
        pytest.param("_id:x", ["id"], id="the name in the store"),
        pytest.param("lines:every{skuu:x}", ["sku"], id="misspelt in every element"),
        pytest.param("address:{secret.size:1}", [], id="size of what is hidden"),
        pytest.param("apiToken.size:1", [], id="size of what is hidden, too"),
        pytest.param("name.size:1", [], id="size of a text"),
        pytest.param("qty.size:1", [], id="size of a number"),
        pytest.param("size:1", [], id="size of nothing"),
        pytest.param("name.x:1", [], id="inside text"),
        pytest.param("meta..a:1", [], id="empty step"),
        pytest.param("meta.a.:1", [], id="empty last step"),
        pytest.param("lines.0.sku:1", [], id="index"),
        pytest.param("meta" + ".a" * 65 + ":1", [], id="too deep"),
    ],
)
def test_unknown_and_hidden_fields_look_alike(text: str, nearest: list[str]) -> None:
    with pytest.raises(UnknownField) as caught:
        compile_filter(text, SHIPMENT)
    assert caught.value.details["nearest"] == nearest
    assert caught.value.details["column"] >= 1
    assert "^" in caught.value.details["excerpt"]


@pytest.mark.parametrize("text", ["lines.0.sku:1", "lines:{kind:1}", "lines.kind:1"])
def test_the_few_fields_of_an_object_are_named_where_none_is_near(text: str) -> None:
    with pytest.raises(UnknownField, match=r"; the fields of lines are dueAt, quantity, sku and tags$"):
        compile_filter(text, SHIPMENT)
    with pytest.raises(UnknownField, match=r"; the fields of address are (?!.*secret)"):
        compile_filter("address.kind:1", SHIPMENT)


@pytest.mark.parametrize("name", ["length", "count"])
def test_a_number_of_elements_by_another_name_is_pointed_out(name: str) -> None:
    with pytest.raises(UnknownField, match=r"the number of elements of a list is lines\.size"):
        compile_filter(f"lines.{name}:>3", SHIPMENT)
    with pytest.raises(UnknownField) as caught:
        compile_filter(f"lines.{name}:>3", SHIPMENT, hidden=frozenset({"lines"}))
    assert "size" not in caught.value.message


def test_a_member_of_elements_called_size_wins_hidden_or_not() -> None:
    class Box(Strict):
        size: int | None = None

    fields: dict[str, Any] = {"boxes": (list[Box] | None, None)}
    kind = replace(
        WITHOUT_TEXT,
        model=create_model("Crate", __base__=Record, **fields),
        input=create_model("CrateInput", __base__=RecordInput, **fields),
    )
    assert compile_filter("boxes.size:>3", kind).match == {"boxes.size": {"$gt": 3}}
    with pytest.raises(UnknownField):
        compile_filter("boxes.size:>3", kind, hidden=frozenset({"boxes.size"}))


def test_what_rules_hide_is_unknown_too() -> None:
    compile_filter("lines.sku:x && meta.a:1", SHIPMENT)
    for text in ("lines.sku:x", "meta.a:1", "lines:{sku:x}"):
        with pytest.raises(UnknownField):
            compile_filter(text, SHIPMENT, hidden=frozenset({"lines.sku", "meta"}))


VARIABLES: dict[str, Any] = {
    "ownerId": "u1",
    "resourceId": OID,
    "marked": f"@@{OID}",
    "size": 5,
    "roles": ["user", "admin"],
    "none": [],
    "rAccountId": None,
    "blank": "",
}


@pytest.mark.parametrize(
    ("text", "match"),
    [
        pytest.param("name:${ownerId}", {"name": {"$eq": "u1"}}, id="text"),
        pytest.param("id:${resourceId}", {"_id": {"$eq": ObjectId(OID)}}, id="typed by the field"),
        pytest.param("customer:${resourceId}", {"customer.entityId": {"$eq": ObjectId(OID)}}, id="reference"),
        pytest.param("qty:>${size}", {"qty": {"$gt": 5}}, id="ordering"),
        pytest.param("meta.a:${size}", {"meta.a": {"$eq": 5}}, id="free form keeps the type"),
        pytest.param("name:^[${ownerId},x]", {"name": {"$in": ["u1", "x"]}}, id="in a list"),
        pytest.param("name:^${roles}", {"name": {"$in": ["user", "admin"]}}, id="list"),
        pytest.param("name:!^${roles}", {"name": {"$nin": ["user", "admin"]}}, id="not in a list"),
        pytest.param('name:"${ownerId}"', {"name": {"$eq": "${ownerId}"}}, id="in quotes it is text"),
    ],
)
def test_variables_are_typed_values(text: str, match: dict[str, Any]) -> None:
    assert compile_filter(text, SHIPMENT, VARIABLES).match == match
    assert compile_filter(text, SHIPMENT, VARIABLES, for_rule=True).match == match


def test_an_empty_list_of_a_user_holds_nothing() -> None:
    assert compile_filter("name:^${none}", SHIPMENT, VARIABLES).match == {"name": {"$in": []}}
    assert compile_filter("name:!^${none}", SHIPMENT, VARIABLES).match == {"name": {"$nin": []}}


def test_the_text_of_a_variable_is_never_language() -> None:
    for value in ("x || qty:1", "J*", "null", '"', "${roles}", "$where"):
        assert compile_filter("name:${ownerId}", SHIPMENT, {"ownerId": value}).match == {
            "name": {"$eq": value}
        }


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        pytest.param(
            "name:${ownerid}", FilterSyntax, "no variable ${ownerid}; did you mean ownerId?", id="unknown"
        ),
        pytest.param("name:^${nix}", FilterSyntax, "no variable ${nix}", id="unknown list"),
        pytest.param("qty:${ownerId}", FilterType, "qty is an integer", id="another type"),
        pytest.param("customer:${ownerId}", FilterType, f"write customer.entityId:{OID}", id="no id"),
        pytest.param("customer:!${marked}", FilterType, f"write customer.entityId:!{OID}", id="a marked id"),
        pytest.param(
            "carriers:^[${ownerId}]", FilterType, f"write carriers.entityId:^[{OID}]", id="no id in a list"
        ),
        pytest.param("customer:^${roles}", FilterType, f"write customer.entityId:^[{OID}]", id="no ids"),
        pytest.param("name:${rAccountId}", FilterSyntax, "${rAccountId} has no value", id="without a value"),
        pytest.param("name:!${blank}", FilterSyntax, "${blank} has no value", id="an empty text"),
        pytest.param("name:^[x,${rAccountId}]", FilterSyntax, "${rAccountId} has no value", id="in a list"),
    ],
)
def test_a_variable_without_a_value_is_400_for_users_and_nothing_for_rules(
    text: str, error: type[RequestError], message: str
) -> None:
    with pytest.raises(error) as caught:
        compile_filter(text, SHIPMENT, VARIABLES)
    assert message in caught.value.message
    assert "^" in caught.value.details["excerpt"]
    for around in ("{}", "!!({})", "name:x || {}"):
        assert compile_filter(around.format(text), SHIPMENT, VARIABLES, for_rule=True) == NOTHING
        with pytest.raises(Undecidable):
            compile_rule_filter(around.format(text), SHIPMENT, VARIABLES)


@pytest.mark.parametrize("text", ["name:^${none}", "name:!^${none}", "!!name:^${none}"])
def test_an_empty_list_decides_nothing_in_a_rule(text: str) -> None:
    with pytest.raises(Undecidable, match="none"):
        compile_rule_filter(text, SHIPMENT, VARIABLES)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("name:${roles}", "${roles} is a list: write name:^${roles}", id="list as value"),
        pytest.param("name:^[${roles}]", "${roles} is a list: write name:^${roles}", id="list in a list"),
        pytest.param(
            "name:^${ownerId}", "${ownerId} is one value: write name:${ownerId}", id="value as list"
        ),
        pytest.param("name:${nix} && qty:x", "qty is an integer", id="the rest is checked all the same"),
    ],
)
def test_a_wrong_use_of_a_variable_is_refused_in_rules_too(text: str, message: str) -> None:
    with pytest.raises(FilterType) as caught:
        compile_filter(text, SHIPMENT, VARIABLES, for_rule=True)
    assert message in caught.value.message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param('name:x || text("a")', "as an operand of the outermost &&", id="in or"),
        pytest.param('!!text("a")', "as an operand of the outermost &&", id="in not"),
        pytest.param('address:{text("a")}', "as an operand of the outermost &&", id="in an object"),
        pytest.param('text("a") && text("b")', "may stand once", id="twice"),
        pytest.param(f"hasEdge(p, {OID})", "take no edges", id="edge"),
        pytest.param("scores:{quantity:5}", "join conditions on value with &&", id="field of a plain value"),
        pytest.param(
            "scores:{value:1 || value:2}", "join conditions on value with &&", id="or of plain values"
        ),
        pytest.param(
            "stamps:{value:^[2026-01-01,2026-01-02]}", "stamps:^[2026-01,2026-02] finds", id="days as values"
        ),
        pytest.param("scores:{value:>1 && value:>2}", "each operator once", id="an operator twice"),
    ],
)
def test_what_cannot_stand_there_is_refused(text: str, message: str) -> None:
    with pytest.raises(FilterSyntax) as caught:
        compile_filter(text, SHIPMENT)
    assert message in caught.value.message
    assert "^" in caught.value.details["excerpt"]


def test_text_search_needs_an_index_and_is_not_for_rules() -> None:
    with pytest.raises(FilterSyntax, match="Note has no text index"):
        compile_filter('text("a")', WITHOUT_TEXT)
    for kind in (SHIPMENT, WITHOUT_TEXT):
        with pytest.raises(FilterSyntax, match="not of rules"):
            compile_filter('text("a")', kind, for_rule=True)


@pytest.mark.parametrize("hidden", ["name", "address.city", "address"])
def test_text_search_over_a_withheld_field_is_unknown(hidden: str) -> None:
    kind = replace(SHIPMENT, text=("name", "address.city"))
    for known, unseen in (
        (kind, frozenset({hidden})),
        (replace(kind, hidden=frozenset({hidden})), frozenset()),
    ):
        with pytest.raises(UnknownField) as caught:
            compile_filter('qty:1 && text("a")', known, hidden=unseen)
        told = f"{caught.value.message} {caught.value.details}"
        assert hidden not in told
        assert caught.value.details["column"] == 10
    assert compile_filter('text("a")', kind, hidden=frozenset({"qty", "named"})) != NOTHING


class TestEdges:
    """hasEdge is answered by whoever keeps the edges."""

    def test_the_resolver_is_asked_for_what_matches(self) -> None:
        asked: list[tuple[EdgeKind, str, str]] = []

        def edges(kind: EdgeKind, predicate: str, record_id: str, /) -> Predicate:
            asked.append((kind, predicate, record_id))
            return by_ids([OID])

        text = f"hasOutgoingEdge(ownedBy, ${{resourceId}}) || !!hasEdge(p, @@{OID})"
        found = compile_filter(text, SHIPMENT, VARIABLES, edges=edges)
        ids = {"_id": {"$in": [ObjectId(OID)]}}
        assert found.match == {"$or": [ids, {"$nor": [ids]}]}
        assert asked == [(EdgeKind.OUTGOING, "ownedBy", OID), (EdgeKind.ANY, "p", OID)]

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("hasEdge(p, REF-1)", "a record id of 24 hexadecimal digits"),
            ("hasEdge(p, ${ownerId})", "a record id of 24 hexadecimal digits"),
            (f"lines:{{hasEdge(p, {OID})}}", "about the record, not about a part of it"),
        ],
    )
    def test_other_questions_are_refused(self, text: str, message: str) -> None:
        with pytest.raises(FilterSyntax, match=message):
            compile_filter(text, SHIPMENT, VARIABLES, edges=lambda _kind, _predicate, _id: NOTHING)

    def test_a_rule_about_no_record_matches_nothing(self) -> None:
        found = compile_filter(
            "!!hasEdge(p, ${ownerId})", SHIPMENT, VARIABLES, for_rule=True, edges=lambda _k, _p, _i: NOTHING
        )
        assert found == NOTHING


class TestCache:
    """What is the same for everybody is compiled once; nothing grows without limit."""

    def test_a_filter_without_variables_is_compiled_once(self) -> None:
        text = "name:once && qty:1"
        assert compile_filter(text, SHIPMENT) is compile_filter(text, SHIPMENT)
        assert compile_filter(text, SHIPMENT) is not compile_filter(text, WITHOUT_TEXT)

    def test_one_with_variables_is_bound_each_time(self) -> None:
        text = "name:${ownerId} && qty:2"
        first = compile_filter(text, SHIPMENT, {"ownerId": "a"})
        second = compile_filter(text, SHIPMENT, {"ownerId": "b"})
        assert (first.match["name"], second.match["name"]) == ({"$eq": "a"}, {"$eq": "b"})

    def test_hidden_fields_are_part_of_the_key(self) -> None:
        compile_filter("name:hidden", SHIPMENT)
        with pytest.raises(UnknownField):
            compile_filter("name:hidden", SHIPMENT, hidden=frozenset({"name"}))

    def test_it_is_bounded_and_takes_no_long_texts(self) -> None:
        assert _prepare_once.cache_info().maxsize == CACHED_FILTERS
        before = _prepare_once.cache_info().misses
        compile_filter(f'name:"{"x" * CACHED_TEXT}"', SHIPMENT)
        assert _prepare_once.cache_info().misses == before


def test_a_tree_compiles_like_its_text() -> None:
    assert compile_filter(parse_filter("name:x"), SHIPMENT) == compile_filter("name:x", SHIPMENT)


def test_named_fields_are_told_with_their_elements() -> None:
    text = "a:1 && !!(b.c:~ || d:{e:^[1] && f:{g:2}}) && text(x)"
    assert named_fields(text) == {"a", "b.c", "d", "d.e", "d.f", "d.f.g"}


@pytest.mark.parametrize(
    ("path", "values", "text"),
    [
        ("qty", ["1", "2"], "qty:^[1,2]"),
        ("qty", [], "qty:^[]"),
        ("id", [OID], f"id:^[{OID}]"),
        ("name", ["a||b", "*", "null"], 'name:^["a||b","*","null"]'),
        ("placed", ["2026-01-02T03:04:05Z"], "placed:^[2026-01-02T03:04:05Z]"),
    ],
)
def test_values_at_a_path_mean_what_a_list_means(path: str, values: list[str], text: str) -> None:
    found = match_values(SHIPMENT, path, values, frozenset())
    assert found == compile_filter(text, SHIPMENT)


@pytest.mark.parametrize("path", ["name:1||qty", "name||qty", "(name", "$where", "", "name.", "secret"])
def test_a_path_is_never_more_than_a_path(path: str) -> None:
    with pytest.raises(UnknownField):
        match_values(SHIPMENT, path, ["1"], frozenset({"secret"}))


def test_a_hidden_path_is_unknown() -> None:
    with pytest.raises(UnknownField):
        match_values(SHIPMENT, "qty", ["1"], frozenset({"qty"}))


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("customer:REF-1", "write @@ and the id"),
        ("customer:@@65f0", "@@ is followed by the id, of 24 hexadecimal digits"),
        (f"customer:>@@{OID}", "customer is a reference, which has no order"),
        ("carriers:!^[A, B]", "write carriers.entityRefName:!^[A] (its reference name), or @@ and the id"),
    ],
)
def test_advice_names_no_member_of_a_reference_that_is_withheld(text: str, advice: str) -> None:
    with pytest.raises(FilterType) as caught:
        compile_filter(text, SHIPMENT, hidden=frozenset({"customer.entityRefName"}))
    assert caught.value.message.endswith(advice)
