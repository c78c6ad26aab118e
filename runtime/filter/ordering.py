"""Sort and projection (spec 2 §4.2, decisions §2)."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Projection:
    """Which fields a read returns."""

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()

    def as_mongo(self, hidden: Set[str]) -> Mapping[str, int] | None:
        """As a MongoDB projection that never returns a hidden field."""
        if self.include:
            return {"_id": 1} | {path: 1 for path in self.include if path not in hidden}
        return {path: 0 for path in (*self.exclude, *sorted(hidden))} or None
