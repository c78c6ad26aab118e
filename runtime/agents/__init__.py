"""Agents: their configuration, and what narrows or lends the rights with which tools run."""

from runtime.agents.enabled import find_enabled_tools
from runtime.agents.run_as import act_as_configured, list_unresolved_users
from runtime.agents.tenant_rules import check_tenant_rules, find_tenant_rule, list_useless_rules

__all__ = [
    "act_as_configured", "check_tenant_rules", "find_enabled_tools", "find_tenant_rule",
    "list_unresolved_users", "list_useless_rules",
]  # fmt: skip
