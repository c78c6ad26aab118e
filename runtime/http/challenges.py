"""The challenges of protected routes (RFC 6750 §3), which name the metadata of the resource (RFC 9728)."""

from collections.abc import Mapping

from runtime.errors import Denied, InvalidParameter, ServiceError, Unauthenticated
from runtime.oauth.resource_metadata import SCOPES, metadata_url
from runtime.settings import Settings

_CHALLENGE = "WWW-Authenticate"
_MALFORMED = 'Bearer realm="recordsmith", error="invalid_request"'


def build_challenge(error: ServiceError, settings: Settings, door: str = "") -> Mapping[str, str]:
    """Build the challenge of a request without a good token, or without enough scope; nothing for others.

    ``door``: the resource, where that is not the API. Its challenge names the scopes that a client may ask
    for, which learns from them what to request before it has read the metadata. Failed logins have
    challenges of their own, which lead nowhere else.
    """
    if isinstance(error, InvalidParameter) and error.details.get("parameter") == "authorization":
        return challenge_malformed(settings, door)
    challenge = error.headers.get(_CHALLENGE) if isinstance(error, Unauthenticated | Denied) else None
    if challenge is None:
        return {}
    if not door:
        return _render(challenge, settings)
    scopes = f', scope="{" ".join(SCOPES)}"' if isinstance(error, Unauthenticated) else ""
    return _render(challenge + scopes, settings, door)


def challenge_malformed(settings: Settings, door: str = "") -> Mapping[str, str]:
    """Build the challenge of a request that sends its token in a wrong way, or twice (RFC 6750 §3.1)."""
    return _render(_MALFORMED, settings, door)


def _render(challenge: str, settings: Settings, door: str = "") -> Mapping[str, str]:
    path = f"/{door}" if door else ""
    return {_CHALLENGE: f'{challenge}, resource_metadata="{metadata_url(settings)}{path}"'}
