"""Former names, of fields and of states: what ``renamedFrom`` may say, and what contradicts it."""

from collections.abc import Mapping

from generator.model import Field, Record, Structure, walk_fields
from generator.naming import BadName, PythonName
from generator.resolve.context import Spot
from generator.resolve.paths import COMMON_NAMES
from generator.spec import Fields, RecordSpec, StateSpec
from runtime.filter import split_marks
from runtime.model.paths import top_of


def check_renamed(spot: Spot, spec: RecordSpec, record: Record, structures: Mapping[str, Structure]) -> None:
    """Check the former names of a record's fields. Needs its indexes."""
    fields = spot.within("fields")
    check_former_names(fields, spec.fields, frozenset(COMMON_NAMES))
    unique = {top_of(path) for one in record.indexes if one.unique for path, _way in one.keys}
    for field in record.fields:
        if field.renamed_from is not None and field.name in unique:
            fields.report_key("SPEC048", _refuse_unique(field), field.name, "renamedFrom")
    walked = walk_fields(record.fields, structures)
    members = [
        (_list_steps(path), field) for path, field, _kind in walked if "." in path and field.renamed_from
    ]
    for position, one in enumerate(spec.indexes):
        for at, name in enumerate(one.fields if one.unique else ()):
            steps = split_marks(name.removeprefix("-"))[0].split(".")
            for field in (field for place, field in members if _is_around(place, steps)):
                spot.report("SPEC048", _refuse_unique(field), "indexes", position, "fields", at)


def _list_steps(path: str) -> list[str]:
    return path.replace("[]", "").replace("{}", ".{}").split(".")


def _is_around(place: list[str], steps: list[str]) -> bool:
    """Return whether a field is on the way to another, of which a step may be the key of a map."""
    return len(place) <= len(steps) and all(
        one in ("{}", step) for one, step in zip(place, steps, strict=False)
    )


def _refuse_unique(field: Field) -> str:
    return (
        f'"{field.name}" cannot be unique while records may hold it as "{field.renamed_from}", which '
        "its index does not look at: rename it in one release, run `recordsmith migrate run`, and "
        "make it unique, without renamedFrom, in the next"
    )


def check_former_names(spot: Spot, specs: Fields, common: frozenset[str] = frozenset()) -> None:
    """Check the former names of the fields of one object; ``common``: names that it has besides."""
    taken: dict[str, str] = {}
    for name, spec in specs.items():
        former = spec.renamed_from
        if former is None:
            continue
        if wrong := _find_fault(former, specs, common, taken):
            spot.report("SPEC048", f"renamedFrom {wrong}", name, "renamedFrom")
        taken.setdefault(former, name)


def _find_fault(former: str, specs: Fields, common: frozenset[str], taken: Mapping[str, str]) -> str | None:
    if former in specs:
        return f'names the field "{former}", which still exists'
    if former in common:
        return f'names "{former}", which every record has'
    if former in taken:
        return f'names "{former}", as "{taken[former]}" does: one field takes its values'
    try:
        PythonName.from_wire(former)
    except BadName as error:
        return f"names no field: {error}"
    return None


def check_former_states(spot: Spot, states: Mapping[str, StateSpec]) -> None:
    """Check the former names of the states of a graph."""
    taken: dict[str, str] = {}
    for name, spec in states.items():
        former = spec.renamed_from
        if former is None:
            continue
        if former in states:
            message = f'renamedFrom names the state "{former}", which still exists'
            spot.report("SPEC048", message, name, "renamedFrom")
        elif former in taken:
            message = f'renamedFrom names "{former}", as {taken[former]} does: one state takes its records'
            spot.report("SPEC048", message, name, "renamedFrom")
        taken.setdefault(former, name)
