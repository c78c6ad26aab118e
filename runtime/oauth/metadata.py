"""GET /.well-known/oauth-authorization-server (RFC 8414): what there is, and nothing else."""

from __future__ import annotations

from typing import Any

from runtime.call import Call
from runtime.oauth.presented import METHODS
from runtime.oauth.token import GRANTS
from runtime.storage.wire import Json, to_json
from runtime.system.answers import ServerMetadataBody
from runtime.tokens import CLIENT_ALGORITHMS


async def describe_server(call: Call) -> Json[Any]:
    """Return the metadata of the authorization server, which caches may keep for five minutes."""
    base = call.service.settings.base_url.rstrip("/")
    metadata: ServerMetadataBody = {
        "issuer": call.service.tokens.issuer,
        "token_endpoint": f"{base}/oauth/token",
        "jwks_uri": f"{base}/oauth/jwks",
        "response_types_supported": [],
        "grant_types_supported": list(GRANTS),
        "token_endpoint_auth_methods_supported": list(METHODS),
        "token_endpoint_auth_signing_alg_values_supported": list(CLIENT_ALGORITHMS),
    }
    return Json(to_json(metadata), headers={"Cache-Control": "public, max-age=300"})
