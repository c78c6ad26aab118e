"""The ontology: records by what they are connected with, and the edges of one record."""

from typing import Annotated, Literal

from pydantic import Field

from runtime.contract.pages import LimitText, ListParameters, SkipText
from runtime.contract.values import Natural, describe_field
from runtime.model.record import Strict
from runtime.model.scalars import Moment, ObjectIdText

Direction = Literal["out", "in", "both"]
EdgeRule = Literal["field", "inverse", "symmetric", "subPropertyOf", "transitive", "chain"]
PredicateName = Annotated[str, Field(max_length=80, description="Only edges of this predicate.")]


class ConnectedParameters(ListParameters):
    """The query of a list of records by what they are connected with."""

    constraints: Annotated[
        str | None,
        Field(max_length=2048),
        describe_field(
            "Comma-separated pairs `predicate:id`, of a predicate and the id of a destination. Returns "
            "records with an edge to each of them."
        ),
    ] = None


class EdgeParameters(Strict):
    """The query of the edges of one record."""

    skip: SkipText = 0
    limit: LimitText = None
    direction: Annotated[
        Direction,
        Field(description="`out`: edges that lead from the record; `in`: those that lead to it."),
    ] = "both"
    predicate: PredicateName | None = None


class EdgeEnd(Strict):
    """A record at an end of an edge."""

    type: Annotated[str, Field(description="Its record type.")]
    id: Annotated[ObjectIdText, Field(description="Its id.")]
    ref_name: Annotated[str | None, Field(description="Its reference name.")] = None
    display_name: Annotated[str | None, Field(description="Its name for people.")] = None


class Provenance(Strict):
    """Why an edge exists."""

    rule: Annotated[EdgeRule, Field(description="`field`: the source states it; else what it follows by.")]
    of: Annotated[
        list[str], Field(description="The fields that state it, or the predicates it follows from.")
    ]


class EdgeRow(Strict):
    """A connection between two records."""

    source: Annotated[EdgeEnd, Field(description="The record that it leads from.")]
    predicate: Annotated[str, Field(description="How they are connected.")]
    destination: Annotated[EdgeEnd, Field(description="The record that it leads to.")]
    inferred: Annotated[bool, Field(description="Whether it follows from other edges only.")]
    provenance: Annotated[Provenance, Field(description="Why the edge exists.")]
    timestamp: Annotated[Moment, Field(description="When it was created.")]


class EdgePage(Strict):
    """A page of the edges of one record."""

    offset: Annotated[Natural, Field(description="Number of edges before this page.")]
    limit: Annotated[Natural, Field(description="Maximum number of edges in a page.")]
    rows: Annotated[list[EdgeRow], Field(description="The edges, by direction and predicate.")]
    row_count: Annotated[Natural, Field(description="Number of edges in this page.")]
    has_more: Annotated[bool, Field(description="Whether more edges follow.")]
