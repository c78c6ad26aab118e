"""Session, from runtime/system/specs/security/session.yaml. Written by the generator; do not edit."""

from typing import Literal

from runtime.model.record import Moment, Strict


class Session(Strict):
    """Where a user is signed in: a browser, an application or a login."""

    id: str
    kind: Literal["browser", "application", "login"]
    client_id: str | None = None
    client_name: str | None = None
    scope: str | None = None
    browser: str | None = None
    sign_on: str | None = None
    begun_at: Moment
    last_used_at: Moment
    ends_at: Moment
    current: bool
