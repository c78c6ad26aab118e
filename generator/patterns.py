"""Regular expressions as their consumer reads them: Pydantic's engine (Rust), linear, no look-around."""

from collections.abc import Mapping
from functools import lru_cache

from pydantic_core import SchemaError, SchemaValidator, ValidationError, core_schema

_MAX_LENGTH = 1000

_OCTET = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
_LABEL = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_CLOCK = r"T(?:[0-9]+(?:\.[0-9]+)?[HMS])+"

FORMAT_PATTERNS: Mapping[str, str] = {
    "duration": f"^P(?:(?:[0-9]+[YMWD])+(?:{_CLOCK})?|{_CLOCK})$",
    "email": r"^[^@\s]+@[^@\s]+\.[^@\s]+$",
    "hostname": rf"^{_LABEL}(?:\.{_LABEL})*$",
    "ipv4": rf"^(?:{_OCTET}\.){{3}}{_OCTET}$",
    "ipv6": "^[0-9a-fA-F]*:[0-9a-fA-F:.]*:[0-9a-fA-F:.]*$",
    "time": r"^(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]+)?(?:Z|[+-][0-2][0-9]:[0-5][0-9])$",
    "uri": r"^[A-Za-z][A-Za-z0-9+.-]*:[^\s]+$",
    "uuid": "^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$",
}
"""The pattern of a string that says its ``format`` and no ``pattern`` of its own.

They mean the same in Rust (which checks bodies), in ECMAScript (which clients use) and in Python: no
look-around, no back-references.
"""


@lru_cache(maxsize=4096)
def pattern_problem(pattern: str) -> str | None:
    """Return why the pattern cannot be used, or None."""
    if len(pattern) > _MAX_LENGTH:
        return f"longer than {_MAX_LENGTH} characters"
    try:
        _validator(pattern)
    except SchemaError as error:
        lines = [line.strip() for line in str(error).splitlines()]
        reason = next((line for line in lines if line.startswith("error: ")), "error: cannot be compiled")
        return reason.removeprefix("error: ")
    return None


def matches(pattern: str, text: str) -> bool:
    """Whether the pattern is found in the text. Only for patterns without a problem."""
    try:
        _validator(pattern).validate_python(text)
    except ValidationError:
        return False
    return True


@lru_cache(maxsize=4096)
def _validator(pattern: str) -> SchemaValidator:
    return SchemaValidator(core_schema.str_schema(pattern=pattern))
