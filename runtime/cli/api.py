"""A caller of the public API, for commands: signs in, keeps its token fresh, waits when asked to.

Bounded patience: a request is tried again when the service is busy (429, 503) or the connection broke, at
most 8 times, waiting as ``Retry-After`` says or ever longer. What the service refuses is ``Refused``.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Generic, TypeVar

import httpx2
import orjson

from runtime.cli.content import Content, encode_json
from runtime.cli.output import CommandFailed, ExitCode, open_error_output
from runtime.model.mappings import without_nones

T = TypeVar("T")
_MOST_TRIES = 8
_LONGEST_WAIT = 30.0
_LONG_WAIT = 1.0
_BUSY = (429, 502, 503, 504)


class Refused(CommandFailed):
    """The service's own answer: ``status``, and the code and detail of its problem body."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(code, message)
        self.status = status


class Unreachable(CommandFailed):
    """No answer in all the tries; what was sent may have had its effect."""


@dataclass(frozen=True, slots=True)
class SignIn:
    """Credentials for tokens: user and password, or a ready access token."""

    user: str | None = None
    password: str | None = None
    token: str | None = None
    realm: str | None = None


@dataclass(frozen=True, slots=True)
class Answer(Generic[T]):
    """A successful answer. ``repeated``: an earlier try may have had its effect already."""

    body: T
    repeated: bool


Take = Callable[[httpx2.Response], Awaitable[T]]
"""Reads a successful answer as it arrives; called again when the connection breaks."""


class Api:
    """A client of the API, used as an asynchronous context; ``sleep`` is a seam of the tests."""

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
        """Return the body of a read."""
        return await self.take(path, _read_json, parameters)

    async def take(
        self,
        path: str,
        take: Take[T],
        parameters: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> T:
        """Return what ``take`` makes of a read."""
        return (await self._sign(_Request("GET", path, parameters, headers=headers), take)).body

    async def post(
        self, path: str, content: Content | None = None, parameters: Mapping[str, str] | None = None
    ) -> Answer[Any]:
        """Return the answer to a write."""
        return await self._sign(_Request("POST", path, parameters, content), _read_json)

    async def delete(self, path: str) -> None:
        """Send a DELETE request, and ignore what the answer holds."""
        await self._sign(_Request("DELETE", path), _read_json)

    async def _sign(self, request: _Request, take: Take[T]) -> Answer[T]:
        """Send a request with a token, and once more with a new one if it has expired."""
        used = self._access or await self._renew(None)
        try:
            return await self._send_patiently(request, take, used)
        except Refused as refusal:
            if refusal.status != 401 or self._sign_in.user is None:
                raise
        return await self._send_patiently(request, take, await self._renew(used))

    async def _renew(self, used: str | None) -> str | None:
        """Return a token other than the refused one; requests in flight share one renewal."""
        async with self._signing_in:
            if self._access != used or self._sign_in.user is None:
                return self._access
            try:
                answer = await self._refresh_tokens() if self._refresh else await self._log_in()
            except Refused:
                answer = await self._log_in()
            self._access, self._refresh = answer["accessToken"], answer.get("refreshToken")
            return self._access

    async def _log_in(self) -> Any:
        body = {
            "userId": self._sign_in.user,
            "password": self._sign_in.password,
            "realm": self._sign_in.realm,
        }
        members = without_nones(body)
        return await self._request_tokens("/security/login", members)

    async def _refresh_tokens(self) -> Any:
        return await self._request_tokens("/security/refresh", {"refreshToken": self._refresh})

    async def _request_tokens(self, path: str, body: Any) -> Any:
        return (
            await self._send_patiently(_Request("POST", path, content=encode_json(body)), _read_json)
        ).body

    async def _send_patiently(self, request: _Request, take: Take[T], token: str | None = None) -> Answer[T]:
        headers = self._headers(request, token)
        complaint = ""
        for tried in range(_MOST_TRIES):
            pause = min(0.25 * 2**tried, _LONGEST_WAIT)
            try:
                async with self._http.stream(
                    request.method,
                    request.path,
                    headers=headers,
                    content=request.pieces(),
                    params=request.parameters,
                ) as answer:
                    if answer.status_code not in _BUSY:
                        return Answer(await _take_answer(answer, take), repeated=tried > 0)
                    complaint = f"it answered {answer.status_code}"
                    requested = _retry_after(answer)
                    pause = pause if requested is None else requested
            except httpx2.TransportError as error:
                complaint = str(error) or type(error).__name__
            if tried + 1 < _MOST_TRIES:
                await self._wait(pause, complaint)
        message = f"{self._url} cannot be reached after {_MOST_TRIES} tries: {complaint}"
        raise Unreachable("service.unreachable", message, ExitCode.UNREACHABLE)

    async def _wait(self, pause: float, complaint: str) -> None:
        """Wait before the next try; report a wait that somebody would notice."""
        if pause >= _LONG_WAIT:
            open_error_output().print(f"{self._url}: {complaint}; trying again in {pause:g} s")
        await self._sleep(pause)

    def _headers(self, request: _Request, token: str | None) -> dict[str, str]:
        headers = dict(request.headers or {}) | ({"Authorization": f"Bearer {token}"} if token else {})
        if request.content is not None:
            headers["Content-Type"] = request.content.media_type
            headers["Content-Length"] = str(request.content.length)
        if token and self._sign_in.realm:
            headers["X-Realm"] = self._sign_in.realm
        return headers


@dataclass(frozen=True, slots=True)
class _Request:
    method: str
    path: str
    parameters: Mapping[str, str] | None = None
    content: Content | None = None
    headers: Mapping[str, str] | None = None

    def pieces(self) -> AsyncIterator[bytes] | None:
        """Return the content, for one try."""
        return None if self.content is None else _iterate_async(self.content.pieces())


async def _iterate_async(pieces: Iterator[bytes]) -> AsyncIterator[bytes]:
    for piece in pieces:
        yield piece


async def _take_answer(answer: httpx2.Response, take: Take[T]) -> T:
    if answer.is_success:
        return await take(answer)
    body = await _read_json(answer)
    problem = body if isinstance(body, dict) else {}
    detail = problem.get("detail") or problem.get("message") or _line(answer)
    raise Refused(
        answer.status_code,
        str(problem.get("code", f"http.{answer.status_code}")),
        str(detail or f"the service answered {answer.status_code}"),
    )


async def _read_json(answer: httpx2.Response) -> Any:
    """Parse the body as JSON; None for an empty one."""
    text = await answer.aread()
    try:
        return orjson.loads(text) if text else None
    except orjson.JSONDecodeError:
        return None


def _line(answer: httpx2.Response) -> str:
    """Return the refusal of a CSV route, which is one line of text."""
    is_text = answer.headers.get("content-type", "").startswith("text/plain")
    return answer.text.strip() if is_text else ""


def _retry_after(answer: httpx2.Response) -> float | None:
    """Return the requested wait in seconds; None for a date, where our own wait will do."""
    text = answer.headers.get("retry-after", "")
    return min(float(text), _LONGEST_WAIT) if text.isdecimal() else None
