"""What operators and readers open: liveness, readiness, the OpenAPI document and its page.

The page's assets come from this machine; no request leaves it. The document is sent as the bytes that
the generator wrote.
"""

from __future__ import annotations

import hashlib
from html import escape
from pathlib import Path

import fastapi_offline
from fastapi import FastAPI, Request, Response
from starlette.staticfiles import StaticFiles

from runtime.http.calling import service_of
from runtime.wire import names_tag, to_json

_ASSETS = Path(fastapi_offline.__file__).parent / "static"

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<link rel="icon" href="{root}/docs/assets/favicon.png">
<link rel="stylesheet" href="{root}/docs/assets/swagger-ui.css">
</head>
<body>
<div id="page" data-document="{root}/openapi.json"></div>
<script src="{root}/docs/assets/swagger-ui-bundle.js"></script>
<script src="{root}/docs/page.js"></script>
</body>
</html>
"""

_SCRIPT = """SwaggerUIBundle({
  url: document.getElementById("page").dataset.document,
  dom_id: "#page",
  deepLinking: true,
  persistAuthorization: false,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  docExpansion: "none",
  filter: true,
});
"""

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self'; frame-ancestors 'none'"
)


def add_pages(app: FastAPI, document: Path, *, title: str, root_path: str) -> None:
    """``/live``, ``/ready``, ``/openapi.json``, ``/openapi/<area>.json``, ``/docs``."""
    documents = {"/openapi.json": document, **_area_documents(document)}
    for path, file in documents.items():
        app.add_route(path, _Bytes(file.read_bytes(), "application/json").send)
    page = _PAGE.format(title=escape(title), root=escape(root_path))
    app.add_route("/docs", _Bytes(page.encode(), "text/html; charset=utf-8").send)
    app.add_route("/docs/page.js", _Bytes(_SCRIPT.encode(), "text/javascript; charset=utf-8").send)
    app.mount("/docs/assets", StaticFiles(directory=_ASSETS))
    app.add_route("/live", _live)
    app.add_route("/ready", _ready)


class _Bytes:
    """A fixed answer with its entity tag."""

    def __init__(self, body: bytes, media_type: str) -> None:
        self.body = body
        self.media_type = media_type
        self.tag = f'"{hashlib.sha256(body).hexdigest()[:16]}"'

    async def send(self, request: Request) -> Response:
        """The bytes, or 304 when the caller has them."""
        headers = {"ETag": self.tag, "Cache-Control": "no-cache", "Content-Security-Policy": _POLICY}
        if names_tag(request.headers.get("if-none-match", ""), self.tag):
            return Response(status_code=304, headers=headers)
        return Response(self.body, 200, headers, self.media_type)


def _area_documents(document: Path) -> dict[str, Path]:
    return {f"/openapi/{file.name}": file for file in sorted(document.with_suffix("").glob("*.json"))}


async def _live(_request: Request) -> Response:
    """The process answers. Says nothing of the store."""
    return Response(to_json({"status": "live"}), 200, {"Cache-Control": "no-store"}, "application/json")


async def _ready(request: Request) -> Response:
    """The store answers too; else 503, so that a balancer sends callers elsewhere.

    A worker whose change stream is down is ready: what it remembers still ages within seconds.
    """
    service = service_of(request)
    await service.store.ping()
    facts = {"status": "ready", "changeStream": service.watcher is not None and service.watcher.is_alive}
    return Response(to_json(facts), 200, {"Cache-Control": "no-store"}, "application/json")
