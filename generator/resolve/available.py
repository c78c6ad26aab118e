"""Words whose part of the runtime does not exist yet: refused, so that none is without effect."""

from collections.abc import Set

from generator.resolve.context import Context, Spot
from generator.spec import Fields

LATER_WORDS = frozenset({"ontology", "predicate"})
"""Kinds of files, words of a record and words of a field that are checked, but not served."""


def check_available(context: Context, later: Set[str]) -> None:
    """Report each use of the words in ``later``."""
    for document in context.specs.ontologies if "ontology" in later else ():
        _report(Spot(context, document), "ontology")
    for record in context.specs.records:
        if record.spec.has("ontology") and "ontology" in later:
            _report(Spot(context, record), "ontology")
        _check_fields(Spot(context, record, ("fields",)), record.spec.fields, later)
    for structure in context.specs.structures:
        _check_fields(Spot(context, structure, ("fields",)), structure.spec.fields, later)


def _check_fields(spot: Spot, fields: Fields, later: Set[str]) -> None:
    for name, field in fields.items():
        if field.predicate is not None and "predicate" in later:
            _report(spot.within(name), "predicate")
        for word, inner in (("list", field.list_), ("map", field.map_)):
            if inner is not None and inner.object_:
                _check_fields(spot.within(name, word, "object"), inner.object_, later)
        if field.object_:
            _check_fields(spot.within(name, "object"), field.object_, later)


def _report(spot: Spot, word: str) -> None:
    message = f'"{word}" is not available yet, and would have no effect: remove it'
    spot.report_key("SPEC019", message, word)
