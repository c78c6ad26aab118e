"""The challenges of protected routes (RFC 6750 §3), which name the metadata of the resource (RFC 9728)."""

from collections.abc import Mapping

from runtime.errors import Denied, InvalidParameter, ServiceError, Unauthenticated
from runtime.oauth.resource_metadata import SCOPES, metadata_url
from runtime.settings import Settings

_CHALLENGE = "WWW-Authenticate"
_MALFORMED = 'Bearer realm="recordsmith", error="invalid_request"'


def build_challenge(error: ServiceError, settings: Settings) -> Mapping[str, str]:
    """Build the challenge of a request without a good token, or without enough scope; nothing for others.

    Failed logins have challenges of their own, which lead nowhere else.
    """
    if isinstance(error, Unauthenticated | Denied):
        challenge = error.headers.get(_CHALLENGE)
    elif isinstance(error, InvalidParameter) and error.details.get("parameter") == "authorization":
        challenge = _MALFORMED
    else:
        challenge = None
    return {} if challenge is None else _render(challenge, settings)


def build_door_challenge(error: ServiceError, settings: Settings, door: str) -> Mapping[str, str]:
    """Build the challenge of the resource ``door``, which names the scopes that a client may ask for.

    A client learns from them what to request before it has read the metadata.
    """
    if isinstance(error, Unauthenticated):
        challenge = f'{error.headers[_CHALLENGE]}, scope="{" ".join(SCOPES)}"'
        return _render(challenge, settings, f"/{door}")
    if isinstance(error, Denied) and (missing := error.headers.get(_CHALLENGE)) is not None:
        return _render(missing, settings, f"/{door}")
    return build_challenge(error, settings)


def challenge_malformed(settings: Settings) -> Mapping[str, str]:
    """Build the challenge of a request that sends its token in a wrong way, or twice (RFC 6750 §3.1)."""
    return _render(_MALFORMED, settings)


def _render(challenge: str, settings: Settings, resource: str = "") -> Mapping[str, str]:
    return {_CHALLENGE: f'{challenge}, resource_metadata="{metadata_url(settings)}{resource}"'}
