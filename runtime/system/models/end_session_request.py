"""EndSessionRequest, from runtime/system/specs/security/end_session_request.yaml. Written by the generator; do not edit."""

from runtime.model.record import SnakeCase


class EndSessionRequest(SnakeCase):
    """A request of an application to sign the user out (OpenID Connect RP-Initiated Logout 1.0). Unknown parameters are ignored."""

    id_token_hint: str | None = None
    client_id: str | None = None
    post_logout_redirect_uri: str | None = None
    state: str | None = None
    logout_hint: str | None = None
    ui_locales: str | None = None
    realm: str | None = None
