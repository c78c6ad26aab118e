"""What a shape remembers of fields that are not declared any more: ``{"removed": {path: is hidden}}``. Pure.

A path is as ``show_path`` shows it: ``place.road``, ``lines[].sku``. Fields inside lists and maps are
remembered for a ``renamedFrom`` that is declared later; no values are removed there.
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

    That is without former names that it declares: no record has them any more, or a migration is due.
    """
    lost = {**list_removed(noted), **dict(_list_lost(noted["fields"], now["fields"], "", is_hidden=False))}
    formers = set(_list_formers(now["fields"], [""]))
    left = {
        path: hidden
        for path, hidden in lost.items()
        if path not in formers and not _is_declared(now["fields"], path)
    }
    return {**now, "removed": left} if left else now


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
