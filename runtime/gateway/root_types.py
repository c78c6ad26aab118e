"""The record types that the gateway offers: those with routes, as far as the caller may view them."""

from typing import Any

from runtime.access.guard import find_access
from runtime.call import Call
from runtime.errors import NotFound
from runtime.model.nearest import hint
from runtime.model.record_type import RecordType
from runtime.storage.access import Action


def find_root_type(call: Call, name: str, *operations: str) -> RecordType[Any]:
    """Find a record type by its name, or its area and name.

    ``operations``: standard operations, of which it must offer one. Raises ``NotFound`` with the nearest
    names; a type without routes is unknown.
    """
    kinds = call.service.catalog.offered
    simple = name.rpartition(".")[2]
    kind = kinds.get(simple)
    if kind is None or name not in (simple, f"{kind.area}.{simple}"):
        raise NotFound(f"no record type {name[:200]}{hint(simple, kinds)}")
    if operations and kind.operations.isdisjoint(operations):
        raise NotFound(
            f"{kind.shown_name} does not offer this: its operations are {', '.join(sorted(kind.operations))}"
        )
    return kind


def list_visible_types(call: Call) -> list[RecordType[Any]]:
    """List the record types with routes that the caller may view, by area and name."""
    kinds = [kind for kind in call.service.catalog if kind.operations and may_view(call, kind)]
    return sorted(kinds, key=lambda kind: (kind.area, kind.shown_name))


def may_view(call: Call, kind: RecordType[Any]) -> bool:
    """Return whether the caller may view any records of a type."""
    return find_access(call, kind, Action.VIEW) is not None


def describe_root_type(kind: RecordType[Any]) -> dict[str, str]:
    """Describe a record type for the list of root types."""
    return {
        "className": kind.qualified_name,
        "simpleName": kind.shown_name,
        "collectionName": kind.collection,
        "path": kind.base_path,
    }
