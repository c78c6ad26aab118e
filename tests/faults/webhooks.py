"""The service, and the primary, are killed while writers write and a receiver is notified: none is lost.

In the end every version of every record was accepted, in its order, and what came twice came with its own id.
``make faults`` runs this file: ten kills of the service, three of the primary, with two workers.
"""

from __future__ import annotations

import argparse
import math
import random
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2

from tests.faults.ending import run_harness
from tests.faults.replica_set import replica_set
from tests.faults.service import ServiceProcess, served
from tests.outbox.receiver import Received, Receiver, is_signed, run_receiver

CARRIERS, WEBHOOKS = "/logistics/carriers", "/integration/webhooks"
SETTINGS = {
    "WEBHOOKS_ALLOW_PRIVATE_ADDRESSES": "true", "WEBHOOKS_RETRY_SECONDS": "0.2", "WEBHOOKS_TIMEOUT_SECONDS": "1",
    "WEBHOOKS_MAX_WAITING": "1000000",
}  # fmt: skip
_SECONDS = 120.0
"""Until a request is answered, and until all is delivered."""


@dataclass
class Run:
    """``versions``: what was acknowledged, by record. ``wrong``: what must not have happened.

    ``path``: of the records that are written; ``body``: what they have; ``label``: the field that is changed.
    ``pause``: seconds between two writes of a writer. ``ahead``: requests of a writer more than of any other,
    after which it waits, as for one whose key died in use.
    """

    service: ServiceProcess
    path: str = CARRIERS
    body: dict[str, Any] = field(default_factory=lambda: {"mode": "AIR"})
    label: str = "name"
    pause: float = 0.0
    ahead: float = math.inf
    versions: dict[str, int] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)
    answered: dict[int, int] = field(default_factory=dict)
    is_over: bool = False

    def ask(self, method: str, path: str, key: str, **options: Any) -> Any:
        """Ask until there is an answer: the key lets it take effect once."""
        headers = {"Authorization": f"Bearer {self.service.token}", "Idempotency-Key": key}
        headers |= options.pop("headers", {})
        end = time.monotonic() + _SECONDS
        while time.monotonic() < end:
            with suppress(httpx2.HTTPError):
                answer = httpx2.request(
                    method, self.service.url + path, headers=headers, timeout=10, **options
                )
                if answer.status_code < 400:
                    return answer.json() if answer.content else None
                if answer.status_code not in (409, 429, 500, 503):
                    self.wrong.append(f"{method} {path}: {answer.status_code} {answer.text}")
                    return None
            time.sleep(0.05)
        self.wrong.append(f"{method} {path}: no answer in {_SECONDS:.0f} s")
        return None

    def await_writers(self, answers: int = 5) -> None:
        """Wait until each writer has had some answers from now on: a key that died in use takes a while."""
        before, end = dict(self.answered), time.monotonic() + _SECONDS
        while time.monotonic() < end and any(self.answered[one] < before[one] + answers for one in before):
            time.sleep(0.05)

    def write(self, number: int, seed: int) -> None:
        """Create records and change them, until the run is over."""
        choose, own, keys = random.Random(f"{seed}/{number}"), list[str](), 0
        merge = {"Content-Type": "application/merge-patch+json"}
        while not self.is_over:
            time.sleep(self.pause)
            if keys > min(self.answered.values(), default=keys) + self.ahead:
                time.sleep(0.05)
                continue
            keys += 1
            self.answered[number] = keys
            key = f"W{number}-{keys}"
            if not own or choose.random() < 0.3:
                made = self.ask("POST", self.path, key, json=self.body | {self.label: key})
                if made is not None:
                    own.append(made["id"])
                    self.versions[made["id"]] = made["version"]
                continue
            one = choose.choice(own[-3:])
            changed = self.ask("PATCH", f"{self.path}/id/{one}", key, json={self.label: key}, headers=merge)
            if changed is not None:
                self.versions[one] = changed["version"]


def play(
    service: ServiceProcess,
    kills: int,
    seed: int,
    strike: Callable[[random.Random], None] | None = None,
    pause: float = 0.0,
) -> tuple[list[str], int]:
    """Run it; what is wrong, and how many notifications came. ``strike``: what else happens after each kill."""
    choose = random.Random(seed)
    with run_receiver() as receiver:
        accepted: list[Received] = []

        def answer(one: Received) -> tuple[int, dict[str, str]]:
            if choose.random() < 0.05:
                return 500, {}
            accepted.append(one)
            return 204, {}

        receiver.answer = answer
        run = Run(service, pause=pause, ahead=30)
        hook = run.ask(
            "POST",
            f"{WEBHOOKS}/create",
            "hook",
            json={"recordTypes": ["Carrier"], "address": receiver.address},
        )
        time.sleep(1.5)  # no older than a second is what a worker knows of webhooks
        threads = [threading.Thread(target=run.write, args=(number, seed)) for number in range(4)]
        for thread in threads:
            thread.start()
        for _kill in range(kills):
            time.sleep(choose.uniform(0.5, 2.0))
            service.kill()
            service.start()
            run.await_writers()
            if strike is not None:
                strike(choose)
                run.await_writers()
        time.sleep(1.0)
        run.is_over = True
        for thread in threads:
            thread.join()
        _await_all(run, receiver, accepted)
        return [*run.wrong, *find_wrong(run.versions, accepted, hook["secret"])], len(receiver.came)


def _await_all(run: Run, receiver: Receiver, accepted: list[Received]) -> None:
    """Wait until every version was accepted, and nothing more comes."""
    wanted, end = sum(run.versions.values()), time.monotonic() + _SECONDS
    while time.monotonic() < end and len({one.id for one in list(accepted)}) < wanted:
        time.sleep(0.1)
    number = -1
    while time.monotonic() < end and number < len(receiver.came):
        number = len(receiver.came)
        time.sleep(1.0)


def find_wrong(versions: dict[str, int], accepted: list[Received], secret: str) -> list[str]:
    """Compare what was accepted with what was acknowledged."""
    wrong, first, ids = list[str](), defaultdict[str, list[int]](list), dict[str, tuple[str, int]]()
    for one in accepted:
        data = one.said["data"]
        told = data["id"], data["version"]
        if ids.setdefault(one.id, told) != told:
            wrong.append(f"{one.id} is of {told} and of {ids[one.id]}")
        if data["version"] not in first[data["id"]]:
            first[data["id"]].append(data["version"])
        if not is_signed(one, secret):
            wrong.append(f"{one.id} is not signed")
    if len(set(ids.values())) < len(ids):
        wrong.append("a write was notified under two ids")
    for record, last in versions.items():
        if first[record] != list(range(1, last + 1)):
            wrong.append(f"{record} has {last} versions, and was notified of {first[record]}")
    return wrong + [f"{record} was never acknowledged" for record in first.keys() - versions.keys()]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--primaries", type=int, default=3)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, replica_set(Path(folder)) as members:
        struck = 0

        def strike(choose: random.Random) -> None:
            nonlocal struck
            if struck < given.primaries:
                struck += 1
                time.sleep(choose.uniform(0.2, 1.0))
                primary = members.primary()
                primary.kill()
                members.primary(primary)
                primary.start()

        with served(members.uri, Path(folder) / "service", given.workers, **SETTINGS) as service:
            wrong, came = play(service, given.kills, given.seed, strike)
    print(
        f"{given.kills} kills of the service, {struck} of the primary, {came} notifications: {len(wrong)} wrong"
    )
    print("\n".join(wrong[:20]))
    return 1 if wrong else 0


if __name__ == "__main__":
    run_harness(main)
