"""A service over the example's record types and those of ``wards.py``, asked from tests that do not wait."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from pydantic import SecretStr
from pymongo import MongoClient
from pymongo.database import Database

from generated.record_types import CATALOG
from generated.rules import RULES
from runtime.app import open_service
from runtime.call import Call, Service
from runtime.errors import Denied, ServiceError, UnknownField
from runtime.model.catalog import Catalog
from runtime.model.record_type import RecordType
from runtime.permissions import Rule, RuleSet
from runtime.principal import DomainContext, Principal
from runtime.settings import Settings
from tests.lanes import TAKES_LANE
from tests.patience import STORE_MS
from tests.query.wards import WARDS
from tests.reused import take_database

Document = dict[str, Any]
T = TypeVar("T")

LOGISTICS = tuple(kind for kind in CATALOG if kind.area == "logistics")
ORDER = next(kind for kind in LOGISTICS if kind.name == "Order")
GROUPS = {"wards": WARDS, "logistics": LOGISTICS}
ALL = Catalog((*CATALOG, *WARDS))


@dataclass
class Ward:
    """A service over a realm of its own; each request is a call of its own."""

    service: Service
    realm: str
    runner: asyncio.Runner
    database: Database[Document]

    def call(
        self,
        tenant: str = "acme",
        rules: Sequence[Rule] = (),
        roles: Sequence[str] = ("user",),
        **domain: Any,
    ) -> Call:
        """A call of somebody, with rules beside those of the specifications."""
        context = DomainContext(tenant_id=tenant, default_realm=self.realm, **domain)
        principal = Principal(f"ann@{tenant}", f"s-ann-{tenant}", frozenset(roles), context)
        return Call(
            self.service, principal, self.realm, self.realm, "request-1", rules=RuleSet((*RULES, *rules))
        )

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Wait for what is asked."""
        return self.runner.run(work)

    def store(self, kind: RecordType[Any], documents: Sequence[Document]) -> None:
        """Store these documents behind the service's back, and no others of their type."""
        self.database[kind.collection].delete_many({})
        if documents:
            self.database[kind.collection].insert_many(documents)


def require_reason(call: Call, error: ServiceError) -> None:
    """A query or filter is refused for what rules withhold, and for nothing else."""
    names = {rule.name for rule in call.rules.rules} - {rule.name for rule in RULES}
    if isinstance(error, Denied):
        assert names & {"no doctors", "no customers"}
    else:
        assert isinstance(error, UnknownField), error
        assert any(rule.hidden for rule in call.rules.rules if rule.name in names)


@contextmanager
def open_ward(mongo_uri: str, client: MongoClient[Document], keys: Path, **overrides: Any) -> Iterator[Ward]:
    """A service over an empty realm; settings by attribute name."""
    with take_database(client, ALL) as prepared, asyncio.Runner() as runner:
        options = Settings.read(
            {}, environment="development", data_folder=keys, mongodb_uri=SecretStr(mongo_uri),
            default_realm=prepared.name, change_streams=False, mongodb_lane=TAKES_LANE,
            mongodb_timeout_ms=STORE_MS, **overrides,
        )  # fmt: skip
        opening = open_service(ALL, options, rules=RULES)
        service = runner.run(opening.__aenter__())
        prepared.note_shape()
        try:
            yield Ward(service, prepared.name, runner, client[prepared.name])
        finally:
            runner.run(opening.__aexit__(None, None, None))
