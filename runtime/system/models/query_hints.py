"""QueryHints, from runtime/system/specs/gateway/query_hints.yaml. Written by the generator; do not edit."""

from runtime.model.record import Strict


class QueryHintsGrammar(Strict):
    """Part of QueryHints."""

    write: str
    means: str


class QueryHintsExample(Strict):
    """Part of QueryHints."""

    intent: str
    root_type: str
    query: str


class QueryHints(Strict):
    """The language of queries, with examples from the record types that the caller may view."""

    grammar: list[QueryHintsGrammar]
    examples: list[QueryHintsExample]
    tips: list[str]
