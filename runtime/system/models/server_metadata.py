"""ServerMetadata, from runtime/system/specs/security/server_metadata.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import SnakeCase


class ServerMetadata(SnakeCase):
    """What OAuth clients need to know about this authorization server (RFC 8414, OpenID Connect Discovery)."""

    issuer: Annotated[str, Field(description="The issuer of access tokens and ID tokens.")]
    authorization_endpoint: Annotated[
        str | None, Field(description="Where applications send browsers to sign in.")
    ] = None
    token_endpoint: Annotated[str, Field(description="Where clients request tokens.")]
    jwks_uri: Annotated[str, Field(description="The public keys that verify tokens.")]
    userinfo_endpoint: Annotated[
        str | None, Field(description="Where clients read claims about the user.")
    ] = None
    revocation_endpoint: Annotated[
        str | None, Field(description="Where clients revoke tokens (RFC 7009).")
    ] = None
    introspection_endpoint: Annotated[
        str | None, Field(description="Where resource servers ask about tokens (RFC 7662).")
    ] = None
    end_session_endpoint: Annotated[
        str | None, Field(description="Where applications send browsers to log out.")
    ] = None
    pushed_authorization_request_endpoint: Annotated[
        str | None, Field(description="Where clients push authorization requests (RFC 9126).")
    ] = None
    registration_endpoint: Annotated[str | None, Field(description="Where clients register (RFC 7591).")] = (
        None
    )
    scopes_supported: Annotated[list[str], Field(description="The scopes.")]
    claims_supported: Annotated[list[str], Field(description="The claims of ID tokens and of the user.")]
    response_types_supported: Annotated[
        list[str], Field(description="Response types of authorization requests.")
    ]
    response_modes_supported: Annotated[
        list[str] | None, Field(description="How the answer to an authorization request is returned.")
    ] = None
    grant_types_supported: Annotated[list[str], Field(description="Grant types of token requests.")]
    subject_types_supported: Annotated[
        list[str], Field(description="Every client gets the same subject for a user.")
    ]
    id_token_signing_alg_values_supported: Annotated[list[str], Field(description="Algorithms of ID tokens.")]
    code_challenge_methods_supported: Annotated[
        list[str] | None, Field(description="Methods of code challenges (RFC 7636).")
    ] = None
    token_endpoint_auth_methods_supported: Annotated[
        list[str], Field(description="How clients may authenticate.")
    ]
    token_endpoint_auth_signing_alg_values_supported: Annotated[
        list[str], Field(description="Algorithms of client assertions.")
    ]
    revocation_endpoint_auth_methods_supported: Annotated[
        list[str] | None, Field(description="How clients may authenticate there.")
    ] = None
    revocation_endpoint_auth_signing_alg_values_supported: Annotated[
        list[str] | None, Field(description="Algorithms of client assertions there.")
    ] = None
    introspection_endpoint_auth_methods_supported: Annotated[
        list[str] | None, Field(description="How callers may authenticate there.")
    ] = None
    introspection_endpoint_auth_signing_alg_values_supported: Annotated[
        list[str] | None, Field(description="Algorithms of client assertions there.")
    ] = None
    require_pushed_authorization_requests: Annotated[
        bool | None, Field(description="Whether authorization requests have to be pushed.")
    ] = None
    authorization_response_iss_parameter_supported: Annotated[
        bool | None,
        Field(description="Whether answers to authorization requests name the issuer (RFC 9207)."),
    ] = None
    claims_parameter_supported: Annotated[
        bool | None, Field(description="Whether requests may name claims.")
    ] = None
    request_parameter_supported: Annotated[
        bool | None, Field(description="Whether requests may be signed objects.")
    ] = None
    request_uri_parameter_supported: Annotated[
        bool | None, Field(description="Whether requests may be fetched by URL.")
    ] = None
    client_id_metadata_document_supported: Annotated[
        bool | None,
        Field(description="Whether a client id may be the URL of a document that describes the client."),
    ] = None
