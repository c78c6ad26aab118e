"""A field spec → its ``Type``: the one word that gives it, what it names, and its constraint words."""

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from math import ceil, floor

from generator.model import Field, Kind, Type
from generator.naming import ClassName
from generator.patterns import pattern_problem
from generator.problems import did_you_mean
from generator.resolve.context import CLASSES_OF_OBJECT, Spot
from generator.spec import CONSTRAINT_WORDS, TYPE_WORDS, Fields, FieldSpec
from generator.types import FORMATS, SCALARS, SYNONYMS, TYPES

FieldsBuilder = Callable[[Spot, Fields, str], tuple[Field, ...]]
"""Builds the fields of a nested object; handed in, since fields have types and types have fields."""

_ATTRIBUTES = {"list": "list_", "map": "map_", "object": "object_"}
_CONSTRAINT_ATTRIBUTES = {
    str(info.alias): name for name, info in FieldSpec.model_fields.items() if info.alias in CONSTRAINT_WORDS
}
_RANGES = (
    ("minimum", "maximum"),
    ("exclusiveMinimum", "exclusiveMaximum"),
    ("minimum", "exclusiveMaximum"),
    ("exclusiveMinimum", "maximum"),
    ("minLength", "maxLength"),
    ("minItems", "maxItems"),
)
_SIZES = ("minLength", "maxLength", "minItems", "maxItems")
_NAMES_OF_TYPES = frozenset({*SCALARS, *SYNONYMS, *TYPE_WORDS})
_LIST_OF = re.compile(r"(\w+)\[\]|(?:list|array|set)(?:<| of )(\w+)>?", re.IGNORECASE)
_TWO_WORDS = re.compile(r"(\w+) +(\w+)")
_MAX_ENUM_VALUE = 200
_TYPE_ATTRIBUTES = tuple((word, _ATTRIBUTES.get(word, word)) for word in TYPE_WORDS)


def build_type(spot: Spot, spec: FieldSpec, owner: str, name: str, nested: FieldsBuilder) -> Type | None:
    """Resolve the type of the field ``name`` of the class ``owner``; report problems and return None."""
    given = spec.model_fields_set
    said = [word for word, attribute in _TYPE_ATTRIBUTES if attribute in given]
    if len(said) != 1:
        spot.report_key("SPEC040", _count_problem(said))
        return None
    word = said[0]
    if word in ("list", "map"):
        base = _resolve_collection(spot, spec, word, owner, name, nested)
    elif word == "object":
        base = _resolve_object(spot, spec, owner, name, nested)
    else:
        base = _BUILDERS[word](spot, str(getattr(spec, word)), spec)
    constraints = _read_constraints(spot, spec, base.kind if base else None)
    if base is None or not constraints:
        return base
    return Type(base.kind, base.item, base.fields, base.class_name, base.values, base.target, constraints)


def _count_problem(said: list[str]) -> str:
    if said:
        return f"{' and '.join(said)} both give the type: keep one"
    return f"no type: write one of {', '.join(TYPE_WORDS)}"


def _resolve_scalar(spot: Spot, name: str, spec: FieldSpec) -> Type | None:
    if name in SCALARS:
        return Type(Kind(name))
    if name in TYPE_WORDS:
        hint = f': write "{name}: …" instead of "type: {name}"'
    elif name == "array":
        hint = ': write "list: …"'
    elif found := _LIST_OF.fullmatch(name):
        hint = f': write "list: {found[1] or found[2]}"'
    elif (found := _TWO_WORDS.fullmatch(name)) and found[1] in TYPE_WORDS:
        hint = f': write "{found[1]}: {found[2]}"'
    elif name in FORMATS:
        hint = f': write "type: string, format: {name}"'
    elif name in SYNONYMS:
        hint = f'; did you mean "{SYNONYMS[name]}"?'
    else:
        word = spot.context.find_word(name)
        hint = f': write "{word}: {name}"' if word else did_you_mean(name, SCALARS)
    spot.report("SPEC030", f'unknown type "{name}"{hint}', "type")
    return None


def _resolve_enum(spot: Spot, name: str, spec: FieldSpec) -> Type | None:
    values = spec.enum or []
    if not values:
        spot.report("SPEC049", "an enum has at least one value", "enum")
    for index, value in enumerate(values):
        if value in values[:index]:
            spot.report("SPEC049", f'"{value}" is listed twice', "enum", index)
        elif not value.strip() or len(value) > _MAX_ENUM_VALUE:
            spot.report("SPEC049", f"a value has 1 to {_MAX_ENUM_VALUE} characters", "enum", index)
    return Type(Kind.ENUM, values=tuple(dict.fromkeys(values))) if values else None


def _structure(spot: Spot, name: str, spec: FieldSpec) -> Type | None:
    if not spot.known("structure", name, spot.context.structures, "structure"):
        return None
    return Type(Kind.STRUCTURE, class_name=ClassName(name), target=name)


def _reference(spot: Spot, name: str, spec: FieldSpec) -> Type | None:
    if not spot.known("record", name, spot.context.records, "reference"):
        return None
    return Type(Kind.REFERENCE, target=name)


def _states(spot: Spot, name: str, spec: FieldSpec) -> Type | None:
    if not spot.known("stateGraph", name, spot.context.graphs, "states"):
        return None
    return Type(Kind.STATES, values=tuple(spot.context.graphs[name].spec.states), target=name)


_BUILDERS: Mapping[str, Callable[[Spot, str, FieldSpec], Type | None]] = {
    "type": _resolve_scalar,
    "enum": _resolve_enum,
    "structure": _structure,
    "reference": _reference,
    "states": _states,
}


def _resolve_collection(
    spot: Spot, spec: FieldSpec, word: str, owner: str, name: str, nested: FieldsBuilder
) -> Type | None:
    item = spec.list_ if word == "list" else spec.map_
    if item is None:
        return None
    below = spot.within(word)
    of_items = {"description", *TYPE_WORDS, *CONSTRAINT_WORDS}
    for said in sorted(FieldSpec.model_fields[key].alias or key for key in item.model_fields_set):
        if said not in of_items:
            below.report_key("SPEC047", f'"{said}" belongs to the field, not to its items', said)
    _warn_of_type_as_name(below, item, word)
    kind = build_type(below, item, owner, name, nested)
    if kind and kind.kind is Kind.STATES:
        below.report_key(
            "SPEC047", "a state graph governs one value, not the items of a collection", "states"
        )
    return Type(Kind(word), item=kind) if kind else None


def _warn_of_type_as_name(spot: Spot, item: FieldSpec, word: str) -> None:
    """Warn of ``map: {string: integer}``, which means objects with one field that is called string."""
    name, field = next(iter((item.object_ or {}).items()), ("", None))
    if field is None or len(item.object_ or {}) > 1 or field.model_fields_set != {"type"}:
        return
    is_shorthand = spot.place("object") == spot.place()
    if is_shorthand and name in _NAMES_OF_TYPES and field.type in SCALARS:
        pair = f"{name}: {field.type}"
        message = (
            f'"{word}: {{{pair}}}" is a {word} of objects with a field {name}; write "{word}: {field.type}"'
        )
        place = spot.document.at.key(*spot.path, "object", name)
        spot.context.warn(place, "SPEC040", f'{message}, or "{word}: {{object: {{{pair}}}}}" if it is meant')


def _resolve_object(spot: Spot, spec: FieldSpec, owner: str, name: str, nested: FieldsBuilder) -> Type | None:
    class_name = spot.named(lambda text: ClassName.nested(owner, text), name, key=True)
    if class_name is None:
        return None
    what, advice = f"the object {name} of {owner}", "; rename the field, or make it a structure"
    names = (class_name + suffix for suffix in CLASSES_OF_OBJECT)
    if not all(spot.context.claim("the class", one, spot.at_key(), what, advice=advice) for one in names):
        return None
    if not spec.object_:
        spot.report_key("SPEC040", "an object has at least one field; json holds anything", "object")
    fields = nested(spot.within("object"), spec.object_ or {}, class_name)
    return Type(Kind.OBJECT, fields=fields, class_name=class_name)


def _read_constraints(spot: Spot, spec: FieldSpec, kind: Kind | None) -> dict[str, object]:
    """Return the given constraints in the order of the language; report those that do not apply."""
    said: dict[str, object] = {}
    if spec.model_fields_set.isdisjoint(_CONSTRAINT_ATTRIBUTES.values()):
        return said
    for word in CONSTRAINT_WORDS:
        value = getattr(spec, _CONSTRAINT_ATTRIBUTES[word])
        if value is None:
            continue
        if kind is not None and word not in TYPES[kind].constraints:
            spot.report_key("SPEC041", _misfit(word, kind), word)
        elif wrong := _impossible(word, value):
            spot.report(wrong[0], wrong[1], word)
        else:
            said[word] = value
    for low, high in _RANGES if len(said) > 1 else ():
        _check_range(spot, said, low, high, kind)
    _check_multiple(spot, said)
    return said


def _misfit(word: str, kind: Kind) -> str:
    fitting = ", ".join(name for name in CONSTRAINT_WORDS if name in TYPES[kind].constraints) or "none"
    return f'"{word}" says nothing about {kind.value}; words that do: {fitting}'


def _impossible(word: str, value: object) -> tuple[str, str] | None:
    if word == "pattern":
        reason = pattern_problem(str(value))
        return ("SPEC043", f"the pattern cannot be used: {reason}") if reason else None
    if word == "format" and value not in FORMATS:
        kind = SYNONYMS.get(str(value), str(value))
        hint = f': write "type: {kind}"' if kind in SCALARS else did_you_mean(str(value), FORMATS)
        return "SPEC041", f'unknown format "{value}"{hint}'
    if word in _SIZES and isinstance(value, int) and value < 0:
        return "SPEC042", f"{word} is less than 0"
    if word in ("maxLength", "maxItems") and value == 0:
        return "SPEC042", f"{word} is 0, so that only an empty value fits: write 1 or more"
    if word == "multipleOf" and isinstance(value, int | float) and value <= 0:
        return "SPEC042", "multipleOf is not greater than 0"
    return None


def _check_multiple(spot: Spot, said: Mapping[str, object]) -> None:
    """Check that a multiple is between the bounds."""
    given = [Decimal(str(said[word])) for word in ("multipleOf", "minimum", "maximum") if word in said]
    if len(given) == len(("step", "least", "most")):
        step, least, most = given
        if least <= most < ceil(least / step) * step:
            message = f"no value fits: no multiple of {step} is between {least} and {most}"
            spot.report("SPEC042", message, "multipleOf")


def _check_range(spot: Spot, said: Mapping[str, object], low: str, high: str, kind: Kind | None) -> None:
    least, most = said.get(low), said.get(high)
    if not isinstance(least, int | float) or not isinstance(most, int | float):
        return
    strictly = "exclusive" in low or "exclusive" in high
    is_empty = least > most or (strictly and least == most)
    if kind is Kind.INTEGER and not is_empty:
        first = floor(least) + 1 if "exclusive" in low else ceil(least)
        last = ceil(most) - 1 if "exclusive" in high else floor(most)
        is_empty = first > last
    if is_empty:
        spot.report("SPEC042", f"no value fits: {low} is {least} and {high} is {most}", low)
