"""The steps in force for a record type in a realm, as reads and writes use them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from runtime.spelling import convert, expressions, keeping, matching, withdrawing
from runtime.spelling.expressions import MARK, Stages
from runtime.spelling.matching import Match
from runtime.spelling.steps import Node, Step, grow

Update = Mapping[str, Any] | Stages


@dataclass(frozen=True, eq=False)
class Spelling:
    """How records of a type are spelled: as before, as now, or both.

    ``number``: of the shape that the steps lead to. ``is_shared``: workers of the earlier shape may be
    alive, so that writes store both spellings. ``keeps``: for the time of such a write, which converts a
    record first, and notes what that loses. Without steps all records are in the shape of now, whatever their
    record type says of former names.
    """

    number: int
    steps: tuple[Step, ...] = ()
    is_shared: bool = False
    keeps: bool = False

    @cached_property
    def root(self) -> Node:
        """The tree of what the steps touch."""
        return grow(self.steps)

    @cached_property
    def tops(self) -> frozenset[str]:
        """The members of a record that steps touch, by their names of now."""
        return frozenset(self.root.children)

    @cached_property
    def unification(self) -> Stages:
        """The stages that compute a record in the shape of now."""
        return expressions.build_unification(self.root, self.number)

    @cached_property
    def conversion(self) -> Stages:
        """The update that stores a record in the shape of now alone."""
        if self.keeps and self.root.may_lose:
            return keeping.build_keeping_conversion(self.root, self.number)
        return expressions.build_conversion(self.root, self.number)

    @cached_property
    def sharing(self) -> Stages:
        """The update that adds the former spelling to a record in the shape of now."""
        if self.root.may_lose:
            return keeping.build_keeping_share(self.root, self.number)
        return expressions.build_sharing(self.root, self.number)

    @cached_property
    def inner(self) -> Spelling:
        """The spelling in which a write that stores both writes first."""
        return replace(self, is_shared=False, keeps=True)

    @property
    def settled(self) -> Match:
        """Matches records that are stored in the shape of now alone."""
        return {f"{MARK}.of": self.number, f"{MARK}.at": {"$exists": False}}

    @property
    def unsettled(self) -> Match:
        """Matches all others."""
        return {"$or": [{f"{MARK}.of": {"$ne": self.number}}, {f"{MARK}.at": {"$exists": True}}]}

    @property
    def unmoved(self) -> Match:
        """Matches the records that a migration has to move: into the spelling of now, or into both."""
        if not self.is_shared:
            return self.unsettled
        is_new, is_moved = {f"{MARK}.of": {"$ne": self.number}}, {f"{MARK}.at": {"$exists": False}}
        return {"$or": [is_new, is_moved, {"$expr": {"$ne": [f"${MARK}.at", "$version"]}}]}

    @cached_property
    def moves(self) -> list[tuple[Match, Update]]:
        """The updates that move them, each with what it matches; the last one moves any."""
        if self.is_shared:
            first = self.inner.conversion if self.root.may_lose else self.unification
            return [(self.unmoved, [*first, *self.sharing])]
        usual = expressions.build_renaming(self.root, self.number)
        return [*([usual] if usual else ()), (self.unmoved, self.conversion)]

    @property
    def marked(self) -> Match:
        """Matches the records that workers of this shape have written, also without a migration."""
        return {"$or": [self._marked, *withdrawing.match_unmarked(self.root)]}

    @property
    def _marked(self) -> Match:
        """Matches those that were written in the shape of now, alone or with the former one."""
        return {f"{MARK}.of": self.number}

    @cached_property
    def withdrawals(self) -> list[tuple[Match, Stages]]:
        """The updates that store such records in the former spelling alone, each with what it matches."""
        shared = replace(self, is_shared=True)
        ((_, update),) = shared.moves
        withdrawal = [*update, *withdrawing.build_withdrawal(self.root)]
        found: list[tuple[Match, Stages]] = [(self._marked, withdrawal)]
        if unmarked := withdrawing.match_unmarked(self.root):
            found.append(({"$or": unmarked}, withdrawing.build_renaming_back(self.root)))
        return found

    @cached_property
    def values(self) -> Mapping[str, Any]:
        """What steps touch, as an expression for each member in the shape of now, without former names."""
        return expressions.build_values(self.root, self.number, keep_former=False)

    def touches(self, match: Match) -> bool:
        """Return whether a condition looks at what steps touch."""
        return matching.touches(match, self.root)

    def widen(self, match: Match) -> Match:
        """Return a condition on stored records that holds wherever ``match`` may hold of the computed one."""
        return matching.widen(match, self.root)

    def unify(self, document: Mapping[str, Any]) -> dict[str, Any]:
        """Return a stored record in the shape of now."""
        return convert.unify(self.root, self.number, document)

    def spell(self, document: Mapping[str, Any]) -> dict[str, Any]:
        """Return a new record as it is stored: in the shape of now, or in both."""
        if self.is_shared:
            return convert.share(self.root, self.number, document)
        return {**document, MARK: {"of": self.number}}
