"""The whole service in a thread, on a port of its own, that misbehaves on demand when an import is committed.

``faults`` are taken one a commit request, in their order; without one the request is answered as usual:

| fault | does |
|---|---|
| ``BUSY`` | answers 503 |
| ``LOST`` | commits, and breaks the connection over the answer |
| ``KILLED`` | stores a batch, stops, and breaks the connection |
| ``INTERRUPT`` | Ctrl-C for this process, which is waiting for the answer, before anything is stored |

With ``interrupts_upload`` the same comes while the next file is read; so many ``busy_uploads`` are answered 503.
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import threading
from collections import deque
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum, auto
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch
from uuid import uuid4

import httpx2
import uvicorn
from pymongo import MongoClient
from pymongo.database import Database

from generated.app import create
from runtime.identity.users.users import NewUser, create_user
from runtime.settings import Settings
from runtime.transfer.sessions.session import Session

USER = NewUser("ann@acme", "correct horse battery", "acme", frozenset({"admin"}))


class Fault(Enum):
    BUSY = auto()
    LOST = auto()
    KILLED = auto()
    INTERRUPT = auto()


@dataclass
class RealService:
    """Its address, what is stored behind its back, and how it is to behave."""

    url: str
    documents: Database[dict[str, Any]]
    app: Any
    faults: deque[Fault] = field(default_factory=deque)
    commits: int = 0
    interrupts_upload: bool = False
    busy_uploads: int = 0
    _loop: asyncio.AbstractEventLoop | None = None

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self._loop = asyncio.get_running_loop()
        path = scope.get("path", "")
        if path.endswith("/csv/session") and self.interrupts_upload:
            self.interrupts_upload = False
            receive = partial(_interrupted, receive)
        if path.endswith("/csv/session") and self.busy_uploads:
            self.busy_uploads -= 1
            await _busy(send)
            return
        if not path.endswith("/commit"):
            await self.app(scope, receive, send)
            return
        self.commits += 1
        match self.faults.popleft() if self.faults else None:
            case None:
                await self.app(scope, receive, send)
            case Fault.BUSY:
                await _busy(send)
            case Fault.LOST:
                await self.app(scope, receive, _into_the_void)
                await _cut(send)
            case Fault.KILLED:
                await _killed(self.app(scope, receive, _into_the_void))
                await _cut(send)
            case Fault.INTERRUPT:
                await _interrupted(receive)

    def make(self, user: NewUser) -> None:
        """A user of the realm."""
        assert self._loop is not None
        asyncio.run_coroutine_threadsafe(create_user(self.app.state.service, user), self._loop).result(60)

    def save(self, path: str, record: dict[str, Any]) -> None:
        """A record of the user."""
        signed_in = {"userId": USER.user_id, "password": USER.password}
        token = httpx2.post(f"{self.url}/security/login", json=signed_in, timeout=60).json()["accessToken"]
        answer = httpx2.post(
            f"{self.url}{path}", json=record, headers={"Authorization": f"Bearer {token}"}, timeout=60
        )
        assert answer.status_code == 201, answer.text

    def stored(self, prefix: str, collection: str = "carriers") -> dict[str, dict[str, Any]]:
        """The records whose refNames begin so."""
        found = self.documents[collection].find({"refName": {"$regex": f"^{prefix}"}})
        return {record["refName"]: record for record in found}


async def _interrupted(receive: Any) -> Any:
    """What comes when a caller is interrupted: the end of the connection, whatever it has sent before."""
    os.kill(os.getpid(), signal.SIGINT)
    while (message := await receive())["type"] != "http.disconnect":
        pass
    return message


async def _busy(send: Any) -> None:
    await send({"type": "http.response.start", "status": 503, "headers": [(b"retry-after", b"0")]})
    await send({"type": "http.response.body"})


async def _killed(commit: Coroutine[Any, Any, None]) -> None:
    """Run a commit until it asks for the rows behind its first batch."""
    is_behind, ask = asyncio.Event(), Session.read_rows

    async def rows(session: Session, match: Any, **place: Any) -> Any:
        if place.get("beyond"):
            is_behind.set()
            await asyncio.Event().wait()
        return await ask(session, match, **place)

    with patch.object(Session, "read_rows", rows):
        work = asyncio.ensure_future(commit)
        await is_behind.wait()
        work.cancel()
        await asyncio.wait([work])


async def _into_the_void(_message: Any) -> None:
    pass


async def _cut(send: Any) -> None:
    """Promise more than is sent, so that the server cuts the connection."""
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"10")]})


@contextmanager
def real_service(
    mongo_uri: str, mongo_client: MongoClient[dict[str, Any]], keys: Path
) -> Iterator[RealService]:
    """One that answers, for as long as the block lasts, over a realm of its own."""
    realm = f"test-{uuid4().hex[:12]}"
    documents = mongo_client[realm]
    settings = Settings.read(
        {}, mongodb_uri=mongo_uri, environment="development", default_realm=realm, bcrypt_cost=4,
        log_level="ERROR", data_folder=keys,
    )  # fmt: skip
    with socket.create_server(("127.0.0.1", 0)) as listener:
        service = RealService(f"http://127.0.0.1:{listener.getsockname()[1]}", documents, create(settings))
        server = uvicorn.Server(uvicorn.Config(service, log_config=None, access_log=False, lifespan="on"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            while not server.started:
                assert thread.is_alive(), "it does not start"
            service.make(USER)
            yield service
        finally:
            server.should_exit = True
            thread.join()
            mongo_client.drop_database(realm)
