"""The tree of a filter: what was written, before any field or type is known.

Frozen values, compared without their positions (``at``, a 0-based offset into the text), so that two
spellings of one filter are equal. The makers ``conjunction``, ``disjunction`` and ``negation`` keep
the tree flat: no AND inside an AND, no OR inside an OR, no NOT of a NOT.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeAlias


class Operator(StrEnum):
    """How a field is compared with one value; the text between field and value."""

    EQUAL = ":"
    NOT_EQUAL = ":!"
    LESS = ":<"
    LESS_OR_EQUAL = ":<="
    GREATER = ":>"
    GREATER_OR_EQUAL = ":>="


class EdgeKind(StrEnum):
    """Which end of an ontology edge the record is; the name of the function in the language."""

    ANY = "hasEdge"
    OUTGOING = "hasOutgoingEdge"
    INCOMING = "hasIncomingEdge"


def _position() -> Any:
    return field(default=-1, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Text:
    """A bare or a quoted string. Bare text is read by the type of the field; quoted text is text."""

    text: str
    quoted: bool = False
    ignore_case: bool = False
    at: int = _position()
    has_case: bool = field(default=False, compare=False, repr=False)  # ~ci or ~cs was written
    wild: frozenset[int] = frozenset()  # offsets of wildcards that are next to quotes

    @property
    def is_null(self) -> bool:
        """The literal ``null``."""
        return self.text == "null" and not self.quoted

    @property
    def is_pattern(self) -> bool:
        """Holds ``*`` or ``?`` outside quotes."""
        return bool(self.wild) or (not self.quoted and ("*" in self.text or "?" in self.text))


@dataclass(frozen=True, slots=True)
class Number:
    """``#10`` or ``##19.99``; ``text`` is as written, with its signs."""

    text: str
    at: int = _position()


@dataclass(frozen=True, slots=True)
class ReferenceId:
    """``@@`` and 24 hexadecimal digits; ``id`` is the digits, lower case."""

    id: str
    at: int = _position()


@dataclass(frozen=True, slots=True)
class Variable:
    """``${name}``: bound to a typed value when the filter is compiled, never spliced into text."""

    name: str
    at: int = _position()


Literal: TypeAlias = Text | Number | ReferenceId | Variable


@dataclass(frozen=True, slots=True)
class Compare:
    """``field:value`` and its relatives."""

    path: str
    operator: Operator
    value: Literal
    at: int = _position()


@dataclass(frozen=True, slots=True)
class InList:
    """``field:^[a,b]`` or ``field:^${name}``; with ``:!^`` not in."""

    path: str
    items: tuple[Literal, ...] | Variable
    negated: bool = False
    at: int = _position()


@dataclass(frozen=True, slots=True)
class Exists:
    """``field:~``: present and not null."""

    path: str
    at: int = _position()


@dataclass(frozen=True, slots=True)
class ElementMatch:
    """``field:{ … }``: one element matches all of it; names inside are relative to the element."""

    path: str
    inner: Expression
    at: int = _position()


@dataclass(frozen=True, slots=True)
class TextSearch:
    """``text("words")`` over the text index."""

    words: str
    at: int = _position()


@dataclass(frozen=True, slots=True)
class HasEdge:
    """``hasEdge(predicate, id)``, ``hasOutgoingEdge`` or ``hasIncomingEdge``."""

    kind: EdgeKind
    predicate: str
    target: Literal
    at: int = _position()


@dataclass(frozen=True, slots=True)
class And:
    """All of them; two or more."""

    operands: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """Any of them; two or more."""

    operands: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Not:
    """``!!``: the records that do not match the operand."""

    operand: Expression


Expression: TypeAlias = Compare | InList | Exists | ElementMatch | TextSearch | HasEdge | And | Or | Not


@dataclass(frozen=True, slots=True)
class Filter:
    """A whole filter. ``text`` is what it was read from; errors show the place in it."""

    expression: Expression
    text: str = field(default="", compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class FieldMark:
    """One entry of ``fields:[+a,-b]``."""

    path: str
    include: bool = True
    at: int = _position()


@dataclass(frozen=True, slots=True)
class Expansion:
    """``expand(path, fields:[…], filter)``; the path keeps its ``[*]``, ``where`` is about its target."""

    path: str
    fields: tuple[FieldMark, ...] = ()
    where: Expression | None = None
    at: int = _position()


@dataclass(frozen=True, slots=True)
class Narrowing:
    """``path{ … }``: an inline block that narrows the related records at a path."""

    path: str
    where: Expression
    at: int = _position()


@dataclass(frozen=True, slots=True)
class Query:
    """A query of the gateway: a filter on the root records, and directives."""

    filter: Filter | None = None
    expansions: tuple[Expansion, ...] = ()
    narrowings: tuple[Narrowing, ...] = ()
    fields: tuple[FieldMark, ...] = ()
    text: str = field(default="", compare=False, repr=False)


def conjunction(operands: Iterable[Expression]) -> Expression:
    """Join expressions by and. One operand stays itself."""
    return _flat(And, operands)


def disjunction(operands: Iterable[Expression]) -> Expression:
    """Join expressions by or. One operand stays itself."""
    return _flat(Or, operands)


def negation(operand: Expression) -> Expression:
    """Negate an expression; a double negation is the operand itself."""
    return operand.operand if isinstance(operand, Not) else Not(operand)


def walk(expression: Expression) -> Iterator[Expression]:
    """Every node, each before its operands."""
    yield expression
    if isinstance(expression, And | Or):
        for operand in expression.operands:
            yield from walk(operand)
    elif isinstance(expression, Not):
        yield from walk(expression.operand)
    elif isinstance(expression, ElementMatch):
        yield from walk(expression.inner)


def _flat(maker: Callable[[tuple[Expression, ...]], And | Or], operands: Iterable[Expression]) -> Expression:
    flat: list[Expression] = []
    for operand in operands:
        if type(operand) is maker and isinstance(operand, And | Or):
            flat += operand.operands
        else:
            flat.append(operand)
    return flat[0] if len(flat) == 1 else maker(tuple(flat))
