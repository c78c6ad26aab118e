"""The root of the tree of ``runtime.errors``: what all of them say, and how to list them."""

from copy import copy
from typing import Any, ClassVar, Self


class ServiceError(Exception):
    """Root of all answers that are not a success. Abstract: a leaf has ``status``, ``code``, ``title``.

    ``details`` are public members of the problem body (``violations``, ``column``, ``message`` …).
    """

    status: ClassVar[int]
    code: ClassVar[str]
    title: ClassVar[str]
    retry_after: ClassVar[int | None] = None
    """After how many seconds to try again, unless the detail ``retryAfter`` says otherwise."""

    def __init__(self, message: str, /, *, cause: BaseException | None = None, **details: Any) -> None:
        if "code" not in type(self).__dict__:
            raise TypeError(f"{type(self).__name__} is abstract: raise one of its leaves")
        super().__init__(message)
        self.message = message
        self.details = details
        self.cause = cause

    def renew(self) -> Self:
        """Return an error that says the same, for one of several callers who waited for the same work.

        An error that several raise would gather the frames of all of them, and what one adds to its details.
        """
        fresh = copy(self)
        fresh.details = dict(self.details)
        return fresh

    @property
    def headers(self) -> dict[str, str]:
        """Response headers this error asks for."""
        seconds = self.details.get("retryAfter", self.retry_after)
        return {} if self.retry_after is None else {"Retry-After": str(seconds)}


def leaves(root: type[ServiceError] = ServiceError) -> list[type[ServiceError]]:
    """List every error that can be raised, in the order of their files."""
    found = [root] if "code" in root.__dict__ else []
    for child in root.__subclasses__():
        found += leaves(child)
    return found
