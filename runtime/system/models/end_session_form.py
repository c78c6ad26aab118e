"""EndSessionForm, from runtime/system/specs/security/end_session_form.yaml. Written by the generator; do not edit."""

from runtime.model.record import SnakeCase


class EndSessionForm(SnakeCase):
    """A request to sign the user out that is sent as a form, or the form of the page that asks the user."""

    id_token_hint: str | None = None
    client_id: str | None = None
    post_logout_redirect_uri: str | None = None
    state: str | None = None
    logout_hint: str | None = None
    ui_locales: str | None = None
    realm: str | None = None
    request: str | None = None
    decision: str | None = None
