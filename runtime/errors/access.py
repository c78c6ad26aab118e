"""What is about the caller: who has not signed in, and who may not do something."""

from typing import Any, Final

from runtime.service_error import ServiceError

_CHALLENGE: Final = 'Bearer realm="recordsmith"'


class AccessError(ServiceError):
    """Abstract: about who is calling, who may sign in to try again unless a leaf says otherwise."""

    @property
    def headers(self) -> dict[str, str]:
        return {"WWW-Authenticate": _CHALLENGE}


class Unauthenticated(AccessError):
    """No credentials (no ``error`` in the challenge) or bad ones: RFC 6750 §3.1."""

    status, code, title = 401, "access.unauthenticated", "Sign in first"

    def __init__(self, message: str, *, bad_token: bool = False, cause: BaseException | None = None) -> None:
        super().__init__(message, cause=cause)
        self.bad_token = bad_token

    @property
    def headers(self) -> dict[str, str]:
        error = ', error="invalid_token"' if self.bad_token else ""
        return {"WWW-Authenticate": f"{_CHALLENGE}{error}"}


class LoginFailed(AccessError):
    """The same for an unknown user and a wrong password."""

    status, code, title = 401, "login.failed", "Login failed"


class PasswordChangeRequired(AccessError):
    status, code, title = 401, "login.password_change_required", "The password must be changed"


class Denied(AccessError):
    """``decided`` is private: what was asked and decided, for the record that is kept of refusals.

    ``scope``: the scope that the token lacks, where that is all that is in the way (RFC 6750 §3.1).
    """

    status, code, title = 403, "access.denied", "Not allowed"

    def __init__(
        self, message: str, /, *, decided: Any = None, cause: BaseException | None = None, **details: Any
    ) -> None:
        super().__init__(message, cause=cause, **details)
        self.decided = decided

    @property
    def headers(self) -> dict[str, str]:
        if (scope := self.details.get("scope")) is None:
            return {}
        return {"WWW-Authenticate": f'{_CHALLENGE}, error="insufficient_scope", scope="{scope}"'}
