"""A service over an empty database, with a clock that the test sets and cheap password hashes."""

from __future__ import annotations

import asyncio
import math
import shutil
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from cryptography.hazmat.primitives import serialization
from pymongo import MongoClient

from generated.record_types import CATALOG
from generated.rules import RULES
from runtime import realm_setup
from runtime.access.granters import Granters
from runtime.access.impersonation import Impersonation
from runtime.access.rule_book import RuleBook
from runtime.call import Service
from runtime.identity.login.providers import Providers
from runtime.identity.memory import Freshness
from runtime.identity.realms.realms import Realms
from runtime.identity.users.users import NewUser, create_user
from runtime.model.catalog import Catalog
from runtime.oauth.client_source import open_clients
from runtime.oauth.sign_on import SignOns
from runtime.realm_setup import create_realm
from runtime.seams import Seams
from runtime.settings import Settings
from runtime.storage.hub import Hub
from runtime.storage.indexes import apply_indexes
from runtime.storage.store import Store
from runtime.tokens import Keys, Tokens
from tests.patience import STORE_MS
from tests.reused import delete_documents
from tests.security import key_folders

PASSWORD = "correct horse battery"


class Clock:
    """Seconds since 1970, as the test wants them."""

    def __init__(self) -> None:
        self.seconds = time.time()

    def __call__(self) -> float:
        return self.seconds

    def advance(self, seconds: float) -> None:
        self.seconds += seconds


class Stream:
    """The change stream of the services: how long it has been silent, as the test wants it."""

    def __init__(self) -> None:
        self.seconds = math.inf

    def __call__(self) -> float:
        return self.seconds


ServiceMaker = Callable[..., Awaitable[Service]]
RealmMaker = Callable[[str], Awaitable[str]]
UserMaker = Callable[..., Awaitable[dict[str, Any]]]


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(scope="session")
def first_start(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("first-start")
    Keys.from_settings(key_folders.settings(folder))
    return folder


@pytest.fixture
def made(tmp_path: Path, first_start: Path) -> Settings:
    """Settings of a folder with one key, as a first start makes it."""
    shutil.copytree(first_start / "keys", tmp_path / "keys")
    return key_folders.settings(tmp_path)


@pytest.fixture
def stream() -> Stream:
    return Stream()


@pytest.fixture(params=[(0.0, 10.0), (math.inf, 1.0)], ids=["stream in force", "silent stream"])
def believed(request: pytest.FixtureRequest, stream: Stream) -> float:
    """For how many seconds what was looked up is believed."""
    stream.seconds, seconds = request.param
    return float(seconds)


@pytest.fixture(scope="session")
def data_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One set of keys for all tests: making them takes a tenth of a second."""
    return tmp_path_factory.mktemp("data")


@pytest.fixture(scope="session", autouse=True)
def keys_are_decoded_once() -> Iterator[None]:
    """Checking the primes of a private key takes longer than most tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(serialization, "load_pem_private_key", lru_cache(serialization.load_pem_private_key))
        yield


@pytest.fixture(scope="session")
def prepared(mongo_uri: str, mongo_client: MongoClient[dict[str, Any]]) -> Iterator[str]:
    """One database with all indexes for all tests: making those takes longer than most tests."""
    name = f"test-{uuid4().hex[:12]}"

    async def prepare() -> None:
        store = Store(mongo_uri, timeout_ms=STORE_MS)
        await apply_indexes(store, name, CATALOG)
        await store.close()

    asyncio.run(prepare())
    yield name
    mongo_client.drop_database(name)


@pytest.fixture(scope="session")
def indexed(prepared: str, mongo_client: MongoClient[dict[str, Any]]) -> Iterator[set[str]]:
    """All databases that have the indexes: those of other realms are used again by realms of that name."""
    databases = {prepared}
    yield databases
    for name in databases - {prepared}:
        mongo_client.drop_database(name)


@pytest.fixture
def realm(
    prepared: str,
    indexed: set[str],
    mongo_client: MongoClient[dict[str, Any]],
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[str]:
    """The name of that database, which is emptied after the test, as are those of realms that it creates.

    Other realms are kept in databases named after it. A test of their indexes takes a name of its own.
    """
    used = {prepared}

    async def apply_once(store: Store, database: str, catalog: Catalog) -> None:
        assert database == prepared or database.startswith(f"{prepared}-")
        if database not in indexed:
            await apply_indexes(store, database, CATALOG)
        used.add(database)
        indexed.add(database)

    monkeypatch.setattr(realm_setup, "apply_indexes", apply_once)
    yield prepared
    for database in map(mongo_client.__getitem__, used):
        delete_documents(database)


@pytest.fixture
async def make_service(
    mongo_uri: str, realm: str, data_folder: Path, clock: Clock, stream: Stream, anyio_backend: str
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
                "queue_ms": 60_000,
            }
            settings = Settings.read({}, **(values | overrides))
            return await stack.enter_async_context(
                _service(mongo_uri, settings, clock, seams or Seams(), stream)
            )

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


@pytest.fixture
def make_realm(service: Service) -> RealmMaker:
    """Creates a realm next to the default one and returns its database."""

    async def make(name: str) -> str:
        return (await create_realm(service, name, f"{service.settings.default_realm}-{name}")).database

    return make


@asynccontextmanager
async def _service(
    uri: str, settings: Settings, clock: Clock, seams: Seams, silence: Stream
) -> AsyncIterator[Service]:
    tokens = Tokens(settings, clock)
    store = Store(uri, timeout_ms=STORE_MS)
    try:
        freshness = Freshness(settings.credential_cache_seconds, clock, silence)
        realms = Realms(store, settings.default_realm, freshness)
        provider = Providers(store, tokens, settings, realms, seams.auth_providers, CATALOG.roles, silence)
        granters = Granters(store, realms, provider, default_realm=settings.default_realm)
        yield Service(
            settings,
            CATALOG,
            store,
            tokens,
            provider,
            open_clients(store, provider, tokens, settings, realms, CATALOG, ()),
            SignOns(store, provider, realms, settings, clock),
            Hub(store),
            rule_book=RuleBook(store, RULES, settings.rule_cache_seconds, clock),
            realms=realms,
            impersonation=Impersonation(store, realms, granters, freshness),
            seams=seams,
        )
    finally:
        await store.close()
