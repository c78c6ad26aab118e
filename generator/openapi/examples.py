"""Example values: the author's own, else from the type. Deterministic, and valid against the schema.

Where no value can be made (a pattern that no likely text meets) an optional member is left out, and an
object that lacks a required one has no example at all. What is sent also lacks optional members for which the
author has written no value: a realm, a cursor or a reference that is made up would have the request refused.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from generator.model import Field, Graph, Kind, Model, Record, Structure, Type
from generator.openapi.fields import convert_to_wire, is_required, visible_fields
from generator.openapi.formats import example_text
from generator.openapi.schemas import Schemas
from generator.openapi.shared import View

EXAMPLE_ID = "65f1c0de65f1c0de65f1c0de"
EXAMPLE_MOMENT = "2026-03-27T04:12:14.118Z"

_COMMON: Mapping[str, Any] = {
    "activeStatus": "ACTIVE",
    "dataDomain": {"tenantId": "acme", "orgRefName": "acme-north", "ownerId": "ada", "dataSegment": 0},
    "version": 1,
    "auditInfo": {
        "createdBy": "ada",
        "createdDate": EXAMPLE_MOMENT,
        "lastUpdatedBy": "ada",
        "lastUpdatedDate": EXAMPLE_MOMENT,
    },
}


class NoExample(Exception):
    """Nothing valid can be made up for this type."""


@dataclass(frozen=True, slots=True)
class Examples:
    """Example values of a model. Those of records are made once: to be read, never changed."""

    schemas: Schemas
    graphs: Mapping[str, Graph]
    made: dict[tuple[int, View], tuple[Record, Any]] = dataclasses.field(default_factory=dict)

    @classmethod
    def of(cls, model: Model) -> Examples:
        return cls(Schemas.of(model), {graph.name: graph for graph in model.graphs})

    def record(self, record: Record, view: View) -> Any:
        """Return an example of a record as read or as sent, or None."""
        found = self.made.get((id(record), view))
        if found is None:  # the record is kept, so that its id is not given to another
            found = self.made[id(record), view] = (record, self._build_record(record, view))
        return found[1]

    def _build_record(self, record: Record, view: View) -> Any:
        try:
            fields = visible_fields(record.fields, view)
            if view is View.SENT:
                own = self._members(tuple(one for one in fields if not one.is_made_by_server), view)
                return {"refName": f"{record.name.upper()}-1", **own}
            names = {"refName": f"{record.name.upper()}-1", "displayName": f"{record.name} 1"}
            return {"id": EXAMPLE_ID, **names, **self._members(fields, view), **_COMMON}
        except NoExample:
            return None

    def smallest_record(self, record: Record) -> Any:
        """Build an example with only the refName and the required fields, or return None."""
        required = tuple(field for field in record.fields if is_required(field, View.SENT))
        return self.record(replace(record, fields=required), View.SENT)

    def structure(self, structure: Structure, view: View) -> Any:
        """Build an example of a structure as read or as sent, or return None."""
        try:
            return self._members(structure.fields, view)
        except NoExample:
            return None

    def value(self, kind: Type, view: View) -> Any:
        """Build an example value of a type. Raises ``NoExample``."""
        return _MAKERS[kind.kind](self, kind, view)

    def _members(self, fields: tuple[Field, ...], view: View) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for field in fields:
            is_needed = is_required(field, view)
            if view is View.SENT and not is_needed and not self._is_said(field):
                continue
            try:
                found[field.name] = self._member(field, view)
            except NoExample:
                if is_needed:
                    raise
        return found

    def _is_said(self, field: Field) -> bool:
        """Whether the author wrote a value of the field, or an example of one below it; states have one."""
        is_written = field.example is not None or field.default is not None
        return is_written or field.type.kind is Kind.STATES or self._is_shown(field.type)

    def _is_shown(self, kind: Type) -> bool:
        kind = kind.innermost
        if kind.kind not in (Kind.OBJECT, Kind.STRUCTURE):
            return False
        below = self.schemas.fields_below(kind)
        return any(one.example is not None or self._is_shown(one.type) for one in below)

    def _member(self, field: Field, view: View) -> Any:
        for said in (field.example, field.default):
            if said is not None:
                return convert_to_wire(field.type, said)
        return self.value(field.type, view)


def _text(_: Examples, kind: Type, _view: View) -> str:
    text = example_text(kind.constraints)
    if text is None:
        raise NoExample
    return text


def _number(_: Examples, kind: Type, _view: View) -> int | float:
    """Return the smallest allowed number, but 1 if it is allowed."""
    said: Mapping[str, Any] = kind.constraints
    whole = kind.kind is Kind.INTEGER
    step = said.get("multipleOf", 1 if whole else None)
    low = _low(said, step or 0.5)
    high = said.get("maximum", said.get("exclusiveMaximum", math.inf))
    value = max(low, 1) if high >= 1 and low <= 1 else low if low > -math.inf else high
    if step:
        value = math.ceil(value / step) * step if low > -math.inf else math.floor(value / step) * step
    value = round(value, 9)
    if value > high or value < low or value == said.get("exclusiveMaximum"):
        raise NoExample
    return int(value) if value == int(value) else float(value)


def _low(said: Mapping[str, Any], step: float) -> float:
    if "exclusiveMinimum" in said:
        return max(float(said["exclusiveMinimum"]) + step, float(said.get("minimum", -math.inf)))
    return float(said.get("minimum", -math.inf))


def _decimal(examples: Examples, kind: Type, view: View) -> str:
    return str(_number(examples, kind, view))


def _state(examples: Examples, kind: Type, _view: View) -> str:
    """Return an initial state, so that the example can be sent."""
    graph = examples.graphs.get(str(kind.target))
    initial = [name for name, state in graph.states.items() if state.initial] if graph else []
    default = [graph.default] if graph and graph.default else []
    return (*default, *initial, *kind.values)[0]


def _list(examples: Examples, kind: Type, view: View) -> list[Any]:
    least = max(int(str(kind.constraints.get("minItems", 1))), 1)
    if least > int(str(kind.constraints.get("maxItems", least))):
        return []
    if kind.item is None or (least > 1 and kind.constraints.get("uniqueItems")):
        raise NoExample
    return [examples.value(kind.item, view)] * least


def _map(examples: Examples, kind: Type, view: View) -> dict[str, Any]:
    return {"key": examples.value(kind.item, view)} if kind.item else {}


def _object(examples: Examples, kind: Type, view: View) -> dict[str, Any]:
    return examples._members(examples.schemas.fields_below(kind), view)


def _reference(_: Examples, kind: Type, view: View) -> dict[str, Any]:
    if view is View.SENT:
        return {"entityId": EXAMPLE_ID}
    name = f"{str(kind.target).upper()}-1"
    return {"entityId": EXAMPLE_ID, "entityType": kind.target, "entityRefName": name}


def _always(value: Any) -> Callable[[Examples, Type, View], Any]:
    return lambda _examples, _kind, _view: value


_MAKERS: Mapping[Kind, Callable[[Examples, Type, View], Any]] = {
    Kind.STRING: _text,
    Kind.TEXT: _text,
    Kind.INTEGER: _number,
    Kind.NUMBER: _number,
    Kind.DECIMAL: _decimal,
    Kind.BOOLEAN: _always(True),
    Kind.DATE: _always("2026-03-27"),
    Kind.DATETIME: _always(EXAMPLE_MOMENT),
    Kind.OBJECT_ID: _always(EXAMPLE_ID),
    Kind.JSON: _always({"anything": True}),
    Kind.ENUM: lambda _examples, kind, _view: kind.values[0],
    Kind.STATES: _state,
    Kind.LIST: _list,
    Kind.MAP: _map,
    Kind.OBJECT: _object,
    Kind.STRUCTURE: _object,
    Kind.REFERENCE: _reference,
}
