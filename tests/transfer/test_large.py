"""What is done with large rows is done in a thread, and rows that are many give others their turn."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from threading import current_thread
from typing import Any

import pytest

from runtime.transfer.csv.columns import parse_importable_columns
from runtime.transfer.csv.dialect import Dialect
from runtime.transfer.csv.reader import CsvFile
from runtime.transfer.importing.assembly import read_input_rows
from runtime.transfer.rows.items import Items
from runtime.transfer.rows.large import LARGE, is_large, run_if
from runtime.transfer.rows.reading import Reading
from runtime.transfer.rows.rows import InputRow
from tests.records.parcels import PARCEL

ATTRIBUTES: Any = {"s": dict.fromkeys(map(str, range(LARGE)))}


@pytest.mark.parametrize(
    ("row", "is_aside"),
    [
        pytest.param(InputRow(1, {"a": "x" * 1000}), False, id="a row"),
        pytest.param(InputRow(1, {"a": "x" * LARGE, "b": "y"}), True, id="characters"),
        pytest.param(
            InputRow(1, {}, {"lines": Items([{}] * (LARGE + 1))}), True, id="items of further lines"
        ),
        pytest.param(
            InputRow(1, {}, attributes=ATTRIBUTES | {"t": {"x": {}}}), True, id="attributes of these"
        ),
    ],
)
def test_where_a_row_is_worked_on(row: InputRow, is_aside: bool) -> None:
    thread = asyncio.run(run_if(current_thread, is_long=is_large(row)))
    assert (thread is not current_thread()) is is_aside


def test_others_go_on_while_the_lines_of_a_record_are_read() -> None:
    content = b"".join(b"P1,A,%d\n" % at for at in range(5000))

    async def chunks() -> AsyncIterator[bytes]:
        yield content

    async def run() -> tuple[int, list[InputRow]]:
        turns, ended = 0, asyncio.Event()

        async def count_turns() -> None:
            nonlocal turns
            while not ended.is_set():
                turns += 1
                await asyncio.sleep(0)

        task = asyncio.create_task(count_turns())
        columns = parse_importable_columns("refName,lines[0].sku,lines[0].quantity", PARCEL, frozenset())
        reading = Reading(columns, guard=True)
        found = [row async for rows in read_input_rows(CsvFile(chunks(), Dialect()), reading) for row in rows]
        ended.set()
        await task
        return turns, found

    turns, found = asyncio.run(run())
    assert [len(row.values["lines"]) for row in found] == [5000]
    assert turns >= 50
