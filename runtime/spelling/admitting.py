"""What the store has as a value of a type: counts values that a former name of another type has left."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from runtime.spelling.values import Expression, Operation

_WHOLE: Final = ("int", "long")

_STORED_AS: Final = {
    "string": ("string",),
    "enum": ("string",),
    "states": ("string",),
    "date": ("string",),
    "datetime": ("date",),
    "integer": _WHOLE,
    "number": (*_WHOLE, "double"),
    "decimal": ("decimal",),
    "boolean": ("bool",),
    "objectId": ("objectId",),
    "list": ("array",),
    "object": ("object",),
    "map": ("object",),
    "reference": ("object",),
}
"""Type of a field → the types of its values in the store; of free JSON that is any."""


@dataclass(frozen=True, slots=True)
class Admit(Operation):
    """Nothing in place of a value that is not one of a type. Only to count those: no record is stored so."""

    type: str

    def express(self, x: Expression, is_new: Expression) -> Expression:
        if (types := _STORED_AS.get(self.type)) is None:
            return x
        return {"$cond": [{"$in": [{"$type": x}, [*types, "null"]]}, x, "$$REMOVE"]}

    def apply(self, value: Any, is_new: bool) -> Any:
        return value
