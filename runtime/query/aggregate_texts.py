"""The texts of an aggregate: ``placedAt.by(month) as month`` and ``sum(total)``. Pure; knows no fields."""

import re
from dataclasses import dataclass
from typing import Final, TypeVar

from runtime.errors import InvalidParameter
from runtime.filter.quoted import read_marked_path
from runtime.model.nearest import hint
from runtime.storage.store import Function, Key, Measure, Unit

T = TypeVar("T", Unit, Function)

_PATH: Final = r'(?:[^\s"()]|"[^"]*+(?>(?:""[^"]*+)*)")+?'
_KEY: Final = re.compile(
    rf"\s*(?P<path>{_PATH})(?:\.by\(\s*(?P<unit>\w+)\s*\))?(?:\s+as\s+(?P<name>[A-Za-z]\w{{0,63}}))?\s*",
    re.ASCII,
)
_MEASURE: Final = re.compile(rf"\s*(?P<function>\w+)(?:\s*+\(\s*+(?P<path>{_PATH})?\s*+\))?\s*", re.ASCII)


@dataclass(frozen=True, slots=True)
class NamedKey:
    """An entry of ``groupBy``; ``name``: of its column, None for the path."""

    key: Key
    name: str | None


def read_key(text: str, parameter: str) -> NamedKey:
    """Read an entry of ``groupBy``. Raises ``InvalidParameter``."""
    found = _KEY.fullmatch(text)
    if found is None:
        message = f"{text[:100]} is not a field: write status, placedAt.by(month) or items.product as product"
        raise InvalidParameter(message, parameter=parameter)
    unit = found["unit"] and _choose(Unit, found["unit"], parameter)
    return NamedKey(Key(_read_path(found["path"], parameter), unit or None), found["name"])


def read_measure(text: str, parameter: str) -> Measure:
    """Read a measure. Raises ``InvalidParameter``."""
    found = _MEASURE.fullmatch(text)
    if found is None:
        message = f"{text[:100]} is not a measure: write count, sum(field) or countDistinct(field)"
        raise InvalidParameter(message, parameter=parameter)
    function = _choose(Function, found["function"], parameter)
    if found["path"] is None:
        if function is not Function.COUNT:
            raise InvalidParameter(f"{function} is of a field: write {function}(field)", parameter=parameter)
        return Measure(function)
    return Measure(function, _read_path(found["path"], parameter))


def _choose(words: type[T], word: str, parameter: str) -> T:
    known = [str(one) for one in words]
    if word not in known:
        message = f"{word[:40]} is not one of {', '.join(known)}{hint(word, known)}"
        raise InvalidParameter(message, parameter=parameter)
    return words(word)


def _read_path(text: str, parameter: str) -> str:
    try:
        return read_marked_path(text)[0]
    except ValueError as error:
        raise InvalidParameter(str(error), parameter=parameter) from None
