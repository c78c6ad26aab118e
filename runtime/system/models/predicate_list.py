"""PredicateList, from runtime/system/specs/gateway/predicate_list.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Strict


class PredicateListPredicate(Strict):
    """Part of PredicateList."""

    name: Annotated[str, Field(description="The name, as filters take it.")]
    domain: Annotated[str, Field(description="The record type that it leads from.")]
    range: Annotated[str, Field(description="The record type that it leads to.")]
    inverse: Annotated[str | None, Field(description="The predicate of the opposite direction.")] = None
    transitive: Annotated[bool, Field(description="Whether a→b and b→c give a→c.")]
    symmetric: Annotated[bool, Field(description="Whether a→b gives b→a.")]
    sub_property_of: Annotated[str | None, Field(description="A wider predicate that follows from it.")] = (
        None
    )
    chain: Annotated[
        list[str] | None, Field(description="Predicates that, walked in order, give this one.")
    ] = None
    description: Annotated[str | None, Field(description="What it means.")] = None


class PredicateList(Strict):
    """Predicates of the ontology, between record types that the caller may view."""

    predicates: Annotated[list[PredicateListPredicate], Field(description="Sorted by name.")]
