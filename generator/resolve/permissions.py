"""Permission rules as seeds: areas, domains and actions exist, filters compile, hidden fields are fields."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from generator.model import Endpoint, Record, Rule
from generator.problems import did_you_mean
from generator.resolve.context import Context, Spot
from generator.resolve.endpoints import ACTIONS
from generator.resolve.paths import Missing, Paths
from generator.spec import Document, RuleSpec, RulesSpec


@dataclass(frozen=True, slots=True)
class Subjects:
    """What rules may speak of, in lower case: matching is without case (decisions §3)."""

    areas: frozenset[str]
    domains: Mapping[str, frozenset[str]]
    actions: frozenset[str]
    records: Mapping[tuple[str, str], Record]

    @classmethod
    def of(cls, records: Iterable[Record], endpoints: Iterable[Endpoint]) -> Subjects:
        """All areas, domains and actions of a model."""
        records, endpoints = tuple(records), tuple(endpoints)
        domains: dict[str, set[str]] = {}
        pairs = [(one.area, one.domain) for one in records] + [(one.area, one.domain) for one in endpoints]
        for area, domain in pairs:
            domains.setdefault(area.lower(), set()).add(domain.lower())
        return cls(
            frozenset(domains),
            {name: frozenset(found) for name, found in domains.items()},
            frozenset(action.lower() for action in (*ACTIONS.values(), *(one.action for one in endpoints))),
            {(one.area.lower(), one.domain.lower()): one for one in records},
        )


def build_rules(
    context: Context, document: Document[RulesSpec], subjects: Subjects, paths: Paths
) -> tuple[Rule, ...]:
    """The rules of one file."""
    found = []
    for position, spec in enumerate(document.spec.rules):
        spot = Spot(context, document, ("rules", position))
        context.claim("the permission rule", spec.name, spot.place("name"), rule="SPEC021")
        _check(spot, spec, subjects, paths)
        values = spec.model_dump(by_alias=True, exclude_none=True)
        found.append(Rule(spec.name, values, document.source))
    return tuple(found)


def _check(spot: Spot, spec: RuleSpec, subjects: Subjects, paths: Paths) -> None:
    header, below = spec.security_uri.header, spot.within("securityURI", "header")
    area, domain = (header.area or "*").lower(), (header.functional_domain or "*").lower()
    everywhere: frozenset[str] = frozenset().union(*subjects.domains.values())
    known = (
        ("area", area, subjects.areas, "functional area"),
        ("functionalDomain", domain, subjects.domains.get(area, everywhere), "functional domain"),
        ("action", (header.action or "*").lower(), subjects.actions, "action"),
    )
    for word, name, names, words in known:
        if not _is_wild(name) and name not in names and not spot.context.specs.broken:
            below.report("SPEC037", f'unknown {words} "{name}"{did_you_mean(name, names)}', word)
    record = subjects.records.get((area, domain))
    if record is None:
        return
    if spec.filter is not None and (wrong := spot.context.filter_problem(spec.filter, record)):
        spot.report("SPEC080", f"the filter does not compile: {wrong}", "filter")
    for position, name in enumerate(spec.hidden_fields):
        found = paths.of_record(record, name)
        if isinstance(found, Missing):
            near = did_you_mean(found.step, found.known)
            spot.report("SPEC034", f'{record.name} has no field "{name}"{near}', "hiddenFields", position)


def _is_wild(name: Any) -> bool:
    return "*" in name or "?" in name
