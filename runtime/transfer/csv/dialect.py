"""How a CSV file is written: separator, quotes, character set, formula guard.

A ``Dialect`` that cannot be read back cannot be built. The same one serves both directions: what
``writer.RowWriter`` writes in it, ``reader.RowReader`` reads in it, cell for cell.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from runtime.contract.charset import Charset, Quoting
from runtime.contract.csv import DialectParameters
from runtime.errors import InvalidParameter

OTHER_FORMATS: Final[Mapping[bytes, str]] = {
    b"PK\x03": "a ZIP archive, such as an Excel workbook (.xlsx): save it as CSV",
    b"\xd0\xcf\x11": "an Excel workbook (.xls): save it as CSV",
    b"\x1f\x8b\x08": "compressed by gzip: unpack it first",
}
"""First bytes of files that are sent by mistake. ``RowWriter`` quotes a first cell that begins with them."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """One way to write a file. Raises ``InvalidParameter`` for one that could not be read back.

    Separator and quote are one printable character each (the separator may be a tab), not the same, and
    exist in the character set. ``formula_guard``: see ``guard_text``.
    """

    separator: str = ","
    quote_char: str = '"'
    quoting: Quoting = Quoting.WHERE_ESSENTIAL
    charset: Charset = Charset.UTF_8
    formula_guard: bool = True

    def __post_init__(self) -> None:
        _require_character("fieldSeparator", self.separator, self.charset)
        _require_character("quoteChar", self.quote_char, self.charset)
        if self.quote_char == "\t":
            raise InvalidParameter("quoteChar: a tab cannot quote", parameter="quoteChar")
        if self.separator == self.quote_char:
            raise InvalidParameter("fieldSeparator and quoteChar must differ", parameter="quoteChar")


def build_dialect(query: DialectParameters) -> Dialect:
    """Build the dialect from the parameters of a request. Raises ``InvalidParameter``."""
    return Dialect(
        separator=query.field_separator,
        quote_char=query.quote_char,
        quoting=query.quoting_strategy,
        charset=query.charset_encoding,
        formula_guard=query.formula_guard,
    )


def _require_character(parameter: str, character: str, charset: Charset) -> None:
    if len(character) != 1:
        message = f"{parameter} is one character, not {len(character)}"
        raise InvalidParameter(message, parameter=parameter)
    if not character.isprintable() and character != "\t":
        code = f"U+{ord(character):04X}"
        raise InvalidParameter(f"{parameter}: {code} cannot be seen; use , ; | or a tab", parameter=parameter)
    try:
        character.encode(charset.codec)
    except UnicodeEncodeError:
        message = f"{parameter}: {character} does not exist in {charset}"
        raise InvalidParameter(message, parameter=parameter) from None


FORMULA_STARTS: Final = "=+-@\t\r\n\uff1d\uff0b\uff0d\uff20"
"""A text that begins with one of these is run by spreadsheets. The last four are the full-width forms of the
first four, which some spreadsheets read as those; blanks other than the space are skipped."""

_TO_GUARD = re.compile(f"'*[{re.escape(FORMULA_STARTS)}]")
_GUARDED = re.compile(f"'+[{re.escape(FORMULA_STARTS)}]")
_PLAIN_NUMBER = re.compile(r"[+-]?[0-9.,]*[0-9](?:[eE][+-]?[0-9]+)?")


def guard_text(text: str) -> str:
    """Guard a text that spreadsheets would run: ``=1+1`` → ``'=1+1``, which they show.

    A text that looks guarded already (``'=1``) gets one more ``'``, so that ``remove_guard`` gives every text
    back as it was.
    """
    return f"'{text}" if _TO_GUARD.match(text) else text


def remove_guard(text: str) -> str:
    """Return what ``guard_text`` was given; a text that ``guard_text`` cannot have written stays as it is."""
    return text[1:] if _GUARDED.match(text) else text


def guard_raw(cell: str) -> str:
    """Guard a cell of a file that was sent, which may be guarded already: it is read back as the same value.

    A plain number stays one, since only the type of its column could say that it is text.
    """
    return cell if _PLAIN_NUMBER.fullmatch(cell) else guard_text(remove_guard(cell))
