"""The address a request came from through proxies: ``Forwarded`` (RFC 7239) and ``X-Forwarded-For``.

Every proxy appends the address it was asked from, so what trusted proxies appended is known: the list is read
from the right, up to the first address that is not a trusted proxy. What stands left of it was sent by that
caller and is ignored. A list that cannot be read, or two lists that disagree, leave the address of the peer:
its callers then share one throttle, and none escapes it.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from itertools import islice
from typing import Final, TypeAlias

from runtime.http.forwarded import forwarded_elements

Headers: TypeAlias = Iterable[tuple[bytes, bytes]]
IpAddress: TypeAlias = IPv4Address | IPv6Address
Networks: TypeAlias = Sequence[IPv4Network | IPv6Network]

_MAX_HOPS: Final = 32
_NODE = re.compile(r"(?:([0-9.]+)|\[([0-9A-Fa-f:.]+)\])(?::(?:[0-9]{1,5}|_[A-Za-z0-9._-]+))?")
_NAMES: Final = (b"forwarded", b"x-forwarded-for", b"x-forwarded-proto")


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a request came from. ``is_https``: a trusted proxy was asked by HTTPS."""

    address: str
    is_https: bool = False


class TrustedProxies:
    """The networks whose word on callers counts."""

    def __init__(self, networks: Networks) -> None:
        self._networks = tuple(networks)
        self._trusts_text = lru_cache(maxsize=1024)(self._check)

    def __bool__(self) -> bool:
        return bool(self._networks)

    def trusts(self, peer: str) -> bool:
        return self._trusts_text(peer)

    def origin(self, peer: str, headers: Headers) -> Origin:
        """Return where a request of ``peer`` came from; header names are in lower case."""
        if not self._trusts_text(peer):
            return Origin(peer)
        lines: dict[bytes, list[str]] = {name: [] for name in _NAMES}
        for name, value in headers:
            if name in lines:
                lines[name].append(value.decode("latin-1"))
        forwarded, hops, schemes = lines.values()
        return Origin(self._address(forwarded, hops) or peer, _is_https(forwarded, schemes))

    def _address(self, forwarded: Sequence[str], hops: Sequence[str]) -> str | None:
        """Return the address on which both headers agree; one of them may name none."""
        try:
            found = {
                self._find_caller(_read_for_nodes(forwarded)),
                self._find_caller(_read_listed_nodes(hops)),
            } - {None}
        except ValueError:
            return None
        return str(found.pop()) if len(found) == 1 else None

    def _find_caller(self, hops: Iterator[IpAddress]) -> IpAddress | None:
        """Return the first address that is not a proxy's, else the last one; None without any."""
        address = None
        for address in islice(hops, _MAX_HOPS):
            if not self._trusts(address):
                return address
        if next(hops, None) is not None:
            raise ValueError("more proxies than anybody has")
        return address

    def _check(self, text: str) -> bool:
        try:
            return self._trusts(_plain(ip_address(text.partition("%")[0])))
        except ValueError:
            return False

    def _trusts(self, address: IpAddress) -> bool:
        return any(address in network for network in self._networks)


def _read_for_nodes(lines: Sequence[str]) -> Iterator[IpAddress]:
    """Yield the ``for`` of each element of ``Forwarded``, the last first. Raises ``ValueError``."""
    for position, element in enumerate(
        element for line in reversed(lines) for element in forwarded_elements(line)
    ):
        if "for" not in element and position == 0:
            return  # the nearest proxy names no addresses by this header: what else it holds is the caller's
        yield _parse_node(element.get("for", ""))


def _read_listed_nodes(lines: Sequence[str]) -> Iterator[IpAddress]:
    """Yield the addresses of ``X-Forwarded-For``, the last first. Raises ``ValueError``."""
    for line in reversed(lines):
        for text in reversed(line.rsplit(",", _MAX_HOPS + 1)):
            if node := text.strip(" \t"):
                is_bare = node.count(":") > 1 and not node.startswith("[")
                yield _parse_node(f"[{node}]" if is_bare else node)


def _parse_node(text: str) -> IpAddress:
    """Read ``192.0.2.1``, ``192.0.2.1:80`` or ``[2001:db8::1]:80``; others are unknown or hidden."""
    match = _NODE.fullmatch(text)
    if match is None:
        raise ValueError(text)
    return _plain(ip_address(match[1] or match[2]))


def _plain(address: IpAddress) -> IpAddress:
    """Return the IPv4 address that an IPv4-mapped IPv6 address represents; others unchanged."""
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address


def _is_https(forwarded: Sequence[str], schemes: Sequence[str]) -> bool:
    """Whether the nearest proxy says so by either header."""
    scheme = schemes[-1].rpartition(",")[2].strip(" \t").lower() if schemes else ""
    try:
        nearest = forwarded_elements(forwarded[-1])[0] if forwarded else {}
    except (ValueError, IndexError):
        nearest = {}
    return "https" in (scheme, nearest.get("proto", "").lower())
