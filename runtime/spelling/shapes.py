"""The shape of a record type, as ``shapes.json`` says it, and the steps from one shape to another. Pure.

A shape is parsed JSON: ``{"fields": {name: field}}``, where a field has a ``type``, and with it ``fields``,
``item`` or ``values``; besides ``default``, ``renamedFrom``, and ``renamed`` for the states of its graph.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any, Final

from runtime.model.type_changes import PLAIN, WIDER
from runtime.spelling.admitting import Admit
from runtime.spelling.defaults import store_default
from runtime.spelling.steps import ENTRY, ITEM, Path, Step, show_path
from runtime.spelling.texts import Replace
from runtime.spelling.values import Coerce, Confine, Enlist, Fill, Operation, Widen

Shape = Mapping[str, Any]

_WIDER: Final = {kinds: Widen(*kinds) for kinds in WIDER}
_TEXTS: Final = frozenset({"string", "enum", "states"})
_COERCED: Final = frozenset({"string", "integer", "number", "decimal", "boolean"})


def fingerprint(shape: Shape) -> str:
    """Return a name for a shape: two that store records the same way share it."""
    text = json.dumps(_essence(shape["fields"]), sort_keys=True)
    return sha256(text.encode()).hexdigest()[:16]


def _essence(fields: Shape) -> Shape:
    return {name: _essence_of(field) for name, field in fields.items()}


def _essence_of(field: Shape) -> Shape:
    rest = {key: value for key, value in field.items() if key not in ("renamedFrom", "renamed", "hidden")}
    if "fields" in field:
        rest["fields"] = _essence(field["fields"])
    if "item" in field:
        rest["item"] = _essence_of(field["item"])
    return rest


def return_to_former(shape: Shape) -> Shape:
    """Return the shape that records may have that were stored before anybody noted one."""
    return {**shape, "fields": _former_fields(shape["fields"])}


def _former_fields(fields: Shape) -> Shape:
    return {field.get("renamedFrom", name): _former_field(field) for name, field in fields.items()}


def _former_field(field: Shape) -> Shape:
    own = {
        key: value for key, value in field.items() if key not in ("renamedFrom", "renamed", "fields", "item")
    }
    former = deepcopy(own)
    renamed = field.get("renamed", {})
    if "values" in field:
        former["values"] = [renamed.get(value, value) for value in field["values"]]
    if "fields" in field:
        former["fields"] = _former_fields(field["fields"])
    if "item" in field:
        former["item"] = _former_field(field["item"])
    return former


@dataclass(frozen=True, slots=True)
class _Place:
    """A field on the way through two shapes.

    ``removed``, ``states``: what the noted shape remembers of fields and states that were removed before.
    ``path``: as it is now. ``noted``: as in the noted shape.
    """

    record: str
    removed: Collection[str]
    states: Mapping[str, Collection[str]]
    path: Path = ()
    noted: Path = ()

    @property
    def shown(self) -> str:
        """The field as steps name it."""
        return f"{self.record}.{show_path(self.path)}"

    def enter(self, name: str, noted: str | None = None) -> _Place:
        """Return the place of a member, or of what a list or map holds."""
        return replace(self, path=(*self.path, name), noted=(*self.noted, noted or name))

    def wrap(self) -> _Place:
        """Return the place of the items of a list that was a single value."""
        return replace(self, path=(*self.path, ITEM))

    def is_removed(self, name: str) -> bool:
        """Return whether a member was there once: records may still have it."""
        return show_path((*self.noted, name)) in self.removed

    @property
    def removed_states(self) -> Collection[str]:
        """The states that the field had once: records may still be in them."""
        return self.states.get(show_path(self.noted), ())


def derive_steps(name: str, noted: Shape, now: Shape) -> tuple[Step, ...]:
    """Return what has to happen to records of type ``name`` in the noted shape, for the one of now."""
    place = _Place(name, noted.get("removed", ()), noted.get("removedStates", {}))
    return tuple(_compare_fields(noted["fields"], now["fields"], place))


def _compare_fields(noted: Shape, now: Shape, around: _Place) -> Iterator[Step]:
    for name, field in now.items():
        former = field.get("renamedFrom")
        is_renamed, is_late = False, False
        if former is not None and former not in now:
            is_renamed = name not in noted
            is_late = not is_renamed and around.is_removed(former)
        place = around.enter(name, former if is_renamed else None)
        if is_renamed or is_late:
            admits = Admit(field["type"]) if is_late else None
            shown = f"{place.shown}.renamedFrom.{former}"
            yield Step(shown, place.path, former, is_late=is_late, admits=admits)
        before = noted.get(former if is_renamed else name)
        if before is not None:
            yield from _compare(before, field, place)
        if "default" in field and (before is None or "default" not in before):
            value = store_default(field["default"], field)
            yield Step(f"{place.shown}.default", place.path, operation=Fill(value))


def _compare(before: Shape, now: Shape, place: _Place) -> Iterator[Step]:
    """Yield the steps between two types of a field."""
    kinds = before["type"], now["type"]
    if now["type"] == "list" and before["type"] != "list":
        yield Step(f"{place.shown}.to-list", place.path, operation=Enlist())
        yield from _compare(before, now["item"], place.wrap())
        return
    if (widen := _WIDER.get(kinds)) is not None:
        may_lose = now["type"] == "number"  # an integer beyond 2^53 that is not a double
        name = f"{place.shown}.{kinds[0]}-to-{kinds[1]}"
        yield Step(name, place.path, operation=widen, loses=may_lose)
    elif kinds[0] in _TEXTS and kinds[1] in _TEXTS:
        yield from _compare_texts(before, now, place)
    elif kinds[0] != kinds[1] and not (kinds[0] in PLAIN and kinds[1] == "json"):
        yield _coerce(before, now, place)
    if kinds[0] != kinds[1]:
        return
    if "fields" in now:
        yield from _compare_fields(before.get("fields", {}), now["fields"], place)
    if "item" in now:
        entered = ITEM if now["type"] == "list" else ENTRY
        yield from _compare(before["item"], now["item"], place.enter(entered))


def _compare_texts(before: Shape, now: Shape, place: _Place) -> Iterator[Step]:
    values, removed = before.get("values", ()), place.removed_states
    renamed = {former: state for state, former in now.get("renamed", {}).items()
               if former in removed or former in values}  # fmt: skip
    if renamed:
        names = ",".join(f"{state}.renamedFrom.{former}" for former, state in sorted(renamed.items()))
        final = frozenset(one for one, state in renamed.items() if one in removed or state in values)
        yield Step(f"{place.shown}.{names}", place.path, operation=Replace(renamed, final))
    if now["type"] != "enum":
        return
    gone = set(before.get("values", ())) - set(now["values"])
    if before["type"] == "string" or gone:
        yield Step(f"{place.shown}.to-enum", place.path, operation=Confine(tuple(now["values"])), loses=True)


def _coerce(before: Shape, now: Shape, place: _Place) -> Step:
    """Return a step that keeps what can be read as the new type, and nothing else."""
    operation: Operation = Coerce(now["type"] if now["type"] in _COERCED else None)
    name = f"{place.shown}.{before['type']}-to-{now['type']}"
    return Step(name, place.path, operation=operation, loses=True)
