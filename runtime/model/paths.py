"""Dotted paths of fields: which lie inside others, what is at one, which a template names."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

PLACEHOLDER: Final = re.compile(r"\{([^{}]+)\}")
KEY_RULE: Final = "not empty, no leading $, no dot, no NUL"
"""What ``is_key`` asks of a key, in words."""


def is_key(name: str) -> bool:
    """Whether a map, or free-form JSON, may have this key: it is one step of a path, and no operator."""
    return bool(name) and name[0] != "$" and "." not in name and "\0" not in name


def top_of(path: str) -> str:
    """Return the top-level member that a path names or is inside of."""
    return path.partition(".")[0]


def around(path: str) -> tuple[str, ...]:
    """Return the paths of the objects around a field, outermost first: of ``a.b.c`` ``a`` and ``a.b``."""
    return tuple(path[:at] for at, character in enumerate(path) if character == ".")


def value_at(document: Any, path: str, absent: Any = None) -> Any:
    """Return the value at a path that leads through objects only."""
    if type(document) is dict and "." not in path:  # as most are
        return document.get(path, absent)
    for step in path.split("."):
        document = document.get(step, absent) if isinstance(document, Mapping) else absent
    return document


def places(value: Any, steps: Sequence[str], path: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Yield path, container and key of each place that ``steps`` lead to; ``items[]`` walks a list."""
    name, is_list = steps[0].removesuffix("[]"), steps[0].endswith("[]")
    inner = value.get(name) if isinstance(value, dict) else None
    if inner is None:
        return
    here = f"{path}.{name}" if path else name
    for at in range(len(inner)) if is_list else (None,):
        shown, holder, key = (here, value, name) if at is None else (f"{here}[{at}]", inner, at)
        if len(steps) == 1:
            yield shown, holder, key
        else:
            yield from places(holder[key], steps[1:], shown)


def is_within(path: str, others: Iterable[str]) -> bool:
    """Return whether a path is one of the others, or a part of one."""
    return any(f"{path}.".startswith(f"{other}.") for other in others)


def overlap(path: str, other: str) -> bool:
    """Return whether two paths name the same field, or one a part of the other."""
    return f"{path}.".startswith(f"{other}.") or f"{other}.".startswith(f"{path}.")


def overlap_any(path: str, others: Iterable[str]) -> bool:
    """Return whether a path overlaps one of the others."""
    return any(overlap(path, other) for other in others)


def placeholders(template: str) -> tuple[str, ...]:
    """Return the paths that a template such as ``"{code} to {target.entityRefName}"`` names, in order."""
    return tuple(PLACEHOLDER.findall(template))
