"""What a shape remembers of fields that are not declared any more: ``{"removed": {path: is hidden}}``. Pure.

Only fields that are not inside lists and maps are remembered.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from runtime.spelling.shapes import Shape


def list_removed(shape: Shape) -> dict[str, bool]:
    """Return the dotted paths of fields whose values may still be stored, and whether they were hidden."""
    return dict(shape.get("removed", {}))


def keep_removed(noted: Shape, now: Shape) -> Shape:
    """Return the shape of now, with what it has lost since, or had lost before."""
    lost = {**list_removed(noted), **dict(_list_lost(noted["fields"], now["fields"], "", is_hidden=False))}
    left = {path: hidden for path, hidden in lost.items() if not _is_declared(now["fields"], path)}
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
        elif "fields" in field and "fields" in now[later]:
            inner = field["fields"], now[later]["fields"], f"{around}{later}."
            yield from _list_lost(*inner, is_hidden=is_hidden or bool(field.get("hidden")))


def _hides(field: Shape) -> bool:
    """Return whether a field is hidden, or some field inside it."""
    inside = [*field.get("fields", {}).values(), *([field["item"]] if "item" in field else [])]
    return bool(field.get("hidden")) or any(_hides(one) for one in inside)


def _is_declared(fields: Shape, path: str) -> bool:
    here: Mapping[str, Any] = {"fields": fields}
    for step in path.split("."):
        if step not in here.get("fields", {}):
            return False
        here = here["fields"][step]
    return True
