"""The states of a field, compared between two versions of its graph."""

from __future__ import annotations

from collections.abc import Iterator

from generator.evolve.change_kinds import ChangeKind
from generator.evolve.pairs import pair_up
from generator.evolve.stored import StoredState


def compare_states(
    old: tuple[StoredState, ...], new: tuple[StoredState, ...]
) -> Iterator[tuple[ChangeKind, str | None, str | None]]:
    """Yield states and transitions that are new, renamed or gone.

    A state that is merged into one that existed before counts as renamed.
    """
    heirs = {one.renamed_from: one.name for one in new}
    names: dict[str, str] = {}
    for pair in pair_up(old, new):
        if pair.new is None and pair.old is not None:
            if heir := heirs.get(pair.old.name):
                names[pair.old.name] = heir
            kind = ChangeKind.STATE_RENAMED if heir else ChangeKind.STATE_REMOVED
            yield kind, pair.old.name, heir
        elif pair.old is None and pair.new is not None:
            yield ChangeKind.STATE_ADDED, None, pair.new.name
        elif pair.old is not None and pair.new is not None:
            names[pair.old.name] = pair.new.name
            if pair.old.name != pair.new.name:
                yield ChangeKind.STATE_RENAMED, pair.old.name, pair.new.name
    now = {(s, t): (names.get(s, s), names.get(t, t)) for s, t in _list_ways(old)}
    former = {way for was, way in now.items() if way[0] != way[1] or was[0] == was[1]}
    ways = [former, set(_list_ways(new))]
    known = set(names.values())
    for kind, surplus in (
        (ChangeKind.TRANSITION_REMOVED, ways[0] - ways[1]),
        (ChangeKind.TRANSITION_ADDED, ways[1] - ways[0]),
    ):
        for state, target in sorted(surplus):
            if {state, target} <= known | {_START}:
                way = f"{state} → {target}"
                removed = kind is ChangeKind.TRANSITION_REMOVED
                yield kind, way if removed else None, None if removed else way


_START = "start"


def _list_ways(states: tuple[StoredState, ...]) -> Iterator[tuple[str, str]]:
    """List the transitions, and from where none is left: the initial states."""
    for state in states:
        if state.initial:
            yield _START, state.name
        for target in state.next:
            yield state.name, target
