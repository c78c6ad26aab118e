"""Required fields that nobody sets: callers cannot send them, and the service has no value for them."""

from generator.model import Field, Record
from generator.resolve.context import Spot
from generator.resolve.graphs import find_start, list_choices

_CREATING = frozenset({"save", "bulk", "import", "importSession", "importProfileSession"})
"""The operations by which callers create records."""


def check_required_are_set(spot: Spot, record: Record) -> None:
    """Report fields that answers promise and that a record which a caller creates would lack.

    Records of a type without such operations are created by the service's own code, which sets the fields.
    """
    if _CREATING.isdisjoint(row.key for row in record.operations) or spot.document.lacks("endpoints"):
        return
    for field in record.fields:
        if field.required and field.is_made_by_server and not field.calculated and field.default is None:
            message = f"{field.name} is required, but callers cannot send it{_advise(spot, field)}"
            spot.within(field.name).report_key("SPEC048", message, "required")


def _advise(spot: Spot, field: Field) -> str:
    """Say what to write; the default of a state is that of its graph."""
    if choices := list_choices(spot.context, field.type):
        return f": drop required, and write default: {' or '.join(choices)} at the state graph"
    if start := find_start(spot.context, field.type):
        return f": drop required, and new records are {start} by the state graph"
    return " and nothing sets it: write calculated, or default in place of required, or drop required"
