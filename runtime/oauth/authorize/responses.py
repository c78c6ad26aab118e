"""Responses that send the browser back to a client (RFC 6749 §4.1.2, RFC 9207). Pure.

303 makes every browser continue with GET: after 307 it would send the password of the login form to the
client as well (RFC 9700 §4.12).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlencode

from runtime.client import Client
from runtime.contract.oauth import clean_description
from runtime.oauth.authorize.redirect_uris import RedirectTarget
from runtime.oauth.refusals import PageRefused
from runtime.settings import Settings
from runtime.storage.wire import Json

SEE_OTHER: Final = 303

_STATUSES: Final = {"server_error": 500, "temporarily_unavailable": 503}


@dataclass(frozen=True, slots=True)
class ReturnPath:
    """How the client of a request gets its answer: where, with which ``state``, and from which ``issuer``.

    ``reports_errors``: without it a browser goes there with a code alone, and the user sees the error. It is
    for a client that nobody vouches for, before the user has done anything: otherwise a link to this service
    would lead anywhere that somebody has registered (RFC 9700 §4.11.2).
    """

    target: RedirectTarget
    state: str | None
    issuer: str
    reports_errors: bool = True

    def redirect_with_code(self, code: str) -> Json[None]:
        """Send the browser to the client with a code."""
        return self._redirect({"code": code})

    def redirect_with_error(self, error: str, description: str) -> Json[None]:
        """Send the browser to the client with an error. Raises ``PageRefused`` where that may not be."""
        if not self.reports_errors:
            status = _STATUSES.get(error, 400)
            title = "The application was refused" if status == 400 else "This did not work"
            raise PageRefused(title, f"{description} ({error})", status)
        return self._redirect({"error": error, "error_description": clean_description(description)})

    def _redirect(self, answer: dict[str, str]) -> Json[None]:
        state = {} if self.state is None else {"state": self.state}
        return redirect_to(self.target, {**answer, **state, "iss": self.issuer})


def redirect_to(target: RedirectTarget, parameters: Mapping[str, str]) -> Json[None]:
    """Send the browser to a client with parameters."""
    location = _add_query(target.uri, urlencode(parameters)) if parameters else target.uri
    return Json(b"", SEE_OTHER, {"Location": location})


def redirect_to_request(settings: Settings, client: Client, request_uri: str) -> Json[None]:
    """Send the browser to the request that was stored under this name, of this service."""
    query = urlencode({"client_id": client.client_id, "request_uri": request_uri, "realm": client.realm})
    return Json(b"", SEE_OTHER, {"Location": f"{settings.root_path}/oauth/authorize?{query}"})


def _add_query(uri: str, added: str) -> str:
    """Add to the query of a URI, keeping what it has."""
    if "?" not in uri:
        return f"{uri}?{added}"
    return uri + added if uri.endswith(("?", "&")) else f"{uri}&{added}"
