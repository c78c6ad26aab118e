"""State graphs: where a record may start and go."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.errors import InvalidStateTransition
from runtime.model.state_graph import State, StateGraph

ORDER = StateGraph(
    "order",
    {
        "PENDING": State(next=("PROCESSING", "CANCELLED"), initial=True),
        "PROCESSING": State(next=("SHIPPED", "CANCELLED")),
        "SHIPPED": State(next=("DELIVERED",)),
        "DELIVERED": State(final=True),
        "CANCELLED": State(final=True),
    },
)
TWO_STARTS = StateGraph(
    "two",
    {"A": State(initial=True, next=("C",)), "B": State(initial=True, final=True), "C": State(final=True)},
)
DEFAULT_START = StateGraph("default", TWO_STARTS.states, default="B")


@pytest.mark.parametrize(
    ("graph", "value", "started"),
    [
        (ORDER, None, "PENDING"),
        (ORDER, "PENDING", "PENDING"),
        (TWO_STARTS, "A", "A"),
        (TWO_STARTS, "B", "B"),
        (DEFAULT_START, None, "B"),
        (DEFAULT_START, "A", "A"),
    ],
)
def test_a_record_starts_as_given_or_in_the_default(
    graph: StateGraph, value: str | None, started: str
) -> None:
    assert graph.start("status", value) == started


@pytest.mark.parametrize(
    ("graph", "value", "allowed"),
    [
        (ORDER, "SHIPPED", ["PENDING"]),
        (ORDER, "pending", ["PENDING"]),
        (ORDER, "", ["PENDING"]),
        (ORDER, "NOWHERE", ["PENDING"]),
        (TWO_STARTS, None, ["A", "B"]),
        (TWO_STARTS, "C", ["A", "B"]),
        (DEFAULT_START, "C", ["A", "B"]),
    ],
)
def test_a_record_starts_nowhere_else(graph: StateGraph, value: str | None, allowed: list[str]) -> None:
    with pytest.raises(InvalidStateTransition) as caught:
        graph.start("status", value)
    assert caught.value.details == {"field": "status", "from": None, "to": value, "allowed": allowed}
    problem = (
        "needs a value that a new record may start with" if value is None else f"cannot start with {value}"
    )
    assert caught.value.message == f"status {problem}; allowed: {', '.join(allowed)}"


@pytest.mark.parametrize(
    ("current", "value", "allowed"),
    [
        ("PENDING", "SHIPPED", ["PROCESSING", "CANCELLED"]),
        ("SHIPPED", "PENDING", ["DELIVERED"]),
        ("PENDING", None, ["PROCESSING", "CANCELLED"]),
        ("PENDING", "NOWHERE", ["PROCESSING", "CANCELLED"]),
        ("DELIVERED", "PENDING", []),
        ("GONE_FROM_THE_GRAPH", "PENDING", []),
        (None, "SHIPPED", ["PENDING"]),
    ],
)
def test_a_move_that_the_graph_does_not_name_is_refused(
    current: str | None, value: str | None, allowed: list[str]
) -> None:
    with pytest.raises(InvalidStateTransition) as caught:
        ORDER.check_move("status", current, value)
    assert caught.value.details == {"field": "status", "from": current, "to": value, "allowed": allowed}
    assert caught.value.message.endswith(f"allowed: {', '.join(allowed) or 'nothing'}")


@pytest.mark.parametrize("value", [*ORDER.states, "GONE_FROM_THE_GRAPH", None])
def test_an_unchanged_value_is_no_move(value: str | None) -> None:
    ORDER.check_move("status", value, value)


_NAMES = st.sampled_from(["A", "B", "C", "D", "E", "F"])


@st.composite
def _graphs(draw: st.DrawFn) -> StateGraph:
    names = draw(st.lists(_NAMES, min_size=1, unique=True))
    exits = {name: draw(st.lists(st.sampled_from(names), unique=True)) for name in names}
    first = draw(st.sampled_from(names))
    return StateGraph(
        "random",
        {
            name: State(
                next=tuple(exits[name]),
                initial=name == first or draw(st.booleans()),
                final=not exits[name],
            )
            for name in names
        },
        default=draw(st.sampled_from([None, first])),
    )


@given(_graphs(), st.none() | _NAMES, st.none() | _NAMES)
def test_a_move_is_allowed_exactly_when_it_is_among_the_next_states(
    graph: StateGraph, current: str | None, value: str | None
) -> None:
    refusal = _refusal_of(lambda: graph.check_move("status", current, value))

    assert (refusal is None) == (value == current or value in graph.next_states(current))
    assert refusal is None or refusal.details["allowed"] == list(graph.next_states(current))


@given(_graphs(), st.none() | _NAMES)
def test_a_start_is_an_initial_state(graph: StateGraph, value: str | None) -> None:
    refusal = _refusal_of(lambda: graph.start("status", value))

    has_default = graph.default is not None or len(graph.initial_states) == 1
    may_start = has_default if value is None else value in graph.initial_states
    assert (refusal is None) == may_start


def _refusal_of(step: Callable[[], object]) -> InvalidStateTransition | None:
    try:
        step()
    except InvalidStateTransition as refusal:
        return refusal
    return None
