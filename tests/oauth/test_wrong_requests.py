"""Wrong requests to all OAuth endpoints: each is refused as the table says, and nothing was issued.

Requests to the page for signing in are sent by a browser whose user is signed on already, so one that was not
refused would get a code at once.
"""

from __future__ import annotations

import re
from string import Template
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode, urlsplit

import httpx2
import pytest

from tests.http.world import World
from tests.oauth.applications import CHALLENGE, FORM, basic
from tests.oauth.wrong.authorize import AUTHORIZE_ROWS
from tests.oauth.wrong.forms import FORM_ROWS
from tests.oauth.wrong.grants import GRANT_ROWS
from tests.oauth.wrong.materials import ISSUER, Materials
from tests.oauth.wrong.others import OTHER_ROWS
from tests.oauth.wrong.shape import STATE, Answer, Rows, Wrong, pairs_of

pytestmark = pytest.mark.settings(registration="open", registrations_per_hour=500)

TABLE: Final[Rows] = AUTHORIZE_ROWS | FORM_ROWS | GRANT_ROWS | OTHER_ROWS

ISSUED: Final = (
    *("oauth_authorization_codes", "refreshFamilies", "signOns", "consents", "pushedRequests"),
    *("oauth_clients", "credentials"),
)
"""The collections that store what is issued."""

_NAME = re.compile(r"\$([a-zA-Z_-]+)")


@pytest.fixture(scope="module")
def materials(world: World) -> Materials:
    return Materials(world)


class Sender:
    """Sends a row: fills in what is real, and remembers it, since no answer may repeat it."""

    def __init__(self, world: World, materials: Materials, wrong: Wrong) -> None:
        self.world, self.materials, self.wrong = world, materials, wrong
        self.secrets: list[str] = []
        self.request, self.options = self._build()

    def send(self) -> httpx2.Response:
        return self.world.ask(self.request, None, **self.options)

    def _build(self) -> tuple[str, dict[str, Any]]:
        wrong, headers = self.wrong, {}
        if wrong.basic is not None:
            headers |= basic(wrong.basic, self.materials.get(wrong.basic))
        if wrong.signed_on:
            cookies = self.materials.signed_on.cookies
            headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in cookies.items())
        options: dict[str, Any] = {}
        if wrong.form is not None:
            headers["Content-Type"] = FORM
            options["content"] = self._encode(wrong.form)
        headers |= {name: self._fill(value) for name, value in wrong.headers.items()}
        options["headers"] = {name: value for name, value in headers.items() if value}
        query = "" if wrong.query is None else f"?{self._encode(wrong.query).decode()}"
        return wrong.request + query, options

    def _encode(self, sent: Any) -> bytes:
        if isinstance(sent, bytes):
            return sent
        return urlencode([(name, self._fill(value)) for name, value in pairs_of(sent)]).encode()

    def _fill(self, text: str) -> str:
        made = {
            name: self.materials.get(name)
            for name in dict.fromkeys(_NAME.findall(text))
            if name in self.materials
        }
        self.secrets += made.values()
        return Template(text).safe_substitute(made) if made else text


@pytest.mark.parametrize("name", TABLE)
def test_a_wrong_request(world: World, materials: Materials, name: str) -> None:
    wrong = TABLE[name]
    sender = Sender(world, materials, wrong)
    before = read_issued(world)
    answer = sender.send()
    CHECKS[wrong.answer](answer, wrong)
    assert answer.headers["cache-control"] == "no-store"
    for secret in sender.secrets:
        assert secret not in answer.text
        assert secret not in str(answer.headers)
    assert read_issued(world) - before == set(), "something was issued"


def read_issued(world: World) -> set[tuple[str, str]]:
    """The ids of all documents in ``ISSUED``, read by one command."""
    first, *others = ([{"$project": {"kind": {"$literal": kind}}}] for kind in ISSUED)
    joined = [
        {"$unionWith": {"coll": kind, "pipeline": ids}} for kind, ids in zip(ISSUED[1:], others, strict=True)
    ]
    return {(one["kind"], str(one["_id"])) for one in world.documents[ISSUED[0]].aggregate([*first, *joined])}


def check_json(answer: httpx2.Response, wrong: Wrong) -> None:
    """RFC 6749 §5.2, with a challenge to a client that is not known."""
    assert (answer.status_code, answer.json().get("error")) == (wrong.status, wrong.error), answer.text
    assert answer.json().keys() <= {"error", "error_description"}
    check_description(answer.json().get("error_description", ""))
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["pragma"] == "no-cache"
    assert "location" not in answer.headers
    assert "set-cookie" not in answer.headers
    assert answer.headers.get("www-authenticate") == (CHALLENGE if wrong.status == 401 else None)
    if wrong.status == 405:
        assert answer.headers["allow"] == "POST"


def check_page(answer: httpx2.Response, wrong: Wrong) -> None:
    """A page that leads nowhere: no redirect, no form, no link out of the service."""
    assert answer.status_code == wrong.status, answer.text
    assert "location" not in answer.headers
    assert "refresh" not in answer.headers
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    check_page_headers(answer)
    assert "<form" not in answer.text
    assert "http-equiv" not in answer.text.lower()
    assert not re.search(r"(?:href|src|action)=[\"']?(?:https?:)?//(?!127\.0\.0\.1:8080)", answer.text)
    assert "evil" not in answer.text


def check_back(answer: httpx2.Response, wrong: Wrong) -> None:
    """The error goes to the registered address, with the state as it was sent, and the issuer."""
    assert answer.status_code == wrong.status, answer.text
    check_page_headers(answer)
    location = answer.headers["location"]
    assert location.startswith(wrong.returns_to + "?")
    assert urlsplit(location).fragment == ""
    pairs = parse_qsl(urlsplit(location).query, keep_blank_values=True, strict_parsing=True)
    said = dict(pairs)
    assert len(said) == len(pairs)
    check_description(said.pop("error_description", ""))
    states = [value for name, value in pairs_of(wrong.query or wrong.form or {}) if name == "state"]
    expected = {"error": wrong.error, "iss": ISSUER}
    assert said == (expected | {"state": STATE} if states == [STATE] else expected)


def check_bearer(answer: httpx2.Response, wrong: Wrong) -> None:
    """RFC 6750 §3: no error code for a request without credentials."""
    assert answer.status_code == wrong.status, answer.text
    challenge = answer.headers["www-authenticate"]
    assert challenge.startswith("Bearer ")
    assert re.findall(r'error="([^"]*)"', challenge) == ([wrong.error] if wrong.error else [])
    assert f'resource_metadata="{ISSUER}/.well-known/oauth-protected-resource"' in challenge
    assert "sub" not in answer.json()


def check_page_headers(answer: httpx2.Response) -> None:
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "script-src" not in policy
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert answer.headers["x-frame-options"] == "DENY"


def check_description(text: str) -> None:
    """RFC 6749 §5.2: ASCII without quotes and backslashes."""
    assert re.fullmatch(r"[\x20\x21\x23-\x5B\x5D-\x7E]*", text), text


CHECKS: Final = {
    Answer.JSON: check_json,
    Answer.PAGE: check_page,
    Answer.BACK: check_back,
    Answer.BEARER: check_bearer,
}


def test_the_table_is_as_long_as_it_should_be() -> None:
    assert len(TABLE) >= 200
    assert len(AUTHORIZE_ROWS) + len(FORM_ROWS) + len(GRANT_ROWS) + len(OTHER_ROWS) == len(TABLE)


@pytest.mark.parametrize(
    ("endpoint", "name"), [("token", "grant_type"), ("revoke", "token"), ("introspect", "token")]
)
def test_a_parameter_that_is_missing_is_named(
    endpoint: str, name: str, world: World, materials: Materials
) -> None:
    headers = basic("web", materials.get("web")) | {"Content-Type": FORM}
    answer = world.ask(f"POST /oauth/{endpoint}", None, content=b"x=1", headers=headers)
    assert (answer.status_code, answer.json()) == (
        400,
        {"error": "invalid_request", "error_description": f"{name} is missing"},
    )
    del headers["Content-Type"]
    answer = world.ask(f"POST /oauth/{endpoint}", None, content=b"x=1", headers=headers)
    assert (answer.status_code, answer.json()["error_description"]) == (
        415,
        f"the Content-Type is missing: send {FORM}",
    )
