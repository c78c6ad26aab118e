"""Rules of state graphs."""

from __future__ import annotations

from generator.spec_rules.rule import Rule, rule

_GOOD = """
stateGraph: boxLifecycle
states:
  NEW:  {initial: true, next: [SENT]}
  SENT: {final: true}
"""


def _graph(number: str, title: str, new: str, sent: str) -> Rule:
    return rule(number, title, f"stateGraph: boxLifecycle\nstates:\n  NEW:  {new}\n  SENT: {sent}\n", _GOOD)


GRAPHS = (
    _graph("060", "a graph has an initial state", "{next: [SENT]}", "{final: true}"),
    _graph("061", "a next state exists", "{initial: true, next: [SEND, SENT]}", "{final: true}"),
    _graph("062", "a state can be reached", "{initial: true, final: true}", "{final: true}"),
    _graph("063", "a state has an exit or is final", "{initial: true, next: [SENT]}", "{}"),
    _graph(
        "064", "a final state has no exits", "{initial: true, next: [SENT]}", "{final: true, next: [NEW]}"
    ),
    _graph(
        "065",
        "a transition changes the state, and stands once",
        "{initial: true, next: [NEW, SENT]}",
        "{final: true}",
    ),
)
