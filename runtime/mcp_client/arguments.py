"""Check arguments by the JSON Schema that a tool elsewhere publishes.

The schema is somebody else's: no reference of it is fetched, and its patterns are matched in linear time.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

import orjson
from jsonschema import Draft202012Validator, ValidationError
from jsonschema.exceptions import SchemaError
from jsonschema.validators import extend
from referencing import Registry
from referencing.exceptions import Unresolvable

from runtime.errors import RemoteFailed, ValidationFailed
from runtime.linear_patterns import compile_pattern

_MOST_VIOLATIONS: Final = 20
_OTHERS: Final[Any] = Draft202012Validator.VALIDATORS["additionalProperties"]


def check_arguments(tool: str, schema: Mapping[str, Any], arguments: Mapping[str, Any]) -> None:
    """Check the arguments for a tool.

    Raises ``ValidationFailed`` with a violation for each that is wrong, ``RemoteFailed`` for a schema that
    is none.
    """
    try:
        validator = _prepare(orjson.dumps(schema))
        faults = sorted(
            validator.iter_errors(arguments), key=lambda fault: list(map(str, fault.absolute_path))
        )
    except (SchemaError, Unresolvable, RecursionError) as error:
        raise RemoteFailed(f"the schema of the tool {tool} cannot be used", cause=error) from None
    if faults:
        violations = [_describe(fault) for fault in faults[:_MOST_VIOLATIONS]]
        message = f"the arguments do not fit the tool {tool}: {violations[0]['message']}"
        raise ValidationFailed(message, violations=violations)


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
    """Leave to the server what asks for patterns that are matched in any time."""
    return iter(())


def _finds(pattern: str, value: str) -> bool:
    """Whether a pattern is found; one that cannot be matched in linear time is left to the server."""
    try:
        return compile_pattern(pattern).search(value) is not None
    except ValueError:
        return True


def _extend() -> Any:
    make: Any = extend  # it has no types
    own = {
        "additionalProperties": _match_others,
        "pattern": _match_pattern,
        "patternProperties": _leave,
        "unevaluatedProperties": _leave,
    }
    return make(Draft202012Validator, own)


_VALIDATOR: Final = _extend()


@lru_cache(maxsize=256)
def _prepare(schema: bytes) -> Any:
    read = orjson.loads(schema)
    Draft202012Validator.check_schema(read)
    return _VALIDATOR(read, registry=Registry())


def _describe(fault: ValidationError) -> dict[str, str]:
    path = ".".join(map(str, fault.absolute_path))
    return {"path": path, "message": fault.message[:300]}
