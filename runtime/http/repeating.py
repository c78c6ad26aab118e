"""Idempotency keys and dry runs: how many times a request takes effect."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from hashlib import sha256
from typing import Any

from fastapi import Request

from runtime.call import Call
from runtime.http.fingerprint import HashedFile
from runtime.http.problem_response import problem_answer
from runtime.records.document.terms import Terms
from runtime.records.effects.idempotency import run_once
from runtime.storage.wire import Json, to_json

Endpoint = Callable[..., Awaitable[Json[Any]]]


async def run_endpoint(
    request: Request, endpoint: Endpoint, arguments: dict[str, Any], body: bytes
) -> Json[Any]:
    """Call a route under the terms among its arguments. Raises what ``run_once`` raises."""
    terms = next((value for value in arguments.values() if isinstance(value, Terms)), None)
    if terms is None:
        return await endpoint(**arguments)
    if terms.is_dry_run:
        answer = await endpoint(**arguments)
        return replace(answer, headers={**answer.headers, "Dry-Run": "true"})
    if terms.key is None:
        return await endpoint(**arguments)
    name, call = next((name, value) for name, value in arguments.items() if isinstance(value, Call))
    file = _hash_file(arguments)
    return await run_once(
        call,
        terms.key,
        _digest(request, terms, body),
        lambda inner: endpoint(**{**arguments, name: inner}),
        lambda error: problem_answer(error, request.scope["path"], call.request_id),
        file,
    )


def _hash_file(arguments: dict[str, Any]) -> HashedFile | None:
    """Have the uploaded file hashed while it is read, where there is one."""
    for name, value in arguments.items():
        if isinstance(value, AsyncIterator):
            file = arguments[name] = HashedFile(value)
            return file
    return None


def _digest(request: Request, terms: Terms, body: bytes) -> str:
    """Hash everything that determines the effect of the request."""
    scope = request.scope
    asked = [
        scope["method"],
        scope["path"],
        scope["query_string"].decode("latin-1"),
        terms.expected,
        terms.is_minimal,
        sha256(body).hexdigest(),
    ]
    return sha256(to_json(asked)).hexdigest()
