"""OntologyEdge, from runtime/system/specs/system/ontology_edge.yaml. Written by the generator; do not edit."""

from typing import Annotated, Literal

from pydantic import Field

from runtime.model.record import Moment, ObjectIdText, RecordInput, Strict


class OntologyEdgeSource(Strict):
    """Part of OntologyEdge."""

    type: Annotated[str | None, Field(description="Its record type.")] = None
    id: Annotated[ObjectIdText | None, Field(description="Its id.")] = None


class OntologyEdgeDestination(Strict):
    """Part of OntologyEdge."""

    type: Annotated[str | None, Field(description="Its record type.")] = None
    id: Annotated[ObjectIdText | None, Field(description="Its id.")] = None


class OntologyEdgeProvenance(Strict):
    """Part of OntologyEdge."""

    rule: Annotated[
        Literal["field", "inverse", "symmetric", "subPropertyOf", "transitive", "chain"] | None,
        Field(description="Why there is the edge."),
    ] = None
    of: Annotated[
        list[str] | None, Field(description="The fields that state it or the predicates it follows from.")
    ] = None


class OntologyEdge(RecordInput):
    """An edge of the ontology: that a record is connected with another, stated by a field or inferred."""

    predicate: Annotated[str, Field(description="How the source is connected with the destination.")]
    source: Annotated[OntologyEdgeSource, Field(description="The record that the edge leads from.")]
    destination: Annotated[OntologyEdgeDestination, Field(description="The record that the edge leads to.")]
    inferred: Annotated[bool, Field(description="Whether it follows from other edges only.")]
    provenance: Annotated[OntologyEdgeProvenance, Field(description="Why there is the edge.")]
    timestamp: Annotated[Moment, Field(description="When it came to be.")]
