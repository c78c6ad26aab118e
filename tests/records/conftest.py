"""The functions of ``runtime.records`` on a real store, called as the doors call them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from generated.record_types import CATALOG, SYSTEM
from runtime.call import Call, Service
from runtime.principal import DomainContext, Principal
from runtime.record_type import Catalog
from runtime.seams import Seams
from runtime.security.login import StoreAuthProvider
from runtime.settings import Settings
from runtime.store import Store
from runtime.tokens import Tokens
from tests.records.rows import ROW

Caller = Callable[..., Call]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def tokens(tmp_path_factory: pytest.TempPathFactory) -> Tokens:
    """One set of keys for all tests: making them takes a tenth of a second."""
    return Tokens.from_settings(settings_of(tmp_path_factory.mktemp("keys")))


@pytest.fixture
async def service(
    mongo_uri: str, tokens: Tokens, tmp_path: Path, anyio_backend: str
) -> AsyncIterator[Service]:
    """A service whose catalogue has ``ROW`` beside the example's record types."""
    settings = settings_of(tmp_path)
    store = Store(mongo_uri)
    provider = StoreAuthProvider(store, tokens, SYSTEM, settings)
    yield Service(settings, Catalog((*CATALOG, ROW)), SYSTEM, store, tokens, provider, Seams())
    await store.close()


@pytest.fixture
def caller(service: Service, realm: str) -> Caller:
    """A call of somebody: ``caller("acme")``, in the realm of the test unless told otherwise."""

    def make(
        tenant: str = "acme", realm: str = realm, roles: frozenset[str] = frozenset({"user"}), **domain: Any
    ) -> Call:
        context = DomainContext(tenant_id=tenant, default_realm=realm, **domain)
        return Call(service, Principal(f"ann@{tenant}", f"s-{tenant}", roles, context), realm, "request-1")

    return make


def settings_of(folder: Path) -> Settings:
    """Those of development, with keys in ``folder``."""
    return Settings.read({}, environment="development", data_folder=folder)
