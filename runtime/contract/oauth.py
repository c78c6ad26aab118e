"""Errors of the OAuth routes: the body of RFC 6749 §5.2, and its codes."""

from collections.abc import Mapping
from typing import Final

from pydantic import Field

from runtime.model.record import SnakeCase

ERRORS: Final[Mapping[str, tuple[int, str]]] = {
    "invalid_request": (400, "A parameter is missing, repeated or malformed."),
    "invalid_client": (401, "The client is unknown or disabled, or its secret is wrong."),
    "invalid_grant": (400, "The code or refresh token is not accepted."),
    "unauthorized_client": (400, "The client may not use this grant type."),
    "unsupported_grant_type": (400, "The grant type is not supported."),
    "invalid_scope": (400, "The client may not request this scope."),
    "invalid_target": (400, "The client may not request a token for this resource."),
    "server_error": (500, "An internal fault; it was logged."),
    "temporarily_unavailable": (503, "Try again after Retry-After seconds."),
}
"""Code → its usual status, and what it means. The statuses 405, 413 and 415 are ``invalid_request`` too,
and too many failed attempts (429) are ``temporarily_unavailable``."""


class OAuthError(SnakeCase):
    """An error of an OAuth route (RFC 6749 section 5.2)."""

    error: str = Field(description="The error code.", json_schema_extra={"enum": list(ERRORS)})
    error_description: str = Field(description="An explanation for developers, in ASCII.")
