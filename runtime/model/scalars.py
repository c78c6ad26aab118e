"""The scalar types of records.

They refuse what Pydantic's own accept too freely, so that nothing sent is rounded, guessed or stored twice.
"""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Context, Decimal
from functools import partial, reduce
from typing import Annotated, Any, Final

from pydantic import (
    AwareDatetime,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    PlainSerializer,
    StringConstraints,
    ValidatorFunctionWrapHandler,
    WithJsonSchema,
)
from pydantic_core import CoreSchema, PydanticCustomError, PydanticKnownError, core_schema

from runtime.fast.timestamps import format_timestamp

OBJECT_ID_PATTERN = "^[0-9a-f]{24}$"

MALFORMED_ID = "malformed_id"
"""The type of Pydantic's finding about a text that is not an id."""

REF_NAME_PATTERN = r"^[^\x00]*[^\s\x00][^\x00]*$"


MARKED_ID = re.compile(r"@@([0-9a-fA-F]{24})")
"""The id of a record, as filters and pairs write it."""

_PLAIN_WHOLE = re.compile(r"-?(?:0|[1-9][0-9]{0,18})")
PLAIN_FRACTION = re.compile(r"-?(?:0|[1-9][0-9]*)\.[0-9]+")
"""The numbers among texts of dynamic attributes: others are codes, as 05401, 12e4 and +351912345678 are."""

INT64: Final = 2**63
"""Integers of the store are less than this, and not less than its negative."""

DATE_EXAMPLE: Final = "2026-03-27"
DATETIME_EXAMPLE: Final = "2026-03-27T04:12:14.118Z"
DECIMAL_EXAMPLE: Final = "12.50"

_ANY_CASE = re.compile("^[0-9a-fA-F]{24}$")


def is_multiple(number: Decimal, step: Decimal) -> bool:
    """Return whether a number is a multiple of a step, whatever the number of their digits."""
    return _ALL_DIGITS.remainder(number, step) == 0


def is_plain_whole(text: str) -> bool:
    """Return whether the text of a dynamic attribute is a whole number, which the store can hold."""
    return _PLAIN_WHOLE.fullmatch(text) is not None and -INT64 <= int(text) < INT64


def is_id(text: str) -> bool:
    """Return whether a text is an id, in any case."""
    return _ANY_CASE.fullmatch(text) is not None


def spell_id(text: str) -> str:
    """Return an id in lower case, as it is stored; any other text is returned unchanged."""
    return text.lower() if is_id(text) else text


class IsObjectId:
    """Marks text that the store keeps as an object id; it is read in any case, as ``spell_id`` does."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        message = "should be an id of 24 hexadecimal digits"
        schema = core_schema.str_schema(pattern=_ANY_CASE.pattern, to_lower=True)
        return core_schema.custom_error_schema(schema, MALFORMED_ID, custom_error_message=message)

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return {"type": "string", "pattern": OBJECT_ID_PATTERN}


class IsRefName:
    """Marks the name of a record; one message for all that is wrong with it."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        message = "should have 1 to 200 characters, one of which is not a blank and none of which is NUL"
        return core_schema.custom_error_schema(handler(source), "ref_name", custom_error_message=message)


class IsAttribute:
    """Marks the value of a dynamic attribute: free-form where it is declared, typed where it is stored."""


def mark_type(annotation: Any, marks: Iterable[Any]) -> Any:
    """Annotate a type with each of these marks."""
    return reduce(lambda inner, mark: Annotated[inner, mark], marks, annotation)


ObjectIdText = Annotated[str, IsObjectId()]
RefName = Annotated[
    str, StringConstraints(min_length=1, max_length=200, pattern=REF_NAME_PATTERN), IsRefName()
]
Text200 = Annotated[str, StringConstraints(max_length=200)]


class IsoText:
    """Marks dates and date-times: text as RFC 3339 writes it, never a number of seconds."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        check = _check_date if source is date else _check_datetime
        return core_schema.no_info_before_validator_function(check, _from_text(handler(source)))


class ExactDecimal:
    """Marks decimals: a JSON number that was rounded on the way in is refused, not stored.

    ``multiple_of`` is decided for all digits, where Pydantic refuses quotients of more than 28.
    """

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_before_validator_function(_refuse_rounding, _from_text(handler(source)))


def _from_text(schema: CoreSchema) -> CoreSchema:
    """Return the schema behind a check of ours: it sees Python's text, which strictness would refuse."""
    inner: Any = schema
    if "schema" in inner:
        inner = {**inner, "schema": _from_text(inner["schema"])}
    elif inner["type"] in ("decimal", "date", "datetime"):
        inner = {**inner, "strict": False}
    changed: CoreSchema = _divide_exactly(inner) if "multiple_of" in inner else inner
    return changed


def _divide_exactly(schema: Any) -> CoreSchema:
    step = Decimal(str(schema["multiple_of"]))
    rest = {word: value for word, value in schema.items() if word != "multiple_of"}
    check = partial(_require_multiple, step)
    return core_schema.no_info_wrap_validator_function(check, rest, json_schema_input_schema=schema)


def _require_multiple(step: Decimal, value: Any, read: ValidatorFunctionWrapHandler) -> Decimal:
    number: Decimal = read(value)
    if not is_multiple(number, step):
        raise PydanticKnownError("multiple_of", {"multiple_of": step})
    return number


LocalDate = Annotated[date, IsoText()]


Moment = Annotated[
    AwareDatetime,
    IsoText(),
    PlainSerializer(format_timestamp, return_type=str, when_used="json-unless-none"),
    WithJsonSchema({"type": "string", "format": "date-time"}, mode="serialization"),
]

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_DATETIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ]")
_DECIMAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)")
_LONGEST_DECIMAL = 1000
"""Characters that are read: some digits more than a decimal keeps, for those who write zeros."""

_EXACT_DIGITS = 15
"""A double keeps that many decimal digits, whatever they are."""

_ALL_DIGITS: Final = Context(prec=20_000, traps=[])
"""Arithmetic with more digits than quotients of stored decimals, or of numbers in JSON, can have."""


def _check_date(value: Any) -> Any:
    if value is None or type(value) is date or (isinstance(value, str) and _DATE.fullmatch(value)):
        return value
    raise PydanticCustomError("date_text", f"is not a date; write it as in {DATE_EXAMPLE}")


_EDGES = ("0001-01-01", "9999-12-31")
"""The days that a zone may shift out of the calendar."""


def _check_datetime(value: Any) -> Any:
    if value is None or isinstance(value, datetime):
        return value
    if isinstance(value, str) and _DATETIME.match(value):
        return _require_calendar(value) if value.startswith(_EDGES) else value
    raise PydanticCustomError("datetime_text", f"is not a date-time; write it as in {DATETIME_EXAMPLE}")


def _require_calendar(text: str) -> str:
    try:
        datetime.fromisoformat(text).astimezone(UTC)
    except OverflowError:
        message = "is outside the years 1 to 9999 of UTC"
        raise PydanticCustomError("datetime_range", message) from None
    except ValueError:  # which Pydantic describes
        pass
    return text


def _refuse_rounding(value: Any) -> Any:
    if isinstance(value, str) and len(value) > _LONGEST_DECIMAL:
        raise PydanticCustomError(
            "decimal_text", f"is too long for a decimal: write it as in {DECIMAL_EXAMPLE}"
        )
    if isinstance(value, str) and _DECIMAL.fullmatch(value):  # as nearly all are
        return value
    if isinstance(value, bool | str | list | dict):
        raise PydanticCustomError("decimal_text", f"is not a decimal; write it as in {DECIMAL_EXAMPLE}")
    if isinstance(value, float) and math.isfinite(value):
        digits = Decimal(repr(value)).normalize().as_tuple().digits
        if len(digits) > _EXACT_DIGITS:
            raise PydanticCustomError(
                "rounded_decimal", "has more digits than a JSON number keeps: send it as text"
            )
    return value


@dataclass(frozen=True, slots=True)
class UniqueItems:
    """Marks a list in which no item comes twice: ``Annotated[list[str], UniqueItems()]``."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_after_validator_function(_refuse_repeats, handler(source))

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return {**handler(schema), "uniqueItems": True}


def _refuse_repeats(items: list[Any] | None) -> list[Any] | None:
    if items is not None and len({repr(item) for item in items}) < len(items):
        raise PydanticCustomError("unique_items", "an item comes twice")
    return items
