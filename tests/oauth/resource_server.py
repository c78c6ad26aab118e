"""A resource server of another organization: it accepts tokens that the service issued for it, by the published keys."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, cast

import jwt

METADATA = "/.well-known/oauth-protected-resource"


@dataclass
class ResourceServer:
    """Its URL, which is its resource indicator too; ``issuer`` is set once the service runs."""

    url: str
    issuer: str = ""

    def check(self, authorization: str) -> dict[str, Any] | None:
        """The claims of a token for this server; None for any other."""
        scheme, _, token = authorization.partition(" ")
        if scheme != "Bearer":
            return None
        try:
            key = jwt.PyJWKClient(f"{self.issuer}/oauth/jwks").get_signing_key_from_jwt(token)
            claims: dict[str, Any] = jwt.decode(
                token, key, algorithms=["RS256"], audience=self.url, issuer=self.issuer
            )
        except jwt.PyJWTError:
            return None
        return claims if jwt.get_unverified_header(token)["typ"] == "at+jwt" else None


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        resource = cast(Any, self.server).resource
        if self.path == METADATA:
            return self._answer(200, {"resource": resource.url, "authorization_servers": [resource.issuer]})
        claims = resource.check(self.headers.get("Authorization", ""))
        if claims is None:
            challenge = f'Bearer resource_metadata="{resource.url}{METADATA}"'
            return self._answer(401, {}, **{"WWW-Authenticate": challenge})
        return self._answer(200, claims)

    def _answer(self, status: int, body: dict[str, Any], **headers: str) -> None:
        content = json.dumps(body).encode()
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(content))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@contextmanager
def run_resource_server() -> Iterator[ResourceServer]:
    """Serve on a free port of the loopback address."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as server:
        resource = ResourceServer(f"http://127.0.0.1:{server.server_port}")
        cast(Any, server).resource = resource
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield resource
        server.shutdown()
        thread.join()
