"""What is measured, and how long: the command line of ``compare.py``."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from transfers import FILES_TOLD

TRANSFER = "transfer"


@dataclass(frozen=True)
class Plan:
    """How much is measured: seconds a slice, rounds, worker counts, records; rows of files, by direction."""

    seconds: float
    warm_up: float
    rounds: int
    workers: tuple[int, ...]
    records: int
    files: Mapping[str, int]
    only: frozenset[str]

    @property
    def has_files(self) -> bool:
        """Whether files are measured, which one worker does alone."""
        return 1 in self.workers and bool(self.operations)

    @property
    def operations(self) -> tuple[str, ...]:
        """What is done with files; one import needs those before it."""
        if not self.only or TRANSFER in self.only:
            return FILES_TOLD
        asked = [at for at, one in enumerate(FILES_TOLD) if any(map(one.startswith, self.only))]
        return tuple(
            one
            for at, one in enumerate(FILES_TOLD)
            if at in asked or (one.startswith("import") and asked and at < asked[-1])
        )

    @property
    def has_requests(self) -> bool:
        """Whether anything but files is measured."""
        return not self.only or not self.operations


def arguments(description: str) -> argparse.Namespace:
    """What the command line says; ``plan`` among it."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--quick", action="store_true", help="a look of less than a minute: 10,000 records")
    parser.add_argument("--seconds", type=float, help="of one slice")
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--workers", type=int, choices=(1, 2), help="only this number of workers")
    parser.add_argument(
        "--only", nargs="*", default=[], help="operations, contestants; export, import, transfer"
    )
    parser.add_argument("--json", type=Path, help="where to write every figure")
    options = parser.parse_args()
    quick = options.quick
    options.plan = Plan(
        seconds=options.seconds or (0.4 if quick else 3.0),
        warm_up=0.1 if quick else 1.0,
        rounds=options.rounds or (2 if quick else 5),
        workers=(options.workers,) if options.workers else (1,) if quick else (1, 2),
        records=int(os.environ.get("BENCH_RECORDS") or (10_000 if quick else 200_000)),
        files={"exported": 10_000, "imported": 5_000} if quick else {"exported": 100_000, "imported": 50_000},
        only=frozenset(options.only),
    )
    return options
