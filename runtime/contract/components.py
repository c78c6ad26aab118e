"""The components of an OpenAPI document, and which of them a part of it needs."""

from collections.abc import Iterator, Mapping
from typing import Any

Sections = Mapping[str, Mapping[str, Any]]
"""Section and name → what may be referred to there."""

_POINTER = "#/components/"


def reached(components: Sections, node: Any) -> dict[str, dict[str, Any]]:
    """Collect the components that a part of a document refers to, directly or through other components."""
    seen: set[tuple[str, str]] = set()
    waiting = set(_list_references(node))
    while waiting:
        section, name = waiting.pop()
        seen.add((section, name))
        if name not in components[section]:
            place = f"#/components/{section}/{name}"
            raise KeyError(f"the document has no {place}; shared answers are listed in openapi/bodies.py")
        waiting |= set(_list_references(components[section][name])) - seen
    found: dict[str, dict[str, Any]] = {}
    for section, name in sorted(seen):
        found.setdefault(section, {})[name] = components[section][name]
    return found


def _list_references(node: Any) -> Iterator[tuple[str, str]]:
    """Yield section and name of each reference. Examples are data: a ``$ref`` in them is not a reference."""
    if isinstance(node, dict):
        for name, inner in node.items():
            if name == "$ref" and isinstance(inner, str):
                section, _, target = inner.removeprefix(_POINTER).partition("/")
                yield section, target
            elif name == "properties" and isinstance(inner, dict):
                yield from _list_references(list(inner.values()))  # members may have the name of a keyword
            elif name != "example" and not (name == "examples" and isinstance(inner, list)):
                yield from _list_references(inner)
    elif isinstance(node, list):
        for inner in node:
            yield from _list_references(inner)
