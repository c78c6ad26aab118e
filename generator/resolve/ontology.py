"""Predicates: what they lead from and to exists, their rules fit, and the fields that state them agree."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from generator.model import Field, Kind, Record
from generator.naming import PythonName
from generator.resolve.context import Context, Spot
from generator.spec import Document, FieldSpec, OntologySpec, PredicateSpec
from runtime.model.ontology import Relationship

_FITS = "SPEC093"
_WITHOUT_EFFECT = "SPEC094"


def build_predicates(context: Context, document: Document[OntologySpec]) -> tuple[Relationship, ...]:
    """Resolve the predicates of one file."""
    below = Spot(context, document, ("ontology", "predicates"))
    built = (
        _resolve_predicate(below.within(name), name, spec)
        for name, spec in document.spec.ontology.predicates.items()
    )
    return tuple(one for one in built if one)


def _resolve_predicate(spot: Spot, name: str, spec: PredicateSpec) -> Relationship | None:
    if spot.named(PythonName.from_wire, name, key=True) is None:
        return None
    context = spot.context
    context.claim("the predicate", name, spot.at_key(), rule="SPEC021")
    spot.known("record", spec.domain, context.records, "domain")
    spot.known("record", spec.range, context.records, "range")
    for word, other in (("inverse", spec.inverse), ("subPropertyOf", spec.sub_property_of)):
        if other is not None:
            spot.known("ontology", other, context.predicates, word)
    for position, step in enumerate(spec.chain):
        spot.known("ontology", step, context.predicates, "chain", position)
    _check_inverse(spot, name, spec)
    _check_wider(spot, name, spec)
    _check_chain(spot, name, spec)
    return Relationship(
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


def _show_ends(name: str, spec: PredicateSpec) -> str:
    return f"{name} leads from {spec.domain} to {spec.range}"


def _differ(context: Context, ends: Sequence[str], others: Sequence[str]) -> bool:
    """Return whether ends differ that exist; what does not exist is reported where it is named."""
    return ends != others and context.records.keys() >= {*ends, *others}


def _check_inverse(spot: Spot, name: str, spec: PredicateSpec) -> None:
    for word in ("transitive", "symmetric"):
        if getattr(spec, word) and _differ(spot.context, [spec.domain], [spec.range]):
            message = f"{word} needs the same domain and range, here {spec.domain} and {spec.range}"
            spot.report_key(_FITS, message, word)
    other = spot.context.predicates.get(spec.inverse or "")
    if other and _differ(spot.context, (other.domain, other.range), (spec.range, spec.domain)):
        message = f"{_show_ends(str(spec.inverse), other)}, which is not the way back"
        spot.report(_FITS, message, "inverse")
    elif other and other.inverse not in (None, name):
        spot.report(_FITS, f"{spec.inverse} declares the inverse {other.inverse}", "inverse")


def _check_wider(spot: Spot, name: str, spec: PredicateSpec) -> None:
    """Check that a predicate has the ends of the wider one, and does not follow from itself."""
    known = spot.context.predicates
    wider = known.get(spec.sub_property_of or "")
    if wider is None:
        return
    line = list(_walk_up(name, known))
    if line[-1] == name == min(line):  # once for all that are in the circle
        shown = " → ".join([name, *line])
        message = f"{name} cannot follow from itself ({shown}): remove one subPropertyOf"
        spot.report(_FITS, message, "subPropertyOf")
    elif name not in line and _differ(spot.context, (wider.domain, wider.range), (spec.domain, spec.range)):
        message = f"{_show_ends(str(spec.sub_property_of), wider)}, {_show_ends(name, spec)}: give both the"
        spot.report(_FITS, f"{message} same domain and range", "subPropertyOf")


def _walk_up(name: str, known: Mapping[str, PredicateSpec]) -> Iterator[str]:
    """Yield the wider predicates of one, up to the last or to the first that comes twice."""
    met = {name}
    wider = known[name].sub_property_of
    while wider is not None and wider in known:
        yield wider
        if wider in met:
            return
        met.add(wider)
        wider = known[wider].sub_property_of


def _check_chain(spot: Spot, name: str, spec: PredicateSpec) -> None:
    """Check that each step of a chain begins where the one before it ends."""
    known = spot.context.predicates
    if len(spec.chain) == 1:
        message = f"a chain has two steps or more: write subPropertyOf at {spec.chain[0]}"
        spot.report(_FITS, message, "chain")
        return
    if not spec.chain or any(step not in known for step in spec.chain):
        return
    steps = [known[step] for step in spec.chain]
    for position, (one, following) in enumerate(pairwise(steps), start=1):
        if _differ(spot.context, [one.range], [following.domain]):
            begins = f"{spec.chain[position]} begins at {following.domain}, but {spec.chain[position - 1]}"
            spot.report(_FITS, f"{begins} ends at {one.range}", "chain", position)
    if _differ(spot.context, (steps[0].domain, steps[-1].range), (spec.domain, spec.range)):
        whole = f"the chain leads from {steps[0].domain} to {steps[-1].range}"
        spot.report(_FITS, f"{whole}, {_show_ends(name, spec)}", "chain")


def check_statements(spot: Spot, record: Record, specs: Mapping[str, FieldSpec]) -> None:
    """Check the predicates that reference fields state, and that the ontology routes have edges to show."""
    known = spot.context.predicates
    for path, field in _list_references(record.fields, ()):
        predicate = known.get(field.predicate or "")
        target = field.type.item.target if field.type.item else field.type.target
        ends = (predicate.domain, predicate.range) if predicate else ()
        if predicate and target and _differ(spot.context, ends, (record.name, target)):
            shown = _show_ends(str(field.predicate), predicate)
            message = f"{shown}, this reference from {record.name} to {target}"
            spot.report(_FITS, message, "fields", *path, "predicate")
        if specs[path[0]].hidden or field.hidden:
            message = f"an edge would tell what the field hides: remove hidden, or the predicate of {path[0]}"
            spot.report(_FITS, message, "fields", *path, "predicate")
    is_used = any(record.name in (one.domain, one.range) for one in known.values())
    if record.ontology and not is_used and not spot.context.specs.broken:
        message = f"no predicate leads from or to {record.name}, so its ontology routes would show nothing"
        spot.report_key(_WITHOUT_EFFECT, message, "ontology")


def check_structure_statements(spot: Spot, fields: Mapping[str, FieldSpec]) -> None:
    """Refuse predicates in structures: the records that have one differ, a predicate leads from one type."""
    for name, field in fields.items():
        if field.predicate is not None:
            message = (
                "a structure belongs to records of several types, a predicate leads from one: state it at"
            )
            spot.report_key(_FITS, f"{message} a reference of the record itself", name, "predicate")
        for word, inner in (("list", field.list_), ("map", field.map_)):
            if inner is not None and inner.object_:
                check_structure_statements(spot.within(name, word, "object"), inner.object_)
        if field.object_:
            check_structure_statements(spot.within(name, "object"), field.object_)


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
