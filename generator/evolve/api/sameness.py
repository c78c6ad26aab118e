"""Which parts cannot differ: they are equal, and so is all that they refer to.

Most of a document is such, and looking at all of it takes most of the time. What an object refers to is found
by writing it as JSON and searching for references, both of which are fast.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import orjson

from generator.evolve.api.documents import Document
from runtime.contract.components import find_paths


class Sameness:
    """Knows which components differ, or refer to one that does."""

    def __init__(self, old: Document, new: Document) -> None:
        before, after = (_list_components(one) for one in (old, new))
        self.differing = {key for key in before.keys() | after.keys() if before.get(key) != after.get(key)}
        self.is_security_other = old.value.get("security") != new.value.get("security")
        if self.differing:
            self._add_referring(after)

    def is_same(self, old: Any, new: Any) -> bool:
        """Whether two parts of the documents are equal, and nothing that they refer to differs."""
        if old != new:
            return False
        return not self.differing or self.differing.isdisjoint(_list_references(new))

    def is_same_operation(self, old: Any, new: Any) -> bool:
        """Whether two operations are; the security of the document is that of those without their own."""
        return not (self.is_security_other and "security" not in new) and self.is_same(old, new)

    def _add_referring(self, components: dict[str, Any]) -> None:
        referring: defaultdict[str, set[str]] = defaultdict(set)
        for key, value in components.items():
            for name in _list_references(value):
                referring[name].add(key)
        waiting = list(self.differing)
        while waiting:
            found = referring[waiting.pop()] - self.differing
            self.differing |= found
            waiting += found


def _list_references(value: Any) -> set[str]:
    return find_paths(orjson.dumps(value))


def _list_components(document: Document) -> dict[str, Any]:
    return {
        f"{section}/{name}": value
        for section, members in document.section("components").items()
        if isinstance(members, dict)
        for name, value in members.items()
    }
