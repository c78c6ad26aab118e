"""Stored refusals, to be explained later: every 403 carries the id of its record as ``decisionId``.

A refusal is stored in the data domain of its caller and in the realm of the call; one from before there was
a call, or on a public route, in the realm of the credential. A worker stores 60 a minute per caller: beyond
that an identical refusal gets the id of the last identical one, others get none. Without the store there is
no id either; the request is still refused.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final

from runtime.access.requirements import RefusedQuestion
from runtime.bounded_cache import BoundedCache
from runtime.call import Call, RealmSource, Service
from runtime.errors import Denied, ServiceError
from runtime.explain.assessment import evaluate_rules
from runtime.logs import log
from runtime.model.clock import from_seconds
from runtime.principal import Identity, Principal
from runtime.storage.access import Action
from runtime.storage.as_service import as_service
from runtime.storage.own_documents import complete_document
from runtime.storage.store import Store
from runtime.storage.wire import create_id
from runtime.system.documents import DecisionDocument
from runtime.system.record_types import DECISION

MOST_A_MINUTE: Final = 60
"""Refusals of one caller that one worker stores."""

_MOST_CALLERS = 10_000
_MINUTE = 60.0


@dataclass(frozen=True, slots=True)
class _Caller:
    """Who was refused, and where the refusal is stored."""

    principal: Principal
    realm: str
    database: str

    @property
    def key(self) -> Hashable:
        impersonator = self.principal.impersonator
        holder = impersonator.subject if impersonator else ""
        return self.database, self.principal.domain.tenant_id, self.principal.subject, holder


@dataclass(slots=True)
class _Minute:
    """What was stored of one caller since ``begun``: how many, and the last id of identical refusals."""

    begun: float
    count: int = 0
    ids: dict[Hashable, str] = field(default_factory=dict)


class Decisions:
    """The stored refusals; one per process. ``seconds``: how long one is stored, by ``clock``."""

    def __init__(
        self,
        store: Store,
        realms: RealmSource,
        seconds: int,
        clock: Callable[[], float],
    ) -> None:
        self._store = store
        self._realms = realms
        self._seconds = seconds
        self._clock = clock
        self._minutes: BoundedCache[Hashable, _Minute] = BoundedCache(_MOST_CALLERS)

    async def store_refusal(self, error: Denied, call: Call | None, request_id: str) -> str | None:
        """Store a refusal and return its id; None if it is not stored."""
        try:
            caller = await self._find_caller(error, call)
            return None if caller is None else await self._insert(error, call, caller, request_id)
        except ServiceError as fault:
            log.warning("decisions.not_kept", code=fault.code, reason=fault.message, request_id=request_id)
            return None

    async def _find_caller(self, error: Denied, call: Call | None) -> _Caller | None:
        identity = error.decided
        if not isinstance(identity, Identity):
            return None if call is None else _Caller(call.principal, call.realm, call.database)
        database = await self._realms.find_database(identity.realm)
        principal = Principal(identity.user_id, identity.subject, identity.roles, identity.domain)
        return None if database is None else _Caller(principal, identity.realm, database)

    async def _insert(self, error: Denied, call: Call | None, caller: _Caller, request_id: str) -> str | None:
        now = self._clock()
        minute = self._find_minute(caller.key, now)
        refused = error.decided if isinstance(error.decided, RefusedQuestion) else None
        same = error.message, refused and refused.question, refused and _record_id(refused)
        if minute.count >= MOST_A_MINUTE:
            return minute.ids.get(same)
        minute.count += 1
        document = self._build_document(error, caller, request_id, now)
        if refused is not None and call is not None:
            document.update(_describe_question(call, refused))
        await self._store.insert(as_service(DECISION, caller.database, Action.CREATE), document)
        minute.ids[same] = str(document["_id"])
        return minute.ids[same]

    def _find_minute(self, key: Hashable, now: float) -> _Minute:
        minute = self._minutes.get(key)
        if minute is None or not 0 <= now - minute.begun < _MINUTE:
            minute = _Minute(now)
        self._minutes.keep(key, minute)
        return minute

    def _build_document(
        self, error: Denied, caller: _Caller, request_id: str, now: float
    ) -> DecisionDocument:
        principal, decision_id = caller.principal, create_id()
        fields: DecisionDocument = {
            "_id": decision_id,
            "verdict": "DENY",
            "reason": error.message[:2000],
            "decidedAt": from_seconds(now),
            "realm": caller.realm,
            "requestId": request_id,
            "userId": principal.user_id,
            "subject": principal.subject,
            "callerRoles": sorted(principal.roles),
            "appliedRules": [],
            "expiresAt": from_seconds(now) + timedelta(seconds=self._seconds),
        }
        if principal.impersonator is not None:
            fields["impersonatorUserId"] = principal.impersonator.user_id
            fields["impersonatorSubject"] = principal.impersonator.subject
        domain = principal.domain.new_data_domain(principal.user_id)
        return complete_document(fields, str(decision_id), domain, from_seconds(now))


async def attach_decision_id(
    service: Service, error: ServiceError, call: Call | None, request_id: str
) -> None:
    """Store a refusal and add its ``decisionId`` to the details of the error. Does nothing for others."""
    if not isinstance(error, Denied) or service.decisions is None or "decisionId" in error.details:
        return
    error.details["decisionId"] = await service.decisions.store_refusal(error, call, request_id)


def _describe_question(call: Call, refused: RefusedQuestion) -> DecisionDocument:
    explanation = evaluate_rules(call, refused.question, refused.kind, refused.document)
    document: DecisionDocument = {
        "askedArea": refused.question.area,
        "askedDomain": refused.question.domain,
        "askedAction": refused.question.action,
        "appliedRules": [line.rule.name for line in explanation.lines if line.applied],
    }
    if (record_id := _record_id(refused)) is not None:
        document["resource"] = record_id
    return document


def _record_id(refused: RefusedQuestion) -> str | None:
    return str(refused.document["_id"]) if refused.document is not None and refused.is_stored else None
