"""What a filter requires besides an edge, and filters that require edges alone."""

from collections.abc import Sequence

import pytest

from runtime.errors import FilterSyntax, FilterType
from runtime.filter import ask_edges_alone, list_besides_edge, parse_filter
from runtime.filter.compiler import CACHED_TEXT
from runtime.filter.print import print_filter
from runtime.filter.syntax import EdgeKind

EDGE = "hasEdge(liesIn, 65f1c0de65f1c0de65f1c0de)"
OTHER = "hasIncomingEdge(liesIn, 65f1c0de65f1c0de65f1c0df)"
LONG = f'name:"{"x" * CACHED_TEXT}"'


@pytest.mark.parametrize(
    ("text", "others"),
    [
        pytest.param(EDGE, [], id="nothing else"),
        pytest.param(f"{EDGE} && name:a", ["name:a"], id="a condition behind it"),
        pytest.param(
            f"name:a && {EDGE} && (x:1 || y:2)", ["name:a", "x:1 || y:2"], id="conditions around it"
        ),
        pytest.param(f"{EDGE} && {LONG}", [LONG], id="a long text"),
        pytest.param("name:a", None, id="no edge"),
        pytest.param(f"{EDGE} || name:a", None, id="an edge that may be missing"),
        pytest.param(f"!!{EDGE}", None, id="an edge that must be missing"),
        pytest.param(f"name:a && !!{EDGE}", None, id="one that must be missing, with another condition"),
        pytest.param(f"{EDGE} && {OTHER}", None, id="two edges"),
        pytest.param(f"{EDGE} && {EDGE}", None, id="an edge twice"),
        pytest.param(f"{EDGE} && ({EDGE} || name:a)", None, id="an edge again inside of another condition"),
        pytest.param(f"{EDGE} && !!{OTHER}", None, id="another edge inside of another condition"),
    ],
)
def test_conditions_besides_the_edge(text: str, others: list[str] | None) -> None:
    for source in (text, parse_filter(text)):
        found = list_besides_edge(source)
        assert (None if found is None else [print_filter(one) for one in found]) == others


def test_a_text_that_is_no_filter_is_refused() -> None:
    with pytest.raises(FilterSyntax):
        list_besides_edge(f"{EDGE} &&")


ANY, INCOMING = (
    (EdgeKind.ANY, "liesIn", "65f1c0de65f1c0de65f1c0de"),
    (EdgeKind.INCOMING, "liesIn", "65f1c0de65f1c0de65f1c0df"),
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(EDGE, [ANY], id="one edge"),
        pytest.param(EDGE.replace(", ", ", @@"), [ANY], id="an id as in references"),
        pytest.param(f"{OTHER} && {EDGE}", [INCOMING, ANY], id="two edges, in the order of the text"),
        pytest.param(f"{EDGE} && name:a", None, id="another condition"),
        pytest.param(f"{EDGE} || {OTHER}", None, id="edges that may be missing"),
        pytest.param(f"!!{EDGE}", None, id="an edge that must be missing"),
        pytest.param("hasEdge(liesIn, ${resourceId})", None, id="a variable"),
        pytest.param(f"{EDGE} && hasEdge(liesIn, PTLIS)", None, id="a name in place of an id"),
        pytest.param(f"{EDGE}{' ' * CACHED_TEXT}", None, id="a long text"),
    ],
)
def test_edges_alone(text: str, expected: Sequence[tuple[EdgeKind, str, str]] | None) -> None:
    def list_asked() -> Sequence[tuple[EdgeKind, str, str]] | None:
        asked: list[tuple[EdgeKind, str, str]] = []

        def note(kind: EdgeKind, predicate: str, record_id: str, /) -> Sequence[str]:
            asked.append((kind, predicate, record_id))
            return ()

        return asked if ask_edges_alone(text, note) else None

    assert list_asked() == expected
    assert list_asked() == expected, "from memory"


def test_an_edge_that_is_refused_is_reported_at_its_place() -> None:
    def refuse(kind: EdgeKind, predicate: str, record_id: str, /) -> Sequence[str]:
        if kind is EdgeKind.ANY:
            return ()
        raise FilterType("no predicate", field=kind)

    with pytest.raises(FilterType) as caught:
        ask_edges_alone(f"{EDGE} && {OTHER}", refuse)
    assert caught.value.details["column"] == len(EDGE) + 5
