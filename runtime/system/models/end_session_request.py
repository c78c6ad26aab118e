"""EndSessionRequest, from runtime/system/specs/security/end_session_request.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import SnakeCase


class EndSessionRequest(SnakeCase):
    """A request of an application to sign the user out (OpenID Connect RP-Initiated Logout 1.0). Unknown parameters are ignored."""

    id_token_hint: Annotated[
        str | None,
        Field(description="An ID token that the application got for the user; it may have expired."),
    ] = None
    client_id: Annotated[
        str | None,
        Field(description="The client id of the application; that of the ID token if both are sent."),
    ] = None
    post_logout_redirect_uri: Annotated[
        str | None,
        Field(
            description="Where the browser returns to: one that the client has registered. Needs id_token_hint or client_id."
        ),
    ] = None
    state: Annotated[str | None, Field(description="Returned to the client as it is.")] = None
    logout_hint: Annotated[str | None, Field(description="Not used.")] = None
    ui_locales: Annotated[str | None, Field(description="Not used.")] = None
    realm: Annotated[
        str | None,
        Field(
            description="The realm of the client, if it is not the default realm; that of the ID token if both are sent."
        ),
    ] = None
