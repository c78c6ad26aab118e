"""What a request of a command sends: JSON, or a file in a form, in pieces: memory does not grow with it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import orjson


@dataclass(frozen=True, slots=True)
class Content:
    """Request content: ``pieces`` starts again at each try and gives ``length`` bytes."""

    media_type: str
    length: int
    pieces: Callable[[], Iterator[bytes]]


def encode_json(body: Any) -> Content:
    """Encode a value as JSON."""
    text = orjson.dumps(body)
    return Content("application/json", len(text), lambda: iter((text,)))


def encode_form(file: Content) -> Content:
    """Encode a file as the one field ``file`` of a form, in the pieces it comes in."""
    boundary = uuid4().hex
    head = (
        f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="rows"\r\n'
        f"Content-Type: {file.media_type}\r\n\r\n"
    ).encode()
    tail = f"\r\n--{boundary}--\r\n".encode()

    def pieces() -> Iterator[bytes]:
        yield head
        yield from file.pieces()
        yield tail

    length = len(head) + file.length + len(tail)
    return Content(f"multipart/form-data; boundary={boundary}", length, pieces)
