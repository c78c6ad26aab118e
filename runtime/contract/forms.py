"""Parameters of forms and pages (application/x-www-form-urlencoded), as RFC 6749 §3.1 and §3.2 read them.

A parameter that is empty counts as absent, an unknown one is ignored, a repeated one is an error.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, Self, TypeVar, get_args, get_origin
from urllib.parse import parse_qsl

from pydantic import BaseModel

from runtime.errors import MalformedRequest

M = TypeVar("M", bound=BaseModel)
N = TypeVar("N", bound=BaseModel)

FORM: Final = "application/x-www-form-urlencoded"

_MOST_PARAMETERS: Final = 100
_BROKEN = re.compile(rb"%(?![0-9A-Fa-f]{2})")


@dataclass(frozen=True, slots=True)
class Parameters(Generic[M]):
    """The parameters of a page as they arrived; their names are those of the structure ``M``.

    Nothing but their encoding has been checked: what is wrong with a parameter is often reported elsewhere
    than on the page, which takes other parameters to decide. ``repeated``: names that came more than once and
    are not lists.
    """

    names: frozenset[str]
    pairs: tuple[tuple[str, str], ...]
    repeated: frozenset[str] = frozenset()

    @classmethod
    def read(cls, model: type[M], pairs: Sequence[tuple[str, str]]) -> Self:
        """Build the parameters of a request from all that it has."""
        names = frozenset(model.model_fields)
        known = tuple((name, value) for name, value in pairs if value and name in names)
        return cls(names, known, frozenset(find_repeated(pairs, list_names(model))))

    def narrow(self, model: type[N]) -> "Parameters[N]":
        """Return those of another structure."""
        names = frozenset(model.model_fields)
        return Parameters(names, tuple(pair for pair in self.pairs if pair[0] in names), self.repeated)

    def get(self, name: str) -> str | None:
        """Return the value of a parameter, the first one if it is repeated."""
        return next(iter(self.get_all(name)), None)

    def get_all(self, name: str) -> list[str]:
        """Return the values of a parameter that may be repeated."""
        if name not in self.names:
            raise KeyError(name)
        return [value for own, value in self.pairs if own == name]


def parse_form(text: bytes) -> list[tuple[str, str]]:
    """Parse a form or a query string into names and values, without empty pairs (``a=b&``).

    Raises ``MalformedRequest``.
    """
    if _BROKEN.search(text):
        raise MalformedRequest("the request has a % that begins no escape: write %25 for the sign itself")
    if text.count(b"&") >= _MOST_PARAMETERS:
        raise MalformedRequest(f"the request has more than {_MOST_PARAMETERS} parameters")
    pairs = b"&".join(filter(None, text.split(b"&")))
    if not pairs:
        return []
    try:
        return parse_qsl(pairs.decode(), keep_blank_values=True, strict_parsing=True, errors="strict")
    except UnicodeDecodeError:
        raise MalformedRequest("the request is not in UTF-8") from None
    except ValueError:
        fault = "the request has a parameter without =: write name=value, with one & between two"
        raise MalformedRequest(fault) from None


def find_repeated(pairs: Iterable[tuple[str, str]], lists: Collection[str]) -> dict[str, int]:
    """Return how many times each parameter was sent that may be sent once."""
    counts = Counter(name for name, _value in pairs)
    return {name: count for name, count in counts.items() if count > 1 and name not in lists}


def list_names(model: type[BaseModel]) -> frozenset[str]:
    """Return the parameters that may be repeated: the lists of a structure."""
    return frozenset(
        info.alias or name for name, info in model.model_fields.items() if _is_list(info.annotation)
    )


def _is_list(annotation: Any) -> bool:
    """Whether a field is a list, be it optional or annotated."""
    return get_origin(annotation) is list or any(map(_is_list, get_args(annotation)))
