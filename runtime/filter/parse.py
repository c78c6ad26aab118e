"""Text → tree. Knows the words of the language, no fields and no types (decisions §2).

``parse_filter`` reads a filter; ``parse_query`` also takes the directives of the gateway. The whole
text must be readable; everything else is a ``FilterSyntax`` with column, caret and advice. Limits are
looked at first, so that no text is expensive.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, TypeAlias, cast

from lark import Lark, Token, Transformer, UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from runtime.filter.advice import advice, expected_words
from runtime.filter.position import syntax_error
from runtime.filter.syntax import (
    And,
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
MAX_PARTS: Final = 150  # conditions, groups and negations together
MAX_ITEMS: Final = 1000


def parse_filter(text: str) -> Filter:
    """The tree of a filter. Raises ``FilterSyntax``."""
    found = _parse(text, "filter")
    if isinstance(found, _Marks | Expansion | Narrowing | _Mixed):
        first = found.directives[0] if isinstance(found, _Mixed) else found
        raise syntax_error(text, first.at, _misplaced(first), ["field:value"])
    return Filter(found, text)


def parse_query(text: str) -> Query:
    """A filter with directives beside it; blank text asks for everything. Raises ``FilterSyntax``."""
    if not text or text.isspace():
        return Query(text=text)
    mixed = _mixed(_parse(text, "query"))
    marks = [directive for directive in mixed.directives if isinstance(directive, _Marks)]
    if len(marks) > 1:
        raise syntax_error(text, marks[1].at, "fields:[…] may stand once in a query")
    return Query(
        filter=Filter(conjunction(mixed.conditions), text) if mixed.conditions else None,
        expansions=tuple(d for d in mixed.directives if isinstance(d, Expansion)),
        narrowings=tuple(d for d in mixed.directives if isinstance(d, Narrowing)),
        fields=marks[0].marks if marks else (),
        text=text,
    )


class _Refused(Exception):
    """Raised while the tree is built; becomes a ``FilterSyntax`` once the text is at hand."""

    def __init__(self, message: str, at: int, *expected: str) -> None:
        super().__init__(message)
        self.message, self.at, self.expected = message, at, expected


@dataclass(frozen=True, slots=True)
class _Marks:
    """``fields:[+a,-b]`` as a directive."""

    marks: tuple[FieldMark, ...]
    at: int


@dataclass(frozen=True, slots=True)
class _Mixed:
    """Operands of an ``&&`` with directives among them."""

    directives: tuple[_Marks | Expansion | Narrowing, ...]
    conditions: tuple[Expression, ...]


_Found: TypeAlias = Expression | _Marks | Expansion | Narrowing | _Mixed
_DIRECTIVES: Final = frozenset({_Marks, Expansion, Narrowing, _Mixed})


def _mixed(found: _Found) -> _Mixed:
    if isinstance(found, _Mixed):
        return found
    if isinstance(found, _Marks | Expansion | Narrowing):
        return _Mixed((found,), ())
    return _Mixed((), (found,))


def _plain(found: Any) -> Any:
    """A condition; directives are refused where they are nested."""
    if type(found) in _DIRECTIVES:
        first = _mixed(found).directives[0]
        raise _Refused(_misplaced(first), first.at, "field:value")
    return found


def _misplaced(directive: _Marks | Expansion | Narrowing) -> str:
    if isinstance(directive, Narrowing):
        return f"an element match has a colon: {directive.path}:{{…}}; a block without one belongs to queries"
    name = "fields:[…]" if isinstance(directive, _Marks) else "expand(…)"
    return f"{name} belongs to the outermost && of a query; a condition cannot hold it"


class _Builder(Transformer[Token, Any]):
    """One method a rule or token of grammar.lark; called while reading, no tree is built in between."""

    # tokens
    def HEAD(self, token: Token) -> tuple[str, str, int]:
        name, _, operator = token.partition(":")
        return name.rstrip(), operator.strip(), token.start_pos or 0

    def VALUE(self, token: Token) -> Literal:
        return _literal(str(token), token.start_pos or 0)

    def LIST(self, token: Token) -> tuple[Literal, ...]:
        return _items(token, token.start_pos or 0)

    def FIELDS(self, token: Token) -> _Marks:
        return _marks(token, token.start_pos or 0)

    def BLOCK(self, token: Token) -> tuple[str, int]:
        return token[:-1].rstrip(), token.start_pos or 0

    def EXPAND(self, token: Token) -> tuple[str, int]:
        return token.partition("(")[2].strip(), token.start_pos or 0

    # rules
    def filter(self, children: list[Any]) -> Any:
        return children[0]

    query = filter

    def disjunction(self, children: list[Any]) -> Expression:
        return disjunction(map(_plain, children))

    def conjunction(self, children: list[Any]) -> Any:
        left, right = children
        if type(left) in _DIRECTIVES or type(right) in _DIRECTIVES:
            first, second = _mixed(left), _mixed(right)
            return _Mixed(first.directives + second.directives, first.conditions + second.conditions)
        if type(left) is And and type(right) is not And:  # keeps long chains linear
            return And((*left.operands, right))
        return conjunction(children)

    def negation(self, children: list[Any]) -> Expression:
        return negation(_plain(children[0]))

    def compare(self, children: list[Any]) -> Compare | InList:
        (path, operator, at), value = children
        if operator.endswith("^"):
            if not isinstance(value, Variable):
                raise _Refused(
                    f"a list has brackets: {path}:{operator}[a,b]", value.at, "a list [a,b]", "${name}"
                )
            return InList(path, value, operator == "!^", at)
        return Compare(path, _OPERATORS[operator], value, at)

    def in_list(self, children: list[Any]) -> InList:
        (path, operator, at), items = children
        if not operator.endswith("^"):
            raise _Refused(f"a list is written {path}:^[a,b], not in a list {path}:!^[a,b]", at, ":^", ":!^")
        return InList(path, items, operator == "!^", at)

    def exists(self, children: list[Any]) -> Exists:
        path, operator, at = children[0]
        if operator:
            raise _Refused(f"{path}:~ takes no operator; its opposite is !!{path}:~", at, f"{path}:~")
        return Exists(path, at)

    def element_match(self, children: list[Any]) -> ElementMatch:
        path, operator, at = children[0]
        if operator:
            raise _Refused(
                f"{path}:{{…}} takes no operator; its opposite is !!{path}:{{…}}", at, f"{path}:{{"
            )
        return ElementMatch(path, _plain(children[1]), at)

    def text_search(self, children: list[Any]) -> TextSearch:
        words = children[1]
        if not isinstance(words, Text):
            raise _Refused('text search takes words: text("words")', words.at, '"words"')
        return TextSearch(words.text, children[0].start_pos)

    def has_edge(self, children: list[Any]) -> HasEdge:
        name, predicate, target = children
        if not isinstance(predicate, Text):
            raise _Refused("the first argument is the name of a predicate", predicate.at, "a name")
        return HasEdge(EdgeKind(name[:-1].rstrip()), predicate.text, target, name.start_pos)

    def root_fields(self, children: list[Any]) -> _Marks:
        marks: _Marks = children[0]
        return marks

    def narrowing(self, children: list[Any]) -> Narrowing:
        (path, at), where = children
        return Narrowing(path, _plain(where), at)

    def expansion(self, children: list[Any]) -> Expansion:
        (path, at), *arguments = children
        marks = [argument for argument in arguments if isinstance(argument, _Marks)]
        where = [_plain(argument) for argument in arguments if not isinstance(argument, _Marks)]
        if len(marks) > 1 or len(where) > 1:
            raise _Refused(f"write expand({path}, fields:[…], condition), each once", at, "fields:[…]")
        return Expansion(path, marks[0].marks if marks else (), where[0] if where else None, at)


_OPERATORS: Final = {str(operator)[1:]: operator for operator in Operator}
_REFERENCE = re.compile(r"@@([0-9a-fA-F]{24})")


def _literal(text: str, at: int) -> Literal:
    case = text[-3:] if text[-3:] in ("~ci", "~cs") else ""
    bare = text[:-3] if case else text
    first = bare[0]
    if first == '"':
        return Text(bare[1:-1].replace('""', '"'), True, case == "~ci", at)
    if first in "#$" or bare[:2] == "@@":
        found = _marked(bare, first, at)
        if found is not None:
            if case:
                raise _Refused(f"{case} goes with text, not with {bare[:40]}", at + len(bare), "text")
            return found
    return Text(bare, False, case == "~ci", at)


def _marked(bare: str, first: str, at: int) -> Literal | None:
    if first == "#":
        return Number(bare, at)
    if first == "$":
        if bare == "${}":
            raise _Refused("a variable has a name: ${ownerId}", at, "${name}")
        return Variable(bare[2:-1], at)
    reference = _REFERENCE.fullmatch(bare)
    return ReferenceId(reference[1].lower(), at) if reference else None


def _items(token: str, start: int) -> tuple[Literal, ...]:
    value, last, at = _value_pattern(), len(token) - 1, 1
    items: list[Literal] = []
    while True:
        at = _skip_blanks(token, at)
        if at == last and not items:
            return ()
        found = value.match(token, at)
        if found is None:
            raise _Refused(
                "a list holds values between commas: [a,b]; quote values with punctuation",
                start + at,
                "a value",
            )
        items.append(_literal(found[0], start + at))
        at = _skip_blanks(token, found.end())
        if at == last:
            return tuple(items)
        if token[at] != ",":
            raise _Refused("values of a list have commas between them: [a,b]", start + at, ",", "]")
        if len(items) == MAX_ITEMS:
            raise _Refused(f"a list has at most {MAX_ITEMS} values", start + at)
        at += 1


def _skip_blanks(text: str, at: int) -> int:
    while text[at].isspace():
        at += 1
    return at


_MARK = re.compile(r"\s*([+-]?)([^\s,]+)\s*")


def _marks(token: str, start: int) -> _Marks:
    at = token.index("[") + 1
    marks = []
    for entry in token[at:-1].split(","):
        mark = _MARK.fullmatch(entry)
        if mark is None:
            raise _Refused("fields are written fields:[+name,-other]", start + at, "+name", "-name")
        marks.append(FieldMark(mark[2], mark[1] != "-", start + at + mark.start(1)))
        at += len(entry) + 1
    return _Marks(tuple(marks), start)


@cache
def _parser() -> Lark:
    return Lark.open(
        "grammar.lark",
        rel_to=__file__,
        parser="lalr",
        start=["filter", "query"],
        transformer=_Builder(),
        maybe_placeholders=False,
        propagate_positions=False,
    )


@cache
def _value_pattern() -> re.Pattern[str]:
    return re.compile(_parser().get_terminal("VALUE").pattern.to_regexp())


def _parse(text: str, start: str) -> _Found:
    _check_limits(text)
    try:
        found: Any = _parser().parse(text, start=start)
    except _Refused as error:
        raise syntax_error(text, error.at, error.message, error.expected) from None
    except UnexpectedInput as error:
        raise _unreadable(text, start, error) from None
    return cast(_Found, found)


def _unreadable(text: str, start: str, error: UnexpectedInput) -> Exception:
    terminals: Sequence[str] = ()
    if isinstance(error, UnexpectedCharacters):
        terminals = sorted(error.allowed or ())
    elif isinstance(error, UnexpectedToken):
        terminals = sorted(error.expected)
    ended = isinstance(error, UnexpectedToken) and error.token.type == "$END"
    at = len(text) if ended or error.pos_in_stream is None else error.pos_in_stream
    expected = expected_words(terminals, text[:at], directives=start == "query")
    return syntax_error(text, *advice(text, at, expected), expected)


_STRING = re.compile(r'"(?:[^"]++|"")*+"?')
_PART = re.compile(r"&&|\|\||!!|[({]")
_STEP = re.compile(r'"(?:[^"]++|"")*+"?|!!|[(){}]|[^\s"!(){}]+|!')


def _check_limits(text: str) -> None:
    """Size, characters, number of parts and depth, before any of it costs something."""
    if not text or text.isspace():
        raise syntax_error(text, 0, "the filter is empty: write field:value", ["field:value"])
    if not text.isascii():
        _check_encoding(text)
    if len(text) > MAX_BYTES:
        raise _too_long(text)
    if len(_PART.findall(text)) > MAX_NESTING:
        _check_parts(text)


def _too_long(text: str) -> Exception:
    return syntax_error(text, MAX_BYTES, f"a filter has at most {MAX_BYTES} bytes")


def _check_encoding(text: str) -> None:
    try:
        if len(text) <= MAX_BYTES < len(text.encode()):
            raise _too_long(text)
    except UnicodeEncodeError as error:
        raise syntax_error(text, error.start, "this is half a character (a lone surrogate)") from None


def _check_parts(text: str) -> None:
    parts = len(_PART.findall(_STRING.sub("", text)))
    if parts > MAX_PARTS:
        raise syntax_error(text, 0, f"a filter has at most {MAX_PARTS} conditions, groups and negations")
    depths, negations = [0], 0
    for step in _STEP.finditer(text):
        sign = step[0]
        if sign == "!!":
            negations += 1
        elif sign in "({":
            depths.append(depths[-1] + negations + 1)
            negations = 0
        elif sign in ")}":
            del depths[1:][-1:]
        else:
            negations = 0
        if depths[-1] + negations > MAX_NESTING:
            raise syntax_error(text, step.start(), f"a filter is nested at most {MAX_NESTING} deep")
