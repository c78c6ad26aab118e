"""A route whose signature says everything: ``runtime.http.handler`` compiles it.

``Json[X]`` in the return annotation is the response model X, ``Stream`` is a streamed response body.

The signatures are FastAPI's, but the routes are Starlette's: FastAPI would analyse each signature again for a
handler and a document that nothing uses, which took half of a start, and again on the first request that
no route matches. ``tests/contract`` has it read them, and compares the result with the published document.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from enum import Enum
from typing import Any, TypeVar
from urllib.parse import quote

from fastapi import APIRouter, Request, Response, params
from pydantic import BaseModel
from starlette.convertors import Convertor, register_url_convertor
from starlette.routing import Route

from runtime.http.handler import compile_handler
from runtime.http.streaming import render_errors_in_a_line
from runtime.model.record_type import RecordType
from runtime.storage.wire import Json, to_json

M = TypeVar("M", bound=BaseModel)


class _Anything(Convertor[str]):
    """A path parameter that may hold slashes and line breaks, which arrive decoded."""

    regex = "(?s:.*)"

    def convert(self, value: str) -> str:
        return value

    def to_string(self, value: str) -> str:
        return quote(value, safe="")


class _Session(_Anything):
    """An import session: any segment except the literal one that is a route of its own.

    The other methods of that literal route are refused (405).
    """

    regex = "(?!profile$)[^/]+"


register_url_convertor("anything", _Anything())
register_url_convertor("session", _Session())

_CONVERTED = {"{refName}": "{refName:anything}", "{sessionId}": "{sessionId:session}"}


class RecordRoute(Route):
    """One operation of a router: where it is offered, and the handler of its function."""

    def __init__(
        self,
        path: str,
        function: Callable[..., Awaitable[Any]],
        *,
        router: RecordRouter,
        methods: Iterable[str],
        name: str | None,
        operation_id: str | None,
        tags: Iterable[str | Enum],
    ) -> None:
        for parameter, converted in _CONVERTED.items():
            path = path.replace(parameter, converted)
        super().__init__(path, self.answer, methods=list(methods), name=name or function.__name__)
        self.methods = set(methods)  # HEAD is answered by ``head_method``
        self.function = function
        self.operation_id = operation_id
        self.tags = [*router.tags, *tags]
        self.area = router.area
        self.records = router.records
        handle = compile_handler(function)
        self._handle = render_errors_in_a_line(handle) if "csv" in path.split("/") else handle

    async def answer(self, request: Request) -> Response:
        """Answer a request; ``request.scope`` has the path parameters."""
        request.scope["route"] = self
        return await self._handle(request)


class RecordRouter(APIRouter):
    """A router of such routes, all of one functional area.

    ``records`` is the type whose standard operations they are; None for hand-written endpoints.
    """

    def __init__(
        self,
        *,
        area: str,
        records: RecordType[Any] | None = None,
        prefix: str = "",
        tags: list[str | Enum] | None = None,
    ) -> None:
        super().__init__(prefix=prefix, tags=tags)
        self.area = area
        self.records = records

    def add_api_route(
        self,
        path: str,
        endpoint: Callable[..., Any],
        *,
        methods: Collection[str] | None = None,
        name: str | None = None,
        operation_id: str | None = None,
        tags: list[str | Enum] | None = None,
        dependencies: Sequence[params.Depends] | None = None,
        **_documented: Any,
    ) -> None:
        """Add a ``RecordRoute``. Raises ``TypeError`` for dependencies, which must be parameters here."""
        if dependencies:
            raise TypeError(f"{endpoint.__name__}: make the dependency a parameter, else it is not called")
        self.routes.append(
            RecordRoute(
                self.prefix + path, endpoint, router=self, methods=methods or ["GET"], name=name,
                operation_id=operation_id, tags=tags or (),
            )
        )  # fmt: skip


def answer(model: type[M], values: Any, status: int = 200) -> Json[M]:
    """Check the result of a hand-written handler against the response class of its specification.

    A handler that returns ``Json`` also sets headers. Unless it says otherwise, caches may not store the
    answer.
    """
    said: Json[Any] = values if isinstance(values, Json) else Json(to_json(values))
    checked_answer = model.model_validate_json(said.body)
    return Json(
        checked_answer.model_dump_json(exclude_none=True).encode(),
        status,
        {"Cache-Control": "no-store", **said.headers},
    )


def nothing() -> Json[None]:
    """No content."""
    return Json(b"", 204)
