"""Record types that refer to each other in every way a reference can: ``DEPOT`` is tracked by ``CRATE``.

A crate names depots at the top, in a list, in an object and in a list in a list; its maker is not tracked.
Its display name and its label are made of the names it copies. ``ROUTE`` tracks crates, so that a new
name goes on from depot to crate to route; callers know it as a tour. ``VAULT`` is archived when it is deleted.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bson import ObjectId

from runtime.model.record import EntityReference, Strict
from runtime.model.record_type import Reference
from tests.kinds import kind_of

Document = dict[str, Any]


class Leg(Strict):
    stops: list[EntityReference] | None = None


class Home(Strict):
    depot: EntityReference | None = None


class DepotFields(Strict):
    town: str | None = None
    parent: EntityReference | None = None


class CrateFields(Strict):
    code: str | None = None
    depot: EntityReference | None = None
    others: list[EntityReference] | None = None
    home: Home | None = None
    legs: list[Leg] | None = None
    maker: EntityReference | None = None
    vault: EntityReference | None = None
    label: str | None = None


class RouteFields(Strict):
    crates: list[EntityReference] | None = None


DEPOT = kind_of(
    "Depot", "yard", DepotFields, display="{town}", references=(Reference("parent", "Depot", track=True),)
)
CRATE = kind_of(
    "Crate",
    "yard",
    CrateFields,
    display="{code} at {depot.entityDisplayName}",
    calculated={"label": "{depot.entityRefName}/{code}"},
    references=(
        Reference("depot", "Depot", track=True),
        Reference("others[]", "Depot", track=True),
        Reference("home.depot", "Depot", track=True),
        Reference("legs[].stops[]", "Depot", track=True),
        Reference("maker", "Depot"),
        Reference("vault", "Vault", track=True),
    ),
)
ROUTE = kind_of(
    "Route", "yard", RouteFields, references=(Reference("crates[]", "Crate", track=True),), title="Tour"
)
VAULT = kind_of("Vault", "yard", on_delete="archive")

YARD = (DEPOT, CRATE, ROUTE, VAULT)

PLACES: Mapping[str, Any] = {
    "depot": lambda target: {"depot": target},
    "others[]": lambda target: {"others": [target]},
    "home.depot": lambda target: {"home": {"depot": target}},
    "legs[].stops[]": lambda target: {"legs": [{}, {"stops": [target]}]},
}
"""Path of a tracked reference of a crate → a crate that has only this one."""


def to(record_id: Any) -> Document:
    """A reference as sent."""
    return {"entityId": str(record_id)}


def absent() -> Document:
    """A reference to nothing."""
    return to(ObjectId())
