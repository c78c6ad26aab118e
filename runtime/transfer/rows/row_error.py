"""What is wrong with one row: code, field, value, message and, where there is a near one, a suggestion.

A row with errors is reported and never written; the other rows are. Values are shortened and errors beyond
``MOST_ERRORS`` only counted: an error is read by people, and stored with its session.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from runtime.contract.imports import RowCode

MOST_SHOWN: Final = 200
"""Characters of a value that an error repeats."""

MOST_ERRORS: Final = 100
"""Errors that are reported of one row. If there are more, the last one says how many."""

REVIEW_MARK: Final = "REVIEW: correct the row or leave it out, then clear this cell"
"""Begins the findings of a row of an error file that would be sound without the rest of its file."""


@dataclass(frozen=True, slots=True)
class RowError:
    """One finding.

    ``field``: the dotted field, or the header of a column without one. ``depends_on_file``: without the other
    rows of its file, or with all cells, the row may be sound.
    """

    code: RowCode
    message: str
    field: str | None = None
    value: str | None = None
    suggestion: str | None = None
    depends_on_file: bool = False

    def as_document(self) -> dict[str, str]:
        """Return ``{code, message, field?, value?, suggestion?}``, as stored and as on the wire."""
        found = {"code": str(self.code), "message": self.message, "field": self.field}
        found |= {"value": self.value, "suggestion": self.suggestion}
        return {name: text[:MOST_SHOWN] if name == "value" else text for name, text in found.items() if text}


@dataclass(slots=True)
class RowErrors:
    """The errors of one row as they are found: the first are ``shown``, the others are counted.

    ``hidden_depends_on_file``: one of the others depends on the file.
    """

    shown: list[RowError] = field(default_factory=list)
    count: int = 0
    hidden_depends_on_file: bool = False

    def __len__(self) -> int:
        return self.count

    def add(self, error: RowError) -> None:
        self.count += 1
        if len(self.shown) < MOST_ERRORS:
            self.shown.append(error)
        else:
            self.hidden_depends_on_file |= error.depends_on_file

    def extend(self, errors: Iterable[RowError]) -> None:
        for error in errors:
            self.add(error)

    @property
    def room(self) -> int:
        """The number of errors that may still be shown."""
        return MOST_ERRORS - len(self.shown)

    def count_more(self, number: int) -> None:
        """Count errors that are not shown."""
        self.count += number

    def finish(self) -> tuple[RowError, ...]:
        """Return the errors to report. If there are too many, the last one says how many are not shown."""
        if self.count <= MOST_ERRORS:
            return tuple(self.shown)
        *first, last = self.shown
        message = f"{self.count - len(first)} more errors of this row are not shown"
        depends = last.depends_on_file or self.hidden_depends_on_file
        return (*first, RowError(last.code, message, depends_on_file=depends))


def limit_errors(errors: Iterable[RowError]) -> tuple[RowError, ...]:
    """Return the errors to report of one row."""
    found = RowErrors()
    found.extend(errors)
    return found.finish()


class RowRefused(ValueError):
    """A header, a cell or a name that cannot be read; ``error`` is what its row says about it."""

    def __init__(self, error: RowError) -> None:
        super().__init__(error.message)
        self.error = error


def find_review_mark(finding: str) -> RowError | None:
    """Return what is wrong with a row whose findings begin with the mark; None where they do not."""
    if not finding.startswith(REVIEW_MARK):
        return None
    message = "the error file asks to review this row: correct it or leave it out, and clear this cell"
    return RowError(RowCode.VALIDATION, message, "errors", finding, depends_on_file=True)
