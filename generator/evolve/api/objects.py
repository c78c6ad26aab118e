"""The members of objects, compared."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from generator.evolve.api.documents import Json, as_list, as_object
from generator.evolve.api.place import Place
from generator.evolve.api.recorder import Direction
from generator.evolve.api.shapes import Shape, unwrap

_IGNORED = {Direction.REQUEST: "readOnly", Direction.RESPONSE: "writeOnly"}
"""The mark of a member that is not part of what is sent, or of what is read."""


Compare = Callable[[Any, Any, Place], None]
"""Compares a former schema with a present one, and reports what differs."""


def compare_objects(compare: Compare, old: Shape, new: Shape, place: Place) -> None:
    """Compare properties, which are required, and what else an object may hold."""
    before, after = _read_properties(old.words), _read_properties(new.words)
    needed, needs = _read_required(old.words), _read_required(new.words)
    others = old.words.get("additionalProperties")
    added = {name: schema for name, schema in after.items() if name not in before}
    for name, schema in before.items():
        if name not in after:
            said = f"the property is gone{_name_likeness(schema, added)}"
            _report_removed(place.inside(f".{name}"), schema, new, said, is_required=name in needed)
    for name, schema in after.items():
        here = place.inside(f".{name}", is_ignored=_is_ignored(schema, place))
        former = before.get(name, others if others != {} else None)
        if not isinstance(former, dict):
            _report_added(here, schema, is_required=name in needs)
            continue
        _compare_marks(former, schema, place.inside(f".{name}"), is_required=name in needs)
        if (name in needed) != (name in needs):
            _report_required(here, schema, is_required=name in needs)
        compare(former, schema, here)
    _compare_others(compare, old.words, new.words, place)


def _read_properties(words: Json) -> dict[str, Any]:
    """Read the schemas of properties; one that is required and not described may be what others may be."""
    others = words.get("additionalProperties")
    others = {"not": {}} if others is False else as_object(others)
    return {**dict.fromkeys(sorted(_read_required(words)), others), **as_object(words.get("properties"))}


def _read_required(words: Json) -> frozenset[str]:
    return frozenset(map(str, as_list(words.get("required"))))


def _is_ignored(schema: Any, place: Place) -> bool:
    return as_object(unwrap(schema)[0]).get(_IGNORED[place.direction]) is True


def _name_likeness(schema: Any, added: Json) -> str:
    """Name the new property that has the schema of one that is gone, if there is just one."""
    alike = [name for name, one in added.items() if one == schema and schema]
    return f"; {alike[0]} is new and like it" if len(alike) == 1 else ""


def _report_removed(place: Place, schema: Any, new: Shape, said: str, *, is_required: bool) -> None:
    if _is_ignored(schema, place):
        place.report("ignored-changed", said)
    elif as_object(unwrap(schema)[0]).get("deprecated") is True:
        place.report("deprecated-property-removed", said)
    elif place.direction is Direction.RESPONSE:
        place.report("required-property-removed" if is_required else "optional-property-removed", said)
    else:
        place.report("property-removed" if _is_closed(new.words) else "property-ignored", said)


def _report_added(place: Place, schema: Any, *, is_required: bool) -> None:
    if place.direction is Direction.REQUEST and is_required:
        has_default = "default" in as_object(schema)
        rule = "required-property-with-default-added" if has_default else "required-property-added"
        place.report(rule, "the property is new and required")
    else:
        place.report("property-added", "the property is new")


def _report_required(place: Place, schema: Any, *, is_required: bool) -> None:
    if not is_required:
        place.report("property-became-optional", "the property is no longer required")
    elif place.direction is Direction.REQUEST and "default" in as_object(schema):
        place.report("property-with-default-became-required", "the property is required, and has a default")
    else:
        place.report("property-became-required", "the property is required now")


def _compare_marks(old: Any, new: Any, place: Place, *, is_required: bool) -> None:
    """Compare readOnly, writeOnly and deprecated."""
    before, after = as_object(unwrap(old)[0]), as_object(unwrap(new)[0])
    for word in ("readOnly", "writeOnly"):
        was, is_now = before.get(word) is True, after.get(word) is True
        if was == is_now:
            continue
        matters = word == _IGNORED[place.direction]
        if matters and is_now:
            place.report("property-became-ignored", f"the property is {word} now")
        elif matters and is_required:
            place.report("required-property-became-real", f"the property is no longer {word}, and required")
        else:
            place.report("mark-changed", f"the property is {'now' if is_now else 'no longer'} {word}")
    if before.get("deprecated", False) != after.get("deprecated", False):
        word = "deprecated" if after.get("deprecated") else "no longer deprecated"
        place.report("mark-changed", f"the property is {word}")


def _is_closed(words: Json) -> bool:
    return words.get("additionalProperties") is False or words.get("unevaluatedProperties") is False


def _compare_others(compare: Compare, old: Json, new: Json, place: Place) -> None:
    """Compare what members without a name of their own may be."""
    before, after = (_read_others(one) for one in (old, new))
    if before == after and not isinstance(before, dict):
        return
    if isinstance(before, dict) and isinstance(after, dict):
        compare(before, after, place.inside("{}"))
    elif before is True or after is False:
        place.report("closed", "members that are not described are " + _say(after))
    else:
        place.report("opened", "members that are not described are " + _say(after))


def _read_others(words: Json) -> Any:
    value = words.get("additionalProperties", True)
    return True if value == {} else value


def _say(value: Any) -> str:
    return "refused now" if value is False else "free now" if value is True else "of one type now"
