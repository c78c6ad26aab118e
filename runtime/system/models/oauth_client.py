"""OauthClient, from runtime/system/specs/security/oauth_client.yaml. Written by the generator; do not edit."""

from typing import Annotated, Literal

from pydantic import Field

from runtime.model.record import Record, RecordInput, Strict, UniqueItems


class OauthClientFields(Strict):
    """The fields that are both sent and read."""

    client_id: Annotated[
        str,
        Field(
            max_length=100,
            min_length=1,
            pattern="^[A-Za-z0-9._~@-]+$",
            description="The client id; unique in the realm across tenants.",
        ),
    ]
    client_name: Annotated[
        str | None, Field(max_length=200, min_length=1, description="What people call the application.")
    ] = None
    active: Annotated[
        bool | None, Field(description="Whether the client may sign in; false also refuses its tokens.")
    ] = True
    allowed_grant_types: Annotated[
        list[Literal["client_credentials"]] | None,
        Field(max_length=10, description="The grant types the client may use."),
        UniqueItems(),
    ] = None
    allowed_resources: Annotated[
        list[Annotated[str, Field(max_length=2000, min_length=1)]] | None,
        Field(
            max_length=50,
            description="URIs of other resource servers that the client may request tokens for (RFC 8707).",
        ),
        UniqueItems(),
    ] = None
    token_endpoint_auth_method: Annotated[
        Literal["client_secret_basic", "client_secret_post"] | None,
        Field(description="How the client must send its secret; either way if absent."),
    ] = None
    subject: Annotated[
        str | None,
        Field(
            description="The subject of the credential whose rights the tokens of client_credentials have."
        ),
    ] = None


class OauthClientInput(OauthClientFields, RecordInput):
    """An application that signs in with a client id and a secret (OAuth 2.0). `recordsmith clients create` creates it together with its secret and the credential whose rights its tokens have; a client without them gets no token (as sent)."""


class OauthClient(OauthClientFields, Record):
    """An application that signs in with a client id and a secret (OAuth 2.0). `recordsmith clients create` creates it together with its secret and the credential whose rights its tokens have; a client without them gets no token."""


class OauthClientStored(OauthClientInput):
    """OauthClient as stored, with what only the server sets and nobody sees."""

    client_secret_hash: str | None = None
    previous_secret_hash: str | None = None
