"""``Specs`` → ``Model``. The only stage that can fail, and it fails once, with all problems of all files.

First the declared names, so that the order of files means nothing; then graphs, structures and records;
then what refers to them. A broken part is reported and omitted; references to it are not reported as well.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TypeVar

from generator.cache import TextCache
from generator.filters import filter_problem
from generator.model import Endpoint, Graph, Model, Record, Structure
from generator.problems import Place, ProblemList
from generator.resolve.breaking import build_declarations
from generator.resolve.context import CheckFilter, Context, Spot
from generator.resolve.cycles import check_calculated, check_required_references, cut_structures
from generator.resolve.declared import declare_names, without
from generator.resolve.endpoints import build_endpoints
from generator.resolve.graphs import build_graph
from generator.resolve.imports import build_profile
from generator.resolve.known_records import KnownRecords, NameTakenError
from generator.resolve.misnamed import check_misnamed
from generator.resolve.misspelt import blame_declarations
from generator.resolve.ontology import build_predicates, check_structure_statements
from generator.resolve.paths import Paths
from generator.resolve.permissions import Subjects, build_rules
from generator.resolve.record_types import resolve_records
from generator.resolve.records import build_structure, check_structure
from generator.resolve.routes import claim_record_routes
from generator.resolve.seeds import build_seeds
from generator.resolve.service import build_areas, check_service
from generator.resolve.tools import Targets, build_tools
from generator.resolve.values import Values
from generator.spec import Document, RecordSpec, Spec, Specs

SpecT = TypeVar("SpecT", bound=Spec)
PartT = TypeVar("PartT")


def resolve(
    specs: Specs, check_filter: CheckFilter = filter_problem, texts: TextCache | None = None
) -> Model:
    """Build the model. Raises ``ProblemList`` with the problems of ``load`` and its own.

    ``check_filter`` returns what is wrong with a filter over a record (constraints, rules, tools), or None;
    by default it is the engine that will run the filter. ``texts``: where the record types
    are that an earlier run has resolved.
    """
    try:
        return _resolve(specs, check_filter, texts)
    except NameTakenError:
        return _resolve(specs, check_filter, None)


def _resolve(specs: Specs, check_filter: CheckFilter, texts: TextCache | None) -> Model:
    context = Context(specs, check_filter, problems=list(specs.problems))
    twice = declare_names(context)
    graphs = _built(context, context.graphs, build_graph)
    context.graphs = without(twice["stateGraph"], context.graphs)
    built = _built(context, context.structures, build_structure)
    structures = cut_structures(context, without(twice["structure"], built))
    context.built_structures = structures
    paths = Paths(structures, context.unsure)
    for name, structure in built.items():
        declared = context.structures[name]
        check_structure(context, declared, structure, paths)
        check_structure_statements(Spot(context, declared, ("fields",)), declared.spec.fields)
    known = KnownRecords.of(context, texts) if texts else None
    records = resolve_records(context, paths, known)
    for name, record in records.items():
        claim_record_routes(context, record, partial(_find_path, context.records[name]))
    check_misnamed(context, built, records)
    records = without(twice["record"], records)
    endpoints = build_endpoints(context, specs.endpoints, structures, Values(paths))
    check_required_references(context, records.values(), paths)
    check_calculated(context, records.values())
    context.check_constants()
    model = _build_model(context, graphs, structures, records, endpoints, paths)
    if context.problems:
        blame_declarations(context, records, structures)
        raise ProblemList(context.problems)
    return replace(model, digests=known.list_digests()) if known else model


def _find_path(document: Document[RecordSpec]) -> Place:
    """Find where the path of a record is declared, or the record that has the usual one."""
    return document.at.value("path" if document.spec.path else "record")


def _built(
    context: Context,
    documents: Mapping[str, Document[SpecT]],
    build: Callable[[Context, Document[SpecT]], PartT | None],
) -> dict[str, PartT]:
    built = ((name, build(context, document)) for name, document in documents.items())
    return {name: part for name, part in built if part is not None}


def _build_model(
    context: Context,
    graphs: Mapping[str, Graph],
    structures: Mapping[str, Structure],
    records: Mapping[str, Record],
    endpoints: tuple[Endpoint, ...],
    paths: Paths,
) -> Model:
    specs = context.specs
    in_areas = [one for name, one in records.items() if "area" not in context.records[name].omitted_words]
    subjects = Subjects.of(in_areas, endpoints)
    named = {one.operation_id: one for one in endpoints}
    targets = Targets(records, named, structures, Values(paths))
    used = {one.area for one in records.values()} | {one.area for one in endpoints}
    areas = [one.area for one in graphs.values()] + [one.area for one in structures.values()]
    used |= {context.former_areas.get(area, area) for area in areas}
    if specs.service is not None:
        check_service(context, specs.service, used)
    service = specs.about_service
    profiles = (build_profile(context, one, records, paths) for one in specs.import_profiles)
    return Model(
        title=service.title,
        version=service.version,
        description=service.description,
        roles=tuple(sorted(context.roles)),
        areas=build_areas(specs.system, service, used),
        records=_sort(records),
        graphs=_sort(graphs),
        structures=_sort(structures),
        endpoints=endpoints,
        tools=tuple(tool for one in specs.tools for tool in build_tools(context, one, targets)),
        rules=tuple(rule for one in specs.rules for rule in build_rules(context, one, subjects, paths)),
        import_profiles=tuple(profile for profile in profiles if profile),
        seeds=build_seeds(context, records, paths),
        predicates=tuple(found for one in specs.ontologies for found in build_predicates(context, one)),
        settings=dict(service.settings),
        breaking=tuple(build_declarations(context, specs.breaking)),
        more_info=service.more_info,
        warnings=tuple(sorted(context.warnings)),
    )


def _sort(parts: Mapping[str, PartT]) -> tuple[PartT, ...]:
    return tuple(parts[name] for name in sorted(parts))
