"""Records and structures: names and defaults given, fields built, templates and constraints checked."""

import re
from dataclasses import replace
from unicodedata import normalize

from generator.english import article, plural, words
from generator.filters import fixed_problem, hidden_fields_named
from generator.model import Record, Structure
from generator.naming import ClassName, Constant, FileName, PythonName, camel_case, kebab_case
from generator.operations import BY_KEY, NEEDED, STANDARD_OPERATIONS, StandardOperation
from generator.resolve.context import CLASSES_OF_OBJECT, Context, Spot
from generator.resolve.fields import build_nested_fields, build_record_fields, check_values
from generator.resolve.indexes import build_indexes
from generator.resolve.paths import Paths
from generator.resolve.references import check_references
from generator.resolve.renamed import check_renamed
from generator.resolve.roles import known_area, known_roles, stored_area
from generator.resolve.templates import check_calculated_type, check_display, check_template
from generator.resolve.unset import check_required_are_set
from generator.resolve.values import Values
from generator.spec import DECIDING_ROUTES, Document, RecordSpec, StructureSpec
from runtime.model.record_type import Constraint

DEFAULT_ROLES = ("user", "admin")

_PATH = re.compile(r"(?:/[A-Za-z0-9][A-Za-z0-9._~-]*)+")
_COLLECTION = re.compile(r"[a-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)*")
_LONGEST_COLLECTION = 190  # with the name of the database, of 63 bytes, MongoDB takes 255
_CLASSES_OF_RECORD = ("", "Input", "Fields", "Stored", "Row", "Page", "Patch", "Bulk", "BulkSave")


def build_structure(context: Context, document: Document[StructureSpec]) -> Structure | None:
    """Resolve a structure; None if its name is invalid."""
    spot, spec = Spot(context, document), document.spec
    name = spot.named(ClassName, spec.structure, "structure")
    if name is None:
        return None
    _claim_classes(spot, name, f"structure {name}", "structure", CLASSES_OF_OBJECT)
    if not spec.fields:
        spot.report_key("SPEC040", "a structure has at least one field", "fields")
    return Structure(
        name=name,
        file_name=FileName.of(name),
        area=document.area,
        description=spec.description or _describe(name),
        fields=build_nested_fields(
            spot.within("fields"),
            spec.fields,
            name,
            PythonName.from_snake if spec.snake_case else PythonName.from_wire,
        ),
        source=document.source,
        snake_case=spec.snake_case,
        is_system=document.is_system,
    )


def check_structure(
    context: Context, document: Document[StructureSpec], structure: Structure, paths: Paths
) -> None:
    """Check defaults and examples of a structure. Needs all structures."""
    spot = Spot(context, document, ("fields",))
    check_values(spot, document.spec.fields, structure.fields, Values(paths))


def build_record(context: Context, document: Document[RecordSpec]) -> Record | None:
    """Resolve a record without its indexes; None if its name is invalid."""
    spot, spec = Spot(context, document), document.spec
    name = spot.named(ClassName, spec.record, "record")
    if name is None:
        return None
    if (constant := spot.named(Constant.of, name, "record")) is None:
        return None
    _claim_names(spot, name, constant)
    former = _resolve_former_name(spot, spec)
    area = known_area(spot, spec.area)
    many = _resolve_plural(spot, spec, name, has_names=bool(spec.path and (spec.collection or former)))
    return Record(
        name=name,
        constant=constant,
        file_name=FileName.of(name),
        area=stored_area(spot, area),
        domain=camel_case(former or name),
        plural=many,
        description=spec.description or _describe(name),
        path=_resolve_path(spot, spec, f"/{area}/{kebab_case(many)}"),
        collection=_resolve_collection(spot, spec, camel_case(_name_many(former) if former else many)),
        source=document.source,
        fields=build_record_fields(spot.within("fields"), spec.fields, name),
        operations=_list_operations(spot, spec),
        roles=known_roles(spot.within("roles"), spec.roles) if spec.roles is not None else DEFAULT_ROLES,
        display=spec.display,
        audited=spec.audited,
        persistent_events=spec.persistent_events,
        changes=spec.changes,
        lenient=spec.validation == "lenient",
        on_delete=spec.on_delete,
        dynamic_attributes=spec.dynamic_attributes,
        ontology=spec.ontology,
        constraints=tuple(Constraint(one.when, one.message) for one in spec.constraints),
        renamed_from=former,
        is_system=document.is_system,
    )


def _name_many(name: str) -> str:
    return plural(" ".join(words(name)))


def _resolve_former_name(spot: Spot, spec: RecordSpec) -> str | None:
    """Return the name under which records of the type are stored; report one that another type has."""
    former = spec.renamed_from
    if former is None:
        return None
    if former in spot.context.records:
        message = f'renamedFrom names the record "{former}", which still exists'
        spot.report("SPEC048", message, "renamedFrom")
        return None
    spot.context.claim("the former name", former, spot.at("renamedFrom"), f"record {spec.record}", "SPEC048")
    return former if spot.named(ClassName, former, "renamedFrom") else None


def _claim_names(spot: Spot, name: str, constant: str) -> None:
    if not _claim_classes(spot, name, f"record {name}", "record", _CLASSES_OF_RECORD):
        spot.context.clashing.add(name)
    else:
        spot.context.claim("the constant", constant, spot.at("record"), f"record {name}")
    if spot.document.lacks(*DECIDING_ROUTES):
        spot.context.clashing.add(name)  # what they would be called cannot be known


def check_record(context: Context, document: Document[RecordSpec], record: Record, paths: Paths) -> Record:
    """Add the indexes and check values, templates and constraints. Needs all structures."""
    spot, spec = Spot(context, document), document.spec
    check_values(spot.within("fields"), spec.fields, record.fields, Values(paths, stored=True))
    if spec.display is not None:
        check_display(spot, spec.display, record, paths)
    for field in record.fields:
        below = spot.within("fields", field.name)
        if field.calculated == "":
            below.report(
                "SPEC052", "calculated is empty: write a template or the name of an expression", "calculated"
            )
        if field.calculated and "{" in field.calculated:
            check_template(below, field.calculated, record, paths, "calculated")
            check_calculated_type(below, field)
    record = replace(record, indexes=build_indexes(spot, spec, record, paths))
    check_renamed(spot, spec, record, paths.structures)
    check_references(spot.within("fields"), record.fields, paths)
    check_required_are_set(spot.within("fields"), record)
    for index, constraint in enumerate(record.constraints):
        _check_constraint(spot.within("constraints", index), constraint, record)
    return record


def _check_constraint(spot: Spot, constraint: Constraint, record: Record) -> None:
    if not constraint.message.strip():
        spot.report("SPEC014", "message is empty: say what a record has to be like", "message")
    if wrong := fixed_problem(constraint.when):
        spot.report("SPEC080", wrong, "when")
        return
    if wrong := spot.context.filter_problem(constraint.when, record):
        spot.report("SPEC080", f"the filter does not compile: {wrong}", "when")
        return
    for path in hidden_fields_named(constraint.when, record):
        message = f'a constraint is checked on what the store shows, and "{path}" is hidden'
        spot.report("SPEC054", message, "when")


def _claim_classes(spot: Spot, name: str, what: str, word: str, suffixes: tuple[str, ...]) -> bool:
    find = spot.at(word)
    advice = f": choose another name, such as {name}Profile"
    is_free = all(
        spot.context.claim("the class", name + suffix, find, what, advice=advice) for suffix in suffixes
    )
    return is_free and spot.context.claim("the module", f"{FileName.of(name)}.py", find, what)


def _describe(name: str) -> str:
    phrase = " ".join(words(name))
    return f"{article(phrase).capitalize()} {phrase}."


def _resolve_path(spot: Spot, spec: RecordSpec, default: str) -> str:
    if spec.path is None:
        return default
    if not _PATH.fullmatch(spec.path):
        message = (
            f'"{spec.path}" is not a valid path: write segments such as {default}, without a slash at the end'
        )
        spot.report("SPEC024", message, "path")
        return default
    return spec.path


def _resolve_plural(spot: Spot, spec: RecordSpec, name: ClassName, has_names: bool) -> str:
    """Return the plural; report one that no path or collection can be named after, where it has to be."""
    if spec.plural is None or has_names:
        return spec.plural or _name_many(name)
    if any(one.isalnum() and not one.isascii() for one in normalize("NFC", spec.plural)):
        wrong = "it has letters beyond A to Z, so write path and collection"
    elif not _COLLECTION.fullmatch(camel_case(spec.plural)):
        wrong = "begin with a letter A to Z, or write path and collection"
    else:
        return spec.plural
    spot.report("SPEC020", f'"{spec.plural}" cannot name a collection: {wrong}', "plural")
    return _name_many(name)


def _resolve_collection(spot: Spot, spec: RecordSpec, default: str) -> str:
    name = spec.collection or default
    if not _COLLECTION.fullmatch(name):
        spot.report(
            "SPEC025",
            f'"{name}" is not a valid collection name: write camelCase letters and digits',
            "collection",
        )
    if len(name) > _LONGEST_COLLECTION:
        message = f'"{name[:20]}…" has {len(name)} characters: {_LONGEST_COLLECTION} are the most'
        spot.report("SPEC025", message, "collection")
    if spec.record not in spot.context.clashing:
        find = spot.at("collection" if spec.collection else "record")
        spot.context.claim("the collection", name, find, f"record {spec.record}", "SPEC025")
    return name


def _list_operations(spot: Spot, spec: RecordSpec) -> tuple[StandardOperation, ...]:
    met = {
        "": True,
        "revisions": spec.audited,
        "states": any(field.states is not None for field in spec.fields.values()),
        "archive": spec.on_delete == "archive",
        "ontology": spec.ontology,
        "changes": spec.changes,
    }
    offered = tuple(row for row in STANDARD_OPERATIONS if met[row.only_with])
    if spec.endpoints is None:
        return offered
    below = spot.within("endpoints")
    for index, key in enumerate(spec.endpoints):
        if key in spec.endpoints[:index]:
            below.report("SPEC021", f'"{key}" is listed twice', index)
        elif below.known("operation", key, BY_KEY, index) and BY_KEY[key] not in offered:
            message = f'"{key}" is an operation of records with {NEEDED[BY_KEY[key].only_with]}'
            below.report("SPEC038", message, index)
    return tuple(row for row in offered if row.key in spec.endpoints)
