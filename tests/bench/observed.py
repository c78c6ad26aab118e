"""What metrics and traces cost a get: processor time of a request with and without, in alternating runs.

``python tests/bench/observed.py [--rounds 400]``. One application after another would measure the machine: two
are open at once in this process, one observed and one not, and take turns of some dozen requests. Metrics
are written as by several workers, one request in a hundred is traced, and slow commands are looked for.
Printed are the medians of both, and of the quotients of neighbouring turns.
"""

from __future__ import annotations

import argparse
import gc
import os
import tempfile
import time
from itertools import cycle
from pathlib import Path
from statistics import median
from typing import Any

import uvloop
from contestants import World, contestants, service_environment
from corpus import Corpus
from profiled import _answer, _scoped, _tokens
from pymongo import MongoClient

from runtime.storage.embedded import run_embedded

RECORDS, REQUESTS = 20_000, 40


def main() -> None:
    """Load, run, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=400)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory(prefix="recordsmith-observed-") as name:
        folder = Path(name)
        (folder / "metrics").mkdir()
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(folder / "metrics")
        with run_embedded(folder) as uri:
            os.environ |= service_environment(uri)
            uvloop.run(_compare(rounds, uri, folder))


async def _compare(rounds: int, uri: str, folder: Path) -> None:
    from generated.app import create
    from runtime.settings import Settings

    plain_settings = Settings.read(data_folder=folder, log_level="ERROR")
    watched = {
        "metrics_token": "a token for the bench",
        "tracing_endpoint": "http://127.0.0.1:9",
        "tracing_ratio": 0.01,
        "slow_query_ms": 500,
    }
    plain, observed = (
        create(plain_settings),
        create(Settings.read(data_folder=folder, log_level="ERROR", **watched)),
    )
    corpus = Corpus(RECORDS, 1000)
    async with plain.router.lifespan_context(plain), observed.router.lifespan_context(observed):
        with MongoClient[dict[str, Any]](uri) as client:
            corpus.load(client, copies=())
        texts = contestants(uri, folder)[0].requests("get", World(corpus, await _tokens(plain)))
        requests = cycle([_scoped(text) for text in texts])
        for app in (plain, observed) * 2:
            await _time(app, requests)
        gc.collect()
        gc.freeze()
        gc.disable()
        pairs = []
        for number in range(rounds):
            order = (plain, observed) if number % 2 else (observed, plain)
            taken = {id(app): await _time(app, requests) for app in order}
            pairs.append((taken[id(plain)], taken[id(observed)]))
    without, with_it = (median(side) for side in zip(*pairs, strict=True))
    cost = median(after / before - 1 for before, after in pairs)
    print(
        f"get: {without:.0f} µs of CPU without, {with_it:.0f} µs with; {cost:+.1%} in the median of {rounds} turns"
    )


async def _time(app: Any, requests: Any) -> float:
    """Microseconds of processor time of a request."""
    busy = time.process_time()
    for _request in range(REQUESTS):
        await _answer(app, *next(requests))
    return (time.process_time() - busy) / REQUESTS * 1e6


if __name__ == "__main__":
    main()
