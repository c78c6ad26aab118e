"""Transformations of the text of a cell, before it is looked up or typed. Pure.

In this order, whatever the order in the profile: trim, value mappings, case, regex, default, date format.
Trimming comes first, so that a value mapping sees the cell as a reader does. An empty cell stays empty
unless a value mapping names it or there is a default. Regular expressions are those of RE2, whose time is
linear in the text: no look-around, no back-references. ``\\1`` or ``$1`` in a replacement is a group,
``\\\\`` and ``$$`` are the signs themselves.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final, Literal, TypeAlias

from runtime.contract.imports import RowCode
from runtime.linear_patterns import compile_pattern
from runtime.model.nearest import did_you_mean, nearest
from runtime.system.documents import ImportProfileColumnMappingDocument
from runtime.transfer.profiles.date_format import DateFormat, NoDate, parse_date_format
from runtime.transfer.rows.row_error import RowError, RowRefused

MOST_PATTERN_CHARACTERS: Final = 1000
MOST_MADE: Final = 1_000_000
"""Characters of what a replacement may make of one cell."""

_GROUP = re.compile(r"\\\\|\$\$|[\\$](\d)")
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")


Unmapped: TypeAlias = Literal["FAIL", "PASSTHROUGH", "NULL"]
"""What becomes of a cell that the value mappings do not name."""


@dataclass(frozen=True, slots=True)
class Replacement:
    """``pattern`` is compiled by RE2; ``parts`` of the replacement are text or the number of a group."""

    pattern: Any
    parts: tuple[str | int, ...]

    def apply(self, text: str) -> str:
        """Replace every match. Raises ``OverflowError`` where that makes more than ``MOST_MADE``."""
        made = len(text)

        def replace_match(found: Any) -> str:
            nonlocal made
            written = "".join(one if isinstance(one, str) else found.group(one) or "" for one in self.parts)
            made += len(written)
            if made > MOST_MADE:
                raise OverflowError
            return written

        return str(self.pattern.sub(replace_match, text))


@dataclass(frozen=True, slots=True)
class Transformation:
    """The transformation of the cells of one column.

    ``path``: the field they fill; ``day_only``: that field stores a day without a time.
    """

    path: str
    trim: bool = False
    mappings: Mapping[str, str] = field(default_factory=dict)
    unmapped: Unmapped = "PASSTHROUGH"
    case: str | None = None
    replacement: Replacement | None = None
    default: str | None = None
    dates: DateFormat | None = None
    day_only: bool = False

    @classmethod
    def of(cls, mapping: ImportProfileColumnMappingDocument, *, day_only: bool = False) -> Transformation:
        """Build from an entry of ``columnMappings`` that ``problems`` finds nothing wrong with."""
        asked = mapping.get("transformations") or {}
        regex, pattern = asked.get("regex"), asked.get("dateFormat")
        return cls(
            path=mapping["targetField"],
            trim=bool(asked.get("trim")),
            mappings=mapping.get("valueMappings") or {},
            unmapped=mapping.get("unmappedValueBehavior") or "PASSTHROUGH",
            case=asked.get("case"),
            replacement=None if regex is None else replacement(regex["pattern"], regex.get("replacement")),
            default=asked.get("default"),
            dates=None if pattern is None else parse_date_format(pattern),
            day_only=day_only,
        )

    def apply(self, cell: str) -> str | None:
        """Return the text that a cell becomes; None for an empty one. Raises ``RowRefused``."""
        text = self._map(cell.strip() if self.trim else cell)
        if text and self.case is not None:
            text = _CASES[self.case](text)
        if text and self.replacement is not None:
            text = self._replace(self.replacement, text)
        text = text or self.default
        if not text:
            return None
        return text if self.dates is None else self._read_date(self.dates, text)

    def _map(self, text: str) -> str | None:
        if not self.mappings or text in self.mappings:
            return self.mappings.get(text, text)
        if not text or self.unmapped == "PASSTHROUGH":
            return text
        if self.unmapped == "NULL":
            return None
        near = nearest(text, self.mappings)
        message = f"{text[:100]} is not among the value mappings{did_you_mean(near[:1])}"
        raise RowRefused(RowError(RowCode.MAPPING, message, self.path, text, near[0] if near else None))

    def _replace(self, replacement: Replacement, text: str) -> str:
        try:
            return replacement.apply(text)
        except (OverflowError, UnicodeEncodeError):
            message = f"the regex makes more than {MOST_MADE} characters of it, or cannot read it"
            raise RowRefused(RowError(RowCode.MAPPING, message, self.path, text)) from None

    def _read_date(self, dates: DateFormat, text: str) -> str:
        try:
            return dates.read(text, day_only=self.day_only)
        except NoDate as error:
            raise RowRefused(RowError(RowCode.PARSE, f"{text[:100]} {error}", self.path, text)) from None


@lru_cache(maxsize=256)
def replacement(pattern: str, text: str | None = None) -> Replacement:
    """Compile a replacement. Raises ``ValueError`` with the reason for one that cannot be used."""
    if len(pattern) > MOST_PATTERN_CHARACTERS:
        raise ValueError(f"has more than {MOST_PATTERN_CHARACTERS} characters")
    try:
        compiled = compile_pattern(pattern)
    except ValueError as error:
        raise ValueError(f"cannot be used: {error}; look-around and back-references do not exist") from None
    parts = tuple(_split(text or ""))
    missing = [one for one in parts if isinstance(one, int) and one > compiled.groups]
    if missing:
        raise ValueError(f"has no group {missing[0]}, which the replacement names")
    return Replacement(compiled, parts)


def _split(text: str) -> list[str | int]:
    parts: list[str | int] = []
    at = 0
    for found in _GROUP.finditer(text):
        parts.append(text[at : found.start()])
        parts.append(int(found[1]) if found[1] else found[0][0])
        at = found.end()
    return [one for one in [*parts, text[at:]] if one != ""]


_CASES: Final[Mapping[str, Callable[[str], str]]] = {
    "UPPER": str.upper,
    "LOWER": str.lower,
    "TITLE": lambda text: _WORD.sub(lambda word: word[0].capitalize(), text),
}
