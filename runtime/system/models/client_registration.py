"""ClientRegistration, from runtime/system/specs/security/client_registration.yaml. Written by the generator; do not edit."""

from typing import Annotated, Any, Literal

from pydantic import Field

from runtime.model.record import SnakeCase


class ClientRegistration(SnakeCase):
    """The metadata of a client that registers itself (RFC 7591 section 2). Unknown members are ignored."""

    client_name: Annotated[
        str | None, Field(max_length=200, min_length=1, description="What people call the application.")
    ] = None
    application_type: Annotated[
        Literal["web", "native"] | None,
        Field(
            description="native: runs on the device of its user; any port of a redirect URI on the loopback address is accepted."
        ),
    ] = "web"
    redirect_uris: Annotated[
        list[Annotated[str, Field(max_length=2000, min_length=1)]] | None,
        Field(max_length=50, description="Where the browser returns to after a sign-in; compared exactly."),
    ] = None
    post_logout_redirect_uris: Annotated[
        list[Annotated[str, Field(max_length=2000, min_length=1)]] | None,
        Field(max_length=50, description="Where the browser may return to after a logout."),
    ] = None
    grant_types: Annotated[
        list[Annotated[str, Field(max_length=200, min_length=1)]] | None,
        Field(
            max_length=10,
            description="authorization_code, and refresh_token with it. The default is authorization_code.",
        ),
    ] = None
    response_types: Annotated[
        list[Annotated[str, Field(max_length=200, min_length=1)]] | None,
        Field(max_length=10, description="Must be code."),
    ] = None
    token_endpoint_auth_method: Annotated[
        str | None,
        Field(
            max_length=200,
            min_length=1,
            description="client_secret_basic, client_secret_post, private_key_jwt, or none for a client that cannot keep a secret. The default is client_secret_basic.",
        ),
    ] = None
    scope: Annotated[
        str | None,
        Field(
            max_length=2000,
            min_length=1,
            description="The scopes that the client may request, space-separated. Those that the service does not have, and those of the area security, are left out.",
        ),
    ] = None
    jwks: Annotated[Any, Field(description="The public keys of private_key_jwt (RFC 7517).")] = None
    realm: Annotated[
        str | None,
        Field(
            max_length=100,
            min_length=1,
            description="The realm of the client, if it is not the default realm.",
        ),
    ] = None
