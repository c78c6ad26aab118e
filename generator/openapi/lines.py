"""A document as text: a line for each part of an operation and each property of a schema.

Indented it would be twice as large, and half of the time goes into it; in one line nobody sees what differs.
"""

from __future__ import annotations

from typing import Any

import orjson

_DEPTHS = {"paths": 3, "components": 4}
"""How many levels of a member of the document have lines of their own."""


def render_lines(document: Any) -> str:
    """Render a document, a line for each path, operation and component, and for what these consist of."""
    members = (f"{_dump(name)}:{_render(value, _DEPTHS.get(name, 0))}" for name, value in document.items())
    return "{\n" + ",\n".join(members) + "\n}\n"


def _render(value: Any, depth: int) -> str:
    if not depth or not isinstance(value, dict) or not value:
        return _dump(value)
    members = (f"{_dump(name)}:{_render(one, depth - 1)}" for name, one in value.items())
    return "{\n" + ",\n".join(members) + "\n}"


def _dump(value: Any) -> str:
    return orjson.dumps(value).decode()
