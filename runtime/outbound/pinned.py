"""Connect to the address that was looked at, whatever the name leads to a moment later.

The name is looked up as the connection is made, and the connection goes to the address that was found then.
The certificate is that of the name.
"""

import ssl
from collections.abc import Awaitable, Callable
from functools import cache
from typing import Any, Final

import httpcore2
import httpx2

from runtime.outbound.streams import LoopBackend

_MOST_CONNECTIONS: Final = 32

Choose = Callable[[str, int], Awaitable[str]]
"""Host and port → the address to connect to; raises ``OSError`` where there is none."""


@cache
def default_trust() -> ssl.SSLContext:
    """Return what the system trusts. All certificates are read once in a process, which takes 30 ms."""
    return ssl.create_default_context()


class PinnedBackend(httpcore2.AsyncNetworkBackend):
    """Connects to the addresses that ``choose`` returns, and to nothing else."""

    def __init__(self, choose: Choose, inner: httpcore2.AsyncNetworkBackend | None = None) -> None:
        self._choose = choose
        self._inner = inner or LoopBackend()

    async def connect_tcp(
        self, host: str, port: int, *arguments: Any, **options: Any
    ) -> httpcore2.AsyncNetworkStream:
        try:
            address = await self._choose(host, port)
        except OSError as error:
            raise httpcore2.ConnectError(str(error)) from error
        return await self._inner.connect_tcp(address, port, *arguments, **options)

    async def connect_unix_socket(
        self, path: str, *arguments: Any, **options: Any
    ) -> httpcore2.AsyncNetworkStream:
        raise httpcore2.ConnectError("a connection to a host never is one to a socket")

    async def sleep(self, seconds: float) -> None:
        await self._inner.sleep(seconds)


class _Connection(httpcore2.AsyncHTTPConnection):
    """A connection that is not used again if more came than the answer.

    It would be taken for the answer to the next request: such as the body of a 204, which has none.
    """

    def has_expired(self) -> bool:
        return super().has_expired() or (self.is_idle() and self._holds_more())

    def _holds_more(self) -> bool:
        inner = self._connection
        return isinstance(inner, httpcore2.AsyncHTTP11Connection) and bool(inner._h11_state.trailing_data[0])


class _Pool(httpcore2.AsyncConnectionPool):
    def create_connection(self, origin: httpcore2.Origin) -> httpcore2.AsyncConnectionInterface:
        return _Connection(
            origin=origin,
            ssl_context=self._ssl_context,
            keepalive_expiry=self._keepalive_expiry,
            network_backend=self._network_backend,
        )


def open_pool(
    choose: Choose,
    trust: ssl.SSLContext | None = None,
    *,
    connections: int,
    most_answer: int | None = None,
) -> httpcore2.AsyncConnectionPool:
    """Open a pool of such connections; no proxy of the environment comes between.

    ``most_answer``: the bytes that are read of one answer, with all heads; more are a ``ReadError``.
    """
    return _Pool(
        ssl_context=trust or default_trust(),
        max_connections=connections,
        max_keepalive_connections=connections,
        keepalive_expiry=30,
        network_backend=PinnedBackend(choose, LoopBackend(most_answer)),
    )


class PinnedTransport(httpx2.AsyncHTTPTransport):
    """HTTP over such connections, for ``httpx2``. ``most_answer``: as of ``open_pool``."""

    def __init__(
        self,
        choose: Choose,
        trust: ssl.SSLContext | None = None,
        *,
        most_answer: int | None = None,
    ) -> None:
        trust = trust or default_trust()
        super().__init__(verify=trust, trust_env=False)
        self._pool = open_pool(choose, trust, connections=_MOST_CONNECTIONS, most_answer=most_answer)
