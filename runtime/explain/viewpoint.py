"""Who asks for an explanation: a caller, who sees what its rights admit, or the operator, who sees all."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from runtime.access.asking import find_user
from runtime.access.guard import allow
from runtime.call import Call, Service
from runtime.errors import AccessError, NotFound
from runtime.explain.rendering import View
from runtime.filter import EVERYTHING, by_id, equals
from runtime.identity.realms.realm import require_realm
from runtime.identity.users.users import everywhere, users_of
from runtime.model.record_type import RecordType
from runtime.principal import DomainContext, DomainScope, Principal
from runtime.seams import User, UserKey
from runtime.storage.access import Access, Action, DocumentT
from runtime.storage.as_service import as_service
from runtime.storage.own_documents import Document
from runtime.system.record_types import PERMISSION_RULE


@dataclass(frozen=True, slots=True)
class Viewpoint:
    """An asker, in the realm of the question. ``scope``: rules about callers in it concern the asker.

    The operator's ``call`` is unauthenticated, so it grants nothing by itself.
    """

    call: Call
    scope: DomainScope
    is_operator: bool = False

    @classmethod
    def of_caller(cls, call: Call) -> Viewpoint:
        return cls(call, call.principal.scope)

    @classmethod
    async def open_for_operator(cls, service: Service, realm: str) -> Viewpoint:
        """Return the viewpoint of the operator in a realm. Raises ``NotFound``."""
        database = await require_realm(service, realm)
        nobody = Principal("operator", "", frozenset(), DomainContext(tenant_id="", default_realm=realm))
        return cls(Call(service, nobody, realm, database, ""), DomainScope(), is_operator=True)

    def require_access(self, kind: RecordType[Any, DocumentT]) -> Access[DocumentT]:
        """Return the access to view records of a type. Raises ``Denied``."""
        if self.is_operator:
            return as_service(kind, self.call.database)
        return allow(self.call, kind, Action.VIEW)

    def access(self, kind: RecordType[Any]) -> Access | None:
        """Return the same; None where the asker may not view records of the type."""
        try:
            return self.require_access(kind)
        except AccessError:
            return None

    def withheld(self, kind: RecordType[Any] | None) -> frozenset[str]:
        """Return the fields of a type that rules may look at and that the asker does not see."""
        access = None if kind is None else self.access(kind)
        return frozenset() if access is None else access.withheld

    def view(self, kind: RecordType[Any] | None) -> View:
        """Return what the asker may know of the rules for records of a type, or for an endpoint."""
        of_rules = self.access(PERMISSION_RULE)
        if of_rules is not None and of_rules.rules is EVERYTHING:
            return View(self.scope)
        return View(None, self.withheld(kind))

    async def find_user(self, key: UserKey) -> User:
        """Find a user of the realm whom the asker may ask about. Raises ``NotFound``."""
        if self.is_operator:
            return await users_of(self.call.service).find_user(key, everywhere(self.call.realm))
        return await find_user(self.call, key)

    async def find_record(self, kind: RecordType[Any], named: str) -> Document | None:
        """Find a record by id, else by refName, with the fields that rules look at. Never for an answer."""
        access, store = self.access(kind), self.call.service.store
        if access is None:
            return None
        with suppress(NotFound):  # not an id
            if (found := await store.find_one(access.to_decide(), by_id(named))) is not None:
                return found
        return await store.find_one(access.to_decide(), equals(refName=named))
