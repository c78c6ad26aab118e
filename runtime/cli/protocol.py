"""HTTP as uvicorn speaks it, except that it refuses what it cannot read as all else is refused: by a problem.

No part of the service sees such a request: a first line that is none, a header that is none, or a URL
longer than 64 KiB, which is more than the parser can take.
"""

from __future__ import annotations

import secrets

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from runtime.errors import MalformedRequest
from runtime.problems import problem_body
from runtime.wire import to_json

PROTOCOL = "runtime.cli.protocol:Protocol"


class Protocol(HttpToolsProtocol):
    """One connection."""

    def send_400_response(self, msg: str) -> None:
        """Called by uvicorn when the parser gives up; the connection ends."""
        request_id = secrets.token_hex(8)
        error = MalformedRequest("this is no HTTP request, or its URL is longer than 64 KiB")
        body = to_json(problem_body(error, instance="/", request_id=request_id))
        head = (
            "HTTP/1.1 400 Bad Request\r\n"
            "content-type: application/problem+json\r\n"
            "cache-control: no-store\r\n"
            "x-content-type-options: nosniff\r\n"
            f"x-request-id: {request_id}\r\n"
            f"content-length: {len(body)}\r\n"
            "connection: close\r\n\r\n"
        )
        self.transport.write(head.encode("ascii") + body)
        self.transport.close()
