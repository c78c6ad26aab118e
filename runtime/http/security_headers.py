"""The headers of every answer that tell browsers what they may not do with it.

Answers of the API are data: no document made of one may load anything, or be shown in a frame. The page of
``/docs`` may use what this service serves, and no inline script or style.
"""

from collections.abc import Sequence
from typing import Final, TypeAlias

Headers: TypeAlias = Sequence[tuple[bytes, bytes]]

_POLICY: Final = b"content-security-policy"
_NOTHING_ELSE: Final = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
DATA_POLICY: Final = f"default-src 'none'; {_NOTHING_ELSE}"
PAGE_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    f"{_NOTHING_ELSE}"
)

_ALWAYS: Final = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
_FOR_DATA: Final = (*_ALWAYS, (_POLICY, DATA_POLICY.encode()))
_BY_HTTPS: Final = ((b"strict-transport-security", b"max-age=31536000"),)


def security_headers(headers: Headers, *, is_https: bool) -> Headers:
    """Return what to add to the headers of an answer, whose names are in lower case.

    ``is_https``: whether its caller came by HTTPS, and is to come by nothing else for a year.
    """
    added = _ALWAYS if _POLICY in dict(headers) else _FOR_DATA
    return added + _BY_HTTPS if is_https else added
