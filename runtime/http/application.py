"""The application as FastAPI has it, with the document that the generator wrote."""

from pathlib import Path
from typing import Any, Final

import orjson
from fastapi import FastAPI
from fastapi.middleware.asyncexitstack import AsyncExitStackMiddleware
from fastapi.telemetry import TelemetryConfig
from starlette.middleware.exceptions import ExceptionMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

_NO_TELEMETRY: Final[TelemetryConfig] = {"tracing": False, "metrics": False, "logs": False}
"""``runtime.observe`` traces and counts; FastAPI would look for providers of its own at each request."""


class Application(FastAPI):
    """A FastAPI application that publishes ``document``; it has no route to derive one from.

    A request enters at the outermost layer that was added. FastAPI's own around it (telemetry, a limit on
    bodies, bare answers to faults) do what ``observing``, ``bodies`` and ``front`` do here.
    """

    def __init__(self, document: Path, **options: Any) -> None:
        super().__init__(
            openapi_url=None,
            docs_url=None,
            redoc_url=None,
            redirect_slashes=False,
            telemetry=_NO_TELEMETRY,
            **options,
        )
        self._document = document

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request; leave anything else to FastAPI."""
        if scope["type"] != "http":
            await super().__call__(scope, receive, send)
            return
        scope["app"] = self
        if self.middleware_stack is None:
            self.middleware_stack = self.build_middleware_stack()
        await self.middleware_stack(scope, receive, send)

    def build_middleware_stack(self) -> ASGIApp:
        """Return the layers that were added, and in them what handles errors of the pages."""
        layer: ASGIApp = AsyncExitStackMiddleware(self.router)
        layer = ExceptionMiddleware(layer, handlers=self.exception_handlers)
        for added, args, options in reversed(self.user_middleware):
            layer = added(layer, *args, **options)
        return layer

    def openapi(self) -> dict[str, Any]:
        """Return the published document."""
        document: dict[str, Any] = orjson.loads(self._document.read_bytes())
        return document
