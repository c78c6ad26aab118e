"""Clients of releases: each has records that nobody else writes, so it knows what every answer has to be.

A client talks to one peer at a time, a release it was written for and a service that it asks. Of two services
side by side it asks the one, then the other, and expects of both what it last wrote to either.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from itertools import count
from random import Random
from typing import Any

import httpx2

from tests.life.model import Document, Entry, Fields, Model, as_fields, pick_own
from tests.life.releases import PARCELS, Shown, Values, Views

_REFUSED: Document = {"refused": True}
GROUP = 8
"""Records that share a value by which lists are filtered."""


@dataclass(eq=False)
class Peer:
    """A service, seen by clients of a release. ``is_strict``: of its own release, hence no other fields."""

    http: httpx2.AsyncClient
    views: Views
    is_strict: bool = True


@dataclass
class Scene:
    """What all clients share. ``drawn``: the views whose values are written, which all peers can show."""

    model: Model = field(default_factory=Model)
    peers: Sequence[Peer] = ()
    drawn: Views = field(default_factory=dict)
    settle: Callable[[str, Values], Values] | None = None
    """While a migration changes what records say, they may be as before or as this makes them."""
    is_over: bool = False
    answers: Counter[str] = field(default_factory=Counter)

    def report(self, what: str) -> None:
        """Note what must not be."""
        self.model.wrong.append(what)


@dataclass
class Client:
    """One caller after another request. ``done``: how many it has sent."""

    name: str
    scene: Scene
    random: Random
    own: dict[str, list[str]] = field(default_factory=dict)
    done: int = 0
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held during a step, all requests of which meet the same scene."""
    _stepped: asyncio.Condition = field(default_factory=asyncio.Condition)
    _numbers: count[int] = field(default_factory=count)

    async def work(self) -> None:
        """Ask and write until the scene is over."""
        works: dict[Callable[[Peer, str], Awaitable[None]], int] = {
            self._read: 4, self._list: 3, self._patch: 4, self._create: 2, self._replace: 1, self._remove: 1,
        }  # fmt: skip
        while not self.scene.is_over:
            async with self.lock:
                peer = self.random.choice(self.scene.peers)
                path = self.random.choice([PARCELS, PARCELS, PARCELS, *peer.views])
                (one,) = self.random.choices(list(works), list(works.values()))
                await one(peer, path)
            async with self._stepped:
                self.done += 1
                self._stepped.notify_all()

    async def wait_for(self, steps: int) -> None:
        """Wait until so many more steps are done."""
        end = self.done + steps
        async with self._stepped:
            await self._stepped.wait_for(lambda: self.done >= end)

    def make(self, path: str, fields: Fields) -> Values:
        """Make up the values of a new record."""
        number = next(self._numbers)
        known = {"group": f"{self.name}-{number // GROUP}", "code": f"{self.name}-{number}", "stage": "NEW"}
        made = {name: one.draw(self.random, known) for name, one in self._drawn(path, fields).items()}
        made = _fit(made, fields)
        return made | ({"stage": "NEW"} if "stage" in made else {})

    def _drawn(self, path: str, fields: Fields) -> dict[str, Shown]:
        """Return how values of attributes are made up: as the earliest release that is asked can show them."""
        earlier = {one.attribute: one for one in as_fields(self.scene.drawn, path).values()}
        return {one.attribute: earlier.get(one.attribute, one) for one in fields.values()}

    def note(self, path: str, answer: Document, values: Values) -> None:
        """Note a record that was acknowledged."""
        self.scene.model.entries.setdefault(path, {})[answer["id"]] = Entry(values, answer["version"])
        self.own.setdefault(path, []).append(answer["id"])
        self.scene.model.acknowledged += 1

    async def _create(self, peer: Peer, path: str) -> None:
        fields = as_fields(peer.views, path)
        values = self.make(path, fields)
        body = self.scene.model.write({k: v for k, v in values.items() if k != "stage"}, fields)
        if (answer := await self._ask(peer, "POST", path, 201, body)) is not None:
            values = self._defaults(path) | values
            self.note(path, answer, values)
            self._check(peer, path, answer, self.scene.model.entries[path][answer["id"]])

    def _defaults(self, path: str) -> Values:
        return {"priority": 3} if path == PARCELS else {}

    async def _read(self, peer: Peer, path: str) -> None:
        if (found := self._pick(path)) is not None:
            record, entry = found
            answer = await self._ask(peer, "GET", f"{path}/id/{record}", 200)
            if answer is not None:
                self._check(peer, path, answer, entry)

    async def _list(self, peer: Peer, path: str) -> None:
        """List a group, also those of it that have some value, or do not."""
        found = self._pick(path)
        if found is None:
            return
        _record, entry = found
        fields = as_fields(peer.views, path)
        group = entry.values["group"]
        name = self.random.choice([name for name, one in fields.items() if not one.is_reference])
        negated = self.random.choice(["", "!"])
        value = self.scene.model.show(entry, fields).get(name)
        words = json.dumps(value) if isinstance(value, str) and " " in value else value
        text = f"group:{group} && {name}:{negated}{'null' if value is None else words}"
        answer = await self._ask(peer, "GET", f"{path}/list", 200, filter=text, limit=100)
        if answer is None or self.scene.settle is not None:
            return
        entries = self.scene.model.entries[path]
        expected = {
            one
            for one in self.own[path]
            if entries[one].values["group"] == group
            and (self.scene.model.show(entries[one], fields).get(name) == value) is not bool(negated)
        }
        if {row["id"] for row in answer["rows"]} != expected:
            self._wrong(peer, f"{path}/list {text}", f"{len(answer['rows'])} rows, {len(expected)} expected")
        for row in answer["rows"]:
            if row["id"] in expected:
                self._check(peer, path, row, entries[row["id"]])

    async def _patch(self, peer: Peer, path: str) -> None:
        if (found := self._pick(path)) is None:
            return
        fields = as_fields(peer.views, path)
        drawn = self._drawn(path, fields)
        known = [name for name in drawn if name not in ("group", "code")]
        chosen = self.random.sample(known, self.random.randint(1, len(known)))
        values = _fit({name: drawn[name].draw(self.random, found[1].values) for name in chosen}, fields)
        await self.change(peer, path, found[0], values)

    async def change(self, peer: Peer, path: str, record: str, values: Values) -> None:
        """Write some values of a record, on the version that was acknowledged."""
        body = self.scene.model.write(values, as_fields(peer.views, path))
        await self._write(peer, path, record, values, "PATCH", f"{path}/id/{record}", body)

    async def _replace(self, peer: Peer, path: str) -> None:
        """Save all of a record that the release knows."""
        if (found := self._pick(path)) is None:
            return
        record, entry = found
        fields = as_fields(peer.views, path)
        drawn = self._drawn(path, fields)
        values = _fit({name: one.draw(self.random, entry.values) for name, one in drawn.items()}, fields)
        body = {"id": record} | self.scene.model.write(values, fields)
        values |= self._clear_unknown(peer, path, fields)
        await self._write(peer, path, record, values, "POST", path, body)

    def _clear_unknown(self, peer: Peer, path: str, fields: Fields) -> Values:
        """Return what a save clears, since its client is of an earlier release and does not send it."""
        if peer.is_strict:
            return {}
        own = next(one.views for one in self.scene.peers if one.http is peer.http and one.is_strict)
        known = {one.attribute for one in as_fields(own, path).values()}
        unknown = known - {one.attribute for one in fields.values()}
        return {name: self._defaults(path).get(name) for name in unknown}

    async def _write(
        self, peer: Peer, path: str, record: str, values: Values, method: str, url: str, body: Document
    ) -> None:
        """Send a write; once more where a migration has changed the record since it was last read."""
        entry = self.scene.model.entries[path][record]
        if self._find_moved(path, entry) is not None:
            answer = await self._ask(peer, method, url, 200, body, on=entry.version, refused=412)
            if answer == _REFUSED:
                found = await self._ask(peer, "GET", f"{path}/id/{record}", 200)
                if found is not None:
                    self._check(peer, path, found, entry)
                answer = await self._ask(peer, method, url, 200, body, on=entry.version)
        else:
            answer = await self._ask(peer, method, url, 200, body, on=entry.version)
        if answer is not None:
            self._acknowledge(peer, path, entry, answer, values)

    async def _remove(self, peer: Peer, path: str) -> None:
        if (found := self._pick(path)) is None or len(self.own[path]) < GROUP:
            return
        record, _entry = found
        if await self._ask(peer, "DELETE", f"{path}/id/{record}", 204) is not None:
            self.own[path].remove(record)
            del self.scene.model.entries[path][record]
            self.scene.model.acknowledged += 1
            await self._ask(peer, "GET", f"{path}/id/{record}", 404)

    def _pick(self, path: str) -> tuple[str, Entry] | None:
        if not self.own.get(path):
            return None
        record = self.random.choice(self.own[path])
        return record, self.scene.model.entries[path][record]

    def _acknowledge(self, peer: Peer, path: str, entry: Entry, answer: Document, values: Values) -> None:
        unseen = _find_unseen(entry.values, as_fields(peer.views, path))
        kept = {name: value for name, value in unseen.items() if values.get(name) is None}
        entry.values, entry.version = entry.values | values | kept, entry.version + 1
        self.scene.model.acknowledged += 1
        self._check(peer, path, answer, entry)

    def _check(self, peer: Peer, path: str, answer: Document, entry: Entry) -> None:
        """Compare a record that was answered with the model."""
        fields = as_fields(peer.views, path)
        own = pick_own(answer, fields, is_strict=peer.is_strict)
        if own == self.scene.model.show(entry, fields) and answer["version"] == entry.version:
            return
        moved = self._find_moved(path, entry)
        if moved and own == self.scene.model.show(moved, fields) and answer["version"] == moved.version:
            entry.values, entry.version = moved.values, moved.version
            return
        self._wrong(peer, f"{path}/id/{answer['id']}", f"{own} version {answer['version']}, "
                    f"not {self.scene.model.show(entry, fields)} version {entry.version}")  # fmt: skip

    def _find_moved(self, path: str, entry: Entry) -> Entry | None:
        """Return what a migration that runs makes of a record; None where it changes nothing."""
        values = entry.values if self.scene.settle is None else self.scene.settle(path, entry.values)
        return None if values == entry.values else Entry(values, entry.version + 1)

    async def _ask(
        self,
        peer: Peer,
        method: str,
        path: str,
        status: int,
        body: Document | None = None,
        *,
        on: int | None = None,
        refused: int | None = None,
        **query: Any,
    ) -> Document | None:
        """Return what is answered, ``_REFUSED`` for the status that may be; None, and a report, for another."""
        headers = {
            "Content-Type": "application/merge-patch+json" if method == "PATCH" else "application/json"
        }
        if on is not None:
            headers["If-Match"] = f'"{on}"'
        content = None if body is None else json.dumps(body).encode()
        answer = await peer.http.request(method, path, content=content, headers=headers, params=query)
        self.scene.answers[str(answer.status_code)] += 1
        if answer.status_code == status:
            return dict(answer.json()) if answer.content else {}
        if answer.status_code == refused:
            return _REFUSED
        self._wrong(peer, f"{method} {path} {body} {query}", f"{answer.status_code}: {answer.text[:400]}")
        return None

    def _wrong(self, peer: Peer, what: str, answer: str) -> None:
        self.scene.report(f"{self.name} at {peer.http.base_url}: {what}: {answer}")


def _fit(values: Values, fields: Fields) -> Values:
    """Return values as a release writes them: nothing in place of what it cannot show."""
    return values | dict.fromkeys(_find_unseen(values, fields))


def _find_unseen(values: Values, fields: Fields) -> Values:
    """Return the values that a release cannot show, and does not clear: nobody has accepted their loss."""
    shows = {one.attribute: one.show for one in fields.values()}
    return {
        name: value for name, value in values.items()
        if value is not None and name in shows and shows[name](value) is None
    }  # fmt: skip
