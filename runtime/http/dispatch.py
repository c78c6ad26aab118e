"""The short way to a record route: one lookup in a table, then its handler, and nothing in between.

FastAPI tries route after route and wraps each call in layers for what record routes do not use (its
dependencies, background tasks, exit stacks); together they cost more than the rest of a small read.
The table holds routes without parameters in their path and routes whose last segment is one. Whatever
is not in it (other shapes, other methods, pages, unknown paths) goes the long way and is answered there.
A route that an earlier one hides is left out too, so that both ways find the same.
"""

from collections.abc import Iterable, Sequence

from fastapi import FastAPI, Request
from starlette.exceptions import HTTPException
from starlette.routing import BaseRoute
from starlette.types import ASGIApp, Receive, Scope, Send

from runtime.errors import ServiceError
from runtime.http.problem_response import handle_http_error, render_refusal
from runtime.http.route import RecordRoute

Table = dict[tuple[str, str], tuple[RecordRoute, str]]
"""(method, path up to its parameter) → the route and the name of the parameter, empty for none."""


class Dispatch:
    """Wraps the application ``outer``; ``routes`` are those of its routers, in their order."""

    def __init__(self, app: ASGIApp, outer: FastAPI, routes: Sequence[BaseRoute]) -> None:
        self.app = app
        self.outer = outer
        self.table = table_of(routes)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Take the short way if there is one, else let the application find the route."""
        found = self._find(scope) if scope["type"] == "http" else None
        if found is None:
            await self.app(scope, receive, send)
            return
        route, parameters = found
        scope["app"], scope["path_params"] = self.outer, parameters
        request = Request(scope, receive, send)
        try:
            response = await route.answer(request)
        except ServiceError as error:
            response = await render_refusal(request, error)
        except HTTPException as error:
            response = await handle_http_error(request, error)
        await response(scope, receive, send)

    def _find(self, scope: Scope) -> tuple[RecordRoute, dict[str, str]] | None:
        path: str = scope["path"]
        if root := scope.get("root_path"):
            if not path.startswith(f"{root}/"):
                return None
            path = path[len(root) :]
        method = scope["method"]
        if found := self.table.get((method, path)):
            return None if found[1] else (found[0], {})
        head, _, last = path.rpartition("/")
        found = self.table.get((method, f"{head}/"))
        return (found[0], {found[1]: last}) if found and found[1] and last else None


def table_of(routes: Iterable[BaseRoute]) -> Table:
    """Index the routes that can be found by their path alone."""
    table: Table = {}
    earlier: list[RecordRoute] = []
    for route in routes:
        if not isinstance(route, RecordRoute):
            break  # what stands behind a route of another kind may be hidden by it
        key, parameter = _key(route.path)
        sample = f"{key}sample" if parameter else key
        for method in route.methods or ():
            hidden = any(
                method in (other.methods or ()) and other.path_regex.match(sample) for other in earlier
            )
            if key and not hidden:
                table[method, key] = (route, parameter)
        earlier.append(route)
    return table


def _key(path: str) -> tuple[str, str]:
    """``/airports/id/{id}`` → ``/airports/id/`` and ``id``; two empty texts for other shapes.

    A parameter that may hold slashes is found when it holds none, else the long way.
    """
    head, _, rest = path.partition("{")
    if not rest:
        return path, ""
    name = rest.removesuffix("}").removesuffix(":anything")
    return (head, name) if head.endswith("/") and name.isidentifier() else ("", "")
