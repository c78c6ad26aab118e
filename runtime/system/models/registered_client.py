"""RegisteredClient, from runtime/system/specs/security/registered_client.yaml. Written by the generator; do not edit."""

from typing import Annotated, Any

from pydantic import Field

from runtime.model.record import SnakeCase


class RegisteredClient(SnakeCase):
    """A client as it was registered (RFC 7591 section 3.2.1)."""

    client_id: str
    client_id_issued_at: Annotated[int, Field(description="When it was registered, in seconds since 1970.")]
    client_secret: Annotated[
        str | None, Field(description="The secret, which is returned this once; for clients that have one.")
    ] = None
    client_secret_expires_at: Annotated[int | None, Field(description="0: the secret does not expire.")] = (
        None
    )
    client_name: str | None = None
    application_type: str
    redirect_uris: list[str]
    post_logout_redirect_uris: list[str] | None = None
    grant_types: list[str]
    response_types: list[str]
    token_endpoint_auth_method: str
    scope: Annotated[
        str,
        Field(
            description="The scopes that the client may request, which are not always those that were sent."
        ),
    ]
    jwks: Any = None
    realm: Annotated[
        str | None, Field(description="The realm of the client, if it is not the default realm.")
    ] = None
