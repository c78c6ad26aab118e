"""Requirements for a new password, in addition to what ``credentials.passwords`` can hash."""

import unicodedata

from runtime.errors import ValidationFailed
from runtime.identity.credentials.common_passwords import MOST_COMMON, check_common
from runtime.identity.credentials.credentials import login_name_of
from runtime.system.documents import CredentialDocument


async def check_new_password(
    new: str, user_id: str, *, least: int, old: str | None = None, path: str = "newPassword"
) -> None:
    """Check a new password: long, hard to guess, neither the user id nor the old one.

    Raises ``ValidationFailed`` at ``path``. Characters are counted after normalisation (NFC), so that every
    keyboard counts alike; blanks and invisible characters do not count.
    """
    fault = await _find_fault(new, user_id, least, old)
    if fault is not None:
        raise ValidationFailed.at(path, fault, "the password")


def require_password_user(credential: CredentialDocument) -> None:
    """Raise ``ValidationFailed`` for an OAuth client, which has no password.

    A login with one would outlast the client, and would not be narrowed to its scopes.
    """
    if is_of_client(credential):
        message = "names an OAuth client, which has no password: rotate its secret instead"
        raise ValidationFailed.at("userId", message)


def is_of_client(credential: CredentialDocument) -> bool:
    """Whether a credential is that of an OAuth client, whatever password it may have got once."""
    return credential.get("credentialType") == "OAUTH"


async def _find_fault(new: str, user_id: str, least: int, old: str | None) -> str | None:
    normal = unicodedata.normalize("NFC", new)
    seen = "".join(filter(_is_seen, normal))
    if len(seen) < least:
        return f"must have at least {least} characters, not counting blanks"
    if len(set(seen.casefold())) == 1:
        return "must not be one character repeated"
    if await check_common(normal) or await check_common(seen):
        return f"is one of the {MOST_COMMON:,} most common ones: choose another"
    if login_name_of(new) == login_name_of(user_id):
        return "must not be the user id"
    if old is not None and normal == unicodedata.normalize("NFC", old):
        return "must differ from the old one"
    return None


def _is_seen(character: str) -> bool:
    """Return whether it is neither a blank (Z) nor a control, format mark or unassigned (C)."""
    return unicodedata.category(character)[0] not in "ZC"
