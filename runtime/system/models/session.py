"""Session, from runtime/system/specs/security/session.yaml. Written by the generator; do not edit."""

from typing import Annotated, Literal

from pydantic import Field

from runtime.model.record import Moment, Strict


class Session(Strict):
    """Where a user is signed in: a browser, an application or a login."""

    id: Annotated[str, Field(description="The id by which it is ended.")]
    kind: Annotated[
        Literal["browser", "application", "login"],
        Field(
            description="browser: signed in for all applications (single sign-on); application: the tokens of an OAuth client; login: the tokens of /security/login."
        ),
    ]
    client_id: Annotated[str | None, Field(description="Of an application: its client id.")] = None
    client_name: Annotated[
        str | None, Field(description="Of an application: its name, unless it was disabled or removed.")
    ] = None
    scope: Annotated[str | None, Field(description="Of an application: what it may do.")] = None
    browser: Annotated[str | None, Field(description="What the browser calls itself.")] = None
    sign_on: Annotated[
        str | None,
        Field(description="Of an application: the id of the browser session that it came of, and ends with."),
    ] = None
    begun_at: Annotated[Moment, Field(description="When the user signed in.")]
    last_used_at: Annotated[
        Moment,
        Field(
            description="When it was last used: to the minute for browsers, the last refresh of tokens for the others."
        ),
    ]
    ends_at: Annotated[Moment, Field(description="When it ends unless it is used before.")]
    current: Annotated[bool, Field(description="Whether it is the session of this request.")]
