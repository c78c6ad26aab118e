"""Handlers whose errors are not problems: bodies of RFC 6749, pages, or lines of text."""

from collections.abc import Callable

from fastapi import Request, Response
from starlette.requests import ClientDisconnect

from runtime.errors import ServiceError
from runtime.http.facts import Handler
from runtime.logs import log_unexpected


def catch_errors(handle: Handler, render: Callable[[ServiceError, Request], Response]) -> Handler:
    """Wrap a handler: its errors become responses by ``render``; unexpected ones are first logged whole."""

    async def handle_and_render(request: Request) -> Response:
        try:
            return await handle(request)
        except ServiceError as error:
            return render(error, request)
        except ClientDisconnect:  # nobody is there to answer
            raise
        except Exception as error:
            return render(log_unexpected(error, path=request.scope["path"]), request)

    return handle_and_render
