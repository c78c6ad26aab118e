"""AuthorizationCode, from runtime/system/specs/security/authorization_code.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Moment, RecordInput


class AuthorizationCode(RecordInput):
    """A code by which a client gets the tokens of a user who signed in. Only its hash is stored, as the refName. It is valid once and for five minutes; one that was used is kept for as long as its tokens can live, to notice a second use."""

    client_id: str
    client_record: Annotated[
        str,
        Field(
            description="The id of the record of that client: a later one with the same client id is another."
        ),
    ]
    redirect_uri: Annotated[str, Field(description="The redirect URI as the authorization request had it.")]
    subject: Annotated[str, Field(description="The subject of the user.")]
    token_epoch: Annotated[int, Field(description="The epoch of the credential when the user signed in.")]
    scope: Annotated[str | None, Field(description="The scopes that were granted.")] = None
    resources: Annotated[
        list[str] | None, Field(description="The resources that were granted (RFC 8707).")
    ] = None
    challenge: Annotated[str | None, Field(description="The PKCE challenge (S256).")] = None
    nonce: Annotated[str | None, Field(description="To be repeated in the id token.")] = None
    auth_time: Annotated[Moment, Field(description="When the user entered a password.")]
    show_auth_time: Annotated[bool | None, Field(description="Whether the id token must have auth_time.")] = (
        None
    )
    sign_on: Annotated[str | None, Field(description="The refName of the sign-on of the browser.")] = None
    used: Annotated[bool, Field(description="Whether it was exchanged.")]
    valid_until: Moment
    expires_at: Annotated[Moment, Field(description="When the record is deleted.")]
