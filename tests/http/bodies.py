"""Bodies that can be saved, of any record type: built from its schema in the published document.

So a record type that a service adds is part of the tests that walk over all of them. What no schema expresses, such as
a constraint over several fields, needs values by hand: ``World._sample_written`` has those of the example service.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import reduce
from itertools import count
from typing import Any

import bson
from bson import Decimal128, ObjectId

from generator.evolve.patterns import draw_text
from generator.openapi.formats import example_text
from runtime.model.formats import FORMAT_PATTERNS
from runtime.model.record import Record, members
from runtime.model.record_type import RecordType
from tests.documents import follow

Document = dict[str, Any]
Schema = Mapping[str, Any]

_EPOCH = datetime(2026, 1, 1, tzinfo=UTC)
_MOST_DRAWS = 20_000
_LONGEST = 40
"""Characters of a string that has no longest length."""

_COMMON = frozenset({"id", "refName", "displayName", "activeStatus"})


@dataclass(frozen=True)
class NewValues:
    """The values of fields of which no two records may share one. ``numbers``: by record type and field."""

    used: set[str] = field(default_factory=set)
    numbers: dict[tuple[str, str], Iterator[int]] = field(default_factory=dict)


@dataclass(frozen=True)
class BodyBuilder:
    """Builds bodies. ``document``: the published one; ``refer`` returns a reference to a record of a type.

    The second argument of ``refer`` is whether nothing else may refer to that record.
    """

    document: Mapping[str, Any]
    refer: Callable[[str, bool], Document]
    values: NewValues = field(default_factory=NewValues)

    def build(self, kind: RecordType[Any], without: frozenset[str] = frozenset()) -> Document:
        """Build a body of the required fields but those in ``without``, with new values of unique ones."""
        schema = find_input_schema(self.document, kind)
        starts = {name: graph.initial_states for name, graph in kind.states.items()}
        chosen = {name for name, states in starts.items() if len(states) > 1}
        body: Document = {}
        for name in sorted(chosen.union(schema.get("required", ())) - without):
            if name in starts:
                body[name] = starts[name][0]
            elif name in find_unique(kind):
                body[name] = self._build_new(kind, name, schema["properties"][name])
            else:
                body[name] = self.build_value(schema["properties"][name])
        return body

    def build_value(self, schema: Schema, number: int | None = None) -> Any:
        """Build a value that the schema allows; another one for each ``number``, where there are so many."""
        if "x-references" in schema:
            return self.refer(schema["x-references"], number is not None)
        resolved: Schema = follow(self.document, dict(schema))
        choices = resolved.get("anyOf") or resolved.get("oneOf")
        if number is None and resolved.get("examples"):
            return resolved["examples"][0]
        if choices and {"number", "string"} <= {type_of(one) for one in choices}:  # a decimal, exact as text
            return format(
                build_number(next(one for one in choices if type_of(one) == "number"), number or 0), "f"
            )
        if choices:
            return self.build_value(next(one for one in choices if type_of(one) != "null"), number)
        if resolved.get("enum"):
            values = [one for one in resolved["enum"] if one is not None]
            return values[(number or 0) % len(values)]
        return self._build_by_type(resolved, number)

    def _build_by_type(self, schema: Schema, number: int | None) -> Any:
        kind = type_of(schema)
        if kind == "object":
            return {name: self.build_value(schema["properties"][name]) for name in schema.get("required", ())}
        if kind == "array":
            items = range(schema.get("minItems", 0))
            is_unique = schema.get("uniqueItems", False)
            return [self.build_value(schema["items"], index if is_unique else None) for index in items]
        if kind in ("integer", "number"):
            found = build_number(schema, number or 0)
            return int(found) if found == found.to_integral_value() else float(found)
        if kind == "boolean":
            return True
        return build_text(schema, number) if kind == "string" else {}

    def _build_new(self, kind: RecordType[Any], name: str, schema: Schema) -> Any:
        numbers = self.values.numbers.setdefault((kind.name, name), count(1))
        for number in numbers:
            value = self.build_value(schema, number)
            if not isinstance(value, str):
                return value
            if value not in self.values.used:
                self.values.used.add(value)
                return value
            assert number < _MOST_DRAWS, (
                f"{kind.name}.{name} has no further value; write some in World._sample_written"
            )
        raise AssertionError("numbers do not end")


def vary_unique(
    kind: RecordType[Any], stored: Document, number: int, sample: Mapping[str, Any] | None = None
) -> Document:
    """Copy a stored record, with other values where two may not be equal; texts are those of the sample."""
    copy = bson.decode(bson.encode(stored))  # a tenth of the time of deepcopy
    for path in {path for index in kind.indexes if index.unique for path, _direction in index.keys}:
        *above, last = path.split(".")
        holder = reduce(lambda inner, name: inner.get(name) or {}, above, copy)
        if last in holder:
            text = (sample or {}).get(path)
            is_text = isinstance(holder[last], str) and isinstance(text, str)
            holder[last] = text if is_text else _vary(holder[last], number)
    return copy


def _vary(value: Any, number: int) -> Any:
    """Return another value of the same type for each number."""
    match value:
        case str():
            return f"{value}X{number}"
        case datetime():
            return value + timedelta(days=number + 1)
        case Decimal128():
            return Decimal128(value.to_decimal() + number + 1)
        case ObjectId():
            return ObjectId()
    return value + number + 1


def find_input_schema(document: Mapping[str, Any], kind: RecordType[Any]) -> Schema:
    """Return the schema of what is sent to save a record of the type."""
    schemas = document["components"]["schemas"]
    if found := schemas.get(f"{kind.shown_name}Input"):
        return dict(found)
    read = schemas[kind.shown_name]  # no route takes such a record
    by_server = {*members(Record), *kind.calculated, *kind.server_set}
    return {**read, "required": [name for name in read["required"] if name not in by_server]}


def find_unique(kind: RecordType[Any]) -> frozenset[str]:
    """Return the members of a record that unique indexes are about."""
    return frozenset(top for index in kind.indexes if index.unique for top in index.tops)


def find_free_text(document: Mapping[str, Any], kind: RecordType[Any], text: str) -> str | None:
    """Return a field that can hold the text, ``name`` before others; None where there is none."""
    fields = find_input_schema(document, kind)["properties"]
    taken = _COMMON | find_unique(kind) | kind.calculated.keys() | kind.immutable
    free = [name for name, schema in fields.items() if name not in taken and _can_hold(schema, text)]
    return "name" if "name" in free else next(iter(free), None)


def _can_hold(schema: Schema, text: str) -> bool:
    is_bound = schema.keys() & {"enum", "pattern", "format", "readOnly"}
    fits = schema.get("minLength", 0) <= len(text) <= schema.get("maxLength", len(text))
    return type_of(schema) == "string" and not is_bound and fits


def type_of(schema: Schema) -> str | None:
    """Return the type of a schema; the one besides null where there are two."""
    types = schema.get("type")
    return next((one for one in types if one != "null"), None) if isinstance(types, list) else types


def build_number(schema: Schema, number: int) -> Decimal:
    """Return the number-th value above the lowest; below the highest where no lowest is given."""
    low, high = (_read_bound(schema, name) for name in ("inimum", "aximum"))
    if low is not None and high is not None and type_of(schema) == "number" and "multipleOf" not in schema:
        return low + (high - low) / (2 + number)
    step = Decimal(str(schema.get("multipleOf", 1)))
    if low is None and high is not None:
        return (math.floor(high / step) - 1 - number) * step
    first = math.ceil((low or Decimal(0)) / step) * step
    is_excluded = first == low and "minimum" not in schema
    return first + (number + is_excluded) * step


def _read_bound(schema: Schema, end: str) -> Decimal | None:
    value = schema.get(f"m{end}", schema.get(f"exclusiveM{end}"))
    return None if value is None else Decimal(str(value))


def build_text(schema: Schema, number: int | None) -> str:
    """Return a string of the format, the pattern and the length; the likeliest without a ``number``."""
    day = _EPOCH + timedelta(days=number or 0)
    if schema.get("format") == "date":
        return day.date().isoformat()
    if schema.get("format") == "date-time":
        return day.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    if number is None and (likely := example_text(schema)) is not None:
        return likely
    shortest, longest = schema.get("minLength", 0), schema.get("maxLength", _LONGEST)
    pattern = schema.get("pattern") or FORMAT_PATTERNS.get(schema.get("format", ""))
    if not pattern:
        return f"{number or 0:0{max(shortest, 1)}d}"[-longest:]
    drawn = (draw_text(pattern, (number or 0) + more * _MOST_DRAWS) for more in range(1000))
    for text in drawn:
        if shortest <= len(text) <= longest and re.search(pattern, text):
            return text
    raise AssertionError(f"no text of {shortest} to {longest} characters was found that matches {pattern}")
