"""What would be decided of a call, and why: ``allow`` and ``admit`` themselves say whether.

``Verdict`` is for a record where one is at hand, for some records of a type where none is (a list), or for an
endpoint.
"""

from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from runtime.access.guard import admit, allow
from runtime.access.requirements import build_question, find_missing_role
from runtime.access.variables import filter_variables
from runtime.call import Call, Service, Subject
from runtime.errors import AccessError, RequestError, ValidationFailed
from runtime.filter import named_fields
from runtime.model.nearest import hint_or_all
from runtime.model.paths import overlap_any
from runtime.model.record_type import RecordType
from runtime.permissions import (
    Explanation,
    Question,
    RuleSet,
    Variables,
    explain,
    holds_for,
    on_all,
    undecided_over,
)
from runtime.principal import SYSTEM
from runtime.storage.access import Action

Document = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Verdict:
    """A decision and its ``reasons`` in words: those outside the rules first, that of the rules last."""

    allowed: bool
    reasons: tuple[str, ...]
    explanation: Explanation


def require_known(service: Service, subject: Subject) -> None:
    """Raise ``ValidationFailed`` for an unknown area, functional domain or action."""
    known = {*service.subjects}
    known |= {(kind.area, kind.domain, str(action)) for kind in service.catalog for action in Action}
    for at, member in enumerate(("area", "functionalDomain", "action")):
        within = {one[at] for one in known}
        if subject[at] not in within:
            message = f"there is no {member} {subject[at][:100]}{hint_or_all(subject[at], within, member)}"
            raise ValidationFailed(message, violations=[{"path": member, "message": message}])
        known = {one for one in known if one[at] == subject[at]}


def is_known(service: Service, subject: Subject) -> bool:
    """Return whether there still is such an area, functional domain and action."""
    try:
        require_known(service, subject)
    except ValidationFailed:
        return False
    return True


def kind_of(service: Service, subject: Subject) -> RecordType[Any] | None:
    """Return the record type of a subject; None for an endpoint without records."""
    area, domain, action = subject
    if action not in set(Action):
        return None
    return next((kind for kind in service.catalog if (kind.area, kind.domain) == (area, domain)), None)


def assess(
    call: Call,
    subject: Subject,
    document: Document | None,
    withheld: Collection[str],
    obstacles: tuple[str, ...],
) -> Verdict:
    """Decide on a known subject, for the caller of ``call``, whom ``obstacles`` keep from calling at all.

    ``withheld``: fields that the asker does not see. Where a rule looks at one, the outcome of the rules
    for the record would reveal its value, so the record is not checked against them.
    """
    area, domain, action = subject
    kind = kind_of(call.service, subject)
    question = build_question(call, area=area, domain=domain, action=action)
    is_open = not withheld or not any(_find_filters_over(withheld, call.rules, question))
    explanation = evaluate_rules(call, question, kind, document if is_open else None)
    if kind is None:
        allowed, against = _assess_endpoints(call, subject)
    else:
        allowed, against = _assess_records(call, kind, action, document, is_open=is_open)
    reasons = (*obstacles, *_describe_caller(call), *against, _describe_outcome(explanation))
    return Verdict(allowed and not obstacles, reasons, explanation)


def _find_filters_over(fields: Collection[str], rules: RuleSet, question: Question) -> Iterator[bool]:
    """Yield, for each rule that matches the question, whether its filter names one of the fields."""
    for rule, differs in zip(rules.rules, rules.differing(question), strict=True):
        if rule.filter is not None and not differs:
            with suppress(RequestError):  # what cannot be read says the same of every record
                yield any(overlap_any(path, fields) for path in named_fields(rule.filter))


def evaluate_rules(
    call: Call, question: Question, kind: RecordType[Any] | None, document: Document | None
) -> Explanation:
    """Evaluate the rules on one record, over all of a type, or on an endpoint."""
    if kind is None:
        return explain(call.rules, question, None)
    action = Action(question.action)

    def variables() -> Variables:
        return filter_variables(call, kind, action)

    holds = on_all(kind, variables) if document is None else holds_for(kind, document, variables)
    return explain(call.rules, question, holds, undecided_over(kind, variables))


def _assess_records(
    call: Call, kind: RecordType[Any], action: str, document: Document | None, *, is_open: bool
) -> tuple[bool, tuple[str, ...]]:
    role = find_missing_role(call.principal, kind.roles)
    against = [] if role is None else [f"records of this type need the role {role}"]
    domain = call.principal.scope_on(kind.area, is_read=action == Action.VIEW)
    is_outside = document is not None and not domain.admits(document.get("dataDomain", {}))
    if is_outside:
        against.append("the record is outside its data domain")
    try:
        access = allow(call, kind, Action(action))
    except AccessError as error:
        return False, (*against, *_name_scope(error))
    if document is None or not is_open:
        return not is_outside, tuple(against)
    return access.admits(document), tuple(against)


def _assess_endpoints(call: Call, subject: Subject) -> tuple[bool, tuple[str, ...]]:
    """Decide on endpoints of one name, which may need different roles: one that is allowed is enough."""
    area, domain, action = subject
    endpoints = call.service.subjects.get(subject, ())
    if None in endpoints:
        return True, ("it is public: nobody is asked who it is",)
    allowed, needed = False, []
    for roles in (roles for roles in endpoints if roles is not None):
        try:
            admit(call, roles, area=area, domain=domain, action=action)
            allowed = True
        except AccessError as error:
            role = find_missing_role(call.principal, roles) if roles else None
            needed += [*_name_scope(error)] if role is None else [f"it needs the role {role}"]
    if allowed and needed:
        needed = ["some routes of this name need more roles than it has"]
    return allowed, tuple(needed)


def _name_scope(error: AccessError) -> tuple[str, ...]:
    """Return the reason of a refusal for the scopes of a token, which no rule explains."""
    return (error.message,) if "scope" in error.details else ()


def _describe_caller(call: Call) -> Iterator[str]:
    if not call.principal.domain.tenant_id and SYSTEM not in call.principal.roles:
        yield "it belongs to no tenant"


def _describe_outcome(explanation: Explanation) -> str:
    if explanation.turns:
        return "the rules decide by the record"
    if explanation.rule is None:
        return "no rule applies, which denies"
    return f'the rule "{explanation.rule.name}" {"allows" if explanation.rule.allows else "denies"}'
