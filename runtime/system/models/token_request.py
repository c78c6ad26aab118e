"""TokenRequest, from runtime/system/specs/security/token_request.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import SnakeCase


class TokenRequest(SnakeCase):
    """A token request (RFC 6749). Unknown parameters are ignored, and an empty value counts as absent."""

    grant_type: Annotated[str, Field(max_length=200, min_length=1, description="The grant type.")]
    client_id: Annotated[
        str | None,
        Field(max_length=1000, min_length=1, description="The client id, if it is not sent by HTTP Basic."),
    ] = None
    client_secret: Annotated[
        str | None,
        Field(
            max_length=1000, min_length=1, description="The client secret, if it is not sent by HTTP Basic."
        ),
    ] = None
    client_assertion: Annotated[
        str | None,
        Field(
            max_length=8192,
            min_length=1,
            description="A signed token in place of a secret, for clients registered for private_key_jwt (RFC 7523).",
        ),
    ] = None
    client_assertion_type: Annotated[
        str | None,
        Field(
            max_length=200,
            min_length=1,
            description="The kind of client_assertion: urn:ietf:params:oauth:client-assertion-type:jwt-bearer.",
        ),
    ] = None
    code: Annotated[
        str | None,
        Field(max_length=4000, min_length=1, description="authorization_code: the code from the redirect."),
    ] = None
    redirect_uri: Annotated[
        str | None,
        Field(
            max_length=2000,
            min_length=1,
            description="authorization_code: the redirect URI of the authorization request.",
        ),
    ] = None
    code_verifier: Annotated[
        str | None,
        Field(
            max_length=1000,
            min_length=1,
            description="authorization_code: the verifier of the challenge in the authorization request (RFC 7636).",
        ),
    ] = None
    refresh_token: Annotated[
        str | None,
        Field(
            max_length=8192, min_length=1, description="refresh_token: the refresh token, which is used up."
        ),
    ] = None
    scope: Annotated[
        str | None,
        Field(
            max_length=2000,
            min_length=1,
            description="Space-separated scopes; with refresh_token a part of those that were granted.",
        ),
    ] = None
    resource: Annotated[
        list[Annotated[str, Field(max_length=2000, min_length=1)]] | None,
        Field(
            max_length=10,
            description="The URI of a resource server that the token is for (RFC 8707); may be repeated.",
        ),
    ] = None
    realm: Annotated[
        str | None,
        Field(
            max_length=100,
            min_length=1,
            description="The realm of the client, if it is not the default realm.",
        ),
    ] = None
