"""The stand-in application for workers that are started and killed by the dozen: it answers with no store.

``serve`` itself opens the stand-in's service before its workers start; they load none of it.
"""

from __future__ import annotations

import asyncio
import os
from importlib import import_module
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route


def __getattr__(name: str) -> Any:
    return getattr(import_module("stand_in"), name)


async def pid(_request: Request) -> Response:
    return JSONResponse(os.getpid())


async def slow(request: Request) -> Response:
    if mark := request.query_params.get("mark"):
        Path(mark).touch()  # noqa: ASYNC240 - one file, in a test
    await asyncio.sleep(float(request.query_params["seconds"]))
    return JSONResponse("done")


def leave() -> Starlette:
    raise SystemExit(7)


def create() -> Starlette:
    return Starlette(routes=[Route("/pid", pid), Route("/slow", slow)])
