"""The steps from one shape of a record type to the next, and the tree of fields that they touch."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from runtime.spelling.admitting import Admit
from runtime.spelling.values import Enlist, Fill, Operation

Path = tuple[str, ...]
"""The names from the record to a field, as they are now; ``ITEM`` and ``ENTRY`` step into lists and maps."""

ITEM: Final = "[]"
ENTRY: Final = "{}"


@dataclass(frozen=True, slots=True)
class Step:
    """One change of one field: it was called ``former`` (None: the same), and its value is operated on.

    ``loses``: some values may not survive. ``is_late``: the earlier shape has the name of now already, so its
    workers write that one, and never the former name. ``admits``: what its values should be, since they
    move as they are.
    """

    name: str
    path: Path
    former: str | None = None
    operation: Operation | None = None
    loses: bool = False
    is_late: bool = False
    admits: Admit | None = None


@dataclass(slots=True)
class Node:
    """A field that steps touch, or that holds one.

    ``enlist`` comes before what happens inside the value, ``operations`` after it. ``item``: what its list or
    map holds. ``loses``: some values do not survive the operations. ``is_late``: as of its step.
    """

    former: str | None = None
    enlist: Operation | None = None
    operations: list[Operation] = field(default_factory=list)
    children: dict[str, Node] = field(default_factory=dict)
    item: Node | None = None
    is_map: bool = False
    loses: bool = False
    is_late: bool = False

    @property
    def abandoned(self) -> str | None:
        """The former name that workers of the earlier shape do not use either."""
        return self.former if self.is_late else None

    def find_earlier_name(self, name: str) -> str:
        """Return what the field ``name`` is called in the earlier shape."""
        return name if self.former is None or self.is_late else self.former

    @property
    def may_lose(self) -> bool:
        """Whether a value may not survive, or something in it."""
        inside = [*self.children.values(), *([self.item] if self.item else ())]
        return self.loses or any(one.may_lose for one in inside)

    @property
    def may_vanish(self) -> bool:
        """Whether there may be nothing in place of a value, on the way to the shape of now or back."""
        return self.loses or self.enlist is not None

    @property
    def is_plain(self) -> bool:
        """Whether nothing in the value changes."""
        return not (self.enlist or self.operations or self.children or self.item)

    @property
    def added(self) -> Fill | None:
        """The default that is all that happens to the field."""
        if self.enlist or self.children or self.item or len(self.operations) != 1:
            return None
        (operation,) = self.operations
        return operation if isinstance(operation, Fill) else None


def grow(steps: Iterable[Step]) -> Node:
    """Return the tree of steps: its root is the record."""
    root = Node()
    for step in steps:
        here = root
        for name in step.path:
            here = _enter(here, name)
        here.former, here.loses = step.former or here.former, here.loses or step.loses
        here.is_late = here.is_late or step.is_late
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
