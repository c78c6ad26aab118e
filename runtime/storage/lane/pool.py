"""An idle connection out of the driver's pool and back, in one step each.

The driver takes its lock five times for this. While nobody holds the lock or waits for a connection, nothing
can come in between on one event loop: so the same counters change at once. In every other case the driver has
to do it, which creates connections, waits for its turn and closes what is old.
"""

from typing import Any

from pymongo import AsyncMongoClient
from pymongo.asynchronous.pool import AsyncConnection, Pool
from pymongo.pool_shared import PoolState


def has_idle(pool: Pool) -> bool:
    """Whether a connection is free, and nobody else comes first."""
    return bool(
        pool.conns
        and pool.state == PoolState.READY
        and pool.requests < pool.max_pool_size
        and _is_quiet(pool)
        and not _is_old(pool, pool.conns[0])
    )


def take_idle(pool: Pool) -> AsyncConnection:
    """Check out the connection that ``has_idle`` saw; nothing may be awaited in between."""
    conn = pool.conns.popleft()
    pool.operation_count += 1
    pool.requests += 1
    pool.active_sockets += 1
    conn.active = True
    pool.active_contexts.add(conn.cancel_context)
    return conn


async def release(pool: Pool, conn: AsyncConnection) -> None:
    """Check in a connection."""
    if conn.closed or not _is_quiet(pool):
        await pool.checkin(conn)
        return
    conn.active = False
    reason, _is_closed, _is_idle = pool._checkin_apply(conn, False, False, False)
    if reason is not None:
        await conn.close_conn(reason)


def count_connections(client: AsyncMongoClient[Any]) -> tuple[int, int]:
    """Return how many connections of a client are in use, and how many are idle."""
    pools = [server.pool for server in client._topology._servers.values()]
    return sum(pool.active_sockets for pool in pools), sum(len(pool.conns) for pool in pools)


def _is_quiet(pool: Pool) -> bool:
    """Whether nobody is about to take a connection, and nobody listens to the pool."""
    return not (
        pool.lock.locked()
        or pool.size_cond._waiters
        or pool._max_connecting_cond._waiters
        or pool._telemetry._should_publish
    )


def _is_old(pool: Pool, conn: AsyncConnection) -> bool:
    idle = pool.opts.max_idle_time_seconds
    return (
        conn.conn_closed()
        or pool.stale_generation(conn.generation, conn.service_id)
        or (idle is not None and conn.idle_time_seconds() > idle)
    )
