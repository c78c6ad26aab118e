"""EndSessionForm, from runtime/system/specs/security/end_session_form.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import SnakeCase


class EndSessionForm(SnakeCase):
    """A request to sign the user out that is sent as a form, or the form of the page that asks the user."""

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
    request: Annotated[str | None, Field(description="Of the page: the signed request.")] = None
    decision: Annotated[str | None, Field(description="Of the page: logout or stay.")] = None
