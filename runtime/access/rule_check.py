"""Checks of a permission rule before it is saved: what it names exists, and it can be applied.

Areas, domains and actions exist, the filter compiles and the hidden fields can be hidden for every record
type that the rule's area and domain match. The users that a rule names are not checked: they come and go.
"""

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from runtime.access.requirements import build_question
from runtime.access.variables import check_filter, filter_variables
from runtime.call import Call, Subject
from runtime.errors import Denied, RequestError, ValidationFailed
from runtime.filter import EVERYTHING, WeighedFilter
from runtime.model.catalog import Catalog
from runtime.model.nearest import hint_or_all
from runtime.model.problems import Violation
from runtime.model.record_type import RecordType
from runtime.permissions import decide, scope
from runtime.permissions.hideable import hiding_problem
from runtime.permissions.pattern import has_wildcards, matches_name
from runtime.permissions.rule import user_pattern
from runtime.storage.access import Action
from runtime.system.documents import PermissionRuleDocument

MOST_PATTERNS = 20
"""Texts with wildcards in the filter of a rule: each write of a record is decided by all of them."""


_HEADER = "securityURI.header"


class RuleCheck:
    """The check of the record type ``PermissionRule``. ``endpoints`` are those of the specifications."""

    def __init__(self, catalog: Catalog, endpoints: Collection[Subject]) -> None:
        self._kinds: tuple[RecordType[Any], ...] = tuple(catalog)
        pairs = {(kind.area, kind.domain) for kind in self._kinds}
        self._pairs = pairs | {(area, domain) for area, domain, _action in endpoints}
        self._endpoints = frozenset(endpoints)
        self._actions = {str(action) for action in Action} | {action for _area, _domain, action in endpoints}

    async def __call__(self, call: Call, document: PermissionRuleDocument, /) -> None:
        """Check a rule that is to be saved.

        Raises ``ValidationFailed`` with all that is wrong, ``Denied`` for callers of one data segment, and
        for an ALLOW that gives more than a caller of one organisation or account has under wider rules.
        """
        if call.principal.scope.data_segment is not None:
            raise Denied("rules are not of one data segment: ask an administrator who is not bound to one")
        violations = [*_find_blanks(document), *self._find_unknown_names(document)]
        if not violations:
            violations = self._about_records(call, document)
        if not violations and document["effect"] == "ALLOW" and _has_rules_beyond(call):
            self._require_covered(call, document)
        if violations:
            first = violations[0]
            raise ValidationFailed(f"{first['path']}: {first['message']}", violations=violations)

    def _find_unknown_names(self, document: PermissionRuleDocument) -> Iterator[Violation]:
        area, domain, action = _header(document)
        within = [pair for pair in self._pairs if matches_name(area, pair[0])] or self._pairs
        known: tuple[tuple[str, str, str, set[str]], ...] = (
            ("area", "functional area", area, {pair[0] for pair in self._pairs}),
            ("functionalDomain", "functional domain", domain, {pair[1] for pair in within}),
            ("action", "action", action, self._actions),
        )
        for member, words, name, names in known:
            if not has_wildcards(name) and not any(matches_name(name, one) for one in names):
                message = f"there is no {words} {name}{hint_or_all(name, names, words)}"
                yield _violation(f"{_HEADER}.{member}", message)

    def _require_covered(self, call: Call, document: PermissionRuleDocument) -> None:
        """Refuse a rule that allows more than wider rules do: its author cannot change those."""
        patterns, hidden = _header(document), frozenset(document.get("hiddenFields") or ())
        kinds = {(kind.area, kind.domain, str(action)): kind for kind in self._kinds for action in Action}
        for subject in sorted(kinds.keys() | self._endpoints):
            is_meant = all(map(matches_name, patterns, subject))
            if is_meant and not _has_all(call, subject, kinds.get(subject), hidden):
                message = f"the rule allows {subject[2]} on {subject[0]} {subject[1]}"
                raise Denied(f"{message}, which you may not do in full: an administrator of the tenant may")

    def _about_records(self, call: Call, document: PermissionRuleDocument) -> list[Violation]:
        area, domain, _action = _header(document)
        kinds = [
            kind
            for kind in self._kinds
            if matches_name(area, kind.area) and matches_name(domain, kind.domain)
        ]
        text, hidden = document.get("filter"), document.get("hiddenFields") or []
        if not kinds and (text is not None or hidden):
            message = "the rule matches no record type, so nothing can match or be hidden: leave it out"
            return [_violation("hiddenFields" if text is None else "filter", message)]
        found = [] if text is None else _check_filter(call, text, kinds)
        return [*found, *_check_hidden(hidden, kinds)]


def _has_rules_beyond(call: Call) -> bool:
    """Whether stored rules hold for the caller that lie outside its scope, so that it cannot change them."""
    own = call.principal.scope.match.items()
    return any(
        rule.source == "record" and not own <= rule.holds_in.match.items() for rule in call.rules.rules
    )


def _has_all(call: Call, subject: Subject, kind: RecordType[Any] | None, hidden: frozenset[str]) -> bool:
    """Whether the rules allow the caller a subject for every record, with all fields that are not hidden."""
    area, domain, action = subject
    question = build_question(call, area=area, domain=domain, action=action)
    if kind is None:
        return decide(call.rules, question).allowed
    applicable = call.rules.applicable(question)
    allowed = scope(applicable, kind, lambda: filter_variables(call, kind, Action(action)))
    return allowed == EVERYTHING and not (applicable.hidden - kind.hidden - hidden)


def _find_blanks(document: PermissionRuleDocument) -> Iterator[Violation]:
    """Report patterns that look right and match nothing."""
    uri = document["securityURI"]
    for half, patterns in (("header", uri.get("header")), ("body", uri.get("body"))):
        for member, pattern in (patterns or {}).items():
            if str(pattern) != str(pattern).strip():
                yield _violation(
                    f"securityURI.{half}.{member}", "has blanks at an end, so it matches nothing"
                )
    identity = (uri.get("header") or {}).get("identity") or "*"
    user = user_pattern(identity)
    if user is not None and (not user or user != user.lstrip()):
        yield _violation(f"{_HEADER}.identity", "names no user: write user:ann@acme.example, without blanks")


def _check_filter(call: Call, text: str, kinds: Sequence[RecordType[Any]]) -> list[Violation]:
    """Report the first record type on which the filter is invalid for its author.

    A field that is withheld from the author is unknown: the users that the rule admits would reveal its
    value.
    """
    for kind in kinds:
        viewing = build_question(call, area=kind.area, domain=kind.domain, action=Action.VIEW)
        hidden = call.rules.applicable(viewing).hidden
        try:
            match = check_filter(call, text, kind, hidden=hidden)
        except RequestError as error:
            return [_violation("filter", f"over {kind.shown_name}: {error.message}")]
        if WeighedFilter.of(match).patterns > MOST_PATTERNS:
            message = f"has more than {MOST_PATTERNS} texts with wildcards or ~ci: write several rules"
            return [_violation("filter", message)]
    return []


def _check_hidden(hidden: Sequence[str], kinds: Sequence[RecordType[Any]]) -> Iterator[Violation]:
    """Report for each hidden field the first record type that cannot hide it."""
    for at, path in enumerate(hidden):
        problems = (hiding_problem(kind, path) for kind in kinds)
        wrong = next(filter(None, problems), None)
        if wrong is not None:
            yield _violation(f"hiddenFields[{at}]", wrong)


def _header(document: PermissionRuleDocument) -> tuple[str, str, str]:
    """Return the area, functional domain and action of a rule."""
    header = document["securityURI"].get("header") or {}
    return header.get("area") or "*", header.get("functionalDomain") or "*", header.get("action") or "*"


def _violation(path: str, message: str) -> Violation:
    return {"path": path, "message": message}
