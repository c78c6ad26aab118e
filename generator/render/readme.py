"""The context of ``generated/README.md``: records with their sources, and pictures in Mermaid."""

from collections.abc import Iterator
from dataclasses import dataclass

from generator.model import Graph, Kind, Model, Record, Type
from generator.render.record_types import references_of
from runtime.model.ontology import Relationship


@dataclass(frozen=True, slots=True)
class Picture:
    """A Mermaid diagram: its kind and its lines, below a title."""

    title: str
    description: str
    kind: str
    lines: list[str]


@dataclass(frozen=True, slots=True)
class Readme:
    """``records``, ``endpoints`` and ``predicates`` are the rows of tables."""

    title: str
    description: str
    records: list[str]
    endpoints: list[str]
    diagram: list[str]
    pictures: list[Picture]
    predicates: list[str]


def readme(model: Model) -> Readme:
    """Build the page of a model."""
    return Readme(
        title=f"{model.title} {model.version}",
        description=model.description,
        records=[_record_row(record) for record in model.records],
        endpoints=[
            _row(
                one.method.upper(),
                f"`{one.path}`",
                one.summary,
                f"`{one.handler_module}:{one.handler_function}`",
            )
            for one in model.endpoints
        ],
        diagram=[line for record in model.records for line in _render_entity(record)]
        + list(_render_links(model)),
        pictures=[*map(_draw_graph, model.graphs), *_draw_ontology(model)],
        predicates=[_predicate_row(one) for one in model.predicates],
    )


def _record_row(record: Record) -> str:
    operations = ", ".join(row.key for row in record.operations) or "none"
    name = str(record.name) if record.is_system else f"[{record.name}](models/{record.file_name}.py)"
    return _row(name, record.source, f"`{record.path}`", operations)


def _row(*cells: str) -> str:
    return " | ".join(" ".join(cell.split()).replace("|", "\\|") for cell in cells)


def _render_entity(record: Record) -> Iterator[str]:
    """Render an entity with its own fields; references become lines to other entities."""
    fields = [field for field in record.fields if field.type.kind is not Kind.REFERENCE]
    if not fields:
        yield record.name
        return
    yield f"{record.name} {{"
    for field in fields:
        yield f"    {_type_name(field.type)} {field.name}{' UK' if field.unique else ''}"
    yield "}"


def _type_name(kind: Type) -> str:
    if kind.item is not None:
        return f"{kind.kind.value}_of_{_type_name(kind.item)}"
    return str(kind.class_name or kind.target or kind.kind.value)


def _render_links(model: Model) -> Iterator[str]:
    structures = {str(one.name): one for one in model.structures}
    for record in model.records:
        for path, field, target in references_of(record.fields, structures):
            left = "}|" if "[]" in path and field.required else "}o"
            right = "||" if field.required else "o|"
            said = f"{path}, tracked" if field.track else path
            yield f'{record.name} {left}--{right} {target} : "{said}"'


def _draw_ontology(model: Model) -> Iterator[Picture]:
    """Draw record types and the predicates between them, if there are any."""
    if not model.predicates:
        return
    structures = {str(one.name): one for one in model.structures}
    stated = {
        field.predicate
        for record in model.records
        for _path, field, _target in references_of(record.fields, structures)
    }
    lines = [
        f'{one.domain} {"-->" if one.name in stated else "-.->"}|"{one.name}"| {one.range}'
        for one in model.predicates
    ]
    said = "How records are connected. A dotted predicate is stated by no field: it follows from others."
    yield Picture("Ontology", said, "flowchart LR", lines)


def _predicate_row(one: Relationship) -> str:
    said = [
        f"the way back is `{one.inverse}`" if one.inverse else "",
        "transitive" if one.transitive else "",
        "symmetric" if one.symmetric else "",
        f"implies `{one.sub_property_of}`" if one.sub_property_of else "",
        "follows from " + " then ".join(f"`{step}`" for step in one.chain) if one.chain else "",
    ]
    ends = f"{one.domain} → {one.range}"
    return _row(f"`{one.name}`", ends, "; ".join(filter(None, said)), one.description or "")


def _draw_graph(graph: Graph) -> Picture:
    states = graph.states.items()
    lines = [
        f"[*] --> {name}{' : default' if name == graph.default else ''}"
        for name, state in states
        if state.initial
    ]
    lines += [f"{name} --> {target}" for name, state in states for target in state.next]
    lines += [f"{name} --> [*]" for name, state in states if state.final]
    said = graph.description or "Where a record may start and go."
    described = f"{said} From {graph.source}."
    return Picture(f"State graph {graph.name}", described, "stateDiagram-v2", lines)
