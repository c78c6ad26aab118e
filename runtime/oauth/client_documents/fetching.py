"""Fetch a document from a host that somebody else names, and reach nothing but the public network by it.

The name is looked up once. If any of its addresses is not public, nothing is fetched; otherwise the
connection goes to one of the addresses that were checked, so a name that changes in between changes nothing.
The certificate is that of the name. No redirect is followed, and nothing but 200 counts.
"""

import asyncio
import ssl
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import httpcore2

from runtime.oauth.client_documents.urls import DocumentUrl, is_public

Resolve = Callable[[str, int], Awaitable[list[str]]]

MOST_BYTES: Final = 5 * 1024
SECONDS: Final = 5.0


_FAULTS = (httpcore2.NetworkError, httpcore2.ProtocolError, httpcore2.TimeoutException)
_SENT = (
    ("Accept", "application/json"),
    ("Accept-Encoding", "identity"),
    ("Connection", "close"),
    ("User-Agent", "recordsmith"),
)


class NotFetched(Exception):
    """The document cannot be had; the text says why, for the log."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """A document as it came. ``headers``: by lower-case name."""

    body: bytes
    headers: Mapping[str, str]


async def resolve(host: str, port: int) -> list[str]:
    """Look up the addresses of a name. Raises ``OSError``."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=1)
    return [str(row[4][0]) for row in found]


@dataclass(frozen=True, slots=True)
class Fetcher:
    """What it takes to fetch; the defaults are the real ones, and tests have others."""

    resolve: Resolve = resolve
    backend: httpcore2.AsyncNetworkBackend = field(default_factory=httpcore2.AnyIOBackend)
    trust: ssl.SSLContext = field(default_factory=ssl.create_default_context)
    seconds: float = SECONDS

    async def fetch(self, url: DocumentUrl) -> Fetched:
        """Fetch a document. Raises ``NotFetched``."""
        try:
            async with asyncio.timeout(self.seconds):
                address = await self._find_address(url)
                return await self._get(url, _Pinned(self.backend, url.host, address))
        except TimeoutError:
            raise NotFetched(f"it took longer than {self.seconds} s") from None
        except (
            OSError,
            httpcore2.NetworkError,
            httpcore2.ProtocolError,
            httpcore2.TimeoutException,
        ) as error:
            raise NotFetched(f"the host does not answer as it should: {type(error).__name__}") from None

    async def _find_address(self, url: DocumentUrl) -> str:
        addresses = await self.resolve(url.host, url.port)
        if not addresses or not all(map(is_public, addresses)):
            raise NotFetched("the host has an address that is not public")
        return addresses[0]

    async def _get(self, url: DocumentUrl, backend: httpcore2.AsyncNetworkBackend) -> Fetched:
        async with (
            httpcore2.AsyncConnectionPool(ssl_context=self.trust, network_backend=backend) as pool,
            pool.stream("GET", url.text, headers=_SENT) as answer,
        ):
            if answer.status != 200:
                raise NotFetched(f"the status is {answer.status}, not 200")
            headers = {
                name.decode("latin-1").lower(): value.decode("latin-1") for name, value in answer.headers
            }
            if headers.get("content-encoding", "identity") != "identity":
                raise NotFetched("the document is compressed")
            body = b""
            async for part in answer.aiter_stream():
                body += part
                if len(body) > MOST_BYTES:
                    raise NotFetched(f"the document has more than {MOST_BYTES} bytes")
            return Fetched(body, headers)


class _Pinned(httpcore2.AsyncNetworkBackend):
    """Connects to the address that was checked, whatever the name leads to by now."""

    def __init__(self, inner: httpcore2.AsyncNetworkBackend, host: str, address: str) -> None:
        self._inner = inner
        self._host = host
        self._address = address

    async def connect_tcp(
        self, host: str, port: int, *arguments: Any, **options: Any
    ) -> httpcore2.AsyncNetworkStream:
        if host != self._host:
            raise httpcore2.ConnectError(f"not the host that was looked up: {host}")
        return await self._inner.connect_tcp(self._address, port, *arguments, **options)

    async def connect_unix_socket(
        self, path: str, *arguments: Any, **options: Any
    ) -> httpcore2.AsyncNetworkStream:
        raise httpcore2.ConnectError("documents are not fetched from sockets")

    async def sleep(self, seconds: float) -> None:
        await self._inner.sleep(seconds)
