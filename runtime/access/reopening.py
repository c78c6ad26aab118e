"""Calls that are opened again: in a realm that an argument names, or with the rights of a later moment."""

import time
from dataclasses import replace
from typing import Final

from runtime.call import Call
from runtime.errors import Denied, InvalidParameter

_AGAIN_SECONDS: Final = 1.0


async def open_in_realm(call: Call, realm: str | None) -> Call:
    """Open the call again in the realm that the arguments name, through the gate of ``X-Realm``.

    Raises ``Denied`` for a realm that is not open to the caller, and ``InvalidParameter`` with an idempotency
    key: its answer is kept in the realm of the call, for the rights that the caller has there.
    """
    if realm is None or realm == call.realm:
        return call
    if call.receipt is not None:
        raise InvalidParameter(
            "with an Idempotency-Key name the realm by the header X-Realm", parameter="realm"
        )
    if call.open_again is None:
        raise Denied("this call cannot change its realm")
    open_again = call.open_again

    async def open_there(other: str | None = None, /, *, is_late: bool = False) -> Call:
        return await open_again(realm if other is None else other, is_late=is_late)

    opened = await open_there()
    return replace(
        opened, open_again=open_there, is_abandoned=call.is_abandoned, turn=call.turn, agent=call.agent
    )


def adopt_rights(call: Call, opened: Call, since: str) -> Call:
    """Return the call with the rights of another one of the same caller; the same one where they are equal.

    Raises ``Denied`` for a caller that belongs elsewhere by now. ``since``: what began with the first call,
    and what to do instead, for the message.
    """
    if (opened.principal.domain, opened.database) != (call.principal.domain, call.database):
        raise Denied(f"you belong to another tenant or organisation since {since}")
    if (agent := call.principal.agent) is not None:  # it is named where its tool begins, and gives no rights
        opened = replace(opened, principal=replace(opened.principal, agent=agent))
    if not have_other_rights(call, opened):
        return call
    return replace(call, principal=opened.principal, rules=opened.rules)


def have_other_rights(call: Call, opened: Call) -> bool:
    """Return whether two calls of a caller differ in what they may do."""
    is_alike = call.database == opened.database and call.rules is opened.rules
    return not is_alike or call.principal != opened.principal


async def look_again(call: Call, since: str) -> Call:
    """Return the call with the rights of now, as ``adopt_rights`` does.

    A token that ends by its own time in the middle of a request is good for the whole of it, since the caller
    could not send what is left alone. Raises ``AccessError`` for a caller that may not go on.
    """
    if call.open_again is None:
        return call
    return adopt_rights(call, await call.open_again(is_late=True), since)


class Lasting:
    """A call of many writes, whose rights are looked at again once a second."""

    def __init__(self, call: Call) -> None:
        self._call, self._looked_at = call, time.monotonic()

    async def renew(self) -> Call:
        """Return the call with the rights of now. Raises ``AccessError`` for a caller that may not go on."""
        if time.monotonic() - self._looked_at >= _AGAIN_SECONDS:
            self._call = await look_again(self._call, "the request began: send it again")
            self._looked_at = time.monotonic()
        return self._call
