"""Leave to do one action on one record type in one realm, with its scope. No Access, no query.

Two makers: ``security.guard.allow`` for a caller and ``as_service`` for the listed modules; a test
scans the code for others.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from runtime.filter import EVERYTHING, Predicate
from runtime.principal import DomainScope
from runtime.record_type import RecordType


class Action(StrEnum):
    """What is to be done (decisions §3, Actions)."""

    VIEW = "VIEW"
    CREATE = "CREATE"
    UPDATE = "UPDATE"
    DELETE = "DELETE"


@dataclass(frozen=True, slots=True)
class Access:
    """``domain`` is the hard scope, ``rules`` what permission rules add, ``hidden`` the dotted fields
    that no read may return (those of the record type and those the rules take away)."""

    kind: RecordType[Any]
    action: Action
    realm: str
    domain: DomainScope
    rules: Predicate = EVERYTHING
    hidden: frozenset[str] = field(default_factory=frozenset)

    def scoped(self, match: Predicate) -> Mapping[str, Any]:
        """The match the store sends: the caller's AND the rules' AND the hard scope."""
        return (Predicate(self.domain.as_match()) & self.rules & match).match
