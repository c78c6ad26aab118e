"""The server of ``recordsmith serve`` in this process, without the command."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import uvicorn

from runtime.cli.protocol import PROTOCOL
from runtime.cli.server import Server


@asynccontextmanager
async def started(application: Any, grace_seconds: int = 5) -> AsyncIterator[tuple[Server, socket.socket]]:
    """A server that accepts connections, and its listener; the test stops it."""
    with socket.create_server(("127.0.0.1", 0), backlog=64) as listener:
        config = uvicorn.Config(
            application,
            http=PROTOCOL,
            lifespan="off",
            log_config=None,
            timeout_graceful_shutdown=grace_seconds,
        )
        config.load()
        server = Server(config)
        server.lifespan = config.lifespan_class(config)
        await server.startup([listener])
        yield server, listener
