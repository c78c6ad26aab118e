"""The short way to a route answers exactly as the long way does, for whatever is asked."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Annotated, Any

import pytest
from fastapi import APIRouter, Depends, FastAPI, Path
from starlette.exceptions import HTTPException
from starlette.testclient import TestClient

from runtime.errors import InvalidParameter, NotFound
from runtime.http import Json, RecordRouter, RefName
from runtime.http.dispatch import Dispatch, table_of
from runtime.http.problem_response import handle_problems
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
    return said("never reached: the one before it takes all")


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


def application(short: bool) -> FastAPI:
    app = FastAPI(redirect_slashes=False)
    app.router.routes.extend(things.routes)
    app.state.service = SimpleNamespace(settings=None)
    handle_problems(app)
    if short:
        app.add_middleware(Dispatch, outer=app, routes=things.routes)
    return app


@pytest.fixture(params=["", "/mounted"], ids=["at the root", "under a prefix"])
def both(request: pytest.FixtureRequest) -> Iterator[tuple[TestClient, TestClient]]:
    with (
        TestClient(application(short=True), root_path=request.param) as short,
        TestClient(application(short=False), root_path=request.param) as long,
    ):
        yield short, long


PATHS = [
    "/things/list", "/things/list/", "/things/list?x=1", "/things", "/things/", "/", "/nowhere",
    "/things/id/7", "/things/id/late", "/things/id/", "/things/id", "/things/id/7/", "/things/id/7/history",
    "/things/id/a%2Fb", "/things/id/%C3%A9%20x", "/things/id/%0A", "/things/id/a%3Fb", "/things/id/..",
    "/things/refName/x", "/things/refName/a%2Fb/c", "/things/refName/", "/things/refName/%0A",
    "/things/refName/x/id/7", "/things/early/exact", "/things/early/other", "/things/missing/x",
    "/things/foreign/x", "/things/refused/csv/x", "/things/refused/line/x", "/things/ID/7", "/mounted/things/list", "/mounted/things/id/7",
    "/mountedthings/list", "/mounted/mounted/things/list",
]  # fmt: skip


@pytest.mark.parametrize("method", ["GET", "DELETE", "POST", "HEAD", "OPTIONS"])
@pytest.mark.parametrize("path", PATHS)
def test_both_ways_answer_alike(method: str, path: str, both: tuple[TestClient, TestClient]) -> None:
    short, long = (client.request(method, path) for client in both)

    assert (short.status_code, short.content) == (long.status_code, long.content)
    assert sorted(short.headers.multi_items()) == sorted(long.headers.multi_items())


def test_the_table_holds_what_its_path_alone_can_find() -> None:
    found = {
        f"{method} {path}{{{name}}}" for (method, path), (_route, name) in table_of(things.routes).items()
    }

    assert found == {
        "GET /things/list{}",
        "GET /things/id/{name}",
        "DELETE /things/id/{name}",
        "GET /things/refName/{refName}",
        "GET /things/early/exact{}",
        "GET /things/early/{name}",
        "GET /things/missing/{name}",
        "GET /things/refused/csv/{name}",
        "GET /things/refused/line/{name}",
        "GET /things/foreign/{name}",
    }


def test_what_stands_behind_a_route_of_another_kind_goes_the_long_way() -> None:
    plain = APIRouter()
    plain.add_api_route("/things/{anything:path}", lambda: None)

    assert table_of([*plain.routes, *things.routes]) == {}


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
    with TestClient(application(short=True)) as client:
        answer = client.get(path)
    assert (answer.status_code, answer.headers["Content-Type"].partition(";")[0]) == (400, media_type)
