"""All record types of a service, by name."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

from pydantic import BaseModel

from runtime.errors import Misconfigured, NotFound
from runtime.model.later import Later, name_of
from runtime.model.nearest import hint
from runtime.model.ontology import Relationship
from runtime.model.record_type import RecordType, Reference

Referrers: TypeAlias = tuple[tuple[RecordType[Any], list[Reference]], ...]

BUILT_IN_ROLES = frozenset({"user", "admin", "system"})


class Catalog:
    """All record types of a service, by name.

    ``roles``: all roles that users of the service may have. ``relationships``: those of the ontology.
    ``shapes``: the file that says how records are stored, for migrations.
    """

    def __init__(
        self,
        kinds: tuple[RecordType[Any], ...],
        *,
        roles: frozenset[str] = frozenset(),
        relationships: tuple[Relationship, ...] = (),
        shapes: Path | None = None,
    ) -> None:
        self.shapes = shapes
        self.roles = roles | BUILT_IN_ROLES
        self.relationships = relationships
        self._by_name = {kind.name: kind for kind in kinds}
        self._by_title = {kind.shown_name: kind for kind in kinds}
        if len(self._by_name) != len(kinds):
            raise Misconfigured("two record types share a name")
        self._by_input = {name_of(kind, "input"): kind for kind in kinds}
        self._referrers = _group_referrers(kinds)
        self._trackers = {
            name: tuple(
                (kind, keys)
                for kind, references in referrers
                if (keys := [one.key for one in references if one.track])
            )
            for name, referrers in self._referrers.items()
        }

    def of_input(self, model: type[BaseModel]) -> RecordType[Any] | None:
        """Return the record type whose input class this is."""
        found = self._by_input.get(Later.of(model))
        return found if found is not None and found.input is model else None

    @cached_property
    def offered(self) -> Mapping[str, RecordType[Any]]:
        """The record types with routes, by name and by shown name."""
        kinds = [kind for kind in self if kind.operations]
        return {kind.name: kind for kind in kinds} | {kind.shown_name: kind for kind in kinds}

    def referrers(self, kind: RecordType[Any]) -> Referrers:
        """List the types that refer to records of this one, each once, with the references that do."""
        return self._referrers.get(kind.name, ())

    def trackers(self, kind: RecordType[Any]) -> tuple[tuple[RecordType[Any], list[str]], ...]:
        """List the types that track records of this one, each once, and where their references stand."""
        return self._trackers.get(kind.name, ())

    def __iter__(self) -> Iterator[RecordType[Any]]:
        return iter(self._by_name.values())

    def __getitem__(self, name: str) -> RecordType[Any]:
        """Return a record type by ``Airport`` or ``logistics.Airport``. Raises ``NotFound``."""
        simple = name.rpartition(".")[2]
        kind = self._by_title.get(simple) or self._by_name.get(simple)
        if kind is None or name not in (simple, f"{kind.area}.{simple}"):
            raise NotFound(f"no record type {name}{hint(simple, self._by_title)}")
        return kind


def _group_referrers(kinds: Iterable[RecordType[Any]]) -> dict[str, Referrers]:
    found: dict[str, list[tuple[RecordType[Any], list[Reference]]]] = defaultdict(list)
    for kind in kinds:
        references: dict[str, list[Reference]] = defaultdict(list)
        for reference in kind.references:
            references[reference.target.rpartition(".")[2]].append(reference)
        for name, those in references.items():
            found[name].append((kind, those))
    return {name: tuple(referrers) for name, referrers in found.items()}
