"""The functions of ``runtime.records`` on a real store, called as the doors call them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr
from pymongo import MongoClient

from generated.record_types import CATALOG
from generated.rules import RULES
from runtime.access.granters import Granters
from runtime.access.impersonation import Impersonation
from runtime.access.rule_book import RuleBook
from runtime.app import open_service
from runtime.call import Call, Service
from runtime.identity.login.providers import Providers
from runtime.identity.memory import Freshness
from runtime.identity.realms.realms import Realms
from runtime.model.catalog import Catalog
from runtime.oauth.client_source import open_clients
from runtime.oauth.sign_on import SignOns
from runtime.permissions import Rule, RuleSet
from runtime.principal import DomainContext, Principal
from runtime.records.joint_writes import JointWrites
from runtime.seams import Seams
from runtime.settings import Settings
from runtime.storage.hub import Hub
from runtime.storage.store import Store
from runtime.tokens import Tokens
from tests.lanes import TAKES_LANE
from tests.patience import STORE_MS
from tests.records.crates import CRATE
from tests.records.depots import YARD
from tests.records.rows import ROW
from tests.records.yard import Yard
from tests.reused import take_database

Caller = Callable[..., Call]


@pytest.fixture(scope="session")
def tokens(tmp_path_factory: pytest.TempPathFactory) -> Tokens:
    """One set of keys for all tests: making them takes a tenth of a second."""
    return Tokens(settings_of(tmp_path_factory.mktemp("keys")))


@pytest.fixture(scope="module")
async def store(mongo_uri: str, anyio_backend: str) -> AsyncIterator[Store]:
    """One store, and so one event loop, for the tests of a module: to connect takes longer than most of them."""
    opened = Store(mongo_uri, lane=TAKES_LANE, timeout_ms=STORE_MS)
    yield opened
    await opened.close()


@pytest.fixture
def service(store: Store, tokens: Tokens, tmp_path: Path) -> Service:
    """A service whose catalogue has ``ROW`` and ``CRATE`` beside the example's record types."""
    settings = settings_of(tmp_path)
    aged = Freshness(0, tokens.clock)
    realms = Realms(store, settings.default_realm, aged)
    provider = Providers(store, tokens, settings, realms)
    granters = Granters(store, realms, provider, default_realm=settings.default_realm)
    return Service(
        settings, Catalog((*CATALOG, ROW, CRATE)), store, tokens, provider,
        open_clients(store, provider, tokens, settings, realms, CATALOG, ()), SignOns(store, provider, realms, settings, tokens.clock), Hub(store),
        rule_book=RuleBook(store, RULES), realms=realms,
        impersonation=Impersonation(store, realms, granters, aged), seams=Seams(),
    )  # fmt: skip


@pytest.fixture
def caller(service: Service, realm: str) -> Caller:
    """A call of somebody: ``caller("acme")``, in the realm of the test unless told otherwise; ``rules``
    beside those of the specifications."""

    def make(
        tenant: str = "acme",
        realm: str = realm,
        roles: frozenset[str] = frozenset({"user"}),
        rules: tuple[Rule, ...] = (),
        user: str = "ann",
        **domain: Any,
    ) -> Call:
        context = DomainContext(tenant_id=tenant, default_realm=realm, **domain)
        principal = Principal(f"{user}@{tenant}", f"s-{user}-{tenant}", roles, context)
        return Call(service, principal, realm, realm, "request-1", rules=RuleSet((*RULES, *rules)))

    return make


def settings_of(folder: Path) -> Settings:
    """Those of development, with keys in ``folder``."""
    return Settings.read(
        {},
        environment="development",
        data_folder=folder,
        mongodb_lane=TAKES_LANE,
        mongodb_timeout_ms=STORE_MS,
    )


@pytest.fixture(scope="session")
def yard_keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One set of keys for all yards."""
    return tmp_path_factory.mktemp("yard")


@pytest.fixture
async def yard(
    mongo_uri: str, mongo_client: MongoClient[dict[str, Any]], yard_keys: Path, anyio_backend: str
) -> AsyncIterator[Yard]:
    """A service whose record types refer to each other in every way (``depots.py``)."""
    catalog = Catalog(YARD)
    with take_database(mongo_client, catalog) as prepared:
        settings = Settings.read(
            {}, environment="development", data_folder=yard_keys, mongodb_uri=SecretStr(mongo_uri),
            default_realm=prepared.name, change_streams=False, mongodb_lane=TAKES_LANE, mongodb_timeout_ms=STORE_MS,
        )  # fmt: skip
        async with open_service(catalog, settings, rules=RULES) as opened:
            prepared.note_shape()
            yield Yard(opened, prepared.name)


@pytest.fixture
async def other_yard(mongo_uri: str, yard: Yard) -> AsyncIterator[Yard]:
    """The same realm from another process, as it were: a store that shares nothing with the first."""
    store = Store(mongo_uri, lane=TAKES_LANE, timeout_ms=STORE_MS)
    yield Yard(replace(yard.service, store=store, joint_writes=JointWrites()), yard.realm)
    await store.close()
