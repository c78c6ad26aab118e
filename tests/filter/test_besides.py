"""What a filter requires besides an edge."""

import pytest

from runtime.errors import FilterSyntax
from runtime.filter import list_besides_edge, parse_filter
from runtime.filter.compiler import CACHED_TEXT
from runtime.filter.print import print_filter

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
