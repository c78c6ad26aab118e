"""Lists in orders with marks: the pages put together are the whole list, as a plain interpreter orders it.

The interpreter knows the few letters that the records have: MongoDB asks ICU.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cmp_to_key
from random import Random
from typing import Any

import orjson
import pytest
from bson import ObjectId
from pymongo import MongoClient

from runtime.call import Call
from runtime.contract.csv import ExportParameters
from runtime.contract.pages import CountParameters, FindBody, ReferenceParameters
from runtime.errors import InvalidParameter
from runtime.filter import compile_filter
from runtime.records import count_records, list_records, list_references
from runtime.storage.indexes import plan_index_models
from runtime.transfer import export_csv
from tests.records.conftest import Caller
from tests.records.rows import ROW, Document, value_at

pytestmark = pytest.mark.anyio

NAMES = [
    None,
    "",
    " ",
    "1",
    "10",
    "2",
    "a",
    "A",
    "aa",
    "ä",
    "Ä",
    "az",
    "AZ",
    "b",
    "Bä",
    "ba",
    "é",
    "e",
    "ö",
    "Z",
]
FIELDS: dict[str, list[Any]] = {
    "name": NAMES,
    "code": [name for name in NAMES if name is not None],
    "place.city": NAMES,
    "count": [None, 1, 2],
    "active": [None, True, False],
}
TEXTS = ("name", "code", "place.city", "refName")
BASES = {"ä": "a", "ö": "o", "é": "e"}
ACCENTS = {"é": 1, "ä": 2, "ö": 2}
BEHIND_Z = {"ä": "z1", "ö": "z2"}


def collated(text: str, language: str) -> tuple[list[str], list[int]]:
    """The two levels that an order without case compares: letters, then accents."""
    letters = text.lower()
    own = BEHIND_Z if language == "sv" else {}
    return (
        [own.get(one, BASES.get(one, one)) for one in letters],
        [0 if one in own else ACCENTS.get(one, 0) for one in letters],
    )


def compare(sort: str) -> Callable[[Document, Document], int]:
    """The order of two stored records."""

    def key_of(entry: str, document: Document) -> tuple[int, bool, bool, Any]:
        path, *marks = entry.lstrip("-").split("~")
        direction = -1 if entry.startswith("-") else 1
        value = document["_id"] if path == "id" else value_at(document, path)
        nulls_last = "nullslast" in marks or ("nullsfirst" not in marks and direction < 0)
        language = next((mark.partition(":")[2] or "en" for mark in marks if mark.startswith("ci")), None)
        comparable = collated(value, language) if isinstance(value, str) and language else value
        return direction, value is None, nulls_last, comparable

    def compared(left: Document, right: Document) -> int:
        entries = [*sort.split(","), "-id" if sort.split(",")[-1].startswith("-") else "id"]
        for entry in entries:
            (direction, is_null, nulls_last, one), (_, other_null, _, other) = (
                key_of(entry, document) for document in (left, right)
            )
            if is_null != other_null:
                return 1 if is_null == nulls_last else -1
            if not is_null and one != other:
                return direction if one > other else -direction
        return 0

    return compared


def random_documents(random: Random) -> Iterator[Document]:
    """Records of two tenants whose names differ in case alone."""
    for at in range(random.randrange(60)):
        tenant = random.choice(["acme", "acme", "ACME"])
        document: Document = {"_id": ObjectId(), "refName": f"{random.choice('aAbBäÄ')}-{at}", "version": 1}
        document |= {"activeStatus": "ACTIVE", "dataDomain": {"tenantId": tenant, "dataSegment": 0}}
        for path, values in FIELDS.items():
            value = random.choice(values)
            parent, _, last = path.rpartition(".")
            if path == "code":
                value = f"{value}-{at}"
            if value is not None or random.random() < 0.5:
                (document.setdefault(parent, {}) if parent else document)[last] = value
        yield document


def random_sort(random: Random) -> str:
    language = random.choice([None, "~ci", "~ci", "~ci:sv", "~ci:de"])
    paths = random.sample([*FIELDS, "refName"], random.randrange(1, 4))
    nulls = ["", "~nullsfirst", "~nullslast"]
    return ",".join(
        random.choice(["", "-"])
        + path
        + (language if language and path in TEXTS else "")
        + random.choice(nulls)
        for path in paths
    )


async def walk(call: Call, limit: int, **asked: Any) -> list[str]:
    """The ids of all pages, one cursor after the other."""
    found: list[str] = []
    cursor: str | None = None
    while True:
        body = FindBody(limit=limit, cursor=cursor, **asked)
        page = orjson.loads((await list_records(call, ROW, body)).body)
        assert page["offset"] == len(found)
        found += [row["id"] for row in page["rows"]]
        cursor = page.get("nextCursor")
        if cursor is None:
            return found


FILTERS = [None, "name:!a", 'name:>"a"', "name:^[a,A,b] || count:1", "!!name:Bä", "active:~ && !!code:*1*"]


@pytest.mark.parametrize("seed", range(25))
@pytest.mark.parametrize("is_indexed", [False, True], ids=["unindexed", "indexed"])
async def test_the_pages_are_the_whole_list_in_order(
    caller: Caller, mongo_client: MongoClient[Document], realm: str, seed: int, is_indexed: bool
) -> None:
    random = Random(seed)
    documents = list(random_documents(random))
    rows = mongo_client[realm]["rows"]
    if is_indexed:
        rows.create_indexes(plan_index_models(ROW))
    if documents:
        rows.insert_many(documents)
    call = caller("acme")
    own = [one for one in documents if one["dataDomain"]["tenantId"] == "acme"]
    indexed = ["name~ci", "-name~ci~nullsfirst", "place.city~ci:sv~nullslast,-count", "count~nullslast"]
    for sort in [*(random_sort(random) for _each in range(5)), random.choice(indexed)]:
        text = random.choice(FILTERS)
        matching = own
        if text is not None:
            match = compile_filter(text, ROW).match
            ids = {row["_id"] for row in rows.find(match, {"_id": 1})}
            matching = [one for one in own if one["_id"] in ids]
        expected = [str(one["_id"]) for one in sorted(matching, key=cmp_to_key(compare(sort)))]
        asked = {"sort": sort, "filter": text}
        assert await walk(call, random.randrange(1, 8), **asked) == expected, asked
        skip = random.randrange(5)
        page = orjson.loads((await list_records(call, ROW, FindBody(skip=skip, limit=1000, **asked))).body)
        assert [row["id"] for row in page["rows"]] == expected[skip:], asked
        references = await list_references(call, ROW, ReferenceParameters(limit=1000, **asked))
        assert [row["entityId"] for row in orjson.loads(references.body)] == expected, asked
        assert await exported(call, **asked) == expected, asked
        counted = await count_records(call, ROW, CountParameters(filter=text))
        assert orjson.loads(counted.body) == {"count": len(expected)}


async def exported(call: Call, **asked: Any) -> list[str]:
    query = ExportParameters.model_validate(
        {"requestedColumns": "id", "prependHeaderRow": "false", "length": "-1", **asked}
    )
    streamed = await export_csv(call, ROW, query)
    text = bytes(streamed.first) + b"".join([bytes(part) async for part in streamed.rest])
    return text.decode().split()


async def test_a_cursor_belongs_to_its_marks(
    caller: Caller, mongo_client: MongoClient[Document], realm: str
) -> None:
    mongo_client[realm]["rows"].insert_many(random_documents(Random(3)))
    call = caller("acme")
    sorts = ["name", "name~ci", "name~ci:sv", "name~nullslast", "name~ci~nullslast"]
    for sort in sorts:
        page = orjson.loads((await list_records(call, ROW, FindBody(limit=1, sort=sort))).body)
        for other in sorts:
            body = FindBody(limit=1, sort=other, cursor=page["nextCursor"])
            if other == sort:
                await list_records(call, ROW, body)
            else:
                with pytest.raises(InvalidParameter, match="another filter or sort"):
                    await list_records(call, ROW, body)
