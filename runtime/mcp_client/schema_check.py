"""Check values by the JSON Schemas of other servers: nothing of theirs is fetched, or takes long.

Patterns are matched in linear time, and those that cannot be are left to the server. The library would leave
its own keywords to a subschema that names its ``$schema``, so ``evolve`` stays in one class. A schema that
refers to itself many times can still take exponential time: a check ends after ``MOST_SECONDS`` of its
thread.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from itertools import islice
from typing import Any, Final

import attrs
import orjson
from jsonschema import Draft202012Validator, ValidationError
from jsonschema.validators import extend
from referencing import Registry

from runtime.linear_patterns import compile_pattern

MOST_SECONDS: Final = 1.0
"""Processor time of one check."""

_MOST_BYTES: Final = 256 * 1024
_MOST_STEPS: Final = 100_000_000
"""Characters of a text × instructions of a compiled pattern; what takes more is left to the server."""

_OTHERS: Final[Any] = Draft202012Validator.VALIDATORS["additionalProperties"]

_Work = Callable[[Any, Any, Any, Any], Any]


class UnusableSchema(Exception):
    """A schema that is not a JSON Schema, too large, or takes too long to be looked at."""


class CheckTooLong(Exception):
    """A check that did not end in its time."""


class SchemaCheck:
    """A schema, ready to check values; by one thread at a time. ``options``: of the library's validators."""

    def __init__(self, schema: Any, **options: Any) -> None:
        self._end = 0.0
        make: Any = extend  # it has no types
        own = {
            **Draft202012Validator.VALIDATORS,
            **dict.fromkeys(_LEFT, _leave),
            "additionalProperties": self._match_others,
            "pattern": self._match_pattern,
        }
        kind = make(Draft202012Validator, {name: self._limit(work) for name, work in own.items()})
        kind.evolve = attrs.evolve
        self._validator = kind(schema, **options)

    def find_faults(self, value: Any, most: int) -> list[ValidationError]:
        """Return the first faults of a value, each of which quotes a part of it.

        Raises ``CheckTooLong``, and what the library raises.
        """
        self._end = time.thread_time() + MOST_SECONDS
        return list(islice(self._validator.iter_errors(value), most))

    def _limit(self, work: _Work) -> _Work:
        def check(validator: Any, rule: Any, value: Any, schema: Any) -> Any:
            self._require_time()
            return work(validator, rule, value, schema)

        return check

    def _require_time(self) -> None:
        if time.thread_time() > self._end:
            raise CheckTooLong

    def _match_pattern(
        self, _validator: Any, pattern: str, value: Any, _schema: Any
    ) -> Iterator[ValidationError]:
        if isinstance(value, str) and not self._finds(pattern, value):
            yield ValidationError(f"{value[:100]!r} does not match {pattern[:100]!r}")

    def _match_others(
        self, validator: Any, others: Any, value: Any, schema: Any
    ) -> Iterator[ValidationError]:
        """Check the members without a property of their own, but for those that a pattern may be about."""
        if isinstance(value, Mapping):
            own, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
            found = {
                name: one
                for name, one in value.items()
                if name in own or not any(self._finds(pattern, name) for pattern in patterns)
            }
            yield from _OTHERS(validator, others, found, {"properties": own})

    def _finds(self, pattern: str, value: str) -> bool:
        """Whether a pattern is found; one that cannot be matched in linear time is left to the server."""
        self._require_time()  # a schema may have thousands of patterns for each of many names
        try:
            compiled = compile_pattern(pattern)
        except ValueError:
            return True
        return len(value) * compiled.programsize > _MOST_STEPS or compiled.search(value) is not None


def prepare_check(schema: bytes) -> SchemaCheck:
    """Prepare a schema. Raises ``UnusableSchema``."""
    found = _prepare(schema)
    if found is None:
        raise UnusableSchema
    return found


@lru_cache(maxsize=256)
def _prepare(schema: bytes) -> SchemaCheck | None:
    """Prepare a schema; None for one that cannot be used, which is not looked at again either."""
    if len(schema) > _MOST_BYTES:
        return None
    read = orjson.loads(schema)
    try:
        is_sound = not _prepare_meta().find_faults(read, 1)
    except CheckTooLong:
        return None
    return SchemaCheck(read, registry=Registry()) if is_sound else None


@lru_cache(maxsize=1)
def _prepare_meta() -> SchemaCheck:
    """Prepare the schema of schemas, whose references the library has at hand."""
    return SchemaCheck(Draft202012Validator.META_SCHEMA)


def _leave(_validator: Any, _keyword: Any, _value: Any, _schema: Any) -> Iterator[ValidationError]:
    """Leave to the server what one step takes long for: patterns of any time, comparing each with each."""
    return iter(())


_LEFT: Final = ("patternProperties", "unevaluatedItems", "unevaluatedProperties", "uniqueItems")
