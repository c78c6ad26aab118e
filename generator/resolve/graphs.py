"""State graphs: every state must be reachable, and every state that is not final must have a next one."""

import re
from collections.abc import Set

from generator.model import Graph, Kind, Type
from generator.naming import Constant, PythonName
from generator.problems import did_you_mean, nearest
from generator.resolve.context import Context, Spot
from generator.resolve.renamed import check_former_states
from generator.spec import Document, StateGraphSpec, StateSpec
from runtime.model.state_graph import State

_STATE = re.compile(r"[A-Z][A-Z0-9_]*")


def build_graph(context: Context, document: Document[StateGraphSpec]) -> Graph | None:
    """Resolve a graph and report problems of its states; None if its name is invalid."""
    spot, spec = Spot(context, document), document.spec
    _check(spot, spec)
    name = spec.state_graph
    python_name = spot.named(PythonName.from_wire, name, "stateGraph")
    constant = spot.named(Constant.of, name, "stateGraph") if python_name is not None else None
    if constant is None:
        return None
    context.claim("the constant", constant, spot.at("stateGraph"), f"state graph {name}")
    return Graph(
        name=name,
        constant=constant,
        area=document.area,
        states={
            state: State(tuple(one.next_), one.initial, one.final, one.description)
            for state, one in spec.states.items()
        },
        source=document.source,
        description=spec.description,
        renamed={name: one.renamed_from for name, one in spec.states.items() if one.renamed_from},
        default=spec.default,
    )


def _check(spot: Spot, spec: StateGraphSpec) -> None:
    states = spot.within("states")
    check_former_states(states, spec.states)
    starts = _list_initial(spec)
    if not starts:
        spot.report_key("SPEC060", "no state is initial: say initial: true at one", "states")
    elif spec.default is not None and spec.default not in starts:
        _report_default(spot, spec.default, starts, spec)
    misnamed = {_upper(one) for one in spec.states if not _STATE.fullmatch(one)}
    for name in spec.states:
        if not _STATE.fullmatch(name):
            states.report_key("SPEC020", f'"{name}" is not UPPER_CASE: write "{_upper(name)}"', name)
        _check_exits(states.within(name), name, spec, misnamed)
    if starts and not _has_unclear_exit(spec):
        reached = _find_reachable(spec)
        for name in spec.states:
            if name not in reached:
                states.report_key("SPEC062", f"{name} cannot be reached from an initial state", name)


def _report_default(spot: Spot, default: str, starts: list[str], spec: StateGraphSpec) -> None:
    if default in spec.states:
        message = f"{default} is not initial: write default: {' or '.join(starts)}"
    else:
        message = f'the default is the unknown state "{default}"{did_you_mean(default, starts)}'
    spot.report("SPEC066", message, "default")


def _upper(name: str) -> str:
    return re.sub(r"\W+", "_", name.strip()).upper() or "NAME"


def _has_unclear_exit(spec: StateGraphSpec) -> bool:
    """Whether a state goes to an unknown one that is like none: any other state may be meant."""
    targets = {target for state in spec.states.values() for target in state.next_}
    return any(not nearest(target, spec.states) for target in targets - spec.states.keys())


def _check_exits(spot: Spot, name: str, spec: StateGraphSpec, misnamed: Set[str]) -> None:
    """Report the wrong next states of a state; ``misnamed``: the right names of states that are reported."""
    state = spec.states[name]
    for index, target in enumerate(state.next_):
        if target not in spec.states and _upper(target) not in misnamed:
            near = did_you_mean(target, spec.states)
            spot.report("SPEC061", f'{name} goes to the unknown state "{target}"{near}', "next", index)
        elif target == name:
            spot.report(
                "SPEC065", f"{name} goes to itself: staying in a state is not a transition", "next", index
            )
        elif target in state.next_[:index]:
            spot.report("SPEC065", f"{name} goes to {target} twice", "next", index)
    if state.final and state.next_:
        spot.report_key("SPEC064", f"{name} is final and has exits: drop one of the two", "next")
    if not state.final and not state.next_:
        spot.report_key("SPEC063", f"{name} has no exit: add next, or say final: true")


def find_next(spec: StateGraphSpec, state: StateSpec) -> set[str]:
    """Find the states that one leads to; for a misspelled name those that it may mean."""
    meant = ([target] if target in spec.states else nearest(target, spec.states) for target in state.next_)
    return {name for names in meant for name in names}


def list_starts(context: Context, kind: Type) -> list[str]:
    """List the states that a new record may have; empty for other fields, and for a broken graph."""
    graph = _find_graph(context, kind)
    return _list_initial(graph) if graph else []


def list_choices(context: Context, kind: Type) -> list[str]:
    """List the states of which a new record has to name one; empty where it need not name any."""
    starts, graph = list_starts(context, kind), _find_graph(context, kind)
    return starts if graph and graph.default is None and len(starts) > 1 else []


def find_start(context: Context, kind: Type) -> str | None:
    """Find the state of a new record that names none; None where it has none."""
    starts, graph = list_starts(context, kind), _find_graph(context, kind)
    return starts[0] if len(starts) == 1 else graph.default if graph else None


def _find_graph(context: Context, kind: Type) -> StateGraphSpec | None:
    graph = context.graphs.get(kind.target or "") if kind.kind is Kind.STATES else None
    return graph.spec if graph else None


def _list_initial(spec: StateGraphSpec) -> list[str]:
    return [name for name, state in spec.states.items() if state.initial]


def _find_reachable(spec: StateGraphSpec) -> set[str]:
    waiting = _list_initial(spec)
    reached: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += find_next(spec, spec.states[name])
    return reached
