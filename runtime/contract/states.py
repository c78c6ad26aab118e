"""State graphs, and the moves that a caller may make."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Strict


class FieldStates(Strict):
    """The graph of one state field."""

    initial: Annotated[list[str], Field(description="States of a new record.")]
    default: Annotated[
        str | None, Field(description="State of a new record that names none, where the graph declares it.")
    ] = None
    final: Annotated[list[str], Field(description="States without a next state.")]
    states: Annotated[
        dict[str, list[str]], Field(description="Each state, and the states that may follow it.")
    ]


class FieldTransitions(Strict):
    """The state of one state field, and the states that may follow."""

    current: Annotated[
        str | None, Field(description="The state that the record has; absent where it has none yet.")
    ] = None
    next: Annotated[list[str], Field(description="States the caller may set.")]


RecordStates = dict[str, FieldStates]
"""The graph of each state field."""

RecordTransitions = dict[str, FieldTransitions]
"""The possible moves of each state field."""
