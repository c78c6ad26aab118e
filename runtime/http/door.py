"""What a door of another protocol shares with the routes: how its calls open, how its messages are read."""

from functools import partial
from typing import Final
from urllib.parse import urlsplit

from fastapi import Request

from runtime.aside import run_aside
from runtime.call import Service
from runtime.errors import Denied
from runtime.http.bodies import BodyReader
from runtime.http.calling import open_door_call, service_of
from runtime.http.facts import Facts
from runtime.http.parameters import query_values
from runtime.http.streaming import StreamResponse
from runtime.http.unread_answers import unread_answers
from runtime.json_text import require_distinct
from runtime.model.record import Strict

__all__ = [
    "StreamResponse", "open_door_call", "query_values", "read_message", "require_origin", "service_of",
    "unread_answers",
]  # fmt: skip

_LARGE: Final[Facts] = {"large_body": ("CREATE", "UPDATE")}
_READER: Final = BodyReader(Strict, "application/json", None, _LARGE)


async def read_message(request: Request) -> bytes:
    """Read a JSON message within the limits of a body that holds records.

    Raises ``UnsupportedMediaType``, ``TooLarge``, ``MalformedRequest``, ``RepeatedMember``, and for a large
    message that the caller may not send ``Denied``.
    """
    body = await _READER.read(request)
    await run_aside(partial(require_distinct, body))
    return body


def require_origin(request: Request, service: Service) -> None:
    """Raise ``Denied`` for a request of a page of a foreign origin, as a rebound host name would send it."""
    sent = request.headers.getlist("origin")
    settings = service.settings
    base = urlsplit(settings.base_url.lower())
    allowed = {f"{base.scheme}://{base.netloc}", *settings.origins}
    if sent and "*" not in allowed and any(origin.lower() not in allowed for origin in sent):
        raise Denied("pages of this origin may not send requests here; name it in http.cors-origins")
