"""Opening the store that the settings name."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from runtime.errors import Misconfigured
from runtime.masking import explain_file_fault
from runtime.settings import Settings
from runtime.storage.store import Ask, Store, Watch


@asynccontextmanager
async def open_store(
    settings: Settings, watch: Watch | None = None, is_traced: Ask | None = None
) -> AsyncIterator[Store]:
    """Open the store alone, creating nothing; closed at the end.

    Raises ``Misconfigured`` without one, for one that is not valid, and for certificates that cannot be read;
    ``StoreUnavailable`` where the servers of its address cannot be looked up.

    ``watch`` is passed each command when it has ended; ``is_traced`` says whether it belongs to a request
    that is traced.
    """
    if settings.mongodb_uri is None:
        raise Misconfigured("MONGODB_URI names no store; `recordsmith serve` starts an embedded one")
    store = _create_store(settings, settings.mongodb_uri.get_secret_value(), watch, is_traced)
    try:
        await store.resolve()
        yield store
    finally:
        await store.close()


def _create_store(settings: Settings, uri: str, watch: Watch | None, is_traced: Ask | None) -> Store:
    try:
        return Store(
            uri,
            timeout_ms=settings.mongodb_timeout_ms,
            pool_size=settings.mongodb_pool_size,
            most_requests=settings.requests_in_store,
            lane=settings.mongodb_lane,
            watch=watch,
            is_traced=is_traced,
        )
    except OSError as error:
        raise Misconfigured(explain_file_fault(error), cause=error) from error
