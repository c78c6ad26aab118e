"""Turning away connections that have not begun, without losing one that has.

A listener that is closed resets what is in its queue, and what is half connected. So the kernel first drops
the packets that would begin a connection, while handshakes under way come to their end and are accepted. A
client sends them again a second later, to whatever listens then, or is refused.
"""

import ctypes
import socket
import struct
import sys
from contextlib import suppress
from typing import Final

_SO_ATTACH_FILTER: Final = 26
"""From the headers of Linux; Python does not name it."""

_FLAGS: Final = 13
_SYN, _ACK = 0x02, 0x10
_INSTRUCTIONS: Final = (
    (0x30, 0, 0, _FLAGS),  # load this byte of the TCP header
    (0x54, 0, 0, _SYN | _ACK),  # and these bits of it
    (0x15, 0, 1, _SYN),  # continue with the next one if only this bit is set, else skip it
    (0x06, 0, 0, 0),  # drop the packet
    (0x06, 0, 0, 0xFFFF_FFFF),  # take all of it
)


def turn_away(listener: socket.socket) -> None:
    """Let no further connection begin, in any process that shares the listener; where the kernel can."""
    if sys.platform != "linux":
        return
    program = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *one) for one in _INSTRUCTIONS))
    with suppress(OSError):
        described = struct.pack("@HP", len(_INSTRUCTIONS), ctypes.addressof(program))
        listener.setsockopt(socket.SOL_SOCKET, _SO_ATTACH_FILTER, described)
