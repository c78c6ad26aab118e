"""Text → tree. Knows the words of the language, no fields and no types (decisions §2).

``parse_filter`` reads a filter; ``parse_query`` also takes the directives of the gateway. The whole
text must be readable; everything else is a ``FilterSyntax`` with column, caret and advice. Limits come
first, so that no text is expensive: ``MAX_BYTES``, ``MAX_NESTING``, ``MAX_PARTS``, ``MAX_ITEMS``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, TypeAlias, cast

from lark import Lark, Token, Transformer, UnexpectedInput

from runtime.filter.advice import advice, expected_words
from runtime.filter.position import syntax_error
from runtime.filter.syntax import (
    Compare,
    EdgeKind,
    ElementMatch,
    Exists,
    Expansion,
    Expression,
    FieldMark,
    Filter,
    HasEdge,
    InList,
    Literal,
    Narrowing,
    Number,
    Operator,
    Query,
    ReferenceId,
    Text,
    TextSearch,
    Variable,
    conjunction,
    disjunction,
    negation,
)

MAX_BYTES: Final = 16 * 1024
MAX_NESTING: Final = 32
MAX_PARTS: Final = 500
MAX_ITEMS: Final = 1000
MAX_PATTERN: Final = 1000

_QUOTED = re.compile(r'"(?:[^"]++|"")*+"?')
_PART = re.compile(r"&&|\|\||!!|[({]")
_STEP = re.compile(r"!!|[(){}]|[^\s!(){}]+|!")
_REFERENCE = re.compile(r"@@([0-9a-fA-F]{24})")
_CASE = re.compile(r"~c[is]")


def parse_filter(text: str) -> Filter:
    """The tree of a filter. Raises ``FilterSyntax``."""
    found = _parse(text, "filter")
    if isinstance(found, _Directive | _Directives):
        raise syntax_error(text, found.at, _ONLY_QUERIES, ["field:value"])
    return Filter(found, text)


def parse_query(text: str) -> Query:
    """A filter with directives beside it; blank text is a query for everything. Raises ``FilterSyntax``."""
    if not text or text.isspace():
        return Query(text=text)
    found = _parse(text, "query")
    if not isinstance(found, _Directive | _Directives):
        return Query(Filter(found, text), text=text)
    directives = found.directives if isinstance(found, _Directives) else (found,)
    conditions = found.conditions if isinstance(found, _Directives) else ()
    of = {kind: [d for d in directives if isinstance(d.value, kind)] for kind in (Expansion, Narrowing, tuple)}
    if len(of[tuple)] > 1:
        raise syntax_error(text, of[tuple][1].at, "fields:[…] stands once in a query")
    return Query(
        Filter(conjunction(conditions), text) if conditions else None,
        expansions=tuple(_with_text(d.value, text) for d in of[Expansion]),
    )
