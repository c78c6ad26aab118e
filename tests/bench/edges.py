"""What an ontology costs: a write with edges, and a page found by an edge, in this process; medians in turn.

``python tests/bench/edges.py [--edges N] [--rounds N]``. What is compared: a new supplier that states 3 edges from
which 10 follow, and the same supplier where the ontology is off; a page of ports by an edge to a region, among N
stored edges, and a page by a field that is indexed. Nothing is asserted.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT)]

from bson import ObjectId  # noqa: E402
from pymongo import MongoClient  # noqa: E402

from generated.record_types import CATALOG  # noqa: E402
from runtime import records  # noqa: E402
from runtime.contract.pages import FindBody  # noqa: E402
from runtime.model.record_type import Catalog  # noqa: E402
from runtime.ontology import open_ontology  # noqa: E402
from runtime.records.document.terms import PLAIN  # noqa: E402
from runtime.settings import Settings  # noqa: E402
from runtime.storage.embedded import run_embedded  # noqa: E402
from runtime.storage.wire import derive_id  # noqa: E402
from runtime.system.record_types import ONTOLOGY_EDGE  # noqa: E402
from tests.bench.queries import measure  # noqa: E402
from tests.query.ward import LOGISTICS, Ward, open_ward  # noqa: E402

REGION, PORT, SUPPLIER = (
    next(kind for kind in LOGISTICS if kind.name == name) for name in ("Region", "Port", "Supplier")
)
IN_ONE_REGION = 40
TENANT = {
    "dataDomain": {"tenantId": "acme", "dataSegment": 0, "ownerId": "ann@acme"},
    "activeStatus": "ACTIVE",
}
Contest = dict[str, Callable[[], Any]]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--edges", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=30)
    options = parser.parse_args()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="recordsmith-edges-")))
        uri = stack.enter_context(run_embedded(folder))
        client = stack.enter_context(MongoClient[dict[str, Any]](uri))
        ward = stack.enter_context(open_ward(uri, client, folder))
        switch_on(ward)
        print_contest("a write with its edges", 2.5, ward, compare_writes(ward), options.rounds)
        print_contest(
            f"a page by an edge, of {options.edges}",
            1.5,
            ward,
            compare_pages(ward, options.edges),
            options.rounds,
        )


def switch_on(ward: Ward) -> None:
    """Give the service the ontology of the example."""
    catalog = Catalog(tuple(ward.service.catalog), relationships=CATALOG.relationships)
    keepers, edges = open_ontology(catalog, Settings.model_validate({"ontology.enabled": True}))
    ward.service = replace(ward.service, catalog=catalog, companions=keepers, edges=edges)


def print_contest(title: str, aim: float, ward: Ward, contest: Contest, rounds: int) -> None:
    """Print the medians of both, and how they compare."""
    (own, ours), (other, theirs) = measure(ward, contest, rounds).items()
    print(f"{title}: {own} {ours:.2f} ms, {other} {theirs:.2f} ms, {ours / theirs:.2f} × (aim: ≤ {aim})")


def compare_writes(ward: Ward) -> Contest:
    """Compare saving a supplier with and without edges.

    It states one port and two suppliers. Two ways back, two wider edges and six regions follow.
    """
    on, off = ward.service, replace(ward.service, companions=(), edges=None)

    def save(kind: Any, **fields: Any) -> str:
        saved = ward.run(records.save(ward.call(), kind, kind.input.model_validate(fields), PLAIN))
        return str(
            ward.database[kind.collection].find_one({"refName": fields["refName"]})["_id"] if saved else ""
        )

    outer = save(REGION, refName="outer", name="Outer")
    middle = save(REGION, refName="middle", name="Middle", partOf={"entityId": outer})
    inner = save(REGION, refName="inner", name="Inner", partOf={"entityId": middle})
    port = save(PORT, refName="port", locode="PTAAA", name="Port", region={"entityId": inner})
    sellers = [save(SUPPLIER, refName=f"s{at}", name="Seller") for at in range(2)]
    body = SUPPLIER.input.model_validate({
        "name": "Shop", "port": {"entityId": port}, "suppliers": [{"entityId": one} for one in sellers],
    })  # fmt: skip

    def saving(service: Any) -> Callable[[], Any]:
        return lambda: records.save(replace(ward.call(), service=service), SUPPLIER, body, PLAIN)

    return {"with": saving(on), "without": saving(off)}


def compare_pages(ward: Ward, number: int) -> Contest:
    """Compare a page of the ports of one region with the page of those of one name."""
    regions = [
        {"_id": ObjectId(), "refName": f"r{at}", "name": "R", **TENANT}
        for at in range(number // IN_ONE_REGION)
    ]
    ports = [
        {
            "_id": ObjectId(), "refName": f"p{at}", "locode": f"C{at}", "version": 1, "name": "P", **TENANT,
            "region": {"entityId": regions[at % len(regions)]["_id"]},
        }
        for at in range(number)
    ]  # fmt: skip
    ward.store(REGION, regions)
    ward.store(PORT, ports)
    ward.store(ONTOLOGY_EDGE, [build_edge(port) for port in ports])
    region = regions[len(regions) // 2]["_id"]

    def listing(text: str) -> Callable[[], Any]:
        return lambda: records.list_records(ward.call(), PORT, FindBody(filter=text))

    return {"by edge": listing(f"hasEdge(liesIn, {region})"), "by field": listing(f"region:@@{region}")}


def build_edge(port: dict[str, Any]) -> dict[str, Any]:
    """Build the edge that a port states, as the service stores it."""
    source, destination = port["_id"], port["region"]["entityId"]
    own = derive_id("acme", "liesIn", str(source), str(destination))
    return {
        "_id": own, "refName": str(own), "dataDomain": {"tenantId": "acme"}, "predicate": "liesIn",
        "source": {"type": "Port", "id": source}, "destination": {"type": "Region", "id": destination},
        "inferred": False, "provenance": {"rule": "field", "of": ["region"]}, "timestamp": datetime(2026, 1, 1),
    }  # fmt: skip


if __name__ == "__main__":
    main()
