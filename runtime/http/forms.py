"""Forms (application/x-www-form-urlencoded), read strictly as RFC 6749 §3.2 says.

A parameter that is empty counts as absent, an unknown one is ignored, a repeated one is an error.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any, Final, get_args, get_origin
from urllib.parse import parse_qsl

from fastapi import Request
from pydantic import BaseModel, ValidationError

from runtime.errors import MalformedRequest, TooLarge, UnsupportedMediaType
from runtime.http.calling import service_of
from runtime.http.encoding import refuse_encoding
from runtime.model.problems import refusal

FORM: Final = "application/x-www-form-urlencoded"

_MOST_PARAMETERS: Final = 100
_BROKEN = re.compile(rb"%(?![0-9A-Fa-f]{2})")


class FormReader:
    """Reads the form of one route into its ``model``; what is a list there may be repeated."""

    def __init__(self, model: type[BaseModel]) -> None:
        self.model = model
        self._lists = {
            info.alias or name for name, info in model.model_fields.items() if _is_list(info.annotation)
        }

    async def read(self, request: Request) -> bytes:
        """Read the body. Raises ``UnsupportedMediaType`` and ``TooLarge``."""
        refuse_encoding(request)
        media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if media_type != FORM:
            raise UnsupportedMediaType(f"send {FORM}, not {media_type[:80] or 'nothing'}")
        most, body = service_of(request).settings.max_small_body_bytes, bytearray()
        async for chunk in request.stream():
            body += chunk
            if len(body) > most:
                raise TooLarge(f"the body may have at most {most} bytes")
        return bytes(body)

    async def check(self, _request: Request, body: bytes) -> BaseModel:
        """Parse the body into its class. Raises ``MalformedRequest`` and ``ValidationFailed``."""
        values = self._values(_pairs(body))
        try:
            return self.model.model_validate(values)
        except ValidationError as error:
            raise refusal(self.model, error) from None

    def _values(self, pairs: list[tuple[str, str]]) -> dict[str, Any]:
        """Return the parameters that the model has; raise ``MalformedRequest`` for repeated ones."""
        counts = Counter(name for name, _value in pairs)
        for name, count in counts.items():
            if count > 1 and name not in self._lists:
                raise MalformedRequest(f"the parameter {name[:80]} was sent {count} times")
        values: dict[str, Any] = {}
        for name, value in pairs:
            if not value or name not in self.model.model_fields:
                continue
            if name in self._lists:
                values.setdefault(name, []).append(value)
            else:
                values[name] = value
        return values


def _pairs(body: bytes) -> list[tuple[str, str]]:
    if _BROKEN.search(body):
        raise MalformedRequest("the body has a % that begins no escape")
    try:
        return parse_qsl(
            body.decode(),
            keep_blank_values=True,
            strict_parsing=True,
            errors="strict",
            max_num_fields=_MOST_PARAMETERS,
        )
    except ValueError:
        raise MalformedRequest("the body is not a form in UTF-8 with at most 100 parameters") from None


def _is_list(annotation: Any) -> bool:
    """Whether a field is a list, be it optional or annotated."""
    return get_origin(annotation) is list or any(map(_is_list, get_args(annotation)))
