"""Turns that writers of one record take within a process (``store.turns``), and the pause between tries."""

import asyncio
import random
from collections.abc import Iterable
from typing import Any, Final

from runtime.call import Call
from runtime.model.record_type import RecordType

_LONGEST_PAUSE: Final = 0.005
"""Seconds, after the first try. Those of one process take turns: only other processes are met."""

_MOST_DOUBLED: Final = 3
"""How often the pause doubles: beyond that it would keep a writer from records that are free again."""

_RANDOM = random.SystemRandom()


def turn_of(call: Call, kind: RecordType[Any], record_id: str | None) -> str | None:
    """Return the turn that writers of a stored record take in ``settle``; None without an id.

    It is that of the caller's tenant: a caller cannot make the writers of another tenant wait.
    """
    if record_id is None:
        return None
    return turn_name(call.database, call.principal.domain.tenant_id, kind, record_id)


def turns_of(call: Call, kind: RecordType[Any], record_ids: Iterable[str | None]) -> set[str]:
    """Return the turns at many records, for a writer of all of them in one transaction."""
    turns = (turn_of(call, kind, record_id) for record_id in record_ids)
    return {turn for turn in turns if turn is not None}


def turn_name(database: str, tenant: str, kind: RecordType[Any], record_id: str) -> str:
    """Return the name of a turn; never one of those that ``tracking.held_by`` names."""
    return f"write {database}/{tenant}/{kind.name}/{record_id.lower()}"


async def pause(tries: int = 1) -> None:
    """Wait a moment before the next try, not as long as the writer that was in the way; longer each time."""
    await asyncio.sleep(_LONGEST_PAUSE * 2 ** min(tries - 1, _MOST_DOUBLED) * _RANDOM.random())
