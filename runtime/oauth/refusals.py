"""The refusals of the OAuth routes (RFC 6749 §5.2). What else goes wrong there is ``http.oauth_errors``."""

from __future__ import annotations

from typing import Final

from runtime.contract.oauth import ERRORS
from runtime.errors import RequestError

CHALLENGE: Final = 'Basic realm="recordsmith", charset="UTF-8"'


class OAuthRefused(RequestError):
    """Abstract: ``code`` is the ``error`` of the body."""


class InvalidRequest(OAuthRefused):
    """A request that cannot be read, or could be read in two ways."""

    code = "invalid_request"
    status, title = ERRORS[code]


class InvalidClient(OAuthRefused):
    """The same for an unknown client, a disabled one and a wrong secret."""

    code = "invalid_client"
    status, title = ERRORS[code]

    @property
    def headers(self) -> dict[str, str]:
        """Return the challenge."""
        return {"WWW-Authenticate": CHALLENGE}


class UnauthorizedClient(OAuthRefused):
    """A client that may not use the grant type."""

    code = "unauthorized_client"
    status, title = ERRORS[code]


class UnsupportedGrantType(OAuthRefused):
    """A grant type that this service does not have."""

    code = "unsupported_grant_type"
    status, title = ERRORS[code]


class InvalidScope(OAuthRefused):
    """A scope that the client may not request."""

    code = "invalid_scope"
    status, title = ERRORS[code]


class InvalidTarget(OAuthRefused):
    """A resource that the client may not request a token for (RFC 8707)."""

    code = "invalid_target"
    status, title = ERRORS[code]
