"""The order of a list, as the store is given it, and the marks of a sort: ``name~ci:sv~nullslast``. Pure.

``~ci``: case does not matter, and texts are in the order of a language; ``~nullsfirst`` and ``~nullslast``:
where records are that lack the field. A command has one collation, hence so has an order.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from runtime.filter.fields import Field
from runtime.model.field_type import ValueKind
from runtime.model.nearest import hint

Keys: TypeAlias = tuple[tuple[str, int], ...]

ANY_LANGUAGE: Final = "en"
"""Its order is that of Unicode (UTS #10) without the changes of any language."""

_CODES: Final = (
    "af am ar as az be bg bn bo bs ca chr cs cy da de dsb dz ee el en eo es et fa fi fil fo fr ga gl gu "
    "ha haw he hi hr hsb hu hy id ig is it ja ka kk kl km kn ko kok ky lb ln lo lt lv mk ml mn mr ms mt "
    "my nb ne nl nn om or pa pl ps pt ro ru se si sk sl smn sq sr sv sw ta te th to tr ug uk ur vi wae yi "
    "yo zh zu"
)
LANGUAGES: Final = frozenset(_CODES.split())
"""ISO 639 codes of the languages whose order MongoDB knows."""

SCORE: Final = "__score"
"""Where stages put how well a record fits a text search; no record has it."""

MARKS: Final = "~ci, ~ci:sv, ~nullsfirst or ~nullslast"

_MARKED: Final = re.compile(r'((?:[^"~]|"[^"]*+(?>(?:""[^"]*+)*)")+)((?:~[^~]*+)*)')


@dataclass(frozen=True, slots=True)
class Order:
    """What a list is ordered by. ``keys``: stored paths with 1 or -1.

    ``language``: of the collation, which ignores case; None compares octets. ``moved``: the paths among the
    keys whose missing values are at the other end than in MongoDB, which has them before all others.
    """

    keys: Keys = ()
    language: str | None = None
    moved: frozenset[str] = field(default_factory=frozenset)

    @property
    def by_score(self) -> bool:
        """Whether the relevance of a text search is one of the keys."""
        return any(path == SCORE for path, _direction in self.keys)

    def with_keys(self, keys: Keys) -> "Order":
        return Order(keys, self.language, self.moved & {path for path, _direction in keys})

    @classmethod
    def of(cls, order: "Order | Sequence[tuple[str, int]]") -> "Order":
        """Return the order itself, or that of plain keys."""
        return order if isinstance(order, Order) else cls(tuple(order))


@dataclass(slots=True)
class Marks:
    """The marks of all fields of a sort, as they are read."""

    language: str | None = None
    moved: set[str] = field(default_factory=set)
    _exact: list[str] = field(default_factory=list)
    _ignoring: list[str] = field(default_factory=list)

    def add(self, name: str, found: Field, direction: int, marks: Sequence[str]) -> str | None:
        """Add those of one field; return what is wrong with them."""
        kinds = [mark.partition(":")[0] for mark in marks]
        if unknown := [mark for mark, kind in zip(marks, kinds, strict=True) if kind not in _KINDS]:
            return f"~{unknown[0][:50]} says nothing about an order: write {MARKS}"
        if len({_KINDS[kind] for kind in kinds}) < len(kinds):
            return f"{name} has two marks of one kind: write one of {MARKS}"
        for mark, kind in zip(marks, kinds, strict=True):
            fault = self._ignore_case(name, found, mark) if kind == "ci" else None
            if fault is None and kind != "ci":
                fault = self._place_nulls(name, found, direction, mark)
            if fault:
                return fault
        if found.type.kind is ValueKind.STRING:
            (self._ignoring if "ci" in kinds else self._exact).append(name)
        if self._ignoring and self._exact:
            language = "" if self.language == ANY_LANGUAGE else f":{self.language}"
            return (
                f"{self._ignoring[0]} ignores case and {self._exact[0]} does not, and an order compares all "
                f"its texts in one way: write {self._exact[0]}~ci{language}"
            )
        return None

    def _ignore_case(self, name: str, found: Field, mark: str) -> str | None:
        if found.type.kind is not ValueKind.STRING:
            return f"{name} is {_name(found)}, which has no case: leave out ~{mark[:50]}"
        _, colon, language = mark.partition(":")
        language = language if colon else ANY_LANGUAGE
        if language not in LANGUAGES:
            return (
                f"{language[:50]} is not the code of a language that texts are ordered by"
                f"{hint(language, LANGUAGES)}; write ~ci for the order of no language, or ~ci:sv"
            )
        if self.language not in (None, language):
            return f"the texts of one order are in that of one language: write {name}~ci:{self.language}"
        self.language = language
        return None

    def _place_nulls(self, name: str, found: Field, direction: int, mark: str) -> str | None:
        if found.type.kind is ValueKind.JSON:
            return f"{name} is free-form: only fields with a declared type place their nulls"
        if found.path != "_id" and (mark == "nullslast") == (direction > 0):
            self.moved.add(found.path)
        return None if ":" not in mark else f"~{mark[:50]} takes nothing behind it: write {MARKS}"


_KINDS: Final = {"ci": "case", "nullsfirst": "nulls", "nullslast": "nulls"}


def split_marks(entry: str) -> tuple[str, tuple[str, ...]]:
    """Return the path of an entry of a sort, and the marks behind it."""
    found = _MARKED.fullmatch(entry)
    return (found[1], tuple(found[2].split("~")[1:])) if found else (entry, ())


def _name(found: Field) -> str:
    kind = found.type.kind
    return "an id" if kind is ValueKind.OBJECT_ID else f"of type {kind.value}"
