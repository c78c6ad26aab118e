"""The refusals of the OAuth routes (RFC 6749 §5.2) and of their pages; ``runtime.http`` sends them."""

from collections.abc import Mapping
from typing import Final

from runtime.contract.oauth import ERRORS

BEARER: Final = 'Bearer realm="recordsmith"'
"""The challenge where no token was sent, which names no error (RFC 6750 §3.1)."""

_CHALLENGES: Final = {
    "invalid_client": 'Basic realm="recordsmith", charset="UTF-8"',
    "invalid_token": f'{BEARER}, error="invalid_token"',
}


class OAuthRefused(Exception):
    """A refusal with one of the codes of ``ERRORS``. It is never a problem, hence not a ``ServiceError``.

    ``challenge``: where it is not that of the code.
    """

    def __init__(self, error: str, description: str, challenge: str | None = None) -> None:
        super().__init__(description)
        self.error = error
        self.description = description
        self.status, _text = ERRORS[error]
        self.facts: Mapping[str, str] = {}
        """What the log adds to it: which client and grant were refused."""
        self._challenge = challenge or _CHALLENGES.get(error)

    @property
    def headers(self) -> dict[str, str]:
        """Response headers this refusal asks for."""
        return {} if self._challenge is None else {"WWW-Authenticate": self._challenge}


class PageRefused(Exception):
    """A refusal that people see as a page, because there is no application that it could be reported to."""

    def __init__(self, title: str, text: str, status: int = 400) -> None:
        super().__init__(text)
        self.title = title
        self.text = text
        self.status = status
