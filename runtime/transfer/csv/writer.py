"""Rows → bytes of a CSV file (RFC 4180), batch by batch. Pure.

Lines end with CR LF. A character that the character set lacks is an error that names its row and column:
a file with something else in its place would be read back as that.

Some rows at a time are joined and looked at once: whatever would need quotes shows in the number of
separators, quotes and line breaks. Only rows among which it shows go through the csv module, which looks at
every character.
"""

import codecs
import csv
from collections.abc import Sequence
from io import StringIO
from typing import Final

from runtime.contract.charset import Quoting
from runtime.errors import CsvProblem
from runtime.transfer.csv.dialect import OTHER_FORMATS, Dialect

_LINE: Final = "\r\n"
_TOGETHER: Final = 32
"""Rows that are joined before anybody looks: few enough that those around one with quotes cost little."""

_MARKS: Final = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, *OTHER_FORMATS)


class RowWriter:
    """The writer of one file.

    ``names``: one for each column, used in errors.
    """

    def __init__(self, dialect: Dialect, names: Sequence[str] = ()) -> None:
        self._dialect = dialect
        self._names = names
        self._rows = 0
        self._has_begun = False

    def write(self, rows: Sequence[Sequence[str]]) -> bytes:
        """Write rows of equal length; the first time with the byte order mark, if any.

        Raises ``CsvProblem``.
        """
        mark = b"" if self._has_begun else self._dialect.charset.mark
        parts, start = [], 0
        if rows and not self._rows and rows[0] and self._looks_like_mark(rows[0][0]):
            parts.append(self._write_carefully(rows[:1], Quoting.ALL_COLUMNS))
            start = 1
        parts += [self._text(rows[at : at + _TOGETHER]) for at in range(start, len(rows), _TOGETHER)]
        try:
            encoded = "".join(parts).encode(self._dialect.charset.codec)
        except UnicodeEncodeError as error:
            raise self._build_unknown_character(rows, error.object[error.start]) from None
        self._rows += len(rows)
        self._has_begun = True
        return mark + encoded

    def _looks_like_mark(self, cell: str) -> bool:
        """Return whether a file that begins with this cell would be read as one with a byte order mark.

        So it is with U+FEFF, in either order, and in older character sets with ÿþ, þÿ and ï»¿. Likewise for
        the first bytes of a file of another format.
        """
        return cell[:3].encode(self._dialect.charset.codec, "replace").startswith(_MARKS)

    def _text(self, rows: Sequence[Sequence[str]]) -> str:
        quoting, width = self._dialect.quoting, len(rows[0])
        joined = self._join_quoted(rows) if quoting is Quoting.ALL_COLUMNS else self._join_bare(rows, width)
        return self._write_carefully(rows, quoting) if joined is None else joined

    def _join_bare(self, rows: Sequence[Sequence[str]], width: int) -> str | None:
        """Write without quotes; return None when some are needed, also for a line of one empty cell."""
        separator, number = self._dialect.separator, len(rows)
        text = _LINE.join(map(separator.join, rows)) + _LINE
        is_plain = (
            width > 1
            and self._dialect.quote_char not in text
            and text.count(separator) == number * (width - 1)
            and text.count("\n") == text.count("\r") == number
        )
        return text if is_plain else None

    def _join_quoted(self, rows: Sequence[Sequence[str]]) -> str | None:
        """Write with quotes around every cell; return None when there are some inside."""
        quote = self._dialect.quote_char
        between = f"{quote}{self._dialect.separator}{quote}"
        text = f"{quote}{_LINE}{quote}".join(map(between.join, rows))
        text = f"{quote}{text}{quote}{_LINE}"
        return text if text.count(quote) == 2 * sum(map(len, rows)) else None

    def _write_carefully(self, rows: Sequence[Sequence[str]], quoting: Quoting) -> str:
        out = StringIO(newline="")
        csv.writer(
            out,
            delimiter=self._dialect.separator,
            quotechar=self._dialect.quote_char,
            quoting=csv.QUOTE_ALL if quoting is Quoting.ALL_COLUMNS else csv.QUOTE_MINIMAL,
            lineterminator=_LINE,
        ).writerows(rows)
        return out.getvalue()

    def _build_unknown_character(self, rows: Sequence[Sequence[str]], character: str) -> CsvProblem:
        row, column = next(
            (row, column)
            for row, cells in enumerate(rows)
            for column, cell in enumerate(cells)
            if character in cell
        )
        named = self._names[column] if column < len(self._names) else f"column {column + 1}"
        row, charset = self._rows + row + 1, self._dialect.charset
        message = f"{charset} has no {character} (U+{ord(character):04X}): ask for UTF-8-without-BOM"
        return CsvProblem(f"row {row}, {named}: {message}", row=row, column=column + 1)
