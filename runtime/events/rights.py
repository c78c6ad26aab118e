"""The rights of streams, which last: they are looked at again about once a second.

Opening a call again costs what it costs any request. The streams of one token share it, so a thousand windows
of one user cost what one does.
"""

import asyncio
from collections.abc import Hashable
from dataclasses import replace
from typing import Final

from runtime.call import Call, OpenAgain
from runtime.errors import AccessError, Denied, ServiceError, StoreUnavailable, Unauthenticated

LOOK_SECONDS: Final = 0.5
"""How often rights are looked at."""

_SHARED_SECONDS: Final = 0.4
"""How old the look of another stream may be: together with the time between two, less than a second."""


async def renew_rights(call: Call) -> Call:
    """Return the call with the rights of this moment; the same one where they have not changed.

    Raises ``AccessError`` for a caller that may not call any more or belongs elsewhere by now, and
    ``StoreUnavailable`` where nobody can say.
    """
    if call.open_again is None:
        return call
    opened = await _open_shared(call, call.open_again)
    if (opened.principal.domain, opened.database) != (call.principal.domain, call.database):
        raise Denied("you belong to another tenant or organisation since the stream began: connect again")
    if opened.principal == call.principal and opened.rules is call.rules:
        return call
    return replace(call, principal=opened.principal, rules=opened.rules)


async def _open_shared(call: Call, open_again: OpenAgain) -> Call:
    """Open the call again, or wait for another stream of the same token that does."""
    renewals, now = call.service.renewals, asyncio.get_running_loop().time()
    key = _key_of(call)
    known = renewals.use(key)
    if known is None or now - known[0] > _SHARED_SECONDS:
        known = now, asyncio.create_task(_open(open_again))
        renewals.keep(key, known)
    task = known[1]
    await asyncio.wait({task})
    error = task.exception()
    if error is None:
        return task.result()
    if isinstance(error, AccessError):  # another one each time: a raised error grows with each stream
        kind = Unauthenticated if isinstance(error, Unauthenticated) else Denied
        raise kind(error.message)
    if isinstance(error, ServiceError):
        raise StoreUnavailable(error.message)
    raise error


async def _open(open_again: OpenAgain) -> Call:
    return await open_again()


def _key_of(call: Call) -> Hashable:
    acting = call.principal.on_behalf_of
    return call.token, call.realm, call.principal.subject, acting
