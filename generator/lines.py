"""JSON as text with a line for each part, down to some depth.

Indented it would be twice as large, and a document takes twice as long; in one line nobody sees what differs.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import orjson


def render_lines(value: Any, depth: int) -> bytes:
    """Render a value, with a line for each member of the objects that are less than ``depth`` levels deep."""
    if not depth or type(value) is not dict or not value:
        return orjson.dumps(value, default=str)
    if depth == 1:  # most values end here: without a call of this function for each
        members = [_name(name) + orjson.dumps(inner, default=str) for name, inner in value.items()]
    else:
        members = [_name(name) + render_lines(inner, depth - 1) for name, inner in value.items()]
    return b"{\n" + b",\n".join(members) + b"\n}"


@lru_cache(maxsize=4096)
def _name(name: str) -> bytes:
    return orjson.dumps(name) + b":"
