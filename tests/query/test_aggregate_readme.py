"""The aggregates of runtime/query/README.md run, and answer as shown."""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path
from typing import Any

import orjson
import pytest
from bson import Decimal128, ObjectId

from runtime.contract.aggregates import MOST_GROUP_KEYS, MOST_MEASURES, AggregateBody
from runtime.query import aggregate_records
from runtime.storage.store.grouping import MOST_GROUPS
from tests.query.ward import ORDER, Ward

README = (Path(__file__).parents[2] / "runtime" / "query" / "README.md").read_text("utf-8")
SECTION = README.partition("## Aggregates")[2].partition("\n## ")[0]
QUESTION, ANSWER = re.findall(r"```json\n(.+?)\n```", SECTION, re.DOTALL)
IN_MARCH = datetime(2026, 2, 28, 23, 30)  # in the zone of the example
pytestmark = pytest.mark.usefixtures("pending_orders")


def rows_of(title: str) -> list[str]:
    """The texts in the first column of a table."""
    table = SECTION.partition(f"| write in `{title}` | means |")[2].partition("\n\n")[0]
    return [
        text
        for row in re.findall(r"^\| (`.+?`) \| ", table, re.MULTILINE)
        for text in re.findall(r"`(.+?)`", row)
    ]


def ask(ward: Ward, **body: Any) -> dict[str, Any]:
    answer = ward.run(aggregate_records(ward.call(), ORDER, AggregateBody.model_validate(body)))
    found: dict[str, Any] = orjson.loads(answer.body)
    return found


def test_each_key_of_the_page_runs(ward: Ward) -> None:
    keys = rows_of("groupBy")
    assert len(keys) >= 6
    for text in keys:
        assert "rows" in ask(ward, groupBy=[text])
    for unit in re.findall(r"`(\w+)`", SECTION.partition("also ")[2].partition(":")[0]):
        assert "rows" in ask(ward, groupBy=[f"placedAt.by({unit})"])


def test_each_measure_of_the_page_runs(ward: Ward) -> None:
    measures = rows_of("measures")
    assert len(measures) >= 7
    for text in measures:
        assert "rows" in ask(ward, measures={"m": text})


def test_the_example_answers_as_shown(ward: Ward) -> None:
    orders, customer = (
        ward.database["orders"],
        ward.database["customers"].find_one({"dataDomain.tenantId": "acme"}),
    )
    template = orders.find_one({})
    assert customer is not None
    assert template is not None
    ward.database["customers"].update_one(
        {"_id": customer["_id"]}, {"$set": {"name": "Casa", "activeStatus": "ACTIVE"}}
    )
    orders.delete_many({})
    names = {"entityRefName": "casa-das-flores", "entityDisplayName": "Casa das Flores"}
    for at, (quantity, price) in enumerate(((40, "12.90"), (1, "9.00"))):
        items = [{"quantity": quantity, "price": Decimal128(price)}]
        own = {
            "_id": ObjectId(),
            "refName": f"O-{at}",
            "customer": {"entityId": customer["_id"], **names},
            "items": items,
        }
        orders.insert_one({**template, **own, "placedAt": IN_MARCH})
    answer, shown = ask(ward, **orjson.loads(QUESTION)), orjson.loads(ANSWER)
    shown["rows"][0]["customer"]["entityId"] = str(customer["_id"])
    assert answer == shown


def test_the_limits_are_those_of_the_code() -> None:
    assert f"| keys of an aggregate · measures | {MOST_GROUP_KEYS} · {MOST_MEASURES} |" in README
    assert f"| groups before `having` | {MOST_GROUPS:,} |" in README
