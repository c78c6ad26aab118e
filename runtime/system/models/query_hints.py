"""QueryHints, from runtime/system/specs/gateway/query_hints.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Strict


class QueryHintsGrammar(Strict):
    """Part of QueryHints."""

    write: Annotated[str, Field(description="The form.")]
    means: Annotated[str, Field(description="What it matches.")]


class QueryHintsExample(Strict):
    """Part of QueryHints."""

    intent: Annotated[str, Field(description="What it asks.")]
    root_type: Annotated[str, Field(description="The record type.")]
    query: Annotated[str, Field(description="The query.")]


class QueryHints(Strict):
    """The language of queries, with examples from the record types that the caller may view."""

    grammar: Annotated[list[QueryHintsGrammar], Field(description="What can be written.")]
    examples: Annotated[list[QueryHintsExample], Field(description="Queries that can be run as they are.")]
    tips: Annotated[list[str], Field(description="Advice.")]
