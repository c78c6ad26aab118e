"""Which tools a call may use: those of its realm, and of the agent that it names.

An agent narrows and never widens, so any caller of its organisation may name it, without a permission on
agents. One that is unknown, archived or inactive has no tools.
"""

from collections.abc import Collection

from runtime.agents.tenant_rules import find_tenant_rule
from runtime.call import Call
from runtime.errors import Denied
from runtime.filter import equals, in_tenant
from runtime.storage.access import Action
from runtime.storage.as_service import as_service
from runtime.system.record_types import AGENT


async def find_enabled_tools(call: Call) -> Collection[str] | None:
    """Return the names of the tools that the call may use; None for all. Raises ``Denied``."""
    of_realm = find_tenant_rule(call.service.settings, call.realm).enabled_tools
    of_agent = None if call.agent is None else await _find_tools_of(call, call.agent)
    if of_realm is None or of_agent is None:
        return of_agent if of_realm is None else of_realm
    return of_realm & of_agent


async def _find_tools_of(call: Call, ref_name: str) -> frozenset[str] | None:
    """Return the tools of an agent; None for one that names none, and may use all."""
    domain = call.principal.scope_on(AGENT.area, is_read=True)
    access = as_service(AGENT, call.database, Action.VIEW, domain)
    found = await call.store.find_one(
        access, in_tenant(call.principal.domain.tenant_id) & equals(refName=ref_name)
    )
    if found is None or found.get("activeStatus", "ACTIVE") != "ACTIVE":
        raise Denied("the agent that X-Agent names does not exist, or is not active")
    tools = found.get("enabledTools")
    return None if tools is None else frozenset(tools)
