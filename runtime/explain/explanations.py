"""The answers of the routes in ``specs/system/permission.yaml``: what would be decided, what was, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC
from typing import Any, Protocol

from runtime.access.asking import AskedOf, build_call, find_user, resolve_question
from runtime.access.guard import allow
from runtime.call import Call, Subject
from runtime.errors import AccessError, NotFound, ValidationFailed
from runtime.explain.assessment import Verdict, assess, kind_of, require_known
from runtime.explain.telling import View, answer_of, render_lines, render_rules, view_of, withheld_from
from runtime.filter import by_id, equals
from runtime.identity.documents import Document, moment
from runtime.model.record_type import RecordType
from runtime.permissions import Explanation
from runtime.principal import DomainContext, Principal
from runtime.seams import UserKey
from runtime.storage.access import Access, Action
from runtime.storage.store import Store

_ID_CHARACTERS = 24


class PermissionQuestion(AskedOf, Protocol):
    """The body of a check."""

    @property
    def area(self) -> str: ...
    @property
    def functional_domain(self) -> str: ...
    @property
    def action(self) -> str: ...
    @property
    def resource(self) -> str | None: ...


async def check(call: Call, body: PermissionQuestion) -> Mapping[str, Any]:
    """POST /security/permission/check."""
    subject = body.area, body.functional_domain, body.action
    require_known(call.service, subject)
    asked = await resolve_question(call, body)
    kind = kind_of(call.service, subject)
    document = None if body.resource is None else await _find_resource(asked.asker, kind, body.resource)
    withheld = withheld_from(asked.asker, kind)
    verdict = add_obstacles(assess(asked.call, subject, document, withheld), asked.against)
    resource = None if document is None else str(document["_id"])
    return answer_of(asked.call, subject, verdict, view_of(asked.asker, kind), resource)


async def effective_rules(call: Call) -> Mapping[str, Any]:
    """GET /security/permission/effective-rules."""
    return {"realm": call.realm, "rules": render_rules(call.rules.rules, View(call.principal.scope))}


async def decision(call: Call, *, id_: str) -> Mapping[str, Any]:
    """GET /security/permission/decision/{id}: a refusal of a caller in the asker's domain."""
    kept = await read_decision(
        call.service.store, allow(call, call.service.system.decision, Action.VIEW), id_
    )
    if kept["expiresAt"] <= moment(call.service.tokens.clock()):
        raise NotFound(f"no decision has the id {id_}")
    subject = subject_of(kept)
    if subject is None or not _is_known(call, subject):
        return render_decision(kept, None, None, View(None))
    kind, target, against = kind_of(call.service, subject), *await _open_caller_now(call, kept)
    named = kept.get("resource")
    document = None if named is None or kind is None else await _find_visible(call, kind, named)
    verdict = add_obstacles(assess(target, subject, document, withheld_from(call, kind)), against)
    denied = still_denied(verdict, is_found=named is None or document is not None)
    return render_decision(kept, verdict, denied, View(call.principal.scope))


async def read_decision(store: Store, access: Access, decision_id: str) -> Document:
    """Read a refusal by its id. Raises ``NotFound``."""
    found = await store.find_one(access, by_id(decision_id))
    if found is None:
        raise NotFound(f"no decision has the id {decision_id}")
    return found


async def find_record(store: Store, access: Access, named: str) -> Document | None:
    """Find a record by id, else by refName, with the fields that rules look at. Never for an answer."""
    if len(named) == _ID_CHARACTERS:
        try:
            found = await store.find_one(access.to_decide(), by_id(named))
        except NotFound:  # not an id
            found = None
        if found is not None:
            return found
    return await store.find_one(access.to_decide(), equals(refName=named))


def add_obstacles(verdict: Verdict, against: tuple[str, ...]) -> Verdict:
    """Return the verdict on a user whom something prevents from calling at all."""
    return replace(verdict, allowed=False, reasons=(*against, *verdict.reasons)) if against else verdict


def subject_of(kept: Document) -> Subject | None:
    """Return the subject of a refusal; None where the call was refused before it reached one."""
    if "askedArea" not in kept:
        return None
    return kept["askedArea"], kept["askedDomain"], kept["askedAction"]


def still_denied(verdict: Verdict, *, is_found: bool) -> bool | None:
    """Whether it would be refused again; None where that depends on a record which is not at hand."""
    if not verdict.allowed:
        return True
    return None if verdict.explanation.turns or not is_found else False


def render_decision(
    kept: Document, verdict: Verdict | None, denied: bool | None, view: View
) -> Mapping[str, Any]:
    """Render a refusal, with what would be decided now."""
    explanation: Explanation | None = None if verdict is None else verdict.explanation
    said = {
        "id": str(kept["_id"]),
        "roles": kept["callerRoles"],
        "area": kept.get("askedArea"),
        "functionalDomain": kept.get("askedDomain"),
        "action": kept.get("askedAction"),
        "decidedAt": kept["decidedAt"].replace(tzinfo=UTC),
        "stillDenied": denied,
        "reasons": [] if verdict is None else list(verdict.reasons),
        "rules": [] if explanation is None else render_lines(explanation, view),
    }
    same = (
        *("verdict", "reason", "realm", "requestId", "userId", "subject", "resource", "appliedRules"),
        *("impersonatorUserId", "impersonatorSubject"),
    )
    said |= {name: kept.get(name) for name in same}
    return {name: value for name, value in said.items() if value is not None}


async def rebuild_call(call: Call, kept: Document) -> Call:
    """Build the call of a user that no longer exists, with their roles of then and the rules of today."""
    place = kept["dataDomain"]
    domain = DomainContext(
        tenant_id=place.get("tenantId", ""),
        default_realm=kept["realm"],
        org_ref_name=place.get("orgRefName"),
        account_id=place.get("accountId"),
        data_segment=place.get("dataSegment") or None,
    )
    principal = Principal(kept["userId"], kept["subject"], frozenset(kept["callerRoles"]), domain)
    rules = await call.service.rule_book.rules(call.database, domain)
    return replace(call, principal=principal, rules=rules)


def no_records() -> ValidationFailed:
    """Build the error for a question that names a record of a type without records."""
    message = "names a record, but the area and functional domain are those of no record type"
    return ValidationFailed(f"resource {message}", violations=[{"path": "resource", "message": message}])


def no_such(kind: RecordType[Any], named: str) -> NotFound:
    """Build the error for a record that is absent, or that the asker cannot see."""
    return NotFound(f"no {kind.name} has the id or refName {named[:200]}")


async def _open_caller_now(call: Call, kept: Document) -> tuple[Call, tuple[str, ...]]:
    """Who was refused, with the roles it has by now."""
    try:
        user = await find_user(call, UserKey(subject=kept["subject"]))
    except NotFound:
        return await rebuild_call(call, kept), ()
    return await build_call(call, user, call.realm)


async def _find_resource(asker: Call, kind: RecordType[Any] | None, named: str) -> Document:
    """Find the record that a question names, if the asker can see it. Raises ``NotFound``."""
    if kind is None:
        raise no_records()
    found = await _find_visible(asker, kind, named)
    if found is None:
        raise no_such(kind, named)
    return found


async def _find_visible(asker: Call, kind: RecordType[Any], named: str) -> Document | None:
    try:
        access = allow(asker, kind, Action.VIEW)
    except AccessError:
        return None
    return await find_record(asker.service.store, access, named)


def _is_known(call: Call, subject: Subject) -> bool:
    try:
        require_known(call.service, subject)
    except ValidationFailed:
        return False
    return True
