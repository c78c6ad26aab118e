"""PredicateList, from runtime/system/specs/gateway/predicate_list.yaml. Written by the generator; do not edit."""

from runtime.model.record import Strict


class PredicateListPredicate(Strict):
    """Part of PredicateList."""

    name: str
    domain: str
    range: str
    inverse: str | None = None
    transitive: bool
    symmetric: bool
    sub_property_of: str | None = None
    chain: list[str] | None = None
    description: str | None = None


class PredicateList(Strict):
    """Predicates of the ontology, between record types that the caller may view."""

    predicates: list[PredicateListPredicate]
