"""OauthClient, from runtime/system/specs/security/oauth_client.yaml. Written by the generator; do not edit."""

from typing import Annotated, Any, Literal

from pydantic import Field

from runtime.model.record import Moment, Record, RecordInput, Strict, UniqueItems


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
    application_type: Annotated[
        Literal["web", "native"] | None,
        Field(
            description="native: runs on the device of its user; any port of a redirect URI on the loopback address is accepted."
        ),
    ] = "web"
    public_client: Annotated[
        bool | None, Field(description="Whether the client has no secret; it proves itself by PKCE.")
    ] = False
    redirect_uris: Annotated[
        list[Annotated[str, Field(max_length=2000, min_length=1)]] | None,
        Field(max_length=50, description="Where the browser returns to after a sign-in; compared exactly."),
        UniqueItems(),
    ] = None
    post_logout_redirect_uris: Annotated[
        list[Annotated[str, Field(max_length=2000, min_length=1)]] | None,
        Field(max_length=50, description="Where the browser may return to after a logout; compared exactly."),
        UniqueItems(),
    ] = None
    allowed_grant_types: Annotated[
        list[Literal["authorization_code", "client_credentials", "refresh_token"]] | None,
        Field(max_length=10, description="The grant types the client may use."),
        UniqueItems(),
    ] = None
    allowed_scopes: Annotated[
        list[Annotated[str, Field(max_length=200, min_length=1)]] | None,
        Field(
            max_length=100,
            description="The scopes the client may request, and gets when it requests none. If absent or empty it may request any.",
        ),
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
        Literal["client_secret_basic", "client_secret_post", "none", "private_key_jwt"] | None,
        Field(description="How the client must authenticate; by its secret in either way if absent."),
    ] = None
    jwks: Annotated[
        Any, Field(description="The public keys of private_key_jwt, as a JSON Web Key Set (RFC 7517).")
    ] = None
    require_pkce: Annotated[
        bool | None, Field(description="Whether sign-ins need PKCE; those of public clients always do.")
    ] = False
    require_consent: Annotated[
        bool | None, Field(description="Whether users are asked before the client gets access.")
    ] = False
    all_tenants: Annotated[
        bool | None,
        Field(
            description="Whether users of all tenants may sign in to it; if not, those of its own data domain. Only an operator sets it, at the command line."
        ),
    ] = None
    writer_roles: Annotated[
        list[str] | None,
        Field(
            description="The roles that all writers of the client had. Users with other roles are asked before it gets access."
        ),
    ] = None
    self_registered: Annotated[
        bool | None, Field(description="Whether the client registered itself (RFC 7591).")
    ] = None
    unused_until: Annotated[
        Moment | None,
        Field(description="When a client that registered itself is removed unless it got a token before."),
    ] = None
    subject: Annotated[
        str | None,
        Field(
            description="The subject of the credential whose rights the tokens of client_credentials have."
        ),
    ] = None
    realm: Annotated[
        str | None,
        Field(
            max_length=100,
            min_length=1,
            description="The realm of the client; if sent, it must be the realm of the call.",
        ),
    ] = None


class OauthClientInput(OauthClientFields, RecordInput):
    """An application that gets tokens here (OAuth 2.0, OpenID Connect): for itself, or for users that sign in. `recordsmith clients create` creates it together with its secret and the credential whose rights its own tokens have; over the API these are further requests (as sent)."""

    client_secret_hash: Annotated[
        str | None,
        Field(
            pattern="^\\$2[aby]\\$(0[4-9]|1[0-4])\\$[./A-Za-z0-9]{53}$",
            description="The bcrypt hash of the secret, with a cost of 4 to 14. It may be sent for a new client, and is never returned; the server creates secrets otherwise.",
        ),
    ] = None


class OauthClient(OauthClientFields, Record):
    """An application that gets tokens here (OAuth 2.0, OpenID Connect): for itself, or for users that sign in. `recordsmith clients create` creates it together with its secret and the credential whose rights its own tokens have; over the API these are further requests."""


class OauthClientStored(OauthClientInput):
    """OauthClient as stored, with what only the server sets and nobody sees."""

    previous_secret_hash: str | None = None
