"""The states of a field, compared between two versions of its graph."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from generator.evolve.change_kinds import ChangeKind
from generator.evolve.pairs import pair_up
from generator.evolve.stored import StoredGraph, StoredState

Found = tuple[ChangeKind, str | None, str | None]
"""What changed, before and after."""


def compare_graphs(old: StoredGraph, new: StoredGraph) -> Iterator[Found]:
    """Yield states and transitions that are new, renamed or gone, and another default.

    A state that is merged into one that existed before counts as renamed.
    """
    names = _follow_names(old.states, new.states)
    yield from _compare_states(old.states, new.states, names)
    yield from _compare_ways(old.states, new.states, names)
    before = None if old.start is None else names.get(old.start, old.start)
    if before is not None and new.start is None:
        yield ChangeKind.STATE_REQUIRED, old.start, None
    elif before != new.start:
        yield ChangeKind.DEFAULT_CHANGED, old.start, new.start


def _follow_names(old: tuple[StoredState, ...], new: tuple[StoredState, ...]) -> dict[str, str]:
    """Return what each former state that is still there is called."""
    heirs = {one.renamed_from: one.name for one in new}
    pairs = [(was.name, now.name if now else heirs.get(was.name)) for was, now in pair_up(old, new) if was]
    return {was: now for was, now in pairs if now is not None}


def _compare_states(
    old: tuple[StoredState, ...], new: tuple[StoredState, ...], names: Mapping[str, str]
) -> Iterator[Found]:
    for was, now in pair_up(old, new):
        if was is None:
            yield ChangeKind.STATE_ADDED, None, now.name if now else None
        elif (name := names.get(was.name)) is None:
            yield ChangeKind.STATE_REMOVED, was.name, None
        elif name != was.name:
            yield ChangeKind.STATE_RENAMED, was.name, name


def _compare_ways(
    old: tuple[StoredState, ...], new: tuple[StoredState, ...], names: Mapping[str, str]
) -> Iterator[Found]:
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
