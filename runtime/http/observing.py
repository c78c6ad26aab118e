"""What the front tells the observer of a request: only what callers cannot choose."""

from typing import Final

from starlette.routing import Match, Route
from starlette.types import Scope

from runtime.http.calling import was_opened
from runtime.http.client_address import TrustedProxies
from runtime.http.route import RecordRoute
from runtime.observe import METHODS, OTHER, Observer, Trace

_STRANGER: Final = "unauthenticated"


class Watching:
    """Watches the requests of an application."""

    def __init__(self, observer: Observer, proxies: TrustedProxies) -> None:
        self._meters, self._tracer = observer.meters, observer.tracer
        self._proxies = proxies

    def begin(self, scope: Scope) -> Trace | None:
        """Begin the trace of a request, if it is traced; its client is still the peer."""
        if self._tracer is None:
            return None
        peer = scope["client"]
        is_trusted = bool(peer and self._proxies) and self._proxies.trusts(peer[0])
        return self._tracer.begin(scope["headers"], is_trusted=is_trusted)

    def end(
        self, scope: Scope, method: str, status: int, seconds: float, trace: Trace | None
    ) -> dict[str, str]:
        """Count a request that was answered, and end its trace; return what the log says of it."""
        route, method = name_route(scope), method if method in METHODS else OTHER
        if self._meters is not None:
            self._meters.count_request(method, route, status, seconds)
        if trace is None or self._tracer is None:
            return {}
        self._tracer.end(trace, route, method, status, scope["request_id"])
        return {"trace_id": trace.id}


def name_route(scope: Scope) -> str:
    """Return the template of the route, as far as the caller may have it counted.

    A caller without a token has all refusals counted as one: else it could begin a series for each route.
    """
    route = scope.get("route")
    if isinstance(route, RecordRoute):
        return route.path if was_opened(scope) else _STRANGER
    pages = (one for one in scope["app"].routes if isinstance(one, Route))
    return next((one.path for one in pages if one.matches(scope)[0] is not Match.NONE), OTHER)
