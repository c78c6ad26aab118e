"""A route is the signature of its function and its ``Facts``: ``runtime.http.handler`` compiles both.

``Json[X]`` in the return annotation is the response model X, ``Stream`` is a streamed response body.

The signatures are FastAPI's, but the routes are Starlette's: FastAPI would analyse each signature again for a
handler and a document that nothing uses, which took half of a start, and again on the first request that
no route matches. ``tests/contract`` has it read them, and compares the result with the published document.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar, Unpack
from urllib.parse import quote

from fastapi import Request, Response
from pydantic import BaseModel
from starlette.convertors import Convertor, register_url_convertor
from starlette.exceptions import HTTPException
from starlette.routing import Route

from runtime.http.facts import Facts, Function
from runtime.http.handler import compile_handler
from runtime.http.oauth_errors import render_errors_as_oauth
from runtime.http.page_errors import render_errors_as_page
from runtime.http.streaming import render_errors_in_a_line
from runtime.model.record_type import RecordType
from runtime.storage.wire import Json, to_json

F = TypeVar("F", bound=Function)
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

_CONVERTED = {
    "{refName}": "{refName:anything}",
    "{sessionId}": "{sessionId:session}",
    "{issuerPath}": "{issuerPath:anything}",
    "{resourcePath}": "{resourcePath:anything}",
}


_RENDERED = {
    "line": render_errors_in_a_line,
    "oauth": render_errors_as_oauth,
    "page": render_errors_as_page,
}


class RecordRoute(Route):
    """One operation of a router: where it is offered, and the handler of its function."""

    def __init__(
        self, path: str, function: Function, method: str, router: RecordRouter, **facts: Unpack[Facts]
    ) -> None:
        for parameter, converted in _CONVERTED.items():
            path = path.replace(parameter, converted)
        super().__init__(path, self.answer, methods=[method], name=function.__name__)
        self.methods = {method}  # HEAD is answered by ``head_method``
        self.function = function
        self.operation_id = facts.get("operation_id")
        self.tags = router.tags
        self.area = router.area
        handle = compile_handler(function, router.records, facts)
        self.errors = facts.get("errors")
        self._handle = _RENDERED[self.errors](handle) if self.errors else handle

    async def answer(self, request: Request) -> Response:
        """Answer a request; ``request.scope`` has the path parameters."""
        request.scope["route"] = self
        if self.errors == "page" and request.scope.get("is_head"):
            raise HTTPException(405)
        return await self._handle(request)


class RecordRouter:
    """The routes of one resource, or of the hand-written endpoints of an area.

    ``records`` is the type whose standard operations they are; None for hand-written endpoints.
    """

    def __init__(
        self,
        *,
        area: str,
        records: RecordType[Any] | None = None,
        prefix: str = "",
        tags: Sequence[str] = (),
    ) -> None:
        self.area = area
        self.records = records
        self.prefix = prefix
        self.tags = list(tags)
        self.routes: list[RecordRoute] = []

    def get(self, path: str, **facts: Unpack[Facts]) -> Callable[[F], F]:
        """Offer a function as GET."""
        return self._offer("GET", path, facts)

    def post(self, path: str, **facts: Unpack[Facts]) -> Callable[[F], F]:
        """Offer a function as POST."""
        return self._offer("POST", path, facts)

    def put(self, path: str, **facts: Unpack[Facts]) -> Callable[[F], F]:
        """Offer a function as PUT."""
        return self._offer("PUT", path, facts)

    def patch(self, path: str, **facts: Unpack[Facts]) -> Callable[[F], F]:
        """Offer a function as PATCH."""
        return self._offer("PATCH", path, facts)

    def delete(self, path: str, **facts: Unpack[Facts]) -> Callable[[F], F]:
        """Offer a function as DELETE."""
        return self._offer("DELETE", path, facts)

    def _offer(self, method: str, path: str, facts: Facts) -> Callable[[F], F]:
        if unknown := facts.keys() - Facts.__annotations__.keys():
            raise TypeError(f"{path}: {unknown} would be ignored; make the dependency a parameter")

        def add_route(function: F) -> F:
            self.routes.append(RecordRoute(self.prefix + path, function, method, self, **facts))
            return function

        return add_route


def answer(model: type[M], values: Any, status: int = 200) -> Json[M]:
    """Check the result of a hand-written handler against the response class of its specification.

    A handler that returns ``Json`` also sets headers. Unless it says otherwise, caches may not store the
    answer.
    """
    result: Json[Any] = values if isinstance(values, Json) else Json(to_json(values))
    body = model.model_validate_json(result.body).model_dump_json(exclude_none=True).encode()
    return Json(body, status, {"Cache-Control": "no-store", **result.headers})


def nothing(status: int = 204) -> Json[None]:
    """No content."""
    return Json(b"", status)
