"""Relation blocks and aggregates over 100,000 orders, in this process; medians of rounds in turn.

``python tests/bench/queries.py [--records N] [--rounds N]``. What is compared: a list by a block that 200 customers
match, and the same list by their ids; an aggregate by month with two sums, and its bare pipeline by the driver.
Nothing is asserted.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT)]

from bson import Decimal128, ObjectId  # noqa: E402
from pymongo import AsyncMongoClient, MongoClient  # noqa: E402

from runtime import records  # noqa: E402
from runtime.contract.aggregates import AggregateBody  # noqa: E402
from runtime.contract.pages import FindBody  # noqa: E402
from runtime.query import aggregate_records, plan_query  # noqa: E402
from runtime.storage.embedded import run_embedded  # noqa: E402
from tests.query.ward import LOGISTICS, Ward, open_ward  # noqa: E402

CUSTOMERS, MATCHING = 2000, 200
TENANT = {"dataDomain": {"tenantId": "acme", "dataSegment": 0, "ownerId": "ann@acme"}}
CUSTOMER, ORDER = (next(kind for kind in LOGISTICS if kind.name == name) for name in ("Customer", "Order"))
Contest = dict[str, Callable[[], Any]]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    with (
        tempfile.TemporaryDirectory(prefix="recordsmith-queries-") as name,
        run_embedded(Path(name)) as uri,
        MongoClient[dict[str, Any]](uri) as client,
        open_ward(uri, client, Path(name)) as ward,
    ):
        matching = store_records(ward, options.records)
        driver = AsyncMongoClient[dict[str, Any]](uri)
        for title, aim, contest in (
            ("relation block that 200 targets match", 3, compare_lists(ward, matching)),
            ("group by month with two sums", 1.15, compare_groups(ward, driver)),
        ):
            (own, ours), (other, theirs) = measure(ward, contest, options.rounds).items()
            shown = f"{own} {ours:.1f} ms, {other} {theirs:.1f} ms, {ours / theirs:.2f} ×"
            print(f"{title}: {shown} (aim: ≤ {aim})")
        anew, again = plan_expansions(ward)
        print(f"plan of a query with three expansions: {anew:.0f} µs anew, {again:.0f} µs again (aim: ≤ 300)")
        ward.run(driver.close())


def store_records(ward: Ward, number: int) -> list[ObjectId]:
    """Store customers and orders; return the ids of the customers that match the block."""
    chance, start = random.Random(7), datetime(2024, 1, 1)
    customers = [
        {
            "_id": ObjectId(),
            "refName": f"c{at}",
            "name": "few" if at < MATCHING else "many",
            "activeStatus": "ACTIVE",
        }
        for at in range(CUSTOMERS)
    ]
    ward.store(CUSTOMER, [one | TENANT for one in customers])
    orders = []
    for at in range(number):
        customer = chance.choice(customers)
        items = [{"quantity": chance.randrange(9), "price": Decimal128(f"{chance.randrange(9999)}.90")}]
        orders.append(
            {
                "_id": ObjectId(), "refName": f"o{at}", "version": at, "activeStatus": "ACTIVE", "items": items,
                "customer": {"entityId": customer["_id"], "entityRefName": customer["refName"]},
                "placedAt": start + timedelta(minutes=chance.randrange(1_000_000)), **TENANT,
            }
        )  # fmt: skip
    ward.store(ORDER, orders)
    return [customer["_id"] for customer in customers[:MATCHING]]


def compare_lists(ward: Ward, matching: list[ObjectId]) -> Contest:
    """Compare a page found by a block with the same page by ids."""
    ids = ",".join(f"@@{one}" for one in matching)

    def listing(text: str) -> Callable[[], Any]:
        return lambda: records.list_records(ward.call(), ORDER, FindBody(filter=text))

    return {"block": listing("customer{name:few}"), "ids": listing(f"customer:^[{ids}]")}


def compare_groups(ward: Ward, driver: AsyncMongoClient[dict[str, Any]]) -> Contest:
    """Compare an aggregate with its bare pipeline."""
    measures = {"orders": "count", "versions": "sum(version)", "sold": "sum(items.price)"}
    body = AggregateBody.model_validate(
        {"groupBy": ["placedAt.by(month)"], "measures": measures, "limit": 1000}
    )
    month = {"$dateToString": {"date": "$placedAt", "format": "%Y-%m"}}
    sums = {"versions": {"$sum": "$version"}, "sold": {"$sum": {"$sum": "$items.price"}}}
    pipeline: list[dict[str, Any]] = [
        {"$match": {"dataDomain.tenantId": "acme"}},
        {"$group": {"_id": month, "orders": {"$sum": 1}, **sums}},
        {"$sort": {"_id": 1}},
    ]

    async def ask_driver() -> Any:
        return await (await driver[ward.realm][ORDER.collection].aggregate(pipeline)).to_list()

    return {"aggregate": lambda: aggregate_records(ward.call(), ORDER, body), "driver": ask_driver}


def plan_expansions(ward: Ward, runs: int = 300) -> tuple[float, float]:
    """Plan queries of new texts, and one text again and again; medians in microseconds."""
    query = "status:PENDING && version:>{} && expand(customer) && expand(items[*].product)"
    texts = [f"{query.format(number)} && expand(shipments[*].origin.country)" for number in range(runs)]
    call = ward.call()

    def time_each(asked: list[str]) -> float:
        times = []
        for text in asked:
            start = time.perf_counter()
            plan_query(call, ORDER, text)
            times.append((time.perf_counter() - start) * 1e6)
        return median(times)

    return time_each(texts), time_each(texts[-1:] * runs)


def measure(ward: Ward, contest: Contest, rounds: int) -> dict[str, float]:
    """Run both in turn; the median of each, in milliseconds, without the first round."""
    times: dict[str, list[float]] = {name: [] for name in contest}
    for _round in range(rounds + 1):
        for name, ask in contest.items():
            start = time.perf_counter()
            ward.run(ask())
            times[name].append((time.perf_counter() - start) * 1000)
    return {name: median(found[1:]) for name, found in times.items()}


if __name__ == "__main__":
    main()
