"""The floor: the least that an answer can cost. Plain ASGI, no framework, no token, no checks.

``/list``, ``/get/{id}``, ``/insert`` and ``/patch/{id}`` are one driver call and orjson; ``/hello`` is not even that.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Any

import orjson
from bson import Decimal128, ObjectId
from pymongo import AsyncMongoClient, ReturnDocument

Document = dict[str, Any]
Receive = Callable[[], Awaitable[Document]]
Send = Callable[[Document], Awaitable[None]]

STATE: dict[str, Any] = {}
TENANT = "tenant-07"


async def app(scope: Document, receive: Receive, send: Send) -> None:
    """The application."""
    if scope["type"] == "lifespan":
        await _lifespan(receive, send)
        return
    body = await _answer(scope["path"], receive)
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def _answer(path: str, receive: Receive) -> bytes:
    if path == "/hello":
        return b'{"hello":"world"}'
    shipments = STATE["shipments"]
    if path == "/list":
        match = {"dataDomain.tenantId": TENANT, "status": "DELIVERED"}
        return _json(await shipments.find(match).sort("departsAt", -1).limit(50).to_list())
    if path == "/insert":
        message = await receive()
        document = orjson.loads(message["body"]) | {"_id": ObjectId()}
        await STATE["inserted"].insert_one(document)
        return _json(document)
    wanted = {"_id": ObjectId(path.rpartition("/")[2])}
    if path.startswith("/patch/"):
        sent = orjson.loads((await receive())["body"])
        change = {"$set": sent | {"weightKg": Decimal128(sent["weightKg"])}, "$inc": {"version": 1}}
        changed = shipments.find_one_and_update(wanted, change, return_document=ReturnDocument.AFTER)
        return _json(await changed)
    return _json(await shipments.find_one(wanted))


async def _lifespan(receive: Receive, send: Send) -> None:
    await receive()
    client = AsyncMongoClient[Document](os.environ["BENCH_MONGODB"])
    database = client[os.environ["BENCH_DATABASE"]]
    STATE["shipments"], STATE["inserted"] = database.shipments, database.inserted
    await send({"type": "lifespan.startup.complete"})
    await receive()
    await client.close()
    await send({"type": "lifespan.shutdown.complete"})


def _json(value: Any) -> bytes:
    return orjson.dumps(value, default=_text)


def _text(value: Any) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)
