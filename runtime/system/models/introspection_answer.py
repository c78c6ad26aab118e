"""IntrospectionAnswer, from runtime/system/specs/security/introspection_answer.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import SnakeCase


class IntrospectionAnswer(SnakeCase):
    """What a token permits (RFC 7662 section 2.2). For a token that is not active, nothing but `active` is returned."""

    active: Annotated[bool, Field(description="Whether the token is in force and the client may know of it.")]
    scope: Annotated[str | None, Field(description="Its scopes; absent if it has none.")] = None
    client_id: Annotated[
        str | None, Field(description="The client it was issued to; absent for a login without one.")
    ] = None
    username: Annotated[str | None, Field(description="The user id of the user that it acts as.")] = None
    token_type: Annotated[
        str | None,
        Field(description="The authorization scheme of an access token; absent for a refresh token."),
    ] = None
    exp: Annotated[int | None, Field(description="When it expires, in seconds since 1970.")] = None
    iat: Annotated[int | None, Field(description="When it was issued, in seconds since 1970.")] = None
    sub: Annotated[str | None, Field(description="The subject of the user.")] = None
    aud: Annotated[list[str] | None, Field(description="The resource servers that it is for.")] = None
    iss: Annotated[str | None, Field(description="The issuer.")] = None
    jti: Annotated[str | None, Field(description="The id of the token.")] = None
