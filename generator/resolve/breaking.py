"""Breaking changes that are declared: each names a rule, a place, a date and a reason."""

from collections.abc import Iterator
from datetime import date
from fnmatch import fnmatchcase

from generator.change_rules import BREAKING_RULES, CHANGE_RULES
from generator.model import Declaration
from generator.problems import did_you_mean
from generator.resolve.context import Context, Spot
from generator.spec import REASON, BreakingSpec, DeclarationSpec, Document


def build_declarations(context: Context, document: Document[BreakingSpec] | None) -> Iterator[Declaration]:
    """Check the declarations of breaking changes."""
    if document is None:
        return
    spot, seen = Spot(context, document, ("breaking",)), dict[tuple[str, str], int]()
    for position, one in enumerate(document.spec.breaking):
        below, line = spot.within(position), document.at.value("breaking", position).line
        first = seen.setdefault((one.rule, one.at), line)
        if first != line:
            below.report("SPEC095", f"the same change is already declared in line {first}")
        _check_rule(below, one)
        _check_date(below, one)
        if not one.at.strip():
            below.report("SPEC095", "at is empty", "at")
        if not one.reason.strip():
            below.report("SPEC095", f"reason is empty: write {REASON}", "reason")
        yield Declaration(one.rule, one.at, one.date, one.reason.strip(), document.source, line)


def _check_rule(spot: Spot, one: DeclarationSpec) -> None:
    if any(fnmatchcase(name, one.rule) for name in BREAKING_RULES):
        return
    if one.rule in CHANGE_RULES:
        level = CHANGE_RULES[one.rule].level
        spot.report("SPEC095", f"{one.rule} is {level}: only breaking changes need a declaration", "rule")
    else:
        near = did_you_mean(one.rule, BREAKING_RULES)
        advice = near or "; recordsmith diff names the rule of each change"
        spot.report("SPEC095", f'unknown rule "{one.rule}"{advice}', "rule")


def _check_date(spot: Spot, one: DeclarationSpec) -> None:
    try:
        is_date = str(date.fromisoformat(one.date)) == one.date
    except ValueError:
        is_date = False
    if not is_date:
        spot.report("SPEC095", f'"{one.date}" is not a date: write one such as 2026-11-23', "date")
