"""The tree of a filter: what was written, before any field or type is known.

Frozen values, compared without their positions (``at``, a 0-based offset into the text), so that two
spellings of one filter are equal. The makers ``conjunction``, ``disjunction`` and ``negation`` keep
the tree flat: no AND inside an AND, no OR inside an OR, no NOT of a NOT.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

from runtime.filter.syntax_literals import Literal, Variable, position


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


@dataclass(frozen=True, slots=True)
class Compare:
    """``field:value`` and its relatives."""

    path: str
    operator: Operator
    value: Literal
    at: int = position()


@dataclass(frozen=True, slots=True)
class InList:
    """``field:^[a,b]`` or ``field:^${name}``; with ``:!^`` not in."""

    path: str
    items: tuple[Literal, ...] | Variable
    negated: bool = False
    at: int = position()


@dataclass(frozen=True, slots=True)
class Exists:
    """``field:~``: present and not null."""

    path: str
    at: int = position()


@dataclass(frozen=True, slots=True)
class ElementMatch:
    """``field:{ … }``: one element matches all of it; names inside are relative to the element."""

    path: str
    inner: Expression
    at: int = position()


@dataclass(frozen=True, slots=True)
class RelationBlock:
    """``path{ … }``: the record that a reference points to matches; names inside are of its type.

    The path is without the ``[*]`` by which a text may mark lists: ``marked`` are the lists it marks.
    """

    path: str
    where: Expression
    marked: tuple[str, ...] = field(default=(), compare=False)
    at: int = position()


@dataclass(frozen=True, slots=True)
class EveryElement:
    """``field:every{ … }``: no element fails it; names inside are relative to the element."""

    path: str
    inner: Expression
    at: int = position()


@dataclass(frozen=True, slots=True)
class TextSearch:
    """``text("words")`` over the text index; each of ``prefixes`` begins a word, as in ``text(red sho*)``."""

    words: str
    prefixes: tuple[str, ...] = ()
    at: int = position()


@dataclass(frozen=True, slots=True)
class HasEdge:
    """``hasEdge(predicate, id)``, ``hasOutgoingEdge`` or ``hasIncomingEdge``."""

    kind: EdgeKind
    predicate: str
    target: Literal
    at: int = position()


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


AboutField: TypeAlias = Compare | InList | Exists | ElementMatch | EveryElement | RelationBlock
Expression: TypeAlias = AboutField | TextSearch | HasEdge | And | Or | Not


def operands_of(node: Expression) -> tuple[Expression, ...]:
    """Return the expressions that one holds; that of a relation block is about other records."""
    match node:
        case And() | Or():
            return node.operands
        case Not():
            return (node.operand,)
        case ElementMatch() | EveryElement():
            return (node.inner,)
        case RelationBlock():
            return (node.where,)
    return ()


@dataclass(frozen=True, slots=True)
class Filter:
    """A whole filter. ``text`` is what it was read from; errors show the place in it."""

    expression: Expression
    text: str = field(default="", compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class FieldMark:
    """One entry of ``fields:[+a,-b]``; ``marked`` are the lists in its path that have ``[*]``."""

    path: str
    include: bool = True
    at: int = position()
    marked: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Expansion:
    """``expand(path, fields:[…], filter)``; the path keeps its ``[*]``, ``where`` is about its target."""

    path: str
    fields: tuple[FieldMark, ...] = ()
    where: Expression | None = None
    at: int = position()


@dataclass(frozen=True, slots=True)
class Query:
    """A query of the gateway: a filter on the root records, and directives."""

    filter: Filter | None = None
    expansions: tuple[Expansion, ...] = ()
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


def _flat(maker: Callable[[tuple[Expression, ...]], And | Or], operands: Iterable[Expression]) -> Expression:
    flat: list[Expression] = []
    for operand in operands:
        if type(operand) is maker and isinstance(operand, And | Or):
            flat += operand.operands
        else:
            flat.append(operand)
    return flat[0] if len(flat) == 1 else maker(tuple(flat))
