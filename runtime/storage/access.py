"""The permission to do one action on one record type in one database, with its scope; every query needs one.

Two places create it: ``access.guard.allow`` for a caller and ``as_service`` for the listed modules; a test
scans the code for others.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Generic

from typing_extensions import TypeVar

from runtime.filter import EVERYTHING, Predicate, admits, under_former_names
from runtime.model.record_type import RecordType
from runtime.principal import DomainScope
from runtime.spelling import Spelling


class Action(StrEnum):
    """The action that is requested."""

    __hash__ = str.__hash__  # that of an enumeration is a function of Python

    VIEW = "VIEW"
    CREATE = "CREATE"
    UPDATE = "UPDATE"
    DELETE = "DELETE"


_NO_NAMES: Mapping[str, str] = {}

DocumentT = TypeVar("DocumentT", bound=Mapping[str, Any], default=dict[str, Any])


@dataclass(frozen=True, slots=True)
class Access(Generic[DocumentT]):
    """A granted action on one record type in one realm, whose stored form is ``DocumentT``.

    ``database`` is that of the realm, ``domain`` the hard scope, ``rules`` what permission rules add,
    ``hidden`` the dotted fields that no read may return (those of the record type and those the rules
    take away). One ``Access`` covers the stored and the new side of a write. ``spelling``: how the records
    are spelled while their type changes, which the store fills in.
    """

    kind: RecordType[Any, DocumentT]
    action: Action
    database: str
    domain: DomainScope
    rules: Predicate = EVERYTHING
    hidden: frozenset[str] = field(default_factory=frozenset)
    spelling: Spelling | None = None

    @property
    def renamed(self) -> Mapping[str, str]:
        """The top-level fields that records may hold under former names, where no migration is in force."""
        return self.kind.renamed if self.spelling is None else _NO_NAMES

    def scoped(self, match: Predicate) -> Mapping[str, Any]:
        """Return the match sent to the store: the caller's AND the rules' AND the hard scope.

        Where a spelling is in force it is a condition on the record as computed by it.
        """
        whole = self.domain.match
        for further in (self.rules.match, match.match):  # as Predicates are joined: an empty one is neutral
            if further:
                whole = {"$and": [whole, further]} if whole else further
        return under_former_names(whole, self.renamed)

    def admits(self, document: Mapping[str, Any]) -> bool:
        """Whether a record in memory is in scope: what ``scoped`` is for records in the store.

        The record must have every field that scope and rules look at; a record without a field that the scope
        binds is out of scope.
        """
        if not self.domain.admits(document.get("dataDomain", {})):
            return False
        return self.rules is EVERYTHING or admits(self.rules, document)

    @property
    def withheld(self) -> frozenset[str]:
        """The fields that rules take away, with those derived from them.

        The caller neither reads nor writes them.
        """
        return self.hidden - self.kind.hidden

    @property
    def put_back(self) -> frozenset[str]:
        """The withheld fields that a write leaves as they are stored.

        Names in references are not among them: the server copies those again from the record referred to.
        """
        return self.withheld - self.kind.copied

    def spelled(self, spelling: Spelling) -> Access[DocumentT]:
        """Return the same access to records that are spelled so."""
        return replace(self, spelling=spelling)

    def to_decide(self) -> Access[DocumentT]:
        """Return the same access with withheld fields included, for reading what rules look at.

        Never build a response from what it reads.
        """
        return replace(self, hidden=self.kind.hidden) if self.withheld else self
