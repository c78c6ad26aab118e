"""The context of ``rules.py``: permission rules, and what the endpoints are called in them."""

from collections.abc import Mapping
from operator import itemgetter
from typing import Any

from generator.model import Model
from generator.render.module import Assignments, Imports, call, code, code_tuple
from runtime.permissions.rule import BODY_PATTERNS, HEADER_PATTERNS

_DEFAULT_PRIORITY = 10


def build_rules_module(model: Model) -> Assignments:
    """Build the module of the enabled rules, in evaluation order, and of the subjects of endpoints."""
    imports = Imports()
    imports.name("runtime.permissions", "Rule")
    walked: list[Mapping[str, Any]] = sorted(model.rules, key=itemgetter("priority", "name"))
    rules = [_rule(rule) for rule in walked if rule["enabled"]]
    return Assignments.of(
        "The permission rules of the specifications, in force in every realm.",
        imports,
        f"RULES: tuple[Rule, ...] = {code_tuple(rules)}",
        "SUBJECTS: dict[tuple[str, str, str], tuple[tuple[str, ...] | None, ...]] = "
        + _render_subjects(model),
    )


def _rule(values: Mapping[str, Any]) -> str:
    """Render a rule: its name, then only what differs from the defaults."""
    uri = values["securityURI"]
    patterns = {argument: uri["header"].get(member, "*") for member, argument in HEADER_PATTERNS.items()}
    patterns |= {argument: uri["body"].get(member, "*") for member, argument in BODY_PATTERNS.items()}
    said = {argument: code(pattern) for argument, pattern in patterns.items() if pattern != "*"}
    priority, hidden = values["priority"], values["hiddenFields"]
    return call(
        "Rule",
        name=code(values["name"]),
        description=_text(values.get("description")),
        **said,
        allows=None if values["effect"] == "ALLOW" else "False",
        priority=None if priority == _DEFAULT_PRIORITY else code(priority),
        is_final="True" if values["finalRule"] else None,
        filter=_text(values.get("filter")),
        hidden=code(frozenset(hidden)) if hidden else None,
    )


def _text(value: str | None) -> str | None:
    return code(value) if value else None


def _render_subjects(model: Model) -> str:
    """Render (area, functional domain, action) → the roles of each endpoint there, None for a public one."""
    found: dict[tuple[str, str, str], set[tuple[str, ...]]] = {}
    public: set[tuple[str, str, str]] = set()
    for tool in (tool for tool in model.tools if tool.does == "remote"):
        found.setdefault((tool.area, tool.target.partition("/")[0], "CALL"), set()).add(())
    for one in (one for one in model.endpoints if not one.records_decide):
        subject = (one.area, one.domain, one.action)
        roles = found.setdefault(subject, set())
        if one.public:
            public.add(subject)
        else:
            roles.add(tuple(sorted(one.roles)))
    return code(
        {
            subject: (*sorted(roles), *((None,) if subject in public else ()))
            for subject, roles in sorted(found.items())
        }
    )
