"""Files: the export and the import of CSV beside peers, by wall clock, first byte, CPU and memory.

One tenant of its own, one worker a contestant, one file at a time: rounds in which each contestant exports all
shipments of the tenant, imports new products, imports the same file again, and then one in which a price of
each is another one. Every answer is counted out, so that nobody is fast by leaving rows out.
"""

from __future__ import annotations

import http.client
import json
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from contestants import SERVICE, Server, request
from corpus import products_csv
from processes import BenchFailed, cpu_seconds, peak_growth_mb
from rich.console import Console
from rich.table import Table

SHIPMENT_COLUMNS = (
    "refName,status,customer.entityRefName,origin.entityRefName,"
    "destination.entityRefName,weightKg,departsAt,notes"
)
PRODUCT_COLUMNS = "refName,sku,name,price,weightKg,details"

FILES: Mapping[str, str] = {
    "export": "export of {exported:,} shipments × 8 columns",
    "importNew": "import of {imported:,} products by refName: all new",
    "importUnchanged": "the same file again: nothing to change",
    "importChanged": "the same products, another price in each",
}
TARGETS: Mapping[tuple[str, str], float] = {
    ("export", "fastapi"): 3, ("export", "eve"): 5,
    ("importNew", "fastapi"): 1.5, ("importUnchanged", "fastapi"): 5, ("importChanged", "fastapi"): 2,
}  # fmt: skip
"""What the project aims at. Shown beside the figures, never asserted."""

EXPORT = f"/logistics/shipments/csv?requestedColumns={SHIPMENT_COLUMNS}&length=-1&prependHeaderRow=true"
FILES_TOLD = tuple(FILES)
CONTESTANTS = (SERVICE, "fastapi", "eve")
MOST_ROUNDS = 3
EVE_PAGE = 5000
_BOUNDARY = "bench-of-files"
_PIECE = 1 << 18
IMPORT = f"/logistics/products/csv?requestedColumns={PRODUCT_COLUMNS}"
FORM = f"multipart/form-data; boundary={_BOUNDARY}"
_SECONDS = 600


@dataclass(frozen=True)
class Transfer:
    """One file in or out. ``cpu`` and ``store_cpu`` in µs a row, ``growth`` in MB."""

    operation: str
    contestant: str
    rows: int
    seconds: float
    first_byte: float
    cpu: float | None
    store_cpu: float | None
    growth: float | None

    @property
    def rate(self) -> float:
        """Rows a second."""
        return self.rows / self.seconds


@dataclass
class Transfers:
    """All of them, by round; the last column of ``FILES`` filled in with the sizes."""

    sizes: Mapping[str, int]
    rounds: list[list[Transfer]] = field(default_factory=list)

    def ratios(self, operation: str, own: str, other: str) -> list[float]:
        """How much faster ``own`` was, round by round."""
        pairs = []
        for each in self.rounds:
            rates = {one.contestant: one.rate for one in each if one.operation == operation}
            if rates.keys() >= {own, other}:
                pairs.append(rates[own] / rates[other])
        return pairs


def measure(
    servers: list[Server],
    token: str,
    store: int,
    sizes: Mapping[str, int],
    operations: Collection[str],
    rounds: int,
    say: Any,
) -> Transfers:
    """The rounds, after one that is not counted, of small files."""
    found = Transfers(sizes)
    for number in range(rounds + 1):
        these: list[Transfer] = []
        names = f"F{number}"
        imported = sizes["imported"] if number else min(2000, sizes["imported"])
        for operation in operations:
            for server in servers:
                if operation == "export" or server.contestant.name != "eve":
                    with say(f"round {number} of {rounds}: {operation}, {server.contestant.name}"):
                        file = products_csv(names, imported, dearer=operation == "importChanged")
                        rows = sizes["exported"] if operation == "export" else imported
                        these.append(_timed(operation, server, token, store, rows, file))
        if number:
            found.rounds.append(these)
    return found


def _timed(operation: str, server: Server, token: str, store: int, rows: int, file: bytes) -> Transfer:
    name = server.contestant.name
    work = _exports[name] if operation == "export" else _import
    before, store_before = cpu_seconds(server.pid), cpu_seconds(store)
    started = time.perf_counter()
    with peak_growth_mb(server.pid) as growth:
        first = work(server, token, rows, file)
    seconds = time.perf_counter() - started

    def each(pid: int, earlier: float | None) -> float | None:
        now = cpu_seconds(pid)
        return None if now is None or earlier is None else (now - earlier) / rows * 1e6

    cpu, store_cpu = each(server.pid, before), each(store, store_before)
    return Transfer(operation, name, rows, seconds, first - started, cpu, store_cpu, growth[0])


def _import(server: Server, token: str, rows: int, file: bytes) -> float:
    """Upload, and hold the answer against what was sent; when it came."""
    path, content = "/products/csv", "text/csv"
    if server.contestant.name == SERVICE:
        path, content, file = IMPORT, FORM, in_a_form(file)
    with _answer(server, "POST", path, token, file, {"Content-Type": content}) as answer:
        said = json.loads(answer.read())
    done = said["importedCount"] + said.get("skipCount", 0)
    if said["failedCount"] or done != rows:
        raise BenchFailed(f"{server.contestant.name}: of {rows} rows it says {str(said)[:500]}")
    return time.perf_counter()


def in_a_form(file: bytes) -> bytes:
    """The body of an upload."""
    head = f'--{_BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="f.csv"\r\n\r\n'
    return head.encode() + file + f"\r\n--{_BOUNDARY}--\r\n".encode()


def importing(token: str, file: bytes) -> str:
    """The import of this service as one request."""
    return request("POST", IMPORT, token, in_a_form(file).decode(), FORM)


def _export_one(path: str) -> Callable[[Server, str, int, bytes], float]:
    """All in one answer; when its first byte came."""

    def export(server: Server, token: str, rows: int, _file: bytes) -> float:
        with _answer(server, "GET", path, token) as answer:
            piece = answer.read1(_PIECE)
            first, lines = time.perf_counter(), piece.count(b"\n")
            while piece := answer.read1(_PIECE):
                lines += piece.count(b"\n")
        _require(server, lines, rows + 1)
        return first

    return export


def _export_pages(server: Server, token: str, rows: int, _file: bytes) -> float:
    """Page by page, as Eve gives it."""
    shown = json.dumps(dict.fromkeys(SHIPMENT_COLUMNS.split(","), 1), separators=(",", ":"))
    first, lines, page = 0.0, 0, 0
    while page * EVE_PAGE < rows:
        page += 1
        path = f"/shipments?projection={shown}&sort=_id&max_results={EVE_PAGE}&page={page}"
        with _answer(
            server, "GET", path.replace('"', "%22"), token, headers={"Accept": "text/csv"}
        ) as answer:
            piece = answer.read()
        first = first or time.perf_counter()
        lines += piece.count(b"\n")
    _require(server, lines, rows)
    return first


_exports: Mapping[str, Callable[[Server, str, int, bytes], float]] = {
    SERVICE: _export_one(EXPORT),
    "fastapi": _export_one("/shipments.csv"),
    "eve": _export_pages,
}


@contextmanager
def _answer(
    server: Server,
    method: str,
    path: str,
    token: str,
    body: bytes | None = None,
    headers: Mapping[str, str] | None = None,
) -> Iterator[http.client.HTTPResponse]:
    with closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=_SECONDS)) as connection:
        own = {"Authorization": f"Bearer {token}", **(headers or {})}
        connection.request(method, path, body, own)
        answer = connection.getresponse()
        if answer.status != 200:
            said = answer.read(2000).decode("utf-8", "replace")
            raise BenchFailed(f"{server.contestant.name}: {method} {path[:80]}: {answer.status} {said}")
        yield answer


def _require(server: Server, lines: int, expected: int) -> None:
    if lines != expected:
        raise BenchFailed(f"{server.contestant.name} exported {lines} lines of {expected}")


def show(found: Transfers, own: str, console: Console) -> None:
    """One table an operation."""
    measured = {one.operation for each in found.rounds for one in each}
    for operation, title in FILES.items():
        if operation not in measured:
            continue
        table = Table(title=f"{title.format(**found.sizes)} (1 worker)", title_justify="left")
        table.add_column("")
        for heading in (
            f"{own} is × as fast", "aim", "rows/s", "first byte ms", "CPU µs/row", "store CPU µs/row",
            "memory growth MB",
        ):  # fmt: skip
            table.add_column(heading, justify="right")
        names = dict.fromkeys(one.contestant for each in found.rounds for one in each)
        for name in names:
            some = [
                one for each in found.rounds for one in each
                if (one.operation, one.contestant) == (operation, name)
            ]  # fmt: skip
            if some:
                table.add_row(name, *_cells(found, operation, own, name, some))
        console.print(table)


def _cells(found: Transfers, operation: str, own: str, name: str, some: list[Transfer]) -> list[str]:
    ratios = [] if name == own else found.ratios(operation, own, name)
    spread = f"{median(ratios):.2f}  ({min(ratios):.2f} to {max(ratios):.2f})" if ratios else ""
    aim = TARGETS.get((operation, name))
    growths = [one.growth for one in some if one.growth is not None]
    return [
        spread,
        f"{aim:g}" if aim else "",
        f"{median(one.rate for one in some):,.0f}",
        f"{median(one.first_byte for one in some) * 1000:.0f}" if operation == "export" else "",
        _median([one.cpu for one in some]),
        _median([one.store_cpu for one in some]),
        f"{max(growths):.0f}" if growths else "unknown",
    ]


def _median(values: list[float | None]) -> str:
    known = [value for value in values if value is not None]
    return f"{median(known):.1f}" if known else "unknown"
