"""Permissions of imports that last: they are decided again before each batch, as they are by then.

A caller that has logged out, was removed or lost a role stores nothing more. This costs what opening a
call does; what a worker remembers of credentials, sessions and rules is dropped as soon as it changes.
"""

from typing import Any

from runtime.access.reopening import adopt_rights
from runtime.call import Call
from runtime.model.record_type import RecordType
from runtime.transfer.importing.analyze import require_import_permission


async def renew_rights(call: Call, kind: RecordType[Any]) -> Call:
    """Return the call with the permissions of this moment; the same one where they have not changed.

    Raises ``AccessError`` for a caller that may not import by now, or belongs elsewhere.
    """
    if call.open_again is None:
        return call
    call = adopt_rights(call, await call.open_again(), "the import began: send it again")
    require_import_permission(call, kind)
    return call
