"""``compile_filter``: the one way from filter text to a ``Predicate``, with a bounded cache.

A filter that names no variable and no edge means the same for everybody: its predicate is kept per
(record type, text, hidden fields). One with variables keeps its tree. Nothing per user is kept.
"""

from collections.abc import Collection, Iterator
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final

from runtime.filter.bindings import Bindings, Variables
from runtime.filter.conditions import Conditions
from runtime.filter.literal_values import VariableValue
from runtime.filter.mongo import EdgeResolver, Matcher
from runtime.filter.parse import parse_filter
from runtime.filter.predicate import NOTHING, Predicate
from runtime.filter.syntax import (
    And,
    Compare,
    ElementMatch,
    Exists,
    Expression,
    Filter,
    HasEdge,
    InList,
    Not,
    Or,
    walk,
)
from runtime.filter.syntax_literals import OtherField, Variable
from runtime.model.record_type import RecordType

CACHED_FILTERS: Final = 1024
CACHED_TEXT: Final = 2048  # characters; longer texts are compiled each time

_NO_VARIABLES: Final[Variables] = MappingProxyType({})


class Undecidable(Exception):
    """The filter of a rule names a variable without a value; the message says which."""


def compile_filter(
    source: str | Filter,
    kind: RecordType[Any],
    variables: Variables = _NO_VARIABLES,
    *,
    for_rule: bool = False,
    hidden: frozenset[str] = frozenset(),
    edges: EdgeResolver | None = None,
) -> Predicate:
    """Compile a filter on one record type into a predicate.

    ``variables``: name → value, a sequence for list variables, None or ``""`` for what the caller does not
    have. ``for_rule``: a variable that is unknown, empty or without a value makes the whole filter match
    nothing, where it is 400 in a user's filter; the text is checked all the same. ``hidden``: dotted fields
    that are unknown to this caller, in addition to those of the record type. ``edges``: answers hasEdge;
    without it hasEdge is refused.

    Raises ``FilterSyntax``, ``FilterType`` or ``UnknownField``; their details are ``column``, ``excerpt``,
    ``expected`` and, where it applies, ``field``, ``type``, ``value``, ``nearest``.
    """
    try:
        return _bound(source, kind, variables, for_rule, hidden, edges)
    except Undecidable:
        return NOTHING


def compile_rule_filter(text: str, kind: RecordType[Any], variables: Variables) -> Predicate:
    """Compile a rule's filter into a predicate.

    Raises ``Undecidable`` instead of matching nothing: what that means for the rule depends on its effect.
    """
    return _bound(text, kind, variables, True, frozenset(), None)


def _bound(
    source: str | Filter,
    kind: RecordType[Any],
    variables: Variables,
    for_rule: bool,
    hidden: frozenset[str],
    edges: EdgeResolver | None,
) -> Predicate:
    if isinstance(source, str):
        prepared = _kept if len(source) <= CACHED_TEXT else _prepared
        ready = prepared(source, kind, for_rule, hidden)
        if isinstance(ready, Predicate):
            return ready
        source = ready
    return _compiled(source, kind, variables, for_rule, hidden, edges)


def named_fields(source: str | Filter) -> frozenset[str]:
    """List the wire paths a filter names. Raises ``FilterSyntax``."""
    tree = parse_filter(source) if isinstance(source, str) else source
    return frozenset(named_paths(tree.expression, wholes=True))


def _prepared(text: str, kind: RecordType[Any], for_rule: bool, hidden: frozenset[str]) -> Predicate | Filter:
    tree = parse_filter(text)
    if ("${" in text or "Edge" in text) and _asks_outside(tree):
        return tree
    return _compiled(tree, kind, _NO_VARIABLES, for_rule, hidden, None)


_kept = lru_cache(maxsize=CACHED_FILTERS)(_prepared)


def _compiled(
    tree: Filter,
    kind: RecordType[Any],
    variables: Variables,
    for_rule: bool,
    hidden: frozenset[str],
    edges: EdgeResolver | None,
) -> Predicate:
    bindings = Bindings(tree.text, variables, for_rule)
    matcher = Matcher(kind, Conditions(bindings), hidden=hidden, edges=edges, may_search=not for_rule)
    match = matcher.match(tree.expression)
    if bindings.undecided is not None:
        raise Undecidable(bindings.undecided)
    return Predicate(match)


def _asks_outside(tree: Filter) -> bool:
    return any(
        isinstance(node, HasEdge)
        or (isinstance(node, Compare) and isinstance(node.value, Variable))
        or (isinstance(node, InList) and _holds_variable(node))
        for node in walk(tree.expression)
    )


def _holds_variable(node: InList) -> bool:
    items = node.items if isinstance(node.items, tuple) else (node.items,)
    return any(isinstance(item, Variable) for item in items)


def named_paths(node: Expression, prefix: str = "", *, wholes: bool = False) -> Iterator[str]:
    """Yield the paths that an expression names, in the order of the text.

    ``wholes``: those of what element matches look into as well, each before the paths inside it.
    """
    if isinstance(node, Compare | InList | Exists):
        yield prefix + node.path
        if isinstance(node, Compare) and isinstance(node.value, OtherField):
            yield prefix + node.value.path
    elif isinstance(node, ElementMatch):
        if wholes:
            yield prefix + node.path
        yield from named_paths(node.inner, f"{prefix}{node.path}.", wholes=wholes)
    elif isinstance(node, And | Or):
        for operand in node.operands:
            yield from named_paths(operand, prefix, wholes=wholes)
    elif isinstance(node, Not):
        yield from named_paths(node.operand, prefix, wholes=wholes)


_VALUES = "values"


def match_values(
    kind: RecordType[Any], path: str, values: Collection[VariableValue], hidden: frozenset[str]
) -> Predicate:
    """Match the records that have one of ``values`` at a dotted path, which means what ``path:^[…]`` means.

    For a field whose name is data (a key, a lookup of an import profile): formatted into filter text it could
    say more than a name (``labels.x:1||salary``); here it can only be a path.

    ``hidden``: the fields that the caller may not see; required, since a forgotten one would be a leak.
    Raises ``UnknownField`` for a path that is unknown or hidden, ``FilterType`` for a value that its type
    cannot read.
    """
    condition = InList(path, Variable(_VALUES))
    return compile_filter(Filter(condition), kind, {_VALUES: list(values)}, hidden=hidden)
