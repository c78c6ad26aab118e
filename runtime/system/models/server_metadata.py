"""ServerMetadata, from runtime/system/specs/security/server_metadata.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import SnakeCase


class ServerMetadata(SnakeCase):
    """What OAuth clients need to know about this authorization server (RFC 8414)."""

    issuer: Annotated[str, Field(description="The issuer of access tokens.")]
    token_endpoint: Annotated[str, Field(description="Where clients request tokens.")]
    jwks_uri: Annotated[str, Field(description="The public keys that verify access tokens.")]
    response_types_supported: Annotated[
        list[str], Field(description="Response types of authorization requests: none.")
    ]
    grant_types_supported: Annotated[list[str], Field(description="Grant types of token requests.")]
    token_endpoint_auth_methods_supported: Annotated[
        list[str], Field(description="How clients may authenticate.")
    ]
    token_endpoint_auth_signing_alg_values_supported: Annotated[
        list[str], Field(description="Algorithms of client assertions.")
    ]
