"""The check of the record type ``OauthClient`` before a client is saved."""

from __future__ import annotations

from collections.abc import Iterable

from runtime.call import Call
from runtime.errors import ValidationFailed
from runtime.oauth.resources import fault_of_resource
from runtime.system.documents import OauthClientDocument


async def check_client(_call: Call, document: OauthClientDocument) -> None:
    """Raise ``ValidationFailed`` for a client without a secret that is not public, and for bad resources."""
    if document.get("tokenEndpointAuthMethod") == "none" and not document.get("publicClient"):
        raise ValidationFailed.at("tokenEndpointAuthMethod", "may be none for public clients only")
    check_resources(document.get("allowedResources") or ())


def check_resources(resources: Iterable[str]) -> None:
    """Raise ``ValidationFailed`` for what is not the URI of a resource server."""
    faults = ((f"allowedResources[{at}]", fault_of_resource(uri)) for at, uri in enumerate(resources))
    violations = [{"path": path, "message": fault} for path, fault in faults if fault]
    if violations:
        first = violations[0]
        raise ValidationFailed(f"{first['path']} {first['message']}", violations=violations)
