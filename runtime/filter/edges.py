"""Filters that require one edge: their other conditions. Pure."""

from collections.abc import Sequence
from functools import lru_cache

from runtime.filter.compiler import CACHED_FILTERS
from runtime.filter.names import CACHED_TEXT, walk
from runtime.filter.parse import parse_filter
from runtime.filter.syntax import And, Expression, Filter, HasEdge


def list_besides_edge(source: str | Filter) -> Sequence[Expression] | None:
    """List what a filter requires besides an edge; None where it does not require one, or names several.

    Raises ``FilterSyntax``.
    """
    if isinstance(source, Filter):
        return _list_others(source)
    return (_list_kept if len(source) <= CACHED_TEXT else _list_of_text)(source)


def _list_others(tree: Filter) -> Sequence[Expression] | None:
    operands = tree.expression.operands if isinstance(tree.expression, And) else (tree.expression,)
    others = [one for one in operands if not isinstance(one, HasEdge)]
    has_more = any(isinstance(node, HasEdge) for one in others for node in walk(one))
    return others if len(others) == len(operands) - 1 and not has_more else None


def _list_of_text(text: str) -> Sequence[Expression] | None:
    return _list_others(parse_filter(text))


_list_kept = lru_cache(maxsize=CACHED_FILTERS)(_list_of_text)
