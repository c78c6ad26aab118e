"""One run: writers write, faults strike, and in the end all is held against what was acknowledged."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import httpx2
from pymongo import MongoClient
from pymongo.errors import PyMongoError

from runtime.storage.store import Store
from tests.faults.inspection import findings
from tests.faults.ledger import Ledger, Wait, longest
from tests.faults.replica_set import ReplicaSet, replica_set
from tests.faults.service import REALM, ServiceProcess, served
from tests.faults.writers import CUSTOMERS, Scene, Writer

Fault = Literal["kill primary", "freeze primary", "kill service"]

SHARED = 6
_PATIENCE_SECONDS = 90.0


@dataclass(frozen=True, slots=True)
class Plan:
    """What happens, in which order; ``seed`` decides on the moments. ``bare``: writers of the driver alone."""

    faults: tuple[Fault, ...]
    seed: int
    workers: int = 1
    writers: int = 8
    bare: int = 2


@dataclass(frozen=True, slots=True)
class Stroke:
    """One fault, when it struck, and the longest waits it caused, in seconds: of a request, and of the driver
    by itself where it was the store that failed."""

    fault: Fault
    at: float
    waited: float
    driver: float | None = None


@dataclass
class Outcome:
    """What came of a run."""

    findings: list[str]
    strokes: list[Stroke]
    ledger: Ledger
    seconds: float
    bare_written: int = 0
    log: str = ""


_TOUCHED = 1.0
"""Seconds from a stroke: who asks within them waits for what comes back, also who asked nothing just then."""


@dataclass
class Bare:
    """Writers of the driver by itself, with the settings that the service gives it."""

    uri: str
    waits: list[Wait] = field(default_factory=list)
    is_over: bool = False

    async def write(self, number: int) -> None:
        """Insert one document after the other, each until it is acknowledged."""
        store = Store(self.uri)
        collection = store.bare_database("bare")[f"writes{number}"]
        try:
            while not self.is_over:
                await self._insert(collection)
                await asyncio.sleep(0.05)
        finally:
            await store.close()

    async def _insert(self, collection: Any) -> None:
        began = time.monotonic()
        while True:
            try:
                await collection.insert_one({"began": began})
            except PyMongoError:
                continue
            self.waits.append(Wait(began, time.monotonic()))
            return


def play(plan: Plan, folder: Path, tell: Callable[[str], None] = lambda _line: None) -> Outcome:
    """Run it on new files in ``folder``."""
    began = time.monotonic()
    with replica_set(folder) as members, served(members.uri, folder / "service", plan.workers) as service:
        tell(f"three mongods and the service run ({time.monotonic() - began:.0f} s)")
        scene, strokes, written = asyncio.run(_played(plan, members, service, tell))
        members.whole()
        with MongoClient[dict[str, Any]](members.uri, readConcernLevel="majority") as client:
            found = findings(client[REALM], scene.ledger, scene.shared, service.user)
        return Outcome(found, strokes, scene.ledger, time.monotonic() - began, written, service.log)


async def _played(
    plan: Plan, members: ReplicaSet, service: ServiceProcess, tell: Callable[[str], None]
) -> tuple[Scene, list[Stroke], int]:
    choose = random.Random(plan.seed)
    async with _writing(plan, service) as (scene, writers), _bare(plan, members) as bare:
        strokes = []
        for fault in plan.faults:
            await _all_answered(writers)
            await asyncio.to_thread(members.whole)
            await asyncio.sleep(choose.uniform(0.2, 1.2))
            strokes.append(await _strike(fault, members, service, scene, writers, bare, choose))
            tell(f"{fault}: {scene.ledger.acknowledged} writes acknowledged")
        await _all_answered(writers)
    return scene, strokes, len(bare.waits)


@asynccontextmanager
async def _writing(plan: Plan, service: ServiceProcess) -> AsyncIterator[tuple[Scene, list[Writer]]]:
    """Writers at work. In the end they finish what they have begun, hence nothing is in doubt."""
    headers = {"Authorization": f"Bearer {service.token}"}
    async with httpx2.AsyncClient(base_url=service.url, headers=headers, timeout=30) as client:
        scene = await _scene(client)
        writers = [
            Writer(f"W{number}", client, scene, random.Random(f"{plan.seed}/{number}"))
            for number in range(plan.writers)
        ]
        for number in range(SHARED):
            await writers[number % plan.writers].share()
        async with asyncio.TaskGroup() as group:
            for writer in writers:
                group.create_task(writer.write())
            try:
                yield scene, writers
            finally:
                scene.is_over = True


@asynccontextmanager
async def _bare(plan: Plan, members: ReplicaSet) -> AsyncIterator[Bare]:
    bare = Bare(members.uri)
    async with asyncio.TaskGroup() as group:
        for number in range(plan.bare):
            group.create_task(bare.write(number))
        try:
            yield bare
        finally:
            bare.is_over = True


async def _scene(client: httpx2.AsyncClient) -> Scene:
    """The planted records that new ones refer to."""

    async def ids(path: str) -> list[str]:
        return [row["id"] for row in (await client.get(f"{path}/list")).raise_for_status().json()["rows"]]

    product = {"entityId": (await ids("/logistics/products"))[0]}
    airport = {"entityId": (await ids("/logistics/airports"))[0]}
    return Scene(Ledger(), product, airport, await ids(CUSTOMERS))


async def _strike(
    fault: Fault,
    members: ReplicaSet,
    service: ServiceProcess,
    scene: Scene,
    writers: list[Writer],
    bare: Bare,
    choose: random.Random,
) -> Stroke:
    """Returns when everybody writes again."""
    begin = time.monotonic()
    if fault == "kill service":
        service.kill()
        await asyncio.to_thread(service.start)
        await _all_answered(writers)
        return Stroke(fault, begin, longest(scene.ledger.waits, begin, begin + _TOUCHED))
    primary = await asyncio.to_thread(members.primary)
    begin = time.monotonic()
    primary.freeze() if fault == "freeze primary" else primary.kill()
    await asyncio.to_thread(members.primary, primary)
    await asyncio.sleep(choose.uniform(0.5, 1.5))
    await _all_answered(writers)
    primary.thaw() if fault == "freeze primary" else primary.start()
    end = begin + _TOUCHED
    return Stroke(fault, begin, longest(scene.ledger.waits, begin, end), longest(bare.waits, begin, end))


async def _all_answered(writers: list[Writer]) -> None:
    """Until each writer has had an answer from now on."""
    before = [writer.answered for writer in writers]
    async with asyncio.timeout(_PATIENCE_SECONDS):
        while True:
            if all(writer.answered > number for writer, number in zip(writers, before, strict=True)):
                return
            await asyncio.sleep(0.02)
