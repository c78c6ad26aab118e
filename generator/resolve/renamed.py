"""Fields with a former name: what ``renamedFrom`` may say, and what it cannot stand together with."""

from generator.model import Record
from generator.naming import BadName, PythonName
from generator.resolve.context import Spot
from generator.resolve.paths import COMMON_NAMES
from generator.spec import RecordSpec
from runtime.model.paths import top_of


def check_renamed(spot: Spot, spec: RecordSpec, record: Record) -> None:
    """Check the former names of a record's fields. Needs its indexes."""
    taken: dict[str, str] = {}
    unique = {top_of(path) for one in record.indexes if one.unique for path, _way in one.keys}
    for field in record.fields:
        former = field.renamed_from
        if former is None:
            continue
        if wrong := _find_fault(former, spec, taken):
            spot.report("SPEC048", f"renamedFrom {wrong}", field.name, "renamedFrom")
        elif field.name in unique:
            message = (
                f'"{field.name}" cannot be unique while records may hold it as "{former}", which its index '
                "does not look at: drop one of the two"
            )
            spot.report_key("SPEC048", message, field.name, "renamedFrom")
        taken.setdefault(former, field.name)


def _find_fault(former: str, spec: RecordSpec, taken: dict[str, str]) -> str | None:
    if former in spec.fields:
        return f'names the field "{former}", which still exists'
    if former in COMMON_NAMES:
        return f'names "{former}", which every record has'
    if former in taken:
        return f'names "{former}", as "{taken[former]}" does: one field takes its values'
    try:
        PythonName.from_wire(former)
    except BadName as error:
        return f"names no field: {error}"
    return None
