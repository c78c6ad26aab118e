"""What a filter names: the fields of its record, and whether it asks for more than the record holds. Pure."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from runtime.filter.moment import is_relative
from runtime.filter.parse import parse_filter
from runtime.filter.syntax import (
    Compare,
    ElementMatch,
    EveryElement,
    Exists,
    Expression,
    Filter,
    HasEdge,
    InList,
    RelationBlock,
    TextSearch,
    operands_of,
)
from runtime.filter.syntax_literals import Literal, OtherField, Variable

CACHED_TEXT: Final = 2048  # characters; longer texts are parsed each time


def named_fields(source: str | Filter) -> frozenset[str]:
    """List the wire paths a filter names. Raises ``FilterSyntax``."""
    if isinstance(source, str):
        return _kept_fields(source) if len(source) <= CACHED_TEXT else named_fields(parse_filter(source))
    return frozenset(named_paths(source.expression, wholes=True))


@lru_cache(maxsize=256)
def _kept_fields(text: str) -> frozenset[str]:
    """List the fields of a text. Lists with the same filter come again, and parsing takes a tenth of one."""
    return named_fields(parse_filter(text))


def named_paths(node: Expression, prefix: str = "", *, wholes: bool = False) -> Iterator[str]:
    """Yield the paths that an expression names, in the order of the text; of a relation block the reference.

    ``wholes``: those of what element matches look into as well, each before the paths inside it.
    """
    if isinstance(node, Compare | InList | Exists | RelationBlock):
        yield prefix + node.path
        if isinstance(node, Compare) and isinstance(node.value, OtherField):
            yield prefix + node.value.path
    elif isinstance(node, ElementMatch | EveryElement):
        if wholes:
            yield prefix + node.path
        yield from named_paths(node.inner, f"{prefix}{node.path}.", wholes=wholes)
    else:
        for operand in operands_of(node):
            yield from named_paths(operand, prefix, wholes=wholes)


def asks_outside(tree: Filter) -> bool:
    """Whether a filter means something else in another call: by variables, time, what the store answers."""
    return any(
        isinstance(node, HasEdge | RelationBlock | TextSearch)
        or any(isinstance(literal, Variable) or is_relative(literal) for literal in _literals(node))
        for node in walk(tree.expression)
    )


def _literals(node: Expression) -> Sequence[Literal]:
    if isinstance(node, Compare):
        return (node.value,)
    if isinstance(node, InList):
        return node.items if isinstance(node.items, tuple) else (node.items,)
    return ()


def walk(expression: Expression) -> Iterator[Expression]:
    """Yield the nodes about the record, each before its operands, and nothing inside of relation blocks."""
    yield expression
    for operand in () if isinstance(expression, RelationBlock) else operands_of(expression):
        yield from walk(operand)
