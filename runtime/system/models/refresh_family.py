"""RefreshFamily, from runtime/system/specs/security/refresh_family.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Moment, RecordInput


class RefreshFamily(RecordInput):
    """The chain of refresh tokens of one login, or of what a user granted to a client. Only hashes are stored. A client without refresh tokens has one too, for as long as its access token lives."""

    subject: Annotated[str, Field(description="The credential's subject.")]
    current: Annotated[str, Field(description="Hash of the current token.")]
    previous: Annotated[str | None, Field(description="Hash of the token used last.")] = None
    rotated_at: Moment
    revoked: Annotated[bool, Field(description="Whether all its tokens are refused.")]
    client_id: Annotated[
        str | None,
        Field(description="The OAuth client that the tokens were issued to; absent for a login without one."),
    ] = None
    client_record: Annotated[
        str | None,
        Field(
            description="The id of the record of that client: a later one with the same client id is another."
        ),
    ] = None
    scope: Annotated[str | None, Field(description="The scopes that the user granted to the client.")] = None
    resources: Annotated[
        list[str] | None, Field(description="The resources that the user granted to the client (RFC 8707).")
    ] = None
    auth_time: Annotated[Moment | None, Field(description="When the user last entered a password.")] = None
    show_auth_time: Annotated[bool | None, Field(description="Whether id tokens must have auth_time.")] = None
    sign_on: Annotated[
        str | None, Field(description="The refName of the sign-on in whose browser the client got its code.")
    ] = None
    code: Annotated[
        str | None, Field(description="Hash of the authorization code that the family began with.")
    ] = None
    last_used_at: Annotated[
        Moment | None, Field(description="When the client last refreshed its tokens.")
    ] = None
    expires_at: Annotated[Moment, Field(description="When the last token expires and the record is deleted.")]
