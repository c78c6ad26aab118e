"""Choices (``anyOf``, ``oneOf``), ``allOf`` and discriminators, compared."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from generator.evolve.api.documents import as_list, as_object
from generator.evolve.api.objects import Compare
from generator.evolve.api.place import Place, show
from generator.evolve.api.recorder import Direction
from generator.evolve.api.shapes import Shape, name_of, unwrap

Likeness = Callable[[Any, Any], bool]
Fits = Callable[[Any, Any, Place], bool]
"""Whether clients of a former schema can do with a present one."""

_MOST_TRIALS = 64
_URI = re.compile("[./]")
_NUMBERS = frozenset({"integer", "number"})
Pairs = list[tuple[Any, Any]]


def compare_branches(
    compare: Compare, fits: Fits, old: Shape, new: Shape, raw: tuple[Any, Any], place: Place
) -> None:
    """Compare two choices; a schema that is none counts as a choice of one."""
    before = list(old.branches) or [_without_null(raw[0])]
    after = list(new.branches) or [_without_null(raw[1])]

    for one, other in _pair_branches(before, after, fits, place):
        if one is not raw[0] or other is not raw[1]:
            compare(one, other, place)
    for branch in before:
        place.report("branch-removed", f"{_name(branch)} is no longer a choice")
    for branch in after:
        known = {kind for one in (*old.branches, raw[0]) for kind in _types(one)}
        rule = "branch-added"
        if place.direction is Direction.RESPONSE and new.branch_word == "anyOf" and _types(branch) <= known:
            rule = "overlapping-branch-added"
        place.report(rule, f"{_name(branch)} is a new choice")


def _pair_branches(before: list[Any], after: list[Any], fits: Fits, place: Place) -> Pairs:
    """Take pairs out of both lists, rather of branches that admit the same than of one that admits more.

    A branch that nothing fits ends a trial.
    """
    pairs = _pair_up(before, after, (_is_equal, _is_same_component))
    if len(before) * len(after) <= _MOST_TRIALS:
        is_sent = place.direction is Direction.REQUEST
        for one in list(before if is_sent else after):
            tries = ((one, other) for other in after) if is_sent else ((other, one) for other in before)
            fitting = [pair for pair in tries if fits(*pair, place)]
            if fitting:
                both_ways = (pair for pair in fitting if fits(*pair, place.turned()))
                first = next(both_ways, fitting[0]) if len(fitting) > 1 else fitting[0]
                pairs.append(_take(before, after, *first))
            elif not place.is_ignored:
                place.recorder.give_up()
    return pairs + _pair_up(before, after, (_is_same_kind, _are_numbers))


def compare_all_of(compare: Compare, fits: Fits, old: Shape, new: Shape, place: Place) -> None:
    """Compare the schemas that must all hold."""
    before, after = list(as_list(old.words.get("allOf"))), list(as_list(new.words.get("allOf")))

    def is_fit(one: Any, other: Any) -> bool:
        return len(before) * len(after) <= _MOST_TRIALS and fits(one, other, place)

    pairs = _pair_up(before, after, (_is_equal, _is_same_component, is_fit, _is_unnamed))
    for one, other in pairs:
        compare(one, other, place)
    for part in before:
        place.report("all-of-removed", f"{_name(part)} is no longer part of it")
    for part in after:
        place.report("all-of-added", f"{_name(part)} is part of it now")


def compare_discriminators(fits: Fits, old: Shape, new: Shape, place: Place) -> None:
    """Compare the member that decides the choice.

    Clients send and read its values, and no names of components: a value may lead to another component
    that says the same, such as that of a renamed record type.
    """
    before, after = (as_object(one.words.get("discriminator")) for one in (old, new))
    if bool(before) != bool(after):
        place.report("discriminator-changed", "a discriminator is " + ("new" if after else "gone"))
        return
    if before.get("propertyName") != after.get("propertyName"):
        shown = show(before.get("propertyName")), show(after.get("propertyName"))
        place.report("discriminator-changed", "the discriminator was {}, is {}".format(*shown))
    was, is_now = as_object(before.get("mapping")), as_object(after.get("mapping"))
    for key in was:
        if key not in is_now:
            place.report("discriminator-changed", f"the value {show(key)} of the discriminator is gone")
        elif was[key] != is_now[key] and not _do_targets_fit(fits, was[key], is_now[key], place):
            place.report(
                "discriminator-changed", f"the value {show(key)} of the discriminator leads elsewhere"
            )
    for key in is_now:
        if key not in was:
            place.report("discriminator-value-added", f"the value {show(key)} of the discriminator is new")


def _do_targets_fit(fits: Fits, old: Any, new: Any, place: Place) -> bool:
    """Whether two values of mappings, references or bare names, lead to components that fit.

    What another document has is not known.
    """
    before, after = (
        one if _URI.search(one) else f"#/components/schemas/{one}" for one in map(str, (old, new))
    )
    is_known = before.startswith("#/") and after.startswith("#/")
    return is_known and fits({"$ref": before}, {"$ref": after}, place)


def _pair_up(before: list[Any], after: list[Any], ways: tuple[Likeness, ...]) -> Pairs:
    """Take pairs out of both lists, those that are most alike first."""
    pairs: Pairs = []
    for is_alike in ways:
        for one in list(before):
            other = next((candidate for candidate in after if is_alike(one, candidate)), None)
            if other is not None:
                pairs.append(_take(before, after, one, other))
    return pairs


def _take(before: list[Any], after: list[Any], one: Any, other: Any) -> tuple[Any, Any]:
    """Take a pair out of both lists."""
    _drop(before, one)
    _drop(after, other)
    return one, other


def _without_null(schema: Any) -> Any:
    """Return a branch of a choice that is about other values: whether null is right was compared before."""
    kinds = schema.get("type") if isinstance(schema, dict) else None
    if not isinstance(kinds, list) or "null" not in kinds:
        return schema
    return {**schema, "type": [kind for kind in kinds if kind != "null"]}


def _drop(values: list[Any], value: Any) -> None:
    del values[next(at for at, one in enumerate(values) if one is value)]


def _is_equal(one: Any, other: Any) -> bool:
    return bool(one == other)


def _is_same_component(one: Any, other: Any) -> bool:
    return name_of(one) is not None and name_of(one) == name_of(other)


def _is_same_kind(one: Any, other: Any) -> bool:
    return _is_unnamed(one, other) and bool(_types(one)) and _types(one) == _types(other)


def _are_numbers(one: Any, other: Any) -> bool:
    return bool(_types(one)) and bool(_types(other)) and (_types(one) | _types(other)) <= _NUMBERS


def _is_unnamed(one: Any, other: Any) -> bool:
    return name_of(one) is None and name_of(other) is None


def _types(schema: Any) -> frozenset[str]:
    """Return the types that a schema names itself."""
    value = as_object(unwrap(schema)[0]).get("type")
    return frozenset(value) - {"null"} if isinstance(value, list) else frozenset({value} if value else ())


def _name(schema: Any) -> str:
    """Name a branch: its component, else its title or type."""
    found = as_object(schema)
    return name_of(schema) or str(found.get("title") or "/".join(sorted(_types(schema))) or "a schema")
