"""The challenges of protected routes (RFC 6750 §3), which name the metadata of the resource (RFC 9728)."""

from __future__ import annotations

from collections.abc import Mapping

from runtime.errors import Denied, InvalidParameter, ServiceError, Unauthenticated
from runtime.oauth.resource_metadata import metadata_url
from runtime.settings import Settings

_CHALLENGE = "WWW-Authenticate"
_TWICE = 'Bearer realm="recordsmith", error="invalid_request"'


def build_challenge(error: ServiceError, settings: Settings) -> Mapping[str, str]:
    """Build the challenge of a request without a good token, or without enough scope; nothing for others.

    Failed logins have challenges of their own, which lead nowhere else.
    """
    if isinstance(error, Unauthenticated | Denied):
        challenge = error.headers.get(_CHALLENGE)
    elif isinstance(error, InvalidParameter) and error.details.get("parameter") == "authorization":
        challenge = _TWICE
    else:
        challenge = None
    if challenge is None:
        return {}
    return {_CHALLENGE: f'{challenge}, resource_metadata="{metadata_url(settings)}"'}
