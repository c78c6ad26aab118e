"""SignOn, from runtime/system/specs/security/sign_on.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Moment, RecordInput


class SignOn(RecordInput):
    """A browser in which a user signed in, for all applications (single sign-on). Only the hash of its cookie is stored."""

    subject: Annotated[str, Field(description="The subject of the user.")]
    cookie: Annotated[str, Field(description="Hash of the cookie.")]
    token_epoch: Annotated[
        int, Field(description="The epoch of the credential when the user signed in; another one ends it.")
    ]
    auth_time: Annotated[Moment, Field(description="When the user last entered a password.")]
    last_used_at: Moment
    browser: Annotated[
        str | None, Field(max_length=300, description="The User-Agent header of the browser.")
    ] = None
    revoked: Annotated[bool, Field(description="Whether it has ended.")]
    expires_at: Annotated[Moment, Field(description="When it ends, unless it is used before.")]
