"""A service over a fresh database, with a clock that the test sets and cheap password hashes."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from pydantic import AwareDatetime

from runtime.call import Service
from runtime.indexes import apply_indexes
from runtime.record import Record, RecordInput, Strict
from runtime.record_type import Catalog, Index, RecordType
from runtime.seams import Seams
from runtime.security.login import StoreAuthProvider
from runtime.security.users import NewUser, create_user
from runtime.settings import Settings
from runtime.store import Store
from runtime.system_records import SystemRecords
from runtime.tokens import Tokens

PASSWORD = "correct horse battery"


class Place(Strict):
    tenant_id: str
    default_realm: str
    org_ref_name: str | None = None
    account_id: str | None = None
    data_segment: int | None = None


class CredentialInput(RecordInput):
    user_id: str
    domain_context: Place
    roles: list[str]
    email_of_responsible_party: str | None = None
    disabled: bool | None = None
    force_change_password: bool | None = None
    realms: list[str] | None = None
    realm_reg_ex: str | None = None
    realm_roles: dict[str, list[str]] | None = None
    area2_realm_overrides: dict[str, str] | None = None


class Credential(Record):
    user_id: str
    domain_context: Place
    roles: list[str]
    email_of_responsible_party: str | None = None
    disabled: bool | None = None
    force_change_password: bool | None = None
    realms: list[str] | None = None
    realm_reg_ex: str | None = None
    realm_roles: dict[str, list[str]] | None = None
    area2_realm_overrides: dict[str, str] | None = None
    subject: str | None = None
    auth_provider_name: str | None = None


class CredentialStored(CredentialInput):
    subject: str | None = None
    auth_provider_name: str | None = None
    login_name: str | None = None
    password_hash: str | None = None
    hashing_algorithm: str | None = None
    token_epoch: int | None = None


class RefreshFamily(Record):
    subject: str
    rotated_at: AwareDatetime
    revoked: bool
    expires_at: AwareDatetime


class LoginAttempt(Record):
    key: str
    failures: list[AwareDatetime]
    pending: list[AwareDatetime]
    expires_at: AwareDatetime


CREDENTIAL = RecordType(
    name="Credential",
    area="system",
    domain="credential",
    model=Credential,
    input=CredentialInput,
    stored=CredentialStored,
    collection="credentials",
    base_path="/system/credentials",
    roles=frozenset({"admin"}),
    hidden=frozenset({"loginName", "passwordHash", "hashingAlgorithm", "tokenEpoch"}),
    indexes=(
        Index((("loginName", 1),), unique=True, per_realm=True),
        Index((("subject", 1),), unique=True, per_realm=True),
    ),
)
REFRESH_FAMILY = RecordType(
    name="RefreshFamily",
    area="system",
    domain="refreshFamily",
    model=RefreshFamily,
    input=RecordInput,
    collection="refreshFamilies",
    base_path="/system/refresh-families",
    roles=frozenset({"system"}),
    indexes=(Index((("subject", 1),), per_realm=True),),
)
LOGIN_ATTEMPT = RecordType(
    name="LoginAttempt",
    area="system",
    domain="loginAttempt",
    model=LoginAttempt,
    input=RecordInput,
    collection="loginAttempts",
    base_path="/system/login-attempts",
    roles=frozenset({"system"}),
    indexes=(Index((("key", 1),), unique=True, per_realm=True),),
)
SYSTEM = SystemRecords(CREDENTIAL, REFRESH_FAMILY, LOGIN_ATTEMPT)
CATALOG = Catalog((CREDENTIAL, REFRESH_FAMILY, LOGIN_ATTEMPT))


class Clock:
    """Seconds since 1970, as the test wants them."""

    def __init__(self) -> None:
        self.seconds = time.time()

    def __call__(self) -> float:
        return self.seconds

    def advance(self, seconds: float) -> None:
        self.seconds += seconds


ServiceMaker = Callable[..., Awaitable[Service]]
UserMaker = Callable[..., Awaitable[dict[str, Any]]]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(scope="session")
def data_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One set of keys for all tests: making them takes a tenth of a second."""
    return tmp_path_factory.mktemp("data")


@pytest.fixture
async def make_service(
    mongo_uri: str, realm: str, data_folder: Path, clock: Clock, anyio_backend: str
) -> AsyncIterator[ServiceMaker]:
    """Makes services over the same database, as several workers; settings by attribute name."""
    async with AsyncExitStack() as stack:

        async def make(seams: Seams | None = None, **overrides: Any) -> Service:
            values: dict[str, Any] = {
                "environment": "development",
                "default_realm": realm,
                "data_folder": data_folder,
                "bcrypt_cost": 4,
                "credential_cache_seconds": 0,
            }
            settings = Settings.read({}, **(values | overrides))
            return await stack.enter_async_context(_service(mongo_uri, settings, clock, seams or Seams()))

        yield make


@pytest.fixture
async def service(make_service: ServiceMaker) -> Service:
    return await make_service()


@pytest.fixture
def make_user(service: Service) -> UserMaker:
    """Makes a user ``ada`` of the tenant acme, unless told otherwise."""

    async def make(user_id: str = "ada", **changes: Any) -> dict[str, Any]:
        values = {"password": PASSWORD, "tenant_id": "acme", "roles": frozenset({"user"})}
        return await create_user(service, NewUser(user_id=user_id, **(values | changes)))

    return make


@asynccontextmanager
async def _service(uri: str, settings: Settings, clock: Clock, seams: Seams) -> AsyncIterator[Service]:
    tokens = Tokens.from_settings(settings, clock)
    store = Store(uri)
    try:
        await apply_indexes(store, settings.default_realm, CATALOG)
        provider = StoreAuthProvider(store, tokens, SYSTEM, settings)
        yield Service(settings, CATALOG, SYSTEM, store, tokens, provider, seams)
    finally:
        await store.close()
