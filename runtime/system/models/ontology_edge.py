"""OntologyEdge, from runtime/system/specs/system/ontology_edge.yaml. Written by the generator; do not edit."""

from typing import Literal

from runtime.model.record import Moment, ObjectIdText, RecordInput, Strict


class OntologyEdgeSource(Strict):
    """Part of OntologyEdge."""

    type: str | None = None
    id: ObjectIdText | None = None


class OntologyEdgeDestination(Strict):
    """Part of OntologyEdge."""

    type: str | None = None
    id: ObjectIdText | None = None


class OntologyEdgeProvenance(Strict):
    """Part of OntologyEdge."""

    rule: Literal["field", "inverse", "symmetric", "subPropertyOf", "transitive", "chain"] | None = None
    of: list[str] | None = None


class OntologyEdge(RecordInput):
    """An edge of the ontology: that a record is connected with another, stated by a field or inferred."""

    predicate: str
    source: OntologyEdgeSource
    destination: OntologyEdgeDestination
    inferred: bool
    provenance: OntologyEdgeProvenance
    timestamp: Moment
