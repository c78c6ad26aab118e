"""Explanations as JSON: rules with the names of their record, and only what the asker may know.

Callers that may view permission rules see the ones that concern their domain. All others see the rules that
match them, without filters over fields that are withheld from them.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC
from typing import Any, Literal, TypeVar, cast

from runtime.call import Call, Subject
from runtime.errors import RequestError
from runtime.explain.assessment import Verdict
from runtime.filter import named_fields
from runtime.model.mappings import without_nones
from runtime.model.paths import overlap_any
from runtime.permissions import Explanation, Line, Rule
from runtime.permissions.rule import BODY_PATTERNS, HEADER_PATTERNS
from runtime.principal import DomainScope
from runtime.system.answers import (
    DecisionToldBody,
    PermissionAnswerAddedFilterBody,
    PermissionAnswerAskedBody,
    PermissionAnswerBody,
    RuleInForceBody,
    RuleVerdictBody,
)
from runtime.system.documents import DecisionDocument

RenderedT = TypeVar("RenderedT", bound=Mapping[str, Any])

_OF_CALLERS = frozenset({"identity", "account", "tenant", "segment", "owner", "holds_in"})
"""Members of a rule that select callers."""

_WITHHELD = "(over fields that are withheld from you)"


@dataclass(frozen=True, slots=True)
class View:
    """What an asker may know about rules.

    ``scope``: rules that concern callers in it; None: only those that concern the asker. Filters that name
    a field of ``withheld`` are not shown.
    """

    scope: DomainScope | None
    withheld: Collection[str] = ()

    def shows(self, line: Line) -> bool:
        """Return whether the asker may see a rule and its outcome."""
        if self.scope is None:
            return _OF_CALLERS.isdisjoint(line.differs)
        return _concerns(self.scope, line.rule)

    def filter_of(self, rule: Rule) -> str | None:
        """Return the filter as it is shown to the asker."""
        if rule.filter is None or not self.withheld:
            return rule.filter
        try:
            named = named_fields(rule.filter)
        except RequestError:
            return _WITHHELD
        return _WITHHELD if any(overlap_any(path, self.withheld) for path in named) else rule.filter


def render_answer(
    call: Call, subject: Subject, verdict: Verdict, view: View, document: Mapping[str, Any] | None
) -> PermissionAnswerBody:
    """Render the answer to a question about the caller of ``call``, on a record where one is named."""
    explanation, principal = verdict.explanation, call.principal
    question: PermissionAnswerAskedBody = {
        "identity": principal.user_id,
        "roles": sorted(principal.roles),
        "realm": call.realm,
        "scope": _render_scope(principal.scope),
        "area": subject[0],
        "functionalDomain": subject[1],
        "action": subject[2],
        "resource": None if document is None else str(document["_id"]),
    }
    turns = [_render_turn(rule, view) for rule in explanation.turns] + _render_otherwise(explanation)
    answer: PermissionAnswerBody = {
        "decision": _effect(verdict.allowed),
        "reasons": list(verdict.reasons),
        "asked": _drop_unset(question),
        "winningRule": None if explanation.rule is None else render_rule(explanation.rule, view),
        "rules": _render_lines(explanation, view),
        "addedFilter": turns or None,
        "hiddenFields": sorted(explanation.hidden),
    }
    return _drop_unset(answer)


def render_refusal(
    refusal: DecisionDocument,
    verdict: Verdict | None = None,
    still_denied: bool | None = None,
    view: View | None = None,
) -> DecisionToldBody:
    """Render a stored refusal, with what would be decided now where that is known."""
    rendered: DecisionToldBody = {
        "id": str(refusal["_id"]),
        "verdict": refusal["verdict"],
        "reason": refusal["reason"],
        "realm": refusal["realm"],
        "requestId": refusal["requestId"],
        "userId": refusal["userId"],
        "subject": refusal["subject"],
        "resource": refusal.get("resource"),
        "appliedRules": refusal["appliedRules"],
        "impersonatorUserId": refusal.get("impersonatorUserId"),
        "impersonatorSubject": refusal.get("impersonatorSubject"),
        "roles": refusal["callerRoles"],
        "area": refusal.get("askedArea"),
        "functionalDomain": refusal.get("askedDomain"),
        "action": refusal.get("askedAction"),
        "decidedAt": refusal["decidedAt"].replace(tzinfo=UTC),
        "stillDenied": still_denied,
        "reasons": [] if verdict is None else list(verdict.reasons),
        "rules": [] if verdict is None or view is None else _render_lines(verdict.explanation, view),
    }
    return _drop_unset(rendered)


def _render_lines(explanation: Explanation, view: View) -> list[RuleVerdictBody]:
    """Render the outcome of each rule, in walking order."""
    return [_render_line(line, view) for line in explanation.lines if view.shows(line)]


def render_rules(rules: Iterable[Rule], view: View) -> list[RuleInForceBody]:
    """Render the rules that concern the asker's domain, in walking order."""
    return [
        render_rule(rule, view) for rule in rules if view.scope is not None and _concerns(view.scope, rule)
    ]


def _concerns(scope: DomainScope, rule: Rule) -> bool:
    """Return whether a rule can match callers inside a scope."""
    own, asked = rule.holds_in.match, scope.match
    return all(asked[path] == value for path, value in own.items() if path in asked)


def render_rule(rule: Rule, view: View) -> RuleInForceBody:
    """Render a rule."""
    body: RuleInForceBody = {
        "name": rule.name,
        "description": rule.description or None,
        "source": rule.source,
        "effect": _effect(rule.allows),
        "priority": rule.priority,
        "finalRule": rule.is_final,
        "securityURI": {"header": _patterns(rule, HEADER_PATTERNS), "body": _patterns(rule, BODY_PATTERNS)},
        "filter": view.filter_of(rule),
        "hiddenFields": sorted(rule.hidden),
        "holdsIn": _render_scope(rule.holds_in),
    }
    return _drop_unset(body)


def _render_line(line: Line, view: View) -> RuleVerdictBody:
    body: RuleVerdictBody = {
        "rule": render_rule(line.rule, view),
        "matched": line.speaks is not False,
        "someRecords": True if line.speaks is None else None,
        "why": list(line.why),
        "applied": line.applied,
        "decided": line.decided,
    }
    return _drop_unset(body)


def _render_turn(rule: Rule, view: View) -> PermissionAnswerAddedFilterBody:
    resource = None if rule.resource == "*" else rule.resource
    body: PermissionAnswerAddedFilterBody = {
        "effect": _effect(rule.allows),
        "rule": rule.name,
        "filter": view.filter_of(rule),
        "resourceId": resource,
    }
    return _drop_unset(body)


def _render_otherwise(explanation: Explanation) -> list[PermissionAnswerAddedFilterBody]:
    """Render what applies to records that match no turn; the last turn may match all."""
    return [{"effect": "DENY"}] if explanation.turns and explanation.turns[-1].is_per_record else []


def _patterns(rule: Rule, members: Mapping[str, str]) -> dict[str, str]:
    return {name: getattr(rule, member) for name, member in members.items() if getattr(rule, member) != "*"}


def _render_scope(scope: DomainScope) -> dict[str, str]:
    return {path.removeprefix("dataDomain."): str(value) for path, value in scope.match.items()}


def _effect(allows: bool) -> Literal["ALLOW", "DENY"]:
    return "ALLOW" if allows else "DENY"


def _drop_unset(body: RenderedT) -> RenderedT:
    return cast(RenderedT, without_nones(body))
