"""The way from a path to its route: a few lookups in a table, however many routes there are.

The framework would try route after route, and wrap each call in layers for what these routes do not use (its
dependencies, background tasks, exit stacks). What is at none of these paths (pages, doors of other protocols,
unknown paths) is left to the application.
"""

from collections.abc import Iterable, Iterator
from operator import attrgetter
from typing import NamedTuple, Protocol

from fastapi import FastAPI, Request, Response
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Receive, Scope, Send

from runtime.errors import ServiceError
from runtime.http.problem_response import handle_http_error, render_refusal
from runtime.http.route import RecordRoute


class Router(Protocol):
    """Routes whose paths begin with ``prefix``. ``routes`` may cost the import of what they need."""

    prefix: str

    @property
    def routes(self) -> Iterable[RecordRoute]: ...


class Found(NamedTuple):
    """A route at a path. Of two that are offered for one method, the more specific one counts.

    ``order``: what is less is more specific; routes that share their shape come as they were declared.
    """

    order: tuple[tuple[int, ...], tuple[int, int]]
    route: RecordRoute
    parameters: dict[str, str]


class RouteTable:
    """The routes of some routers, by the literal text that their paths begin with.

    The routes of a router are asked for when the first path comes that begins with its prefix.
    """

    def __init__(self, routers: Iterable[Router]) -> None:
        self._routes: dict[str, list[tuple[tuple[int, int], RecordRoute]]] = {}
        self._waiting: dict[str, list[tuple[int, Router]]] = {}
        self._deepest = 0
        for number, router in enumerate(routers):
            self._waiting.setdefault(router.prefix, []).append((number, router))
            self._deepest = max(self._deepest, router.prefix.count("/") + 1)
        self._add("")

    def find(self, path: str) -> list[Found]:
        """Return all routes at this path, the most specific ones first."""
        if self._waiting:
            self._add_at(path)
        found = [
            Found((route.shape, order), route, {})
            for order, route in self._routes.get(path, ())
            if not route.rest
        ]
        for end in _ends(path, self._deepest):
            matches: dict[str, dict[str, str] | None] = {}  # routes of several methods share their rest
            for order, route in self._routes.get(path[:end], ()):
                if not route.rest:
                    continue
                if route.rest not in matches:
                    matches[route.rest] = route.match(path[end:])
                if (parameters := matches[route.rest]) is not None:
                    found.append(Found((route.shape, order), route, parameters))
        return sorted(found, key=attrgetter("order")) if len(found) > 1 else found

    def _add_at(self, path: str) -> None:
        for end in (*_ends(path, self._deepest), len(path) + 1):
            if (prefix := path[: end - 1]) in self._waiting:
                self._add(prefix)

    def _add(self, prefix: str) -> None:
        ready = [(number, list(router.routes)) for number, router in self._waiting.get(prefix, ())]
        self._waiting.pop(prefix, None)  # a router that could not be imported is asked again
        for number, routes in ready:
            for position, route in enumerate(routes):
                self._routes.setdefault(route.head, []).append(((number, position), route))
                self._deepest = max(self._deepest, route.head.count("/"))


def _ends(path: str, most: int) -> Iterator[int]:
    """Yield the positions behind the first slashes of a path."""
    end = 0
    for _number in range(most):
        end = path.find("/", end) + 1
        if not end:
            return
        yield end


class Dispatch:
    """Wraps the application ``outer``, which answers what is at none of the paths of ``table``."""

    def __init__(self, app: ASGIApp, outer: FastAPI, table: RouteTable) -> None:
        self.app = app
        self.outer = outer
        self.table = table

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer by the route at the path and for the method, if the path has one."""
        answer = await self._find_answer(scope, receive, send)
        await answer(scope, receive, send)

    async def _find_answer(self, scope: Scope, receive: Receive, send: Send) -> ASGIApp:
        """Return the response of a route, or what answers in its place. A stream keeps nothing else."""
        found = self.table.find(_path_of(scope)) if scope["type"] == "http" else []
        if not found:
            return self.app
        scope["app"], scope["routes"] = self.outer, [one.route for one in found]
        request = Request(scope, receive, send)
        try:
            return await _answer(request, found)
        except ServiceError as error:
            return await render_refusal(request, error)
        except HTTPException as error:
            return await handle_http_error(request, error)


async def _answer(request: Request, found: list[Found]) -> Response:
    method = request.scope["method"]
    for one in found:
        if one.route.method == method:
            request.scope["path_params"] = one.parameters
            return await one.route.answer(request)
    raise HTTPException(405)


def _path_of(scope: Scope) -> str:
    """Return the path below the prefix of a proxy."""
    path: str = scope["path"]
    root: str = scope.get("root_path", "")
    return path[len(root) :] if root and path.startswith(f"{root}/") else path
