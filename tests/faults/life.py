"""``make faults``: the life of one service, release after release, under the eyes of clients. Exit code 1 when
something is lost, an answer is wrong or ``recordsmith diff`` is.

``python tests/faults/life.py [--records N] [--kills N] [--clients N] [--workers N] [--seed N] [--only WORD]``
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from pathlib import Path

from rich.console import Console

from runtime.storage.embedded import run_embedded
from tests.faults.ending import run_harness
from tests.life.play import Plan, play
from tests.life.releases import LIFE

_MOST_SHOWN = 50


def main() -> int:
    """Live through all releases, tell of each, and say whether all is there."""
    options = _options()
    releases = [one for one in LIFE if not options.only or any(word in one.name for word in options.only)]
    plan = Plan(
        releases,
        options.records,
        options.clients,
        options.requests,
        options.kills,
        options.seed,
        options.workers,
    )
    out, began = Console(soft_wrap=True), time.monotonic()
    out.print(
        f"seed {options.seed}: {len(releases)} releases, {plan.records} records, {plan.clients} clients"
    )
    with tempfile.TemporaryDirectory(prefix="recordsmith-life-") as folder, run_embedded(Path(folder)) as uri:
        outcome = play(
            plan,
            uri,
            "life",
            Path(folder),
            lambda line: out.print(f"{time.monotonic() - began:6.1f} s  {line}"),
        )
    answers = ", ".join(f"{number} × {status}" for status, number in sorted(outcome.answers.items()))
    out.print(f"{outcome.acknowledged} writes acknowledged, {outcome.records} records; answers: {answers}")
    for line in outcome.wrong[:_MOST_SHOWN]:
        out.print(f"BROKEN  {line}", markup=False)
    out.print(f"{len(outcome.wrong)} promises broken")
    return 1 if outcome.wrong else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--records", type=int, default=50_000)
    parser.add_argument("--clients", type=int, default=4)
    parser.add_argument("--requests", type=int, default=50, help="of each client before a release goes on")
    parser.add_argument("--kills", type=int, default=1, help="of each run of a migration")
    parser.add_argument("--workers", type=int, default=1, help="processes of each service")
    parser.add_argument("--only", action="append", help="releases whose name has this word")
    parser.add_argument("--seed", type=int, default=random.randrange(10_000))
    return parser.parse_args()


if __name__ == "__main__":
    run_harness(main)
