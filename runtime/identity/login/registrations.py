"""What clients may store that nobody vouches for: counted in the store, by all workers together."""

from collections.abc import Callable
from typing import Final

from runtime.errors import Throttled
from runtime.identity.login.throttle import Throttle, address_key
from runtime.settings import Settings
from runtime.storage.access import Action
from runtime.storage.as_service import as_service
from runtime.storage.store import Store
from runtime.system.record_types import LOGIN_ATTEMPT

PUSHED_SECONDS: Final = 90
"""How long an authorization request waits that was sent ahead."""

_WINDOW_SECONDS: Final = 3600
_MOST_OF_ALL: Final = 500
_MOST_PUSHED: Final = 200
"""Requests of one address that wait. Their parameters have 16,000 characters at most."""


class Registrations:
    """The registrations of the last hour, from one address and from all together; requests that wait."""

    def __init__(self, store: Store, settings: Settings, clock: Callable[[], float]) -> None:
        access = as_service(LOGIN_ATTEMPT, settings.default_realm, Action.UPDATE)

        def limit(most: int, seconds: int = _WINDOW_SECONDS) -> Throttle:
            return Throttle(
                store,
                access,
                limit=most,
                window_seconds=seconds,
                longest_wait_seconds=settings.queue_ms / 1000,
                clock=clock,
            )

        self._of_address = limit(settings.registrations_per_hour)
        self._of_all = limit(_MOST_OF_ALL)
        self._pushed = limit(_MOST_PUSHED, PUSHED_SECONDS)

    async def count_stranger(self, address: str) -> None:
        """Count an attempt without the token that registering takes; nobody else's are fewer for it.

        Raises ``Throttled``.
        """
        try:
            await self._of_address.count(f"registration.refused:{address_key(address)}")
        except Throttled as error:
            raise Throttled("too many requests without the token; try again later", **error.details) from None

    async def count_pushed(self, address: str) -> None:
        """Count an authorization request that is about to be stored. Raises ``Throttled``."""
        try:
            await self._pushed.count(f"pushed:{address_key(address)}")
        except Throttled as error:
            raise Throttled("too many requests were sent ahead; try again later", **error.details) from None

    async def count(self, address: str) -> None:
        """Count an attempt to register, whatever becomes of it. Raises ``Throttled``."""
        try:
            await self._of_address.count(f"registration:{address_key(address)}")
            await self._of_all.count("registration:all")
        except Throttled as error:
            raise Throttled("too many clients registered; try again later", **error.details) from None
