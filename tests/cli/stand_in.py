"""A small application for commands that need one: the system records of the service, and two routes.

Fewer record types than the whole, so that opening it is quick. ``/pid`` names the process that answers;
``/slow?seconds=`` takes its time, and touches the file ``mark`` when it begins.
"""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

from fastapi import APIRouter, FastAPI

from runtime import app
from runtime.call import Subjects
from runtime.model.catalog import Catalog
from runtime.settings import Settings
from runtime.system.record_types import (
    CREDENTIAL,
    LOGIN_ATTEMPT,
    OAUTH_CLIENT,
    REALM,
    REFRESH_FAMILY,
    REMOVED_USER,
    SERVICE_TOKEN,
)

CATALOG = Catalog(
    (
        *(CREDENTIAL, REFRESH_FAMILY, LOGIN_ATTEMPT, REALM),
        *(SERVICE_TOKEN, REMOVED_USER, OAUTH_CLIENT),
    ),
    roles=frozenset({"driver"}),
)
SEEDS, RULES = (), ()
SUBJECTS: Subjects = {}

router = APIRouter()


@router.get("/pid")
async def pid() -> int:
    return os.getpid()


@router.get("/slow")
async def slow(seconds: float, mark: str | None = None) -> str:
    if mark:
        Path(mark).touch()  # noqa: ASYNC240 - one file, in a test
    await asyncio.sleep(seconds)
    return "done"


def create() -> FastAPI:
    settings = Settings.read()
    document = settings.data_folder / "openapi.json"
    document.write_text("{}")
    application = app.create_app(CATALOG, [], document=document, settings=settings)
    application.include_router(router)
    return application
