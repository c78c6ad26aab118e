"""PresentedToken, from runtime/system/specs/security/presented_token.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import SnakeCase


class PresentedToken(SnakeCase):
    """A token and the client that presents it (RFC 7009, RFC 7662). Unknown parameters are ignored, and an empty value counts as absent."""

    token: Annotated[str, Field(min_length=1)]
    token_type_hint: Annotated[str | None, Field(max_length=200, min_length=1)] = None
    client_id: Annotated[str | None, Field(max_length=1000, min_length=1)] = None
    client_secret: Annotated[str | None, Field(max_length=1000, min_length=1)] = None
    client_assertion: Annotated[str | None, Field(max_length=8192, min_length=1)] = None
    client_assertion_type: Annotated[str | None, Field(max_length=200, min_length=1)] = None
    realm: Annotated[str | None, Field(max_length=100, min_length=1)] = None
