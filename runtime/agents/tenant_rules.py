"""The settings of an operator for the tools in a realm: ``service.agent.tenant.<realm>.*``.

A variable of the environment cannot tell ``my_realm`` from ``my-realm``, so what is set for the one with a
dash is in force in both: nobody is left without a limit because of how it was written.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from runtime.errors import Misconfigured
from runtime.model.nearest import hint
from runtime.settings import AGENT_TENANT, Settings, split_items


@dataclass(frozen=True, slots=True)
class TenantRule:
    """``enabled_tools``: None for all. ``max_find_limit``: most records of one find or export."""

    run_as: str | None = None
    enabled_tools: frozenset[str] | None = None
    max_find_limit: int | None = None


_UNLIMITED = TenantRule()


def find_tenant_rule(settings: Settings, realm: str) -> TenantRule:
    """Return what is in force in a realm."""
    groups = settings.agent_tenants
    if not groups:
        return _UNLIMITED
    return _read(realm, {**groups.get(realm.replace("_", "-"), {}), **groups.get(realm, {})})


def check_tenant_rules(settings: Settings, tools: Collection[str]) -> None:
    """Raise ``Misconfigured`` for a limit that is not a number, or a tool that the service does not have."""
    for realm in settings.agent_tenants:
        for name in sorted(find_tenant_rule(settings, realm).enabled_tools or ()):
            if name not in tools:
                setting = f"{AGENT_TENANT.prefix}{realm}.enabledTools"
                raise Misconfigured(f"{setting} names {name[:64]}, which is not a tool{hint(name, tools)}")


def list_useless_rules(settings: Settings, realms: Collection[str]) -> list[str]:
    """Describe the settings that are about none of the realms, each with the realm that may be meant."""
    named = {*realms, *(one.replace("_", "-") for one in realms)}
    return [
        f"{AGENT_TENANT.prefix}{name}.*: no realm is called {name}{hint(name, realms)}"
        for name in settings.agent_tenants
        if name not in named
    ]


def _read(realm: str, group: Mapping[str, object]) -> TenantRule:
    tools = split_items(str(group.get("enabledTools", "")))
    limit = str(group.get("maxFindLimit", ""))
    if limit and not (limit.isascii() and limit.isdigit() and 0 < len(limit) < 10 and int(limit) > 0):
        name = f"{AGENT_TENANT.prefix}{realm}.maxFindLimit"
        raise Misconfigured(f"{name} is {limit[:40]}: write a whole number above 0")
    user_id = str(group.get("runAsUserId", "")).strip()
    return TenantRule(user_id or None, frozenset(tools) or None, int(limit) if limit else None)
