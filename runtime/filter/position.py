"""Where in a filter something is wrong: column, excerpt with a caret, and the errors that carry them."""

from collections.abc import Sequence
from typing import Any

from runtime.errors import FilterSyntax

_REACH = 40  # characters of the line shown on each side of the place


def place(text: str, at: int) -> dict[str, Any]:
    """Return ``column`` (1-based) and ``excerpt`` of an error at an offset, and ``line`` if several.

    The excerpt is the line around the place and, below, a caret. Empty for -1: nodes made by hand have
    no place.
    """
    if at < 0:
        return {}
    at = min(at, len(text))
    start = text.rfind("\n", 0, at) + 1
    end = text.find("\n", at)
    line = text[start : len(text) if end < 0 else end]
    column = at - start
    left, right = max(0, column - _REACH), column + _REACH
    before, after = "…" if left else "", "…" if right < len(line) else ""
    shown = "".join(sign if sign.isprintable() else " " for sign in line[left:right])
    caret = " " * (len(before) + column - left) + "^"
    found: dict[str, Any] = {"column": column + 1, "excerpt": f"{before}{shown}{after}\n{caret}"}
    if "\n" in text:
        found["line"] = text.count("\n", 0, start) + 1
    return found


def syntax_error(text: str, at: int, message: str, expected: Sequence[str] = ()) -> FilterSyntax:
    """Create a ``FilterSyntax`` that points at an offset of the text."""
    return FilterSyntax(message, expected=list(expected), **place(text, at))


class FilterRefused(Exception):
    """Raised while the tree is built; becomes a ``FilterSyntax`` once the text is at hand."""

    def __init__(self, message: str, at: int, *expected: str) -> None:
        super().__init__(message)
        self.message, self.at, self.expected = message, at, expected
