"""The shape of a record type, as ``shapes.json`` says it, and the steps from one shape to another. Pure.

A shape is parsed JSON: ``{"fields": {name: field}}``, where a field has a ``type``, and with it ``fields``,
``item`` or ``values``; besides ``default``, ``renamedFrom``, and ``renamed`` for the states of its graph.
"""

import json
from collections.abc import Iterator, Mapping
from copy import deepcopy
from hashlib import sha256
from typing import Any, Final

from runtime.model.type_changes import PLAIN, WIDER
from runtime.spelling.defaults import store_default
from runtime.spelling.steps import ENTRY, ITEM, Path, Step, show_path
from runtime.spelling.values import Coerce, Confine, Enlist, Fill, Operation, Replace, Widen

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
    former = {
        key: value for key, value in deepcopy(dict(field)).items() if key not in ("renamedFrom", "renamed")
    }
    renamed = field.get("renamed", {})
    if "values" in field:
        former["values"] = [renamed.get(value, value) for value in field["values"]]
    if "fields" in field:
        former["fields"] = _former_fields(field["fields"])
    if "item" in field:
        former["item"] = _former_field(field["item"])
    return former


def derive_steps(name: str, noted: Shape, now: Shape) -> tuple[Step, ...]:
    """Return what has to happen to records of type ``name`` in the noted shape, for the one of now."""
    return tuple(_compare_fields(name, noted["fields"], now["fields"], ()))


def _compare_fields(name: str, noted: Shape, now: Shape, around: Path) -> Iterator[Step]:
    for field_name, field in now.items():
        path = (*around, field_name)
        former = field.get("renamedFrom")
        is_renamed = former is not None and field_name not in noted and former not in now
        if is_renamed:
            yield Step(f"{name}.{show_path(path)}.renamedFrom.{former}", path, former)
        before = noted.get(former if is_renamed else field_name)
        if before is not None:
            yield from _compare(name, before, field, path)
        if "default" in field and (before is None or "default" not in before):
            value = store_default(field["default"], field)
            yield Step(f"{name}.{show_path(path)}.default", path, operation=Fill(value))


def _compare(name: str, before: Shape, now: Shape, path: Path) -> Iterator[Step]:
    """Yield the steps between two types of a field."""
    shown, kinds = f"{name}.{show_path(path)}", (before["type"], now["type"])
    if now["type"] == "list" and before["type"] != "list":
        yield Step(f"{shown}.to-list", path, operation=Enlist())
        yield from _compare(name, before, now["item"], (*path, ITEM))
        return
    if (widen := _WIDER.get(kinds)) is not None:
        may_lose = now["type"] == "number"  # an integer beyond 2^53 that is not a double
        yield Step(f"{shown}.{kinds[0]}-to-{kinds[1]}", path, operation=widen, loses=may_lose)
    elif kinds[0] in _TEXTS and kinds[1] in _TEXTS:
        yield from _compare_texts(shown, before, now, path)
    elif kinds[0] != kinds[1] and not (kinds[0] in PLAIN and kinds[1] == "json"):
        yield _coerce(shown, before, now, path)
    if kinds[0] != kinds[1]:
        return
    if "fields" in now:
        yield from _compare_fields(name, before.get("fields", {}), now["fields"], path)
    if "item" in now:
        entered = ITEM if now["type"] == "list" else ENTRY
        yield from _compare(name, before["item"], now["item"], (*path, entered))


def _compare_texts(shown: str, before: Shape, now: Shape, path: Path) -> Iterator[Step]:
    renamed = {former: state for state, former in now.get("renamed", {}).items()
               if former in before.get("values", ()) and state not in before["values"]}  # fmt: skip
    if renamed:
        names = ",".join(f"{state}.renamedFrom.{former}" for former, state in sorted(renamed.items()))
        yield Step(f"{shown}.{names}", path, operation=Replace(renamed))
    if now["type"] != "enum":
        return
    gone = set(before.get("values", ())) - set(now["values"])
    if before["type"] == "string" or gone:
        yield Step(f"{shown}.to-enum", path, operation=Confine(tuple(now["values"])), loses=True)


def _coerce(shown: str, before: Shape, now: Shape, path: Path) -> Step:
    """Return a step that keeps what can be read as the new type, and nothing else."""
    operation: Operation = Coerce(now["type"] if now["type"] in _COERCED else None)
    return Step(f"{shown}.{before['type']}-to-{now['type']}", path, operation=operation, loses=True)
