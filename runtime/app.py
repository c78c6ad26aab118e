"""The composition root: the only place where parts meet. Flat, no container, no globals."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from fastapi import APIRouter, FastAPI

from runtime import logs
from runtime.call import Service
from runtime.errors import Misconfigured
from runtime.http.dispatch import Dispatch
from runtime.http.front import Front
from runtime.http.pages import add_pages
from runtime.http.problem_response import handle_problems
from runtime.indexes import apply_indexes
from runtime.record_type import Catalog, Seed
from runtime.seams import Seams
from runtime.security.login import StoreAuthProvider
from runtime.settings import Settings
from runtime.store import Store
from runtime.system_records import SystemRecords
from runtime.tokens import Tokens


def create_app(
    catalog: Catalog,
    system: SystemRecords,
    routers: Sequence[APIRouter],
    *,
    document: Path,
    title: str = "Recordsmith",
    seeds: tuple[Seed, ...] = (),
    settings: Settings | None = None,
    seams: Seams | None = None,
) -> FastAPI:
    """The service as an ASGI application. Raises ``Misconfigured`` for what can be known now."""
    settings = settings or Settings.read()
    logs.configure(settings)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with open_service(catalog, system, settings, seams, seeds) as service:
            app.state.service = service
            yield

    app = FastAPI(
        title=title, lifespan=lifespan, openapi_url=None, docs_url=None, redoc_url=None,
        redirect_slashes=False,
    )  # fmt: skip
    for router in routers:
        app.include_router(router)
    add_pages(app, document, title=title, root_path=settings.root_path)
    handle_problems(app)
    app.add_middleware(Dispatch, outer=app, routes=[route for router in routers for route in router.routes])
    app.add_middleware(Front, root_path=settings.root_path)
    return app


@asynccontextmanager
async def open_service(
    catalog: Catalog,
    system: SystemRecords,
    settings: Settings,
    seams: Seams | None = None,
    seeds: tuple[Seed, ...] = (),
) -> AsyncIterator[Service]:
    """A service without HTTP, for the application and for commands; closes the store at the end.

    Raises ``Misconfigured`` when no store is named or keys are missing, ``StoreUnavailable`` when the
    store does not answer while indexes are made.
    """
    async with open_store(settings) as store:
        seams = seams or _seams(settings)
        tokens = Tokens.from_settings(settings)
        if settings.environment == "development":
            await apply_indexes(store, settings.default_realm, catalog)
        provider = StoreAuthProvider(store, tokens, system, settings)
        yield Service(settings, catalog, system, store, tokens, provider, seams, seeds)


@asynccontextmanager
async def open_store(settings: Settings) -> AsyncIterator[Store]:
    """The store alone, in which nothing is made; closed at the end. Raises ``Misconfigured`` without one."""
    if settings.mongodb_uri is None:
        raise Misconfigured("MONGODB_URI names no store; `recordsmith serve` starts an embedded one")
    store = Store(
        settings.mongodb_uri.get_secret_value(),
        timeout_ms=settings.mongodb_timeout_ms,
        pool_size=settings.mongodb_pool_size,
    )
    try:
        yield store
    finally:
        await store.close()


def _seams(settings: Settings) -> Seams:
    """The application's own ``Seams``, when the setting ``service.seams`` names one."""
    if settings.seams is None:
        return Seams()
    module, _, name = settings.seams.partition(":")
    try:
        found: Any = getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise Misconfigured(f"service.seams {settings.seams}: {error}", cause=error) from None
    if not isinstance(found, Seams):
        raise Misconfigured(f"service.seams {settings.seams} is not a Seams value")
    return found
