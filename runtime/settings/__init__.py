"""The settings of a service: what there is to set, and what is set."""

from runtime.settings.checks import split_items
from runtime.settings.effective import Settings
from runtime.settings.families import AGENT_TENANT, FAMILIES, MCP_CLIENT, Family, Groups
from runtime.settings.misspelt import find_misspelt
from runtime.settings.refusals import describe_faults
from runtime.settings.service import Documentation
from runtime.settings.sources import environment_name

__all__ = [
    "AGENT_TENANT",
    "FAMILIES",
    "MCP_CLIENT",
    "Documentation",
    "Family",
    "Groups",
    "Settings",
    "describe_faults",
    "environment_name",
    "find_misspelt",
    "split_items",
]
