"""One row of a file on its way into the store: read, then decided. Values only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from runtime.records.change import Change
from runtime.transfer.intent import Intent
from runtime.transfer.row_error import RowError

Document = dict[str, Any]

REF_NAME = "refName"


@dataclass(frozen=True, slots=True)
class InputRow:
    """A data row as it was read. ``number`` counts from 1; ``raw``: column → cell as it came.

    ``values``: dotted path → value in stored form, None to clear. A row with ``errors`` goes no further.
    """

    number: int
    raw: Mapping[str, str]
    values: Mapping[str, Any] = field(default_factory=dict)
    intent: Intent = Intent.UPSERT
    errors: tuple[RowError, ...] = ()

    @property
    def ref_name(self) -> str | None:
        """What names its record; None for a new record that the server names."""
        found = self.values.get(REF_NAME)
        return None if found is None else str(found)

    def value_of(self, path: str) -> str | None:
        """The cell that filled a field, or something inside it."""
        for column, cell in self.raw.items():
            if column == path or path.startswith((f"{column}.", f"{column}[")):
                return cell
        return next((cell for column, cell in self.raw.items() if column.startswith(f"{path}.")), None)


@dataclass(frozen=True, slots=True)
class Insert:
    """A new record."""

    row: InputRow
    change: Change


@dataclass(frozen=True, slots=True)
class Update:
    """A stored record that the row changes."""

    row: InputRow
    change: Change


@dataclass(frozen=True, slots=True)
class Skip:
    """Nothing to do: the row says so, or its record is already as the row has it."""

    row: InputRow


@dataclass(frozen=True, slots=True)
class Failed:
    """Not to be stored, and why."""

    row: InputRow
    errors: Sequence[RowError]


Outcome: TypeAlias = Insert | Update | Skip | Failed
Write: TypeAlias = Insert | Update
