"""The life of one service: each release begins next to the one before, moves its records, and goes on alone."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import httpx2

from tests.life.clients import Client, Peer, Scene
from tests.life.inspection import compare_records, load_records
from tests.life.model import Entry, change_views
from tests.life.processes import Realm, RefusedError, Service, open_realm
from tests.life.project import Project, create_project, list_breaks
from tests.life.releases import BASE_VIEWS, PARCELS, Release, Views

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Plan:
    """``records`` at the beginning; ``requests`` of each client before anything goes on; ``kills`` of each run.

    ``workers``: processes of each service.
    """

    releases: Sequence[Release]
    records: int
    clients: int = 4
    requests: int = 12
    kills: int = 0
    seed: int = 1
    workers: int = 1


@dataclass
class Outcome:
    """What came of a life. ``rows``: a line for each release."""

    wrong: list[str] = field(default_factory=list)
    answers: dict[str, int] = field(default_factory=dict)
    acknowledged: int = 0
    records: int = 0
    rows: list[str] = field(default_factory=list)


@dataclass
class Life:
    """A service that lives: the release that serves, and what its clients see."""

    plan: Plan
    realm: Realm
    project: Project
    service: Service
    views: Views
    scene: Scene
    clients: list[Client]
    stack: AsyncExitStack
    outcome: Outcome

    async def release(self, release: Release) -> None:
        """Replace the service by one of the next release."""
        began = time.monotonic()
        later = await asyncio.to_thread(
            self.project.change, release.edits, self.realm.folder / f"release{self.project.number + 1}"
        )
        found = list_breaks(self.project.compare(later))
        if found != release.breaks:
            self.scene.report(f"{release.name}: diff calls breaking {sorted(found ^ release.breaks)}")
        views = change_views(self.views, release.shows)
        await self._prepare(release)
        service = await self._start(release, later)
        self._move(release)
        await self._share(release, service, views)
        new = await self._peer(service, views)
        await self._replace(new, service)
        for path in release.moves:
            self.scene.model.entries.pop(path, None)
        earlier, self.project, self.views = (self.project, self.views), later, views
        moved = await self._migrate(release)
        await self._inspect(release.name, new)
        for name in release.undone:
            new = await self._undo(release, name, earlier)
        self.outcome.rows.append(f"{release.name}: {moved}; {time.monotonic() - began:.1f} s in all")

    async def _prepare(self, release: Release) -> None:
        """Let clients change what the next release has no place for, and never write it again."""
        if release.retires is None:
            return
        async with self._quiet():
            self.scene.drawn = change_views(self.views, release.shows)
            for client in self.clients:
                for record in client.own[PARCELS]:
                    values = self.scene.model.entries[PARCELS][record].values
                    changed = {
                        name: value
                        for name, value in release.retires(values).items()
                        if values.get(name) != value
                    }
                    if changed:
                        await client.change(self.scene.peers[0], PARCELS, record, changed)

    async def _start(self, release: Release, project: Project) -> Service:
        """Start the next release; where records conflict with it, only after clients have changed them."""
        if release.conflict is None:
            return await asyncio.to_thread(self.realm.start, project)
        doubles = [client.own[PARCELS][0] for client in self.clients[:2]]
        entries = self.scene.model.entries[PARCELS]
        values = {"code": entries[doubles[0]].values["code"]}
        async with self._quiet():
            await self.clients[1].change(self.scene.peers[0], PARCELS, doubles[1], values)
        try:
            await asyncio.to_thread(self.realm.start, project)
            self.scene.report(f"{release.name}: started over duplicates")
        except RefusedError as refused:
            if values["code"] not in str(refused):
                self.scene.report(f"{release.name}: refused without the duplicates: {refused}")
        async with self._quiet():
            await self.clients[1].change(self.scene.peers[0], PARCELS, doubles[1], {"code": "unique again"})
        return await asyncio.to_thread(self.realm.start, project)

    def _move(self, release: Release) -> None:
        """Let both paths of a record type that is called otherwise have the same records."""
        for holder in (self.scene.model.entries, *(client.own for client in self.clients)):
            for path, later in release.moves.items():
                records: Any = holder
                records[later] = records.setdefault(
                    path, [] if holder is not self.scene.model.entries else {}
                )

    async def _share(self, release: Release, service: Service, views: Views) -> None:
        """Let clients use both; those of before use the new one too, where nothing breaks for them."""
        old, new = self.scene.peers[0], await self._peer(service, views)
        is_safe = all(one.startswith("data-") for one in release.breaks)
        earlier = [Peer(new.http, self.views, is_strict=False)] if is_safe else []
        async with self._quiet():
            self.scene.peers = [old, new, *earlier]
        await self._wait_for_requests()

    async def _replace(self, new: Peer, service: Service) -> None:
        """Send clients to the new service alone, and stop the old one."""
        async with self._quiet():
            self.scene.peers = [new]
        await asyncio.to_thread(self.service.stop)
        self.service = service

    async def _migrate(self, release: Release) -> str:
        """Move the records under the eyes of clients."""
        words = ("migrate", "run")
        if release.losses:
            await self._refuse(release)
            words = (*words, *(part for name in release.losses for part in ("--accept-loss", name)))
        self.scene.settle = release.settle
        for number in range(self.plan.kills):
            process = self.realm.begin(self.project, *words)
            await self._wait_for_requests(3 * (number + 1))
            process.kill()
            await asyncio.to_thread(process.wait)
        began = time.monotonic()
        done: list[dict[str, Any]] = await asyncio.to_thread(self.realm.run, self.project, *words)
        seconds = time.monotonic() - began
        async with self._quiet():
            self._settle(release)
            self.scene.settle, self.scene.drawn = None, self.views
        await self._wait_for_requests()
        await self._require_done()
        moved = sum(one["moved"] for one in done)
        return f"{moved} records moved in {seconds:.1f} s" if done else "nothing to move"

    def _settle(self, release: Release) -> None:
        for path, entries in self.scene.model.entries.items():
            for entry in entries.values():
                values = release.settle(path, entry.values)
                if values != entry.values:
                    entry.version += not release.losses
                    entry.values = values
        for path, (target, added) in release.merges.items():
            merged = self.scene.model.entries.pop(path, {})
            for record, entry in merged.items():
                self.scene.model.entries.setdefault(target, {})[record] = Entry(entry.values | added)
            for client in self.clients:
                client.own.setdefault(target, []).extend(client.own.pop(path, []))

    async def _refuse(self, release: Release) -> None:
        """Look that a run that would lose values says so, with their number, and changes nothing."""
        try:
            await asyncio.to_thread(self.realm.run, self.project, "migrate", "run")
            self.scene.report(f"{release.name}: ran without --accept-loss")
        except RefusedError as refused:
            if not all(name in str(refused) for name in release.losses):
                self.scene.report(f"{release.name}: refused otherwise: {refused}")

    async def _require_done(self) -> None:
        plans = await asyncio.to_thread(self.realm.run, self.project, "migrate", "plan")
        status = await asyncio.to_thread(self.realm.run, self.project, "migrate", "status")
        due = [one for realm in plans for one in (*realm["migrations"], *realm.get("byHand", ()))]
        if due or any(one["phase"] != "DONE" for one in status):
            self.scene.report(f"due after all is moved: {due} {status}")

    async def _undo(self, release: Release, name: str, earlier: tuple[Project, Views]) -> Peer:
        """Undo a migration, let the release of before serve next to this one, and migrate again."""
        status = await asyncio.to_thread(self.realm.run, self.project, "migrate", "status")
        latest = [one["name"] for one in status if one["name"].startswith(f"{name}.")][-1]
        await asyncio.to_thread(self.realm.run, self.project, "migrate", "undo", latest)
        project, views = earlier
        former = await asyncio.to_thread(self.realm.start, project)
        new = self.scene.peers[0]
        async with self._quiet():
            self.scene.drawn = self.views if release.retires else views
            self.scene.peers = [await self._peer(former, views), new]
        await self._wait_for_requests()
        await self._inspect(f"{release.name}, undone", self.scene.peers[0])
        async with self._quiet():
            self.scene.peers = [new]
        await asyncio.to_thread(former.stop)
        await self._migrate(release)
        await self._inspect(f"{release.name}, again", new)
        return new

    async def _inspect(self, name: str, peer: Peer) -> None:
        async with self._quiet():
            for line in await compare_records(self.scene.model, peer):
                self.scene.report(f"after {name}: {line}")

    async def _peer(self, service: Service, views: Views) -> Peer:
        token = await asyncio.to_thread(self.realm.sign_in, service)
        http = httpx2.AsyncClient(
            base_url=service.url, headers={"Authorization": f"Bearer {token}"}, timeout=60
        )
        return Peer(await self.stack.enter_async_context(http), views)

    async def _wait_for_requests(self, number: int | None = None) -> None:
        await asyncio.gather(*(one.wait_for(number or self.plan.requests) for one in self.clients))

    @asynccontextmanager
    async def _quiet(self) -> AsyncIterator[None]:
        """Hold all clients between two requests."""
        async with AsyncExitStack() as stack:
            for client in self.clients:
                await stack.enter_async_context(client.lock)
            yield


def play(plan: Plan, uri: str, name: str, folder: Path, tell: Tell = lambda _line: None) -> Outcome:
    """Live through all releases."""
    with open_realm(uri, name, folder, plan.workers) as realm:
        return asyncio.run(_play(plan, realm, tell))


async def _play(plan: Plan, realm: Realm, tell: Tell) -> Outcome:
    outcome, scene = Outcome(), Scene(drawn=BASE_VIEWS)
    project = create_project(realm.folder / "release0")
    service = await asyncio.to_thread(realm.start, project)
    clients = [Client(f"C{n}", scene, Random(f"{plan.seed}/{n}")) for n in range(plan.clients)]
    async with AsyncExitStack() as stack:
        life = Life(plan, realm, project, service, BASE_VIEWS, scene, clients, stack, outcome)
        peer = await life._peer(service, BASE_VIEWS)
        scene.peers = [peer]
        await load_records(peer, clients, plan.records)
        async with asyncio.TaskGroup() as group:
            for one in clients:
                group.create_task(one.work())
            try:
                for release in plan.releases:
                    await life.release(release)
                    tell(outcome.rows[-1])
            finally:
                scene.is_over = True
        await life._inspect("the end", scene.peers[0])
    outcome.wrong, outcome.answers = scene.model.wrong, dict(scene.answers)
    outcome.acknowledged = scene.model.acknowledged
    outcome.records = sum(map(len, scene.model.entries.values()))
    return outcome
