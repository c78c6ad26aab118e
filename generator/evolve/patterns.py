"""Regular expressions: a text that one admits and another does not, if one can be found.

Whether one pattern admits all that another does is hard to decide; that it does not is shown by one text. So
texts are drawn from the first pattern, fewest and most repetitions first, and tried with the second. Both are
matched by re2, in linear time; a pair costs a few milliseconds. The parse tree is that of Python's ``re``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib import import_module
from typing import Any, TypeVar

import re2

_MOST_PATTERN, _MOST_TEXT, _MOST_STEPS, _DRAWS, _MOST_REPEATS = 500, 200, 2000, 80, 40
_PRINTABLE = "".join(chr(code) for code in range(32, 127)) + "é\t"
_CLASSES = {"DIGIT": "0123456789", "WORD": "abcxyzABCXYZ0189_", "SPACE": " \t"}

OneT = TypeVar("OneT")


def find_counterexample(admitting: str, refusing: str) -> str | None:
    """Find a short text that the first pattern admits and the second does not; None where none is found."""
    if max(len(admitting), len(refusing)) > _MOST_PATTERN:
        return None
    options = re2.Options()
    options.log_errors = False
    try:
        first, second = re2.compile(admitting, options), re2.compile(refusing, options)
        texts = list(_draw_texts(admitting))
    except (re2.error, re.error, RecursionError, OverflowError, UnicodeEncodeError):
        return None
    found = (text for text in texts if first.search(text) and not second.search(text))
    return min(found, key=len, default=None)


def draw_text(pattern: str, number: int) -> str:
    """Draw a text that the pattern admits, the same one for a number."""
    return _Drawing(number).draw(_parse(pattern))[:_MOST_TEXT]


@lru_cache(maxsize=8)
def _parse(pattern: str) -> Any:
    return import_module("re._parser").parse(pattern)


def _draw_texts(pattern: str) -> Iterator[str]:
    for number in range(_DRAWS):
        text = draw_text(pattern, number)
        yield text
        yield f"~{text}~"  # what is not anchored admits it as well


class _Drawing:
    """One text of a pattern, always the same for a number. The first two repeat least and most."""

    def __init__(self, number: int) -> None:
        self.number, self.state, self.length, self.steps = number, number, 0, 0

    def draw(self, tree: Any) -> str:
        """Draw a text of a sequence of nodes."""
        return "".join(self._draw_node(str(name), value) for name, value in tree)

    def _draw_node(self, name: str, value: Any) -> str:
        self.steps += 1
        if self.length > _MOST_TEXT or self.steps > _MOST_STEPS:
            return ""
        if name in ("LITERAL", "NOT_LITERAL", "ANY", "IN"):
            self.length += 1
            return self._choose(_list_characters(name, value))
        if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            least, most, inner = value
            top = max(least, min(int(most), least + _MOST_REPEATS))
            counts = (least, top, min(least + 1, top), min(least + 2, top))
            count = counts[self.number] if self.number < 2 else self._choose(counts)
            return self._repeat(inner, count)
        if name == "BRANCH":
            return self.draw(self._choose(value[1]))
        return self.draw(value[-1]) if name in ("SUBPATTERN", "ATOMIC_GROUP") else ""

    def _repeat(self, inner: Any, count: int) -> str:
        text = ""
        for _time in range(count):
            if self.length > _MOST_TEXT or self.steps > _MOST_STEPS:
                break
            text += self.draw(inner)
        return text

    def _choose(self, options: Sequence[OneT]) -> OneT:
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return options[(self.state >> 33) % len(options)]


def _list_characters(name: str, value: Any) -> str:
    """List some characters that a node admits, the ends of its ranges among them."""
    if name == "ANY":
        return _PRINTABLE
    if name == "LITERAL":
        return chr(value)
    members = [("LITERAL", value)] if name == "NOT_LITERAL" else [(str(kind), one) for kind, one in value]
    is_negated = name == "NOT_LITERAL" or members[0][0] == "NEGATE"
    admitted = "".join(_list_members(kind, one) for kind, one in members if kind != "NEGATE")
    rest = "".join(one for one in _PRINTABLE if one not in admitted)
    return (rest if is_negated else admitted) or "~"


def _list_members(kind: str, value: Any) -> str:
    if kind == "RANGE":
        low, high = value
        return "".join(chr(code) for code in range(low, min(high, low + 127) + 1)) + chr(high)
    if kind == "CATEGORY":
        word = str(value).removeprefix("CATEGORY_")
        name = word.removeprefix("NOT_")
        return (
            _CLASSES[name]
            if name == word
            else "".join(one for one in _PRINTABLE if one not in _CLASSES[name])
        )
    return chr(value) if kind == "LITERAL" else ""
