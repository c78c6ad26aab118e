"""What a shape remembers of fields and states that are not declared any more. Pure.

``{"removed": {path: is hidden}, "removedStates": {path: states}}``, where a path is as ``show_path`` shows
it: ``place.road``, ``lines[].sku``. States, and fields inside lists and maps, are remembered for a
``renamedFrom`` that is declared later; no values are removed there.
"""

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

from runtime.spelling.shapes import Shape
from runtime.spelling.steps import ENTRY, ITEM, parse_path


def list_removed(shape: Shape) -> dict[str, bool]:
    """Return the paths of fields whose values may still be stored, and whether they were hidden."""
    return dict(shape.get("removed", {}))


def keep_removed(noted: Shape, now: Shape) -> Shape:
    """Return the shape of now, with what it has lost since, or had lost before.

    That is without former names that it declares, of fields and states: no record has them any more, or a
    migration is due.
    """
    lost = {**list_removed(noted), **dict(_list_lost(noted["fields"], now["fields"], "", is_hidden=False))}
    formers = set(_list_formers(now["fields"], [""]))
    left = {
        path: hidden
        for path, hidden in lost.items()
        if path not in formers and not _is_declared(now["fields"], path)
    }
    states = list_removed_states(noted, now)
    return {**now, **({"removed": left} if left else {}), **({"removedStates": states} if states else {})}


def list_removed_states(noted: Shape, now: Shape) -> dict[str, list[str]]:
    """Return the states that records may still be in although their graph has lost them, by field."""
    return dict(_list_lost_states(noted, now))


def forget_removed(shape: Shape, path: str) -> Shape:
    """Return the shape without a path whose values are gone."""
    left = {name: hidden for name, hidden in list_removed(shape).items() if name != path}
    rest = {key: value for key, value in shape.items() if key != "removed"}
    return {**rest, "removed": left} if left else rest


def _list_lost(noted: Shape, now: Shape, around: str, *, is_hidden: bool) -> Iterator[tuple[str, bool]]:
    formers = {field["renamedFrom"]: name for name, field in now.items() if "renamedFrom" in field}
    for name, field in noted.items():
        later = name if name in now else formers.get(name)
        if later is None:
            yield f"{around}{name}", is_hidden or _hides(field)
            continue
        before, after, path = _strip(field, now[later], f"{around}{later}")
        if "fields" in before and "fields" in after:
            is_inner_hidden = is_hidden or bool(field.get("hidden"))
            yield from _list_lost(before["fields"], after["fields"], f"{path}.", is_hidden=is_inner_hidden)


def _list_lost_states(noted: Shape, now: Shape) -> Iterator[tuple[str, list[str]]]:
    """List the states that records may still be in, by the fields that have a state."""
    remembered = noted.get("removedStates", {})
    for before, after, former_path, path in _pair_fields(noted["fields"], now["fields"], "", ""):
        if "values" in before and after["type"] == "states":
            known = {*after["values"], *after.get("renamed", {}).values()}
            if lost := {*before["values"], *remembered.get(former_path, ())} - known:
                yield path, sorted(lost)


def _pair_fields(
    noted: Shape, now: Shape, former_around: str, around: str
) -> Iterator[tuple[Shape, Shape, str, str]]:
    """Yield the fields that two shapes have, or what they hold, at every depth, with their paths in both."""
    for name, field in now.items():
        former = name if name in noted else field.get("renamedFrom")
        if former not in noted:
            continue
        before, after, path = _strip(noted[former], field, "")
        former_path, path = f"{former_around}{former}{path}", f"{around}{name}{path}"
        yield before, after, former_path, path
        if "fields" in before and "fields" in after:
            yield from _pair_fields(before["fields"], after["fields"], f"{former_path}.", f"{path}.")


def _strip(before: Shape, after: Shape, path: str) -> tuple[Shape, Shape, str]:
    """Return what two lists or maps hold, at any depth, and its path."""
    while "item" in before and "item" in after and before["type"] == after["type"]:
        path += ITEM if after["type"] == "list" else ENTRY
        before, after = before["item"], after["item"]
    return before, after, path


def _list_formers(fields: Shape, around: list[str]) -> Iterator[str]:
    """List the paths of the former names that are declared.

    ``around``: how paths to the fields may begin, since what is around them may have a former name, too.
    """
    for name, field in fields.items():
        former = field.get("renamedFrom")
        if former is not None:
            yield from (f"{prefix}{former}" for prefix in around)
        held, _, inside = _strip(field, field, "")
        if "fields" in held:
            names = [name, *([former] if former else [])]
            inner = [f"{prefix}{one}{inside}." for prefix, one in product(around, names)]
            yield from _list_formers(held["fields"], inner)


def _hides(field: Shape) -> bool:
    """Return whether a field is hidden, or some field inside it."""
    inside = [*field.get("fields", {}).values(), *([field["item"]] if "item" in field else [])]
    return bool(field.get("hidden")) or any(_hides(one) for one in inside)


def _is_declared(fields: Shape, path: str) -> bool:
    here: Mapping[str, Any] = {"fields": fields}
    for step in parse_path(path):
        if step in (ITEM, ENTRY):
            if "item" not in here:
                return False
            here = here["item"]
        elif step in here.get("fields", {}):
            here = here["fields"][step]
        else:
            return False
    return True
