"""The character sets and quoting styles of CSV files."""

import codecs
from collections.abc import Mapping
from enum import StrEnum


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
        """The byte order mark a written file begins with.

        UTF-16 is written in little-endian order, as spreadsheets do, unless the name says otherwise.
        """
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
