"""How the routes of OAuth are described: forms, clients, errors of RFC 6749, and pages."""

from generator.openapi.problems import headers
from generator.openapi.shared import Schema, View, ref, tidy
from runtime.contract.oauth import ERRORS, OAuthError
from runtime.errors.phrases import reason_phrase

CLIENT_SCHEME = "clientBasic"
CLIENT: Schema = {
    "type": "http",
    "scheme": "basic",
    "description": "The client id and the client secret, each form-encoded first (RFC 6749 section 2.3.1).",
}

_PAGE: Schema = {"text/html": {"schema": {"type": "string"}, "example": "<!doctype html>…"}}
_HEADERS = {
    400: ("WWW-Authenticate",),
    401: ("WWW-Authenticate",),
    403: ("WWW-Authenticate",),
    429: ("Retry-After",),
    503: ("Retry-After",),
}
_ALSO = {
    413: ("invalid_request", "The body is too large."),
    415: ("invalid_request", "The body has another media type."),
    429: ("temporarily_unavailable", "Too many failed attempts."),
}


def oauth_schema() -> dict[str, Schema]:
    """Build the component of their errors."""
    return {"OAuthError": tidy(OAuthError.model_json_schema(), View.READ)}


def oauth_reference(status: int) -> Schema:
    """Return a reference to the shared response of a status."""
    return {"$ref": f"#/components/responses/OAuth{status}"}


def oauth_responses(statuses: set[int]) -> dict[str, Schema]:
    """Build the shared responses of these statuses, by component name."""
    return {f"OAuth{status}": _response(status) for status in sorted(statuses)}


def _response(status: int) -> Schema:
    listed = [_ALSO[status]] if status in _ALSO else []
    listed += [(code, text) for code, (usual, text) in ERRORS.items() if usual == status]
    texts = [f"- `{code}`: {text}" for code, text in listed] or [reason_phrase(status)]
    code, text = listed[0] if listed else ("invalid_request", reason_phrase(status))
    return {
        "description": "\n".join(texts),
        "headers": headers(*_HEADERS.get(status, ())),
        "content": {
            "application/json": {
                "schema": ref("OAuthError"),
                "example": {"error": code, "error_description": text},
            }
        },
    }


def page_answers(summary: str) -> dict[str, Schema]:
    """Build the responses of a page by status: the page, or a redirect to where the browser continues."""
    return {
        "200": {"description": summary, "headers": headers(), "content": _PAGE},
        "303": {"description": "Continue at the Location.", "headers": headers("Location")},
    }


def page_reference(status: int) -> Schema:
    """Return a reference to the shared response of a page with a status."""
    return {"$ref": f"#/components/responses/Page{status}"}


def page_responses(statuses: set[int]) -> dict[str, Schema]:
    """Build the shared responses of pages with these statuses, by component name."""
    return {
        f"Page{status}": {
            "description": f"{reason_phrase(status)}, as a page for people.",
            "headers": headers(*_HEADERS.get(status, ())),
            "content": _PAGE,
        }
        for status in sorted(statuses)
    }
