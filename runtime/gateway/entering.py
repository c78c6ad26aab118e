"""Before an operation of the gateway runs: whether records are embedded, and how many may be found."""

from runtime.agents import find_tenant_rule
from runtime.call import Call
from runtime.errors import ExecutionDisabled


def cap_limit(call: Call, limit: int | None) -> int | None:
    """Return how many records a find or export may return at most: as requested, or what the realm allows."""
    most = find_tenant_rule(call.service.settings, call.realm).max_find_limit
    if most is None:
        return limit
    return min(limit or min(call.service.settings.page_size, most), most)


def require_execution(call: Call) -> None:
    """Raise ``ExecutionDisabled`` where the operator has not switched embedding on."""
    if not call.service.settings.gateway_executes:
        raise ExecutionDisabled(
            "the query is valid; executing expand(…) needs the setting feature.queryGateway.execution.enabled"
        )
