"""The metadata of protected resources (RFC 9728): which authorization server, which scopes."""

from typing import Any, Final

from runtime.call import Call
from runtime.oauth.well_known import find_described, path_of, render_public
from runtime.permissions.token_scopes import EVERY_AREA
from runtime.settings import Settings
from runtime.storage.wire import Json
from runtime.system.answers import ResourceMetadataBody
from runtime.tokens import Tokens

PATH: Final = "/.well-known/oauth-protected-resource"

SCOPES: Final = (f"{EVERY_AREA}:read", f"{EVERY_AREA}:write")
"""Those that clients may ask for by themselves: neither users and rules, nor tokens that outlive the user."""


async def describe_resource(call: Call, *, resource_path: str | None = None) -> Json[Any]:
    """Return the metadata of a resource. ``resource_path``: what follows the well-known path.

    Raises ``NotFound``.
    """
    tokens, settings = call.service.tokens, call.service.settings
    resource = find_described(_resources(tokens), resource_path)
    metadata: ResourceMetadataBody = {
        "resource": resource,
        "authorization_servers": [tokens.issuer],
        "scopes_supported": list(SCOPES),
        "bearer_methods_supported": ["header"],
    }
    if settings.documentation != "off":
        metadata["resource_documentation"] = f"{settings.base_url.rstrip('/')}/docs"
    return render_public(metadata)


def metadata_url(settings: Settings) -> str:
    """Return where the metadata of this service is, for the challenges of RFC 9728 §5.1."""
    return settings.base_url.rstrip("/") + PATH


def _resources(tokens: Tokens) -> dict[str, str]:
    """Return path → resource, with the paths as they are at the host and below the base URL."""
    service, mcp = tokens.audience, tokens.mcp_audience
    return {"": service, "mcp": mcp, path_of(service): service, path_of(mcp): mcp}
