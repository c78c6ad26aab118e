"""What operators and readers open: liveness, readiness, the OpenAPI document and its page.

The page's assets come from this machine; no request leaves it. The document is sent as the bytes that
the generator wrote. Where it is for callers who have signed in, its page still opens for everybody, since a
browser has no token yet: it is a form that signs in, and then asks for the document.
"""

from __future__ import annotations

import hashlib
from html import escape
from pathlib import Path

import fastapi_offline
from fastapi import FastAPI, Request, Response
from starlette.staticfiles import StaticFiles

from runtime.http.calling import bearer_token, service_of
from runtime.http.security_headers import PAGE_POLICY
from runtime.security.guard import require_caller
from runtime.settings import Documentation
from runtime.wire import names_tag, to_json

_ASSETS = Path(fastapi_offline.__file__).parent / "static"

_OWN = Path(__file__).parent / "page"


def add_pages(
    app: FastAPI, document: Path, *, title: str, root_path: str, documentation: Documentation
) -> None:
    """``/live``, ``/ready``, and unless it is off ``/openapi.json``, ``/openapi/<area>.json``, ``/docs``."""
    app.add_route("/live", _live)
    app.add_route("/ready", _ready)
    if documentation == "off":
        return
    for_callers = documentation == "sign-in"
    for path, file in {"/openapi.json": document, **_area_documents(document)}.items():
        fixed = _Bytes(file.read_bytes(), "application/json")
        app.add_route(path, fixed.send_to_caller if for_callers else fixed.send)
    form = (_OWN / "sign_in.html").read_text("utf-8").format(root=escape(root_path)) if for_callers else ""
    page = (
        (_OWN / "page.html").read_text("utf-8").format(title=escape(title), root=escape(root_path), form=form)
    )
    app.add_route("/docs", _Bytes(page.encode(), "text/html; charset=utf-8").send)
    app.add_route("/docs/page.js", _own("page.js", "text/javascript; charset=utf-8").send)
    app.add_route("/docs/page.css", _own("page.css", "text/css; charset=utf-8").send)
    app.mount("/docs/assets", StaticFiles(directory=_ASSETS))


def _own(name: str, media_type: str) -> _Bytes:
    return _Bytes((_OWN / name).read_bytes(), media_type)


class _Bytes:
    """A fixed answer with its entity tag."""

    def __init__(self, body: bytes, media_type: str) -> None:
        self.body = body
        self.media_type = media_type
        self.tag = f'"{hashlib.sha256(body).hexdigest()[:16]}"'

    async def send(self, request: Request) -> Response:
        """The bytes, or 304 when the caller has them."""
        return self._answer(request, "no-cache")

    async def send_to_caller(self, request: Request) -> Response:
        """The same for callers who have signed in. Raises ``Unauthenticated``."""
        await require_caller(service_of(request), bearer_token(request))
        return self._answer(request, "private, no-cache")

    def _answer(self, request: Request, caching: str) -> Response:
        headers = {"ETag": self.tag, "Cache-Control": caching, "Content-Security-Policy": PAGE_POLICY}
        if names_tag(request.headers.get("if-none-match", ""), self.tag):
            return Response(status_code=304, headers=headers)
        return Response(self.body, 200, headers, self.media_type)


def _area_documents(document: Path) -> dict[str, Path]:
    return {f"/openapi/{file.name}": file for file in sorted(document.with_suffix("").glob("*.json"))}


async def _live(_request: Request) -> Response:
    """The process answers. Says nothing of the store."""
    return Response(to_json({"status": "live"}), 200, {"Cache-Control": "no-store"}, "application/json")


async def _ready(request: Request) -> Response:
    """The store answers and has its unique indexes; else 503, so that a balancer sends callers elsewhere.

    A worker whose change stream is down is ready: what it remembers still ages within seconds.
    """
    service = service_of(request)
    await service.store.ping()
    if service.unique_indexes is not None:
        await service.unique_indexes.require_everywhere()
    facts = {"status": "ready", "changeStream": service.watcher is not None and service.watcher.is_alive}
    return Response(to_json(facts), 200, {"Cache-Control": "no-store"}, "application/json")
