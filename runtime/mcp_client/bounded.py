"""Answers of other servers over HTTP, which may have so many bytes and no more.

A compressed one would be larger than what was counted, so none is requested or accepted. Heads, and what
frames the parts of a body, count as well: the connection reads no more than ``MOST_WITH_FRAMES``. A stream of
events lasts as long as its connection, from its head on; the SDK counts the bytes of each event.
"""

import ssl
from collections.abc import AsyncIterator
from typing import Final, cast

import httpx2

from runtime.outbound import Choose, LoopStream, PinnedTransport

MOST_BYTES: Final = 8 * 2**20
MOST_WITH_FRAMES: Final = 2 * MOST_BYTES


class BoundedTransport(PinnedTransport):
    """Raises ``httpx2.ReadError`` for a body of more than ``MOST_BYTES``, and for a compressed one."""

    def __init__(self, choose: Choose, trust: ssl.SSLContext | None = None) -> None:
        super().__init__(choose, trust, most_answer=MOST_WITH_FRAMES)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        request.headers["Accept-Encoding"] = "identity"
        response = await super().handle_async_request(request)
        if response.headers.get("content-encoding", "identity") != "identity":
            await response.aclose()
            raise httpx2.ReadError("the answer is compressed", request=request)
        if _streams_events(response):
            cast(LoopStream, response.extensions["network_stream"]).read_unbounded()
        else:
            response.stream = _BoundedStream(cast(httpx2.AsyncByteStream, response.stream))
        return response


class _BoundedStream(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for part in self._stream:
            size += len(part)
            if size > MOST_BYTES:
                raise httpx2.ReadError(f"the answer has more than {MOST_BYTES} bytes")
            yield part

    async def aclose(self) -> None:
        await self._stream.aclose()


def _streams_events(response: httpx2.Response) -> bool:
    media_type = response.headers.get("content-type", "").partition(";")[0]
    return response.status_code == 200 and media_type.strip().lower() == "text/event-stream"
