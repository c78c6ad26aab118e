"""JSON bodies: how large one may be on which route, and what is decided before it is read.

Where records are sent, a body has megabytes and thousands of values; everywhere else 64 KiB are plenty. A
body above that size is read only for a caller that may do what it asks for, and is counted while it arrives.
"""

from collections.abc import Collection, Mapping
from typing import Any, Final

import orjson
from fastapi import Request
from pydantic import BaseModel

from runtime.access.guard import allow, find_access
from runtime.aside import mark_large, run_aside
from runtime.contract.pages import FindBody
from runtime.contract.writes import Bulk, BulkSet
from runtime.errors import (
    InvalidParameter,
    MalformedRequest,
    TooLarge,
    UnsupportedMediaType,
    ValidationFailed,
)
from runtime.http.calling import opened_call, service_of, single_header
from runtime.http.encoding import refuse_encoding
from runtime.http.facts import Facts
from runtime.http.garbage import large_bodies
from runtime.http.held_bodies import held_bodies
from runtime.json_text import Measure, holds_more_values, require_distinct, require_measure
from runtime.model.problems import validate_body
from runtime.model.record import RecordInput
from runtime.model.record_type import RecordType
from runtime.records.document.lenient import read_input
from runtime.records.document.withheld import unnamed_members, unseen_fields
from runtime.storage.access import Action

_JSON: Final = "application/json"

_LARGE: Final = 64 * 2**10
"""Bytes above which permission is decided first, and the rest of the work is done aside."""

_MANY: Final = 1000
"""Values above which it is done aside as well."""

_BYTES_OF_A_VALUE: Final = 16
"""A small body may have a value for so many of its bytes: names and short strings, not lists of digits."""

_BULK_FACTOR: Final = 5
"""A bulk body may have so many times the values: a thousand whole records. They are checked one at a time."""

_PARAMETERS: Final[Mapping[type[BaseModel], Collection[str]]] = {
    FindBody: FindBody.model_fields.keys(),
    BulkSet: {"filter"},
}


class BodyReader:
    """Reads the body of one route: a ``model``, sent as ``media_type``."""

    def __init__(
        self, model: type[BaseModel], media_type: str, records: RecordType[Any] | None, facts: Facts
    ) -> None:
        self.model = model
        self._media_type = media_type
        self._records = records
        self._actions = [Action(name) for name in facts.get("large_body", ())]
        self._factor = _BULK_FACTOR if facts.get("is_bulk") else 1
        self._check = _check_known if facts.get("errors") == "oauth" else _validate
        is_own = records is None and media_type == _JSON and self._check is _validate
        self._may_be_absent = is_own and _is_all_optional(model)

    async def read(self, request: Request) -> bytes:
        """Read the body, up to a size and shape that can be checked in negligible time.

        An endpoint of which no member is required may get no body: that is an empty object. Raises
        ``UnsupportedMediaType``, ``TooLarge``, ``MalformedRequest``, and for a large body that the caller may
        not send ``Denied``.
        """
        refuse_encoding(request)
        if not self._may_be_absent:
            self._check_media_type(request)
        most_bytes, most_values = self._limits(request)
        declared = request.headers.get("content-length", "")
        if declared.isdigit():
            self._check_size(request, int(declared), most_bytes)
        text = await self._read_measured(request, most_bytes, most_values)
        if self._may_be_absent:
            if not text:
                return b"{}"
            self._check_media_type(request)
        if not text.strip():
            raise MalformedRequest("the body is empty: send a JSON object")
        if len(text) > _LARGE or text.count(b",") > _MANY:
            large_bodies.add(len(text))
            mark_large()
        return text

    async def _read_measured(self, request: Request, most_bytes: int, most_values: int) -> bytes:
        """Read a body, and count its bytes and values while it arrives. Raises ``Overloaded``, too."""
        body = bytearray()
        measure: Measure | None = None
        async for chunk in request.stream():
            body += chunk
            if len(body) > _LARGE:
                self._check_size(request, len(body), most_bytes)
                held_bodies.hold(request.scope, _user_of(request), len(body))
                if measure is None:
                    measure = Measure(most_values)
                    measure.add(body)
                else:
                    measure.add(chunk)
        self._check_size(request, len(body), most_bytes)
        if measure is None:
            require_measure(body, most_values)
        return bytes(body)

    async def check(self, request: Request, body: bytes) -> BaseModel:
        """Parse the body into its class. Raises ``RepeatedMember`` and other errors of ``RequestError``."""
        service = service_of(request)
        kind = service.catalog.of_input(self.model)
        most = service.settings.max_body_values

        def check() -> BaseModel:
            require_distinct(body)
            found = _record_input(request, kind, body) if kind else self._check(self.model, body)
            if isinstance(found, Bulk) and len(body) > most:
                _require_usual_records(found, most)
            return found

        return await run_aside(check)

    def _check_media_type(self, request: Request) -> None:
        """Check the media type; where plain JSON is expected, any ``…+json`` does."""
        only = self._media_type
        media_type = (single_header(request, "content-type") or "").partition(";")[0].strip().lower()
        if media_type != only and not (only == _JSON and media_type.endswith("+json")):
            accepted = None if only == _JSON else only
            wrong = f"send {only}, not {media_type[:80]}"
            message = wrong if media_type else f"the Content-Type is missing: send {only}"
            raise UnsupportedMediaType(message, acceptPatch=accepted)

    def _limits(self, request: Request) -> tuple[int, int]:
        """Return the most bytes and the most values that a body may have."""
        settings = service_of(request).settings
        if self._actions:
            return settings.max_body_bytes, self._factor * settings.max_body_values
        most = min(settings.max_small_body_bytes, settings.max_body_bytes)
        return most, min(most // _BYTES_OF_A_VALUE, settings.max_body_values)

    def _check_size(self, request: Request, size: int, most_bytes: int) -> None:
        if size > most_bytes:
            raise TooLarge(f"the body may have at most {most_bytes} bytes")
        if size > _LARGE:
            self._require_permission(request)

    def _require_permission(self, request: Request) -> None:
        call = opened_call(request)
        if call is None or not self._actions:
            return
        kinds = (
            [self._records] if self._records else [kind for kind in call.service.catalog if kind.operations]
        )
        if kinds and not any(find_access(call, kind, action) for kind in kinds for action in self._actions):
            allow(call, kinds[0], self._actions[0])


def _user_of(request: Request) -> str:
    call = opened_call(request)
    return "" if call is None else call.turn.key


def _is_all_optional(model: type[BaseModel]) -> bool:
    fields = model.model_fields.values()
    return bool(fields) and not any(field.is_required() for field in fields)


def _validate(model: type[BaseModel], body: bytes) -> BaseModel:
    """Parse a body into its class.

    Filter, sort and paging members of a list or bulk-set body are reported as parameters, as they are in a
    query string. Raises what ``checked`` raises, and ``InvalidParameter``.
    """
    try:
        return validate_body(model, body)
    except ValidationFailed as error:
        path = error.details["violations"][0]["path"]
        if path not in _PARAMETERS.get(model, ()):
            raise
        raise InvalidParameter(
            error.message, parameter=path, violations=error.details["violations"]
        ) from None


def _check_known(model: type[BaseModel], body: bytes) -> BaseModel:
    """Parse the body of an OAuth route, whose unknown members are ignored (RFC 7591 §2)."""
    try:
        values = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise MalformedRequest(f"the body is not JSON: {error.msg}") from None
    if not isinstance(values, dict):
        raise MalformedRequest("the body is not a JSON object")
    known = {name: value for name, value in values.items() if name in model.model_fields}
    return validate_body(model, orjson.dumps(known))


def _require_usual_records(bulk: Bulk, most_values: int) -> None:
    """Raise ``TooLarge`` for an operation whose record could not be saved on its own."""
    for position, operation in enumerate(bulk.operations):
        if holds_more_values(operation.record, most_values):
            message = f"operations[{position}]: a record may have at most {most_values} values"
            raise TooLarge(message)


def _record_input(request: Request, kind: RecordType[Any], body: bytes) -> RecordInput:
    """Parse a record that may lack what is withheld from the caller; no error suggests a withheld member."""
    call = opened_call(request)
    if call is None:
        return read_input(kind, body, unnamed=kind.fields.keys)
    return read_input(kind, body, unseen_fields(call, kind), lambda: unnamed_members(call, kind))
