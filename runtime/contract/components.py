"""The components of an OpenAPI document, and which of them a part of it needs."""

import re
from collections.abc import Mapping
from typing import Any

import orjson

Sections = Mapping[str, Mapping[str, Any]]
"""Section and name → what may be referred to there."""

_POINTER = "#/components/"
_REFERENCE = re.compile(rb'"\$ref":"([^"]*)"')
_DATA = frozenset({"example", "examples", "required", "enum", "tags"})
"""Words whose lists hold no schema."""


def reached(components: Sections, node: Any) -> dict[str, dict[str, Any]]:
    """Collect the components that a part of a document refers to, directly or through other components."""
    seen: set[tuple[str, str]] = set()
    waiting = _find_references(node, components)
    while waiting:
        section, name = waiting.pop()
        seen.add((section, name))
        if name not in components[section]:
            place = f"#/components/{section}/{name}"
            raise KeyError(f"the document has no {place}; shared answers are listed in openapi/bodies.py")
        waiting |= _find_references(components[section][name], components) - seen
    found: dict[str, dict[str, Any]] = {}
    for section, name in sorted(seen):
        found.setdefault(section, {})[name] = components[section][name]
    return found


def _find_references(node: Any, components: Sections) -> set[tuple[str, str]]:
    """Find the references of a part of a document in its text, a fifth of the time of looking at its nodes.

    One that leads nowhere may be data of an example: then the nodes tell.
    """
    found = find_pointers(orjson.dumps(node))
    is_known = all(name in components.get(section, ()) for section, name in found)
    return found if is_known else list_references(node)


def find_pointers(text: bytes) -> set[tuple[str, str]]:
    """Find section and name of each reference in a text, also of those in the data of examples."""
    return {_read_pointer(one) for one in find_paths(text)}


def find_paths(text: bytes) -> set[str]:
    """Find what ``find_pointers`` does, as ``schemas/Airport``."""
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
