"""The phrase of a status, as RFC 9110 has it, on every version of Python.

Those of ``http.HTTPStatus`` differ between versions, and generated documents have to be the same everywhere.
"""

from http import HTTPStatus
from typing import Final

_OF_RFC_9110: Final = {
    413: "Content Too Large",
    414: "URI Too Long",
    416: "Range Not Satisfiable",
    422: "Unprocessable Content",
}

PHRASES: Final = {int(one): _OF_RFC_9110.get(one, one.phrase) for one in HTTPStatus}
"""The phrases of all statuses."""


def reason_phrase(status: int) -> str:
    """Name a status in words, such as ``Not Found``."""
    return PHRASES[status]
