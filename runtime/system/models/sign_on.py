"""SignOn, from runtime/system/specs/security/sign_on.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Moment, RecordInput


class SignOn(RecordInput):
    """A browser in which a user signed in, for all applications (single sign-on). Only the hash of its cookie is stored."""

    subject: str
    cookie: str
    token_epoch: int
    auth_time: Moment
    last_used_at: Moment
    browser: Annotated[str | None, Field(max_length=300)] = None
    revoked: bool
    expires_at: Moment
