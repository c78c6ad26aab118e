"""References stand where the runtime finds them: in objects and lists. A map has no path that leads there."""

from generator.model import Field, Kind, Type
from generator.resolve.context import Spot
from generator.resolve.paths import Paths


def check_references(spot: Spot, fields: tuple[Field, ...], paths: Paths) -> None:
    """Report maps that hold a reference, however deep; structures are looked into."""
    for field in fields:
        if way := _reference_in_map(field.type, field.name, paths, inside=False):
            message = f"{way} is a reference inside a map, which is not resolved: use a list"
            spot.report_key("SPEC056", message, field.name)


def _reference_in_map(kind: Type, way: str, paths: Paths, *, inside: bool) -> str | None:
    """Return the path of the first reference below a map, or None."""
    if kind.kind is Kind.REFERENCE:
        return way if inside else None
    if kind.item is not None:
        return _reference_in_map(kind.item, way, paths, inside=inside or kind.kind is Kind.MAP)
    found = (
        _reference_in_map(field.type, f"{way}.{field.name}", paths, inside=inside)
        for field in paths.below(kind) or ()
    )
    return next((one for one in found if one), None)
