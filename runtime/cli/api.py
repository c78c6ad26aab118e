"""A caller of the public API, for commands: signs in, keeps its token fresh, waits when told to.

Bounded patience: a request is tried again when the service is busy (429, 503) or the connection broke, at
most 8 times, waiting as ``Retry-After`` says or ever longer. What the service refuses is ``Refused``.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any

import httpx2
import orjson

from runtime.cli.output import CommandFailed, Outcome

_MOST_TRIES = 8
_LONGEST_WAIT = 30.0
_BUSY = (429, 502, 503, 504)


class Refused(CommandFailed):
    """The service's own answer: ``status``, and the code and detail of its problem body."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(code, message)
        self.status = status


@dataclass(frozen=True, slots=True)
class SignIn:
    """How to get tokens: user and password, or a ready access token."""

    user: str | None = None
    password: str | None = None
    token: str | None = None
    realm: str | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """A successful answer. ``repeated``: an earlier try may have had its effect already."""

    body: Any
    repeated: bool


class Api:
    """Used as an asynchronous context; ``sleep`` is a seam of the tests."""

    def __init__(
        self, url: str, sign_in: SignIn, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    ) -> None:
        self._http = httpx2.AsyncClient(base_url=url.rstrip("/"), timeout=httpx2.Timeout(60, connect=10))
        self._url = url
        self._sign_in = sign_in
        self._sleep = sleep
        self._access = sign_in.token
        self._refresh: str | None = None
        self._signing_in = asyncio.Lock()

    async def __aenter__(self) -> Api:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._http.aclose()

    async def get(self, path: str, parameters: Mapping[str, str] | None = None) -> Any:
        """The body of a read."""
        return (await self._signed("GET", path, parameters=parameters)).body

    async def post(self, path: str, body: Any) -> Answer:
        """The answer to a write."""
        return await self._signed("POST", path, content=orjson.dumps(body))

    async def _signed(self, method: str, path: str, **sent: Any) -> Answer:
        """With a token; with a new one when the old one has expired meanwhile."""
        used = self._access or await self._renewed(None)
        try:
            return await self._patient(method, path, token=used, **sent)
        except Refused as refusal:
            if refusal.status != 401 or self._sign_in.user is None:
                raise
        return await self._patient(method, path, token=await self._renewed(used), **sent)

    async def _renewed(self, used: str | None) -> str | None:
        """A token other than the one that was refused; requests in flight share one renewal."""
        async with self._signing_in:
            if self._access != used or self._sign_in.user is None:
                return self._access
            try:
                answer = await self._refreshed() if self._refresh else await self._logged_in()
            except Refused:
                answer = await self._logged_in()
            self._access, self._refresh = answer["accessToken"], answer.get("refreshToken")
            return self._access

    async def _logged_in(self) -> Any:
        body = {
            "userId": self._sign_in.user,
            "password": self._sign_in.password,
            "realm": self._sign_in.realm,
        }
        given = {name: value for name, value in body.items() if value is not None}
        return (await self._patient("POST", "/security/login", content=orjson.dumps(given))).body

    async def _refreshed(self) -> Any:
        content = orjson.dumps({"refreshToken": self._refresh})
        return (await self._patient("POST", "/security/refresh", content=content)).body

    async def _patient(
        self,
        method: str,
        path: str,
        *,
        token: str | None = None,
        content: bytes | None = None,
        parameters: Mapping[str, str] | None = None,
    ) -> Answer:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        if content is not None:
            headers["Content-Type"] = "application/json"
        if token and self._sign_in.realm:
            headers["X-Realm"] = self._sign_in.realm
        complaint = ""
        for tried in range(_MOST_TRIES):
            pause = min(0.25 * 2**tried, _LONGEST_WAIT)
            try:
                answer = await self._http.request(
                    method, path, headers=headers, content=content, params=parameters
                )
            except httpx2.TransportError as error:
                complaint = str(error) or type(error).__name__
            else:
                if answer.status_code not in _BUSY:
                    return Answer(_body(answer), repeated=tried > 0)
                complaint = f"it answered {answer.status_code}"
                told = _retry_after(answer)
                pause = pause if told is None else told
            if tried + 1 < _MOST_TRIES:
                await self._sleep(pause)
        message = f"{self._url} cannot be reached after {_MOST_TRIES} tries: {complaint}"
        raise CommandFailed("service.unreachable", message, Outcome.UNREACHABLE)


def _body(answer: httpx2.Response) -> Any:
    try:
        body = orjson.loads(answer.content) if answer.content else None
    except orjson.JSONDecodeError:
        body = None
    if answer.is_success:
        return body
    problem = body if isinstance(body, dict) else {}
    detail = problem.get("detail") or problem.get("message") or f"the service answered {answer.status_code}"
    raise Refused(answer.status_code, str(problem.get("code", f"http.{answer.status_code}")), str(detail))


def _retry_after(answer: httpx2.Response) -> float | None:
    """Seconds; a date there is not worth reading, our own wait will do."""
    text = answer.headers.get("retry-after", "")
    return min(float(text), _LONGEST_WAIT) if text.isdecimal() else None
