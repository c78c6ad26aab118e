"""The fields of a record, a structure or a nested object: names, types, and words that may stand together."""

from collections.abc import Callable

from generator.english import article
from generator.model import Field, Kind, Type
from generator.naming import PythonName, suggest_field_name
from generator.resolve.context import Spot
from generator.resolve.field_types import build_type
from generator.resolve.graphs import list_choices
from generator.resolve.paths import COMMON_NAMES
from generator.resolve.renamed import check_former_names
from generator.resolve.values import Values
from generator.spec import Fields, FieldSpec
from generator.types import TYPES

# Words that speak of the record as a whole: the store, the wire and the indexes know them by its top level.
_OF_RECORDS = ("unique", "hidden", "readOnly", "immutable", "calculated", "setBy")
_CONTRADICTIONS = (
    ("required", "default", "a required field is always sent: drop one"),
    ("calculated", "default", "a calculated field has no default: drop one"),
    ("calculated", "setBy", "a calculated field is set by the server anyway: drop setBy"),
    ("calculated", "immutable", "a calculated field follows its parts: drop immutable"),
    ("hidden", "immutable", "a hidden value is never read, hence cannot be compared: drop one"),
    ("states", "unique", "records share states: drop unique"),
)
Naming = Callable[[str], PythonName]
"""How the name of a field in a specification becomes one in Python."""

_ATTRIBUTES = {info.alias or name: name for name, info in FieldSpec.model_fields.items()}
_OTHERS = frozenset(_ATTRIBUTES[other] for _word, other, _message in _CONTRADICTIONS)


def build_record_fields(spot: Spot, specs: Fields, owner: str) -> tuple[Field, ...]:
    """Resolve the fields of a record; report and omit broken ones."""
    usable = {}
    for name, spec in specs.items():
        if name in COMMON_NAMES:
            message = f'"{name}" is a common field that every record has: remove it'
            spot.report_key("SPEC023", message, name)
        else:
            usable[name] = spec
    return _build(spot, usable, owner)


def build_nested_fields(
    spot: Spot, specs: Fields, owner: str, naming: Naming = PythonName.from_wire
) -> tuple[Field, ...]:
    """Resolve the fields of a structure or a nested object."""
    for name, spec in specs.items():
        if spec.states is not None:
            message = "a state graph governs a field of a record, not of an object inside it"
            spot.report_key("SPEC047", message, name, "states")
        for word in _OF_RECORDS:
            if _says(spec, word):
                message = f'"{word}" belongs to a field of a record, not of an object inside it'
                spot.report_key("SPEC047", message, name, word)
    check_former_names(spot, specs)
    return _build(spot, specs, owner, naming)


def _build(spot: Spot, specs: Fields, owner: str, naming: Naming = PythonName.from_wire) -> tuple[Field, ...]:
    built = {
        name: _resolve_field(spot.within(name), name, spec, owner, naming) for name, spec in specs.items()
    }
    omitted = spot.document.omitted if spot.path == ("fields",) else frozenset()
    broken = {name for name, field in built.items() if field is None}
    meant = {suggest_field_name(name) for name in broken} - specs.keys()
    spot.context.unsure[owner] = omitted.union(broken, meant)
    return tuple(field for field in built.values() if field)


def _resolve_field(spot: Spot, name: str, spec: FieldSpec, owner: str, naming: Naming) -> Field | None:
    python_name = spot.named(naming, name, key=True)
    kind = build_type(spot, spec, owner, name, build_nested_fields)
    _check_words(spot, spec, kind)
    if python_name is None or kind is None:
        return None
    return Field(
        name=name,
        python_name=python_name,
        type=kind,
        description=spec.description and spec.description.strip(),
        required=spec.required,
        default=spec.default,
        example=spec.example,
        hidden=spec.hidden,
        read_only=spec.read_only,
        set_by_server=spec.set_by == "server",
        immutable=spec.immutable,
        unique=spec.unique,
        indexed=spec.indexed,
        deprecated=spec.deprecated,
        calculated=spec.calculated,
        renamed_from=spec.renamed_from,
        track=spec.track,
        predicate=spec.predicate,
    )


def _says(spec: FieldSpec, word: str) -> bool:
    return getattr(spec, _ATTRIBUTES[word]) not in (None, False)


def _check_words(spot: Spot, spec: FieldSpec, kind: Type | None) -> None:
    for one, other, message in () if _OTHERS.isdisjoint(spec.model_fields_set) else _CONTRADICTIONS:
        is_said = _says(spec, other) or (other == "default" and spec.has("default"))
        if is_said and _says(spec, one):
            spot.report_key("SPEC048", message, other)
    if kind is None:
        return
    _check_indexing(spot, spec, kind)
    if kind.kind is Kind.STATES and spec.has("default"):
        spot.report_key("SPEC048", _advise_on_start(list_choices(spot.context, kind)), "default")
    target = kind.element
    for word in ("track", "predicate"):
        if _says(spec, word) and target.kind is not Kind.REFERENCE:
            spot.report_key("SPEC047", f'"{word}" belongs to a reference', word)
    if spec.predicate and target.kind is Kind.REFERENCE:
        spot.known("ontology", spec.predicate, spot.context.predicates, "predicate")


def _advise_on_start(choices: list[str]) -> str:
    if choices:
        return f"the state graph gives the default: write default: {' or '.join(choices)} there"
    return "the state graph gives the default: drop default"


def _check_indexing(spot: Spot, spec: FieldSpec, kind: Type) -> None:
    row, inner = TYPES[kind.kind], TYPES[kind.element.kind]
    if spec.unique and not row.unique:
        spot.report_key("SPEC046", f"{a(kind)} cannot be unique", "unique")
    if spec.indexed and not (row.indexable and inner.indexable):
        of_items = "" if inner is row else f" of {inner.name}"
        spot.report_key("SPEC046", f"{a(kind)}{of_items} cannot be indexed", "indexed")


def a(kind: Type) -> str:
    """Return ``a string``, ``an integer``."""
    return f"{article(kind.kind.value)} {kind.kind.value}"


def check_values(spot: Spot, specs: Fields, fields: tuple[Field, ...], values: Values) -> None:
    """Check defaults and examples against their types, in nested fields too. Needs all structures."""
    for field in fields:
        spec, below = specs[field.name], spot.within(field.name)
        _check_values_of(below, spec, field.type, values)
        _check_inside(below, spec, field.type, values)


def _check_values_of(spot: Spot, spec: FieldSpec, kind: Type, values: Values) -> None:
    has_default = spec.default is not None and kind.kind is not Kind.STATES  # where none is allowed
    if has_default and (wrong := values.problem(kind, spec.default)):
        spot.report("SPEC044", f"default {wrong}", "default")
    if spec.example is not None and (wrong := values.problem(kind, spec.example)):
        spot.report("SPEC045", f"example {wrong}", "example")


def _check_inside(spot: Spot, spec: FieldSpec, kind: Type, values: Values) -> None:
    if kind.kind is Kind.OBJECT and spec.object_:
        check_values(spot.within("object"), spec.object_, kind.fields, values)
    elif kind.item and (inner := spec.list_ or spec.map_):
        _check_inside(spot.within(kind.kind.value), inner, kind.item, values)


def check_parameter(spot: Spot, spec: FieldSpec, kind: Type, values: Values) -> None:
    """Check the keys of an argument or parameter: those of records do not apply, its values must fit."""
    for word in (*_OF_RECORDS, "indexed", "renamedFrom", "track", "predicate"):
        if _says(spec, word):
            spot.report_key("SPEC047", f'"{word}" belongs to a field of a record', word)
    _check_values_of(spot, spec, kind, values)
