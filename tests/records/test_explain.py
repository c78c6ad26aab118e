"""What MongoDB does for a list: every declared index serves filtering by it and sorting by it, and a page far
behind costs what the first one costs. Read from the profiler, hence of the commands that really are sent.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any
from uuid import uuid4

import orjson
import pytest
from pymongo import MongoClient
from pymongo.database import Database

from generated.app import ROUTERS
from generated.record_types import CATALOG
from runtime.call import Call
from runtime.contract.pages import CountParameters, FindBody, ReferenceParameters
from runtime.model.record_type import Index, RecordType
from runtime.records import count_records, list_records, list_references
from runtime.storage.indexes import plan_index_models
from tests.records.conftest import Caller
from tests.records.rows import ROW, Document, keys_of, literal, some_documents, value_at

pytestmark = pytest.mark.anyio

RECORDS = 480
"""Of each of three tenants: several times as many as a page far behind may read."""
LIMIT, MANY = 20, 400
FEW_KEYS = LIMIT + 1 + 3
"""A page and one row more, and where the scan begins and ends."""

ROUTES = {getattr(route, "path", "") for router in ROUTERS for route in router.routes}
KINDS: list[RecordType[Any]] = [*(kind for kind in CATALOG if f"{kind.base_path}/list" in ROUTES), ROW]


def _is_promised(kind: RecordType[Any], index: Index) -> bool:
    """Indexes of the whole realm find credentials and let records expire: lists are those of a tenant."""
    return not index.per_realm


INDEXES = [
    pytest.param(kind, index, id=f"{kind.name}-{keys_of(index, kind)}")
    for kind in KINDS
    for index in (*kind.indexes, Index((("refName", 1),)), Index((("id", -1),)))
    if _is_promised(kind, index)
]
SORTED = [
    case for case in INDEXES
    if not any(case.values[0].field_at(path).kind == "list" for path, _direction in case.values[1].keys)
]  # fmt: skip


@pytest.fixture(scope="module")
def filled(mongo_client: MongoClient[Document]) -> Iterator[Database[Document]]:
    """A realm with some thousand records of every type, its indexes made, its commands recorded."""
    database = mongo_client[f"test-{uuid4().hex[:12]}"]
    for kind in KINDS:
        database[kind.collection].create_indexes(plan_index_models(kind))
        database[kind.collection].insert_many(list(some_documents(kind, RECORDS)))
    database.command("profile", 2)
    yield database
    database.command("profile", 0)
    mongo_client.drop_database(database.name)


@pytest.fixture
def call(caller: Caller, filled: Database[Document]) -> Call:
    """An administrator of acme, in the filled realm."""
    return caller("acme", filled.name, roles=frozenset({"admin"}))


async def listed(call: Call, kind: RecordType[Any], **asked: Any) -> Document:
    """A page."""
    page: Document = orjson.loads((await list_records(call, kind, FindBody(limit=LIMIT, **asked))).body)
    return page


@dataclass(frozen=True)
class Seen:
    """What MongoDB did for the last command on a collection: the stages of its plan, and what it read."""

    stages: set[str]
    keys: int
    documents: int

    @classmethod
    def last(cls, database: Database[Document], kind: RecordType[Any]) -> Seen:
        wanted = {"ns": f"{database.name}.{kind.collection}"}
        entry = database["system.profile"].find_one(wanted, sort=[("$natural", -1)])
        assert entry is not None
        assert entry["op"] != "getmore", "a page is one command"
        asked = {name: value for name, value in entry["command"].items() if name in ASKED}
        plan = database.command("explain", asked, verbosity="queryPlanner")
        return cls(set(_stages(plan)), entry["keysExamined"], entry["docsExamined"])


ASKED = (
    "find",
    "aggregate",
    "filter",
    "pipeline",
    "sort",
    "projection",
    "skip",
    "limit",
    "cursor",
    "collation",
)


def _stages(plan: Any) -> Iterator[str]:
    """The stages of the plans that were chosen, of every pipeline in a command."""
    if isinstance(plan, dict):
        yield from [plan["stage"]] if isinstance(plan.get("stage"), str) else []
        yield from ["SORT"] if "$sort" in plan else []
        below = [value for name, value in plan.items() if name not in ("rejectedPlans", "command")]
    else:
        below = plan if isinstance(plan, list) else []
    for one in below:
        yield from _stages(one)


def assert_indexed(seen: Seen, *, may_sort: bool = False, keys: int | None = FEW_KEYS) -> None:
    """No collection scan, no sort in memory, no more keys and records read than these."""
    assert seen.stages & {"IXSCAN", "COUNT_SCAN"}, seen
    assert "COLLSCAN" not in seen.stages, seen
    assert may_sort or "SORT" not in seen.stages, seen
    if keys is not None:
        assert max(seen.keys, seen.documents) <= keys, seen


def reversed_order(sort: str) -> str:
    return ",".join(key[1:] if key.startswith("-") else f"-{key}" for key in sort.split(","))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
async def test_the_default_order(call: Call, filled: Database[Document], kind: RecordType[Any]) -> None:
    page = await listed(call, kind)
    assert page["rowCount"] == LIMIT
    assert_indexed(Seen.last(filled, kind))
    await listed(call, kind, cursor=page["nextCursor"])
    assert_indexed(Seen.last(filled, kind))


@pytest.mark.parametrize(("kind", "index"), SORTED)
async def test_an_order_is_read_from_its_index(
    call: Call, filled: Database[Document], kind: RecordType[Any], index: Index
) -> None:
    for sort in (keys_of(index, kind), reversed_order(keys_of(index, kind))):
        page = await listed(call, kind, sort=sort)
        assert page["rowCount"] == LIMIT
        assert_indexed(Seen.last(filled, kind))


@pytest.mark.parametrize(("kind", "index"), SORTED)
@pytest.mark.parametrize("at", [LIMIT, RECORDS - LIMIT], ids=["second", "last"])
async def test_a_page_far_behind_reads_no_more_than_the_first(
    call: Call, filled: Database[Document], kind: RecordType[Any], index: Index, at: int
) -> None:
    """Each range behind the row reads a page at most, wherever the row is."""
    ranges = len(index.keys) + 1
    for sort in (keys_of(index, kind), reversed_order(keys_of(index, kind))):
        before = orjson.loads(
            (await list_records(call, kind, FindBody(skip=at - 1, limit=1, sort=sort))).body
        )
        page = await listed(call, kind, sort=sort, cursor=before["nextCursor"])
        assert page["rowCount"] == LIMIT
        assert_indexed(Seen.last(filled, kind), keys=ranges * FEW_KEYS)
        skipped = await listed(call, kind, sort=sort, skip=at)
        assert page["rows"] == skipped["rows"]
        assert page["offset"] == skipped["offset"] == at


@pytest.mark.parametrize(("kind", "index"), INDEXES)
async def test_equality_is_found_by_its_index(
    call: Call, filled: Database[Document], kind: RecordType[Any], index: Index
) -> None:
    """On the first field and on all of them; behind an equality on its one field an index has the default order."""
    paths = [path for path, _direction in index.keys]
    wanted = filled[kind.collection].find_one(
        {"dataDomain.tenantId": "acme", **{"_id" if path == "id" else path: {"$ne": None} for path in paths}}
    )
    assert wanted is not None
    values = [
        literal(kind, path, wanted["_id"] if path == "id" else value_at(wanted, path)) for path in paths
    ]
    for asked in (values[:1], values):
        page = await listed(call, kind, filter=" && ".join(asked))
        assert page["rowCount"] > 0
        seen = Seen.last(filled, kind)
        if index.unique or paths == ["refName"]:
            assert_indexed(seen, may_sort=True, keys=1)  # in memory, but at most one record
        elif len(paths) == 1:
            assert_indexed(seen)
        else:
            assert_indexed(seen, may_sort=True, keys=None)


def _sorts_behind_its_first(kind: RecordType[Any], index: Index) -> bool:
    """An index by language serves the orders that have its mark."""
    others = replace(index, keys=index.keys[1:])
    return not index.unique and others.keys != () and (not index.language or "~ci" in keys_of(others, kind))


@pytest.mark.parametrize(
    ("kind", "index"), [case for case in SORTED if _sorts_behind_its_first(*case.values)]
)
async def test_the_first_field_filters_and_the_others_sort(
    call: Call, filled: Database[Document], kind: RecordType[Any], index: Index
) -> None:
    (first, _direction), *_ = index.keys
    others = replace(index, keys=index.keys[1:])
    wanted = filled[kind.collection].find_one({"dataDomain.tenantId": "acme", first: {"$ne": None}})
    assert wanted is not None
    chosen = literal(kind, first, value_at(wanted, first))
    await listed(call, kind, filter=chosen, sort=keys_of(others, kind))
    assert_indexed(Seen.last(filled, kind))


@pytest.mark.parametrize(
    "sort",
    ["name~nullslast", "-count~nullsfirst", "name~ci~nullslast", "-place.city~ci:sv~nullsfirst,count"],
)
async def test_nulls_at_the_other_end_are_read_from_the_index_too(
    call: Call, filled: Database[Document], sort: str
) -> None:
    nulls = filled["rows"].count_documents(
        {"dataDomain.tenantId": "acme", sort.strip("-").partition("~")[0]: None}
    )
    assert nulls > LIMIT
    whole = await list_records(call, ROW, FindBody(limit=MANY, sort=sort))  # too many for the first range
    rows: list[Document] = orjson.loads(whole.body)["rows"]
    for at in (0, LIMIT, MANY - LIMIT):
        page = await listed(call, ROW, sort=sort, skip=at)
        assert page["rows"] == rows[at : at + LIMIT]
        cursor = page["nextCursor"]
        page = await listed(call, ROW, sort=sort, cursor=cursor)
        assert_indexed(Seen.last(filled, ROW), keys=4 * FEW_KEYS)
        assert page["rows"] == rows[at + LIMIT : at + 2 * LIMIT] or at == MANY - LIMIT
    await listed(call, ROW, sort=sort)
    assert_indexed(Seen.last(filled, ROW), keys=2 * FEW_KEYS)


async def test_references_and_counts_are_read_the_same_way(call: Call, filled: Database[Document]) -> None:
    await list_references(call, ROW, ReferenceParameters(sort="name", limit=LIMIT))
    assert_indexed(Seen.last(filled, ROW))
    await count_records(call, ROW, CountParameters(filter='name:"text 1"'))
    assert_indexed(Seen.last(filled, ROW), keys=RECORDS // 20)


async def test_what_no_index_serves_is_seen_here(call: Call, filled: Database[Document]) -> None:
    """The proof that the checks above can fail."""
    await listed(call, ROW, sort="ratio")
    with pytest.raises(AssertionError):
        assert_indexed(Seen.last(filled, ROW), keys=None)
    filled["rows"].find_one({"ratio": 1})
    with pytest.raises(AssertionError):
        assert_indexed(Seen.last(filled, ROW), may_sort=True, keys=None)
