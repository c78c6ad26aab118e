"""What is wrong with the specifications, as values: where, which rule, and what would be right.

Every stage reports into one list; ``ProblemList`` is raised once, with the problems of all files,
sorted. Warnings, which stop nothing, are such values too. The rules themselves, each with a bad and a good
example, are ``generator.spec_rules.RULES``.
"""

from __future__ import annotations

import json
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Literal

from generator.spec_rules import RULES
from runtime.model.counting import count_things

Format = Literal["text", "json", "github"]
Level = Literal["error", "warning"]

_FEW = 30
_MOST_PLACES = 5


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A point in a file: the path from the parent of the specs folder, with forward slashes; both from 1."""

    file: str
    line: int = 1
    column: int = 1


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One finding. Sorts by file, line, column, rule, message."""

    file: str
    line: int
    column: int
    rule: str
    message: str

    @classmethod
    def at(cls, place: Place, rule: str, message: str) -> Problem:
        """Create a problem of a known rule. Raises ``KeyError`` for an unknown rule id."""
        return cls(place.file, place.line, place.column, RULES[rule].id, message)

    def __str__(self) -> str:
        return self.show()

    def show(self, level: Level = "error") -> str:
        """Show it as a line of text."""
        return f"{self.file}:{self.line}:{self.column}: {level}[{self.rule}] {self.message}"

    def show_command(self, level: Level = "error") -> str:
        """Show it as a workflow command of GitHub."""
        where = f"file={escape_property(self.file)},line={self.line},col={self.column}"
        return f"::{level} {where},title={self.rule}::{escape_command(self.message)}"


def escape_command(text: str, more: str = "") -> str:
    """Escape the text of a workflow command of GitHub, and more characters."""
    return "".join(f"%{ord(one):02X}" if one in f"%\r\n{more}" else one for one in text)


def escape_property(text: str) -> str:
    """Escape the value of a property of a workflow command, such as its file or title."""
    return escape_command(text, ":,")


class ProblemList(Exception):
    """All problems of all files, sorted, each once."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(sorted(set(problems)))
        super().__init__(f"{count_things(len(self.problems), 'problem')} in the specifications")

    def __str__(self) -> str:
        return self.formatted("text")

    def formatted(self, style: Format) -> str:
        """Format as text, JSON (a list) or workflow commands of GitHub (a line each); no last newline.

        Text has a line each too, but one alone for what is the same in more than five places.
        """
        if style == "json":
            return json.dumps([asdict(problem) for problem in self.problems], indent=2, ensure_ascii=False)
        return "\n".join(
            map(Problem.show_command, self.problems) if style == "github" else self._list_lines()
        )

    def _list_lines(self) -> Iterator[str]:
        numbers = Counter((one.rule, one.message) for one in self.problems)
        for one in self.problems:
            number = numbers[one.rule, one.message]
            if number > _MOST_PLACES:
                yield f"{one} (the same in {number - 1:,} other places)"
                numbers[one.rule, one.message] = 0
            elif number:
                yield str(one)


def nearest(name: str, known: Iterable[str]) -> list[str]:
    """Return at most two known names that are spelled like ``name``, in any case; best first."""
    from rapidfuzz import fuzz, process, utils  # most specifications have no problem

    found = process.extract(
        name[:200],
        sorted(known),
        scorer=fuzz.ratio,
        processor=utils.default_process,
        limit=2,
        score_cutoff=70,
    )
    return [candidate for candidate, _score, _index in found]


def did_you_mean(name: str, known: Iterable[str], *, list_few: bool = True) -> str:
    """Return ``; did you mean "Airport"?``, or the known names if none is near and they are few."""
    names = sorted(known)
    if near := [f'"{one}"' for one in nearest(name, names)]:
        return f"; did you mean {' or '.join(near)}?"
    return f"; known: {', '.join(names)}" if list_few and 0 < len(names) <= _FEW else ""


def find_odd_character(text: str) -> str | None:
    """Describe the first character that is invisible, or that looks like one of the Latin alphabet."""
    for one in text:
        name = unicodedata.name(one, "")
        if not one.isascii() and not unicodedata.combining(one) and not name.startswith("LATIN"):
            return f"U+{ord(one):04X} ({name.lower() or 'without a name'})"
    return None
