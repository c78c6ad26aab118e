"""The service, and the primary, are killed while watchers watch: each event comes once to one that resumes.

Watchers of a completion group and of shipments go on behind the last event that they got, whenever they are cut
off. In the end each has what one has that reads all of it at once, and every version that was acknowledged.
``make faults`` runs this file: ten kills of the service, three of the primary, with two workers.
"""

from __future__ import annotations

import argparse
import json
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
from tests.faults.replica_set import replica_set, waited_for
from tests.faults.service import ServiceProcess, served
from tests.faults.webhooks import Run

SHIPMENTS = "/logistics/shipments"
CHANGES = f"{SHIPMENTS}/changes"
GROUPS, TASKS = "/integration/completionTaskGroup", "/integration/completionTask"
SETTINGS = {"MONGODB_TIMEOUT_MS": "2500"}
"""Twice that is how long a key stays taken whose request died."""
WRITERS = 3
_SILENCE_SECONDS = 2.0
"""Until a watcher hangs up and connects again."""


@dataclass
class Watcher:
    """One that resumes, in a thread of its own. ``got``: ids and data of its events; ``begun``: its first id."""

    service: ServiceProcess
    path: str
    params: dict[str, str] = field(default_factory=dict)
    got: list[tuple[str, str]] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    begun: str = ""
    last_id: str = ""
    connections: int = 0
    is_over: bool = False

    def watch(self) -> None:
        """Watch until it is over."""
        while not self.is_over:
            with suppress(httpx2.HTTPError):
                self._connect()
            time.sleep(0.05)

    def _connect(self) -> None:
        headers = {"Authorization": f"Bearer {self.service.token}"}
        headers |= {"Last-Event-ID": self.last_id} if self.last_id else {}
        timeout = httpx2.Timeout(10, read=_SILENCE_SECONDS)
        url = self.service.url + self.path
        with httpx2.stream("GET", url, headers=headers, params=self.params, timeout=timeout) as answer:
            if answer.status_code == 200:
                self.connections += 1
                self._read(answer)
            elif answer.status_code != 503:
                self.wrong.append(f"{self.path}: {answer.status_code} {answer.read().decode()}")
                self.is_over = True

    def _read(self, answer: httpx2.Response) -> None:
        """Take events as browsers do: an id counts once the empty line behind it has come."""
        own_id, data = "", None
        for line in answer.iter_lines():
            if line.startswith("id: "):
                own_id = line[4:]
            elif line.startswith("data: "):
                data = line[6:]
            elif not line:
                self.last_id = own_id or self.last_id
                self.begun = self.begun or self.last_id
                if data is not None:
                    self.got.append((own_id, data))
                    self.is_over = self.is_over or data.startswith("group:")  # the last one
                own_id, data = "", None
            if self.is_over:
                return


@dataclass
class Pager(Watcher):
    """One that asks for pages instead."""

    def _connect(self) -> None:
        headers = {"Authorization": f"Bearer {self.service.token}"}
        params = self.params | {"since": self.last_id or "now", "limit": "7"}
        answer = httpx2.get(self.service.url + self.path, headers=headers, params=params, timeout=10)
        if answer.status_code != 200:
            if answer.status_code != 503:
                self.wrong.append(f"{self.path}: {answer.status_code} {answer.text}")
                self.is_over = True
            return
        page = answer.json()
        self.last_id, self.connections = page["cursor"], self.connections + 1
        self.begun = self.begun or self.last_id
        self.got += [("", json.dumps(change)) for change in page["changes"]]


@dataclass
class Completions:
    """Completes tasks of a group. A completion has no key: where the answer is lost, it happens again."""

    run: Run
    group: str
    tasks: dict[str, int] = field(default_factory=dict)
    """How often each was asked for."""

    def write(self) -> None:
        headers = {"Authorization": f"Bearer {self.run.service.token}"}
        number = 0
        while not self.run.is_over:
            number += 1
            self.run.answered[-1] = number
            made = self.run.ask("POST", f"{TASKS}/create/{self.group}", f"T{number}", json={})
            url = f"{self.run.service.url}{TASKS}/complete/{made['id']}?status=SUCCESS"
            is_done = False
            while not is_done:
                self.tasks[made["id"]] = self.tasks.get(made["id"], 0) + 1
                with suppress(httpx2.HTTPError):
                    is_done = httpx2.put(url, headers=headers, timeout=10).status_code == 200
                time.sleep(0.02)


def play(service: ServiceProcess, strikes: list[Callable[[], None]], seed: int) -> tuple[list[str], int, int]:
    """Run it; return what is wrong, how many events came, and how often watchers connected."""
    choose, run = random.Random(seed), _prepare(service)
    group = run.ask("POST", f"{GROUPS}/create", "group", json={})["id"]
    completions = Completions(run, group)
    subscribe = f"{GROUPS}/subscribe/{group}"
    changes = [
        Watcher(service, CHANGES),
        Watcher(service, CHANGES, {"filter": "notes:*1"}),
        Pager(service, CHANGES),
    ]
    groups = [Watcher(service, subscribe), Watcher(service, subscribe)]
    watching = [threading.Thread(target=one.watch) for one in (*changes, *groups)]
    writing = [threading.Thread(target=run.write, args=(number, seed)) for number in range(WRITERS)]
    writing.append(threading.Thread(target=completions.write))
    for thread in watching:
        thread.start()
    try:
        waited_for(lambda: all(one.begun for one in (*changes, *groups)), "the first ids")
        for thread in writing:
            thread.start()
        _await_answers(run)
        for strike in strikes:
            time.sleep(choose.uniform(0.1, 0.6))
            strike()
            _await_answers(run)
        run.is_over = True
        for thread in writing:
            thread.join()
        run.ask("PATCH", f"{GROUPS}/id/{group}", "end", json={"status": "COMPLETE"}, headers=MERGE)
        wanted = [_read_all(one) for one in changes]
        _await(lambda: all(len(one.got) >= len(all_) for one, all_ in zip(changes, wanted, strict=True)))
        _await(lambda: all(one.got and one.got[-1][1].startswith("group:") for one in groups))
        time.sleep(0.5)  # whatever would come twice has time to
    finally:
        run.is_over = True
        for one in (*changes, *groups):
            one.is_over = True
        for thread in watching:
            thread.join()
    wrong = [*run.wrong]
    for one, all_ in zip(changes, wanted, strict=True):
        name = f"{type(one).__name__} {one.params}"
        wrong += one.wrong + find_wrong(name, [json.loads(data) for _id, data in one.got], all_)
    wrong += find_unlike_versions([json.loads(data) for _id, data in changes[0].got], run.versions)
    for one in groups:
        wrong += one.wrong + find_wrong(
            "group", [data for _id, data in one.got], [data for _id, data in groups[0].got]
        )
        wrong += find_uncompleted([data for _id, data in one.got], completions.tasks, group)
    for one in (*changes, *groups):
        ids = [own_id for own_id, _data in one.got if own_id]
        wrong += [f"{one.path}: an id came twice"] * (len(set(ids)) < len(ids))
    every = (*changes, *groups)
    return (
        wrong,
        sum(len(one.got) for one in every),
        sum(one.connections for one in every if not isinstance(one, Pager)),
    )


def _await_answers(run: Run) -> None:
    """Wait for some answers from now on, of whichever writer: some may have to wait for the keys of the dead."""
    before = sum(run.answered.values())
    waited_for(lambda: sum(run.answered.values()) > before + 2 * WRITERS, "answers")


MERGE = {"Content-Type": "application/merge-patch+json"}


def _prepare(service: ServiceProcess) -> Run:
    """Return writers of shipments of the demonstration's customers."""
    headers = {"Authorization": f"Bearer {service.token}"}

    def find(path: str) -> dict[str, str]:
        rows = (
            httpx2.get(f"{service.url}{path}/list", headers=headers, timeout=30)
            .raise_for_status()
            .json()["rows"]
        )
        return {"entityId": rows[0]["id"]}

    airport = find("/logistics/airports")
    body = {"customer": find("/logistics/customers"), "origin": airport, "destination": airport}
    return Run(service, path=SHIPMENTS, body=body, label="notes")


def _read_all(one: Watcher) -> list[Any]:
    """Return all that has happened since a watcher began, page by page, with nothing struck."""
    headers = {"Authorization": f"Bearer {one.service.token}"}
    found, since, has_more = list[Any](), one.begun, True
    while has_more:
        params = one.params | {"since": since}
        answer = httpx2.get(one.service.url + one.path, headers=headers, params=params, timeout=30)
        page = answer.raise_for_status().json()
        found, since, has_more = found + page["changes"], page["cursor"], page["hasMore"]
    return found


def _await(condition: Callable[[], bool]) -> None:
    """Wait for a while: what has not come then is reported as lost."""
    end = time.monotonic() + 20
    while not condition() and time.monotonic() < end:
        time.sleep(0.05)


def find_wrong(name: str, got: list[Any], wanted: list[Any]) -> list[str]:
    """Compare what a watcher got with what happened, in its order."""
    mine, all_ = [json.dumps(one)[:90] for one in got], [json.dumps(one)[:90] for one in wanted]
    wrong = [
        f"{name}: {one} came {mine.count(one)} times, not {all_.count(one)}"
        for one in {*mine, *all_}
        if mine.count(one) != all_.count(one)
    ]
    return wrong or ([] if got == wanted else [f"{name}: came in another order, or with other records"])


def find_unlike_versions(got: list[Any], versions: dict[str, int]) -> list[str]:
    """Compare what a watcher got with what was acknowledged: each version of a record once, in its order."""
    found = defaultdict[str, list[int]](list)
    for change in got:
        found[change["id"]].append(change["version"])
    wrong = [
        f"{record} has {last} versions, and these came: {found[record]}"
        for record, last in versions.items()
        if found[record] != list(range(1, last + 1))
    ]
    return wrong + [f"{record} was never acknowledged" for record in found.keys() - versions.keys()]


def find_uncompleted(got: list[str], tasks: dict[str, int], group: str) -> list[str]:
    """Compare with what was asked for: each completion at least once, and the end at the end."""
    told = defaultdict[str, int](int)
    for data in got[:-1]:
        told[data.split(":")[1]] += 1
    wrong = [] if got[-1:] == [f"group:{group}:COMPLETE"] else ["the end of the group has not come"]
    wrong += [
        f"{task} was completed 1 to {most} times, and {told[task]} came"
        for task, most in tasks.items()
        if not 1 <= told[task] <= most
    ]
    return wrong + [f"{task} was never completed" for task in told.keys() - tasks.keys()]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--primaries", type=int, default=3)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as folder,
        replica_set(Path(folder)) as members,
        served(members.uri, Path(folder) / "service", given.workers) as service,
    ):

        def kill_service() -> None:
            service.kill()
            service.start()

        def kill_primary() -> None:
            members.whole()
            primary = members.primary()
            primary.kill()
            members.primary(primary)
            primary.start()

        strikes = [kill_service] * given.kills + [kill_primary] * given.primaries
        random.Random(given.seed).shuffle(strikes)
        wrong, came, connections = play(service, strikes, given.seed)
    print(
        f"{given.kills} kills of the service, {given.primaries} of the primary: {came} events "
        f"over {connections} connections, {len(wrong)} wrong"
    )
    print("\n".join(wrong[:20]))
    return 1 if wrong else 0


if __name__ == "__main__":
    run_harness(main)
