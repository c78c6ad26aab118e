"""Connections to hosts that somebody else names: only to addresses that were looked at first."""

from runtime.outbound.addresses import Resolve, find_address, is_public, resolve
from runtime.outbound.pinned import PinnedBackend, PinnedTransport, default_trust, open_pool

__all__ = [
    "PinnedBackend",
    "PinnedTransport",
    "Resolve",
    "default_trust",
    "find_address",
    "is_public",
    "open_pool",
    "resolve",
]
