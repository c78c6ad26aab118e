"""What runs only while all workers are of one version."""

from __future__ import annotations

from runtime.errors import Misconfigured
from runtime.migrations.keeper import Keeper
from runtime.migrations.notes import ALIVE, read_workers


async def require_alone(keeper: Keeper) -> None:
    """Require that no worker of another version writes records that nobody would visit any more."""
    workers = await read_workers(keeper.store, keeper.default)
    if not keeper.is_idle and (others := keeper.settling.list_strangers(workers)):
        raise Misconfigured(
            f"{len(others)} workers of another version are alive: stop them first (one that was killed "
            f"counts as alive for {ALIVE.total_seconds():.0f} s)"
        )
