"""The table finds the routes that the framework would find, which tries one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Annotated, Any

import pytest
from fastapi import Depends, FastAPI, Path
from starlette.convertors import Convertor, register_url_convertor
from starlette.exceptions import HTTPException
from starlette.routing import Route
from starlette.testclient import TestClient

from runtime.errors import InvalidParameter, NotFound
from runtime.http import Json, RecordRouter, RefName
from runtime.http.dispatch import Dispatch, RouteTable, _ends
from runtime.http.problem_response import handle_problems
from runtime.http.route import RecordRoute
from runtime.storage.wire import to_json

Name = Annotated[str, Path()]

things = RecordRouter(area="stock", prefix="/things")


def said(*words: str) -> Json[list[str]]:
    return Json(to_json(words))


@things.get("/list")
async def listed() -> Json[list[str]]:
    return said("list")


@things.get("/id/{name}")
async def by_id(name: Name) -> Json[list[str]]:
    return said("id", name)


@things.delete("/id/{name}")
async def delete(name: Name) -> Json[list[str]]:
    return said("delete", name)


@things.get("/id/late")
async def late() -> Json[list[str]]:
    return said("late", "though the one before it would take all")


@things.get("/refName/{refName}/parts/{name}")
async def part(ref_name: RefName, name: Name) -> Json[list[str]]:
    return said("part", ref_name, name)


@things.get("/{name}/id")
async def any_id(name: Name) -> Json[list[str]]:
    return said("any", name)


@things.get("/refName/{refName}")
async def by_ref_name(ref_name: RefName) -> Json[list[str]]:
    return said("refName", ref_name)


@things.get("/id/{name}/history")
async def history(name: Name) -> Json[list[str]]:
    return said("history", name)


@things.get("/early/exact")
async def exact() -> Json[list[str]]:
    return said("exact")


@things.get("/early/{name}")
async def early(name: Name) -> Json[list[str]]:
    return said("early", name)


@things.get("/missing/{name}")
async def missing(name: Name) -> Json[list[str]]:
    raise NotFound(f"no {name}")


@things.get("/refused/csv/{name}")
async def refused_csv(name: Name) -> Json[list[str]]:
    raise InvalidParameter(f"not {name}")


@things.get("/refused/line/{name}", errors="line")
async def refused_line(name: Name) -> Json[list[str]]:
    raise InvalidParameter(f"not {name}")


@things.get("/foreign/{name}")
async def foreign(name: Name) -> Json[list[str]]:
    raise HTTPException(404, name)


class Anything(Convertor[str]):
    """What may hold slashes and line breaks."""

    regex = "(?s:.*)"

    def convert(self, value: str) -> str:
        return value

    def to_string(self, value: str) -> str:
        return value


register_url_convertor("anything", Anything())


def application(by_table: bool) -> FastAPI:
    app = FastAPI(redirect_slashes=False)
    app.state.service = SimpleNamespace(settings=None)
    handle_problems(app)
    if by_table:
        app.add_middleware(Dispatch, outer=app, table=RouteTable([things]))
        return app
    for route in sorted(things.routes, key=_place):
        path = route.path.replace("{refName}", "{refName:anything}")
        framework = Route(path, route.answer, methods=[route.method])
        framework.methods = {route.method}
        app.router.routes.append(framework)
    return app


def _place(route: RecordRoute) -> int:
    """Where the framework needs a route, which takes the first of several: what says more of a path is ahead."""
    return 2 * (route.path == "/things/{name}/id") - any(end in route.path for end in ("/late", "/parts/"))


@pytest.fixture(params=["", "/mounted"], ids=["at the root", "under a prefix"])
def both(request: pytest.FixtureRequest) -> Iterator[tuple[TestClient, TestClient]]:
    with (
        TestClient(application(by_table=True), root_path=request.param) as ours,
        TestClient(application(by_table=False), root_path=request.param) as framework,
    ):
        yield ours, framework


PATHS = [
    "/things/list", "/things/list/", "/things/list?x=1", "/things", "/things/", "/", "/nowhere",
    "/things/id/7", "/things/id/late", "/things/id/", "/things/id", "/things/id/7/", "/things/id/7/history",
    "/things/id/a%2Fb", "/things/id/%C3%A9%20x", "/things/id/%0A", "/things/id/a%3Fb", "/things/id/..",
    "/things/refName/x", "/things/refName/a%2Fb/c", "/things/refName/", "/things/refName/%0A",
    "/things/refName/x/id/7", "/things/refName/x/parts/7", "/things/id/id", "/things/x/id", "/things/early/exact", "/things/early/other", "/things/missing/x",
    "/things/foreign/x", "/things/refused/csv/x", "/things/refused/line/x", "/things/ID/7", "/mounted/things/list", "/mounted/things/id/7",
    "/mountedthings/list", "/mounted/mounted/things/list",
]  # fmt: skip


@pytest.mark.parametrize("method", ["GET", "DELETE", "POST", "HEAD", "OPTIONS"])
@pytest.mark.parametrize("path", PATHS)
def test_both_ways_answer_alike(method: str, path: str, both: tuple[TestClient, TestClient]) -> None:
    ours, framework = (client.request(method, path) for client in both)

    assert (ours.status_code, ours.content) == (framework.status_code, framework.content)
    assert sorted(ours.headers.multi_items()) == sorted(framework.headers.multi_items())


@pytest.mark.parametrize(
    ("path", "answer"),
    [
        ("/things%2Flist", None),
        ("/%2fthings/list", None),
        ("/things/id%2F7", None),
        ("/things/x%2fid", None),
        ("/things%2FrefName/x", None),
        ("/things/refName%2Fx", None),
        ("/things/refName/a%2Fb", ["refName", "a/b"]),
        ("/things/refName/x%2Fparts/7", ["refName", "x/parts/7"]),
        ("/things/refName/x/parts/7", ["part", "x", "7"]),
        ("/things/refName/a%2Fb/parts/7", ["part", "a/b", "7"]),
    ],
)
def test_an_encoded_slash_parts_no_segments(path: str, answer: list[str] | None) -> None:
    for root in ("", "/mounted"):
        with TestClient(application(by_table=True), root_path=root) as client:
            for sent in {path, root + path}:
                got = client.get(sent)
                assert (got.json() if got.status_code == 200 else None) == answer
                assert got.status_code == (200 if answer else 404)


class Waiting:
    """A router that notes when it is asked for its routes."""

    def __init__(self, prefix: str, *paths: str) -> None:
        self.prefix = prefix
        self.paths = paths
        self.number = 0

    @property
    def routes(self) -> list[RecordRoute]:
        self.number += 1
        router = RecordRouter(area="stock", prefix=self.prefix)
        for path in self.paths:
            router.get(path)(listed)
        return router.routes


@pytest.mark.parametrize(
    ("path", "asked", "paths"),
    [
        ("/a/list", [1, 0, 0], ["/a/list"]),
        ("/a/b/list", [1, 1, 0], ["/a/b/list", "/a/{name}/list"]),
        ("/a", [1, 0, 0], []),
        ("/a/b", [1, 1, 0], ["/a/b"]),
        ("/ab/list", [0, 0, 0], []),
        ("/c/", [0, 0, 1], []),
        ("/nowhere", [0, 0, 0], []),
        ("/", [0, 0, 0], []),
    ],
)
def test_routers_wait_for_the_first_path_below_their_prefix(
    path: str, asked: list[int], paths: list[str]
) -> None:
    a, b, c = Waiting("/a", "/list", "/{name}/list"), Waiting("/a/b", "", "/list"), Waiting("/c", "/list")
    table = RouteTable([b, a, c])
    for _again in range(2):
        assert [one.route.path for one in table.find(path)] == paths
    assert [a.number, b.number, c.number] == asked


def test_a_router_that_fails_is_asked_again() -> None:
    class Broken(Waiting):
        @property
        def routes(self) -> list[RecordRoute]:
            if not self.number:
                self.number += 1
                raise ImportError("half written")
            return super().routes

    table = RouteTable([Broken("/a", "/list")])
    with pytest.raises(ImportError):
        table.find("/a/list")
    assert [one.route.path for one in table.find("/a/list")] == ["/a/list"]


def test_a_long_path_of_slashes_is_not_read_to_its_end() -> None:
    table = RouteTable([things])
    assert _ends("/" * 100_000, table._deepest)[-1] == table._deepest < 10
    assert [one.parameters for one in table.find("/things/refName" + "/" * 100_000)] == [
        {"refName": "/" * 99_999}
    ]


def test_a_dependency_that_would_not_be_called_is_refused() -> None:
    """A check that a route names must not be passed over."""
    decorate: Any = things.get
    with pytest.raises(TypeError, match="make the dependency a parameter"):
        decorate("/guarded", dependencies=[Depends(lambda: None)])(said)


@pytest.mark.parametrize(
    ("path", "media_type"),
    [("/things/refused/csv/x", "application/problem+json"), ("/things/refused/line/x", "text/plain")],
)
def test_the_form_of_errors_is_stated_by_the_route_and_not_read_from_its_path(
    path: str, media_type: str
) -> None:
    with TestClient(application(by_table=True)) as client:
        answer = client.get(path)
    assert (answer.status_code, answer.headers["Content-Type"].partition(";")[0]) == (400, media_type)
