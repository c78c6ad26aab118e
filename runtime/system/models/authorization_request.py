"""AuthorizationRequest, from runtime/system/specs/security/authorization_request.yaml. Written by the generator; do not edit."""

from runtime.model.record import SnakeCase


class AuthorizationRequest(SnakeCase):
    """An authorization request (RFC 6749, OpenID Connect Core). Unknown parameters are ignored."""

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
