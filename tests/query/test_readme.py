"""The examples of runtime/query/README.md run, and the tables say what is so."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import orjson
import pytest

from runtime.call import Call
from runtime.contract.pages import FindBody
from runtime.query import AggregationPlan, FilterPlan, plan_query, run_plan
from runtime.records.expansion.planning import MOST_PATHS
from runtime.records.expansion.replacing import MOST_BYTES
from runtime.settings import Settings
from tests.query.ward import ORDER, Ward

README = (Path(__file__).parents[2] / "runtime" / "query" / "README.md").read_text("utf-8")
pytestmark = pytest.mark.usefixtures("pending_orders")
EXAMPLE = re.search(r"```\n(.+?)\n```", README)
ROWS = re.findall(r"^\| `((?:expand\(|fields:).+?)` \| (.+?) \|$", README, re.MULTILINE)


def test_the_page_has_examples() -> None:
    assert EXAMPLE is not None
    assert len(ROWS) >= 7


@pytest.mark.parametrize("text", [row[0] for row in ROWS])
def test_each_row_of_the_language_runs(ward: Ward, text: str) -> None:
    plan = plan_query(ward.call(), ORDER, text)
    assert isinstance(plan, AggregationPlan if "expand" in text else FilterPlan)
    assert ward.run(run_plan(ward.call(), plan, FindBody())).status == 200


def test_the_first_example_answers_as_shown(ward: Ward) -> None:
    assert EXAMPLE is not None
    call = ward.call()
    plan = plan_query(call, ORDER, EXAMPLE[1])
    rows: list[Any] = orjson.loads(ward.run(run_plan(call, plan, FindBody())).body)["rows"]
    assert rows
    customers = [row["customer"] for row in rows if row.get("customer")]
    products = [item["product"] for row in rows for item in row.get("items", ()) if item.get("product")]
    assert all("name" in customer and "entityId" not in customer for customer in customers)
    assert all(product.keys() <= {"id", "name", "price"} for product in products)


def test_the_python_of_the_page_runs(ward: Ward) -> None:
    found = re.search(r"```python\n(.+?)\n```", README, re.DOTALL)
    assert found is not None
    body = "\n".join(f"    {line}" for line in found[1].splitlines())
    scope: dict[str, Any] = {
        "plan_query": plan_query, "run_plan": run_plan, "FindBody": FindBody, "ORDER": ORDER,
        "text": EXAMPLE[1] if EXAMPLE else "",
    }  # fmt: skip
    exec(f"async def run(call):\n{body}\n    return page", scope)
    call: Call = ward.call()
    assert orjson.loads(ward.run(scope["run"](call)).body)["limit"] == 20


def test_the_limits_are_those_of_the_code() -> None:
    defaults = Settings.read({})
    assert f"| `limits.expand-depth`, {defaults.expand_depth} |" in README
    assert f"| `limits.expanded-records`, {defaults.expanded_records:,} |" in README
    assert f"| paths of one query | {MOST_PATHS} |" in README
    assert f"| {MOST_BYTES // 2**20} MB of JSON |" in README
