"""Who is calling: token and headers → ``Call``. ``Calling`` needs a token, ``Anonymous`` none.

These are FastAPI dependencies, so that the document and a reader see them; ``runtime.http.handler`` runs
the same functions without FastAPI's own solving, which costs a third of a small read.
"""

import sys
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any

from fastapi import Depends, Header, Request
from fastapi.security import HTTPBearer

from runtime.access.guard import open_anonymous_call, open_call, require_caller
from runtime.call import Call, Service
from runtime.contract.headers import read_bearer
from runtime.errors import Denied, InvalidParameter, Unauthenticated
from runtime.http.acting import find_target, on_behalf_of, read_name, read_named_users
from runtime.principal import Identity, OnBehalfOf, Principal
from runtime.seams import UserKey

IsAbandoned = Callable[[], Awaitable[bool]]

_CALL = "recordsmith.call"
_REFUSED = "recordsmith.refused"

LIMITS = "recordsmith.limits"
"""The member of the scope with the headers of the limits that a request was counted against."""

_bearer = HTTPBearer(auto_error=False, bearerFormat="JWT", scheme_name="bearerAuth")


@dataclass(frozen=True, slots=True)
class Opening:
    """All that the rights of a call follow from; called, it opens the call again.

    Two are equal if the rights of their calls are the same at any time: ``events.rights`` looks at them once.
    """

    service: Service = field(compare=False, repr=False)
    request_id: str = field(compare=False)
    address: str = field(compare=False)
    token: str | None = field(repr=False)
    realm: str | None
    area: str
    target: UserKey | None = None
    on_behalf_of: OnBehalfOf | None = None
    audience: str | None = None

    async def __call__(self, realm_header: str | None = None, /, *, is_late: bool = False) -> Call:
        realm = self.realm if realm_header is None else realm_header
        return await self.open(realm, is_again=True, is_late=is_late)

    async def open(
        self,
        realm: str | None,
        *,
        is_again: bool = False,
        is_late: bool = False,
        is_abandoned: IsAbandoned | None = None,
    ) -> Call:
        """Open the call in a realm. Raises ``Unauthenticated`` or ``Denied``."""
        return await open_call(
            self.service,
            self.token,
            realm,
            self.request_id,
            self.area,
            self.address,
            target=self.target,
            on_behalf_of=self.on_behalf_of,
            is_again=is_again,
            is_late=is_late,
            audience=self.audience,
            open_again=None if is_again else self,
            is_abandoned=is_abandoned,
        )


async def open_request_call(
    request: Request,
    _token: Annotated[Any, Depends(_bearer)] = None,
    _realm: Annotated[str | None, Header(alias="X-Realm")] = None,
    _as_subject: Annotated[str | None, Header(alias="X-Impersonate-Subject")] = None,
    _as_user_id: Annotated[str | None, Header(alias="X-Impersonate-UserId")] = None,
    _for_subject: Annotated[str | None, Header(alias="X-Acting-On-Behalf-Of-Subject")] = None,
    _for_user_id: Annotated[str | None, Header(alias="X-Acting-On-Behalf-Of-UserId")] = None,
) -> Call:
    """Open the call of a request with a valid token. Raises ``Unauthenticated`` or ``Denied``."""
    return await _open_call(request, getattr(request.scope.get("route"), "area", ""))


async def _open_call(request: Request, area: str, audience: str | None = None) -> Call:
    service, token = service_of(request), bearer_token(request)
    try:
        named = read_named_users(request.scope["headers"])
        realm, target = single_header(request, "x-realm"), find_target(named)
    except InvalidParameter:
        sender = await require_caller(service, token, audience)
        await _count_request(service, request, sender)  # 401 and 429 come first
        raise
    opening = Opening(
        service,
        request_id(request),
        client_address(request),
        token=token,
        realm=realm,
        area=area,
        target=target,
        on_behalf_of=on_behalf_of(named),
        audience=audience,
    )
    try:
        call = await opening.open(realm, is_abandoned=request.is_disconnected)
    except Denied as error:
        if isinstance(error.decided, Identity):
            request.scope[_REFUSED] = error.decided
            await _count_request(service, request, error.decided)
        raise
    await _count_request(service, request, call.principal.impersonator or call.principal)
    request.scope[_CALL] = call
    return call


async def _count_request(service: Service, request: Request, sender: Identity | Principal) -> None:
    """Count the request of its sender, as whomever it acts. Raises ``QuotaExceeded``."""
    if (quotas := service.quotas) is not None:
        limits = await quotas.count(sender.subject, sender.domain)
        request.scope[LIMITS] = [(name.lower().encode(), value.encode()) for name, value in limits.items()]


async def open_agent_call(
    request: Request,
    _call: Annotated[Any, Depends(open_request_call)] = None,
    _agent: Annotated[str | None, Header(alias="X-Agent")] = None,
) -> Call:
    """Open the call of a request that may name an agent, which is looked up where its tools are used."""
    agent = _read_agent(request)
    call = await open_request_call(request)
    return call if agent is None else replace(call, agent=agent)


async def open_door_call(request: Request, area: str, audience: str) -> Call:
    """Open the call of a request at a door of another protocol; it may name an agent.

    ``area``: the functional area of the door; ``audience``: the one that tokens must be for. Raises
    ``Unauthenticated``, ``Denied`` and ``InvalidParameter``.
    """
    call = await _open_call(request, area, audience)
    return replace(call, agent=_read_agent(request))


def _read_agent(request: Request) -> str | None:
    sent = single_header(request, "x-agent")
    return None if sent is None else read_name("X-Agent", sent.encode("latin-1").strip())


async def open_public_call(request: Request) -> Call:
    """Open the call of a public route: unauthenticated, in the default realm."""
    call = open_anonymous_call(service_of(request), request_id(request), client_address(request))
    request.scope[_CALL] = call
    return call


def opened_call(request: Request) -> Call | None:
    """Return the call that was opened for a request; None if the request did not get that far."""
    call: Call | None = request.scope.get(_CALL)
    return call


def was_opened(scope: Mapping[str, Any]) -> bool:
    """Whether a request has a call, or was refused to a caller who is known."""
    return _CALL in scope or _REFUSED in scope


def caller_of(scope: Mapping[str, Any]) -> dict[str, str]:
    """Return the caller as members of the request's log line; empty for an unauthenticated one.

    While acting as another user ``subject`` is the target, and ``by_subject`` the actor.
    """
    call: Call | None = scope.get(_CALL)
    refused: Identity | None = scope.get(_REFUSED)
    if call is None or not call.principal.subject:
        return {} if refused is None else {"subject": refused.subject}
    acting = call.principal.impersonator
    return {"subject": call.principal.subject} | ({} if acting is None else {"by_subject": acting.subject})


def find_turn_key(scope: Mapping[str, Any]) -> str | None:
    """Return the key under which the call of a request waits for its turn; None without a call."""
    call: Call | None = scope.get(_CALL)
    return None if call is None else call.turn.key


def forget_call(scope: MutableMapping[str, Any]) -> None:
    """Forget the call of a request that is answered.

    It refers to the request, and so to itself: all that was read and sent would wait for the garbage
    collector, with that of a thousand other requests.
    """
    scope.pop(_CALL, None)


Calling = Annotated[Call, Depends(open_request_call)]
AgentCalling = Annotated[Call, Depends(open_agent_call)]
Anonymous = Annotated[Call, Depends(open_public_call)]


def service_of(request: Request) -> Service:
    """Return the service the application was built with."""
    service: Service = request.app.state.service
    return service


def request_id(request: Request) -> str:
    """Return the request id that the front accepted or generated."""
    return str(request.scope.get("request_id", ""))


def client_address(request: Request) -> str:
    """Return the caller's address: the peer, or the one a trusted proxy names (``client_address.py``)."""
    client: tuple[str, int] | None = request.scope.get("client")
    return client[0] if client else ""


def single_header(request: Request, name: str) -> str | None:
    """Return a header that may appear once; ``name`` in lower case, as ASGI has all names.

    Raises ``InvalidParameter`` for a repeated one.
    """
    wanted = name.encode()
    values = [value for raw_name, value in request.scope["headers"] if raw_name == wanted]
    if len(values) > 1:
        raise InvalidParameter(f"the header {name} came {len(values)} times; send it once", parameter=name)
    return values[0].decode("latin-1") if values else None


def bearer_token(request: Request) -> str | None:
    """Return the token of ``Authorization: Bearer …``; None without credentials (RFC 6750).

    Requests that last share it: a thousand streams of one token hold it once.
    """
    header = single_header(request, "authorization")
    if header is None:
        return None
    if (token := read_bearer(header)) is None:
        raise Unauthenticated("the Authorization header must be: Bearer <access token>")
    return sys.intern(token)
