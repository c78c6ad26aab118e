"""Errors of the OAuth routes: the body of RFC 6749 §5.2, and its codes."""

import re
from collections.abc import Mapping
from typing import Final

from pydantic import Field

from runtime.model.record import SnakeCase

ERRORS: Final[Mapping[str, tuple[int, str]]] = {
    "invalid_request": (400, "A parameter is missing, repeated or malformed."),
    "invalid_client": (401, "The client is unknown or disabled, or its secret is wrong."),
    "insufficient_scope": (403, "The access token lacks a scope."),
    "invalid_grant": (400, "The code or refresh token is not accepted."),
    "unauthorized_client": (400, "The client may not use this grant type."),
    "unsupported_grant_type": (400, "The grant type is not supported."),
    "unsupported_response_type": (400, "The response type is not supported."),
    "request_not_supported": (400, "Request objects are not supported."),
    "request_uri_not_supported": (400, "Only requests that were pushed here have a request_uri."),
    "registration_not_supported": (400, "Clients do not register by authorization requests."),
    "invalid_scope": (400, "The client may not request this scope."),
    "invalid_target": (400, "The client may not request a token for this resource."),
    "unsupported_token_type": (400, "The token is neither an access token nor a refresh token."),
    "invalid_redirect_uri": (400, "A redirect URI cannot be registered."),
    "invalid_client_metadata": (400, "A member of the metadata of the client is not accepted."),
    "invalid_token": (401, "The access token is missing or not accepted."),
    "server_error": (500, "An internal fault; it was logged."),
    "temporarily_unavailable": (503, "Try again after Retry-After seconds."),
}
"""Code → its usual status, and what it means. The statuses 405, 413 and 415 are ``invalid_request`` too,
and too many failed attempts (429) are ``temporarily_unavailable``."""


_NOT_ALLOWED: Final = re.compile(r"[^\x20\x21\x23-\x5B\x5D-\x7E]")


def clean_description(text: str) -> str:
    """Return a description with the characters that ``error_description`` may have (RFC 6749 §5.2)."""
    return _NOT_ALLOWED.sub("'", text.replace("…", "..."))


class OAuthError(SnakeCase):
    """An error of an OAuth route (RFC 6749 section 5.2)."""

    error: str = Field(description="The error code.", json_schema_extra={"enum": list(ERRORS)})
    error_description: str = Field(description="An explanation for developers, in ASCII.")
