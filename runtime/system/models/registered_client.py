"""RegisteredClient, from runtime/system/specs/security/registered_client.yaml. Written by the generator; do not edit."""

from typing import Any

from runtime.model.record import SnakeCase


class RegisteredClient(SnakeCase):
    """A client as it was registered (RFC 7591 section 3.2.1)."""

    client_id: str
    client_id_issued_at: int
    client_secret: str | None = None
    client_secret_expires_at: int | None = None
    client_name: str | None = None
    application_type: str
    redirect_uris: list[str]
    post_logout_redirect_uris: list[str] | None = None
    grant_types: list[str]
    response_types: list[str]
    token_endpoint_auth_method: str
    scope: str
    jwks: Any = None
    realm: str | None = None
