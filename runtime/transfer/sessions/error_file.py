"""The rows of a session that failed, as a CSV file to correct and send again.

Each record's rows are written as they came, with what is wrong with them in a last column ``errors``. A row
with too many cells stays one, since it gets exactly one more. A short one is filled up, as spreadsheets do,
or they would make a value of what is wrong with it. A row that would then be sound, or without the rest of
its file, is marked, so that it fails until somebody clears the mark.
A reader decides how long the file lasts, so rights are looked at again before each further batch.
"""

from collections.abc import AsyncGenerator
from itertools import groupby
from typing import Any

from pydantic_core import from_json

from runtime.access.reopening import look_again
from runtime.call import Call
from runtime.filter import equals
from runtime.model.nearest import add_suggestion
from runtime.model.record_type import RecordType
from runtime.stream import Stream
from runtime.system.documents import ImportRowDocument
from runtime.transfer.csv.columns import FINDINGS
from runtime.transfer.csv.dialect import Dialect, guard_raw, guard_text
from runtime.transfer.csv.writer import RowWriter
from runtime.transfer.export import build_content_disposition
from runtime.transfer.importing.analyze import require_import_permission
from runtime.transfer.rows.row_error import REVIEW_MARK
from runtime.transfer.rows.rows import Document
from runtime.transfer.sessions.session import Session, read_own_session


async def export_errors(call: Call, kind: RecordType[Any], session_id: str) -> Stream:
    """Stream the rows with errors as a CSV file, written like the uploaded one.

    Their cells, and the errors in a last column ``errors``.
    """
    require_import_permission(call, kind)
    session = await read_own_session(call, kind, session_id)
    titles, dialect = [*session.document["columns"], FINDINGS], session.dialect
    writer = RowWriter(dialect, titles)
    first = writer.write([[guard_text(name) if dialect.formula_guard else name for name in titles]])
    return Stream(
        first,
        rest=_write_batches(session, kind, writer, dialect),
        media_type=f"text/csv; charset={dialect.charset.http_name}",
        headers={"Content-Disposition": build_content_disposition(f"errors-{session.id}.csv")},
    )


async def _write_batches(
    session: Session, kind: RecordType[Any], writer: RowWriter, dialect: Dialect
) -> AsyncGenerator[bytes, None]:
    position = 0
    while found := await _read_failed_rows(session, position):
        position = found[-1]["rowNumber"]
        width = len(session.document["columns"])
        lines = [line for row in found for line in render_error_lines(row, dialect, width)]
        # The writer takes rows of one width at a time.
        yield b"".join(writer.write(list(some)) for _width, some in groupby(lines, len))
        require_import_permission(await look_again(session.call, "the file began: request it again"), kind)


async def _read_failed_rows(session: Session, position: int) -> list[ImportRowDocument]:
    async with session.call.turn.another():
        return await session.read_rows(equals(isFailed=True), beyond=position)


def render_error_lines(row: ImportRowDocument, dialect: Dialect, width: int) -> list[list[str]]:
    """Return the lines of one stored row, each with at least ``width`` cells before the last.

    Its cells as they came, guarded unless the file is not, and in the first line the errors, which may name
    values that the character set of the file lacks. A mark is in each line: others may be left out.
    """
    codec = dialect.charset.codec
    report = from_json(row["report"])
    findings = "; ".join(_describe(error) for error in report["errors"])
    lines = [[*report["rawData"].values()], *from_json(row.get("further", "[]"))]
    mark = ""
    if row.get("needsReview") or any(len(cells) < width for cells in lines):
        mark, findings = REVIEW_MARK, f"{REVIEW_MARK}. {findings}"
    findings = guard_text(findings.encode(codec, "replace").decode(codec))
    if dialect.formula_guard:
        lines = [list(map(guard_raw, cells)) for cells in lines]
    empty = [[""] * (width - len(cells)) for cells in lines]
    return [[*cells, *empty[at], findings if at == 0 else mark] for at, cells in enumerate(lines)]


def _describe(error: Document) -> str:
    place = error.get("column", error.get("field"))
    where = "" if place is None else f"{place}: "
    return f"{error['code']} {where}{add_suggestion(error['message'], error.get('suggestion'))}"
