"""Bytes of a CSV file → rows of cells (RFC 4180), as they arrive.

Memory does not grow with the file. Pure, except for ``CsvFile``, which waits for the bytes.

Lines end with CR LF, LF or CR. Quotes, separators and line breaks inside quotes survive. Blank lines are
skipped and not counted, and so are rows of two or more cells that are all empty. A byte order mark is
accepted with every UTF encoding, and removed. What cannot be read (bytes outside the character set, quotes
where they are not allowed) is a ``CsvProblem`` that names row and column, with the same answer however the
bytes are cut.

Three steps: the decoder turns bytes into text; one regular expression finds where the last whole row ends,
which also proves that the text is well formed; the csv module then splits it, which it does fastest. All
three run over a piece of the file; of a long row, what has been read is put aside (``long_row``).
"""

import codecs
import csv
from collections.abc import AsyncIterable, AsyncIterator, Iterable
from itertools import chain
from typing import Final, NamedTuple

from runtime.contract.charset import Charset
from runtime.errors import CsvProblem
from runtime.event_loop import Pace
from runtime.transfer.csv.dialect import OTHER_FORMATS, Dialect
from runtime.transfer.csv.grammar import build_grammar, split_rows
from runtime.transfer.csv.long_row import LongRow
from runtime.transfer.csv.row_limits import (
    MAX_CELLS,
    SESSION_LIMITS,
    Limits,
    Row,
    check_sizes,
    check_widths,
    describe_place,
    describe_too_wide,
)

LONG: Final = 2**16
"""Characters of a row that are read again when more of it arrives."""

_PIECE: Final = 2**14
"""Bytes that are read while all else in the worker waits."""

_ORDERS: Final = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
_MOST_COUNTED: Final = 2**31 - 1


class CsvFile(NamedTuple):
    """A file that arrives: its bytes, and what is known of it."""

    chunks: AsyncIterable[bytes]
    dialect: Dialect
    has_header: bool = False
    limits: Limits = SESSION_LIMITS

    async def read_rows(self) -> AsyncIterator[list[Row]]:
        """Yield some rows at a time, at least one. Raises ``CsvProblem``."""
        reader = RowReader(self.dialect, has_header=self.has_header, limits=self.limits)
        pace = Pace()
        async for chunk in self.chunks:
            for start in range(0, len(chunk), _PIECE):
                if rows := reader.feed(chunk[start : start + _PIECE]):
                    yield rows
                await pace.step()
        if rows := reader.finish():
            yield rows


def read_first_row(dialect: Dialect, pieces: Iterable[bytes]) -> list[str]:
    """Return the cells of the first row, without the rest of the file; none of an empty one.

    Raises ``CsvProblem``.
    """
    reader = RowReader(dialect, has_header=True)
    for piece in pieces:
        if rows := reader.feed(piece):
            return rows[0][1]
    rows = reader.finish()
    return rows[0][1] if rows else []


class RowReader:
    """Reads one file: ``feed`` it bytes as they come, then ``finish``; each gives the rows known by then."""

    def __init__(
        self, dialect: Dialect, *, has_header: bool = False, limits: Limits = SESSION_LIMITS
    ) -> None:
        csv.field_size_limit(_MOST_COUNTED)  # of the whole process; the limits of this module count
        self._dialect = dialect
        self._limits = limits
        self._most_begun = 2 * limits.row  # each quote inside a cell is doubled
        self._grammar = build_grammar(dialect.separator, dialect.quote_char)
        self._long = LongRow(self._grammar)
        self._codec = dialect.charset.codec
        self._decoder = codecs.getincrementaldecoder(self._codec)()
        self._next = 0 if has_header else 1
        self._head: bytes | None = b""  # what may turn out to be a byte order mark; None once that is known
        self._text = ""
        self._more: list[str] = []  # what came behind it, and was not looked at
        self._pending = 0
        self._wait = 0  # characters pending, below which another look at an unfinished row is not worth it

    def feed(self, chunk: bytes) -> list[Row]:
        """Return the rows that end in these bytes. Raises ``CsvProblem``."""
        if self._head is not None:
            self._head += chunk
            if len(self._head) < len(codecs.BOM_UTF8):
                return []
            chunk = self._remove_mark(self._head)
        self._add(self._decode(chunk))
        return self._take() if self._pending >= self._wait else []

    def finish(self) -> list[Row]:
        """Return the last rows; the very last one needs no line break. Raises ``CsvProblem``."""
        rest = b"" if self._head is None else self._remove_mark(self._head)
        self._add(self._decode(rest, is_last=True))
        self._join()
        if (self._text or self._long.size) and not self._text.endswith(("\r", "\n")):
            self._text += "\n"
        rows = self._take()
        if self._text:  # a line break that is left stands inside quotes
            raise self._describe_malformed()
        return rows

    def _remove_mark(self, head: bytes) -> bytes:
        """Return what follows the byte order mark; it must be the mark of this character set."""
        self._head = None
        charset, is_utf_16 = self._dialect.charset, self._codec.startswith("utf-16")
        mark = next((one for one in _ORDERS if head.startswith(one)), b"")
        if not is_utf_16:
            if (other := OTHER_FORMATS.get(head[:3])) is not None:
                raise CsvProblem(f"the file is {other}", row=self._next)
            mark = codecs.BOM_UTF8 if head.startswith(codecs.BOM_UTF8) else mark
        if mark in _ORDERS and charset is Charset.UTF_16_BOM:
            self._codec = _ORDERS[mark]
            self._decoder = codecs.getincrementaldecoder(self._codec)()
        elif charset is Charset.UTF_16_BOM and head:
            raise CsvProblem("the file has no byte order mark: say UTF-16LE or UTF-16BE", row=self._next)
        elif mark and _ORDERS.get(mark, "utf-8") != self._codec:
            says = _ORDERS.get(mark, "utf-8").upper()
            raise CsvProblem(f"the file is not {charset}: its byte order mark is of {says}", row=self._next)
        return head[len(mark) :]

    def _decode(self, chunk: bytes, *, is_last: bool = False) -> str:
        try:
            return self._decoder.decode(chunk, final=is_last)
        except UnicodeDecodeError as error:
            self._add(error.object[: error.start].decode(self._codec))
            self._join()
            end = self._end()
            self._split(self._text[:end])
            self._text = self._text[end:]
            byte, charset = error.object[error.start], self._dialect.charset
            other = Charset.WINDOWS_1252 if charset.codec == "utf-8" else Charset.UTF_8
            message = f"the byte {byte:02X} is not {charset}: say which it is, as in charsetEncoding={other}"
            raise self._build_problem(message) from None

    def _take(self) -> list[Row]:
        """Take the whole rows of the text so far; what has begun after them stays."""
        self._join()
        end = self._end()
        block, self._text = self._text[:end], self._text[end:]
        rows = self._split(block)
        if not self._grammar.begun.fullmatch(self._text):
            raise self._describe_malformed()
        if self._long.size + len(self._text) > self._most_begun:
            raise self._build_problem(
                f"has more than {self._most_begun} characters; is a quote never closed?"
            )
        most_cells = self._long.width + self._text.count(self._dialect.separator) + 1
        if most_cells > MAX_CELLS and self._count_cells() > MAX_CELLS:
            raise describe_too_wide(self._next, self._dialect.separator)
        if len(self._text) > LONG:
            self._text = self._long.take(self._text)
        self._pending = len(self._text)
        self._wait = min(2 * self._pending, self._most_begun + 1)
        return rows

    def _add(self, text: str) -> None:
        self._more.append(text)
        self._pending += len(text)

    def _join(self) -> None:
        self._text = "".join((self._text, *self._more))
        self._more.clear()

    def _end(self) -> int:
        """Return where the last whole row ends."""
        found = self._grammar.rows.match(self._text)
        return found.end() if found else 0

    def _split(self, block: str) -> list[Row]:
        found, size = split_rows(self._grammar, block), len(block)
        width = block.count(self._dialect.separator)
        if self._long.size and block:
            size += self._long.size
            width += self._long.width
            found = chain([self._long.finish(next(found))], found)
        rows = list(enumerate([row for row in found if len(row) == 1 or any(row)], self._next))
        if width >= MAX_CELLS:
            check_widths(rows, self._dialect.separator)
        if size > self._limits.cell:
            check_sizes(rows, self._limits)
        self._next += len(rows)
        return rows

    def _describe_malformed(self) -> CsvProblem:
        """Describe what is wrong with the row that the rest of the text begins with."""
        grammar, quote = self._grammar, self._dialect.quote_char
        at = len(grammar.read_cells(self._text))
        if not self._text.startswith(quote, at):
            return self._build_problem(f"a {quote} is inside a cell: put the cell in quotes and double it")
        if grammar.quoted.match(self._text, at):
            return self._build_problem(f"something follows the closing {quote}: a {quote} inside is doubled")
        return self._build_problem(f"the {quote} is never closed")

    def _build_problem(self, message: str) -> CsvProblem:
        """Build a problem at the cell that the text ends in, or cannot be read on from."""
        column = self._count_cells()
        return CsvProblem(f"{describe_place(self._next, column)}: {message}", row=self._next, column=column)

    def _count_cells(self) -> int:
        """Count the cells of the row that the text ends in; what follows the last separator is one."""
        cells = next(split_rows(self._grammar, self._grammar.read_cells(self._text)), [])
        return self._long.width + (len(cells) or 1)
