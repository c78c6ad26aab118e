"""What operators and readers open: liveness, readiness, the OpenAPI document, its page; ``/`` leads there.

The page's assets come from this machine; no request leaves it. The document is sent as the bytes that
the generator wrote. Where it is for callers who have signed in, its page still opens for everybody, since a
browser has no token yet: its form signs in, and then asks for the document. A sign-in by OAuth ends at the
page ``/docs/oauth2-redirect``, which passes the code on to the window that asked for it.
"""

from __future__ import annotations

import gzip
import hashlib
from functools import cached_property
from html import escape
from pathlib import Path

import fastapi_offline
import orjson
from fastapi import FastAPI, Request, Response

from runtime.access.guard import require_caller
from runtime.http.area_documents import area_documents
from runtime.http.calling import bearer_token, service_of
from runtime.http.compression import accepts_gzip
from runtime.http.security_headers import PAGE_POLICY
from runtime.settings import Documentation
from runtime.storage.wire import names_tag, to_json

_ASSETS = Path(fastapi_offline.__file__).parent / "static"
_MEDIA_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".png": "image/png",
}

_OWN = Path(__file__).parent / "page"


def add_pages(
    app: FastAPI, document: Path, *, title: str, root_path: str, documentation: Documentation
) -> None:
    """``/live``, ``/ready``; unless off ``/``, ``/docs``, ``/openapi.json``, ``/openapi/<area>.json``."""
    app.add_route("/live", _report_live)
    app.add_route("/ready", _report_ready)
    if documentation == "off":
        return
    for_callers = documentation == "sign-in"
    whole = _document_at(document, root_path)
    for path, body in {"/openapi.json": whole, **area_documents(whole)}.items():
        fixed = _Bytes(body, "application/json")
        app.add_route(path, fixed.send_to_caller if for_callers else fixed.send)
    words = {"title": escape(title), "root": escape(root_path), "documentation": documentation}
    app.add_route("/", _Home(title, root_path, _page("home.html", words)).send)
    app.add_route("/docs", _page("page.html", words).send)
    app.add_route("/docs/oauth2-redirect", _page("callback.html", words).send)
    for name in ("page.js", "page.css", "callback.js"):
        app.add_route(f"/docs/{name}", _file(_OWN / name).send)
    for name in ("swagger-ui-bundle.js", "swagger-ui.css", "favicon.png"):
        app.add_route(f"/docs/assets/{name}", _file(_ASSETS / name).send)


def _document_at(file: Path, root_path: str) -> bytes:
    """Read the document; behind a proxy's prefix, that prefix becomes its server, and part of other URLs."""
    body = file.read_bytes()
    if not root_path:
        return body
    plain = orjson.loads(body)
    for server in plain.get("servers", ()):
        server["url"] = root_path + server["url"].rstrip("/")
    for scheme in plain.get("components", {}).get("securitySchemes", {}).values():
        for flow in scheme.get("flows", {}).values():
            flow |= {name: root_path + url for name, url in flow.items() if name.endswith("Url")}
    return orjson.dumps(plain)


def _page(name: str, words: dict[str, str]) -> _Bytes:
    body = (_OWN / name).read_text("utf-8").format(**words).encode()
    return _Bytes(body, _MEDIA_TYPES[".html"])


def _file(path: Path) -> _Bytes:
    return _Bytes(path.read_bytes(), _MEDIA_TYPES[path.suffix])


class _Bytes:
    """A fixed answer with its entity tag, compressed for callers that accept it."""

    def __init__(self, body: bytes, media_type: str) -> None:
        self.body = body
        self.media_type = media_type
        self.tag = f'"{hashlib.sha256(body).hexdigest()[:16]}"'

    @cached_property
    def packed(self) -> bytes:
        """The body as gzip, always the same bytes."""
        return gzip.compress(self.body, mtime=0)

    async def send(self, request: Request) -> Response:
        """Send the bytes, or 304 when the caller has them."""
        return self._answer(request, "no-cache")

    async def send_to_caller(self, request: Request) -> Response:
        """Send the same to callers who have signed in. Raises ``Unauthenticated``."""
        await require_caller(service_of(request), bearer_token(request))
        return self._answer(request, "private, no-cache")

    def _answer(self, request: Request, caching: str) -> Response:
        is_packed = self.media_type != _MEDIA_TYPES[".png"] and accepts_gzip(request.scope["headers"])
        tag = f'{self.tag[:-1]}-gzip"' if is_packed else self.tag
        headers = {
            "ETag": tag,
            "Cache-Control": caching,
            "Content-Security-Policy": PAGE_POLICY,
            "Vary": "Accept-Encoding",
        }
        if names_tag(request.headers.get("if-none-match", ""), tag):
            return Response(status_code=304, headers=headers)
        if is_packed:
            headers["Content-Encoding"] = "gzip"
        return Response(self.packed if is_packed else self.body, 200, headers, self.media_type)


class _Home:
    """``/``: a small page for browsers, the same links as JSON for programs."""

    def __init__(self, title: str, root_path: str, page: _Bytes) -> None:
        self.page = page
        paths = {"documentation": "/docs", "openapi": "/openapi.json", "live": "/live", "ready": "/ready"}
        self.links = to_json({"title": title} | {name: root_path + path for name, path in paths.items()})

    async def send(self, request: Request) -> Response:
        """Send the page where ``Accept`` names HTML, else the links."""
        if "text/html" in request.headers.get("accept", ""):
            response = await self.page.send(request)
        else:
            response = Response(self.links, 200, {"Cache-Control": "no-cache"}, "application/json")
        response.headers.add_vary_header("Accept")
        return response


async def _report_live(_request: Request) -> Response:
    """Answer that the process runs. Says nothing about the store."""
    return Response(to_json({"status": "live"}), 200, {"Cache-Control": "no-store"}, "application/json")


async def _report_ready(request: Request) -> Response:
    """Check that the store answers and has its unique indexes.

    Otherwise the answer is 503, so that a balancer sends callers elsewhere. A worker whose change stream is
    down is ready: what it caches still expires within seconds.
    """
    service = service_of(request)
    await service.store.ping()
    if service.unique_indexes is not None:
        await service.unique_indexes.require_everywhere()
    facts = {"status": "ready", "changeStream": service.watcher is not None and service.watcher.is_alive}
    return Response(to_json(facts), 200, {"Cache-Control": "no-store"}, "application/json")
