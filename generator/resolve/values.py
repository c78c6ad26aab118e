"""Values against types: defaults, examples and seed rows must be what the field allows."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from generator.model import Field, Kind, Type
from generator.patterns import matches, pattern_problem
from generator.problems import did_you_mean
from generator.resolve.paths import Paths
from generator.types import TYPES
from runtime.model.formats import FORMAT_PATTERNS
from runtime.model.paths import KEY_RULE, is_key
from runtime.model.scalars import is_multiple

_MAX_SHOWN = 40


def _number(value: object) -> Decimal:
    return Decimal(str(value))


def _distinct(value: list[Any]) -> bool:
    return len({json.dumps(item, sort_keys=True) for item in value}) == len(value)


# Word → does the value meet it; the text says what it ought to be.
_CHECKS: Mapping[str, tuple[Callable[[Any, Any], bool], str]] = {
    "minimum": (lambda value, limit: _number(value) >= _number(limit), "is less than the minimum"),
    "maximum": (lambda value, limit: _number(value) <= _number(limit), "is greater than the maximum"),
    "exclusiveMinimum": (lambda value, limit: _number(value) > _number(limit), "is not greater than"),
    "exclusiveMaximum": (lambda value, limit: _number(value) < _number(limit), "is not less than"),
    "multipleOf": (lambda value, limit: is_multiple(_number(value), _number(limit)), "is not a multiple of"),
    "minLength": (lambda value, limit: len(value) >= limit, "is shorter than minLength"),
    "maxLength": (lambda value, limit: len(value) <= limit, "is longer than maxLength"),
    "pattern": (lambda value, limit: matches(limit, value), "does not match the pattern"),
    "format": (
        lambda value, limit: matches(FORMAT_PATTERNS.get(limit, ""), value),
        "does not have the format",
    ),
    "minItems": (lambda value, limit: len(value) >= limit, "has fewer items than minItems"),
    "maxItems": (lambda value, limit: len(value) <= limit, "has more items than maxItems"),
    "uniqueItems": (
        lambda value, limit: not limit or _distinct(value),
        "has an item twice, against uniqueItems",
    ),
}


@dataclass(frozen=True, slots=True)
class Values:
    """Checks values. ``ref_names``: references may be given as the refName of their target (seeds).

    ``stored``: values of records, in which the store limits the keys of maps and of free-form JSON.
    """

    paths: Paths
    ref_names: bool = False
    stored: bool = False

    def problem(self, kind: Type, value: object) -> str | None:
        """Return what is wrong with a value from YAML, or None."""
        if kind.kind is Kind.REFERENCE and self.ref_names and isinstance(value, str) and value:
            return None
        wrong = (
            self._ref_name(kind, value)
            or TYPES[kind.kind].fits(value)
            or self._choice(kind, value)
            or self._constraint_problem(kind, value)
        )
        if wrong:
            return f"{_show(value)} {wrong}"
        if (
            kind.kind is Kind.REFERENCE
            and self.ref_names
            and isinstance(value, dict)
            and "entityId" not in value
        ):
            return f"{_show(value)} has no entityId: write the refName of the {kind.target} as plain text"
        return self._inside(kind, value)

    def _members(self, kind: Type, fields: tuple[Field, ...], value: Mapping[str, object]) -> str | None:
        by_name = {field.name: field for field in fields}
        for name, inner in value.items():
            if self.paths.is_unsure(kind, name):
                continue
            if name not in by_name:
                return f'has no field "{name}"{did_you_mean(str(name), by_name)}'
            if wrong := self.problem(by_name[name].type, inner):
                return f"{name}: {wrong}"
        missing = [field.name for field in fields if field.required and field.name not in value]
        return f'the required field "{missing[0]}" is missing' if missing else None

    def _ref_name(self, kind: Type, value: object) -> str | None:
        if not self.ref_names or kind.kind is not Kind.REFERENCE or isinstance(value, dict):
            return None
        return f"is not the refName of a record of {kind.target}: write it as text, in quotes"

    @staticmethod
    def _choice(kind: Type, value: object) -> str | None:
        if not kind.values or value in kind.values:
            return None
        return (
            f"is not one of {', '.join(kind.values)}{did_you_mean(str(value), kind.values, list_few=False)}"
        )

    @staticmethod
    def _constraint_problem(kind: Type, value: Any) -> str | None:
        for word, limit in kind.constraints.items():
            if word == "pattern" and pattern_problem(str(limit)):
                continue
            if word == "format" and "pattern" in kind.constraints:
                continue  # a pattern of its own takes the place of that of the format
            meets, says = _CHECKS[word]
            if not meets(value, limit):
                return says if word == "uniqueItems" else f"{says} {limit}"
        return None

    def _inside(self, kind: Type, value: Any) -> str | None:
        if self.stored and kind.kind in (Kind.JSON, Kind.MAP) and (wrong := _key_problem(value)):
            return wrong
        if kind.item and kind.kind in (Kind.LIST, Kind.MAP):
            inner = value.items() if kind.kind is Kind.MAP else enumerate(value)
            found = ((step, self.problem(kind.item, one)) for step, one in inner)
            return next((f"[{step}]: {wrong}" for step, wrong in found if wrong), None)
        if kind.kind in (Kind.OBJECT, Kind.STRUCTURE, Kind.REFERENCE):
            below = self.paths.below(kind)
            return self._members(kind, below, value) if below is not None else None
        return None


def _key_problem(value: object) -> str | None:
    """Return what is wrong with a key in a map or in free-form JSON, at any depth."""
    if isinstance(value, dict):
        wrong = next((name for name in value if not is_key(str(name))), None)
        if wrong is not None:
            return f"{_show(value)} cannot have the key {_show(wrong)}: {KEY_RULE}"
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return next(filter(None, map(_key_problem, inner)), None)


def _show(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}…"
