"""What operators and readers open: liveness, the OpenAPI document, its page; ``/`` leads there.

Readiness and metrics are in ``readiness.py``.

The page's assets come from this machine; no request leaves it. The document is sent as the bytes that
the generator wrote. Where it is for callers who have signed in, its page still opens for everybody, since a
browser has no token yet: its form signs in, and then asks for the document. A sign-in by OAuth ends at the
page ``/docs/oauth2-redirect``, which passes the code on to the window that asked for it.

Unknown query parameters are refused as on every route, with two exceptions. The page of the redirect ignores
what it does not know (RFC 6749 §4.1.2). ``/live`` and ``/ready`` ignore all of them: balancers may add some
to their probes, and a refusal would take a healthy worker out of service.
"""

from __future__ import annotations

import asyncio
import gzip
import hashlib
from functools import cached_property
from html import escape
from pathlib import Path, PurePosixPath

import fastapi_offline
from fastapi import FastAPI, Request, Response

from runtime.access.guard import require_caller
from runtime.errors import NotFound
from runtime.http.area_documents import area_documents, behind_prefix
from runtime.http.calling import bearer_token, service_of
from runtime.http.compression import accepts_gzip
from runtime.http.parameters import refuse_parameters
from runtime.http.readiness import Readiness, report_metrics
from runtime.http.security_headers import PAGE_POLICY
from runtime.model import own_paths
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
    """Add ``/live``, ``/ready`` and ``/metrics``; unless off ``/``, ``/docs`` and the documents."""
    app.add_route(own_paths.LIVE, _report_live)
    app.add_route(own_paths.READY, Readiness().report)
    app.add_route(own_paths.METRICS, report_metrics)
    if documentation == "off":
        return
    for_callers = documentation == "sign-in"
    described = _Documents(document, root_path)
    for path in (own_paths.DOCUMENT, own_paths.AREA_DOCUMENT):
        app.add_route(path, described.send_to_caller if for_callers else described.send)
    words = {"title": escape(title), "root": escape(root_path), "documentation": documentation}
    app.add_route(own_paths.HOME, _Home(title, root_path, _page("home.html", words)).send)
    app.add_route(own_paths.DOCS, _page("page.html", words).send)
    app.add_route(own_paths.SIGN_IN_REDIRECT, _page("callback.html", words).send_anyway)
    for folder, paths in ((_OWN, own_paths.DOCS_FILES), (_ASSETS, own_paths.DOCS_ASSETS)):
        for path in paths:
            app.add_route(path, _file(folder / PurePosixPath(path).name).send)


def _page(name: str, words: dict[str, str]) -> _Bytes:
    body = (_OWN / name).read_text("utf-8").format(**words).encode()
    return _Bytes(body, _MEDIA_TYPES[".html"])


def _file(path: Path) -> _Bytes:
    return _Bytes(path, _MEDIA_TYPES[path.suffix])


class _Bytes:
    """A fixed answer with its entity tag, compressed for callers that accept it.

    A file is read when somebody asks for it: the largest takes 1.5 MB, and few workers are asked.
    """

    def __init__(self, source: bytes | Path, media_type: str) -> None:
        self._source = source
        self.media_type = media_type

    @cached_property
    def body(self) -> bytes:
        return self._source.read_bytes() if isinstance(self._source, Path) else self._source

    @cached_property
    def tag(self) -> str:
        """The strong entity tag of the bytes as they are."""
        return f'"{hashlib.sha256(self.body).hexdigest()[:16]}"'

    @cached_property
    def packed(self) -> bytes:
        """The body as gzip, always the same bytes."""
        return gzip.compress(self.body, mtime=0)

    async def send(self, request: Request) -> Response:
        """Send the bytes, or 304 when the caller has them. Raises ``UnknownParameter``."""
        refuse_parameters(request)
        return await self.send_anyway(request)

    async def send_anyway(self, request: Request) -> Response:
        """Send the bytes, whatever parameters the request has."""
        return self.answer(request, "no-cache")

    def answer(self, request: Request, caching: str) -> Response:
        """Build the answer, under these rules for caches."""
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


class _Documents:
    """The OpenAPI document and those of the areas: large, so they are read when one of them is asked for."""

    def __init__(self, file: Path, root_path: str) -> None:
        self._file = file
        self._root_path = root_path
        self._whole: dict[str, _Bytes] = {}
        self._areas: dict[str, _Bytes] = {}

    async def send(self, request: Request) -> Response:
        """Send a document. Raises ``UnknownParameter`` and ``NotFound``."""
        return await (await self._find(request)).send(request)

    async def send_to_caller(self, request: Request) -> Response:
        """Send it to callers who have signed in.

        Raises ``Unauthenticated``, ``UnknownParameter`` and ``NotFound``.
        """
        await require_caller(service_of(request), bearer_token(request))
        refuse_parameters(request)
        return (await self._find(request)).answer(request, "private, no-cache")

    async def _find(self, request: Request) -> _Bytes:
        area = request.path_params.get("area")
        kept = self._whole if area is None else self._areas
        if not kept:
            kept |= await asyncio.to_thread(self._read, is_whole=area is None)
        if (area or "") not in kept:
            raise NotFound("there is nothing at this path")
        return kept[area or ""]

    def _read(self, *, is_whole: bool) -> dict[str, _Bytes]:
        document = behind_prefix(self._file.read_bytes(), self._root_path)
        found = {"": document} if is_whole else area_documents(document)
        return {area: _Bytes(body, "application/json") for area, body in found.items()}


class _Home:
    """``/``: a small page for browsers, the same links as JSON for programs."""

    def __init__(self, title: str, root_path: str, page: _Bytes) -> None:
        self.page = page
        paths = {
            "documentation": own_paths.DOCS,
            "openapi": own_paths.DOCUMENT,
            "live": own_paths.LIVE,
            "ready": own_paths.READY,
        }
        self.links = to_json({"title": title} | {name: root_path + path for name, path in paths.items()})

    async def send(self, request: Request) -> Response:
        """Send the page where ``Accept`` names HTML, else the links. Raises ``UnknownParameter``."""
        refuse_parameters(request)
        if "text/html" in request.headers.get("accept", ""):
            response = await self.page.send(request)
        else:
            response = Response(self.links, 200, {"Cache-Control": "no-cache"}, "application/json")
        response.headers.add_vary_header("Accept")
        return response


async def _report_live(_request: Request) -> Response:
    """Answer that the process runs. Says nothing about the store."""
    return Response(to_json({"status": "live"}), 200, {"Cache-Control": "no-store"}, "application/json")
