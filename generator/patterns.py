"""Regular expressions as their consumer reads them: Pydantic's engine (Rust), linear, no look-around."""

from functools import lru_cache

from pydantic_core import SchemaError, SchemaValidator, ValidationError, core_schema

_MAX_LENGTH = 1000


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
