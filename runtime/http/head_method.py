"""HEAD, wherever GET is offered: the answer to GET without its body (RFC 9110, section 9.3.2).

The application sees a GET, so permission, parameters and headers are the same. The pages of OAuth refuse it:
a GET there may issue a code, which nobody would see. A streamed body ends with its first piece: to the
application the receiver has gone away.
"""

import asyncio
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from runtime.event_loop import let_others_run


def as_get(scope: Scope) -> Scope:
    """Return the scope of the same request as a GET that says what it was."""
    return {**scope, "method": "GET", "is_head": True}


async def answer_without_body(app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
    """Send what the application answers, but for the body."""
    started = asyncio.Event()
    is_over = False

    is_received = False

    async def receive_until_started() -> Any:
        nonlocal is_received
        if not is_received:
            message = await receive()
            is_received = not message.get("more_body")
            return message
        await started.wait()
        return {"type": "http.disconnect"}

    async def send_head(message: Message) -> None:
        nonlocal is_over
        if message["type"] == "http.response.start":
            await send(message)
            started.set()
        elif not (is_over or message.get("more_body")):
            is_over = True
            await send({"type": "http.response.body", "body": b""})
        else:
            await let_others_run()  # so that the application notices that nobody reads on

    await app(scope, receive_until_started, send_head)
    if started.is_set() and not is_over:
        await send({"type": "http.response.body", "body": b""})
