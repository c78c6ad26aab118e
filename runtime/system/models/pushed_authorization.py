"""PushedAuthorization, from runtime/system/specs/security/pushed_authorization.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import SnakeCase


class PushedAuthorization(SnakeCase):
    """A pushed authorization request (RFC 9126). Unknown parameters are ignored."""

    response_type: Annotated[str | None, Field(description="Must be code.")] = None
    response_mode: Annotated[str | None, Field(description="Must be query, if it is sent.")] = None
    client_id: Annotated[str | None, Field(description="The client id.")] = None
    redirect_uri: Annotated[
        str | None, Field(description="Where the browser returns to: one that the client has registered.")
    ] = None
    scope: Annotated[
        str | None, Field(description="Space-separated scopes. Default: those the client is registered for.")
    ] = None
    state: Annotated[str | None, Field(description="Returned to the client as it is.")] = None
    nonce: Annotated[str | None, Field(description="Repeated in the ID token.")] = None
    code_challenge: Annotated[str | None, Field(description="The PKCE challenge (RFC 7636).")] = None
    code_challenge_method: Annotated[str | None, Field(description="Must be S256, with a challenge.")] = None
    resource: Annotated[
        list[str] | None,
        Field(description="The URI of a resource server that the token is for (RFC 8707); may be repeated."),
    ] = None
    prompt: Annotated[
        str | None,
        Field(description="none, or any of login, consent and select_account (OpenID Connect Core)."),
    ] = None
    max_age: Annotated[
        str | None, Field(description="Maximum seconds since the user entered a password.")
    ] = None
    login_hint: Annotated[str | None, Field(description="The user id to suggest.")] = None
    id_token_hint: Annotated[
        str | None, Field(description="An ID token of the user whom the client expects.")
    ] = None
    request: Annotated[str | None, Field(description="Not supported.")] = None
    request_uri: Annotated[str | None, Field(description="Must not be sent.")] = None
    registration: Annotated[str | None, Field(description="Not supported.")] = None
    realm: Annotated[
        str | None, Field(description="The realm of the client, if it is not the default realm.")
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
