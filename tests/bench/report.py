"""From slices to figures: medians, and ratios taken within each round before their median.

Two slices of one round lie seconds apart, so a machine that slows down in between slows both; that is
why the ratio of each round comes first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from contestants import OPERATIONS, SERVICE
from rich.console import Console
from rich.table import Table
from transfers import Transfers

TARGETS: Mapping[tuple[str, str], float] = {
    ("list", "fastapi"): 3, ("list", "beanie"): 3.5, ("list", "eve"): 7, ("list", "fastify"): 2.5,
    ("expand", "fastapi"): 2, ("expand", "beanie"): 2, ("expand", "eve"): 5,
    ("get", "fastapi"): 3.2, ("get", "eve"): 4, ("get", "fastify"): 1.3,
    ("insert", "fastapi"): 1.4, ("insert", "eve"): 4, ("insertUnchecked", "fastify"): 1,
    ("patch", "fastapi"): 2, ("patch", "eve"): 3, ("patch", "fastify"): 1.2,
}  # fmt: skip
"""What the project aims at. Shown beside the figures, never asserted."""

OWN_TARGETS: Mapping[tuple[str, str], float] = {("expand", "listNew"): 0.55, ("gateway", "list"): 0.9}
"""Likewise: one operation of this service beside another that remembers as much."""


@dataclass(frozen=True)
class Slice:
    """One contestant at one operation in one round; CPU in milliseconds a request, None if unknown."""

    operation: str
    contestant: str
    workers: int
    rate: float
    cpu: float | None = None
    store_cpu: float | None = None
    bad: int = 0
    first_bad: str = ""


@dataclass
class Results:
    """All slices, by round, and the memory of a worker (MB) after them."""

    rounds: list[list[Slice]] = field(default_factory=list)
    memory: dict[str, float | None] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    files: Transfers | None = None

    def ratio(self, operation: str, other: str, workers: int) -> list[float]:
        """How much faster this service was, round by round. Against unchecked inserts it still checks."""
        own = "insert" if operation == "insertUnchecked" else operation
        pairs = []
        for slices in self.rounds:
            rates = {(s.operation, s.contestant): s.rate for s in slices if s.workers == workers}
            if (own, SERVICE) in rates and rates.get((operation, other)):
                pairs.append(rates[own, SERVICE] / rates[operation, other])
        return pairs

    def own_ratio(self, operation: str, other: str) -> list[float]:
        """How fast this service was at an operation, as a part of another, round by round; one worker."""
        pairs = []
        for slices in self.rounds:
            rates = {s.operation: s.rate for s in slices if (s.contestant, s.workers) == (SERVICE, 1)}
            if operation in rates and rates.get(other):
                pairs.append(rates[operation] / rates[other])
        return pairs

    def slices(self, operation: str, contestant: str, workers: int) -> list[Slice]:
        """In the order of the rounds."""
        asked = (operation, contestant, workers)
        return [s for each in self.rounds for s in each if (s.operation, s.contestant, s.workers) == asked]

    def faults(self) -> list[str]:
        """Cells that do not count, and why."""
        return sorted(
            {
                f"{s.contestant} {s.operation}: answers outside 2xx, so its figures do not count. "
                f"The first: {s.first_bad[:400]}"
                for each in self.rounds
                for s in each
                if s.bad
            }
        )

    def as_json(self) -> dict[str, Any]:
        """Every figure, for other programs."""
        return {
            "rounds": [[vars(s) for s in each] for each in self.rounds],
            "memoryMb": self.memory,
            "notes": self.notes,
            "files": [[vars(one) for one in each] for each in self.files.rounds] if self.files else [],
            "faults": self.faults(),
        }


def show(results: Results, console: Console) -> None:
    """One table an operation and number of workers."""
    keys = list(dict.fromkeys((s.workers, s.operation) for each in results.rounds for s in each))
    for workers, operation in sorted(keys, key=lambda key: (key[0], list(OPERATIONS).index(key[1]))):
        console.print(_table(results, operation, workers))
    for (operation, other), aim in OWN_TARGETS.items():
        if ratios := results.own_ratio(operation, other):
            spread = f"{median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"
            console.print(f"{operation}: {spread} × {other}, aim {aim}")
    for name, mb in results.memory.items():
        console.print(f"memory of a worker at rest after the run, {name}: {_figure(mb, 0)} MB")
    for line in (*results.notes, *results.faults()):
        console.print(line, markup=False)


def _table(results: Results, operation: str, workers: int) -> Table:
    plural = "worker" if workers == 1 else "workers"
    table = Table(title=f"{OPERATIONS[operation]} ({workers} {plural})", title_justify="left")
    table.add_column("")
    for heading in (
        "recordsmith is × as fast",
        "aim",
        "requests/s",
        "CPU ms/request",
        "store CPU ms/request",
    ):
        table.add_column(heading, justify="right")
    names = dict.fromkeys(s.contestant for each in results.rounds for s in each if s.operation == operation)
    for name in names:
        slices = results.slices(operation, name, workers)
        if slices:
            table.add_row(name, *_cells(results, operation, name, workers, slices))
    return table


def _cells(results: Results, operation: str, name: str, workers: int, slices: Sequence[Slice]) -> list[str]:
    if any(s.bad for s in slices):
        return ["does not count", "", "", "", ""]
    ratios = [] if name == SERVICE else results.ratio(operation, name, workers)
    spread = f"{median(ratios):.2f}  ({min(ratios):.2f} to {max(ratios):.2f})" if ratios else ""
    aim = TARGETS.get((operation, name)) if workers == 1 else None
    return [
        spread,
        f"{aim:g}" if aim else "",
        f"{median(s.rate for s in slices):,.0f}",
        _figure(_median(s.cpu for s in slices), 2),
        _figure(_median(s.store_cpu for s in slices), 2),
    ]


def _median(values: Any) -> float | None:
    known = [value for value in values if value is not None]
    return median(known) if known else None


def _figure(value: float | None, digits: int) -> str:
    return "unknown" if value is None else f"{value:.{digits}f}"
