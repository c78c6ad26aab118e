"""A stored credential (spec 2 §2.3) as an ``Identity``, and a short memory of those looked up."""

from __future__ import annotations

import unicodedata
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from runtime.principal import DomainContext, Identity
from runtime.security.documents import Document

PROVIDER_NAME = "store"
"""``authProviderName`` of credentials whose password is kept here."""

MOST_USER_ID_CHARACTERS = 100

_MOST_REMEMBERED = 10_000


@dataclass(frozen=True, slots=True)
class Standing:
    """What a usable credential says now. Tokens of another ``epoch`` are not accepted any more."""

    identity: Identity
    epoch: int


def login_name_of(user_id: str) -> str | None:
    """How user ids are compared: without case, whatever the Unicode form (NFKC, case-folded).

    None for what cannot be anybody's user id: empty, too long, half a surrogate pair.
    """
    if not 0 < len(user_id) <= MOST_USER_ID_CHARACTERS:
        return None
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", user_id).casefold())
    return None if any("\ud800" <= character <= "\udfff" for character in folded) else folded


def is_usable(credential: Document) -> bool:
    """Neither disabled nor archived."""
    return not credential.get("disabled") and credential.get("activeStatus", "ACTIVE") == "ACTIVE"


def epoch_of(credential: Document) -> int:
    """Which generation of tokens is accepted."""
    return int(credential.get("tokenEpoch") or 0)


def identity_of(credential: Document, realm: str) -> Identity:
    """The identity behind a credential that lives in ``realm``."""
    where = credential["domainContext"]
    return Identity(
        user_id=credential["userId"],
        subject=credential["subject"],
        realm=realm,
        roles=frozenset(credential.get("roles") or ()),
        domain=DomainContext(
            tenant_id=where["tenantId"],
            default_realm=where["defaultRealm"],
            org_ref_name=where.get("orgRefName"),
            account_id=where.get("accountId"),
            data_segment=where.get("dataSegment"),
        ),
        realm_reg_ex=credential.get("realmRegEx"),
        area_realms=credential.get("area2RealmOverrides") or {},
        realms=frozenset(credential.get("realms") or ()),
        realm_roles={name: frozenset(roles) for name, roles in (credential.get("realmRoles") or {}).items()},
    )


class CredentialCache:
    """Standings by (realm, subject), believed for ``seconds`` and at most 10,000 of them.

    Only found ones are kept. ``clock`` counts seconds; ``load`` asks the store.
    """

    def __init__(
        self,
        seconds: float,
        clock: Callable[[], float],
        load: Callable[[str, str], Awaitable[Standing | None]],
    ) -> None:
        self._seconds = seconds
        self._clock = clock
        self._load = load
        self._found: OrderedDict[tuple[str, str], tuple[float, Standing]] = OrderedDict()

    async def standing(self, realm: str, subject: str) -> Standing | None:
        """What the credential says, or said at most ``seconds`` ago; None when there is no usable one."""
        known = self._found.get((realm, subject))
        if known is not None and 0 <= self._clock() - known[0] < self._seconds:
            self._found.move_to_end((realm, subject))
            return known[1]
        asked = self._clock()
        found = await self._load(realm, subject)
        if found is None:
            self.forget(realm, subject)
        elif self._seconds > 0:
            self._keep((realm, subject), (asked, found))
        return found

    def forget(self, realm: str, subject: str) -> None:
        """Ask the store again next time."""
        self._found.pop((realm, subject), None)

    def _keep(self, key: tuple[str, str], value: tuple[float, Standing]) -> None:
        self._found[key] = value
        self._found.move_to_end(key)
        if len(self._found) > _MOST_REMEMBERED:
            self._found.popitem(last=False)
