"""Fetch a document from a host that somebody else names, and reach nothing but the public network by it.

The name is looked up once. If any of its addresses is not public, nothing is fetched; otherwise the
connection goes to one of the addresses that were checked, so a name that changes in between changes nothing.
The certificate is that of the name. No redirect is followed, and nothing but 200 counts.
"""

import asyncio
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Final

import httpcore2

from runtime.oauth.client_documents.urls import DocumentUrl
from runtime.outbound import PinnedBackend, Resolve, default_trust, find_address, resolve

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


@dataclass(frozen=True, slots=True)
class Fetcher:
    """What it takes to fetch; the defaults are the real ones, and tests have others."""

    resolve: Resolve = resolve
    backend: httpcore2.AsyncNetworkBackend = field(default_factory=httpcore2.AnyIOBackend)
    trust: ssl.SSLContext = field(default_factory=default_trust)
    seconds: float = SECONDS

    async def fetch(self, url: DocumentUrl) -> Fetched:
        """Fetch a document. Raises ``NotFetched``."""
        try:
            async with asyncio.timeout(self.seconds):
                return await self._get(url)
        except TimeoutError:
            raise NotFetched(f"it took longer than {self.seconds} s") from None
        except (OSError, *_FAULTS) as error:
            raise NotFetched(f"the host cannot be reached: {error or type(error).__name__}") from None

    async def _get(self, url: DocumentUrl) -> Fetched:
        backend = PinnedBackend(partial(find_address, lookup=self.resolve), self.backend)
        async with (
            httpcore2.AsyncConnectionPool(ssl_context=self.trust, network_backend=backend) as pool,
            pool.stream("GET", url, headers=_SENT) as answer,
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
