"""A file that a caller sends: ``multipart/form-data`` with the one field ``file`` (spec 2 §4.4).

It is read as it comes: never whole in memory, never kept on disk. What is asked for next is what is taken
from the connection next, so a slow store slows the sender down.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from email.message import Message
from typing import Annotated, Final

from fastapi import Depends, Request

from runtime.errors import MalformedRequest, TooLarge, UnsupportedMediaType
from runtime.http.calling import service_of

FIELD: Final = "file"
_MEDIA_TYPE = "multipart/form-data"
_MOST_BESIDE = 8 * 1024
"""Bytes of what stands before the first part, and of the headers of a part."""


async def uploaded(request: Request) -> AsyncIterator[bytes]:
    """The bytes of the file, in pieces; nothing is read before the first is asked for.

    Raises ``UnsupportedMediaType`` at once; while it is read ``MalformedRequest`` for a form that is
    broken or has other fields, ``TooLarge`` beyond the limit of the settings.
    """
    boundary = _boundary(request)
    most = service_of(request).settings.max_upload_bytes
    declared = request.headers.get("content-length", "")
    if declared.isdigit() and int(declared) > most:
        raise _too_large(most)
    return _file(_Source(request.stream(), most), b"\r\n--" + boundary)


Upload = Annotated[AsyncIterator[bytes], Depends(uploaded)]


class _Source:
    """What has come of the body and is not used up yet: a few pieces at most."""

    def __init__(self, stream: AsyncIterator[bytes], most: int) -> None:
        self._stream = stream
        self._most = most
        self._read = 0
        self.waiting = bytearray(b"\r\n")  # so that the first boundary looks like the others

    async def more(self) -> None:
        """Wait for the next piece. Raises ``MalformedRequest`` when there is none, ``TooLarge``."""
        async for piece in self._stream:
            self._read += len(piece)
            if self._read > self._most:
                raise _too_large(self._most)
            if piece:
                self.waiting += piece
                return
        raise MalformedRequest("the form ends before its last boundary")

    async def up_to(self, mark: bytes) -> bytes:
        """What stands before ``mark``, which is used up too."""
        while (at := self.waiting.find(mark)) < 0:
            if len(self.waiting) > _MOST_BESIDE:
                raise MalformedRequest("the form is broken: a boundary or the end of headers is missing")
            await self.more()
        found = bytes(self.waiting[:at])
        del self.waiting[: at + len(mark)]
        return found

    async def pieces_up_to(self, mark: bytes) -> AsyncIterator[bytes]:
        """The same in pieces, as they come."""
        kept = len(mark) - 1  # a piece may end inside the mark
        while (at := self.waiting.find(mark)) < 0:
            if len(self.waiting) > kept:
                piece = bytes(self.waiting[:-kept])
                del self.waiting[:-kept]
                yield piece
            await self.more()
        if at:
            yield bytes(self.waiting[:at])
        del self.waiting[: at + len(mark)]

    async def is_at_end(self) -> bool:
        """Whether the boundary just used up was the last one."""
        while len(self.waiting) < 2:
            await self.more()
        return self.waiting.startswith(b"--")


async def _file(source: _Source, boundary: bytes) -> AsyncIterator[bytes]:
    await source.up_to(boundary)
    if await source.is_at_end():
        raise MalformedRequest(f"the form is empty: send the file in the field {FIELD}")
    name = _field_name(await source.up_to(b"\r\n\r\n"))
    if name != FIELD:
        raise MalformedRequest(f"the form has the field {name[:80]}: send only the field {FIELD}")
    async for piece in source.pieces_up_to(boundary):
        yield piece
    if not await source.is_at_end():
        raise MalformedRequest(f"the form has several fields: send only the field {FIELD}")


def _field_name(headers: bytes) -> str:
    for line in headers.decode("utf-8", "replace").split("\r\n"):
        title, _, value = line.partition(":")
        if title.strip().lower() == "content-disposition":
            return str(_header("content-disposition", value).get_param("name", "", "content-disposition"))
    return ""


def _boundary(request: Request) -> bytes:
    header = _header("content-type", request.headers.get("content-type", ""))
    boundary = header.get_boundary()
    if header.get_content_type() != _MEDIA_TYPE or not boundary or not boundary.isascii():
        raise UnsupportedMediaType(f"send {_MEDIA_TYPE} with a boundary and the file in the field {FIELD}")
    return boundary.encode("ascii")


def _header(name: str, value: str) -> Message:
    message = Message()
    message[name] = value.strip().replace("\r", " ").replace("\n", " ")
    return message


def _too_large(most: int) -> TooLarge:
    return TooLarge(f"an uploaded file may have at most {most} bytes")
