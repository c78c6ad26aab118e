"""TokenRequest, from runtime/system/specs/security/token_request.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import SnakeCase


class TokenRequest(SnakeCase):
    """A token request (RFC 6749). Unknown parameters are ignored, and an empty value counts as absent."""

    grant_type: Annotated[str, Field(max_length=200, min_length=1)]
    client_id: Annotated[str | None, Field(max_length=1000, min_length=1)] = None
    client_secret: Annotated[str | None, Field(max_length=1000, min_length=1)] = None
    client_assertion: Annotated[str | None, Field(max_length=8192, min_length=1)] = None
    client_assertion_type: Annotated[str | None, Field(max_length=200, min_length=1)] = None
    code: Annotated[str | None, Field(max_length=4000, min_length=1)] = None
    redirect_uri: Annotated[str | None, Field(max_length=2000, min_length=1)] = None
    code_verifier: Annotated[str | None, Field(max_length=1000, min_length=1)] = None
    refresh_token: Annotated[str | None, Field(max_length=8192, min_length=1)] = None
    scope: Annotated[str | None, Field(max_length=2000, min_length=1)] = None
    resource: Annotated[
        list[Annotated[str, Field(max_length=2000, min_length=1)]] | None, Field(max_length=10)
    ] = None
    realm: Annotated[str | None, Field(max_length=100, min_length=1)] = None
