"""The pages, each as the answer to a request: markup, status and headers. Nothing on them runs a script.

Names of clients and users, scopes and parameters of requests are untrusted text; the templates render all of
them as text. The templates are loaded with the first page, since they take 2 MB of a worker.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from runtime.call import Call, Service
from runtime.client import Client
from runtime.oauth.signed_request import SignedRequest
from runtime.permissions.scope_texts import describe_scopes
from runtime.storage.wire import Json

PAGE_HEADERS: Final[Mapping[str, str]] = {
    "Cache-Control": "no-store",
    "Pragma": "no-cache",
    "X-Frame-Options": "DENY",
}


def login_page(
    call: Call, asked: SignedRequest, *, fault: str | None = None, user_id: str = "", status: int = 200
) -> Json[None]:
    """Ask for user id and password. ``fault``: what was wrong with those before."""
    values = {**_form_of(call, asked), "fault": fault, "user_id": user_id or asked.user_id}
    return _page(call.service, "login", "Sign in", values, status, asked.cookie)


def consent_page(call: Call, asked: SignedRequest, *, user_id: str) -> Json[None]:
    """Ask a user who is signed in whether the client may have what it requests."""
    values = {
        **_form_of(call, asked),
        "user_id": user_id,
        "scopes": describe_scopes(asked.scope, asked.client.scopes),
        "resources": list(asked.resources),
        "return_to": find_host(asked.redirect_uri),
    }
    return _page(call.service, "consent", "Allow access?", values, 200, asked.cookie)


def change_page(
    call: Call,
    asked: SignedRequest,
    *,
    user_id: str,
    change_token: str,
    fault: str | None = None,
) -> Json[None]:
    """Ask for a new password, without which the user cannot continue."""
    values = {
        **_form_of(call, asked),
        "fault": fault,
        "user_id": user_id,
        "change_token": change_token,
        "least": call.service.settings.password_min_length,
    }
    return _page(call.service, "change", "Choose a new password", values, 200, asked.cookie)


def logout_page(
    call: Call, *, client: Client | None, user_id: str | None, hidden_field: str, cookie: str | None = None
) -> Json[None]:
    """Ask whether the user wants to sign out.

    ``client``: the one that requests it, if one does. ``user_id``: None where that is not known.
    """
    values = {
        "action": call.service.settings.root_path + "/oauth/logout",
        "request": hidden_field,
        "client": None if client is None else name_client(client),
        "client_id": None if client is None else client.client_id,
        "user_id": user_id,
    }
    return _page(call.service, "logout", "Sign out?", values, 200, cookie)


def logged_out_page(call: Call, *, is_signed_in: bool = False, cookie: str | None = None) -> Json[None]:
    """Say how a logout ended; ``is_signed_in``: the user chose to stay, or is signed in in another realm."""
    title = "You are still signed in" if is_signed_in else "You are signed out"
    return _page(
        call.service, "logged_out", title, {"text": "You can close this page."}, 200, cookie, has_form=False
    )


def error_page(
    service: Service, status: int, title: str, text: str, headers: Mapping[str, str] | None = None
) -> Json[None]:
    """Say what went wrong, to a person."""
    page = _page(service, "error", title, {"text": text}, status, has_form=False)
    return Json(page.body, status, {**page.headers, **(headers or {})})


def check_templates(folder: Path) -> None:
    """Try the templates of an application (``Seams.page_templates``). Raises ``Misconfigured``."""
    from runtime.oauth.pages.templates import require_templates

    require_templates(folder)


def name_client(client: Client) -> str:
    """Return what people call a client."""
    return client.name or client.client_id


def find_host(uri: str) -> str:
    """Return the host of a URI as people check it; for other schemes the scheme."""
    parts = urlsplit(uri)
    return parts.hostname or f"{parts.scheme}:"


def _form_of(call: Call, asked: SignedRequest) -> dict[str, Any]:
    return {
        "action": call.service.settings.root_path + "/oauth/authorize",
        "request": asked.hidden_field,
        "client": name_client(asked.client),
        "client_id": asked.client.client_id,
    }


def _page(
    service: Service,
    name: str,
    title: str,
    values: Mapping[str, Any],
    status: int,
    cookie: str | None = None,
    *,
    has_form: bool = True,
) -> Json[None]:
    from runtime.oauth.pages.templates import require_templates

    templates = require_templates(service.seams.page_templates)
    headers = {
        **PAGE_HEADERS,
        "Content-Type": "text/html; charset=utf-8",
        "Content-Security-Policy": templates.build_policy(has_form=has_form),
    }
    if cookie is not None:
        headers["Set-Cookie"] = cookie
    return Json(templates.render(name, {"fault": None, **values, "title": title}), status, headers)
