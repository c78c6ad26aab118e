"""What a new password must be, beside what ``runtime.passwords`` can hash."""

from __future__ import annotations

import unicodedata

from runtime.errors import ValidationFailed
from runtime.security.credentials import login_name_of


def check_new_password(
    new: str, user_id: str, *, least: int, old: str | None = None, path: str = "newPassword"
) -> None:
    """Long enough, not the user id and not the old one. Raises ``ValidationFailed`` at ``path``.

    Characters are counted after normalisation (NFC), so that every keyboard counts alike.
    """
    fault = _fault(new, user_id, least, old)
    if fault is not None:
        raise ValidationFailed(f"the password {fault}", violations=[{"path": path, "message": fault}])


def _fault(new: str, user_id: str, least: int, old: str | None) -> str | None:
    normal = unicodedata.normalize("NFC", new)
    if len(normal) < least:
        return f"must have at least {least} characters"
    if login_name_of(new) == login_name_of(user_id):
        return "must not be the user id"
    if old is not None and normal == unicodedata.normalize("NFC", old):
        return "must differ from the old one"
    return None
