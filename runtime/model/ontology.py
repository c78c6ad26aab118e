"""A relationship of the ontology, as the specifications declare it."""

from dataclasses import dataclass
from typing import Final

ONTOLOGY_TOOLS: Final = frozenset({"query_relationships", "query_predicates"})
"""The tools of the service that need the ontology."""


@dataclass(frozen=True, slots=True)
class Relationship:
    """What a predicate means: from records of which type it leads to which, and what follows from it.

    ``inverse``: the name of the way back. ``sub_property_of``: the wider relationship that follows.
    ``chain``: the relationships that, walked in order, give this one.
    """

    name: str
    domain: str
    range: str
    inverse: str | None = None
    transitive: bool = False
    symmetric: bool = False
    sub_property_of: str | None = None
    chain: tuple[str, ...] = ()
    description: str | None = None
