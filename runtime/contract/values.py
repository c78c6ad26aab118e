"""Values of parameters and answers."""

import math
import re
from typing import Annotated, Any, Final

from pydantic import BeforeValidator, Field
from pydantic_core import PydanticCustomError

MOST: Final = 2**31 - 1
"""The largest number that says how many records to skip or to return."""


def read_digits(value: Any) -> Any:
    """Read plain digits: Python would also read ``1_0``, blanks around and digits of other scripts."""
    if not isinstance(value, str):
        return value
    if re.fullmatch("-?[0-9]{1,40}", value) is None:
        raise PydanticCustomError("whole_number", "Input should be a whole number in plain digits")
    return int(value)


def read_flag(value: Any) -> Any:
    """Read ``true`` or ``false``: Pydantic would also read ``1``, ``yes`` and ``on``."""
    if value not in ("true", "false"):
        raise PydanticCustomError("true_or_false", "Input should be true or false")
    return value == "true"


def read_number(value: Any) -> Any:
    """Read a number: Python would also read ``nan`` and ``1_0``, and make large ones infinite."""
    is_number = re.fullmatch(r"-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?", value)
    if not is_number or math.isinf(float(value)):
        raise PydanticCustomError("number", "Input should be a number, as in 12.5")
    return float(value)


TrueOrFalse = Annotated[bool, BeforeValidator(read_flag)]
JsonSchema = dict[str, Any]
Natural = Annotated[int, Field(ge=0)]
Positive = Annotated[int, Field(ge=1)]


def describe_field(description: str, **schema: Any) -> Any:
    """Declare a field with a description and more for the document: an example, or a bound.

    Such a bound is checked elsewhere with a better message.
    """
    return Field(description=description, json_schema_extra=schema or None)
