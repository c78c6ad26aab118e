"""What matters in the definition of an index, as it is planned and as MongoDB reports it. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

TENANT: Final = "dataDomain.tenantId"


def name_of(keys: Sequence[tuple[str, int]]) -> str:
    """Name an index, as in ``tenant_status_departsAt-_id-``, with a minus behind what descends."""
    steps = [f"{path.lstrip('_')}{'' if direction > 0 else '-'}" for path, direction in keys]
    return "_".join(steps).replace(TENANT, "tenant")


def place_of(definition: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return what one index of a collection alone can have: its keys, and the order of their texts."""
    keys = dict(definition["key"])
    if "text" in keys.values():
        return ("text",)
    collation = definition.get("collation", {})
    return tuple(keys.items()), *(collation.get(word) for word in ("locale", "strength", "caseFirst"))


def essence_of(definition: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return what distinguishes two index definitions; its place comes first, which one index alone can have.

    A collection has one text index at most, whatever its fields.
    """
    keys = dict(definition["key"])
    place = place_of(definition)
    fields = sorted(definition.get("weights", keys)) if place == ("text",) else []
    options = (definition.get(word) for word in ("partialFilterExpression", "expireAfterSeconds"))
    return place, fields, bool(definition.get("unique")), *options
