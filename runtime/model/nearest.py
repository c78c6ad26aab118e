"""Did you mean …?

The sender of a text chooses how often a suggestion is looked for and, with value mappings, among how many. So
at most ``MOST_CANDIDATES`` short candidates are compared, most of them cheaply, and a request gets at most
``MOST_SUGGESTIONS``; afterwards nothing is near. Together that costs a request less than 0.1 s.
"""

from collections.abc import Collection, Iterable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from itertools import islice
from typing import Final

MOST_CANDIDATES: Final = 1000
MOST_SUGGESTIONS: Final = 100
_MOST_CHARACTERS: Final = 100
"""Of a candidate; of a name as many are looked at."""
_CUTOFF: Final = 70
_FEW: Final = 12


@dataclass(slots=True)
class _Allowance:
    left: int


_allowance: ContextVar[_Allowance | None] = ContextVar("suggestions", default=None)


class SuggestionLimit:
    """A limit on the suggestions of one request, with the tasks and threads that it starts."""

    __slots__ = ("_token",)

    def __enter__(self) -> None:
        self._token = _allowance.set(_Allowance(MOST_SUGGESTIONS))

    def __exit__(self, *_error: object) -> None:
        _allowance.reset(self._token)


def nearest(name: str, known: Iterable[str]) -> list[str]:
    """Return at most three known names that look like ``name``, best first.

    Names are compared as a whole, whatever the case of their letters.
    """
    allowance = _allowance.get()
    if allowance is not None and not allowance.left:
        return []
    name = name[:_MOST_CHARACTERS]
    candidates = sorted(one for one in islice(known, MOST_CANDIDATES) if len(one) <= _MOST_CHARACTERS)
    if allowance is not None and candidates:
        allowance.left -= 1
    # Imported with the first mistake: the library takes 2 MB, which callers who make none do without.
    from rapidfuzz import fuzz, process

    found = process.extract(
        name, candidates, scorer=fuzz.ratio, processor=str.casefold, limit=3, score_cutoff=_CUTOFF
    )
    return [candidate for candidate, _score, _index in found]


def closest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that looks most like ``name``; None when none is near."""
    return next(iter(nearest(name, known)), None)


def hint(name: str, known: Iterable[str]) -> str:
    """Return ``; did you mean refName?``, or nothing when no known name is near."""
    return did_you_mean(nearest(name, known))


def hint_or_all(name: str, known: Collection[str], what: str) -> str:
    """Return ``hint``; where no known name is near, all of them if they are few."""
    return hint(name, known) or name_all(known, what)


def name_all(known: Collection[str], what: str, where: str = "") -> str:
    """Return ``; the fields are a, b and c``, or nothing when there are many or none.

    ``where``: ``" of lines"``, whose they are.
    """
    if not 0 < len(known) <= _FEW:
        return ""
    *others, last = sorted(known)
    if not others:
        return f"; the only {what}{where} is {last}"
    return f"; the {what}s{where} are {', '.join(others)} and {last}"


def did_you_mean(near: Sequence[str]) -> str:
    """Ask whether one of these names was meant; ``""`` without any."""
    return f"; did you mean {' or '.join(near)}?" if near else ""


def called_now(name: str) -> str:
    """Tell a caller that used a former name what the field is called now."""
    return f"; it is called {name} now"


def add_suggestion(message: str, suggestion: str | None) -> str:
    """Add what may be meant to a message, unless it ends with that."""
    if not suggestion or message.endswith(did_you_mean([suggestion])):
        return message
    return f"{message} (did you mean {suggestion}?)"
