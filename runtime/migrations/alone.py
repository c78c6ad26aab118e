"""What runs only while all workers are of one version."""

from __future__ import annotations

from runtime.errors import Misconfigured
from runtime.migrations.keeper import Keeper
from runtime.migrations.notes import ALIVE, read_workers


async def require_alone(keeper: Keeper, kind: str | None = None) -> None:
    """Require that no worker of another version writes records that nobody would visit any more.

    ``kind``: only workers that store this record type in another shape count.
    """
    if keeper.is_idle:
        return
    await keeper.take_part()
    workers, settling = await read_workers(keeper.store, keeper.default), keeper.settling
    others = settling.list_strangers(workers) if kind is None else settling.list_others(workers, kind)
    if others:
        do = "are alive" if kind is None else f"store {kind}"
        raise Misconfigured(
            f"{len(others)} workers of another version {do}: stop them first (one that was killed counts as "
            f"alive for {ALIVE.total_seconds():.0f} s)"
        )
