"""The record types of ``depots.py`` in a running service, used as the doors use them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import orjson
from pymongo import MongoClient

from runtime import records
from runtime.call import Call, Service
from runtime.contract.writes import Bulk, BulkOperation, RecordPatch
from runtime.model.record_type import RecordType
from runtime.principal import DomainContext, Principal
from runtime.records.document.terms import PLAIN, Terms

Document = dict[str, Any]


@dataclass
class Yard:
    """A service over a fresh realm; each request is a call of its own."""

    service: Service
    realm: str

    async def call(self, tenant: str = "acme", roles: tuple[str, ...] = ("user",), **domain: Any) -> Call:
        context = DomainContext(tenant_id=tenant, default_realm=self.realm, **domain)
        rules = await self.service.rule_book.find_rules(self.realm, context)
        principal = Principal(f"ann@{tenant}", f"s-{tenant}", frozenset(roles), context)
        return Call(self.service, principal, self.realm, self.realm, "request-1", rules=rules)

    async def save(
        self, kind: RecordType[Any], body: Document, call: Call | None = None, terms: Terms = PLAIN
    ) -> Document:
        sent = kind.input.model_validate_json(orjson.dumps(body))
        answer = await records.save(call or await self.call(), kind, sent, terms)
        saved: Document = orjson.loads(answer.body)
        return saved

    async def patch(
        self,
        kind: RecordType[Any],
        record: Document,
        change: Document,
        call: Call | None = None,
        terms: Terms = PLAIN,
    ) -> Document:
        call = call or await self.call()
        answer = await records.patch(call, kind, record["id"], RecordPatch(change), terms)
        changed: Document = orjson.loads(answer.body)
        return changed

    async def delete(
        self, kind: RecordType[Any], record: Document, call: Call | None = None, terms: Terms = PLAIN
    ) -> None:
        await records.delete_by_id(call or await self.call(), kind, record["id"], terms)

    async def read(self, kind: RecordType[Any], record: Document, call: Call | None = None) -> Document:
        answer = await records.get_by_id(call or await self.call(), kind, record["id"], None)
        found: Document = orjson.loads(answer.body)
        return found

    async def bulk(
        self, kind: RecordType[Any], *operations: Document, atomic: bool, call: Call | None = None
    ) -> list[Document]:
        body = Bulk(operations=[BulkOperation(**one) for one in operations], atomic=atomic)
        answer = await records.run_bulk(call or await self.call(), kind, body)
        results: list[Document] = orjson.loads(answer.body)["results"]
        return results

    def stored(self, client: MongoClient[Any], kind: RecordType[Any]) -> list[Document]:
        """What is there, looked at behind the service's back."""
        return list(client[self.realm][kind.collection].find().sort("_id"))
