"""Notifications are posted to addresses that somebody else names: to public ones, and no further.

The name is looked up as the connection is made, and the connection goes to the address that was looked at.
No redirect is followed, no proxy of the environment used, no cookie stored; of the answer only the status
counts, and at most a few kilobytes are read of it.
"""

import asyncio
import socket
import ssl
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache, partial
from typing import Final, NamedTuple

import httpcore2
import httpx2

from runtime.outbound import Resolve, find_address, open_pool

_MOST_ANSWER: Final = 16 * 1024
_MOST_WITH_HEADS: Final = 32 * 1024
_LEAST_PART: Final = 64
"""What a part of an answer counts at least: a chunk of one byte costs as much time as one of hundreds."""

_MOST_LOOKUPS: Final = 64
"""Names that are looked up at once. A lookup may outlast the request that wants it, and cannot be ended."""

_FAULTS: Final = (
    *(httpcore2.NetworkError, httpcore2.ProtocolError, httpcore2.TimeoutException),
    *(httpx2.InvalidURL, OSError, ValueError),
)
_CLOSED: Final = (httpcore2.ProtocolError, httpcore2.ReadError, httpcore2.WriteError)
_HEADERS: Final = (
    (b"Content-Type", b"application/json"),
    (b"Accept-Encoding", b"identity"),
    (b"User-Agent", b"recordsmith-webhooks"),
)


class Answer(NamedTuple):
    """What an attempt led to: a status, or why there is none. ``retry_after``: the header, as it came."""

    status: int | None = None
    fault: str | None = None
    retry_after: str | None = None

    @property
    def is_good(self) -> bool:
        """Whether the notification was accepted."""
        return self.status is not None and 200 <= self.status < 300


class Poster:
    """Sends requests, each within ``seconds``. ``lookup`` and ``trust`` differ in tests only."""

    def __init__(
        self,
        seconds: float,
        *,
        allows_private: bool,
        connections: int,
        lookup: Resolve | None = None,
        trust: ssl.SSLContext | None = None,
    ) -> None:
        self._seconds, self._allows_private = seconds, allows_private
        self._threads = ThreadPoolExecutor(_MOST_LOOKUPS, "webhook-names")
        self._lookup = lookup or self._resolve
        self._lookups: dict[tuple[str, int], asyncio.Future[list[str]]] = {}
        self._pool = open_pool(self._choose, trust, connections=connections, most_answer=_MOST_WITH_HEADS)

    async def post(self, address: str, headers: Mapping[str, str], body: bytes) -> Answer:
        """Post a body; raises nothing for what the other side does."""
        try:
            request = _build_request(address, headers, body)
            async with asyncio.timeout(self._seconds):
                return await self._send(request)
        except TimeoutError:
            return Answer(fault=f"the address did not answer within {self._seconds:g} s")
        except _FAULTS as error:
            return Answer(fault=_describe_fault(error))

    async def close(self) -> None:
        """Close all connections; names that are being looked up are not waited for."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        await self._pool.aclose()

    async def _resolve(self, host: str, port: int) -> list[str]:
        """Look up a name in threads of its own: slow name servers hold up webhooks, and nobody else.

        A name that is being looked up already is waited for, so that a slow one holds one thread at most.
        """
        found = self._lookups.get((host, port))
        if found is None:
            look_up = partial(_look_up, host, port)
            found = asyncio.get_running_loop().run_in_executor(self._threads, look_up)
            self._lookups[host, port] = found
            found.add_done_callback(partial(self._forget_lookup, (host, port)))
        return await asyncio.shield(found)

    def _forget_lookup(self, name: tuple[str, int], lookup: asyncio.Future[list[str]]) -> None:
        del self._lookups[name]
        if not lookup.cancelled():
            lookup.exception()  # nobody may be waiting for it any more

    async def _send(self, request: httpcore2.Request) -> Answer:
        answer = await self._pool.handle_async_request(request)
        try:
            size = 0
            async for part in answer.aiter_stream():  # a connection is used again if its answer was read
                size += max(len(part), _LEAST_PART)
                if size > _MOST_ANSWER:
                    break
        finally:
            await answer.aclose()
        later = [value for name, value in answer.headers if name.lower() == b"retry-after"]
        return Answer(answer.status, retry_after=later[0].decode("latin-1") if later else None)

    async def _choose(self, host: str, port: int) -> str:
        return await find_address(host, port, self._lookup, allows_private=self._allows_private)


def _describe_fault(error: BaseException) -> str:
    """Describe why an answer is missing, without the text of the error, which may name private addresses."""
    causes = [error]
    while (cause := causes[-1].__cause__ or causes[-1].__context__) is not None:
        causes.append(cause)
    if isinstance(error, _CLOSED):
        return "the address closed the connection, or did not answer in HTTP"
    if any(isinstance(one, ssl.SSLError) for one in causes):
        return "no TLS connection to the address: it needs a valid certificate for its name"
    return "no connection to the address, or to one that is not allowed"


def _build_request(address: str, headers: Mapping[str, str], body: bytes) -> httpcore2.Request:
    url, host = _parse(address)
    own = [(name.encode("ascii"), value.encode("ascii")) for name, value in headers.items()]
    framing = [(b"Host", host), (b"Content-Length", b"%d" % len(body))]
    return httpcore2.Request("POST", url, headers=[*framing, *_HEADERS, *own], content=body)


@lru_cache(maxsize=1024)
def _parse(address: str) -> tuple[httpcore2.URL, bytes]:
    """Parse an address; also return the header ``Host``."""
    url = httpx2.URL(address)
    target = httpcore2.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path)
    return target, url.netloc


def _look_up(host: str, port: int) -> list[str]:
    return [str(row[4][0]) for row in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]
