"""Reading forms and the parameters of pages strictly, as RFC 6749 §3.1 and §3.2 say."""

from typing import Any, Generic, TypeVar

from fastapi import Request
from pydantic import BaseModel, ValidationError

from runtime.contract.forms import FORM, Parameters, find_repeated, list_names, parse_form
from runtime.errors import MalformedRequest, TooLarge, UnsupportedMediaType
from runtime.http.calling import service_of, single_header
from runtime.http.encoding import refuse_encoding
from runtime.model.problems import invalid_parameter

M = TypeVar("M", bound=BaseModel)


class FormReader:
    """Reads the form of one route into its ``model``; what is a list there may be repeated."""

    def __init__(self, model: type[BaseModel]) -> None:
        self.model = model
        self._lists = list_names(model)

    async def read(self, request: Request) -> bytes:
        """Read the body. Raises ``UnsupportedMediaType`` and ``TooLarge``."""
        return await _read_form(request)

    async def check(self, _request: Request, body: bytes) -> BaseModel:
        """Parse the body into its class. Raises ``MalformedRequest`` and ``InvalidParameter``."""
        values = self._read_values(parse_form(body))
        try:
            return self.model.model_validate(values)
        except ValidationError as error:
            raise invalid_parameter(error) from None

    def _read_values(self, pairs: list[tuple[str, str]]) -> dict[str, Any]:
        """Return the parameters that the model has; raise ``MalformedRequest`` for repeated ones."""
        for name, count in find_repeated(pairs, self._lists).items():
            raise MalformedRequest(f"the parameter {name[:80]} was sent {count} times; send it once")
        values: dict[str, Any] = {}
        for name, value in pairs:
            if not value or name not in self.model.model_fields:
                continue
            if name in self._lists:
                values.setdefault(name, []).append(value)
            else:
                values[name] = value
        return values


class PageReader(Generic[M]):
    """Reads the ``Parameters`` of a page: from the query, or with ``has_body`` from the form."""

    def __init__(self, model: type[M], *, has_body: bool) -> None:
        self.model = model
        self._has_body = has_body

    async def read(self, request: Request) -> bytes:
        """Read the text of the parameters. Raises ``UnsupportedMediaType`` and ``TooLarge``."""
        if self._has_body:
            return await _read_form(request)
        query: bytes = request.scope["query_string"]
        return query

    async def check(self, _request: Request, text: bytes) -> Parameters[M]:
        """Parse the text. Raises ``MalformedRequest``."""
        return Parameters.read(self.model, parse_form(text))


async def _read_form(request: Request) -> bytes:
    refuse_encoding(request)
    media_type = (single_header(request, "content-type") or "").partition(";")[0].strip().lower()
    if media_type not in (FORM, ""):
        raise UnsupportedMediaType(f"send {FORM}, not {media_type[:80]}")
    most, body = service_of(request).settings.max_small_body_bytes, bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > most:
            raise TooLarge(f"the body may have at most {most} bytes")
    if body and not media_type:
        raise UnsupportedMediaType(f"the Content-Type is missing: send {FORM}")
    return bytes(body)
