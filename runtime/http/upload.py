"""A file that a caller sends: ``multipart/form-data`` with the one field ``file``.

It is read as it arrives: never whole in memory, never stored on disk. The next piece is taken from the
connection only when it is requested, so a slow store slows the sender down. (FastAPI's own forms store a
file on disk first, hence the parser below them.)
"""

import logging
from collections.abc import AsyncIterable, AsyncIterator
from typing import Annotated, Final

from fastapi import Depends, Request
from python_multipart import MultipartParser
from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MAX_BOUNDARY_LENGTH, parse_options_header

from runtime.errors import MalformedRequest, TooLarge, UnsupportedMediaType
from runtime.http.calling import service_of, single_header
from runtime.http.encoding import refuse_encoding

FIELD: Final = "file"
_MEDIA_TYPE: Final = b"multipart/form-data"
_MOST_HEADER: Final = 8 * 1024
"""Bytes of one header of a part."""

logging.getLogger("python_multipart").setLevel(logging.ERROR)  # the sender gets the error


async def open_upload(request: Request) -> AsyncIterator[bytes]:
    """Return the bytes of the file, in pieces; nothing is read before the first is requested.

    Raises ``UnsupportedMediaType`` at once; while it is read what ``read_file`` raises.
    """
    refuse_encoding(request)
    boundary = _read_boundary(single_header(request, "content-type"))
    most = service_of(request).settings.max_upload_bytes
    declared = request.headers.get("content-length", "")
    if declared.isdigit() and int(declared) > most:
        raise _too_large(most)
    return read_file(request.stream(), boundary, most)


Upload = Annotated[AsyncIterator[bytes], Depends(open_upload)]


async def read_file(body: AsyncIterable[bytes], boundary: bytes, most: int) -> AsyncIterator[bytes]:
    """Yield the file of a form of at most ``most`` bytes; nothing after its last boundary is read.

    Raises ``MalformedRequest`` for a form that is broken or has other fields, ``TooLarge``.
    """
    form, read = _Form(boundary), 0
    async for piece in body:
        read += len(piece)
        if read > most:
            raise _too_large(most)
        if found := form.take(piece):
            yield found
        if form.is_over:
            return
    raise MalformedRequest("the form ends before its last boundary")


class _Form:
    """A form, built from the callbacks of its parser. ``is_over``: its last boundary has been read."""

    def __init__(self, boundary: bytes) -> None:
        self.is_over = False
        self._fields = 0
        self._header = self._value = b""
        self._headers: dict[bytes, bytes] = {}
        self._found: list[bytes] = []
        self._parser = MultipartParser(
            boundary,
            {
                "on_part_begin": self._begin,
                "on_header_field": self._add_to_header,
                "on_header_value": self._add_to_value,
                "on_header_end": self._end_header,
                "on_headers_finished": self._check_field,
                "on_part_data": self._add,
                "on_end": self._end,
            },
            max_header_size=_MOST_HEADER,
        )

    def take(self, piece: bytes) -> bytes:
        """Parse a piece and return the bytes of the file that it completes. Raises ``MalformedRequest``."""
        try:
            self._parser.write(piece)
        except FormParserError:
            message = "the form is broken: a boundary is missing, or a header of a part is none"
            raise MalformedRequest(message) from None
        found = b"".join(self._found)
        self._found.clear()
        return found

    def _begin(self) -> None:
        self._fields += 1
        if self._fields > 1:
            raise MalformedRequest(f"the form has several fields: send only the field {FIELD}")

    def _add_to_header(self, data: bytes, start: int, end: int) -> None:
        self._header += data[start:end]

    def _add_to_value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]

    def _end_header(self) -> None:
        self._headers[self._header.lower()] = self._value
        self._header = self._value = b""

    def _check_field(self) -> None:
        _, options = parse_options_header(self._headers.get(b"content-disposition"))
        name = options.get(b"name", b"").decode("utf-8", "replace")
        if name != FIELD:
            raise MalformedRequest(f"the form has the field {name[:80]}: send only the field {FIELD}")

    def _add(self, data: bytes, start: int, end: int) -> None:
        self._found.append(data[start:end])

    def _end(self) -> None:
        if not self._fields:
            raise MalformedRequest(f"the form is empty: send the file in the field {FIELD}")
        self.is_over = True


def _read_boundary(content_type: str | None) -> bytes:
    media_type, options = parse_options_header(content_type)
    boundary = options.get(b"boundary", b"")
    if media_type != _MEDIA_TYPE or not boundary.isascii() or not 0 < len(boundary) <= MAX_BOUNDARY_LENGTH:
        message = f"send multipart/form-data with a boundary and the file in the field {FIELD}"
        raise UnsupportedMediaType(message)
    return boundary


def _too_large(most: int) -> TooLarge:
    return TooLarge(f"an uploaded file may have at most {most} bytes")
