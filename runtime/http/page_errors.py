"""The pages of the authorization server: the headers that each of them has, and errors as pages."""

from collections.abc import Mapping
from typing import Final

from fastapi import Request, Response

from runtime.errors import ServiceError
from runtime.http.calling import request_id, service_of
from runtime.http.catching import catch_errors
from runtime.http.facts import Handler
from runtime.logs import log, log_fault
from runtime.oauth.pages import PAGE_HEADERS, error_page
from runtime.oauth.refusals import PageRefused
from runtime.tracebacks import drop_tracebacks

_TITLE_OF_FAULTS: Final = "This did not work"


def render_errors_as_page(handle: Handler) -> Handler:
    """Wrap the handler of a page: its errors are pages, and nothing of it is cached or shown in a frame."""

    async def handle_as_page(request: Request) -> Response:
        try:
            response = await handle(request)
        except PageRefused as error:
            log.info("oauth.refused", reason=error.text, request_id=request_id(request))
            response = _page(request, error.status, error.title, error.text)
        response.headers.update(PAGE_HEADERS)
        return response

    return catch_errors(handle_as_page, page_error)


def page_error(error: ServiceError, request: Request) -> Response:
    """Build the page of an error. Validation errors are 400; that of a fault names no reason."""
    status, is_fault = 400 if error.status == 422 else error.status, error.status >= 500
    log_fault(error, request_id(request))
    title = _TITLE_OF_FAULTS if is_fault else error.title
    text = f"{error.title}. Please try again in a moment." if is_fault else error.message
    drop_tracebacks(error)
    return _page(request, status, title, text, error.headers)


def _page(
    request: Request, status: int, title: str, text: str, headers: Mapping[str, str] | None = None
) -> Response:
    page = error_page(service_of(request), status, title, text, headers)
    return Response(page.body, page.status, page.headers)
