"""AuthorizationForm, from runtime/system/specs/security/authorization_form.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import SnakeCase


class AuthorizationForm(SnakeCase):
    """An authorization request that is sent as a form, or the form of one of its pages."""

    response_type: Annotated[str | None, Field(description="Must be code.")] = None
    response_mode: Annotated[str | None, Field(description="Must be query, if it is sent.")] = None
    client_id: Annotated[str | None, Field(description="The client id.")] = None
    redirect_uri: Annotated[
        str | None, Field(description="Where the browser returns to: one that the client has registered.")
    ] = None
    scope: Annotated[
        str | None, Field(description="Space-separated scopes. Default: those the client is registered for.")
    ] = None
    state: Annotated[str | None, Field(description="Returned to the client as it is.")] = None
    nonce: Annotated[str | None, Field(description="Repeated in the ID token.")] = None
    code_challenge: Annotated[str | None, Field(description="The PKCE challenge (RFC 7636).")] = None
    code_challenge_method: Annotated[str | None, Field(description="Must be S256, with a challenge.")] = None
    resource: Annotated[
        list[str] | None,
        Field(description="The URI of a resource server that the token is for (RFC 8707); may be repeated."),
    ] = None
    prompt: Annotated[
        str | None,
        Field(description="none, or any of login, consent and select_account (OpenID Connect Core)."),
    ] = None
    max_age: Annotated[
        str | None, Field(description="Maximum seconds since the user entered a password.")
    ] = None
    login_hint: Annotated[str | None, Field(description="The user id to suggest.")] = None
    id_token_hint: Annotated[
        str | None, Field(description="An ID token of the user whom the client expects.")
    ] = None
    request: Annotated[
        str | None,
        Field(description="An authorization request must not have it; of the forms: the signed request."),
    ] = None
    request_uri: Annotated[
        str | None, Field(description="The name of a pushed request (RFC 9126); sent with client_id alone.")
    ] = None
    registration: Annotated[str | None, Field(description="Not supported.")] = None
    realm: Annotated[
        str | None, Field(description="The realm of the client, if it is not the default realm.")
    ] = None
    username: Annotated[str | None, Field(description="Of the login form: the user id.")] = None
    password: Annotated[str | None, Field(description="Of the login form.")] = None
    decision: Annotated[str | None, Field(description="Of the consent form: allow or deny.")] = None
    new_password: Annotated[str | None, Field(description="Of the form for a new password.")] = None
    change_token: Annotated[
        str | None, Field(description="Of the form for a new password: what permits the change.")
    ] = None
