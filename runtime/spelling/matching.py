"""Conditions on records in either spelling: what a condition looks at, and which records it may be true of.

A condition that looks at what steps touch is decided on the computed record. To find those records by
indexes, ``widen`` gives a condition on stored ones that is true wherever the condition may be. Pure.
"""

from collections.abc import Mapping
from typing import Any

from runtime.spelling.steps import Node

Match = Mapping[str, Any]


def touches(match: Any, root: Node) -> bool:
    """Return whether a condition looks at a field that steps touch."""
    if isinstance(match, Mapping):
        return any(
            _names(key, root) or (key != "$text" and touches(inner, root)) for key, inner in match.items()
        )
    if isinstance(match, list | tuple):
        return any(touches(one, root) for one in match)
    return isinstance(match, str) and match[:1] == "$" and _names(match[1:], root)


def _names(path: str, root: Node) -> bool:
    return path.partition(".")[0] in root.children


def widen(match: Match, root: Node) -> dict[str, Any]:
    """Return a condition on stored records that holds for each record of which ``match`` may be true."""
    parts: list[Match] = []
    for key, value in match.items():
        if key == "$and":
            parts += [part for one in value if (part := widen(one, root))]
        elif key == "$or":
            options = [widen(one, root) for one in value]
            parts += [{"$or": options}] if all(options) else []
        elif key == "$text" or not touches({key: value}, root):
            parts.append({key: value})
        elif _names(key, root) and (former := _former_key(key, root)) is not None:
            parts.append({"$or": [{key: value}, {former: value}]})
    if len(parts) == 1:
        return dict(parts[0])
    return {"$and": parts} if parts else {}


def _former_key(key: str, root: Node) -> str | None:
    """Return the former name of a path whose value has only moved; None where steps change it."""
    here: Node | None = root
    names, renames = [], 0
    for name in key.split("."):
        while here is not None and here.item is not None and not here.is_map:
            here = here.item
        if here is not None and here.item is not None:
            here = here.item
            names.append(name)
            continue
        here = None if here is None else here.children.get(name)
        former = None if here is None else here.former
        names.append(former or name)
        renames += former is not None
        if here is not None and (here.enlist is not None or here.operations):
            return None
    is_plain = here is None or here.is_plain
    return ".".join(names) if is_plain and renames < 2 else None
