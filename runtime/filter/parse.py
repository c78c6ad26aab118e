"""Text → tree. Knows the words of the language, no fields and no types.

``parse_filter`` reads a filter; ``parse_query`` also takes the directives of the gateway; ``parse_paths``
reads paths of ``expand`` alone. The whole text must be readable; everything else is a ``FilterSyntax`` with
column, caret and advice. Limits are checked first, so that no text is expensive.
"""

import re
from collections.abc import Sequence
from functools import cache
from typing import Any, Final, cast

from lark import Lark, Token, Transformer, UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from runtime.errors import FilterSyntax, InvalidParameter
from runtime.filter.advice import advice, expected_words
from runtime.filter.directives import DIRECTIVES, Found, Mixed, as_condition, mix, not_in_filter
from runtime.filter.limits import check_limits
from runtime.filter.literals import (
    FieldMarks,
    read_block,
    read_head,
    read_items,
    read_literal,
    read_marks,
    read_predicate,
)
from runtime.filter.position import FilterRefused, syntax_error
from runtime.filter.searches import check_asked, read_search
from runtime.filter.syntax import (
    And,
    Compare,
    EdgeKind,
    ElementMatch,
    EveryElement,
    Exists,
    Expansion,
    Expression,
    Filter,
    HasEdge,
    InList,
    Operator,
    Query,
    RelationBlock,
    TextSearch,
    conjunction,
    disjunction,
    negation,
)
from runtime.filter.syntax_literals import Literal, Variable


def parse_filter(text: str) -> Filter:
    """Parse a filter into its tree. Raises ``FilterSyntax``."""
    found = _parse(text, "filter")
    if type(found) in DIRECTIVES:
        first = mix(found).directives[0]
        raise syntax_error(text, first.at, not_in_filter(first), ["field:value"])
    condition = as_condition(found)
    check_asked((condition,), text)
    return Filter(condition, text)


def parse_query(text: str) -> Query:
    """Parse a filter with directives; blank text matches everything. Raises ``FilterSyntax``."""
    if not text or text.isspace():
        return Query(text=text)
    mixed = mix(_parse(text, "query"))
    marks = [directive for directive in mixed.directives if isinstance(directive, FieldMarks)]
    if len(marks) > 1:
        raise syntax_error(text, marks[1].at, "fields:[…] may stand once in a query")
    expansions = tuple(d for d in mixed.directives if isinstance(d, Expansion))
    conditions = [*mixed.conditions, *(one.where for one in expansions if one.where is not None)]
    check_asked(conditions, text)
    return Query(
        filter=Filter(conjunction(mixed.conditions), text) if mixed.conditions else None,
        expansions=expansions,
        fields=marks[0].marks if marks else (),
        text=text,
    )


def parse_paths(text: str) -> tuple[Expansion, ...]:
    """Parse ``customer,lines[*].product`` as expansions of nothing but a path; blank text has none.

    Raises ``InvalidParameter``.
    """
    if text.isspace() or not text:
        return ()
    try:
        found: Any = _parse(text, "paths")
    except FilterSyntax as error:
        message = "write paths of references with commas between them: expand=customer,lines[*].product"
        at = {name: error.details[name] for name in ("column", "line", "excerpt") if name in error.details}
        raise InvalidParameter(message, parameter="expand", **at) from None
    return tuple(found)


class _Builder(Transformer[Token, Any]):
    """One method a rule or token of grammar.lark; called while reading, no tree is built in between."""

    # tokens
    def HEAD(self, token: Token) -> tuple[str, str, int]:
        return *read_head(token, token.start_pos or 0), token.start_pos or 0

    def VALUE(self, token: Token) -> Literal:
        return read_literal(str(token), token.start_pos or 0)

    def LIST(self, token: Token) -> tuple[Literal, ...]:
        return read_items(token, _value_pattern(), token.start_pos or 0)

    def FIELDS(self, token: Token) -> FieldMarks:
        return read_marks(token, token.start_pos or 0)

    def BLOCK(self, token: Token) -> tuple[str, tuple[str, ...], int]:
        return *read_block(token, token.start_pos or 0), token.start_pos or 0

    def EXPAND(self, token: Token) -> tuple[str, int]:
        return token.partition("(")[2].strip(), token.start_pos or 0

    def PATH(self, token: Token) -> Expansion:
        return Expansion(str(token), at=token.start_pos or 0)

    # rules
    def paths(self, children: list[Any]) -> list[Any]:
        return children

    def filter(self, children: list[Any]) -> Any:
        return children[0]

    query = filter

    def disjunction(self, children: list[Any]) -> Expression:
        return disjunction(map(as_condition, children))

    def conjunction(self, children: list[Any]) -> Any:
        left, right = children
        if type(left) in DIRECTIVES or type(right) in DIRECTIVES:
            first, second = mix(left), mix(right)
            return Mixed(first.directives + second.directives, first.conditions + second.conditions)
        if type(left) is And and type(right) is not And:  # keeps long chains linear
            return And((*left.operands, right))
        return conjunction(children)

    def negation(self, children: list[Any]) -> Expression:
        return negation(as_condition(children[0]))

    def compare(self, children: list[Any]) -> Compare | InList:
        (path, operator, at), value = children
        if operator.endswith("^"):
            if not isinstance(value, Variable):
                raise FilterRefused(
                    f"a list has brackets: {path}:{operator}[a,b]", value.at, "a list [a,b]", "${name}"
                )
            return InList(path, value, operator == "!^", at)
        return Compare(path, _OPERATORS[operator], value, at)

    def in_list(self, children: list[Any]) -> InList:
        (path, operator, at), items = children
        if not operator.endswith("^"):
            raise FilterRefused(
                f"a list is written {path}:^[a,b], not in a list {path}:!^[a,b]", at, ":^", ":!^"
            )
        return InList(path, items, operator == "!^", at)

    def exists(self, children: list[Any]) -> Exists:
        path, operator, at = children[0]
        if operator:
            raise FilterRefused(f"{path}:~ takes no operator; its opposite is !!{path}:~", at, f"{path}:~")
        return Exists(path, at)

    def element_match(self, children: list[Any]) -> ElementMatch:
        return ElementMatch(*_about_elements(children, "{"))

    def every_element(self, children: list[Any]) -> EveryElement:
        return EveryElement(*_about_elements(children, "every{"))

    def text_search(self, children: list[Any]) -> TextSearch:
        return read_search(children[1], children[0].start_pos)

    def has_edge(self, children: list[Any]) -> HasEdge:
        name, predicate, target = children
        return HasEdge(EdgeKind(name[:-1].rstrip()), read_predicate(predicate), target, name.start_pos)

    def root_fields(self, children: list[Any]) -> FieldMarks:
        marks: FieldMarks = children[0]
        return marks

    def relation_block(self, children: list[Any]) -> RelationBlock:
        (path, lists, at), where = children
        return RelationBlock(path, as_condition(where), lists, at)

    def expansion(self, children: list[Any]) -> Expansion:
        (path, at), *arguments = children
        marks = [argument for argument in arguments if isinstance(argument, FieldMarks)]
        where = [as_condition(argument) for argument in arguments if not isinstance(argument, FieldMarks)]
        if len(marks) > 1 or len(where) > 1:
            raise FilterRefused(f"write expand({path}, fields:[…], condition), each once", at, "fields:[…]")
        return Expansion(path, marks[0].marks if marks else (), where[0] if where else None, at)


def _about_elements(children: list[Any], opening: str) -> tuple[str, Expression, int]:
    (path, operator, at), *_, inner = children
    if operator:
        message = f"{path}:{opening}…}} takes no operator; its opposite is !!{path}:{opening}…}}"
        raise FilterRefused(message, at, f"{path}:{opening}")
    return path, as_condition(inner), at


_OPERATORS: Final = {str(operator)[1:]: operator for operator in Operator}


@cache
def _parser() -> Lark:
    return Lark.open(
        "grammar.lark",
        rel_to=__file__,
        parser="lalr",
        start=["filter", "query", "paths"],
        transformer=_Builder(),
        maybe_placeholders=False,
        propagate_positions=False,
    )


@cache
def _value_pattern() -> re.Pattern[str]:
    return re.compile(_parser().get_terminal("VALUE").pattern.to_regexp())


def _parse(text: str, start: str) -> Found:
    check_limits(text)
    try:
        return cast(Found, _parser().parse(text, start=start))
    except FilterRefused as error:
        raise syntax_error(text, error.at, error.message, error.expected) from None
    except UnexpectedInput as error:
        raise _unreadable(text, start, error) from None


def _unreadable(text: str, start: str, error: UnexpectedInput) -> Exception:
    terminals: Sequence[str] = ()
    if isinstance(error, UnexpectedCharacters):
        terminals = sorted(error.allowed or ())
    elif isinstance(error, UnexpectedToken):
        terminals = sorted(error.expected)
    ended = isinstance(error, UnexpectedToken) and error.token.type == "$END"
    at = len(text) if ended or error.pos_in_stream is None else error.pos_in_stream
    expected = expected_words(terminals, text[:at], directives=start == "query")
    return syntax_error(text, *advice(text, at, expected, directives=start == "query"), expected)
