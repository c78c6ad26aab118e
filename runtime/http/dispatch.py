"""The way from a path to its route: a few lookups in a table, however many routes there are.

The framework would try route after route, and wrap each call in layers for what these routes do not use (its
dependencies, background tasks, exit stacks). What is at none of these paths (pages, doors of other protocols,
unknown paths) is left to the application, unless it has an encoded slash, which would part segments there.
"""

import re
from bisect import insort
from collections.abc import Iterable, Mapping
from operator import itemgetter
from typing import Final, NamedTuple, Protocol
from urllib.parse import unquote

from fastapi import FastAPI, Request, Response
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Receive, Scope, Send

from runtime.bounded_cache import BoundedCache
from runtime.errors import ServiceError
from runtime.http.problem_response import handle_http_error, render_refusal
from runtime.http.route import RecordRoute


class Router(Protocol):
    """Routes whose paths begin with ``prefix``. ``routes`` may cost the import of what they need."""

    prefix: str

    @property
    def routes(self) -> Iterable[RecordRoute]: ...


class Found(NamedTuple):
    """A route at a path. Of two that are offered for one method, the first that is found counts."""

    route: RecordRoute
    parameters: dict[str, str]


Place = tuple[int, int]
"""Which router declares a route, and which of its routes it is: by their numbers."""

Routes = list[tuple[Place, RecordRoute]]
"""The routes of one path, as they were declared."""


_MOST_FOLDERS: Final = 256
_LONGEST_FOLDER: Final = 256


class RouteTable:
    """The routes of some routers, by the literal text that their paths begin with, and by what follows it.

    The routes of a router are asked for when the first path comes that begins with its prefix.
    """

    def __init__(self, routers: Iterable[Router]) -> None:
        self._routes: dict[str, dict[str, Routes]] = {}
        self._waiting: dict[str, list[tuple[int, Router]]] = {}
        self._below: BoundedCache[str, list[tuple[int, Routes]]] = BoundedCache(_MOST_FOLDERS)
        self._deepest = 0
        for number, router in enumerate(routers):
            self._waiting.setdefault(f"{router.prefix}/", []).append((number, router))
            self._deepest = max(self._deepest, router.prefix.count("/") + 1)
        self._add("/")

    def find(self, path: str) -> list[Found]:
        """Return all routes at this path, the most specific ones first.

        A route whose shape is less is more specific; those that share it come as they were declared.
        """
        folder = path[: path.rfind("/") + 1]
        below = self._below.use(folder)
        if below is None or f"{path}/" in self._waiting:
            below = self._find_below(folder, path)
        found: list[tuple[Routes, dict[str, str]]] = []
        if exact := self._routes.get(path, _NONE).get(""):
            found.append((exact, {}))
        for start, routes in below:
            if (parameters := routes[0][1].match(path[start:])) is not None:
                found.append((routes, parameters))
        if len(found) > 1:
            return _sort(found)
        return [Found(route, parameters) for routes, parameters in found for _place, route in routes]

    def _find_below(self, folder: str, path: str) -> list[tuple[int, Routes]]:
        """Return the routes with parameters whose heads this folder begins with, and how long those are."""
        heads = [folder[:end] for end in _ends(folder, self._deepest)]
        if not self._waiting.keys().isdisjoint((*heads, f"{path}/")):
            for head in (*heads, f"{path}/"):
                self._add(head)
            self._below.clear()
            return self._find_below(folder, path)
        below = [
            (len(head), routes)
            for head in heads
            for rest, routes in self._routes.get(head, _NONE).items()
            if rest and routes[0][1].slashes in (None, folder.count("/", len(head)))
        ]
        if len(folder) <= _LONGEST_FOLDER:
            self._below.keep(folder, below)
        return below

    def _add(self, head: str) -> None:
        ready = [(number, list(router.routes)) for number, router in self._waiting.get(head, ())]
        self._waiting.pop(head, None)  # a router that could not be imported is asked again
        for number, routes in ready:
            for position, route in enumerate(routes):
                at_head = self._routes.setdefault(route.head, {})
                insort(at_head.setdefault(route.rest, []), ((number, position), route), key=itemgetter(0))
                self._deepest = max(self._deepest, route.head.count("/"))


_NONE: Final[Mapping[str, Routes]] = {}


def _ends(path: str, most: int) -> list[int]:
    """List the positions behind the first slashes of a path."""
    found, end = list[int](), 0
    while len(found) < most and (end := path.find("/", end) + 1):
        found.append(end)
    return found


def _sort(found: Iterable[tuple[Routes, dict[str, str]]]) -> list[Found]:
    ranked = [
        (route.shape, place, Found(route, parameters))
        for routes, parameters in found
        for place, route in routes
    ]
    return [one for _shape, _place, one in sorted(ranked, key=itemgetter(0, 1))]


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
        found = self._find(scope) if scope["type"] == "http" else []
        if not found and not _ENCODED_SLASH.search(scope.get("raw_path", b"")):
            return self.app
        scope["app"], scope["routes"] = self.outer, [one.route for one in found]
        request = Request(scope, receive, send)
        try:
            return await _answer(request, found)
        except ServiceError as error:
            return await render_refusal(request, error)
        except HTTPException as error:
            return await handle_http_error(request, error)

    def _find(self, scope: Scope) -> list[Found]:
        """Return the routes at the path; its slashes that were encoded part no segments."""
        found = self.table.find(_below_root(scope, scope["path"]))
        raw = scope.get("raw_path", b"")
        if b"%" not in raw or not found:
            return found
        undecoded = _below_root(scope, unquote(_ENCODED_SLASH.sub(b"%252F", raw)))
        return [one for one in found if _fits(one.route, undecoded)]


_ENCODED_SLASH: Final = re.compile(rb"%2f", re.IGNORECASE)


def _fits(route: RecordRoute, path: str) -> bool:
    """Return whether the texts of a route are at their places in a path: all of it without parameters."""
    if not path.startswith(route.head):
        return False
    rest = path[len(route.head) :]
    return route.match(rest) is not None if route.rest else not rest


async def _answer(request: Request, found: list[Found]) -> Response:
    method = request.scope["method"]
    for one in found:
        if one.route.method == method:
            request.scope["path_params"] = one.parameters
            return await one.route.answer(request)
    raise HTTPException(405 if found else 404)


def _below_root(scope: Scope, path: str) -> str:
    """Return a path below the prefix of a proxy."""
    root: str = scope.get("root_path", "")
    return path[len(root) :] if root and path.startswith(f"{root}/") else path
