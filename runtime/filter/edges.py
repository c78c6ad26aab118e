"""Filters that require edges: one among other conditions, or nothing else. Pure."""

from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache

from runtime.errors import FilterSyntax
from runtime.filter.bindings import Bindings
from runtime.filter.compiler import CACHED_FILTERS
from runtime.filter.edge_ends import ask_edge, read_record_id
from runtime.filter.names import CACHED_TEXT, walk
from runtime.filter.parse import parse_filter
from runtime.filter.resolvers import EdgeResolver
from runtime.filter.syntax import And, Expression, Filter, HasEdge
from runtime.filter.syntax_literals import Variable


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


def ask_edges_alone(text: str, edges: EdgeResolver) -> bool:
    """Ask for the edges of a filter that requires nothing else; return whether it is one.

    Such a filter is read once for all callers. Raises what compiling it does.
    """
    found = _list_edges(text) if len(text) <= CACHED_TEXT else None
    for node, record_id in found or ():
        ask_edge(edges, node, record_id, text)
    return found is not None


@lru_cache(maxsize=CACHED_FILTERS)
def _list_edges(text: str) -> Sequence[tuple[HasEdge, str]] | None:
    """List the edges that a filter requires with the ids they name; None where there is more to compile."""
    expression, bindings = parse_filter(text).expression, Bindings(text, {}, for_rule=False)
    operands = expression.operands if isinstance(expression, And) else (expression,)
    edges = [one for one in operands if isinstance(one, HasEdge) and not isinstance(one.target, Variable)]
    if len(edges) < len(operands):
        return None
    with suppress(FilterSyntax):  # reported by compiling, unless an edge in front is refused
        return tuple((one, read_record_id(one.target, bindings)) for one in edges)
    return None
