"""Expansions on the real MongoDB = joins in Python of single reads by the same caller, always."""

from __future__ import annotations

from random import Random
from typing import Any

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from runtime import records
from runtime.call import Call
from runtime.contract.pages import FindBody
from runtime.errors import Denied, ServiceError
from runtime.model.record_type import RecordType
from runtime.query import AggregationPlan, plan_query, run_plan
from tests.properties import examples
from tests.query.plainly import Interpreter, Node
from tests.query.stock import DOMAINS, RULES, Stock, text_of
from tests.query.ward import GROUPS, Ward, require_reason

BATCHES = examples(12, nightly=300)
QUERIES = 12


@pytest.mark.parametrize("group", GROUPS)
@settings(max_examples=BATCHES, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32))
def test_expansions_are_joins_of_single_reads(ward: Ward, group: str, seed: int) -> None:
    random = Random(seed)
    stock = Stock(random, GROUPS[group])
    for kind in GROUPS[group]:
        ward.store(kind, stock.documents(kind))
    for _ in range(QUERIES):
        rules = random.sample(RULES, random.choice([0, 0, 1, 2, 3]))
        call = ward.call(rules=tuple(rules), **random.choice(DOMAINS))
        ward.run(_compare(call, stock, random.choice(GROUPS[group])))


async def _compare(call: Call, stock: Stock, kind: RecordType[Any]) -> None:
    catalog = call.service.catalog
    paths = stock.paths(kind, catalog)
    told = [(path, stock.node(catalog[path[-1].target])) for path in paths]
    own = stock.node(kind)
    spelled = [stock.spell(path) for path in paths]
    try:
        rows = orjson.loads((await records.list_records(call, kind, FindBody(limit=1000))).body)["rows"]
    except Denied:
        with pytest.raises(Denied):
            plan_query(call, kind, None)
        return
    directives = [text_of(path, node) for path, (_path, node) in zip(spelled, told, strict=True)]
    if own.includes:
        directives.append(f"fields:[{','.join(own.includes)}]")
    tree, bare = Node.of(told), Node.of((path, Node()) for path in paths)
    tree.includes = own.includes
    try:
        answer = await _run(call, kind, " && ".join(directives))
        assert answer == [await Interpreter(call).join(kind, row, tree) for row in rows]
    except ServiceError as error:
        require_reason(call, error)
    try:
        joined = [await Interpreter(call).join(kind, row, bare) for row in rows]
        page = await records.list_records(call, kind, FindBody(limit=1000, expand=",".join(spelled)))
        assert orjson.loads(page.body)["rows"] == joined
        for row in joined[:2]:
            single = await records.get_by_id(call, kind, row["id"], None, ",".join(spelled))
            whole = orjson.loads(single.body)
            assert {name: whole[name] for name in row} == row
            assert bool(single.headers) == (not spelled)
    except ServiceError as error:
        require_reason(call, error)


async def _run(call: Call, kind: RecordType[Any], text: str) -> list[dict[str, Any]]:
    plan = plan_query(call, kind, text)
    assert isinstance(plan, AggregationPlan) == ("expand" in text)
    rows: list[dict[str, Any]] = orjson.loads((await run_plan(call, plan, FindBody(limit=1000))).body)["rows"]
    return rows
