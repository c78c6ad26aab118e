"""Starting a service imports what all services need; other things come with the first request for them.

Those are the classes and routes of a record type, and large libraries that most workers can do without.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

START = """
import asyncio, json, sys

import runtime.cli.protocol, runtime.cli.worker, runtime.cli.workers
from generated.app import create
from runtime.settings import Settings

LIBRARIES = {
    "mcp", "mcp_types", "jsonschema", "rapidfuzz", "prometheus_client", "opentelemetry.sdk", "generator",
    "datamodel_code_generator", "schemathesis", "hypothesis", "numpy", "yaml", "rich", "typer",
}

def imported():
    return sorted(name for name in sys.modules if name.startswith(("generated.models.", "generated.routers.")))

async def ask(app, path):
    async def receive():
        return {"type": "http.request", "body": b""}
    async def send(message):
        return None
    scope = {
        "type": "http", "method": "GET", "path": path, "raw_path": path.encode(), "query_string": b"", "headers": [],
        "client": ("127.0.0.1", 1), "scheme": "http", "http_version": "1.1", "server": ("here", 80), "root_path": "",
    }
    await app(scope, receive, send)

app = create(Settings.read({"MONGODB_URI": "mongodb://127.0.0.1:9"}, environment="development", log_level="ERROR"))
app.middleware_stack = app.build_middleware_stack()
begun = imported()
asyncio.run(ask(app, "/live"))
asyncio.run(ask(app, "/nowhere/at/all"))
idle = imported()
asyncio.run(ask(app, "/logistics/carriersfoo"))
other = imported()
try:
    asyncio.run(ask(app, "/logistics/carriers/list"))
except Exception:  # there is no service behind it
    pass
print(json.dumps([begun, idle, other, sorted(set(imported()) - set(begun)), sorted(LIBRARIES & set(sys.modules))]))
"""


def test_a_record_type_is_imported_with_its_first_request(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", START], capture_output=True, text=True, check=True)
    begun, idle, other, late, libraries = json.loads(done.stdout.splitlines()[-1])
    assert [name for name in begun if not name.endswith(("_endpoints", "_arguments"))] == []
    assert begun == idle == other
    assert late == ["generated.models.carrier", "generated.routers.carrier"]
    assert libraries == []
