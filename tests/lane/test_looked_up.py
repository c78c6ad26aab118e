"""The lane with an address whose servers a DNS server names (mongodb+srv)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import dns.asyncresolver
import dns.flags
import dns.message
import dns.rcode
import dns.rrset
import pytest
from pymongo.uri_parser import parse_uri

from runtime.errors import StoreUnavailable
from runtime.migrations import MigrationNotes
from runtime.settings import Settings
from runtime.storage.opening import open_store

pytestmark = pytest.mark.anyio

NAME = "_mongodb._tcp.db.0.0.1."
"""Its servers have to be in 0.0.1, where 127.0.0.1 is one that needs no further lookup."""


class Records(asyncio.DatagramProtocol):
    """A DNS server that knows one record, for one of its names."""

    def __init__(self, port: int) -> None:
        self._port = port

    def connection_made(self, transport: Any) -> None:
        self._transport = transport

    def datagram_received(self, data: bytes, addr: Any) -> None:
        query = dns.message.from_wire(data)
        answer = dns.message.make_response(query)
        answer.flags |= dns.flags.RA
        if query.question[0].name.to_text() != NAME:
            answer.set_rcode(dns.rcode.NXDOMAIN)
        else:
            answer.answer.append(dns.rrset.from_text(NAME, 60, "IN", "SRV", f"0 0 {self._port} 127.0.0.1."))
        self._transport.sendto(answer.to_wire(), addr)


@asynccontextmanager
async def resolving_to(port: int, patch: pytest.MonkeyPatch) -> AsyncIterator[None]:
    """Look names up at a DNS server that names this port."""
    loop = asyncio.get_running_loop()
    transport, _records = await loop.create_datagram_endpoint(lambda: Records(port), ("127.0.0.1", 0))
    resolver = dns.asyncresolver.Resolver(configure=False)
    resolver.nameservers, resolver.port = ["127.0.0.1"], transport.get_extra_info("sockname")[1]
    patch.setattr(dns.asyncresolver, "default_resolver", resolver)
    try:
        yield
    finally:
        transport.close()


async def test_the_servers_of_an_address_are_looked_up(
    mongo_uri: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ((_host, port),) = parse_uri(mongo_uri)["nodelist"]
    settings = Settings.read({}, mongodb_uri="mongodb+srv://db.0.0.1/?tls=false")
    async with resolving_to(port or 0, monkeypatch), open_store(settings) as store:
        assert await MigrationNotes(store, "looked_up").read_in_force() == []
        assert sum(store.count_connections() or ()) > 0  # which the lane alone knows


async def test_servers_that_cannot_be_looked_up_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = Settings.read({}, mongodb_uri="mongodb+srv://ann:s3cret@other.0.0.1/?tls=false")
    with pytest.raises(StoreUnavailable) as failed:
        async with resolving_to(1, monkeypatch), open_store(settings):
            pass
    assert failed.value.message == (
        "the servers that MONGODB_URI names cannot be looked up: "
        "The DNS query name does not exist: _mongodb._tcp.other.0.0.1."
    )
