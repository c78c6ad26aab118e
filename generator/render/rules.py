"""The context of ``rules.py``: permission rules, and what the endpoints are called in them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from generator.model import Model, Rule
from generator.render.module import HEADER, Imports, Module, call, code
from generator.render.record_types import code_tuple
from runtime.permissions.rule import BODY_PATTERNS, HEADER_PATTERNS

_DEFAULT_PRIORITY = 10


@dataclass(frozen=True, slots=True)
class RulesModule(Module):
    """The module of permission rules.

    ``rules`` is a tuple of ``Rule(…)``; ``subjects`` maps (area, functional domain, action) to the roles of
    each endpoint with that subject, None for a public one.
    """

    rules: str
    subjects: str


def build_rules_module(model: Model) -> RulesModule:
    """Build the module of the enabled rules, in evaluation order."""
    imports = Imports()
    imports.name("runtime.permissions", "Rule")
    walked = sorted(model.rules, key=lambda rule: (rule.values["priority"], rule.name))
    rules = [_rule(rule) for rule in walked if rule.values["enabled"]]
    doc = f'"""The permission rules of the specifications, in force in every realm. {HEADER}"""'
    return RulesModule(doc, imports.lines, code_tuple(rules), _render_subjects(model))


def _rule(rule: Rule) -> str:
    """Render a rule: its name, then only what differs from the defaults."""
    values: Mapping[str, Any] = rule.values
    uri = values["securityURI"]
    patterns = {argument: uri["header"].get(member, "*") for member, argument in HEADER_PATTERNS.items()}
    patterns |= {argument: uri["body"].get(member, "*") for member, argument in BODY_PATTERNS.items()}
    said = {argument: code(pattern) for argument, pattern in patterns.items() if pattern != "*"}
    priority, hidden = values["priority"], values["hiddenFields"]
    return call(
        "Rule",
        name=code(rule.name),
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
