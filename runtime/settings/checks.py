"""Settings that are more than any text: networks, origins, hosts and addresses."""

import re
from ipaddress import IPv4Network, IPv6Network, ip_interface, ip_network

from runtime.model.realm_name import REALM_RULE, is_realm_name

_PORT = r"(?::(?P<port>[0-9]{1,5}))?"
_HOST = re.compile(
    r"(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9](?::(?P<port>[1-9][0-9]{0,4}))?"
)
_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])" + _PORT)
"""Scheme, host in lower case, and port, as browsers send it (RFC 6454 section 6.2)."""
_ADDRESS = re.compile(rf"https?://(?:[a-z0-9._-]+|\[[0-9a-f:.]+\]){_PORT}(?:/[^\s?#]*)?", re.IGNORECASE)
_PREFIX = re.compile(r"(?:/[^\s/?#]+)*")


def parse_networks(text: str) -> tuple[IPv4Network | IPv6Network, ...]:
    """Parse comma-separated networks. Raises ``ValueError``."""
    return tuple(ip_network(network.strip()) for network in text.split(",") if network.strip())


def check_networks(text: str) -> str:
    """Return the text if it lists networks that leave somebody out. Raises ``ValueError``."""
    for item in split_items(text):
        network = ip_network(item, strict=False)
        if network.prefixlen == 0:
            raise ValueError(f"{network} trusts every caller; name the networks of your proxies")
        if network.network_address != ip_interface(item).ip:
            raise ValueError(f"{item} is an address in a network; write {network}, or the address alone")
    return text


def split_items(text: str) -> tuple[str, ...]:
    """Split a comma-separated list."""
    return tuple(item.strip() for item in text.split(",") if item.strip())


def check_origins(text: str) -> str:
    """Return the text if it lists origins. Raises ``ValueError``."""
    for origin in split_items(text):
        if origin != "*" and not _fits(_ORIGIN, origin):
            raise ValueError(
                f"{origin} is not an origin; write scheme and host, as in https://app.example:8443"
            )
    return text


def check_hosts(text: str) -> str:
    """Return the text if it lists names of hosts, with a port unless it is 443. Raises ``ValueError``."""
    for host in split_items(text):
        if not _fits(_HOST, host):
            raise ValueError(f"{host} is not the name of a host; write app.example or app.example:8443")
    return text


def check_endpoint(text: str) -> str:
    """Return the text if it is the address of an HTTP service. Raises ``ValueError``, without the text.

    It might hold a password; headers for the collector are set elsewhere.
    """
    if not re.fullmatch(r"https?://[^\s/?#@]+(?:/[^\s?#]*)?", text):
        raise ValueError("this is not the address of a collector; write it as in http://collector:4318")
    return text.rstrip("/")


def check_address(text: str) -> str:
    """Return the text if callers can reach a service at it. Raises ``ValueError``, without the text."""
    if not _fits(_ADDRESS, text):
        raise ValueError("this is not an address of HTTP; write scheme and host, as in https://api.example")
    return text


def check_prefix(text: str) -> str:
    """Return the text if paths can begin with it. Raises ``ValueError``."""
    if not _PREFIX.fullmatch(text):
        raise ValueError(
            f"{text} is not a prefix of paths; write it as in /records, without a slash at the end"
        )
    return text


def check_realm(text: str) -> str:
    """Return the text if a realm may be called so. Raises ``ValueError``."""
    if not is_realm_name(text):
        raise ValueError(f"the name of a realm {REALM_RULE}")
    return text


def _fits(pattern: re.Pattern[str], text: str) -> bool:
    """Whether a text has the form of a pattern, and a port that exists, if any."""
    found = pattern.fullmatch(text)
    return found is not None and (found["port"] is None or 0 < int(found["port"]) < 65536)
