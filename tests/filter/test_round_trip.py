"""parse → print → parse: every tree survives its own spelling."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.errors import FilterSyntax
from runtime.filter import parse_filter
from runtime.filter.print import print_filter
from runtime.filter.searches import check_asked
from runtime.filter.syntax import (
    Compare,
    EdgeKind,
    ElementMatch,
    EveryElement,
    Exists,
    Expression,
    Filter,
    HasEdge,
    InList,
    Operator,
    RelationBlock,
    TextSearch,
    conjunction,
    disjunction,
    negation,
)
from runtime.filter.syntax_literals import Number, OtherField, ReferenceId, Text, Variable
from runtime.model.attribute_names import stored_name
from tests.filter.sample import OID

# What bare text may be made of, by the character rule of the language.
bare_signs = st.characters(
    exclude_categories=["Cs", "Cc", "Zs", "Zl", "Zp"], exclude_characters=':,()[]{}"&\\|!$#~<>^=*?'
)
runs = st.text(bare_signs, min_size=1, max_size=6)
keys = runs | st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\ufdd0\ufdd1"), min_size=1, max_size=6
).map(stored_name)
names = st.lists(keys, min_size=1, max_size=3).map(".".join).filter(lambda path: "" not in path.split("."))
"""Without empty steps, which name no field: next to one, the parser refuses steps in quotes."""
references = st.lists(runs, min_size=1, max_size=3).map(".".join)
bare_words = st.lists(runs | st.sampled_from(["*", "?", "a*b"]), min_size=1, max_size=3).map(" ".join)
quoted_words = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
texts = st.builds(Text, bare_words, st.just(False), st.booleans()) | st.builds(
    Text, quoted_words, st.just(True), st.booleans()
)


@st.composite
def mixed(draw: st.DrawFn) -> Text:
    """Quoted text with wildcards beside it."""
    signs = draw(st.lists(st.sampled_from(["*", "?"]) | st.sampled_from('ab *?":,'), min_size=1, max_size=8))
    some = st.sampled_from([at for at, sign in enumerate(signs) if sign in "*?"] or [0])
    wild = draw(st.frozensets(some, min_size=1))
    text = "".join("*" if at in wild and sign not in "*?" else sign for at, sign in enumerate(signs))
    return Text(text, True, draw(st.booleans()), wild=wild)


moments = st.sampled_from(["2026-01-02T10:00Z", "2026-01-02T10:00:00.5+02:00", "2026-01-02"]).map(Text)
numbers = st.sampled_from(["#5", "##1.5", "##-1e5", "#x"]).map(Number)
values = (
    texts
    | mixed()
    | moments
    | numbers
    | st.just(ReferenceId(OID))
    | runs.map(Variable)
    | names.map(OtherField)
)
prefixes = st.lists(st.from_regex(r"[a-z5é][a-z.&|(-]{0,3}", fullmatch=True), min_size=1, max_size=4).map(
    tuple
)
conditions = (
    st.builds(Compare, names, st.sampled_from(Operator), values)
    | st.builds(InList, names, st.lists(values, max_size=4).map(tuple), st.booleans())
    | st.builds(InList, names, runs.map(Variable), st.booleans())
    | st.builds(Exists, names)
    | st.builds(TextSearch, quoted_words.filter(str.strip))
    | st.builds(TextSearch, st.sampled_from(["", "red", '"old red" -blue', "a*"]), prefixes)
    | st.builds(HasEdge, st.sampled_from(EdgeKind), quoted_words, values)
)


def _grown(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    several = st.lists(inner, min_size=2, max_size=4)
    element = st.builds(ElementMatch, names, inner) | st.builds(EveryElement, names, inner)
    joined = several.map(conjunction) | several.map(disjunction) | inner.map(negation)
    return joined | element | st.builds(RelationBlock, references, inner)


def _fits(tree: Expression) -> bool:
    """Blocks and searches are within their limits."""
    try:
        check_asked([tree], "")
    except FilterSyntax:
        return False
    return True


trees = st.recursive(conditions, _grown, max_leaves=8).filter(_fits)


@given(trees)
def test_a_tree_survives_its_text(tree: Expression) -> None:
    text = print_filter(tree)
    assert parse_filter(text).expression == tree
    assert print_filter(parse_filter(text)) == text


@pytest.mark.parametrize(
    ("tree", "text"),
    [
        pytest.param(Compare("a", Operator.EQUAL, Text("x:y")), 'a:"x:y"', id="bare text that is none"),
        pytest.param(Compare("a", Operator.EQUAL, Text('"', True)), 'a:""""', id="a quote"),
        pytest.param(
            Compare("a.b c.d", Operator.EQUAL, Text("*x:*", True, wild=frozenset({0}))),
            'a."b c".d:*"x:*"',
            id="quotes in a path and beside a wildcard",
        ),
        pytest.param(
            Filter(Compare("a", Operator.GREATER, Text("1")), " a:>1 "), "a:>1", id="a whole filter"
        ),
        pytest.param(
            negation(conjunction([Exists("a"), disjunction([Exists("b"), Exists("c")])])),
            "!!(a:~ && (b:~ || c:~))",
            id="brackets only where needed",
        ),
        pytest.param(
            disjunction([conjunction([Exists("a"), negation(Exists("b"))]), Exists("c")]),
            "a:~ && !!b:~ || c:~",
            id="precedence",
        ),
    ],
)
def test_text_is_spelt(tree: Any, text: str) -> None:
    assert print_filter(tree) == text
