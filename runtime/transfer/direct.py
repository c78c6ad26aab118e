"""Direct import: analyse and store a file in one request, batch by batch.

While one batch is stored the next is decided, and the one after it is read. Where records of the type refer
to each other, a batch is decided when the one before is stored, and rows wait for the ones that they refer
to. A row that cannot be stored is reported and left out; the request succeeds all the same.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing, suppress
from operator import itemgetter
from typing import Any, Final, TypeVar

from runtime.call import Call
from runtime.contract.imports import ImportAnswer, ImportParameters
from runtime.event_loop import Pace, let_task_send
from runtime.model.record_type import RecordType
from runtime.records.document.terms import PLAIN, Terms
from runtime.storage.wire import Json, to_json
from runtime.transfer.csv.dialect import build_dialect
from runtime.transfer.csv.reader import CsvFile
from runtime.transfer.csv.row_limits import MAX_ROW, Limits
from runtime.transfer.import_answer import MOST_REPORTED, broken_import, render_import
from runtime.transfer.import_once import import_once
from runtime.transfer.importing.analyze import Analysis
from runtime.transfer.importing.as_stored import Comparison, can_be_compared
from runtime.transfer.importing.assembly import read_input_rows
from runtime.transfer.importing.existing import Existing
from runtime.transfer.importing.renewing import renew_rights
from runtime.transfer.importing.storing import Storing
from runtime.transfer.importing.targets import refers_to_itself
from runtime.transfer.rows.reading import (
    MOST_TOGETHER,
    Reading,
    group_in_batches,
    read_data_rows,
    size_of_rows,
)
from runtime.transfer.rows.row_report import Tally, count_rows, render_report
from runtime.transfer.rows.rows import Document, Failed, InputRow, Outcome
from runtime.transfer.sessions.opening import open_reading

T = TypeVar("T")

_MOST_LONGER: Final = 2**20
"""Characters by which a row may exceed the JSON body of its record."""


async def import_csv(
    call: Call,
    kind: RecordType[Any],
    query: ImportParameters,
    file: AsyncIterator[bytes],
    _terms: Terms = PLAIN,
) -> Json[ImportAnswer]:
    """Store the rows of a file; those that cannot be stored are in the answer (200).

    A call with a receipt stores each of them once, however often its request is sent.

    Raises ``Denied``, and for the file as a whole ``InvalidParameter``, ``UnknownField``, ``CsvProblem``,
    ``MalformedRequest`` and ``TooLarge``. Batches that were stored before stay stored: the error has their
    ``counts``.
    """
    if call.receipt is not None:
        return await import_once(call, call.receipt, kind, query, file)
    reading = open_reading(call, kind, query)
    csv_file = CsvFile(file, build_dialect(query), query.skip_header_row, _build_limits(call))
    work = _Import(call, kind, reading)
    try:
        await work.run(_read_batches(call, csv_file, reading))
    except Exception as error:  # whatever it is, the caller learns what was stored before
        raise broken_import(error, work.tally) from None
    return render_import(work.tally, map(to_json, sorted(work.failed, key=itemgetter("rowNumber"))))


async def _read_batches(
    call: Call, file: CsvFile, reading: Reading
) -> AsyncIterator[tuple[list[InputRow], Existing | None]]:
    """Yield rows, with the records that they name where those were read to read the rows."""
    if not can_be_compared(reading.columns):
        async for rows in read_input_rows(file, reading):
            yield rows, None
        return
    comparison = Comparison(call, reading)
    async for unread in group_in_batches(read_data_rows(file, reading), size_of_rows):
        async with call.turn.another():
            comparison.use(await renew_rights(call, reading.columns.kind))
            compared = await comparison.read(unread)
        yield compared


def _build_limits(call: Call) -> Limits:
    """Let a row hold any record that a JSON body may; exports write numbers longer than they came."""
    most = max(MAX_ROW, call.service.settings.max_body_bytes + _MOST_LONGER)
    return Limits(most, most)


async def _read_ahead(batches: AsyncIterator[T]) -> AsyncGenerator[T, None]:
    """Yield each batch while the next is read: its commands to the store run in the meantime."""

    async def read_next_batch() -> T | None:
        return await anext(batches, None)

    waiting = asyncio.create_task(read_next_batch())
    try:
        while (batch := await waiting) is not None:
            waiting = asyncio.create_task(read_next_batch())
            await let_task_send()
            yield batch
    finally:
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)  # whatever it was: nobody waits for it any more


class _Import:
    """One file on its way. ``failed``: the reports of the first rows that could not be stored."""

    def __init__(self, call: Call, kind: RecordType[Any], reading: Reading) -> None:
        self._call = call
        self._kind = kind
        is_grouped = reading.columns.list_path is not None
        self._analysis = Analysis(call, kind, is_grouped=is_grouped, reading=reading)
        self._storing = Storing(call, kind, self._analysis.targets, reading)
        self._in_turn = refers_to_itself(kind)
        self._stored: asyncio.Task[None] | None = None
        self.tally = Tally()
        self.failed: list[Document] = []
        self._reported = 0

    async def run(self, batches: AsyncIterator[tuple[list[InputRow], Existing | None]]) -> None:
        """Store all batches. Raises what reading and storing raise; no task is left running."""
        try:
            async with aclosing(_read_ahead(batches)) as ahead:
                async for rows, stored in ahead:
                    if self._in_turn:
                        await self._wait_for_storing()
                    async with self._call.turn.another():
                        await self._renew_rights()
                        self._analysis.explains = self._may_report
                        outcomes = await self._analysis.decide(rows, stored)
                    await self._wait_for_storing()
                    self._stored = asyncio.create_task(self._store(outcomes))
                    await let_task_send()
            await self._wait_for_storing()
            while outcomes := await self._analysis.finish():
                await self._store(outcomes)
        except Exception:
            with suppress(Exception):  # the first error is the one to report; what is stored now is counted
                await self._wait_for_storing()
            raise
        finally:
            if self._stored is not None:
                self._stored.cancel()
                with suppress(asyncio.CancelledError):
                    await self._stored

    async def _renew_rights(self) -> None:
        """Check the caller's rights again. Raises ``AccessError`` when the caller may not go on."""
        call = self._call = await renew_rights(self._call, self._kind)
        self._analysis.use(call)
        self._storing.use(call)

    async def _wait_for_storing(self) -> None:
        stored, self._stored = self._stored, None
        if stored is not None:
            await stored

    async def _store(self, outcomes: Sequence[Outcome]) -> None:
        while outcomes:
            async with self._call.turn.another():
                await self._renew_rights()
                done = await self._storing.store(outcomes)
                outcomes, through = await self._analysis.follow(outcomes, done)
            await self._report(through)

    @property
    def _may_report(self) -> bool:
        """Rows are reported up to a number, and up to a size that one answer can have."""
        return len(self.failed) < MOST_REPORTED and self._reported <= MOST_TOGETHER

    async def _report(self, done: Sequence[Outcome]) -> None:
        self.tally.count(done)
        count_rows(self._call.service.meters, done)
        pace = Pace()
        for found in done:
            if isinstance(found, Failed) and self._may_report:
                await pace.step()
                self.failed.append(render_report(found))
                self._reported += sum(map(len, found.row.raw.values()))
