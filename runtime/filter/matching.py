"""Predicates of a path and values that are known apart from each other, without any filter text.

Code that finds records by a field whose name is data (a key, a lookup of an import profile) comes here. A
name that is formatted into filter text can say more than a name (``labels.x:1||salary``); here it can only be
a path.
"""

from collections.abc import Collection
from typing import Any

from runtime.filter.compiler import compile_filter
from runtime.filter.literal_values import VariableValue
from runtime.filter.predicate import Predicate
from runtime.filter.syntax import Filter, InList, Variable
from runtime.model.record_type import RecordType

_VALUES = "values"


def match_values(
    kind: RecordType[Any], path: str, values: Collection[VariableValue], hidden: frozenset[str]
) -> Predicate:
    """Match the records that have one of ``values`` at a dotted path, which means what ``path:^[…]`` means.

    ``hidden``: the fields that the caller may not see; required, since a forgotten one would be a leak.
    Raises ``UnknownField`` for a path that is unknown or hidden, ``FilterType`` for a value that its type
    cannot read.
    """
    condition = InList(path, Variable(_VALUES))
    return compile_filter(Filter(condition), kind, {_VALUES: list(values)}, hidden=hidden)
