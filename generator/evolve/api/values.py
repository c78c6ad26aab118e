"""Enums, defaults and patterns, compared."""

from __future__ import annotations

from collections.abc import Iterable

import orjson

from generator.evolve.api.documents import as_list
from generator.evolve.api.place import Place, show
from generator.evolve.api.recorder import Direction
from generator.evolve.api.shapes import Shape
from generator.evolve.patterns import find_counterexample

_ABSENT = object()


def compare_enums(old: Shape, new: Shape, place: Place) -> None:
    """Compare the values that are listed."""
    if old.enum is None and new.enum is not None:
        place.report("became-enum", f"only {_list(new.enum)} is right now")
    elif old.enum is not None and new.enum is None:
        place.report("enum-dropped", "any value is right now")
    elif old.enum is not None and new.enum is not None:
        _compare_listed(old.enum, new.enum, place)
    _compare_extensible(old, new, place)


def _compare_listed(old: Iterable[object], new: Iterable[object], place: Place) -> None:
    before, after = ({orjson.dumps(one): one for one in values} for values in (old, new))
    for key, value in before.items():
        if key not in after:
            place.report("enum-value-removed", f"the value {show(value)} is gone")
    for key, value in after.items():
        if key not in before:
            place.report("enum-value-added", f"the value {show(value)} is new")


def _compare_extensible(old: Shape, new: Shape, place: Place) -> None:
    """Compare values that are listed as examples of an open list: removing one refuses it."""
    if place.direction is Direction.REQUEST:
        after = as_list(new.words.get("x-extensible-enum"))
        for value in as_list(old.words.get("x-extensible-enum")):
            if value not in after:
                place.report("enum-value-removed", f"the value {show(value)} is gone")


def compare_defaults(old: Shape, new: Shape, place: Place) -> None:
    """Compare what holds where a value is left out."""
    before, after = old.words.get("default", _ABSENT), new.words.get("default", _ABSENT)
    if before is after or (before == after and type(before) is type(after)):
        return
    shown = ("nothing" if one is _ABSENT else show(one) for one in (before, after))
    rule = "parameter-default-changed" if place.is_parameter else "default-changed"
    place.report(rule, "the default was {}, is {}".format(*shown))


def compare_patterns(old: Shape, new: Shape, place: Place) -> None:
    """Compare the regular expressions that values match."""
    before, after = old.words.get("pattern"), new.words.get("pattern")
    if before == after:
        return
    if before is None or after is None:
        rule = "pattern-added" if before is None else "pattern-removed"
        place.report(rule, f"the pattern is {show(after)}" if after else f"the pattern was {show(before)}")
        return
    wide, narrow = (before, after) if place.direction is Direction.REQUEST else (after, before)
    example = find_counterexample(str(wide), str(narrow))
    rule = "pattern-changed" if example is None else "pattern-narrowed"
    shown = f"the pattern was {show(before)}, is {show(after)}"
    if example is not None:
        shown += f"; only one of them admits {show(example)!r}"
    place.report(rule if place.direction is Direction.REQUEST else "pattern-changed", shown)


def _list(values: tuple[object, ...]) -> str:
    shown = [show(one, 40) for one in values[:5]]
    return ", ".join([*shown, f"{len(values) - 5} more"] if len(values) > 5 else shown)
