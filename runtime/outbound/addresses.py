"""Names of hosts → the addresses that may be connected to."""

import asyncio
from collections.abc import Awaitable, Callable
from ipaddress import IPv4Address, ip_address, ip_network

Resolve = Callable[[str, int], Awaitable[list[str]]]

_GLOBAL = ip_network("2000::/3")
_EXCEPT = tuple(
    ip_network(one)
    for one in (
        *("2001::/23", "2002::/16", "192.88.99.0/24"),  # tunnels: Teredo and others, 6to4
        *("3fff::/20", "192.0.0.0/24"),  # for documentation, for protocols
        "168.63.129.16/32",  # what a virtual machine of Azure asks about itself
    )
)
"""What is inside the public network and leads elsewhere."""


async def resolve(host: str, port: int) -> list[str]:
    """Look up the addresses of a name. Raises ``OSError``."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=1)
    return [str(row[4][0]) for row in found]


async def find_address(
    host: str, port: int, lookup: Resolve = resolve, *, allows_private: bool = False
) -> str:
    """Return an address of a host; none may be private unless that is allowed. Raises ``OSError``."""
    addresses = await lookup(host, port)
    if not addresses:
        raise OSError("the host has no address")
    if not (allows_private or all(map(is_public, addresses))):
        raise OSError("the host has an address that is not public")
    return addresses[0]


def is_public(address: str) -> bool:
    """Whether an address belongs to the public network, so that nothing private is behind it."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return False
    if not parsed.is_global or any(parsed in one for one in _EXCEPT):
        return False
    if isinstance(parsed, IPv4Address):
        return not (parsed.is_multicast or parsed.is_reserved)
    # Mapped and translated IPv4 (::ffff:0:0/96, 64:ff9b::/96), local and multicast ones are outside.
    return parsed in _GLOBAL
