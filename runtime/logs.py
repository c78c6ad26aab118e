"""Structured logs: one JSON object a line on standard error, each with timestamp, level and event.

Standard output stays free for what a command reports. ``from runtime.logs import log``, then
``log.info("users.created", user_id=…)``: a stable event name, facts as members, no sentences. Members
whose name suggests a secret are masked, and so are tokens and passwords inside texts. Records of the
standard library's logging (uvicorn, the driver) take the same way.
"""

import asyncio
import atexit
import json
import logging
import sys
import threading
from collections import deque
from collections.abc import AsyncIterator, Mapping, MutableMapping
from contextlib import asynccontextmanager, suppress
from contextvars import ContextVar
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any

import orjson

from runtime.controls import escape_json, escape_text
from runtime.errors import ExecutionDisabled, InternalFault, NotOffered, Overloaded, ServiceError
from runtime.masking import mask
from runtime.plain_structlog import Processor, structlog
from runtime.plain_structlog import log as log
from runtime.settings import Settings
from runtime.tracebacks import drop_tracebacks

request_of_context: ContextVar[str | None] = ContextVar("request_id", default=None)
"""The id of the request at work; every event of it has it as ``request_id``."""

_FLUSH_SECONDS = 0.1
_ATOMIC_BYTES = 4096  # a pipe keeps writes up to this size whole when several workers share it


def log_fault(error: ServiceError, request_id: str) -> None:
    """Log a fault of the server with its cause.

    Overload already has one log line a second, and what an operator has not switched on is not a fault.
    """
    if error.status >= 500 and not isinstance(error, Overloaded | NotOffered | ExecutionDisabled):
        log.error(
            "fault", code=error.code, message=error.message, cause=repr(error.cause), request_id=request_id
        )


def log_unexpected(error: Exception, **facts: Any) -> InternalFault:
    """Log an error that is not a ``ServiceError`` whole, and return what is sent of it."""
    log.error("unexpected fault", exc_info=error, **facts)
    drop_tracebacks(error)
    return InternalFault()


def configure(settings: Settings) -> None:
    """Set up level and format for this process; may be called again, and writes what still waits."""
    _lines.flush()
    _lines.level = logging.getLevelNamesMapping()[settings.log_level]
    is_terminal = sys.stderr is not None and sys.stderr.isatty()
    is_for_people = is_terminal if settings.log_format == "auto" else settings.log_format == "console"
    _lines.is_json = not is_for_people
    shared: list[Processor] = [
        structlog.processors.add_log_level,
        _of_request,
        _add_timestamp,
        structlog.processors.StackInfoRenderer(),
        structlog.processors.format_exc_info,
        _mask_secrets,
    ]
    # A plain traceback: the rich one prints local variables, and with them tokens and passwords.
    console = structlog.dev.ConsoleRenderer(
        colors=is_terminal, exception_formatter=structlog.dev.plain_traceback
    )
    structlog.configure(
        processors=[*shared, *([_json] if _lines.is_json else [_escape_texts, console])],
        wrapper_class=structlog.make_filtering_bound_logger(_lines.level),
        logger_factory=lambda *names: _lines,
        cache_logger_on_first_use=False,
    )
    root = logging.getLogger()
    root.handlers = [handler for handler in root.handlers if not isinstance(handler, _Forward)]
    root.addHandler(_Forward())
    root.setLevel(max(_lines.level, logging.WARNING))
    logging.captureWarnings(True)  # such as the driver's, about the address of the store
    for name in ("uvicorn", "uvicorn.error"):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [], True
        logger.setLevel(_lines.level)


def access(
    scope: Mapping[str, Any],
    status: int,
    seconds: float,
    request_id: str,
    caller: Mapping[str, str] = MappingProxyType({}),
    *,
    is_planned: bool = False,
) -> None:
    """Write the one line of a request. Without the query, which may hold personal data.

    ``caller``: the members that identify the caller; none for an unauthenticated one. With the trace, if any.
    ``is_planned``: the status is not a fault.

    Costs some 5 µs: the line is formatted by hand and written a tenth of a second later, with others.
    """
    failed = status >= 500 and not is_planned
    if _lines.level > (logging.ERROR if failed else logging.INFO):
        return
    client = scope.get("client")
    line: dict[str, Any] = {
        "timestamp": _now(),
        "level": "error" if failed else "info",
        "event": "request",
        "request_id": request_id,
        "method": scope["method"],
        "path": scope["path"],
        "status": status,
        "milliseconds": round(seconds * 1000, 2),
        "address": client[0] if client else None,
        **caller,
    }
    if _lines.is_json:
        _lines.later(escape_json(orjson.dumps(line, default=str)) + b"\n")
    else:
        del line["timestamp"], line["level"]
        log.log(logging.ERROR if failed else logging.INFO, **line)


class _Lines:
    """Standard error, written in whole lines; those of requests a little later, in their order."""

    level = logging.INFO
    is_json = True

    def __init__(self) -> None:
        # Never replaced: any thread may add to it, or write what is there.
        self._waiting: deque[bytes] = deque()
        self._writing = threading.Lock()
        self._size = 0
        self._due: asyncio.AbstractEventLoop | None = None

    def now(self, text: str) -> None:
        """Write a line at once, after those that wait."""
        line = f"{text}\n".encode("utf-8", "replace")
        self._waiting.append(line)
        self.flush()

    debug = info = warning = error = critical = now  # what structlog calls

    def later(self, line: bytes) -> None:
        """Write a line within a tenth of a second."""
        if self._size + len(line) > _ATOMIC_BYTES:
            self.flush()
        self._waiting.append(line)
        self._size += len(line)
        if self._due is None or self._due.is_closed():  # one may have ended before it was time
            self._due = asyncio.get_running_loop()
            self._due.call_later(_FLUSH_SECONDS, self._flush_in_time)

    def _flush_in_time(self) -> None:
        self._due = None
        self.flush()

    def flush(self) -> None:
        """Write what waits, unless another thread is at it: that one writes this, too."""
        while self._waiting and self._writing.acquire(blocking=False):
            try:
                found, self._size = [], 0
                with suppress(IndexError):
                    while True:
                        found.append(self._waiting.popleft())
                with suppress(OSError, ValueError):  # full, or nobody reads it: that ends no request
                    _write(b"".join(found))
            finally:
                self._writing.release()


def _write(lines: bytes) -> None:
    """Write all of it as it is, whatever standard error is: unbuffered it may take a part at a time."""
    stream = sys.stderr
    if (octets := getattr(stream, "buffer", None)) is None:
        if stream is not None:
            stream.write(lines.decode("utf-8", "replace"))
            stream.flush()
        return
    rest = memoryview(lines)
    while rest and (taken := octets.write(rest)):
        rest = rest[taken:]
    octets.flush()


_lines = _Lines()
atexit.register(_lines.flush)


@asynccontextmanager
async def write_at_end() -> AsyncIterator[None]:
    """Write what waits when the block ends: its loop may end before it is time."""
    try:
        yield
    finally:
        _lines.flush()


class _Forward(logging.Handler):
    """The standard library's records, as events of ours."""

    def emit(self, record: logging.LogRecord) -> None:
        try:
            log.log(record.levelno, record.getMessage(), logger=record.name, exc_info=record.exc_info)
        except Exception:  # such as a format that does not fit its arguments
            self.handleError(record)


def _now() -> str:
    """Return the time in ISO 8601 with milliseconds."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _add_timestamp(logger: object, name: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    event["timestamp"] = _now()
    return event


def _of_request(logger: object, name: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    if (request_id := request_of_context.get()) is not None:
        event.setdefault("request_id", request_id)
    return event


def _json(logger: object, name: str, event: MutableMapping[str, Any]) -> str:
    first = {key: event.pop(key) for key in ("timestamp", "level", "event")}
    line = first | dict(event)
    try:
        return escape_json(orjson.dumps(line, default=repr, option=orjson.OPT_NON_STR_KEYS)).decode()
    except TypeError:  # half a surrogate pair, which callers may send: a line is never the end of a request
        return json.dumps(line, default=repr)


def _mask_secrets(logger: object, name: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    return {key: mask(key, value) for key, value in event.items()}


def _escape_texts(logger: object, name: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    return {key: escape_text(value) if isinstance(value, str) else value for key, value in event.items()}
