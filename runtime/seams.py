"""The places where an application plugs in, on one page: Protocols with their results.

All asynchronous, so none needs a second form later. An application hands one ``Seams`` value to
``create_app`` or names it in the setting ``service.seams``. No registries, no import side effects.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from runtime.principal import Identity


@dataclass(frozen=True, slots=True)
class LoggedIn:
    """A positive login or refresh answer (spec 2 §5.3)."""

    identity: Identity
    access_token: str
    refresh_token: str
    expires_in: int


class AuthProvider(Protocol):
    """An authentication provider; its name is stored with the credentials it owns (spec 2 §5.3).

    ``login`` and ``refresh`` raise ``LoginFailed``, ``PasswordChangeRequired`` or ``Throttled``;
    ``validate`` raises ``Unauthenticated``.
    """

    @property
    def name(self) -> str: ...
    async def login(self, user_id: str, password: str, realm: str, address: str) -> LoggedIn: ...
    async def refresh(self, refresh_token: str) -> LoggedIn: ...
    async def validate(self, access_token: str) -> Identity: ...


@dataclass(frozen=True, slots=True)
class RealmQuestion:
    """What a realm resolver is asked: the ``X-Realm`` header, the caller, the functional area."""

    header: str | None
    identity: Identity
    area: str


class RealmResolver(Protocol):
    """Which realm a call acts in; ``None`` leaves it to the built-in answer."""

    async def realm(self, question: RealmQuestion) -> str | None: ...


@dataclass(frozen=True, slots=True)
class Seams:
    """What the application supplies. Providers are asked in order, the built-in one last."""

    auth_providers: tuple[AuthProvider, ...] = ()
    realm: RealmResolver | None = None
