"""PushedAuthorization, from runtime/system/specs/security/pushed_authorization.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import SnakeCase


class PushedAuthorization(SnakeCase):
    """A pushed authorization request (RFC 9126). Unknown parameters are ignored."""

    response_type: str | None = None
    response_mode: str | None = None
    client_id: str | None = None
    redirect_uri: str | None = None
    scope: str | None = None
    state: str | None = None
    nonce: str | None = None
    code_challenge: str | None = None
    code_challenge_method: str | None = None
    resource: list[str] | None = None
    prompt: str | None = None
    max_age: str | None = None
    login_hint: str | None = None
    id_token_hint: str | None = None
    request: str | None = None
    request_uri: str | None = None
    registration: str | None = None
    realm: str | None = None
    client_secret: Annotated[str | None, Field(max_length=1000, min_length=1)] = None
    client_assertion: Annotated[str | None, Field(max_length=8192, min_length=1)] = None
    client_assertion_type: Annotated[str | None, Field(max_length=200, min_length=1)] = None
