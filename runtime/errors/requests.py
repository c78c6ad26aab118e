"""What a caller can correct: requests that cannot be read, do not fit what is stored, or are too many."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Self

from runtime.service_error import ServiceError


class RequestError(ServiceError):
    """Abstract: the caller can correct it."""


class MalformedRequest(RequestError):
    status, code, title = 400, "request.malformed", "The request cannot be read"


class UnknownParameter(RequestError):
    status, code, title = 400, "request.unknown_parameter", "Unknown query parameter"


class InvalidParameter(RequestError):
    status, code, title = 400, "request.invalid_parameter", "A parameter cannot be read"


class UnknownMember(RequestError):
    status, code, title = 400, "request.unknown_member", "Unknown member in the JSON body"


class RepeatedMember(RequestError):
    """Readers of JSON differ in which of the two they take, so neither is."""

    status, code, title = 400, "request.repeated_member", "A member of the JSON body was sent twice"


class FilterSyntax(RequestError):
    status, code, title = 400, "filter.syntax", "The filter cannot be read"


class FilterType(RequestError):
    status, code, title = 400, "filter.type", "A filter value does not fit its field"


class UnknownField(RequestError):
    status, code, title = 400, "field.unknown", "Unknown field"


class CsvProblem(RequestError):
    """``row`` and ``column``, counted from 1, say where; a header is row 0."""

    status, code, title = 400, "csv.malformed", "The CSV file cannot be read or written"


class NotFound(RequestError):
    """Absent, or outside the caller's scope: the two look alike."""

    status, code, title = 404, "record.not_found", "Not found"


class MethodNotAllowed(RequestError):
    status, code, title = 405, "request.method_not_allowed", "Method not allowed"


class RequestTimeout(RequestError):
    status, code, title = 408, "request.timeout", "The request came too slowly"


class Duplicate(RequestError):
    status, code, title = 409, "record.duplicate", "A record with this value exists"

    @classmethod
    def of_values(cls, title: str, values: Mapping[str, Any]) -> Self:
        """Build the refusal of a record whose unique values another record of the type has."""
        shown = ", ".join(f"{path} {value}" for path, value in values.items())
        return cls(f"another {title} has the {shown or 'same key'}", fields=[*values] or None)


class KeyInFlight(RequestError):
    """Two requests with one idempotency key at the same time; or the first one died a moment ago."""

    status, code, title = 409, "idempotency.in_flight", "The first request with this key is still running"
    retry_after = 1


class AnswerNotKept(RequestError):
    """The effect is there; its answer was too large to keep, or is not for the caller any more."""

    status, code, title = 409, "idempotency.no_answer", "The request was done, but its answer is not stored"


class SessionNotReady(RequestError):
    """Its file is still being analysed, or its commit was ended by a discard."""

    status, code, title = 409, "import.not_ready", "The import session cannot be committed"


class VersionConflict(RequestError):
    status, code, title = 409, "record.version_conflict", "The record has changed since it was read"


class StillReferenced(RequestError):
    status, code, title = 409, "reference.in_use", "Other records refer to this one"


class NotArchived(RequestError):
    status, code, title = 409, "record.not_archived", "The record is not archived"


class OwnAccount(RequestError):
    """Administrators do not take their own account away; that is how services lose their last one."""

    status, code, title = 409, "user.own_account", "Not on your own account"


class FeedExpired(RequestError):
    status, code, title = 410, "feed.expired", "The changes since this place are no longer known"


class PreconditionFailed(RequestError):
    status, code, title = 412, "record.precondition_failed", "A condition of the request does not hold"


class TooLarge(RequestError):
    status, code, title = 413, "request.too_large", "The request is too large"


class UnsupportedMediaType(RequestError):
    """A body of a media type or content coding that is not accepted.

    ``acceptPatch``: the media type that a PATCH of this resource takes (RFC 5789 §2.2). ``acceptEncoding``:
    the content codings that a body may have (RFC 9110 §15.5.16).
    """

    status, code, title = 415, "request.media_type", "Unsupported media type"

    @property
    def headers(self) -> dict[str, str]:
        named = {"Accept-Patch": "acceptPatch", "Accept-Encoding": "acceptEncoding"}
        found = {header: self.details.get(member) for header, member in named.items()}
        return {header: str(value) for header, value in found.items() if value is not None}


class ValidationFailed(RequestError):
    """``violations``: a list of ``{path, message}``."""

    status, code, title = 422, "record.invalid", "The record breaks a constraint"

    @classmethod
    def at(cls, path: str, fault: str, subject: str | None = None) -> Self:
        """Create the error for one invalid member; ``subject`` begins its message, by default the path."""
        return cls(f"{subject or path} {fault}", violations=[{"path": path, "message": fault}])

    @classmethod
    def at_stored_number(cls, path: str) -> Self:
        """Create the error for a stored member that cannot be counted up."""
        fault = "has to be a whole number in the stored record: correct it in the store first"
        return cls.at(path, fault)


class NotStorable(RequestError):
    """By a validator or an index that somebody gave a collection by hand."""

    status, code, title = 422, "record.not_storable", "The store itself refuses the record"


class TooManyMatches(RequestError):
    status, code, title = 422, "set.too_many", "The filter matches more records than one request may set"


class TooWide(RequestError):
    """More is looked at for an answer than one request may cost; the message says how to ask for less."""

    status, code, title = 422, "query.too_wide", "The query reads too much"


class TooManyEdges(RequestError):
    status, code, title = 422, "ontology.too_many_edges", "Too much follows from the write"


class TooManyToDelete(RequestError):
    status, code, title = (
        422,
        "delete.too_many",
        "The filter matches more records than one request may delete",
    )


class AnswerTooLarge(RequestError):
    status, code, title = 422, "query.answer_too_large", "The answer is too large for one message"


class KeyMismatch(RequestError):
    status, code, title = 422, "idempotency.mismatch", "The idempotency key belongs to another request"


class InvalidStateTransition(RequestError):
    status, code, title = 422, "state.transition", "The state graph does not allow this"


class MissingReference(RequestError):
    status, code, title = 422, "reference.missing", "A referenced record does not exist"


class Throttled(RequestError):
    status, code, title = 429, "request.throttled", "Too many attempts"
    retry_after = 60


class QuotaExceeded(RequestError):
    """``limits``: headers that say which limit it is."""

    status, code, title = 429, "request.quota_exceeded", "Too many requests"
    retry_after = 60

    def __init__(
        self, message: str, /, *, limits: Mapping[str, str] = MappingProxyType({}), **details: Any
    ) -> None:
        super().__init__(message, **details)
        self.limits = limits

    @property
    def headers(self) -> dict[str, str]:
        return {**super().headers, **self.limits}


class HeadTooLarge(RequestError):
    status, code, title = 431, "request.head_too_large", "The request head is too large"
