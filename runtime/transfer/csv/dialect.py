"""How a CSV file is written: separator, quotes, character set, formula guard (spec 2 §4.3–4.4, decisions §5).

A ``Dialect`` that cannot be read back cannot be built. The same one serves both directions: what
``writer.RowWriter`` writes in it, ``reader.RowReader`` reads in it, cell for cell.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from runtime.errors import InvalidParameter


class Quoting(StrEnum):
    """Which cells stand in quotes."""

    WHERE_ESSENTIAL = "QUOTE_WHERE_ESSENTIAL"
    ALL_COLUMNS = "QUOTE_ALL_COLUMNS"


class Charset(StrEnum):
    """The character sets of files, by their names on the wire; the last two are those of older programs."""

    US_ASCII = "US-ASCII"
    UTF_8 = "UTF-8-without-BOM"
    UTF_8_BOM = "UTF-8-with-BOM"
    UTF_16_BOM = "UTF-16-with-BOM"
    UTF_16_BE = "UTF-16BE"
    UTF_16_LE = "UTF-16LE"
    WINDOWS_1252 = "windows-1252"
    LATIN_1 = "ISO-8859-1"

    @property
    def codec(self) -> str:
        """Python's name of the encoding, without a byte order mark."""
        return _CODECS[self][0]

    @property
    def mark(self) -> bytes:
        """The byte order mark a written file begins with. UTF-16 is written in little-endian order, as
        spreadsheets do, unless the name says otherwise."""
        return _CODECS[self][1]

    @property
    def http_name(self) -> str:
        """The ``charset`` of the media type (RFC 2781 §3.3 has a mark with plain UTF-16 only)."""
        return _CODECS[self][2]


_CODECS: Mapping[Charset, tuple[str, bytes, str]] = {
    Charset.US_ASCII: ("ascii", b"", "us-ascii"),
    Charset.UTF_8: ("utf-8", b"", "utf-8"),
    Charset.UTF_8_BOM: ("utf-8", codecs.BOM_UTF8, "utf-8"),
    Charset.UTF_16_BOM: ("utf-16-le", codecs.BOM_UTF16_LE, "utf-16"),
    Charset.UTF_16_BE: ("utf-16-be", b"", "utf-16be"),
    Charset.UTF_16_LE: ("utf-16-le", b"", "utf-16le"),
    Charset.WINDOWS_1252: ("cp1252", b"", "windows-1252"),
    Charset.LATIN_1: ("latin-1", b"", "iso-8859-1"),
}


@dataclass(frozen=True, slots=True)
class Dialect:
    """One way to write a file. Raises ``InvalidParameter`` for one that could not be read back.

    Separator and quote are one printable character each (the separator may be a tab), not the same, and
    exist in the character set. ``formula_guard``: see ``guarded``.
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


def guarded(text: str) -> str:
    """``=1+1`` → ``'=1+1``, which spreadsheets show and do not run (decisions §5).

    A text that looks guarded already (``'=1``) gets one more ``'``, so that ``unguarded`` gives every text
    back as it was.
    """
    return f"'{text}" if _TO_GUARD.match(text) else text


def unguarded(text: str) -> str:
    """What ``guarded`` was given. Every text that ``guarded`` does not write is taken as it is."""
    return text[1:] if _GUARDED.match(text) else text


def guard_raw(cell: str) -> str:
    """Guard a cell of a file that was sent, which may be guarded already: it is read back as the same value.

    A plain number stays one, since only the type of its column could say that it is text.
    """
    return cell if _PLAIN_NUMBER.fullmatch(cell) else guarded(unguarded(cell))
