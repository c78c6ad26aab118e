"""Which addresses are connected to: a table, and that nobody comes between looking and connecting."""

from __future__ import annotations

import asyncio
import ssl
from typing import Any

import httpcore2
import httpx2
import pytest

from runtime.outbound import PinnedBackend, PinnedTransport, default_trust, find_address, is_public

PRIVATE = [
    "127.0.0.1", "127.255.255.254", "0.0.0.0", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254",
    "100.64.0.1", "100.127.255.255", "192.0.0.1", "192.0.2.1", "198.18.0.1", "198.51.100.1", "203.0.113.1", "224.0.0.1",
    "239.255.255.255", "240.0.0.1", "255.255.255.255", "::", "::1", "::7f00:1", "::ffff:127.0.0.1", "::ffff:93.184.216.34",
    "::ffff:0:7f00:1", "64:ff9b::7f00:1", "64:ff9b::5db8:d822", "64:ff9b:1::1", "100::1", "2001::1", "2001:db8::1",
    "2001:10::1", "2002:7f00:1::", "fc00::1", "fd12:3456::1", "fe80::1", "fe80::1%eth0", "fec0::1", "ff02::1", "5f00::1",
    "app.example", "", "1.2.3", "0x7f.0.0.1", "2130706433",
    "10.0.0.1", "168.63.129.16", "192.0.0.9", "192.88.99.1", "::ffff:10.0.0.1", "64:ff9b::a00:1", "2002:a00:1::", "3fff::1",
    "localhost", "1", "127.1",
]  # fmt: skip
PUBLIC = ("93.184.216.34", "8.8.8.8", "2606:2800:220:1:248:1893:25c8:1946", "2a00::1")


def answers(*addresses: str) -> Any:
    async def lookup(_host: str, _port: int) -> list[str]:
        return list(addresses)

    return lookup


@pytest.mark.parametrize("address", PRIVATE)
def test_private_addresses_are_not_public(address: str) -> None:
    assert not is_public(address)
    with pytest.raises(OSError, match="not public"):
        asyncio.run(find_address("a.example", 443, answers(PUBLIC[0], address)))


@pytest.mark.parametrize("address", PUBLIC)
def test_a_public_address_is_found(address: str) -> None:
    assert asyncio.run(find_address("a.example", 443, answers(address))) == address


@pytest.mark.parametrize("allows_private", [False, True])
def test_a_host_without_an_address_is_refused(allows_private: bool) -> None:
    with pytest.raises(OSError, match="has no address"):
        asyncio.run(find_address("a.example", 443, answers(), allows_private=allows_private))


class Wire(httpcore2.AsyncNetworkBackend):
    """Notes what is connected to, and connects to nothing."""

    def __init__(self) -> None:
        self.connected: list[tuple[str, int]] = []

    async def connect_tcp(self, host: str, port: int, *_: Any, **__: Any) -> httpcore2.AsyncNetworkStream:
        self.connected.append((host, port))
        raise httpcore2.ConnectError("the wire ends here")


def test_the_connection_goes_to_the_address_that_was_chosen() -> None:
    wire, asked = Wire(), []

    async def choose(host: str, port: int) -> str:
        asked.append((host, port))
        return PUBLIC[0]

    async def run() -> None:
        with pytest.raises(httpcore2.ConnectError, match="the wire ends here"):
            await PinnedBackend(choose, wire).connect_tcp("a.example", 443)
        with pytest.raises(httpcore2.ConnectError, match="socket"):
            await PinnedBackend(choose, wire).connect_unix_socket("/run/secret.sock")

    asyncio.run(run())
    assert (asked, wire.connected) == ([("a.example", 443)], [(PUBLIC[0], 443)])


def test_a_client_with_the_transport_asks_before_it_connects(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:1")
    asked = []

    async def choose(host: str, port: int) -> str:
        asked.append((host, port))
        raise OSError("nowhere")

    async def run() -> None:
        async with httpx2.AsyncClient(transport=PinnedTransport(choose), trust_env=False) as client:
            with pytest.raises(httpx2.ConnectError, match="nowhere"):
                await client.get("http://a.example/")

    asyncio.run(run())
    assert asked == [("a.example", 80)]


def test_what_the_system_trusts_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two transports of a service share it, and read nothing of their own."""
    trust = default_trust()

    def read(*_arguments: object, **_options: object) -> None:
        raise AssertionError("read again")

    monkeypatch.setattr(ssl, "create_default_context", read)
    monkeypatch.setattr(httpcore2, "default_ssl_context", read)
    transports = [PinnedTransport(find_address), PinnedTransport(find_address)]
    assert [one._pool._ssl_context for one in transports] == [trust, trust]
    assert trust.verify_mode is ssl.CERT_REQUIRED
    assert trust.check_hostname
