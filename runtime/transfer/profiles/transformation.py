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
from typing import Final, Literal, TypeAlias

from runtime.contract.imports import RowCode
from runtime.model.date_format import DateFormat, NoDate, parse_date_format
from runtime.model.nearest import did_you_mean, nearest
from runtime.system.documents import ImportProfileColumnMappingDocument
from runtime.transfer.profiles.replacement import NotReplaced, Replacement, replacement
from runtime.transfer.rows.row_error import RowError, RowRefused

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")


Unmapped: TypeAlias = Literal["FAIL", "PASSTHROUGH", "NULL"]
"""What becomes of a cell that the value mappings do not name."""


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
        """Build from an entry of ``columnMappings`` in which ``profile_check`` finds nothing wrong."""
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
        except NotReplaced as error:
            raise RowRefused(RowError(RowCode.MAPPING, f"the regex {error}", self.path, text)) from None

    def _read_date(self, dates: DateFormat, text: str) -> str:
        try:
            return dates.read(text, day_only=self.day_only)
        except NoDate as error:
            raise RowRefused(RowError(RowCode.PARSE, f"{text[:100]} {error}", self.path, text)) from None


_CASES: Final[Mapping[str, Callable[[str], str]]] = {
    "UPPER": str.upper,
    "LOWER": str.lower,
    "TITLE": lambda text: _WORD.sub(lambda word: word[0].capitalize(), text),
}
