"""What changes when a backup is restored into another realm: users are at home there, and nowhere else.

What a user was granted in other realms stays behind. A copy of the user could use it otherwise, with a
password that administrators of the new realm may set.
"""

from collections.abc import Iterable
from typing import Final

from runtime.errors import Denied
from runtime.storage.extended_json import Document, change_document, read_document

_GRANTS_ELSEWHERE: Final = ("realms", "realmRegEx", "realmRoles", "area2RealmOverrides")


def adapt_credential(stored: bytes, source: str, target: str) -> bytes:
    """Return a stored credential for another realm."""

    def adapt(document: Document) -> None:
        for name in _GRANTS_ELSEWHERE:
            document.pop(name, None)
        for holder, member in (
            (document.get("domainContext"), "defaultRealm"),
            (document.get("impersonationGranter"), "realm"),
        ):
            if isinstance(holder, dict) and holder.get(member) == source:
                holder[member] = target

    return change_document(stored, adapt)


def require_own_users(credentials: Iterable[bytes], tenant: str) -> None:
    """Raise ``Denied`` for a stored credential with which a user would be at home in another tenant."""
    for one in credentials:
        context = read_document(one).get("domainContext")
        if not isinstance(context, dict) or context.get("tenantId") != tenant:
            raise Denied("a user of another tenant is among those of this one: the backup was changed")
