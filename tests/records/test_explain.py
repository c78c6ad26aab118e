"""What MongoDB does for a list: every declared index serves filtering by it and sorting by it, and a page far
behind costs what the first one costs. Read from the profiler, hence of the commands that really are sent.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import orjson
import pytest
from pymongo import MongoClient
from pymongo.database import Database

from generated.app import ROUTERS
from generated.record_types import CATALOG
from runtime.call import Call
from runtime.indexes import planned
from runtime.record_type import Index, RecordType
from runtime.records import count_records, list_records, list_references
from runtime.records.queries import CountParameters, FindBody, ReferenceParameters
from tests.records.conftest import Caller
from tests.records.rows import ROW, Document, keys_of, literal, some_documents, value_at

pytestmark = pytest.mark.anyio

RECORDS = 1500
"""Of each of three tenants."""
LIMIT = 20
FEW_KEYS = LIMIT + 1 + 12
"""A page and one row more, and where each of the ranges begins that a cursor has."""

ROUTES = {getattr(route, "path", "") for router in ROUTERS for route in router.routes}
KINDS: list[RecordType[Any]] = [*(kind for kind in CATALOG if f"{kind.base_path}/list" in ROUTES), ROW]


def _is_promised(kind: RecordType[Any], index: Index) -> bool:
    """Indexes of the whole realm find credentials and let records expire: lists are those of a tenant."""
    return not index.per_realm


INDEXES = [
    pytest.param(kind, index, id=f"{kind.name}-{keys_of(index)}")
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
        database[kind.collection].create_indexes(planned(kind))
        database[kind.collection].insert_many(list(some_documents(kind, RECORDS)))
    database.command("profile", 2)
    yield database
    database.command("profile", 0)
    mongo_client.drop_database(database.name)


@pytest.fixture
def call(caller: Caller, filled: Database[Document]) -> Call:
    """Somebody of acme, in the filled realm."""
    return caller("acme", filled.name)


async def listed(call: Call, kind: RecordType[Any], **asked: Any) -> Document:
    """A page."""
    page: Document = orjson.loads((await list_records(call, kind, FindBody(limit=LIMIT, **asked))).body)
    return page


def profile(database: Database[Document], kind: RecordType[Any]) -> Document:
    """What MongoDB recorded of the last command on a collection."""
    found = database["system.profile"].find({"ns": f"{database.name}.{kind.collection}"}).sort("$natural", -1)
    return dict(next(found))


def stages(plan: Document) -> set[str]:
    """The names of all stages of a plan that was run."""
    below = [plan[word] for word in ("inputStage", "outerStage", "innerStage") if word in plan]
    return {plan["stage"]}.union(*(stages(one) for one in [*below, *plan.get("inputStages", [])]))


def assert_indexed(seen: Document, *, keys: int | None = FEW_KEYS) -> None:
    """No collection scan; and with ``keys``, no sort in memory and no more keys and records read than these."""
    assert "COLLSCAN" not in stages(seen["execStats"]), seen["planSummary"]
    if keys is not None:
        assert not seen.get("hasSortStage"), seen["planSummary"]
        assert seen["keysExamined"] <= keys, seen["planSummary"]
        assert seen["docsExamined"] <= keys, seen["planSummary"]


def reversed_order(sort: str) -> str:
    return ",".join(key[1:] if key.startswith("-") else f"-{key}" for key in sort.split(","))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
async def test_the_default_order(call: Call, filled: Database[Document], kind: RecordType[Any]) -> None:
    page = await listed(call, kind)
    assert page["rowCount"] == LIMIT
    assert_indexed(profile(filled, kind))
    await listed(call, kind, cursor=page["nextCursor"])
    assert_indexed(profile(filled, kind))


@pytest.mark.parametrize(("kind", "index"), SORTED)
async def test_an_order_is_read_from_its_index(
    call: Call, filled: Database[Document], kind: RecordType[Any], index: Index
) -> None:
    for sort in (keys_of(index), reversed_order(keys_of(index))):
        page = await listed(call, kind, sort=sort)
        assert page["rowCount"] == LIMIT
        assert_indexed(profile(filled, kind))


@pytest.mark.parametrize(("kind", "index"), SORTED)
@pytest.mark.parametrize("at", [LIMIT, RECORDS // 2, RECORDS - LIMIT], ids=["second", "middle", "last"])
async def test_a_page_far_behind_reads_no_more_than_the_first(
    call: Call, filled: Database[Document], kind: RecordType[Any], index: Index, at: int
) -> None:
    for sort in (keys_of(index), reversed_order(keys_of(index))):
        before = orjson.loads(
            (await list_records(call, kind, FindBody(skip=at - 1, limit=1, sort=sort))).body
        )
        page = await listed(call, kind, sort=sort, cursor=before["nextCursor"])
        assert page["rowCount"] == LIMIT
        assert_indexed(profile(filled, kind))
        skipped = await listed(call, kind, sort=sort, skip=at)
        assert page["rows"] == skipped["rows"]
        assert page["offset"] == skipped["offset"] == at


@pytest.mark.parametrize(("kind", "index"), INDEXES)
async def test_equality_is_found_by_its_index(
    call: Call, filled: Database[Document], kind: RecordType[Any], index: Index
) -> None:
    """On the first field and on all of them; one field behind its equality leaves the default order too."""
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
        assert_indexed(profile(filled, kind), keys=FEW_KEYS if len(paths) == 1 else None)


@pytest.mark.parametrize(
    ("kind", "index"), [case for case in SORTED if not case.values[1].unique and len(case.values[1].keys) > 1]
)
async def test_the_first_field_filters_and_the_others_sort(
    call: Call, filled: Database[Document], kind: RecordType[Any], index: Index
) -> None:
    (first, _direction), *others = index.keys
    wanted = filled[kind.collection].find_one({"dataDomain.tenantId": "acme", first: {"$ne": None}})
    assert wanted is not None
    chosen = literal(kind, first, value_at(wanted, first))
    await listed(call, kind, filter=chosen, sort=keys_of(Index(tuple(others))))
    assert_indexed(profile(filled, kind))


async def test_references_and_counts_are_read_the_same_way(call: Call, filled: Database[Document]) -> None:
    await list_references(call, ROW, ReferenceParameters(sort="name", limit=LIMIT))
    assert_indexed(profile(filled, ROW))
    await count_records(call, ROW, CountParameters(filter='name:"text 1"'))
    assert_indexed(profile(filled, ROW), keys=None)


async def test_what_no_index_serves_is_seen_here(call: Call, filled: Database[Document]) -> None:
    """The proof that the checks above can fail."""
    await listed(call, ROW, sort="ratio")
    with pytest.raises(AssertionError):
        assert_indexed(profile(filled, ROW))
    filled["rows"].find_one({"ratio": 1})
    with pytest.raises(AssertionError):
        assert_indexed(profile(filled, ROW), keys=None)
