"""The arguments of a tool → its filter: values take the places of variables in the tree, never in the text.

So no value can become an operator, a field or a wildcard, whatever it says: it is a literal of the tree,
which is printed as the one value that it is.
"""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from datetime import datetime
from decimal import Decimal
from functools import lru_cache
from typing import Any, TypeVar, cast

from runtime.fast.timestamps import format_timestamp
from runtime.filter import parse_filter
from runtime.filter.print import print_filter
from runtime.filter.syntax import InList
from runtime.filter.syntax_literals import Literal, Number, ReferenceId, Text, Variable
from runtime.model.record import EntityReference

N = TypeVar("N")

_parse = lru_cache(maxsize=256)(parse_filter)


def bind_arguments(text: str, values: Mapping[str, Any], words: frozenset[str]) -> str:
    """Return a filter with the values of arguments in place of ``${name}``; other variables stay.

    ``words``: the arguments whose values are words that the specification lists, such as states.
    """
    return print_filter(_bind(_parse(text).expression, values, words))


def _bind(node: N, values: Mapping[str, Any], words: frozenset[str]) -> N:
    """Rebuild a node with what is inside of it."""
    if isinstance(node, Variable) and node.name in values:
        return cast(N, _write(values[node.name], is_word=node.name in words))
    if isinstance(node, InList) and isinstance(node.items, Variable) and node.items.name in values:
        is_word = node.items.name in words
        items = tuple(_write(one, is_word=is_word) for one in values[node.items.name])
        return cast(N, replace(node, items=items))
    if isinstance(node, tuple):
        return cast(N, tuple(_bind(one, values, words) for one in node))
    if not is_dataclass(node) or isinstance(node, type):
        return node
    inner = {one.name: _bind(getattr(node, one.name), values, words) for one in fields(node)}
    return replace(node, **inner)


def _write(value: Any, *, is_word: bool) -> Literal:
    if isinstance(value, bool):
        return Text("true" if value else "false")
    if isinstance(value, int | float | Decimal):
        return Number(f"##{value:f}" if isinstance(value, Decimal) else f"##{value}")
    if isinstance(value, datetime):
        return Text(format_timestamp(value), quoted=True)
    if isinstance(value, EntityReference):
        return ReferenceId(value.entity_id)
    word = Text(str(value))
    return word if is_word and not (word.is_pattern or word.is_null) else replace(word, quoted=True)
