"""Circles that make a record or a value impossible: required references, and structures inside themselves."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from generator.model import Field, Kind, Record, Structure, Type
from generator.resolve.context import Context, Spot
from generator.resolve.paths import Paths
from generator.resolve.templates import placeholders
from generator.spec import Document, Spec
from runtime.model.paths import top_of

Steps = Mapping[str, Mapping[str, tuple[str | int, ...]]]
"""Name → each name it needs → path to the place that says so."""


def check_required_references(context: Context, records: Iterable[Record], paths: Paths) -> None:
    """Report records that need, over others, a record of their own type to exist before them.

    A lenient one can be saved without its required references.
    """
    steps: Steps = {
        str(one.name): dict(_list_needed(one.fields, (), paths)) for one in records if not one.lenient
    }
    advice = "no record could be saved first; make one of these references optional"
    _report_circles(context, context.records, steps, "SPEC050", " needs ", advice)


def cut_structures(context: Context, structures: Mapping[str, Structure]) -> dict[str, Structure]:
    """Report structures that contain themselves, be it in a list; return all without the fields that do so.

    What walks through fields would not come to an end. The fields that are cut stay unjudged.
    """
    steps: Steps = {name: dict(_list_contained(one.fields, ())) for name, one in structures.items()}
    advice = "a structure cannot contain itself; use a reference"
    _report_circles(context, context.structures, steps, "SPEC051", " contains ", advice)
    found = dict(structures)
    for name, one in structures.items():
        circular = {field.name for field in one.fields if _leads_to(steps, field, name)}
        if circular:
            context.unsure[name] = context.unsure.get(name, frozenset()) | circular
            found[name] = replace(
                one, fields=tuple(field for field in one.fields if field.name not in circular)
            )
    return found


def _leads_to(steps: Steps, field: Field, name: str) -> bool:
    """Whether a field contains the structure, at any depth."""
    waiting = [target for target, _path in _list_contained((field,), ())]
    for target in waiting:
        waiting += [one for one in steps.get(target, ()) if one not in waiting]
    return name in waiting


def _report_circles(
    context: Context, documents: Mapping[str, Document[Spec]], steps: Steps, rule: str, verb: str, advice: str
) -> None:
    for circle in find_circles(steps):
        first, second = circle[0], circle[1 % len(circle)]
        message = f"{verb.join([*circle, first])}: {advice}"
        Spot(context, documents[first], ("fields",)).report(rule, message, *steps[first][second])


def check_calculated(context: Context, records: Iterable[Record]) -> None:
    """Report calculated fields that are made of themselves over others, or of displayName, made last."""
    for record in records:
        spot = Spot(context, context.records[record.name], ("fields",))
        templates = {
            field.name: placeholders(field.calculated) for field in record.fields if field.calculated
        }
        steps: Steps = {
            name: {top_of(path): (name, "calculated") for path in paths} for name, paths in templates.items()
        }
        for name, named in steps.items():
            if "displayName" in named:
                message = f"{name} is calculated before displayName: name what that is made of"
                spot.report("SPEC055", message, name, "calculated")
        for circle in find_circles(steps):
            journey = " is made of ".join([*circle, circle[0]])
            spot.report("SPEC055", f"{journey}: none could be calculated first", circle[0], "calculated")


def _list_needed(
    fields: tuple[Field, ...], path: tuple[str, ...], paths: Paths
) -> Iterator[tuple[str, tuple[str, ...]]]:
    for field in fields:
        if not field.required:
            continue
        kind, here = field.type, (*path, field.name)
        while kind.kind is Kind.LIST and kind.item and kind.constraints.get("minItems"):
            kind, here = kind.item, (*here, "list")
        if kind.kind is Kind.REFERENCE and kind.target:
            yield kind.target, (*here, "reference")
        elif kind.kind is Kind.OBJECT:
            yield from _list_needed(kind.fields, (*here, "object"), paths)
        elif kind.kind is Kind.STRUCTURE:
            inner = _list_needed(paths.below(kind) or (), (), paths)
            yield from ((target, (*here, "structure")) for target, _path in inner)


def _list_contained(
    fields: tuple[Field, ...], path: tuple[str, ...]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    for field in fields:
        yield from _list_contained_in(field.type, (*path, field.name))


def _list_contained_in(kind: Type, path: tuple[str, ...]) -> Iterator[tuple[str, tuple[str, ...]]]:
    if kind.kind is Kind.STRUCTURE and kind.target:
        yield kind.target, (*path, "structure")
    elif kind.kind is Kind.OBJECT:
        yield from _list_contained(kind.fields, (*path, "object"))
    elif kind.item:
        yield from _list_contained_in(kind.item, (*path, kind.kind.value))


def find_circles(steps: Steps) -> Iterator[list[str]]:
    """Yield one circle for each knot of names, beginning with its first name."""
    reported: set[str] = set()
    for name in sorted(steps):
        if name in reported:
            continue
        circle = _find_way_back(steps, name)
        if circle:
            reported |= set(circle)
            yield circle


def _find_way_back(steps: Steps, start: str) -> list[str]:
    """Find the shortest cycle through a name; empty if there is none."""
    waiting, seen = [[start]], {start}
    for way in waiting:
        for name in steps.get(way[-1], ()):
            if name == start:
                return way
            if name in steps and name not in seen:
                seen.add(name)
                waiting.append([*way, name])
    return []
