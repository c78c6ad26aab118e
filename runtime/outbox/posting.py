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

from runtime.outbound import PinnedTransport, Resolve, find_address

_MOST_ANSWER: Final = 16 * 1024
_MOST_LOOKUPS: Final = 64
"""Names that are looked up at once. A lookup may outlast the request that wants it, and cannot be ended."""

_FAULTS: Final = (httpx2.HTTPError, httpx2.InvalidURL, httpcore2.ConnectError, OSError, ValueError)
_HEADERS: Final = {
    "Content-Type": "application/json",
    "Accept-Encoding": "identity",
    "User-Agent": "recordsmith-webhooks",
}


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
        self._transport = PinnedTransport(self._choose, trust, connections=connections)
        self._limits = dict.fromkeys(("connect", "read", "write", "pool"), seconds)

    async def post(self, address: str, headers: Mapping[str, str], body: bytes) -> Answer:
        """Post a body; raises nothing for what the other side does."""
        try:
            request = httpx2.Request(
                "POST", _parse(address), headers={**_HEADERS, **headers}, content=body,
                extensions={"timeout": self._limits},
            )  # fmt: skip
            async with asyncio.timeout(self._seconds):
                return await self._send(request)
        except (TimeoutError, httpx2.TimeoutException):
            return Answer(fault=f"the address did not answer within {self._seconds:g} s")
        except _FAULTS as error:
            return Answer(fault=_describe_fault(error))

    async def close(self) -> None:
        """Close all connections; names that are being looked up are not waited for."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        await self._transport.aclose()

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

    async def _send(self, request: httpx2.Request) -> Answer:
        answer = await self._transport.handle_async_request(request)
        try:
            size = 0
            async for part in answer.aiter_raw():  # a connection is used again if its answer was read
                size += len(part)
                if size > _MOST_ANSWER:
                    break
        finally:
            await answer.aclose()
        return Answer(answer.status_code, retry_after=answer.headers.get("retry-after"))

    async def _choose(self, host: str, port: int) -> str:
        return await find_address(host, port, self._lookup, allows_private=self._allows_private)


def _describe_fault(error: BaseException) -> str:
    """Describe why an answer is missing, without the text of the error, which may name private addresses."""
    causes = [error]
    while (cause := causes[-1].__cause__ or causes[-1].__context__) is not None:
        causes.append(cause)
    if isinstance(error, httpx2.ProtocolError | httpx2.ReadError | httpx2.WriteError):
        return "the address closed the connection, or did not answer in HTTP"
    if any(isinstance(one, ssl.SSLError) for one in causes):
        return "no TLS connection to the address: it needs a valid certificate for its name"
    return "no connection to the address, or to one that is not allowed"


@lru_cache(maxsize=1024)
def _parse(address: str) -> httpx2.URL:
    """Parse an address, which takes half the time of building a request."""
    return httpx2.URL(address)


def _look_up(host: str, port: int) -> list[str]:
    return [str(row[4][0]) for row in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]
