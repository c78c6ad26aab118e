"""What lives as long as the process (``Service``) and as long as one request (``Call``). Values, no verbs."""

from __future__ import annotations

from dataclasses import dataclass

from runtime.principal import Principal
from runtime.record_type import Catalog, Seed
from runtime.seams import AuthProvider, Seams
from runtime.settings import Settings
from runtime.store import Store
from runtime.system_records import SystemRecords
from runtime.tokens import Tokens


@dataclass(frozen=True, slots=True)
class Service:
    """Everything a process needs; built in ``runtime.app`` only. ``provider`` is the built-in one."""

    settings: Settings
    catalog: Catalog
    system: SystemRecords
    store: Store
    tokens: Tokens
    provider: AuthProvider
    seams: Seams
    seeds: tuple[Seed, ...] = ()


@dataclass(frozen=True, slots=True)
class Call:
    """One request: who asks, in which realm (database), under which request id, from which address."""

    service: Service
    principal: Principal
    realm: str
    request_id: str
    address: str = ""
