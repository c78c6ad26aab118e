"""Predicates: what they lead from and to exists, and the reference fields that state them agree."""

from collections.abc import Iterator

from generator.model import Field, Kind, Predicate, Record
from generator.naming import PythonName
from generator.resolve.context import Context, Spot
from generator.spec import Document, OntologySpec, PredicateSpec


def build_predicates(context: Context, document: Document[OntologySpec]) -> tuple[Predicate, ...]:
    """Resolve the predicates of one file."""
    below = Spot(context, document, ("ontology", "predicates"))
    built = (
        _resolve_predicate(below.within(name), name, spec)
        for name, spec in document.spec.ontology.predicates.items()
    )
    return tuple(one for one in built if one)


def _resolve_predicate(spot: Spot, name: str, spec: PredicateSpec) -> Predicate | None:
    if spot.named(PythonName.from_wire, name, key=True) is None:
        return None
    context = spot.context
    context.claim("the predicate", name, spot.key_place(), rule="SPEC021")
    spot.known("record", spec.domain, context.records, "domain")
    spot.known("record", spec.range, context.records, "range")
    for word, other in (("inverse", spec.inverse), ("subPropertyOf", spec.sub_property_of)):
        if other is not None:
            spot.known("ontology", other, context.predicates, word)
    for position, step in enumerate(spec.chain):
        spot.known("ontology", step, context.predicates, "chain", position)
    _check(spot, name, spec)
    return Predicate(
        name=name,
        domain=spec.domain,
        range=spec.range,
        inverse=spec.inverse,
        transitive=spec.transitive,
        symmetric=spec.symmetric,
        sub_property_of=spec.sub_property_of,
        chain=tuple(spec.chain),
        description=spec.description,
    )


def _check(spot: Spot, name: str, spec: PredicateSpec) -> None:
    for word in ("transitive", "symmetric"):
        if getattr(spec, word) and spec.domain != spec.range:
            message = f"{word} needs the same domain and range, here {spec.domain} and {spec.range}"
            spot.report_key("SPEC093", message, word)
    other = spot.context.predicates.get(spec.inverse or "")
    if other and (other.domain, other.range) != (spec.range, spec.domain):
        message = f"{spec.inverse} leads from {other.domain} to {other.range}, which is not the way back"
        spot.report("SPEC093", message, "inverse")
    elif other and other.inverse not in (None, name):
        spot.report("SPEC093", f"{spec.inverse} declares the inverse {other.inverse}", "inverse")
    if spec.sub_property_of == name:
        spot.report("SPEC093", f"{name} cannot follow from itself", "subPropertyOf")


def check_statements(spot: Spot, record: Record) -> None:
    """Derive predicates from reference fields: from this record to that target."""
    for path, field in _list_references(record.fields, ()):
        predicate = spot.context.predicates.get(field.predicate or "")
        target = field.type.item.target if field.type.item else field.type.target
        if predicate and (predicate.domain, predicate.range) != (record.name, target):
            message = (
                f"{field.predicate} leads from {predicate.domain} to {predicate.range}, "
                f"this reference from {record.name} to {target}"
            )
            spot.report("SPEC093", message, "fields", *path, "predicate")


def _list_references(
    fields: tuple[Field, ...], path: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], Field]]:
    for field in fields:
        here = (*path, field.name)
        kind = field.type
        if field.predicate:
            yield here, field
        elif kind.kind is Kind.OBJECT:
            yield from _list_references(kind.fields, (*here, "object"))
        elif kind.item and kind.item.kind is Kind.OBJECT:
            yield from _list_references(kind.item.fields, (*here, kind.kind.value, "object"))
