"""``compile_filter``: the one way from filter text to a ``Predicate``, with a bounded cache.

A filter that names no variable, edge and related record means the same for everybody: its predicate is kept
per (record type, text, hidden fields). Of others the tree is kept. Nothing per user is kept.
"""

import re
from collections.abc import Collection
from datetime import UTC, datetime, tzinfo
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final

from runtime.filter.bindings import Bindings, Variables
from runtime.filter.conditions import Conditions
from runtime.filter.fields import Columns
from runtime.filter.literal_values import VariableValue
from runtime.filter.moment import MAY_BE_RELATIVE, Moment
from runtime.filter.mongo import Matcher
from runtime.filter.names import CACHED_TEXT, asks_outside
from runtime.filter.parse import parse_filter
from runtime.filter.predicate import NOTHING, Predicate
from runtime.filter.relations import RelationResolver
from runtime.filter.resolvers import EdgeResolver, Resolvers
from runtime.filter.searches import SearchResolver
from runtime.filter.syntax import Filter, InList
from runtime.filter.syntax_literals import Variable
from runtime.model.record_type import RecordType

CACHED_FILTERS: Final = 1024

_MAY_ASK: Final = re.compile(r"\{|Edge|text")
_NO_TIME: Final = datetime.min.replace(tzinfo=UTC)
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
    relations: RelationResolver | None = None,
    searches: SearchResolver | None = None,
    moment: Moment | None = None,
) -> Predicate:
    """Compile a filter on one record type into a predicate.

    ``variables``: name → value, a sequence for list variables, None or ``""`` for what the caller does not
    have. ``for_rule``: a variable that is unknown, empty or without a value makes the whole filter match
    nothing, where it is 400 in a user's filter; the text is checked all the same. ``hidden``: dotted fields
    that are unknown to this caller, in addition to those of the record type. ``edges``: answers hasEdge;
    without it hasEdge is refused. ``relations``: answers relation blocks; without it they are refused.
    ``searches``: answers text searches where MongoDB takes none; without it they are refused there.
    ``moment``: of the request; without it dates relative to now are refused, and days are those of UTC.

    Raises ``FilterSyntax``, ``FilterType`` or ``UnknownField``; their details are ``column``, ``excerpt``,
    ``expected`` and, where it applies, ``field``, ``type``, ``value``, ``nearest``.
    """
    try:
        resolvers = Resolvers(edges, relations, searches)
        return _compile_bound(source, kind, variables, for_rule, hidden, resolvers, moment)
    except Undecidable:
        return NOTHING


def compile_for_all(
    source: str | Filter, kind: RecordType[Any], hidden: frozenset[str], zone: tzinfo
) -> Predicate | None:
    """Compile a filter that means the same in every call with these fields hidden and this time zone.

    None where it may mean something else, and for a text that is too long to be remembered. Raises what
    ``compile_filter`` does.
    """
    if isinstance(source, str):
        ready = _prepare_once(source, kind, False, hidden, zone) if len(source) <= CACHED_TEXT else None
        return ready if isinstance(ready, Predicate) else None
    return None if asks_outside(source) else _compile_alone(source, kind, False, hidden, zone)


def compile_having(text: str, columns: Columns, moment: Moment) -> Predicate:
    """Compile a filter on rows that are worked out. It knows no variables.

    Raises what ``compile_filter`` does.
    """
    return _compile(parse_filter(text), columns, _NO_VARIABLES, False, frozenset(), Resolvers(), moment)


def compile_rule_filter(text: str, kind: RecordType[Any], variables: Variables) -> Predicate:
    """Compile a rule's filter into a predicate.

    Raises ``Undecidable`` instead of matching nothing: what that means for the rule depends on its effect.
    """
    return _compile_bound(text, kind, variables, True, frozenset(), Resolvers(), None)


def _compile_bound(
    source: str | Filter,
    kind: RecordType[Any],
    variables: Variables,
    for_rule: bool,
    hidden: frozenset[str],
    resolvers: Resolvers,
    moment: Moment | None,
) -> Predicate:
    if isinstance(source, str):
        prepared = _prepare_once if len(source) <= CACHED_TEXT else _prepare
        ready = prepared(source, kind, for_rule, hidden, moment.zone if moment else UTC)
        if isinstance(ready, Predicate):
            return ready
        source = ready
    return _compile(source, kind, variables, for_rule, hidden, resolvers, moment)


def _prepare(
    text: str, kind: RecordType[Any], for_rule: bool, hidden: frozenset[str], zone: tzinfo
) -> Predicate | Filter:
    tree = parse_filter(text)
    if (_MAY_ASK.search(text) or MAY_BE_RELATIVE.search(text)) and asks_outside(tree):
        return tree
    return _compile_alone(tree, kind, for_rule, hidden, zone)


_prepare_once = lru_cache(maxsize=CACHED_FILTERS)(_prepare)


def _compile_alone(
    tree: Filter, kind: RecordType[Any], for_rule: bool, hidden: frozenset[str], zone: tzinfo
) -> Predicate:
    moment = Moment(_NO_TIME, zone)  # nothing in the filter is relative to it
    return _compile(tree, kind, _NO_VARIABLES, for_rule, hidden, Resolvers(), moment)


def _compile(
    tree: Filter,
    kind: RecordType[Any] | Columns,
    variables: Variables,
    for_rule: bool,
    hidden: frozenset[str],
    resolvers: Resolvers,
    moment: Moment | None,
) -> Predicate:
    bindings = Bindings(tree.text, variables, for_rule, moment)
    matcher = Matcher(kind, Conditions(bindings), hidden=hidden, resolvers=resolvers, may_search=not for_rule)
    match = matcher.match(tree.expression)
    if bindings.undecided is not None:
        raise Undecidable(bindings.undecided)
    return Predicate(match)


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
