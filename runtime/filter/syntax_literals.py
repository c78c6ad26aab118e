"""The literals of a filter: what was written, before any field or type is known.

They are compared without their positions, like the rest of the tree (``syntax.py``).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeAlias


def position() -> Any:
    """Declare where a node begins: a 0-based offset into the text, which equality ignores."""
    return field(default=-1, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Text:
    """A bare or a quoted string. Bare text is read by the type of the field; quoted text is text."""

    text: str
    quoted: bool = False
    ignore_case: bool = False
    at: int = position()
    has_case: bool = field(default=False, compare=False, repr=False)  # ~ci or ~cs was written
    wild: frozenset[int] = frozenset()  # offsets of wildcards that are next to quotes

    @property
    def is_null(self) -> bool:
        return self.text == "null" and not self.quoted

    @property
    def is_pattern(self) -> bool:
        """Holds ``*`` or ``?`` outside quotes."""
        return bool(self.wild) or (not self.quoted and ("*" in self.text or "?" in self.text))


@dataclass(frozen=True, slots=True)
class Number:
    """``#10`` or ``##19.99``; ``text`` is as written, with its signs."""

    text: str
    at: int = position()


@dataclass(frozen=True, slots=True)
class ReferenceId:
    """``@@`` and 24 hexadecimal digits; ``id`` is the digits, lower case."""

    id: str
    at: int = position()


@dataclass(frozen=True, slots=True)
class Variable:
    """``${name}``: bound to a typed value when the filter is compiled, never spliced into text."""

    name: str
    at: int = position()


@dataclass(frozen=True, slots=True)
class OtherField:
    """``$path``: the value of another field of the same record."""

    path: str
    at: int = position()


def is_null(literal: Literal) -> bool:
    """Whether a literal is the bare word ``null``."""
    return isinstance(literal, Text) and literal.is_null


Literal: TypeAlias = Text | Number | ReferenceId | Variable | OtherField
