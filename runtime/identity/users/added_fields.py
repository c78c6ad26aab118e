"""What a write of a user's record may change: the fields that the application adds to ``Credential``.

A user is managed at ``/security/users``, where rights are compared and tokens end. An application that
extends the record type has routes for the record as well, to read and change its own fields. This check holds
for every write of a record that is not the service's own, whatever the route.
"""

from collections.abc import Mapping
from typing import Any, Final

from runtime.call import Call
from runtime.errors import ValidationFailed
from runtime.storage.store import Transaction
from runtime.system.record_types import CREDENTIAL

_STAMPS: Final = frozenset({"version", "auditInfo"})


async def require_added_fields(
    call: Call, _transaction: Transaction, before: Mapping[str, Any] | None, after: Mapping[str, Any] | None
) -> None:
    """Require that nothing but added fields differs. Raises ``ValidationFailed`` that names every other."""
    if before is None or after is None:
        raise ValidationFailed("users are created and removed at /security/users", violations=[])
    kept = CREDENTIAL.fields.keys() | before.keys() | after.keys()
    free = call.service.catalog[CREDENTIAL.name].fields.keys() - CREDENTIAL.fields.keys() | _STAMPS
    changed = sorted(name for name in kept - free if before.get(name) != after.get(name))
    if changed:
        message = "is changed at /security/users"
        violations = [{"path": name, "message": message} for name in changed]
        raise ValidationFailed(f"{changed[0]} {message}", violations=violations)
