"""ClientRegistration, from runtime/system/specs/security/client_registration.yaml. Written by the generator; do not edit."""

from typing import Annotated, Any, Literal

from pydantic import Field

from runtime.model.record import SnakeCase


class ClientRegistration(SnakeCase):
    """The metadata of a client that registers itself (RFC 7591 section 2). Unknown members are ignored."""

    client_name: Annotated[str | None, Field(max_length=200, min_length=1)] = None
    application_type: Literal["web", "native"] | None = "web"
    redirect_uris: Annotated[
        list[Annotated[str, Field(max_length=2000, min_length=1)]] | None, Field(max_length=50)
    ] = None
    post_logout_redirect_uris: Annotated[
        list[Annotated[str, Field(max_length=2000, min_length=1)]] | None, Field(max_length=50)
    ] = None
    grant_types: Annotated[
        list[Annotated[str, Field(max_length=200, min_length=1)]] | None, Field(max_length=10)
    ] = None
    response_types: Annotated[
        list[Annotated[str, Field(max_length=200, min_length=1)]] | None, Field(max_length=10)
    ] = None
    token_endpoint_auth_method: Annotated[str | None, Field(max_length=200, min_length=1)] = None
    scope: Annotated[str | None, Field(max_length=2000, min_length=1)] = None
    jwks: Any = None
    realm: Annotated[str | None, Field(max_length=100, min_length=1)] = None
