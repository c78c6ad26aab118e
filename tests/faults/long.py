"""``make faults``: many kills under load, and a table of what they cost. Exit code 1 when a promise broke.

``python tests/faults/long.py [--kills N] [--freezes N] [--services N] [--workers N] [--writers N] [--seed N]``
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
from tests.faults.play import Fault, Outcome, Plan, play

ALLOWED_SECONDS = 0.5
"""How much longer a request may wait than the driver by itself."""
_MOST_SHOWN = 50


def main() -> int:
    """Run, tell, and say whether all is there."""
    options = _options()
    faults: list[Fault] = ["kill primary"] * options.kills
    faults += ["freeze primary"] * options.freezes
    faults += ["kill service"] * options.services
    random.Random(options.seed).shuffle(faults)
    plan = Plan(tuple(faults), options.seed, workers=options.workers, writers=options.writers)
    out, began = Console(), time.monotonic()
    out.print(f"seed {options.seed}: {len(faults)} faults, {plan.writers} writers, {plan.workers} workers")
    with tempfile.TemporaryDirectory(prefix="recordsmith-faults-") as folder:
        outcome = play(
            plan, Path(folder), lambda line: out.print(f"{time.monotonic() - began:6.1f} s  {line}")
        )
    _show(out, outcome)
    return 1 if outcome.findings else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--kills", type=int, default=10, help="of the primary")
    parser.add_argument("--freezes", type=int, default=2, help="of the primary")
    parser.add_argument("--services", type=int, default=4, help="kills of the service with all its workers")
    parser.add_argument("--workers", type=int, default=2, help="of the service")
    parser.add_argument("--writers", type=int, default=8)
    parser.add_argument("--seed", type=int, default=random.randrange(10_000))
    return parser.parse_args()


def _show(out: Console, outcome: Outcome) -> None:
    out.print(_of_strokes(outcome))
    waits = sorted(wait.seconds for wait in outcome.ledger.waits)
    out.print(_of_answers(outcome))
    out.print(
        f"{outcome.ledger.acknowledged} writes acknowledged in {outcome.seconds:.0f} s; "
        f"a request takes {waits[len(waits) // 2] * 1000:.0f} ms (median)"
    )
    late = [
        one for one in outcome.strokes if one.driver is not None and one.waited > one.driver + ALLOWED_SECONDS
    ]
    out.print(f"longer than the driver by more than {ALLOWED_SECONDS} s: {len(late)}")
    for finding in outcome.findings[:_MOST_SHOWN]:
        out.print(f"BROKEN  {finding}", markup=False)
    out.print(f"{len(outcome.findings)} promises broken")


def _of_strokes(outcome: Outcome) -> Table:
    """Seconds; the last column is what the service adds to what its driver costs."""
    table = Table("fault", "longest wait", "the driver's own", "more", title="stalls, in seconds")
    for stroke in outcome.strokes:
        driver = ("", "") if stroke.driver is None else (stroke.driver, stroke.waited - stroke.driver)
        table.add_row(stroke.fault, *(one if one == "" else f"{one:.2f}" for one in (stroke.waited, *driver)))
    return table


def _of_answers(outcome: Outcome) -> Table:
    table = Table("answer", "times", title="what the writers were answered")
    for said, times in sorted(outcome.ledger.answers.items()):
        table.add_row(said, str(times))
    return table


if __name__ == "__main__":
    run_harness(main)
