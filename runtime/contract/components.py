"""The components of an OpenAPI document, and which of them a part of it needs."""

import re
from collections.abc import Mapping
from typing import Any

Sections = Mapping[str, Mapping[str, Any]]
"""Section and name → what may be referred to there."""

_POINTER = "#/components/"
_REFERENCE = re.compile(rb'"\$ref":"([^"]*)"')
_DATA = frozenset({"example", "examples", "required", "enum", "tags"})
"""Words whose lists hold no schema."""


def reached(components: Sections, node: Any) -> dict[str, dict[str, Any]]:
    """Collect the components that a part of a document refers to, directly or through other components."""
    seen: set[tuple[str, str]] = set()
    waiting = list_references(node)
    while waiting:
        section, name = waiting.pop()
        seen.add((section, name))
        if name not in components[section]:
            place = f"#/components/{section}/{name}"
            raise KeyError(f"the document has no {place}; shared answers are listed in openapi/bodies.py")
        waiting |= list_references(components[section][name]) - seen
    found: dict[str, dict[str, Any]] = {}
    for section, name in sorted(seen):
        found.setdefault(section, {})[name] = components[section][name]
    return found


def find_paths(text: bytes) -> set[str]:
    """Find each reference in a text, as ``schemas/Airport``; also those in the data of examples."""
    return {one.decode().removeprefix(_POINTER) for one in set(_REFERENCE.findall(text))}


def list_references(node: Any) -> set[tuple[str, str]]:
    """List section and name of each reference. Examples are data: a ``$ref`` in them is not a reference."""
    found: set[str] = set()
    waiting = [node]
    while waiting:  # neither recursive nor by isinstance: a document has millions of nodes
        here = waiting.pop()
        if type(here) is list:
            waiting += [one for one in here if type(one) is dict or type(one) is list]
        for name, inner in here.items() if type(here) is dict else ():
            kind = type(inner)
            if kind is str:
                if name == "$ref":
                    found.add(inner)
            elif kind is dict:
                if name == "properties":
                    waiting += inner.values()  # members may have the name of a keyword
                elif name not in ("example", "value"):
                    waiting.append(inner)
            elif kind is list and name not in _DATA:
                waiting.append(inner)
    return {_read_pointer(one) for one in found}


def _read_pointer(pointer: str) -> tuple[str, str]:
    section, _, name = pointer.removeprefix(_POINTER).partition("/")
    return section, name
