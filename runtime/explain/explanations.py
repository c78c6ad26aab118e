"""What would be decided, what was decided, and why: one flow for callers and for the operator.

``check_permission``, ``explain_decision`` and ``list_effective_rules`` are the routes of permissions; the
command line asks as the operator.
"""

from dataclasses import replace
from typing import Any

from runtime.access.asking import Asked, build_call, resolve_question
from runtime.call import Call, Subject
from runtime.errors import NotFound, ValidationFailed
from runtime.explain.assessment import assess, is_known, kind_of, require_known
from runtime.explain.rendering import View, render_answer, render_refusal, render_rules
from runtime.explain.viewpoint import Viewpoint
from runtime.filter import by_id
from runtime.model.clock import from_seconds
from runtime.model.problems import no_record
from runtime.model.record_type import RecordType
from runtime.principal import DomainContext, Principal
from runtime.seams import UserKey
from runtime.storage.own_documents import Document
from runtime.system.answers import DecisionToldBody, EffectiveRulesBody, PermissionAnswerBody
from runtime.system.documents import DecisionDocument
from runtime.system.models.permission_question import PermissionQuestion
from runtime.system.record_types import DECISION


async def check_permission(call: Call, body: PermissionQuestion) -> PermissionAnswerBody:
    """POST /security/permission/check."""
    subject = body.area, body.functional_domain, body.action
    require_known(call.service, subject)
    asked = await resolve_question(call, body)
    return await _explain(Viewpoint.of_caller(asked.asker), asked, subject, body.resource)


async def explain_decision(call: Call, *, id_: str) -> DecisionToldBody:
    """GET /security/permission/decision/{id}: a refusal of a caller in the asker's domain."""
    return await explain_refusal(Viewpoint.of_caller(call), id_)


async def list_effective_rules(call: Call) -> EffectiveRulesBody:
    """GET /security/permission/effective-rules."""
    return {"realm": call.realm, "rules": render_rules(call.rules.rules, View(call.principal.scope))}


async def explain_user(
    viewpoint: Viewpoint, user_id: str, subject: Subject, resource: str | None = None
) -> PermissionAnswerBody:
    """Explain what would be decided about a user of the realm, as ``check_permission`` does.

    Raises ``NotFound`` for a user or record that the asker cannot see, ``ValidationFailed``.
    """
    asker = viewpoint.call
    require_known(asker.service, subject)
    user = await viewpoint.find_user(UserKey(user_id=user_id))
    asked = Asked(asker, *await build_call(asker, user, asker.realm))
    return await _explain(viewpoint, asked, subject, resource)


async def explain_refusal(viewpoint: Viewpoint, decision_id: str) -> DecisionToldBody:
    """Explain a stored refusal, and what would be decided now. Raises ``NotFound``."""
    refusal = await _read_refusal(viewpoint, decision_id)
    subject = _subject_of(refusal)
    if subject is None or not is_known(viewpoint.call.service, subject):
        return render_refusal(refusal)
    kind, named = kind_of(viewpoint.call.service, subject), refusal.get("resource")
    target, against = await _build_call_of_refused(viewpoint, refusal)
    document = None if kind is None or named is None else await viewpoint.find_record(kind, named)
    verdict = assess(target, subject, document, viewpoint.withheld(kind), against)
    is_open = bool(verdict.explanation.turns) or (named is not None and document is None)
    still_denied = None if verdict.allowed and is_open else not verdict.allowed
    return render_refusal(refusal, verdict, still_denied, View(viewpoint.scope))


async def _explain(
    viewpoint: Viewpoint, asked: Asked, subject: Subject, resource: str | None
) -> PermissionAnswerBody:
    kind = kind_of(viewpoint.call.service, subject)
    document = None if resource is None else await _require_record(viewpoint, kind, resource)
    verdict = assess(asked.call, subject, document, viewpoint.withheld(kind), asked.against)
    return render_answer(asked.call, subject, verdict, viewpoint.view(kind), document)


async def _require_record(viewpoint: Viewpoint, kind: RecordType[Any] | None, named: str) -> Document:
    """Find the record that a question names. Raises ``ValidationFailed`` and ``NotFound``."""
    if kind is None:
        message = "names a record, but the area and functional domain are those of no record type"
        raise ValidationFailed.at("resource", message)
    found = await viewpoint.find_record(kind, named)
    if found is None:
        raise NotFound(f"no {kind.shown_name} has the id or refName {named[:200]}")
    return found


async def _read_refusal(viewpoint: Viewpoint, decision_id: str) -> DecisionDocument:
    service = viewpoint.call.service
    access = viewpoint.require_access(DECISION)
    found = await service.store.find_one(access, by_id(decision_id, "decision"))
    if found is None or found["expiresAt"] <= from_seconds(service.tokens.clock()):
        raise no_record("decision", decision_id)
    return found


def _subject_of(refusal: DecisionDocument) -> Subject | None:
    """Return the subject of a refusal; None where the call was refused before it reached one."""
    if "askedArea" not in refusal:
        return None
    return refusal["askedArea"], refusal["askedDomain"], refusal["askedAction"]


async def _build_call_of_refused(
    viewpoint: Viewpoint, refusal: DecisionDocument
) -> tuple[Call, tuple[str, ...]]:
    """Build the call of the refused user with their roles of today, and what prevents them from calling.

    A user who no longer exists has the roles of then, under the rules of today.
    """
    asker = viewpoint.call
    try:
        user = await viewpoint.find_user(UserKey(subject=refusal["subject"]))
    except NotFound:
        place = refusal["dataDomain"]
        bound = place | {"dataSegment": place.get("dataSegment") or None}
        domain = DomainContext.of(bound, refusal["realm"])
        roles = frozenset(refusal["callerRoles"])
        principal = Principal(refusal["userId"], refusal["subject"], roles, domain)
        rules = await asker.service.rule_book.find_rules(asker.database, domain)
        return replace(asker, principal=principal, rules=rules), ()
    return await build_call(asker, user, asker.realm)
