"""Connections to hosts that somebody else names: only to addresses that were looked at first."""

from runtime.outbound.addresses import Resolve, find_address, is_public, resolve
from runtime.outbound.pinned import Choose, PinnedBackend, PinnedTransport, default_trust, open_pool
from runtime.outbound.streams import LoopStream

__all__ = [
    "Choose",
    "LoopStream",
    "PinnedBackend",
    "PinnedTransport",
    "Resolve",
    "default_trust",
    "find_address",
    "is_public",
    "open_pool",
    "resolve",
]
