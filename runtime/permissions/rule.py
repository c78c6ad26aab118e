"""A permission rule and the question it is compared with, as data."""

from dataclasses import dataclass
from typing import Final, Literal

from runtime.principal import DomainScope

EVERYBODY = DomainScope()


USER_PREFIX: Final = "user:"
"""Before the pattern of an identity: it is compared with the user id alone, not with roles."""


def user_pattern(identity: str) -> str | None:
    """Return what follows ``user:`` in the identity of a rule, casefolded; None without that prefix."""
    folded = identity.casefold()
    return folded.removeprefix(USER_PREFIX) if folded.startswith(USER_PREFIX) else None


HEADER_PATTERNS: Final = {
    "identity": "identity",
    "area": "area",
    "functionalDomain": "domain",
    "action": "action",
}
BODY_PATTERNS: Final = {
    "realm": "realm",
    "accountNumber": "account",
    "tenantId": "tenant",
    "dataSegment": "segment",
    "ownerId": "owner",
    "resourceId": "resource",
}
"""Members of the two halves of ``securityURI`` → the patterns of ``Rule``."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule. Each pattern is compared without case; ``*`` is any run, ``?`` one character.

    ``holds_in``: the rule applies only to callers whose domain context lies inside it, so that a rule
    written by an administrator reaches no further than that administrator. ``resource`` selects
    records by id or refName, ``filter`` records that match; both bind the rule to such records.
    """

    name: str
    allows: bool = True
    priority: int = 10
    is_final: bool = False
    identity: str = "*"
    area: str = "*"
    domain: str = "*"
    action: str = "*"
    realm: str = "*"
    account: str = "*"
    tenant: str = "*"
    segment: str = "*"
    owner: str = "*"
    resource: str = "*"
    filter: str | None = None
    hidden: frozenset[str] = frozenset()
    description: str = ""
    source: Literal["specification", "record"] = "specification"
    holds_in: DomainScope = EVERYBODY

    @property
    def is_per_record(self) -> bool:
        """Whether it depends on the record, in addition to the question."""
        return self.filter is not None or self.resource != "*"


@dataclass(frozen=True, slots=True)
class Question:
    """Who wants to do what, where: all that a rule is compared with except the record."""

    user_id: str
    roles: frozenset[str]
    area: str
    domain: str
    action: str
    realm: str
    tenant_id: str = ""
    org_ref_name: str | None = None
    account_id: str | None = None
    data_segment: int | None = None
