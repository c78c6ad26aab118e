"""What an expansion embeds, checked and ready to run."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from runtime.filter import Projection
from runtime.filter.syntax import Filter
from runtime.model.record_type import Reference
from runtime.storage.access import Access


@dataclass(frozen=True, slots=True)
class Embedding:
    """Records that take the place of references.

    ``references`` are fields of the records around it. ``access`` is the caller's own permission to view the
    type they refer to: its scope, rules and hidden fields hold as if the records were read on their own.
    ``where`` and ``projection`` narrow what is embedded, ``inner`` goes on from the embedded records.
    """

    references: tuple[Reference, ...]
    access: Access[Any]
    where: Filter | None = None
    projection: Projection | None = None
    inner: tuple[Embedding, ...] = ()

    @property
    def omits_id(self) -> bool:
        """Whether what is embedded is shown without its id."""
        return self.projection is not None and self.projection.omits_id

    def is_alike(self, other: Embedding) -> bool:
        """Return whether both embed the same in place of different references."""
        return replace(self, references=other.references) == other
