"""Permission rules: areas, domains and actions exist, filters compile and hidden fields can be hidden.

What a rule says of records must be right for every record type that its area and domain match.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from typing import Final

from generator.filters import fixed_problem, hidden_fields_named, hiding_problem
from generator.model import Endpoint, Record
from generator.naming import camel_case
from generator.problems import did_you_mean, nearest
from generator.resolve.context import Context, Spot
from generator.resolve.endpoints import ACTIONS
from generator.resolve.paths import Missing, Paths
from generator.spec import Document, RuleSpec, RulesSpec
from runtime.model.paths import top_of
from runtime.permissions.pattern import has_wildcards, matches_name
from runtime.permissions.rule import user_pattern

_SEGMENT: Final = re.compile("[-0-9*?]+")


@dataclass(frozen=True, slots=True)
class Subjects:
    """What rules may name, in any case. ``domains``: by area, which is in lower case."""

    domains: Mapping[str, Set[str]]
    actions: frozenset[str]
    records: tuple[Record, ...]

    @classmethod
    def of(cls, records: Iterable[Record], endpoints: Iterable[Endpoint]) -> Subjects:
        """Collect all areas, domains and actions of a model."""
        records = tuple(records)
        endpoints = tuple(one for one in endpoints if not one.records_decide)
        domains: dict[str, set[str]] = {}
        pairs = [(one.area, one.domain) for one in records] + [(one.area, one.domain) for one in endpoints]
        for area, domain in pairs:
            domains.setdefault(area.lower(), set()).add(domain)
        return cls(
            domains,
            frozenset((*ACTIONS.values(), *(one.action for one in endpoints))),
            tuple(sorted(records, key=lambda one: one.name)),
        )

    def matching(self, area: str, domain: str) -> list[Record]:
        """List the record types that two patterns match."""
        return [
            one for one in self.records if matches_name(area, one.area) and matches_name(domain, one.domain)
        ]


def build_rules(
    context: Context, document: Document[RulesSpec], subjects: Subjects, paths: Paths
) -> Iterator[Mapping[str, object]]:
    """Resolve the rules of one file."""
    for position, spec in enumerate(document.spec.rules):
        spot = Spot(context, document, ("rules", position))
        context.claim("the permission rule", spec.name, spot.at("name"), rule="SPEC021")
        _check_identity(spot.within("securityURI", "header"), spec.security_uri.header.identity or "*")
        _check_segment(spot.within("securityURI", "body"), spec.security_uri.body.data_segment or "*")
        if spec.effect == "DENY" and spec.hidden_fields:
            message = "a DENY hides no fields: remove hiddenFields, or allow what else may be seen"
            spot.report_key("SPEC083", message, "hiddenFields")
        elif _check_names(spot.within("securityURI", "header"), spec, subjects):
            _check_records(spot, spec, subjects, paths)
        yield spec.model_dump(by_alias=True, exclude_none=True)


def _check_identity(spot: Spot, identity: str) -> None:
    """Report a misspelled role, which would be the id of a user that does not exist, and an empty user id."""
    user, roles = user_pattern(identity), {role.casefold() for role in spot.context.roles}
    if user is not None:
        if not user or user != user.strip():
            message = f'"{identity}" names no user: write one such as user:ann@acme.example, without blanks'
            spot.report("SPEC020", message, "identity")
        return
    is_sure = spot.context.specs.knows_all("roles")
    is_known = has_wildcards(identity) or identity.casefold() in roles or not is_sure
    if not is_known and (near := nearest(identity, spot.context.roles)):
        named = " or ".join(f'"{role}"' for role in near)
        message = (
            f'"{identity}" is not a role; did you mean {named}? The user of that id is "user:{identity}"'
        )
        spot.report("SPEC036", message, "identity")


def _check_segment(spot: Spot, segment: str) -> None:
    """Report a data segment that no caller can have: theirs are whole numbers."""
    if not _SEGMENT.fullmatch(segment):
        message = f'no data segment is "{segment}": write a whole number in quotes, such as "5"'
        spot.report("SPEC014", message, "dataSegment")


def _check_names(spot: Spot, spec: RuleSpec, subjects: Subjects) -> bool:
    area, domain, action = _header(spec)
    spot.context.used.add(("domain", domain.lower()))
    within = [names for name, names in subjects.domains.items() if matches_name(area, name)]
    domains = frozenset[str]().union(*(within or subjects.domains.values()))
    known = (
        ("area", area, subjects.domains.keys(), "functional area"),
        ("functionalDomain", domain, domains, "functional domain"),
        ("action", action, subjects.actions, "action"),
    )
    unknown = [
        one
        for one in known
        if not has_wildcards(one[1]) and one[1].lower() not in {name.lower() for name in one[2]}
    ]
    for word, name, names, words in unknown:
        if _may_be_meant(spot.context, word, name):
            continue
        stored = _find_stored_name(spot.context, subjects, word, name)
        advice = f': rules go on to name it "{stored}"' if stored in names else did_you_mean(name, names)
        kind = "domain" if word == "functionalDomain" else word
        spot.report_unknown(kind, name.lower(), "SPEC037", f'unknown {words} "{name}"{advice}', word)
    return not unknown


def _find_stored_name(context: Context, subjects: Subjects, word: str, name: str) -> str | None:
    """Return the name that rules have for a renamed area, or for the domain of a renamed record type."""
    renamed: Mapping[str, str] = {}
    if word == "functionalDomain":
        renamed = {camel_case(one.name): one.domain for one in subjects.records}
    elif word == "area":
        renamed = context.former_areas
    return next((stored for today, stored in renamed.items() if today.lower() == name.lower()), None)


def _may_be_meant(context: Context, word: str, name: str) -> bool:
    """Whether an unreadable file may declare the area, domain or action."""
    broken = context.specs.broken
    if broken.keys() & {"*", "endpoints"}:
        return True
    if word == "functionalDomain":
        records = broken.get("record", frozenset())
        return "*" in records or name.lower() in {camel_case(one).lower() for one in records}
    return word == "area" and bool(broken)


def _check_records(spot: Spot, spec: RuleSpec, subjects: Subjects, paths: Paths) -> None:
    if spec.filter is None and not spec.hidden_fields:
        return
    area, domain, _action = _header(spec)
    records = subjects.matching(area, domain)
    if spec.filter is not None:
        wrongs = [_filter_problem(spot.context, spec.filter, record) for record in records]
        if not records and not has_wildcards(domain):
            wrongs = [f"a filter matches records, but {domain} is a domain of endpoints: remove the filter"]
        if wrong := next(filter(None, wrongs), None):
            spot.report("SPEC080", wrong, "filter")
        else:
            _warn_undecided(spot, spec.filter, records)
    for position in range(len(spec.hidden_fields)):
        wrong_fields = (
            _hiding_problem(spot.context, spec.hidden_fields, position, one, paths) for one in records
        )
        if found := next(filter(None, wrong_fields), None):
            spot.report(*found, "hiddenFields", position)


def _warn_undecided(spot: Spot, text: str, records: Iterable[Record]) -> None:
    """Warn of a filter whose variables have no fitting values. Other providers of users may have some."""
    context = spot.context
    found = (context.check_decided(text, record, context.built_structures) for record in records)
    if doubt := next(filter(None, found), None):
        context.warn(spot.place("filter"), "SPEC080", doubt)


def _filter_problem(context: Context, text: str, record: Record) -> str | None:
    if wrong := fixed_problem(text):
        return wrong
    if wrong := context.filter_problem(text, record):
        return f"the filter does not compile: {wrong}"
    if hidden := hidden_fields_named(text, record):
        return f"the filter names {hidden[0]} of {record.name}, which is hidden: no rule sees it"
    return None


def _hiding_problem(
    context: Context, hidden: list[str], position: int, record: Record, paths: Paths
) -> tuple[str, str] | None:
    """Return rule and message for one of the hidden fields, or None."""
    name = hidden[position]
    found, first = paths.of_record(record, name), top_of(name)
    if isinstance(found, Missing):
        return "SPEC034", f'{record.name} has no field "{name}"{found.advise()}'
    if first in context.unsure.get(record.name, ()):
        return None
    if any(one.hidden and one.name == first for one in record.fields):
        return "SPEC083", f"{name} of {record.name} never leaves the store anyway"
    wrong = hiding_problem(name, record, context.built_structures)
    return ("SPEC083", wrong) if wrong else None


def _header(spec: RuleSpec) -> tuple[str, str, str]:
    """Return area, domain and action, as they are written."""
    header = spec.security_uri.header
    return header.area or "*", header.functional_domain or "*", header.action or "*"
