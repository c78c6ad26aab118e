"""``GET {basePath}/csv``: the records the caller may see, as a stream of CSV.

``export_csv`` is the flat function to read first: allow → parse → compile → begin. An export has the records
that a list shows: scope, rules and hidden fields are part of the command, archived records are left out. Only
the fields of the columns leave the store. One batch is in memory at a time, and the bytes of the next; each
has the time limit of a command, the whole is not limited. A reader decides how long it lasts, so rights are
looked at again before each batch.
"""

import csv
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing, suppress
from functools import partial
from itertools import zip_longest
from typing import Any
from urllib.parse import quote

from runtime.access.guard import allow
from runtime.access.reopening import look_again
from runtime.call import Call
from runtime.contract.csv import ExportParameters
from runtime.errors import Denied, InvalidParameter
from runtime.filter import NOTHING
from runtime.model.counting import count_things
from runtime.model.record_type import RecordType
from runtime.records.operations.listing import order_of
from runtime.records.relations import compile_callers_filter
from runtime.records.time_zone import enter_time_zone
from runtime.storage.access import Access, Action
from runtime.storage.store import Batches
from runtime.stream import Stream
from runtime.transfer.csv.columns import Columns, parse_requested_columns
from runtime.transfer.csv.dialect import build_dialect, guard_text
from runtime.transfer.csv.flat_rows import flat_columns, flat_rows
from runtime.transfer.csv.writer import RowWriter

Document = dict[str, Any]


async def export_csv(call: Call, kind: RecordType[Any], query: ExportParameters) -> Stream:
    """Stream the records as CSV; the first batch is read first, so that an error has its status."""
    call = enter_time_zone(call, query.time_zone)
    access = allow(call, kind, Action.VIEW)
    dialect = build_dialect(query)
    columns = parse_requested_columns(query.requested_columns, kind, access.hidden)
    header = _build_header(query, columns)
    match = await compile_callers_filter(call, access, query.filter)
    documents = await call.store.stream(
        access,
        match if query.length else NOTHING,
        order=order_of(access, query.sort).order,
        projection=columns.projection,
        skip=query.offset,
        limit=max(query.length, 0),  # 0 is no limit
        flat=flat_columns(columns),
        turn=call.turn,
    )
    writer = RowWriter(dialect, columns.names)
    check = partial(_require_same_rights, call, access)
    rest = _write_file(documents, columns, writer, header, check, guard=dialect.formula_guard)
    return Stream(
        first=await anext(rest),
        rest=rest,
        media_type=f"text/csv; charset={dialect.charset.http_name}",
        headers={"Content-Disposition": build_content_disposition(query.filename)},
    )


async def _require_same_rights(call: Call, access: Access[Any]) -> None:
    """Raise ``AccessError`` for a caller that may not view by now what the export began with."""
    opened = await look_again(call, "the export began: export again")
    if opened is not call and allow(opened, access.kind, Action.VIEW) != access:
        raise Denied("what you may view has changed since the export began: export again")


async def _write_file(
    documents: Batches,
    columns: Columns,
    writer: RowWriter,
    header: Sequence[str] | None,
    check: Callable[[], Awaitable[None]],
    *,
    guard: bool,
) -> AsyncGenerator[bytes, None]:
    """Yield the file; its first part has the header and the first batch, and may be empty.

    A batch is never bound to a name here: while a reader is slow, only the bytes to send stay in memory.
    ``check`` raises where no further batch may be sent.
    """
    is_flat = bool(flat_columns(columns))

    def part(batch: Sequence[Document]) -> bytes:
        rows = flat_rows(columns, batch, guard=guard) if is_flat else columns.rows(batch, guard=guard)
        return writer.write(rows)

    begun = writer.write([header] if header else [])
    async with aclosing(documents):
        yield begun + await documents.convert(await anext(documents, []), part)
        with suppress(StopAsyncIteration):
            while True:
                await check()
                yield await documents.convert(await anext(documents), part)


def _build_header(query: ExportParameters, columns: Columns) -> list[str] | None:
    """Return the names of the columns, preferred ones in their places. Raises ``InvalidParameter``."""
    preferred = _parse_preferences(query.preferred_column_names)
    if len(preferred) > len(columns.names):
        message = (
            f"preferredColumnNames: {len(preferred)} names for {count_things(len(columns.names), 'column')}"
        )
        raise InvalidParameter(message, parameter="preferredColumnNames")
    if not query.prepend_header_row:
        return None
    names = [one or own for one, own in zip_longest(preferred, columns.names)]
    return [guard_text(name) for name in names] if query.formula_guard else names


def _parse_preferences(text: str | None) -> list[str]:
    """Parse a comma-separated list, in which a name with a comma is in double quotes."""
    try:
        return [name.strip() for name in next(csv.reader([text or ""], strict=True), [])]
    except csv.Error:
        message = 'preferredColumnNames: write a comma-separated list on one line, as in Name,,"Weight, kg"'
        raise InvalidParameter(message, parameter="preferredColumnNames") from None


_FORBIDDEN = frozenset('/\\:*?"<>|%')


def build_content_disposition(filename: str) -> str:
    """Build the header for a download under this name (RFC 6266).

    The name is made safe for file systems, and also given in ASCII where it is not.
    """
    safe = "".join("_" if one in _FORBIDDEN or not one.isprintable() else one for one in filename)
    safe = safe.strip().lstrip(".") or "downloaded.csv"
    ascii_name = "".join(one if one.isascii() else "_" for one in safe)
    said = f'attachment; filename="{ascii_name}"'
    return said if safe.isascii() else f"{said}; filename*=UTF-8''{quote(safe, safe='')}"
