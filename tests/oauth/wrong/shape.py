"""The rows of the table, and the valid authorization request that some of them change.

``$name`` in a request stands for something valid that is created for the row (``Materials``), so a wrong request
differs from a right one only in what is wrong.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Final

CALLBACK: Final = "https://app.example/callback"
LOOPBACK: Final = "http://127.0.0.1/callback"
STOCK: Final = "https://stock.example/api"
STATE: Final = "a b&c=d%25/é\"'<"
VERIFIER: Final = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
CHALLENGE: Final = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

Value = str | Sequence[str] | None
Sent = Mapping[str, Value]


class Answer(Enum):
    """The form of a refusal."""

    JSON = auto()
    """RFC 6749 §5.2."""
    PAGE = auto()
    """A page for a person, without a Location."""
    BACK = auto()
    """The browser goes back to the application with an error."""
    BEARER = auto()
    """RFC 6750 §3: a challenge."""


@dataclass(frozen=True)
class Wrong:
    """A request, and its refusal. ``basic``: the client whose id and secret go by HTTP Basic.

    ``signed_on``: the browser of a user who is signed on, whom a request that was not refused would give a code.
    """

    request: str
    status: int
    error: str | None
    query: Sent | str | None = None
    form: Sent | bytes | None = None
    basic: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    answer: Answer = Answer.JSON
    signed_on: bool = False
    returns_to: str = CALLBACK


Rows = dict[str, Wrong]

AUTHORIZE: Final[Sent] = {
    "response_type": "code",
    "client_id": "web",
    "redirect_uri": CALLBACK,
    "scope": "openid",
    "state": STATE,
    "code_challenge": CHALLENGE,
    "code_challenge_method": "S256",
}


def pairs_of(sent: Sent) -> list[tuple[str, str]]:
    """The parameters in their order; a list is a repeated one, None one that is left out."""
    found: list[tuple[str, str]] = []
    for name, value in sent.items():
        found += [(name, one) for one in ([value] if isinstance(value, str) else value or ())]
    return found
