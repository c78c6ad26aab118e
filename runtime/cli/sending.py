"""Sends rows through ``POST {basePath}/bulk`` and counts each: inserted, updated, skipped, failed.

A row is an upsert by refName. All are sent as new first; those the service knows already are skipped,
replaced or failed as asked. Two requests are in flight, so that the service has work while an answer is
on its way. No row is lost silently: those not sent when the import breaks off are counted too.
"""

import asyncio
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import islice
from typing import Any

from runtime.cli.account import Account, FailedRow
from runtime.cli.api import Answer, Api, Refused
from runtime.cli.content import encode_json
from runtime.cli.names import Names
from runtime.cli.output import CommandFailed
from runtime.cli.progress import Progress
from runtime.cli.rows import Row

BATCH = 500
IN_FLIGHT = 2


class OnExisting(StrEnum):
    """What becomes of a row whose refName exists."""

    SKIP = "skip"
    REPLACE = "replace"
    FAIL = "fail"


@dataclass(frozen=True, slots=True)
class Target:
    """Where rows go. ``references``: field → the records it may name by refName."""

    base_path: str
    on_existing: OnExisting
    existing: Names
    references: Mapping[str, Names] = field(default_factory=dict)
    defaults: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Numbered:
    number: int
    record: Row

    @property
    def ref_name(self) -> str | None:
        found = self.record.get("refName")
        return None if found is None else str(found)


async def send_all(
    api: Api, target: Target, rows: Iterable[Row], account: Account, progress: Progress
) -> None:
    """Send every row. What breaks the import off is kept in the account; rows in flight are waited for."""
    batches = _split(target, rows)

    async def send_batches() -> None:
        for batch in batches:
            if account.error is not None:
                return
            try:
                await _Batch(api, target, account).send(batch)
            except CommandFailed as error:
                account.error = account.error or error
            progress.done(account.total - account.unsent)

    await asyncio.gather(*(send_batches() for _ in range(IN_FLIGHT)))
    account.failures.sort(key=lambda failed: failed.row)


def _split(target: Target, rows: Iterable[Row]) -> Iterator[list[_Numbered]]:
    numbered = (_Numbered(number, {**target.defaults, **row}) for number, row in enumerate(rows, 1))
    while batch := list(islice(numbered, BATCH)):
        yield batch


@dataclass(frozen=True, slots=True)
class _Batch:
    """The life of one batch."""

    api: Api
    target: Target
    account: Account

    async def send(self, batch: list[_Numbered]) -> None:
        sound = await self._resolve_references(batch)
        existing = await self._save(sound)
        if not existing:
            return
        match self.target.on_existing:
            case OnExisting.SKIP:
                self.account.skipped += len(existing)
            case OnExisting.FAIL:
                self._fail_existing(existing)
            case OnExisting.REPLACE:
                await self._replace(existing)

    async def _resolve_references(self, batch: list[_Numbered]) -> list[_Numbered]:
        """Replace references by ids and return the rows; those whose reference does not exist have failed."""
        sound = batch
        for name, names in self.target.references.items():
            ids = await names.find_ids(
                {str(row.record[name]) for row in sound if isinstance(row.record.get(name), str)}
            )
            found = []
            for row in sound:
                wanted = row.record.get(name)
                if not isinstance(wanted, str):
                    found.append(row)
                elif wanted in ids:
                    found.append(_Numbered(row.number, row.record | {name: {"entityId": ids[wanted]}}))
                else:
                    self._fail(row, "reference.missing", f"{name}: no record has the refName {wanted}")
            sound = found
        return sound

    async def _save(self, rows: list[_Numbered]) -> list[_Numbered]:
        """Send rows as they are; answers with those whose refName exists."""
        existing: list[_Numbered] = []
        unsure: list[tuple[_Numbered, Mapping[str, Any]]] = []
        for row, result in await self._post_bulk(rows):
            error = result.get("error") or {}
            if result["status"] < 400:
                self.account.inserted += result["status"] == 201
                self.account.updated += result["status"] != 201
            elif error.get("code") != "record.duplicate" or row.ref_name is None:
                self._fail_as(row, error)
            elif "refName" in (error.get("fields") or ["refName"]):
                existing.append(row)
            else:
                unsure.append((row, error))
        return existing + await self._retry_unsure(unsure)

    async def _retry_unsure(self, rows: list[tuple[_Numbered, Mapping[str, Any]]]) -> list[_Numbered]:
        """Return the rows whose refName exists; the others clash by another field, and have failed."""
        ids = (
            await self.target.existing.find_ids({row.ref_name or "" for row, _error in rows}) if rows else {}
        )
        for row, error in rows:
            if row.ref_name not in ids:
                self._fail_as(row, error)
        return [row for row, _error in rows if row.ref_name in ids]

    async def _replace(self, rows: list[_Numbered]) -> None:
        ids = await self.target.existing.find_ids({row.ref_name or "" for row in rows})
        for row in rows:
            if row.ref_name not in ids:
                self._fail(row, "record.duplicate", f"{row.ref_name} exists where you cannot see it")
        known = [
            _Numbered(row.number, row.record | {"id": ids[row.ref_name]})
            for row in rows
            if row.ref_name is not None and row.ref_name in ids
        ]
        self._fail_existing(await self._save(known))

    async def _post_bulk(self, rows: list[_Numbered]) -> list[tuple[_Numbered, Mapping[str, Any]]]:
        """Send rows, and return each with its result. A batch that is too large is sent in halves."""
        if not rows:
            return []
        content = encode_json({"operations": [{"op": "save", "record": row.record} for row in rows]})
        try:
            answer = await self.api.post(f"{self.target.base_path}/bulk", content)
        except Refused as refusal:
            if refusal.status != 413:
                raise
            if len(rows) == 1:
                self._fail(rows[0], refusal.code, refusal.message)
                return []
            middle = len(rows) // 2
            return [*await self._post_bulk(rows[:middle]), *await self._post_bulk(rows[middle:])]
        self.account.repeated += answer.repeated
        return list(zip(rows, _read_results(answer, len(rows)), strict=True))

    def _fail_existing(self, rows: list[_Numbered]) -> None:
        for row in rows:
            self._fail(row, "record.duplicate", f"a record with the refName {row.ref_name} exists")

    def _fail_as(self, row: _Numbered, error: Mapping[str, Any]) -> None:
        self._fail(
            row, str(error.get("code", "unknown")), str(error.get("detail", "the service gave no reason"))
        )

    def _fail(self, row: _Numbered, code: str, message: str) -> None:
        self.account.fail(FailedRow(row.number, row.ref_name, code, message))


def _read_results(answer: Answer[Any], count: int) -> list[Mapping[str, Any]]:
    """Return one result per row, in their order. Raises ``CommandFailed`` for an answer of another kind."""
    results = answer.body.get("results") if isinstance(answer.body, dict) else None
    if not isinstance(results, list) or len(results) != count:
        raise CommandFailed("import.answer", "the service did not answer with one result per row")
    return sorted(results, key=lambda result: result["index"])
