"""OAuth clients of a world, and what they send."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from functools import partial
from typing import Any
from urllib.parse import quote_plus, urlencode

import httpx2

from runtime.identity.users.users import NewUser
from runtime.oauth.management import create_client
from tests.http.world import World

FORM = "application/x-www-form-urlencoded"
CLIENT_CREDENTIALS = {"grant_type": "client_credentials"}
CHALLENGE = 'Basic realm="recordsmith", charset="UTF-8"'

Form = Mapping[str, str] | str


def manage(world: World, work: Any, *arguments: Any, **options: Any) -> Any:
    """Run ``work`` with the service of the world."""
    assert world.client.portal is not None
    return world.client.portal.call(partial(work, world.app.state.service, *arguments, **options))


def register(world: World, client_id: str, tenant: str = "acme", **fields: Any) -> str:
    """Create a client with a credential of its own; ``fields`` are stored as they are. Returns its secret."""
    new = NewUser(client_id, "", tenant, frozenset({"user"}))
    created = manage(world, create_client, new)
    if fields:
        world.documents["oauth_clients"].update_one({"clientId": client_id}, {"$set": fields})
    return str(created.secret)


def basic(client_id: str, secret: str, *, encoded: bool = True) -> dict[str, str]:
    """The header of HTTP Basic, whose halves are form-encoded unless told otherwise."""
    halves = (quote_plus(client_id), quote_plus(secret)) if encoded else (client_id, secret)
    return {"Authorization": "Basic " + base64.b64encode(":".join(halves).encode()).decode()}


def send(
    world: World, form: Form, headers: Mapping[str, str] | None = None, path: str = "/oauth/token"
) -> httpx2.Response:
    """Send a form to an OAuth route."""
    body = form if isinstance(form, str) else urlencode(form)
    return world.ask(f"POST {path}", None, content=body, headers={"Content-Type": FORM} | dict(headers or {}))


def check_refused(answer: httpx2.Response, status: int, error: str) -> None:
    """The shape of every refusal (RFC 6749 section 5.2), and a challenge to clients that are not known."""
    assert (answer.status_code, answer.json().get("error")) == (status, error), answer.text
    assert answer.json().keys() == {"error", "error_description"}
    described = answer.json()["error_description"]
    assert described.isascii()
    assert described.isprintable()
    assert not set(described) & {'"', "\\"}
    assert answer.headers["content-type"] == "application/json"
    assert (answer.headers["cache-control"], answer.headers["pragma"]) == ("no-store", "no-cache")
    assert answer.headers.get("www-authenticate") == (CHALLENGE if status == 401 else None)
