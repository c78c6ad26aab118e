"""Leave to do one action on one record type in one database, with its scope. No Access, no query.

Two makers: ``access.guard.allow`` for a caller and ``as_service`` for the listed modules; a test
scans the code for others.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from runtime.filter import EVERYTHING, Predicate, admits, under_former_names
from runtime.model.record_type import RecordType
from runtime.principal import DomainScope


class Action(StrEnum):
    """What is to be done (decisions §3, Actions)."""

    VIEW = "VIEW"
    CREATE = "CREATE"
    UPDATE = "UPDATE"
    DELETE = "DELETE"


@dataclass(frozen=True, slots=True)
class Access:
    """``database`` is that of the realm, ``domain`` the hard scope, ``rules`` what permission rules add,
    ``hidden`` the dotted fields that no read may return (those of the record type and those the rules
    take away). One leave covers the stored and the new side of a write."""

    kind: RecordType[Any]
    action: Action
    database: str
    domain: DomainScope
    rules: Predicate = EVERYTHING
    hidden: frozenset[str] = field(default_factory=frozenset)

    def scoped(self, match: Predicate) -> Mapping[str, Any]:
        """The match the store sends: the caller's AND the rules' AND the hard scope."""
        whole = (Predicate(self.domain.as_match()) & self.rules & match).match
        return under_former_names(whole, self.kind.renamed)

    def admits(self, document: Mapping[str, Any]) -> bool:
        """Whether a record at hand lies inside: what ``scoped`` is for those in the store.

        It must be whole as far as scope and rules look at it; what the scope binds and is not there lies
        outside.
        """
        if not self.domain.admits(document.get("dataDomain", {})):
            return False
        return self.rules is EVERYTHING or admits(self.rules, document)

    @property
    def withheld(self) -> frozenset[str]:
        """The fields that rules take away, and what is derived from them; the caller neither reads nor
        writes them."""
        return self.hidden - self.kind.hidden

    @property
    def put_back(self) -> frozenset[str]:
        """The withheld fields that a write leaves as they are stored. Names in references are not among
        them: the server copies those again, for whatever is referred to then."""
        return self.withheld - self.kind.copied

    def to_decide(self) -> Access:
        """The same leave for reading what rules look at, withheld fields included. Never to answer with."""
        return replace(self, hidden=self.kind.hidden) if self.withheld else self
