"""The application as FastAPI has it, with the document that the generator wrote."""

from pathlib import Path
from typing import Any, Final

import orjson
from fastapi import FastAPI
from fastapi.telemetry import TelemetryConfig

_NO_TELEMETRY: Final[TelemetryConfig] = {"tracing": False, "metrics": False, "logs": False}
"""``runtime.observe`` traces and counts; FastAPI would look for providers of its own at each request."""


class Application(FastAPI):
    """A FastAPI application that publishes ``document``; it has no route to derive one from."""

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

    def openapi(self) -> dict[str, Any]:
        """Return the published document."""
        document: dict[str, Any] = orjson.loads(self._document.read_bytes())
        return document
