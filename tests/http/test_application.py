"""The layers of the application: those that were added, with FastAPI's handling of errors in the innermost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI, Request
from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse, Response
from starlette.testclient import TestClient

from runtime.http.application import Application


class Layer:
    """Writes its name into ``passed`` of each request that it passes on."""

    def __init__(self, app: Any, name: str) -> None:
        self.app, self.name = app, name

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        scope.setdefault("passed", []).append(self.name)
        await self.app(scope, receive, send)


async def show_page(request: Request) -> Response:
    assert request.scope["app"] is request.app
    return PlainTextResponse(" ".join(request.scope["passed"]))


async def refuse(_request: Request) -> Response:
    raise HTTPException(409)


async def handle(_request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return PlainTextResponse("handled", error.status_code)


@pytest.fixture
def application() -> FastAPI:
    app = Application(Path("unread"))
    app.add_route("/page", show_page)
    app.add_route("/refused", refuse)
    app.add_exception_handler(HTTPException, handle)
    app.add_middleware(Layer, name="inner")
    app.add_middleware(Layer, name="outer")
    return app


def test_a_request_enters_at_the_layer_that_was_added_last(application: FastAPI) -> None:
    outermost = application.build_middleware_stack()
    assert isinstance(outermost, Layer)
    assert outermost.name == "outer"
    with TestClient(application) as client:
        assert client.get("/page").text == "outer inner"


@pytest.mark.parametrize(("path", "status"), [("/refused", 409), ("/unknown", 404)])
def test_errors_of_pages_are_handled(application: FastAPI, path: str, status: int) -> None:
    with TestClient(application) as client:
        answer = client.get(path)
    assert (answer.status_code, answer.text) == (status, "handled")
