"""A route is the signature of its function and its ``Facts``: ``runtime.http.handler`` compiles both.

``Json[X]`` in the return annotation is the response model X, ``Stream`` is a streamed response body.

The signatures are FastAPI's, but the routes are not: FastAPI would analyse each signature again for a handler
and a document that nothing uses. ``tests/contract`` has it read them, and compares the result with the
published document. A service may have thousands of routes of which it needs a few, so a handler is compiled,
and a path read, when the first request comes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from importlib import import_module
from typing import Any, Final, TypeVar, Unpack

from fastapi import Request, Response
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from runtime.http.facts import Facts, Function, Handler
from runtime.http.handler import compile_handler
from runtime.http.oauth_errors import render_errors_as_oauth
from runtime.http.page_errors import render_errors_as_page
from runtime.http.streaming import render_errors_in_a_line
from runtime.model.record_type import RecordType
from runtime.storage.wire import Json, to_json

F = TypeVar("F", bound=Function)
M = TypeVar("M", bound=BaseModel)

_SEGMENT: Final = "([^/]+)"
_SHAPES: Final = {
    "refName": "((?s:.*))",  # may hold slashes and line breaks, which arrive decoded
    "issuerPath": "((?s:.*))",
    "resourcePath": "((?s:.*))",
    "sessionId": "((?!profile$)[^/]+)",  # the literal segment is a route of its own, with other methods
}
_PARAMETER: Final = re.compile(r"\{([^}]*)\}")
_OF_ANY_LENGTH: Final = ("{refName}", "{issuerPath}", "{resourcePath}")
_TEXT, _ONE, _MANY, _END = range(4)
_RENDERED: Final = {
    "line": render_errors_in_a_line,
    "oauth": render_errors_as_oauth,
    "page": render_errors_as_page,
}


class RecordRoute:
    """One operation of a router: where it is offered, and the handler of its function.

    ``head``: its path up to the first parameter; all of it where there is none.
    """

    def __init__(
        self, path: str, function: Function, method: str, router: RecordRouter, **facts: Unpack[Facts]
    ) -> None:
        self.path = path
        self.head, brace, rest = path.partition("{")
        self.rest = brace + rest
        self.function = function
        self.method = method
        self.methods = frozenset((method,))
        self.operation_id = facts.get("operation_id")
        self.tags = router.tags
        self.area = router.area
        self.errors = facts.get("errors")
        self._records = router.records
        self._facts = facts

    def match(self, rest: str) -> dict[str, str] | None:
        """Return the parameters in what follows the head; None where it does not fit."""
        if self._single is not None:
            return {self._single: rest} if rest and "/" not in rest else None
        found = self._pattern.fullmatch(rest)
        return None if found is None else dict(zip(self._names, found.groups(), strict=True))

    @cached_property
    def slashes(self) -> int | None:
        """How many slashes follow the head of a path that fits; None for any number."""
        return None if any(one in self.rest for one in _OF_ANY_LENGTH) else self.rest.count("/")

    @cached_property
    def _single(self) -> str | None:
        """The parameter that is all that follows the head, if that may hold anything but slashes."""
        name = self.rest[1:-1]
        return name if self._names == [name] and name not in _SHAPES else None

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """What the segments of the path are; of two routes at one path, the lesser is more specific.

        A text is less than a parameter, and that less than what may hold slashes, segment by segment.
        """
        return *map(_rank_segment, self.path.split("/")), _END

    @cached_property
    def _names(self) -> list[str]:
        return _PARAMETER.findall(self.rest)

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        parts = _PARAMETER.split(self.rest)  # text and names in turn
        shapes = [_SHAPES.get(name, _SEGMENT) for name in parts[1::2]]
        texts = [re.escape(text) for text in parts[0::2]]
        return re.compile("".join(text + shape for text, shape in zip(texts, [*shapes, ""], strict=True)))

    @cached_property
    def _handle(self) -> Handler:
        handle = compile_handler(self.function, self._records, self._facts)
        return _RENDERED[self.errors](handle) if self.errors else handle

    async def answer(self, request: Request) -> Response:
        """Answer a request; ``request.scope`` has the path parameters."""
        request.scope["route"] = self
        if self.errors == "page" and request.scope.get("is_head"):
            raise HTTPException(405)
        return await self._handle(request)


def _rank_segment(segment: str) -> int:
    return _MANY if segment in _OF_ANY_LENGTH else _ONE if "{" in segment else _TEXT


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


class LaterRouter:
    """The router of a module that is imported when its routes are needed."""

    def __init__(self, prefix: str, module: str) -> None:
        self.prefix = prefix
        self._module = module

    @cached_property
    def routes(self) -> Sequence[RecordRoute]:
        """Import the module, and return the routes of its ``router``."""
        router: RecordRouter = import_module(self._module).router
        return router.routes


def answer(model: type[M], values: Any, status: int = 200) -> Json[M]:
    """Check the result of a hand-written handler against the response class of its specification.

    A handler that returns ``Json`` also sets headers. Unless it says otherwise, caches may not store the
    answer.
    """
    result: Json[Any] = values if isinstance(values, Json) else Json(to_json(values))
    body = model.model_validate_json(result.body).model_dump_json(exclude_none=True).encode()
    headers = {"Cache-Control": "no-store", **result.headers}
    return replace(result, body=body, status=status, headers=headers)


def nothing(status: int = 204) -> Json[None]:
    """Return an answer without content."""
    return Json(b"", status)
