"""What an ontology costs: a write with edges, and a page found by an edge; medians in turn.

``python tests/bench/edges.py [--edges N] [--rounds N]``. What is compared, in this process: a new supplier that
states 3 edges from which 10 follow, and the same supplier where the ontology is off. Of one worker: a page of ports
by an edge to a region, among N stored edges, and a page by a field that is indexed; of a region with few ports,
of one with many, and of one whose edges are inferred. A million edges take some minutes to store, and 1 GB. Nothing is asserted.
"""

from __future__ import annotations

import argparse
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path
from statistics import mean, median
from typing import Any, NamedTuple
from urllib.parse import quote

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT)]

import httpx2  # noqa: E402
from bson import ObjectId  # noqa: E402
from pymongo import MongoClient  # noqa: E402

from generated.record_types import CATALOG  # noqa: E402
from runtime import records  # noqa: E402
from runtime.model.catalog import Catalog  # noqa: E402
from runtime.ontology import open_ontology  # noqa: E402
from runtime.records.document.terms import PLAIN  # noqa: E402
from runtime.settings import Settings  # noqa: E402
from runtime.storage.embedded import run_embedded  # noqa: E402
from runtime.storage.wire import derive_id  # noqa: E402
from runtime.system.record_types import ONTOLOGY_EDGE  # noqa: E402
from tests.bench.processes import cpu_seconds  # noqa: E402
from tests.faults.service import REALM, TENANT, ServiceProcess, served  # noqa: E402
from tests.query.ward import LOGISTICS, Ward, open_ward  # noqa: E402

REGION, PORT, SUPPLIER = (
    next(kind for kind in LOGISTICS if kind.name == name) for name in ("Region", "Port", "Supplier")
)
REGIONS, PORTS = "/logistics/regions", "/logistics/ports"
IN_ONE_REGION, IN_LARGE_REGION = 40, 10_000
REPEATS, BATCH = 50, 10_000
Work = Callable[[], object]
Clocks = Callable[[], tuple[float, ...]]
"""The processor time of the service and of MongoDB so far, in seconds."""


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
        compare_writes(ward, client, options.rounds)
        compare_pages(client, uri, folder / "service", options.edges, options.rounds)


def switch_on(ward: Ward) -> None:
    """Give the service the ontology of the example."""
    catalog = Catalog(tuple(ward.service.catalog), relationships=CATALOG.relationships)
    keepers, edges = open_ontology(catalog, Settings.model_validate({"ontology.enabled": True}))
    ward.service = replace(ward.service, catalog=catalog, companions=keepers, edges=edges)


def compare_writes(ward: Ward, client: MongoClient[Any], turns: int) -> None:
    """Compare saving a supplier with and without edges.

    It states one port and two suppliers. Two ways back, two wider edges and six regions follow.
    """
    on, off, call = ward.service, replace(ward.service, companions=(), edges=None), ward.call()

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

    def saving(service: Any) -> Work:
        return lambda: ward.run(records.save(replace(call, service=service), SUPPLIER, body, PLAIN))

    mongod = read_pid(client)
    contest = {"with edges": saving(on), "without": saving(off)}
    compare("a write", 2.5, contest, lambda: (time.process_time(), cpu_seconds(mongod) or 0.0), turns)


def compare_pages(client: MongoClient[Any], uri: str, folder: Path, number: int, turns: int) -> None:
    """Ask a worker for pages of ports, by the edge to a region and by the field that states it."""
    with served(uri, folder, 1, ONTOLOGY_ENABLED="true") as service:
        assert service.process is not None
        pids = service.process.pid, read_pid(client)
        small, large, wide = store_ports(client[REALM], service, number)
        tokens = {
            "a caller of the tenant": sign_in_of_tenant(service),
            "one of an organisation": service.token,
        }
        regions = {
            f"{IN_ONE_REGION} ports": (small, small),
            f"50 of {IN_LARGE_REGION} ports": (large, large),
            f"{IN_ONE_REGION} ports that lie in a smaller region": (wide, small),
        }
        with socket.create_connection(("127.0.0.1", service.port)) as connection:
            for (caller, token), (size, (region, own)) in product(tokens.items(), regions.items()):
                texts = {"by edge": f"hasEdge(liesIn,{region})", "by field": f"region:@@{own}"}
                contest = {
                    name: partial(receive, connection, build_request(text, token))
                    for name, text in texts.items()
                }
                title = f"a page of {size} for {caller}"
                compare(title, 1.5, contest, lambda: tuple(cpu_seconds(pid) or 0.0 for pid in pids), turns)


def sign_in_of_tenant(service: ServiceProcess) -> str:
    """Create a user who is of no organisation; return their token."""
    user, password = "reader@acme.example", "correct horse battery"
    words = ("--user", user, "--tenant", TENANT, "--realm", REALM, "--roles", "user", "--password-stdin")
    subprocess.run(
        [sys.executable, "-m", "runtime.cli", "users", "create", "--data", str(service.folder), *words],
        input=password, text=True, check=True, env=service.environment(), cwd=ROOT,
    )  # fmt: skip
    sent = {"userId": user, "password": password}
    answer = httpx2.post(f"{service.url}/security/login", json=sent, timeout=60)
    return str(answer.raise_for_status().json()["accessToken"])


class Figures(NamedTuple):
    """Microseconds that one takes: until it is done, and of the processor."""

    waited: float
    service: float
    mongod: float


def compare(title: str, aim: float, contest: Mapping[str, Work], clocks: Clocks, turns: int) -> None:
    """Do both in turn, and print what one takes: the median of the time, the means of the processor."""
    found = {name: list[Figures]() for name in contest}
    for _turn in range(turns + 1):
        for name, work in contest.items():
            found[name].append(measure_turn(work, clocks))
    own, other = (summarize(figures[1:]) for figures in found.values())
    for name, one in zip(found, (own, other), strict=True):
        print(
            f"{title} {name}: {one.waited / 1000:.2f} ms; of the processor {one.service:.0f} µs in the service, "
            f"{one.mongod:.0f} µs in MongoDB"
        )
    cost = (own.service + own.mongod) / (other.service + other.mongod)
    print(f"{title}: {own.waited / other.waited:.2f} × the time, {cost:.2f} × the processor (aim: ≤ {aim})")


def measure_turn(work: Work, clocks: Clocks) -> Figures:
    """Do it again and again; return the means."""
    used, begun = clocks(), time.perf_counter()
    for _repeat in range(REPEATS):
        work()
    waited = time.perf_counter() - begun
    spent = (now - before for now, before in zip(clocks(), used, strict=True))
    return Figures(*(seconds / REPEATS * 1e6 for seconds in (waited, *spent)))


def summarize(figures: list[Figures]) -> Figures:
    """Return the figures of all turns; of processors the kernel counts hundredths of a second."""
    waited, service, mongod = zip(*figures, strict=True)
    return Figures(median(waited), mean(service), mean(mongod))


def read_pid(client: MongoClient[Any]) -> int:
    """Return the process of MongoDB."""
    return int(client.admin.command("serverStatus")["pid"])


def receive(connection: socket.socket, request: bytes) -> None:
    """Send a request and read its answer."""
    connection.sendall(request)
    answer = connection.recv(2**16)
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200"), answer
    missing = int(head.lower().partition(b"content-length:")[2].split()[0]) - len(body)
    while missing > 0:
        missing -= len(connection.recv(2**16))


def build_request(text: str, token: str) -> bytes:
    """Build the request for a page."""
    path = f"{PORTS}/list?filter={quote(text)}"
    return f"GET {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\r\n".encode()


def store_ports(database: Any, service: ServiceProcess, number: int) -> tuple[ObjectId, ObjectId, ObjectId]:
    """Store ports in regions, with their edges, as the service stores them.

    Return a usual region, a large one, and the one that the usual one is a part of.
    """
    headers = {"Authorization": f"Bearer {service.token}"}
    with httpx2.Client(base_url=service.url, headers=headers, timeout=60) as http:
        wide = http.post(REGIONS, json={"name": "Wide"}).raise_for_status().json()["id"]
        part = {"name": "Region", "partOf": {"entityId": wide}}
        region = http.post(REGIONS, json=part).raise_for_status().json()["id"]
        port = {"name": "Port of Lisbon", "locode": "PTZZZ", "region": {"entityId": region}}
        http.post(PORTS, json=port).raise_for_status()
    regions, ports, edges = (database[kind.collection] for kind in (REGION, PORT, ONTOLOGY_EDGE))
    usual, alone = ObjectId(region), regions.find_one({"_id": ObjectId(wide)})
    first = ports.find_one({"locode": "PTZZZ"})
    models = list(edges.find({"predicate": "liesIn", "source.id": first["_id"]}).sort("inferred", 1))
    ids = [ObjectId() for _region in range(number // IN_ONE_REGION)]
    regions.insert_many([alone | {"_id": one, "refName": str(one)} for one in ids])
    ids[len(ids) // 2] = usual
    for start in range(0, number, BATCH):
        rows = [
            first
            | {"_id": (own := ObjectId()), "refName": str(own), "locode": str(own)}
            | {"region": first["region"] | {"entityId": ids[0 if at < IN_LARGE_REGION else at % len(ids)]}}
            for at in range(start, min(start + BATCH, number))
        ]
        ports.insert_many(rows)
        edges.insert_many([build_edge(models[0], row, row["region"]["entityId"]) for row in rows])
        within = [row for row in rows if row["region"]["entityId"] == usual]
        if within:
            edges.insert_many([build_edge(models[1], row, ObjectId(wide)) for row in within])
    return usual, ids[0], ObjectId(wide)


def build_edge(model: dict[str, Any], port: dict[str, Any], destination: ObjectId) -> dict[str, Any]:
    """Build an edge of a port, as the service stores it."""
    source = port["_id"]
    own = derive_id(port["dataDomain"]["tenantId"], "liesIn", str(source), str(destination))
    ends = {
        "source": model["source"] | {"id": source},
        "destination": model["destination"] | {"id": destination},
    }
    return model | ends | {"_id": own, "refName": str(own)}


if __name__ == "__main__":
    main()
