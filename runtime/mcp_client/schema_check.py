"""Check values by the JSON Schemas of other servers: nothing of theirs is fetched, or takes long.

Patterns are matched in linear time. The library would leave its own keywords to a subschema that names
its ``$schema``, so ``evolve`` stays in one class. A schema that refers to itself many times can still take
exponential time: a check ends after ``MOST_SECONDS`` of its thread.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

import attrs
import orjson
from jsonschema import Draft202012Validator, FormatChecker, ValidationError
from jsonschema.validators import extend
from referencing import Registry

from runtime.linear_patterns import compile_pattern

MOST_SECONDS: Final = 1.0
"""Processor time of one check."""

_MOST_BYTES: Final = 256 * 1024
_OTHERS: Final[Any] = Draft202012Validator.VALIDATORS["additionalProperties"]

_Work = Callable[[Any, Any, Any, Any], Any]


class UnusableSchema(Exception):
    """A schema that is not a JSON Schema, or too large."""


class CheckTooLong(Exception):
    """A check that did not end in its time."""


class SchemaCheck:
    """A schema, ready to check values; by one thread at a time. ``options``: of the library's validators."""

    def __init__(self, schema: Any, **options: Any) -> None:
        self._end = 0.0
        make: Any = extend  # it has no types
        own = {**Draft202012Validator.VALIDATORS, **_OWN}
        kind = make(Draft202012Validator, {name: self._limit(work) for name, work in own.items()})
        kind.evolve = attrs.evolve
        self._validator = kind(schema, **options)

    def find_faults(self, value: Any) -> list[ValidationError]:
        """Return what is wrong with a value. Raises ``CheckTooLong``, and what the library raises."""
        self._end = time.thread_time() + MOST_SECONDS
        return list(self._validator.iter_errors(value))

    def _limit(self, work: _Work) -> _Work:
        def check(validator: Any, rule: Any, value: Any, schema: Any) -> Any:
            if time.thread_time() > self._end:
                raise CheckTooLong
            return work(validator, rule, value, schema)

        return check


@lru_cache(maxsize=256)
def prepare_check(schema: bytes) -> SchemaCheck:
    """Prepare a schema. Raises ``UnusableSchema``, and as ``find_faults``."""
    if len(schema) > _MOST_BYTES:
        raise UnusableSchema(f"it has more than {_MOST_BYTES} bytes")
    read = orjson.loads(schema)
    if _prepare_meta().find_faults(read):
        raise UnusableSchema("it is not a JSON Schema")
    return SchemaCheck(read, registry=Registry())


@lru_cache(maxsize=1)
def _prepare_meta() -> SchemaCheck:
    """Prepare the schema of schemas, whose references the library has at hand."""
    return SchemaCheck(Draft202012Validator.META_SCHEMA, format_checker=FormatChecker(["regex"]))


def _match_pattern(_validator: Any, pattern: str, value: Any, _schema: Any) -> Iterator[ValidationError]:
    if isinstance(value, str) and not _finds(pattern, value):
        yield ValidationError(f"{value[:100]!r} does not match {pattern[:100]!r}")


def _match_others(validator: Any, others: Any, value: Any, schema: Any) -> Iterator[ValidationError]:
    """Check the members without a property of their own, but for those that a pattern may be about."""
    if isinstance(value, Mapping):
        own, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
        found = {
            name: one
            for name, one in value.items()
            if name in own or not any(_finds(pattern, name) for pattern in patterns)
        }
        yield from _OTHERS(validator, others, found, {"properties": own})


def _leave(_validator: Any, _keyword: Any, _value: Any, _schema: Any) -> Iterator[ValidationError]:
    """Leave to the server what one step takes long for: patterns of any time, comparing each with each."""
    return iter(())


def _finds(pattern: str, value: str) -> bool:
    """Whether a pattern is found; one that cannot be matched in linear time is left to the server."""
    try:
        return compile_pattern(pattern).search(value) is not None
    except ValueError:
        return True


_OWN: Final[Mapping[str, Any]] = {
    "additionalProperties": _match_others,
    "pattern": _match_pattern,
    "patternProperties": _leave,
    "unevaluatedItems": _leave,
    "unevaluatedProperties": _leave,
    "uniqueItems": _leave,
}
