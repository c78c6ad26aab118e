"""Hostile text: no exception but the filter errors, no operator we did not write, nothing MongoDB refuses.

10,000 texts in the suite; ``HOSTILE_FILTERS=200000`` (or the nightly profile) for more.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from random import Random
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from bson import encode
from pymongo import MongoClient

from runtime.errors import FilterSyntax, FilterType, InvalidParameter, RequestError, UnknownField
from runtime.filter import (
    Moment,
    Predicate,
    compile_filter,
    parse_filter,
    parse_projection,
    parse_query,
    parse_sort,
    row_order,
    without_collation,
)
from runtime.filter.limits import MAX_BYTES
from tests.filter.sample import OID, SHIPMENT
from tests.filter.test_exact import WITHOUT_CASE
from tests.properties import examples

TEXTS = int(os.environ.get("HOSTILE_FILTERS", examples(10_000, nightly=200_000)))

OPERATORS = {
    *("$and", "$or", "$nor", "$not", "$eq", "$ne", "$gt", "$gte", "$lt", "$lte", "$in", "$nin"),
    *("$regex", "$type", "$elemMatch", "$text", "$search", "$expr", "$exists", "$size"),
}
FRAGMENTS = [
    *(
        ":",
        ":!",
        ":<",
        ":>=",
        ":^",
        ":!^",
        ":~",
        ":{",
        "}",
        "[",
        "]",
        "(",
        ")",
        "!!",
        "&&",
        "||",
        ",",
        '"',
        '""',
    ),
    *(
        "~ci",
        "~cs",
        "~",
        "#",
        "##",
        "#5",
        "##1.5",
        "##1e999999",
        "@@",
        f"@@{OID}",
        OID,
        "${",
        "${ownerId}",
        "${roles}",
    ),
    *(
        "null",
        "true",
        "*",
        "?",
        "*a*",
        " ",
        "\t",
        "\n",
        "\0",
        "\x1b",
        "\ud800",
        "\u2028",
        "é",
        "हि",
        "🚀",
        "\u202e",
    ),
    *(
        "name",
        "qty",
        "placed",
        "lines",
        "lines.sku",
        "meta",
        "meta.a",
        "tags",
        "scores",
        "value",
        "customer",
        "id",
    ),
    *(
        "name:x",
        "qty:>5",
        "placed:2026-01-02",
        "meta.a:5",
        "tags:a",
        "active:true",
        "apiToken:x",
        "price:1.5",
    ),
    *(
        "$where",
        "$gt",
        "$ne:1",
        "{$gt:1}",
        '{"$gt":""}',
        "$",
        "\\",
        "\\u0024",
        "=",
        "'",
        ";",
        "--",
        "/*",
        "%00",
    ),
    *(
        "2026-01-02T10:00:00Z",
        "2026-99-99",
        "9" * 30,
        "1e5",
        "nan",
        "text(",
        'text("a")',
        "hasEdge(",
        "expand(a)",
    ),
    *(
        "fields:[+a]",
        "a.b.c",
        "..",
        "__proto__",
        "constructor",
        "_id",
        "id:",
        "dynamicAttributes.a.b",
        "labels.k",
    ),
    *("now", "now-", "now-7d", "today", "lastWeek", "placed:>=now+1mo", "born:thisYear"),
    *("every{", "lines:every{", "tags.size", ".size", ":every{value:>1}"),
    *("name~ci", "-name~ci:sv", "qty~nullslast", "~nullsfirst", "~ci:", "name~ci,"),
    *("text(re*)", 'text("re"*)', "text(x y*) || ", "!!text(a)", "-score", "text(*)"),
    *("$qty", "<$price", '$labels."a b"', "$name.", "$$ROOT"),
]
FIELDS = ["name", "qty", "meta", "meta.a", "tags", "placed", "labels.k", "dynamicAttributes.a.b", "lines.sku"]
VALUES = [
    *(
        "x",
        "!x",
        "$where",
        '"$where"',
        '"{$gt: 1}"',
        "*",
        "a?*",
        "a*~ci",
        '"\0"',
        '"\0"~ci',
        "^[a,*b*]",
        "!^[]",
        "~",
    ),
    *(
        "5",
        "#5",
        "##1.5",
        ">5",
        "<=2026-01-02",
        "!2026-01-02",
        "^${roles}",
        "${ownerId}",
        "null",
        "हि",
        '"\u202e"',
    ),
    *(
        "(?:x)*",
        "a.b+c",
        "a|b",
        "\\Q*",
        "{a:5}",
        "{$where:1}",
        "{value:x}",
        "true",
        "1e5",
        '""""',
        '"\ud800"',
    ),
    *(">now-7d", "today", "!lastMonth", "now+999999y", "^[today,now]"),
    *("$name", "<$qty", '!$labels."$a"', ">=$placed", '$labels."x.y"', "$meta.a", "$$NOW"),
]
WELL_FORMED = [
    "name:J* && qty:>5 || !!(tags:^[a,b] && active:true)",
    "lines:{sku:a && quantity:>=1} && placed:2026-01-02",
    "lines:every{tags.size:>=1 && sku:a*} || scores:every{value:!5}",
    'qty:<$price || !!(name:$labels."a b")',
    f"customer:@@{OID} && name:^[${{ownerId}},x] && meta.a:~",
]
MOMENT = Moment(datetime(2026, 3, 31, 22, 30, tzinfo=UTC), ZoneInfo("Europe/Berlin"))
VARIABLES: dict[str, Any] = {"ownerId": '{"$gt": ""}', "roles": ["$where", "x"]}


def hostile_texts(random: Random, number: int) -> Iterator[str]:
    """In turn: random fragments, good filters with places spoilt, odd conditions joined."""
    for at in range(number):
        if at % 3 == 0:
            yield "".join(random.choices(FRAGMENTS, k=random.randint(1, 14)))
        elif at % 3 == 1:
            text = random.choice(WELL_FORMED)
            for _ in range(random.randint(1, 3)):
                start = random.randrange(len(text) + 1)
                text = text[:start] + random.choice([*FRAGMENTS, ""]) + text[start + random.randrange(4) :]
            yield text
        else:
            pairs = [f"{random.choice(FIELDS)}:{random.choice(VALUES)}" for _ in range(random.randint(1, 3))]
            yield random.choice([" && ", "||", " && !!"]).join(pairs)


def refusal(read: Callable[[str], Any], text: str) -> RequestError | None:
    """The filter error that reading raises, if any; every other exception fails the test."""
    try:
        read(text)
    except (FilterSyntax, FilterType, UnknownField, InvalidParameter) as error:
        return error
    return None


def operators_in(match: Any) -> set[str]:
    if isinstance(match, dict):
        return {key for key in match if key.startswith("$")}.union(*map(operators_in, match.values()))
    return set().union(*map(operators_in, match)) if isinstance(match, list) else set()


def compiled(text: str) -> Predicate:
    """As a filter of a caller, of which every search inside finds the same records."""
    return compile_filter(text, SHIPMENT, VARIABLES, searches=lambda _search: [OID], moment=MOMENT)


def exact_match(text: str) -> dict[str, Any]:
    """As in a list whose order ignores case."""
    return without_collation(compiled(text).match)


def test_hostile_text_is_refused_or_harmless(mongo_client: MongoClient[dict[str, Any]]) -> None:
    rows = mongo_client["filter-test"]["hostile"]
    rows.create_index([("name", "text")])
    accepted = 0
    for text in hostile_texts(Random(20260327), TEXTS):
        error = refusal(compiled, text)
        if error is not None:
            assert error.details["column"] >= 1, text
            assert "^" in error.details["excerpt"], text
            assert "expected" in error.details, text
            continue
        accepted += 1
        match = compiled(text).match
        assert operators_in(match) <= OPERATORS, text
        encode(match)
        if accepted <= 2000:
            rows.find_one(match)  # MongoDB takes it
            if refusal(exact_match, text) is None:
                rows.find_one(exact_match(text), collation=WITHOUT_CASE)
    assert TEXTS / 10 < accepted < TEXTS / 2, "both what is accepted and what is refused need texts"


def test_hostile_queries_sorts_and_projections_are_refused_or_harmless() -> None:
    for text in hostile_texts(Random(7), TEXTS // 5):
        refusal(parse_query, text)
        refusal(lambda text: parse_sort(text, SHIPMENT), text)
        refusal(lambda text: row_order(text, SHIPMENT, frozenset(), in_one_tenant=True), text)
        refusal(lambda text: parse_projection(text, SHIPMENT), text)


B = MAX_BYTES
LARGE = {
    "brackets": "(" * B,
    "closing brackets": ")" * B,
    "negations": "!!" * (B // 2),
    "conjunctions": "qty:1&&" * (B // 7),
    "most conditions": "||".join(f"name:{'x' * 100}" for _ in range(151)),
    "elements": "lines:{" * (B // 7),
    "one word": "a" * B,
    "many words": "name:" + "a " * (B // 2 - 3),
    "quotes": 'name:"' + '"' * (B - 7),
    "open quotes": 'name:"' + "a" * (B - 7),
    "a full list": "qty:^[" + ",".join(["1234567890123"] * 1000) + "]",
    "too full a list": "qty:^[" + "1," * 8000 + "]",
    "open list": "qty:^[" + "[" * (B - 7),
    "quotes in a list": "name:^[" + '"a",' * 4000,
    "stars": "name:" + "*a" * (B // 2 - 3),
    "a path": "meta" + ".a" * (B // 2 - 4) + ":1",
    "path marks": "expand(a" + "[*]" * 5000,
    "fields": "fields:[" + "a," * 8000 + "]",
    "digits": "qty:" + "9" * (B - 4),
    "exponent": "qty:##1e999999",
    "blanks": " " * (B - 3) + "a:",
    "blanks inside": "name:a" + " \t" * (B // 2 - 8) + "&&",
    "line breaks": "\n" * (B - 4) + "a:1)",
    "a moment": "placed:2026-01-02T10:" + "1" * (B - 30),
    "marks": "#" * B,
    "searches": "text(a)||" * (B // 9),
    "beginnings": "text(" + "a* " * (B // 3 - 3) + ")",
    "a beginning": "text(" + "a" * (B - 8) + "*)",
    "pairs": "()" * (B // 2),
    "signs in front of an opening brace": "name:>" + "+" * (B - 9) + " {",
    "signs in front of a closing brace": "name:>" + "+" * (B - 9) + " }",
    "a day in front of a colon": "placed:" + "2026-01-02 " * (B // 11 - 2) + "1:",
    "blanks in front of a bracket": "name:" + " " * (B - 8) + "*(",
}


@pytest.mark.parametrize("text", LARGE.values(), ids=LARGE.keys())
def test_no_large_text_is_expensive(text: str) -> None:
    """Some 5 ms at most; the bound here is loose, since machines are shared."""
    assert len(text) <= B
    start = time.process_time()
    error = refusal(lambda text: compile_filter(parse_filter(text), SHIPMENT), text)
    assert time.process_time() - start < 0.5
    assert error is None or len(error.message) < 1000


def test_the_deepest_filter_fits_mongodb(mongo_client: MongoClient[dict[str, Any]]) -> None:
    """Every level an ``||`` inside an ``&&`` inside a bracket, the worst a level can be."""
    plain = "qty:1"
    for _ in range(32):
        plain = f"qty:1 || qty:2 && ({plain})"
    element = "qty:1"
    for _ in range(16):
        element = f"qty:1 || qty:2 && !!({element})"
    free = "a:1"
    for _ in range(32):
        free = f"a:{{a:1 || b:2 && {free}}}"
    every = "quantity:1"
    for _ in range(14):
        every = f"quantity:1 || quantity:2 && !!({every})"
    every = f"lines:every{{{every}}}"
    for text in (plain, element, f"meta.{free}", every):
        match = compile_filter(text, SHIPMENT).match
        scoped = {"$and": [{"$and": [{"$or": [match]}]}, {"dataDomain.tenantId": "a"}]}
        mongo_client["filter-test"]["deep"].find_one(scoped)
