"""Text search: the words of ``text(…)``, and how many searches a filter may have. Pure.

Whole words are those of the text index, by ``$text``: any of them is enough. A word that ends with a star
outside quotes, ``text(red sho*)``, is a prefix, which that index does not know: each has to begin a word in
one of the indexed fields, which is a pattern that no index serves.

MongoDB takes one ``$text`` in a query, and none inside ``$or`` and ``$nor``. A search that is there becomes
the ids of the records that match it: the compiler gets these from a ``SearchResolver``;
``records.relations`` has the one that asks the store.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, Protocol

from runtime.filter.placing import Match, all_of
from runtime.filter.position import FilterRefused, syntax_error
from runtime.filter.relations import check_blocks
from runtime.filter.syntax import (
    ElementMatch,
    EveryElement,
    Expression,
    HasEdge,
    TextSearch,
    operands_of,
)
from runtime.filter.syntax_literals import Literal, Text
from runtime.filter.wildcard import prefix_pattern

MAX_SEARCHES: Final = 4
MAX_EDGES: Final = 8
MAX_PREFIXES: Final = 4
MAX_PREFIX: Final = 64  # characters

_BLANK: Final = re.compile(r"\s")
_EXAMPLE: Final = 'text("words")'


class SearchResolver(Protocol):
    """Which records match a search: asked while compiling, answers with their stored ids.

    It cannot wait, as ``RelationResolver`` cannot.
    """

    def __call__(self, search: TextSearch, /) -> Sequence[Any]: ...


def read_search(words: Literal, at: int) -> TextSearch:
    """Read the words of a text search. Raises ``FilterRefused``."""
    if not isinstance(words, Text):
        raise FilterRefused(f"text search takes words: {_EXAMPLE}", words.at, '"words"')
    if not words.text.strip():
        raise FilterRefused(f"text search takes a word at least: {_EXAMPLE}", words.at, '"words"')
    if words.has_case:
        raise FilterRefused(
            f"text search finds words in any case, without ~ci: {_EXAMPLE}", words.at, '"words"'
        )
    if not words.is_pattern:
        return TextSearch(words.text, at=at)
    text = _BLANK.sub(" ", words.text)  # each one blank, so that places stay
    wild = words.wild or {at for at, sign in enumerate(text) if sign in "*?"}
    whole, prefixes, start = list[str](), list[str](), 0
    for end in sorted(wild):
        prefix = text[start:end].split(" ")[-1]
        rest = text[end + 1 : end + 2]
        if text[end] != "*" or rest.strip() or not prefix[:1].isalnum() or '"' in prefix:
            message = "in text search a * ends a word that begins with a letter or a digit: text(red sho*)"
            raise FilterRefused(message, words.at, "text(red sho*)")
        whole.append(text[start : end - len(prefix)])
        prefixes.append(prefix)
        start = end + 1
    if len(prefixes) > MAX_PREFIXES or max(map(len, prefixes)) > MAX_PREFIX:
        message = f"text search takes at most {MAX_PREFIXES} beginnings of words, of {MAX_PREFIX} characters"
        raise FilterRefused(message, words.at, "text(red sho*)")
    whole.append(text[start:])
    return TextSearch(" ".join(filter(None, map(str.strip, whole))), tuple(prefixes), at)


def check_asked(expressions: Sequence[Expression], text: str) -> None:
    """Check how many relation blocks, text searches and edges a text has: each may be a command.

    Raises ``FilterSyntax``.
    """
    check_blocks(expressions, text)
    asked = [one for expression in expressions for one in _find_asked(expression)]
    for kind, most, words in ((TextSearch, MAX_SEARCHES, "text searches"), (HasEdge, MAX_EDGES, "edges")):
        found = [one for one in asked if isinstance(one, kind)]
        if len(found) > most:
            raise syntax_error(text, found[most].at, f"a filter asks for at most {most} {words}")


def count_edges(expressions: Iterable[Expression]) -> int:
    """Count the edges that expressions ask for."""
    return sum(isinstance(one, HasEdge) for expression in expressions for one in _find_asked(expression))


def match_search(search: TextSearch, fields: Sequence[str]) -> Match:
    """Match the records in whose text fields the words are."""
    patterns = [prefix_pattern(prefix) for prefix in search.prefixes]
    matches: list[Match] = [{"$text": {"$search": search.words}}] if search.words else []
    matches += [{"$or": [{path: {"$regex": pattern}} for path in fields]} for pattern in patterns]
    return all_of(matches)


def _find_asked(node: Expression) -> Iterator[TextSearch | HasEdge]:
    if isinstance(node, TextSearch | HasEdge):
        yield node
    if not isinstance(node, ElementMatch | EveryElement):  # which hold neither
        for operand in operands_of(node):
            yield from _find_asked(operand)
