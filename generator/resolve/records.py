"""Records and structures: names and defaults given, fields built, templates and constraints checked."""

from __future__ import annotations

import re
from dataclasses import replace

from generator.english import article, plural, words
from generator.model import Constraint, Field, Kind, Record, Structure, Type
from generator.naming import ClassName, Constant, FileName, camel_case, kebab_case
from generator.operations import BY_KEY, STANDARD_OPERATIONS, StandardOperation
from generator.problems import did_you_mean
from generator.resolve.context import Context, Spot
from generator.resolve.fields import build_nested_fields, build_record_fields, check_values
from generator.resolve.indexes import build_indexes
from generator.resolve.paths import COMMON_FIELDS, Missing, Paths
from generator.resolve.roles import known_roles
from generator.resolve.values import Values
from generator.spec import Document, RecordSpec, StructureSpec

DEFAULT_ROLES = ("user", "admin")

_PATH = re.compile(r"(?:/[A-Za-z0-9][A-Za-z0-9._~-]*)+")
_COLLECTION = re.compile(r"[a-z][A-Za-z0-9]*")
_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
_CLASSES_OF_RECORD = ("", "Input", "Fields", "Stored")
_NESTED = (Kind.LIST, Kind.MAP, Kind.OBJECT, Kind.STRUCTURE, Kind.REFERENCE, Kind.JSON)


def build_structure(context: Context, document: Document[StructureSpec]) -> Structure | None:
    """The structure; None when its name is bad."""
    spot, spec = Spot(context, document), document.spec
    name = spot.named(ClassName.of, spec.structure, "structure")
    if name is None:
        return None
    _claim_classes(spot, name, f"structure {name}", "structure", ("",))
    if not spec.fields:
        spot.report_key("SPEC040", "a structure has at least one field", "fields")
    return Structure(
        name=name,
        file_name=FileName.of(name),
        area=document.area,
        description=spec.description or _described(name),
        fields=build_nested_fields(spot.within("fields"), spec.fields, name),
        source=document.source,
    )


def build_record(context: Context, document: Document[RecordSpec]) -> Record | None:
    """The record without its indexes; None when its name is bad."""
    spot, spec = Spot(context, document), document.spec
    name = spot.named(ClassName.of, spec.record, "record")
    if name is None:
        return None
    _claim_classes(spot, name, f"record {name}", "record", _CLASSES_OF_RECORD)
    constant = spot.named(Constant.of, name, "record")
    if constant is None:
        return None
    context.claim("the constant", constant, f"record {name}", spot.place("record"))
    area = spec.area or document.area
    many = spec.plural or plural(" ".join(words(name)))
    return Record(
        name=name,
        constant=constant,
        file_name=FileName.of(name),
        area=area,
        domain=camel_case(name),
        plural=many,
        description=spec.description or _described(name),
        path=_path(spot, spec, f"/{area}/{kebab_case(many)}"),
        collection=_collection(spot, spec, camel_case(many)),
        source=document.source,
        fields=build_record_fields(spot.within("fields"), spec.fields, name),
        operations=_operations(spot, spec),
        roles=known_roles(spot.within("roles"), spec.roles) if spec.roles is not None else DEFAULT_ROLES,
        display=spec.display,
        audited=spec.audited,
        persistent_events=spec.persistent_events,
        lenient=spec.validation == "lenient",
        on_delete=spec.on_delete,
        dynamic_attributes=spec.dynamic_attributes,
        ontology=spec.ontology,
        constraints=tuple(Constraint(one.when, one.message) for one in spec.constraints),
    )


def check_record(context: Context, document: Document[RecordSpec], record: Record, paths: Paths) -> Record:
    """The record with its indexes; values, templates and constraints checked. Needs all structures."""
    spot, spec = Spot(context, document), document.spec
    unsure = frozenset(spec.fields) - {field.name for field in record.fields}
    usable = {name: one for name, one in spec.fields.items() if name not in unsure}
    check_values(spot.within("fields"), usable, record.fields, Values(paths))
    known = known_fields(record)
    if spec.display is not None:
        _check_template(spot, spec.display, known, paths, unsure, "display")
    for field in record.fields:
        below = spot.within("fields", field.name)
        if field.calculated and "{" in field.calculated:
            _check_template(below, field.calculated, known, paths, unsure, "calculated")
        if field.renamed_from and field.renamed_from in spec.fields:
            message = f'renamedFrom names the field "{field.renamed_from}", which still exists'
            below.report("SPEC048", message, "renamedFrom")
    record = replace(record, indexes=build_indexes(spot, spec, record, known, paths, unsure))
    for index, constraint in enumerate(record.constraints):
        if wrong := context.check_filter(constraint.when, record):
            spot.report("SPEC080", f"the filter does not compile: {wrong}", "constraints", index, "when")
    return record


def known_fields(record: Record) -> tuple[Field, ...]:
    """Its own fields and the common ones."""
    return (*record.fields, *COMMON_FIELDS)


def _claim_classes(spot: Spot, name: str, what: str, word: str, suffixes: tuple[str, ...]) -> None:
    place = spot.place(word)
    claimed = [spot.context.claim("the class", name + suffix, what, place) for suffix in suffixes]
    if all(claimed):
        spot.context.claim("the module", f"{FileName.of(name)}.py", what, place)


def _described(name: str) -> str:
    phrase = " ".join(words(name))
    return f"{article(phrase).capitalize()} {phrase}."


def _path(spot: Spot, spec: RecordSpec, default: str) -> str:
    if spec.path is None:
        return default
    if not _PATH.fullmatch(spec.path):
        message = f'"{spec.path}" is no path: write segments such as {default}, without a slash at the end'
        spot.report("SPEC024", message, "path")
    return spec.path


def _collection(spot: Spot, spec: RecordSpec, default: str) -> str:
    name = spec.collection or default
    if not _COLLECTION.fullmatch(name):
        spot.report("SPEC025", f'"{name}" is no collection name: camelCase letters and digits', "collection")
    place = spot.place("collection" if spec.collection else "record")
    spot.context.claim("the collection", name, f"record {spec.record}", place, "SPEC025")
    return name


def _operations(spot: Spot, spec: RecordSpec) -> tuple[StandardOperation, ...]:
    if spec.endpoints is None:
        return STANDARD_OPERATIONS
    below = spot.within("endpoints")
    for index, key in enumerate(spec.endpoints):
        if key in spec.endpoints[:index]:
            below.report("SPEC021", f'"{key}" is listed twice', index)
        else:
            below.known("operation", key, BY_KEY, index)
    return tuple(row for row in STANDARD_OPERATIONS if row.key in spec.endpoints)


def _check_template(
    spot: Spot, template: str, known: tuple[Field, ...], paths: Paths, unsure: frozenset[str], word: str
) -> None:
    """A template may name scalars that a caller can see."""
    if "{" in (rest := _PLACEHOLDER.sub("", template)) or "}" in rest:
        spot.report("SPEC052", f"a brace without its partner in {word}", word)
    hidden = {field.name for field in known if field.hidden}
    for path in _PLACEHOLDER.findall(template):
        found = paths.find(known, path, unsure)
        if isinstance(found, Missing):
            near = did_you_mean(found.step, found.known)
            spot.report("SPEC034", f'{word} names the unknown field "{path}"{near}', word)
        elif path.partition(".")[0] in hidden:
            spot.report("SPEC054", f'{word} would show the hidden field "{path}"', word)
        elif found is not None and found.kind in _NESTED:
            spot.report("SPEC052", f"{word} needs one value, but {path} is {_a(found)}", word)


def _a(kind: Type) -> str:
    hint = " (write {….entityRefName})" if kind.kind is Kind.REFERENCE else ""
    return f"{article(kind.kind.value)} {kind.kind.value}{hint}"
