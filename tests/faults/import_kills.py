"""``make faults``: an import committed under kills, and a table of them. Exit code 1 when a row is not there once.

``python tests/faults/import_kills.py [--rows N] [--services N] [--primaries N] [--workers N] [--seed N]``
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tests.faults.ending import run_harness
from tests.faults.imports import Kill, Outcome, play

_MOST_SHOWN = 50


def main() -> int:
    """Run, tell, and say whether all is there."""
    options = _options()
    kills: list[Kill] = ["service"] * options.services
    kills += ["primary"] * options.primaries
    random.Random(options.seed).shuffle(kills)
    out, began = Console(), time.monotonic()
    out.print(f"seed {options.seed}: {options.rows} rows, {len(kills)} kills, {options.workers} workers")
    with tempfile.TemporaryDirectory(prefix="recordsmith-imports-") as folder:
        outcome = play(
            options.rows, kills, options.seed, options.workers, Path(folder),
            lambda line: out.print(f"{time.monotonic() - began:6.1f} s  {line}"),
        )  # fmt: skip
    _show(out, outcome, options.rows)
    if len(outcome.strikes) < len(kills):
        out.print(f"the commit had ended after {len(outcome.strikes)} kills: ask for more rows")
        return 1
    return 1 if outcome.findings else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows", type=int, default=50_000)
    parser.add_argument("--services", type=int, default=5, help="kills of the service with all its workers")
    parser.add_argument("--primaries", type=int, default=5, help="kills of MongoDB's primary")
    parser.add_argument("--workers", type=int, default=2, help="of the service")
    parser.add_argument("--seed", type=int, default=random.randrange(10_000))
    return parser.parse_args()


def _show(out: Console, outcome: Outcome, rows: int) -> None:
    table = Table("kill of", "last row stored", "a new one after, s", "goes on after, s", title="kills")
    for strike in outcome.strikes:
        table.add_row(strike.kill, str(strike.position), f"{strike.back:.1f}", f"{strike.on:.1f}")
    out.print(table)
    answers = ", ".join(f"{said}: {times}" for said, times in sorted(outcome.answers.items()))
    out.print(f"{rows} rows committed in {outcome.seconds:.0f} s; the clients were answered {answers}")
    for finding in outcome.findings[:_MOST_SHOWN]:
        out.print(f"BROKEN  {finding}", markup=False)
    out.print(f"{len(outcome.findings)} promises broken")


if __name__ == "__main__":
    run_harness(main)
