"""Which spelling is in force for a record type in a realm, from what is noted and what is declared. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from runtime.errors import Misconfigured
from runtime.migrations.notes import OPEN_TO_EARLIER, SHARED, Noted, name_of
from runtime.model.record_type import RecordType
from runtime.spelling import Shape, Spelling, Step, derive_steps, fingerprint
from runtime.system.documents import RecordMigrationDocument

Todo = Literal["nothing", "note", "begin", "adopt"]
"""What a worker that finds this does: note the shape of now, begin a migration, or take over one."""


@dataclass(frozen=True)
class Found:
    """``steps``: those between the noted shape and the one of now. ``spelling``: None is the usual one."""

    steps: tuple[Step, ...] = ()
    spelling: Spelling | None = None
    todo: Todo = "nothing"

    @property
    def is_plain(self) -> bool:
        """Whether workers may know nothing of a migration: they read both names of top-level fields."""
        return all(one.operation is None and len(one.path) == 1 for one in self.steps)

    def choose_first_phase(self, *, has_peers: bool) -> str:
        """Return the phase in which a migration begins: later workers wait for those that know nothing of it.

        Until then writes store the new spelling alone, and workers of the earlier shape misread it.
        """
        return "PREPARE" if has_peers and self.is_plain else "EXPAND"


def find_force(
    kind: RecordType[Any],
    shape: Shape,
    noted: Noted,
    migration: RecordMigrationDocument | None,
    *,
    is_alone: bool,
) -> Found:
    """Decide on one record type of one realm.

    ``migration``: the one in force. ``is_alone``: no worker of another shape is alive. Raises
    ``Misconfigured`` where reads of these specifications would be wrong.
    """
    own = fingerprint(shape)
    steps = derive_steps(kind.name, noted.shape, shape)
    if own in noted.earlier and own != noted.fingerprint:
        raise _refuse(kind, name_of(kind.name, noted.number), "has moved its records to a later shape")
    if migration is not None and migration["toShape"] != own:
        if migration["phase"] not in OPEN_TO_EARLIER:
            raise _refuse(kind, name_of(kind.name, migration["number"]), "moves its records to another shape")
        if not steps:
            return Found(spelling=_usual(kind, noted))
    if not steps:
        todo: Todo = "note" if own != noted.fingerprint and migration is None else "nothing"
        return Found(spelling=_usual(kind, noted), todo=todo)
    if migration is None:
        if is_alone and Found(steps).is_plain:
            return Found(steps)
        phase = Found(steps).choose_first_phase(has_peers=True)
        return Found(steps, _spelling(noted, steps, phase), "begin")
    todo = "nothing" if migration["toShape"] == own else "adopt"
    return Found(steps, _spelling(noted, steps, migration["phase"]), todo)


def _spelling(noted: Noted, steps: Sequence[Step], phase: str) -> Spelling:
    return Spelling(noted.number + 1, tuple(steps), is_shared=phase in SHARED)


def _usual(kind: RecordType[Any], noted: Noted) -> Spelling | None:
    """Return what says that no record has a former name any more: a migration has moved them."""
    return Spelling(noted.number) if kind.renamed and noted.earlier else None


def _refuse(kind: RecordType[Any], name: str, what: str) -> Misconfigured:
    return Misconfigured(
        f"{kind.shown_name}: the migration {name} {what}: run the version of the service that began it, "
        f"or `recordsmith migrate undo {name}` with that version first"
    )
