"""``/ready`` and ``/metrics``: what balancers and operators ask, and who sees the reasons."""

import asyncio
import hmac
import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final

from fastapi import Request, Response

from runtime.access.guard import require_caller
from runtime.call import Service
from runtime.errors import (
    AccessError,
    InvalidParameter,
    NotFound,
    NotReady,
    ServerFault,
    ServiceError,
    StoreUnavailable,
)
from runtime.http.calling import bearer_token, request_id, service_of
from runtime.http.front import PLANNED
from runtime.http.parameters import refuse_parameters
from runtime.http.probe import Probe
from runtime.http.problem_response import problem_answer
from runtime.observe import render_metrics
from runtime.principal import ADMINISTRATORS
from runtime.storage.wire import to_json

_NO_STORE: Final = {"Cache-Control": "no-store"}


class Readiness:
    """``/ready`` of one application. Who asks at the same moment shares what is found of its service."""

    def __init__(self) -> None:
        self._service: Service | None = None
        self._probe: Probe | None = None

    async def report(self, request: Request) -> Response:
        """Check that the service can do its work.

        Otherwise the answer is 503, so that a balancer sends callers elsewhere. Administrators and holders of
        the metrics token see the reasons, and what is unusual about a worker that is ready: that its change
        stream is down (what it caches still expires within seconds), or that its specifications are ahead of
        the stored records (which it reads in either shape).
        """
        service = service_of(request)
        faults, is_insider = await asyncio.gather(
            self._find_faults(service), _check_insider(request, service)
        )  # each waits as long as the store may take
        ending: list[ServiceError] = (
            [NotReady("this worker is about to end")] if service.draining.is_on else []
        )
        if faults:
            raise _render_for(is_insider, [*faults, *ending])
        if ending:
            request.scope[PLANNED] = True
            error = _render_for(is_insider, ending)
            answer = problem_answer(error, request.scope["path"], request_id(request))
            return Response(answer.body, answer.status, dict(answer.headers))
        state = _describe_state(service) if is_insider else {}
        return Response(to_json({"status": "ready", **state}), 200, _NO_STORE, "application/json")

    async def _find_faults(self, service: Service) -> list[ServiceError]:
        if self._probe is None or service is not self._service:
            self._service, self._probe = service, Probe(partial(_find_faults, service), time.monotonic)
        return await self._probe.find_faults()


def _describe_state(service: Service) -> dict[str, object]:
    """Return what operators of a worker that serves want to know."""
    state: dict[str, object] = {"changeStream": service.watcher is not None and service.watcher.is_alive}
    if service.migrations is not None and (due := service.migrations.due):
        state["migrationsDue"] = due
    return state


async def _find_faults(service: Service) -> list[ServiceError]:
    """Find why the service is not ready; what depends on the store is not looked at without it."""
    checks: list[Callable[[], Awaitable[None]]] = [service.store.ping]
    if service.unique_indexes is not None:
        checks.append(service.unique_indexes.require_everywhere)
    faults: list[ServiceError] = []
    for check in checks:
        try:
            await check()
        except StoreUnavailable as error:
            return [*faults, error]
        except ServiceError as error:
            faults.append(error)
    return faults


def _render_for(is_insider: bool, faults: list[ServiceError]) -> ServiceError:
    """Return the error to answer with: its reasons are for those who can do something about them.

    The log, which is for operators, has the first one either way.
    """
    first = faults[0]
    is_shown = first.status == NotReady.status and (is_insider or isinstance(first, StoreUnavailable))
    error = first if is_shown else NotReady("the service is not ready", cause=first)
    if is_insider:
        error.details["reasons"] = [{"code": fault.code, "message": fault.message} for fault in faults]
    return error


async def _check_insider(request: Request, service: Service) -> bool:
    """Return whether the caller may see the reasons: not while the service cannot look who it is."""
    try:
        token = bearer_token(request)
        if token is None:
            return False
        if _is_metrics_token(service, token):
            return True
        caller = await require_caller(service, token)
    except (AccessError, InvalidParameter, ServerFault):
        return False
    return not caller.roles.isdisjoint(ADMINISTRATORS)


async def report_metrics(request: Request) -> Response:
    """Send the metrics of all workers to holders of the metrics token; for others there is nothing here."""
    service = service_of(request)
    try:
        token = bearer_token(request)
    except (AccessError, InvalidParameter):
        token = None
    if service.meters is None or token is None or not _is_metrics_token(service, token):
        raise NotFound("there is nothing at this path")
    refuse_parameters(request)
    service.meters.flush()
    accept = request.headers.get("accept", "")
    body, media_type = await asyncio.to_thread(render_metrics, service.meters.registry, accept)
    return Response(body, 200, {**_NO_STORE, "Content-Type": media_type})


def _is_metrics_token(service: Service, token: str) -> bool:
    known = service.settings.metrics_token
    return known is not None and hmac.compare_digest(known.get_secret_value().encode(), token.encode())
