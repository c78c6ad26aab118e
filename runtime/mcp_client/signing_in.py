"""How this service signs in at MCP servers that want OAuth: by client credentials, as itself."""

import httpx2
from mcp.client.auth import TokenStorage
from mcp.client.auth.extensions.client_credentials import ClientCredentialsOAuthProvider
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken

from runtime.mcp_client.options import ClientOptions


class Remembered(TokenStorage):
    """The token of one client, in memory: it is asked for again by the next process."""

    def __init__(self) -> None:
        self._token: OAuthToken | None = None
        self._information: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self._token

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self._token = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self._information

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self._information = client_info


def build_auth(options: ClientOptions) -> httpx2.Auth | None:
    """Build what authorizes the requests of a client; None where static headers do.

    Tokens are requested at the configured issuer alone, whatever the server names.
    """
    oauth = options.oauth
    if oauth is None:
        return None
    return ClientCredentialsOAuthProvider(
        server_url=options.url,
        storage=Remembered(),
        client_id=oauth.client_id,
        client_secret=oauth.client_secret,
        scope=oauth.scope,
        issuer=oauth.issuer,
    )
