"""The steps from one shape of a record type to the next, and the tree of fields that they touch."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from runtime.spelling.values import Enlist, Operation

Path = tuple[str, ...]
"""The names from the record to a field, as they are now; ``ITEM`` and ``ENTRY`` step into lists and maps."""

ITEM: Final = "[]"
ENTRY: Final = "{}"


@dataclass(frozen=True, slots=True)
class Step:
    """One change of one field: it was called ``former`` (None: the same), and its value is operated on.

    ``loses``: some values may not survive.
    """

    name: str
    path: Path
    former: str | None = None
    operation: Operation | None = None
    loses: bool = False

    @property
    def can_be_undone(self) -> bool:
        """Whether the former spelling can be had back."""
        return not self.loses


@dataclass(slots=True)
class Node:
    """A field that steps touch, or that holds one.

    ``enlist`` comes before what happens inside the value, ``operations`` after it. ``item``: what its list or
    map holds.
    """

    former: str | None = None
    enlist: Operation | None = None
    operations: list[Operation] = field(default_factory=list)
    children: dict[str, Node] = field(default_factory=dict)
    item: Node | None = None
    is_map: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether nothing in the value changes."""
        return not (self.enlist or self.operations or self.children or self.item)


def grow(steps: Iterable[Step]) -> Node:
    """Return the tree of steps: its root is the record."""
    root = Node()
    for step in steps:
        here = root
        for name in step.path:
            here = _enter(here, name)
        here.former = step.former or here.former
        if isinstance(step.operation, Enlist):
            here.enlist = step.operation
        elif step.operation is not None:
            here.operations.append(step.operation)
    return root


def _enter(node: Node, name: str) -> Node:
    if name in (ITEM, ENTRY):
        node.item = node.item or Node()
        node.is_map = name == ENTRY
        return node.item
    return node.children.setdefault(name, Node())


def show_path(path: Path) -> str:
    """Return ``lines[].sku``."""
    return ".".join(path).replace(f".{ITEM}", ITEM).replace(f".{ENTRY}", ENTRY)


def parse_path(text: str) -> Path:
    """Return the path that ``show_path`` shows."""
    return tuple(text.replace(ITEM, f".{ITEM}").replace(ENTRY, f".{ENTRY}").split("."))
