"""``stateGraph: orderLifecycle``."""

from typing import Any

from pydantic import Field, field_validator

from generator.spec.strict import Spec, needed, word


class StateSpec(Spec):
    """One state."""

    initial: bool = word("A record may start here.", default=False)
    final: bool = word("The journey ends here.", default=False)
    next_: list[str] = word("Where a record may go from here.", default=[], alias="next")
    description: str | None = word("What the state means.")
    renamed_from: str | None = word("The former name: records that are in it are read as in this one.")


class StateGraphSpec(Spec):
    """Which values a state field may start with and move to."""

    state_graph: str = needed("The name of the graph, in camelCase.")
    description: str | None = word("What it governs.")
    default: str | None = word("The initial state of a new record that names none, where there are several.")
    states: dict[str, StateSpec] = Field(min_length=1, description="The states by name, in UPPER_CASE.")

    @field_validator("states", mode="before")
    @classmethod
    def _bare_names(cls, value: Any) -> Any:
        """Read ``DELIVERED:`` with nothing behind it as a state without words."""
        if not isinstance(value, dict):
            return value
        return {name: {} if state is None else state for name, state in value.items()}
