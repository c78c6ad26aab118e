"""Two versions of one record type, as two versions of a service have it, and services of each on one realm."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

import orjson
from pydantic import SecretStr

from runtime import records
from runtime.app import open_service
from runtime.call import Call, Service
from runtime.contract.pages import CountParameters, ListParameters
from runtime.contract.writes import RecordPatch
from runtime.migrations import Keeper, Runner
from runtime.model.catalog import Catalog
from runtime.model.record import Strict
from runtime.model.record_type import Index, RecordType
from runtime.permissions import Rule
from runtime.principal import DomainContext, Principal
from runtime.settings import Settings
from runtime.system.record_types import (
    CREDENTIAL,
    PERMISSION_RULE,
    REALM,
    RECORD_MIGRATION,
    RENAME,
    REVISION,
    SERVICE_WORKER,
    STORED_SHAPE,
    WEBHOOK,
)
from tests.kinds import kind_of

Document = dict[str, Any]


class OldPlace(Strict):
    road: str | None = None
    zip_code: str | None = None


class OldLine(Strict):
    sku: str
    amount: int | None = None


class OldFields(Strict):
    town: str | None = None
    place: OldPlace | None = None
    lines: list[OldLine] | None = None
    weight: int | None = None
    tag: str | None = None
    status: Literal["NEW", "GONE"] | None = None
    secret: str | None = None


class Place(Strict):
    street: str | None = None
    zip_code: str | None = None


class Line(Strict):
    code: str
    amount: Decimal | None = None


class Fields(Strict):
    city: str | None = None
    place: Place | None = None
    lines: list[Line] | None = None
    weight: Decimal | None = None
    tag: list[str] | None = None
    status: Literal["OPEN", "GONE"] | None = None
    secret: str | None = None
    priority: int = 3


class CrateFields(Strict):
    label: str
    town: str | None = None


def shape(**fields: Any) -> Document:
    return {"Parcel": {"fields": fields}}


TEXT: Document = {"type": "string"}
OLD_SHAPE = shape(
    town=TEXT,
    place={"type": "object", "fields": {"road": TEXT, "zipCode": TEXT}},
    lines={
        "type": "list",
        "item": {"type": "object", "fields": {"sku": TEXT, "amount": {"type": "integer"}}},
    },
    weight={"type": "integer"},
    tag=TEXT,
    status={"type": "enum", "values": ["NEW", "GONE"]},
    secret={**TEXT, "hidden": True},
)
NEW_SHAPE = shape(
    city={**TEXT, "renamedFrom": "town"},
    place={"type": "object", "fields": {"street": {**TEXT, "renamedFrom": "road"}, "zipCode": TEXT}},
    lines={
        "type": "list",
        "item": {
            "type": "object",
            "fields": {"code": {**TEXT, "renamedFrom": "sku"}, "amount": {"type": "decimal"}},
        },
    },
    weight={"type": "decimal"},
    tag={"type": "list", "item": TEXT},
    status={"type": "states", "values": ["OPEN", "GONE"], "renamed": {"OPEN": "NEW"}},
    secret={**TEXT, "hidden": True},
    priority={"type": "integer", "default": 3},
)
SIMPLE_SHAPE = shape(
    **{name: field for name, field in OLD_SHAPE["Parcel"]["fields"].items() if name != "town"},
    city={**TEXT, "renamedFrom": "town"},
)


class SimpleFields(Strict):
    city: str | None = None
    place: OldPlace | None = None
    lines: list[OldLine] | None = None
    weight: int | None = None
    tag: str | None = None
    status: Literal["NEW", "GONE"] | None = None
    secret: str | None = None


def _parcel(fields: type[Strict], **more: Any) -> RecordType[Any]:
    return kind_of("Parcel", "post", fields, hidden=frozenset({"secret"}), **more)


SYSTEM = (
    CREDENTIAL, PERMISSION_RULE, REALM, RECORD_MIGRATION, RENAME, REVISION, SERVICE_WORKER, STORED_SHAPE, WEBHOOK,
)  # fmt: skip
VERSIONS = {
    "old": (
        _parcel(OldFields, indexes=(Index((("town", 1),)),)),
        OLD_SHAPE,
    ),
    "simple": (_parcel(SimpleFields, renamed={"city": "town"}), SIMPLE_SHAPE),
    "new": (
        _parcel(Fields, renamed={"city": "town"}, indexes=(Index((("city", 1),)),)),
        NEW_SHAPE,
    ),
}
CRATE = kind_of(
    "Crate", "post", CrateFields, indexes=(Index((("dataDomain.tenantId", 1), ("label", 1)), unique=True),)
)
VERSIONS["crated"] = (
    VERSIONS["simple"][0],
    SIMPLE_SHAPE | {"Crate": {"fields": {"label": TEXT, "town": TEXT}}},
)
FURTHER: dict[str, tuple[RecordType[Any], ...]] = {"crated": (CRATE,)}
"""What a version has besides parcels."""


class LeanPlace(Strict):
    road: str | None = None


class LeanFields(Strict):
    town: str | None = None
    place: LeanPlace | None = None
    lines: list[OldLine] | None = None
    weight: int | None = None
    status: Literal["NEW", "GONE"] | None = None


LEAN = kind_of("Parcel", "post", LeanFields)
LEAN_SHAPE = shape(
    **{name: field for name, field in OLD_SHAPE["Parcel"]["fields"].items() if name not in ("tag", "secret")}
    | {"place": {"type": "object", "fields": {"road": TEXT}}}
)
VERSIONS["lean"] = (LEAN, LEAN_SHAPE)
NARROW_SHAPE = shape(**OLD_SHAPE["Parcel"]["fields"] | {"status": {"type": "enum", "values": ["NEW"]}})
VERSIONS["narrow"] = (VERSIONS["old"][0], NARROW_SHAPE)
ALLOWED = Rule("all")


@dataclass(frozen=True)
class Running:
    """A service of one version."""

    service: Service
    kind: RecordType[Any]
    realm: str

    @property
    def keeper(self) -> Keeper:
        assert isinstance(self.service.migrations, Keeper)
        return self.service.migrations

    async def call(self, tenant: str = "acme") -> Call:
        domain = DomainContext(tenant_id=tenant, default_realm=self.realm)
        principal = Principal(f"ann@{tenant}", f"s-{tenant}", frozenset({"user"}), domain)
        rules = await self.service.rule_book.find_rules(self.realm, domain)
        return Call(self.service, principal, self.realm, self.realm, "request", rules=rules)

    async def save(self, **body: Any) -> Document:
        sent = self.kind.input.model_validate_json(json.dumps(body))
        answer = await records.save(await self.call(), self.kind, sent)
        return own(orjson.loads(answer.body))

    async def patch(self, record: Document, **body: Any) -> Document:
        call = await self.call()
        answer = await records.patch(call, self.kind, record["id"], RecordPatch(body))
        return own(orjson.loads(answer.body))

    async def read(self, record: Document) -> Document:
        return own(
            orjson.loads((await records.get_by_id(await self.call(), self.kind, record["id"], None)).body)
        )

    async def list(self, text: str = "", sort: str = "") -> list[str]:
        parameters = ListParameters(filter=text or None, sort=sort or None)
        page = await records.list_records(await self.call(), self.kind, parameters)
        return [row["refName"] for row in orjson.loads(page.body)["rows"]]

    async def count(self, text: str) -> int:
        answer = await records.count_records(await self.call(), self.kind, CountParameters(filter=text))
        return int(orjson.loads(answer.body)["count"])

    async def list_migrations(self) -> list[Any]:
        return list(await self.keeper.notes.read_all())

    def runner(self) -> Runner:
        return Runner(self.keeper, self.realm, "Parcel", "operator")


Opening = Callable[..., AbstractAsyncContextManager[Running]]
"""Opens a service of a version on the realm of a test."""


def own(record: Document) -> Document:
    """A record without what the service adds to each."""
    added = ("auditInfo", "dataDomain", "activeStatus", "displayName", "actionList")
    return {name: value for name, value in record.items() if name not in added}


@cache
def _shapes() -> TemporaryDirectory[str]:
    """The folder of files for versions without a folder: gone when the process ends."""
    return TemporaryDirectory(prefix="recordsmith-shapes-")


def build_catalog(version: str, folder: Path | None = None) -> Catalog:
    """The record types of a version, with a file that says how they are stored."""
    kind, said = VERSIONS[version]
    file = (folder or Path(_shapes().name)) / f"{version}.json"
    file.write_text(json.dumps(said))
    return Catalog((kind, *FURTHER.get(version, ()), *SYSTEM), shapes=file)


@asynccontextmanager
async def run(
    version: str,
    uri: str,
    realm: str,
    keys: Path,
    *rules: Rule,
    is_command: bool = False,
    timeout_ms: int = 2000,
) -> AsyncIterator[Running]:
    """A service of a version on a realm."""
    settings = Settings.read(
        {}, environment="development", data_folder=keys, mongodb_uri=SecretStr(uri), default_realm=realm,
        change_streams=False, mongodb_timeout_ms=timeout_ms,
    )  # fmt: skip
    catalog = build_catalog(version, keys)
    async with open_service(catalog, settings, rules=(ALLOWED, *rules), is_command=is_command) as service:
        yield Running(service, VERSIONS[version][0], realm)
