"""What no caller can correct: faults of the service, of its store and of servers elsewhere."""

from typing import Any

from runtime.service_error import ServiceError


class ServerFault(ServiceError):
    """Abstract: the caller can do nothing about it."""


class Misconfigured(ServerFault):
    status, code, title = 500, "service.misconfigured", "The service is not set up right"


class InternalFault(ServerFault):
    """What any unexpected exception becomes: logged with its cause, sent bare."""

    status, code, title = 500, "service.fault", "Internal fault"

    def __init__(self, message: str = "an internal fault; it was logged", /, **more: Any) -> None:
        super().__init__(message, **more)


class NotOffered(ServerFault):
    status, code, title = 501, "service.not_offered", "Not offered"


class RemoteFailed(ServerFault):
    """A server elsewhere that the request needs did not answer, or not as its protocol says."""

    status, code, title = 502, "remote.failed", "Another server failed"


class RemoteUnavailable(ServerFault):
    """A server elsewhere has failed several times in a row, so it is left alone for a while."""

    status, code, title = 503, "remote.unavailable", "Another server cannot be reached"
    retry_after = 1


class ExecutionDisabled(ServerFault):
    """The request is right; the operator has not switched the query gateway on."""

    status, code, title = 501, "query.execution_disabled", "The query gateway does not embed records"


class StoreUnavailable(ServerFault):
    status, code, title = 503, "store.unavailable", "The store cannot be reached"
    retry_after = 1


class NotReady(ServerFault):
    """What `/ready` answers, where administrators see reasons; also a request that outlasts its server."""

    status, code, title = 503, "service.not_ready", "The service is not ready"
    retry_after = 1


class IndexMissing(ServerFault):
    """A record type lacks a unique index, so that writing it could store duplicates, or its text index."""

    status, code, title = 503, "store.index_missing", "A unique index is missing"
    retry_after = 1


class RecordBusy(ServerFault):
    """More requests write one record than can be stored within their time. Nothing was stored."""

    status, code, title = 503, "record.busy", "Too many requests write this record"
    retry_after = 1


class Overloaded(ServerFault):
    """More is asked at once than can be done: refused before anything was done."""

    status, code, title = 503, "service.overloaded", "The service is overloaded"
    retry_after = 1
