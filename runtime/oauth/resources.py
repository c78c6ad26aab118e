"""Resource indicators (RFC 8707): which resource servers a token can be for."""

import re
from collections.abc import Sequence
from typing import Final
from urllib.parse import urlsplit

from runtime.call import Call
from runtime.client import Client
from runtime.model.nearest import hint
from runtime.oauth.refusals import OAuthRefused

_MOST_CHARACTERS: Final = 4000
"""All resources of a token together, which names them and must not be too long to be accepted."""

_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[!$&-;=?-Z_a-z~%\[\]]+")


def fault_of_resource(uri: str) -> str | None:
    """Describe what is wrong with the URI of a resource server; None if nothing is."""
    if "#" in uri:
        return "has a fragment: remove what follows #"
    try:
        parts = urlsplit(uri)
    except ValueError:
        return "is not a URI"
    if not _URI.fullmatch(uri) or (parts.scheme in ("http", "https") and not parts.hostname):
        return "is not an absolute URI: write one such as https://api.example/orders"
    if "@" in parts.netloc:
        return "has user information: remove what precedes @"
    return None


def find_audience(call: Call, client: Client, resources: Sequence[str]) -> tuple[str, ...]:
    """Return the audience that a client requests, empty for the usual one. Raises ``OAuthRefused``."""
    tokens = call.service.tokens
    return choose_resources(client, resources, (tokens.audience, tokens.mcp_audience))


def choose_resources(
    client: Client, requested: Sequence[str], own: Sequence[str], granted: Sequence[str] | None = None
) -> tuple[str, ...]:
    """Return the resources that a client requests, each once; ``own`` are the audiences of this service.

    ``granted``: what may be suggested, where a user has decided that; else all of ``own``. Raises
    ``OAuthRefused`` for one that is malformed, or that the client may not request.
    """
    resources, known = tuple(dict.fromkeys(requested)), {*client.resources, *own}
    suggested = [one for one in own if granted is None or one in granted]
    for resource in resources:
        if fault := fault_of_resource(resource):
            raise OAuthRefused("invalid_target", f"resource {fault}")
        if resource not in known:
            # Those of the client are not named: anybody can send a request with its id.
            text = f"the client may not request a token for this resource{hint(resource, suggested)}"
            raise OAuthRefused("invalid_target", text)
    if sum(map(len, resources)) > _MOST_CHARACTERS:
        text = f"the resources have more than {_MOST_CHARACTERS} characters: request a token for fewer"
        raise OAuthRefused("invalid_target", text)
    return resources


def narrow_audience(
    call: Call, client: Client, granted: Sequence[str], requested: Sequence[str] | None
) -> tuple[str, ...]:
    """Return the part of what a user granted that a token request names, or all. Raises ``OAuthRefused``.

    Where the user granted no resource by name, it is this service and its MCP door.
    """
    tokens = call.service.tokens
    own = (tokens.audience, tokens.mcp_audience)
    audience = choose_resources(client, requested or granted, own, granted or own)
    if not {*audience} <= {*(granted or own)}:
        raise OAuthRefused("invalid_target", "the authorization request did not name this resource")
    return audience
