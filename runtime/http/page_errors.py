"""The pages of the authorization server: the headers that each of them has, and errors as pages."""

from collections.abc import Mapping
from html import escape
from typing import Final

from fastapi import Request, Response
from starlette.requests import ClientDisconnect

from runtime.errors import InternalFault, Overloaded, ServiceError, release
from runtime.http.calling import request_id
from runtime.http.facts import Handler
from runtime.logs import log
from runtime.oauth.refusals import PageRefused

_HEADERS: Final = {"Cache-Control": "no-store", "Pragma": "no-cache", "X-Frame-Options": "DENY"}
_TITLE_OF_FAULTS: Final = "This did not work"


def render_errors_as_page(handle: Handler) -> Handler:
    """Wrap the handler of a page: its errors are pages, and nothing of it is cached or shown in a frame."""

    async def handle_as_page(request: Request) -> Response:
        response = await _answer(handle, request)
        response.headers.update(_HEADERS)
        return response

    return handle_as_page


async def _answer(handle: Handler, request: Request) -> Response:
    try:
        return await handle(request)
    except PageRefused as error:
        log.info("oauth.refused", reason=error.text, request_id=request_id(request))
        return _page(error.status, error.title, error.text, {})
    except ServiceError as error:
        return page_error(error, request)
    except ClientDisconnect:  # nobody is there to answer
        raise
    except Exception as error:
        log.error("unexpected fault", path=request.scope["path"], exc_info=error)
        release(error)
        return page_error(InternalFault("an internal fault; it was logged"), request)


def page_error(error: ServiceError, request: Request) -> Response:
    """Build the page of an error. Validation errors are 400; that of a fault names no reason."""
    status, is_fault = 400 if error.status == 422 else error.status, error.status >= 500
    if is_fault and not isinstance(error, Overloaded):
        cause, number = repr(error.cause), request_id(request)
        log.error("fault", code=error.code, message=error.message, cause=cause, request_id=number)
    title = _TITLE_OF_FAULTS if is_fault else error.title
    text = f"{error.title}. Please try again in a moment." if is_fault else error.message
    release(error)
    return _page(status, title, text, error.headers)


def _page(status: int, title: str, text: str, headers: Mapping[str, str]) -> Response:
    body = (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n</head>\n<body>\n<main>\n<h1>{escape(title)}</h1>\n"
        f"<p>{escape(text)}</p>\n</main>\n</body>\n</html>\n"
    )
    return Response(body, status, {**_HEADERS, **headers}, "text/html")
