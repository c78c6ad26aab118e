"""Idempotency keys and dry runs: how many times a request takes effect."""

from dataclasses import replace
from hashlib import sha256
from typing import Any, Final, NamedTuple

from fastapi import Request

from runtime.call import Call
from runtime.errors import InvalidParameter
from runtime.http.facts import Function
from runtime.http.fingerprint import HashedFile
from runtime.http.problem_response import problem_answer
from runtime.records.document.terms import Terms
from runtime.records.effects.idempotency import run_once
from runtime.storage.wire import Json, to_json

_CONDITIONS: Final = {b"if-match": ("If-Match", "expected"), b"if-none-match": ("If-None-Match", "unless")}
"""The header of a condition → its name, and the member of ``Terms`` that has it where it is read."""


class Arguments(NamedTuple):
    """The names of a route's arguments that decide how it is run, and of the headers that it reads itself."""

    call: str
    terms: str | None = None
    upload: str | None = None
    headers: tuple[str, ...] = ()


async def run_endpoint(
    function: Function, named: Arguments, request: Request, arguments: dict[str, Any], body: bytes
) -> Json[Any]:
    """Call a route under the terms among its arguments.

    Raises what ``run_once`` raises, and ``InvalidParameter`` for a condition that the route does not read.
    """
    terms: Terms | None = arguments[named.terms] if named.terms else None
    if terms is not None:
        _refuse_unread(request, terms, named.headers)
    if terms is None or terms.is_dry_run or terms.key is None:
        answer: Json[Any] = await function(**arguments)
        is_dry = terms is not None and terms.is_dry_run
        return replace(answer, headers={**answer.headers, "Dry-Run": "true"}) if is_dry else answer
    call: Call = arguments[named.call]
    file: HashedFile | None = None
    if named.upload:
        file = arguments[named.upload] = HashedFile(arguments[named.upload])
    return await run_once(
        call,
        terms.key,
        _digest(request, terms, body, _list_more(request, call, named)),
        lambda inner: function(**{**arguments, named.call: inner}),
        lambda error: problem_answer(error, request.scope["path"], call.request_id),
        file,
    )


def _refuse_unread(request: Request, terms: Terms, headers: tuple[str, ...]) -> None:
    """Refuse a condition that nobody reads: the write would go on whatever version is stored."""
    for sent, _value in request.scope["headers"]:
        if sent in _CONDITIONS:
            name, member = _CONDITIONS[sent]
            if getattr(terms, member) is None and name.lower() not in map(str.lower, headers):
                raise InvalidParameter(f"this request takes no {name}: leave it out", parameter=name)


def _list_more(request: Request, call: Call, named: Arguments) -> list[Any]:
    """List what few requests have: their agent, which may not use every tool, and headers of the route."""
    read = [[name, request.headers[name]] for name in named.headers if name in request.headers]
    return [*(() if call.agent is None else (call.agent,)), *((read,) if read else ())]


def _digest(request: Request, terms: Terms, body: bytes, more: list[Any]) -> str:
    """Hash everything that determines the effect of the request."""
    scope = request.scope
    parts = [
        scope["method"],
        scope["path"],
        scope["query_string"].decode("latin-1"),
        terms.expected,
        *(() if terms.unless is None else ("unless", terms.unless)),
        terms.is_minimal,
        sha256(body).hexdigest(),
        *more,
    ]
    return sha256(to_json(parts)).hexdigest()
