"""State graphs: which values a state field may start with and where it may go.

The generator refuses a graph that cannot be right: unknown next states, no initial state, a default that is
not one, exits from a final state and a dead end that is not final.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from runtime.errors import InvalidStateTransition


@dataclass(frozen=True, slots=True)
class State:
    """One state: may a record start here, does the journey end here, where can it go."""

    next: tuple[str, ...] = ()
    initial: bool = False
    final: bool = False
    description: str | None = None


@dataclass(frozen=True, slots=True)
class StateGraph:
    """A named graph; ``states`` in the order of the specification.

    ``default``: the initial state of a new record that names none, where there are several.
    """

    name: str
    states: Mapping[str, State]
    default: str | None = None

    @property
    def initial_states(self) -> tuple[str, ...]:
        return tuple(name for name, state in self.states.items() if state.initial)

    @property
    def final_states(self) -> tuple[str, ...]:
        return tuple(name for name, state in self.states.items() if state.final)

    def next_states(self, current: object) -> tuple[str, ...]:
        """Return the states that may follow ``current``; the initial ones for None.

        Stored before the field had a graph, it may be anything: nothing follows what is not a state.
        """
        if current is None:
            return self.initial_states
        state = self.states.get(current) if isinstance(current, str) else None
        return state.next if state else ()

    def start(self, field: str, value: str | None) -> str:
        """Return the value a new record starts with: as given, else the default or the only initial state."""
        if value is None:
            value = self.initial_states[0] if len(self.initial_states) == 1 else self.default
        if value is None or value not in self.initial_states:
            raise self._build_refusal(field, None, value, self.initial_states)
        return value

    def check_move(self, field: str, current: str | None, value: str | None) -> None:
        """Raise ``InvalidStateTransition`` unless ``current`` may become ``value``, or equals it."""
        if value == current:
            return
        allowed = self.next_states(current)
        if value not in allowed:
            raise self._build_refusal(field, current, value, allowed)

    def _build_refusal(
        self, field: str, current: str | None, value: str | None, allowed: tuple[str, ...]
    ) -> InvalidStateTransition:
        to = "null" if value is None else value[:100]
        if current is None and value is None:
            problem = "needs a value that a new record may start with"
        else:
            problem = f"cannot start with {to}" if current is None else f"cannot go from {current} to {to}"
        refusal = InvalidStateTransition(
            f"{field} {problem}; allowed: {', '.join(allowed) or 'nothing'}",
            field=field,
            allowed=list(allowed),
        )
        refusal.details |= {"from": current, "to": None if value is None else to}
        return refusal
