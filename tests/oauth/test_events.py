"""What the authorization server writes to the log: the events of its README, and never what somebody could use."""

from __future__ import annotations

import ast
import html
import json
import re
from base64 import b64decode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote_plus, urlsplit

import httpx2
import pytest
from pymongo import MongoClient

from runtime.errors import StoreUnavailable
from tests.house.trees import parse_all
from tests.http.world import PASSWORD, Document, World, open_world
from tests.log_lines import capture_logs
from tests.oauth.applications import CLIENT_CREDENTIALS, basic, register, send
from tests.oauth.sign_ins import REDIRECT, challenge_of, refresh_form
from tests.oauth.signing import EC, ISSUER, Signer, es256, form, jwk, raw
from tests.oauth.walking import AUTHORIZE, USER, Walker, answer_at, hidden_fields

ROOT = Path(__file__).parents[2]
README = ROOT / "runtime" / "oauth" / "README.md"
EVENT = re.compile(r"(?:oauth|client)\.[a-z_]+")
EVERYWHERE = {"event", "log_level", "realm", "address", "request_id"}

TOKEN = "initial-access-token-of-thirty-two-characters"
DOCUMENT = "https://app.invalid/client.json"
VERIFIER = "a-verifier-of-forty-three-characters-at-the-least"
GRANTS = ["authorization_code", "refresh_token", "client_credentials"]
SECRET_MEMBERS = frozenset(
    {
        *(
            "access_token",
            "refresh_token",
            "id_token",
            "id_token_hint",
            "accessToken",
            "refreshToken",
            "token",
        ),
        *(
            "client_secret",
            "clientSecret",
            "client_assertion",
            "code",
            "code_verifier",
            "request_uri",
            "request",
        ),
        *("password", "new_password", "change_token", "changeToken"),
    }
)
"""Names of parameters and members whose values somebody could use."""


def read_table() -> dict[str, set[str]]:
    """Event → the members that the table of the README names."""
    section = README.read_text("utf-8").partition("## Events in the log")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (`.*?) \|.*\| (.*) \|$", section, re.MULTILINE)
    found: dict[str, set[str]] = {}
    for events, members in rows:
        for event in re.findall(r"`([a-z_.]+)`", events):
            assert event not in found, f"{event} has two rows"
            found[event] = {*re.findall(r"`([a-z_]+)`", members)}
    return found


def find_events() -> set[str]:
    """The events that the code of the runtime writes."""
    found = set[str]()
    for tree in parse_all("runtime").values():
        for call in (one for one in ast.walk(tree) if isinstance(one, ast.Call)):
            match call.func:
                case ast.Name("report_attempt") if isinstance(call.args[0], ast.Constant):
                    ends = ("succeeded", "failed", "throttled")
                    found |= {f"{call.args[0].value}.{end}" for end in ends}
                case ast.Attribute(ast.Name("log"), "info" | "warning" | "error"):
                    # A name stands for an event that another function of the module chose.
                    texts: ast.AST = tree if isinstance(call.args[0], ast.Name) else call.args[0]
                    constants = [one.value for one in ast.walk(texts) if isinstance(one, ast.Constant)]
                    found |= {one for one in constants if isinstance(one, str)}
    return {one for one in found if EVENT.fullmatch(one)}


def test_the_readme_has_every_event() -> None:
    assert {*read_table()} == find_events()


@dataclass
class Listener(World):
    """A world that notes each secret that goes in or comes out."""

    secrets: set[str] = field(default_factory=set)

    def ask(self, request: str, caller: str | None = "acme", **options: Any) -> httpx2.Response:
        answer = super().ask(request, caller, **options)
        for headers in (answer.request.headers, answer.headers):
            self._note_headers(headers)
        for url in (str(answer.request.url), answer.headers.get("location", "")):
            self._note(dict(parse_qsl(urlsplit(url).query)))
        for message in (answer.request, answer):
            self._note_body(
                message.headers.get("content-type", ""), message.content.decode("utf-8", "replace")
            )
        return answer

    def _note_headers(self, headers: Any) -> None:
        scheme, _, sent = headers.get("authorization", "").partition(" ")
        self.secrets.add(sent)
        if scheme == "Basic":
            self.secrets.add(unquote_plus(b64decode(sent).decode().partition(":")[2]))
        cookies = [headers.get("cookie", ""), *headers.get_list("set-cookie")]
        self.secrets.update(re.findall(r"recordsmith-[a-z-]+=([^;\s]+)", "; ".join(cookies)))

    def _note_body(self, media_type: str, text: str) -> None:
        if "json" in media_type:
            self._note(json.loads(text or "null"))
        elif "form" in media_type:
            self._note(dict(parse_qsl(text)))
        elif "html" in media_type:
            hidden = re.findall(r'name="([a-z_]+)" value="([^"]*)"', text)
            self._note({name: html.unescape(value) for name, value in hidden})

    def _note(self, values: Any) -> None:
        for value in values if isinstance(values, list) else ():
            self._note(value)
        for name, value in values.items() if isinstance(values, Mapping) else ():
            if name in SECRET_MEMBERS and isinstance(value, str):
                self.secrets.add(value)
            self._note(value)


@pytest.fixture(scope="module")
def world(mongo_uri: str, mongo_client: MongoClient[Document], key_folder: Path) -> Iterator[Listener]:
    values: Document = {
        "credential_cache_seconds": 0,
        "login_failures": 20,
        "registration": "token",
        "registration_token": TOKEN,
        "client_document_hosts": "app.invalid",
        "data_folder": key_folder,
    }
    with open_world(mongo_uri, mongo_client, **values) as opened:
        yield Listener(**{one.name: getattr(opened, one.name) for one in fields(World)})


async def refuse(*_arguments: object) -> None:
    raise StoreUnavailable("the store did not answer; try again")


def manage_clients(world: Listener) -> None:
    """An administrator, and clients that register themselves."""
    path, body = "/security/oauth/clients", {"clientId": "managed", "allowedGrantTypes": GRANTS[2:]}
    made = world.ask(f"POST {path}", json=body).json()
    world.ask(f"POST {path}/managed/rotate-secret", json={})
    assert world.ask(f"POST {path}/managed/credential", json={"roles": ["user"]}).status_code == 201
    for active in ("false", "true"):
        changed = world.ask(f"PUT {path}/set?id={made['id']}&pairs=active:{active}")
        assert changed.status_code == 200, changed.text
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("runtime.oauth.client_effect._find_ids", refuse)
        world.ask(f"DELETE {path}/id/{made['id']}")
    for token, status in ((TOKEN, 201), ("a-guess-of-the-token", 401)):
        headers = {"Authorization": f"Bearer {token}"}
        answer = world.ask("POST /oauth/register", None, json={"redirect_uris": [REDIRECT]}, headers=headers)
        assert answer.status_code == status, answer.text


def authenticate_clients(world: Listener, own: dict[str, str]) -> None:
    """Right and wrong secrets and assertions, until there are too many."""
    assert send(world, CLIENT_CREDENTIALS, own).status_code == 200
    assert send(world, CLIENT_CREDENTIALS, basic("shop", "a wrong secret of a client")).status_code == 401
    assert send(world, CLIENT_CREDENTIALS | {"scope": "launch"}, own).status_code == 400
    assertion = raw({"alg": "ES256", "typ": "JWT"}, Signer("signer").claims(aud=ISSUER), es256)
    statuses = [send(world, CLIENT_CREDENTIALS | form(assertion)).status_code for _ in range(2)]
    assert statuses == [200, 401]
    world.peer = ("192.0.2.9", 1)
    statuses = [
        send(world, CLIENT_CREDENTIALS, basic("nobody", "a guess of a secret")).status_code for _ in range(21)
    ]
    assert statuses[-1] == 429
    world.peer = ("testclient", 50000)


def sign_in(walker: Walker, **changes: str) -> str:
    """Let the user of the browser sign in. Returns the code."""
    page = walker.open(REQUEST | changes)
    if page.status_code == 200:
        page = walker.log_in(page)
    return answer_at(page, REDIRECT)["code"]


REQUEST = {
    "response_type": "code", "client_id": "shop", "redirect_uri": REDIRECT, "scope": "openid",
    "state": "a state", "code_challenge": challenge_of(VERIFIER), "code_challenge_method": "S256",
}  # fmt: skip


def sign_users_in(world: Listener, own: dict[str, str]) -> None:
    """Users at the pages, and what their applications do with the codes."""
    walker = Walker(world)
    page = walker.open(REQUEST)
    walker.log_in(page, USER, "quite another password")
    walker.log_in(page, "the password, typed into the wrong field", PASSWORD)
    code = answer_at(walker.log_in(page), REDIRECT)["code"]
    walker.open(REQUEST | {"scope": "launch"})
    walker.open(REQUEST | {"client_id": "stranger"})
    walker.open(REQUEST | {"client_id": DOCUMENT})
    walker.fill(page, username=USER)
    exchange = {
        "grant_type": "authorization_code", "code": code, "redirect_uri": REDIRECT, "code_verifier": VERIFIER,
    }  # fmt: skip
    assert send(world, exchange | {"code_verifier": VERIFIER[::-1]}, own).status_code == 400
    assert send(world, exchange, own).status_code == 200
    assert send(world, exchange, own).status_code == 400
    tokens = send(world, exchange | {"code": sign_in(walker)}, own).json()
    for status in (200, 400):
        assert send(world, refresh_form(tokens["refresh_token"]), own).status_code == status
    for kind in ("access_token", "refresh_token"):
        issued = send(world, exchange | {"code": sign_in(walker)}, own).json()
        assert send(world, {"token": issued[kind]}, own, "/oauth/introspect").json()["active"]
        assert send(world, {"token": issued[kind]}, own, "/oauth/revoke").status_code == 200
        bearer = {"Authorization": f"Bearer {issued['access_token']}"}
        assert world.ask("GET /oauth/userinfo", None, headers=bearer).status_code == 401
        assert world.ask("GET /logistics/carriers/list", None, headers=bearer).status_code == 401
    pushed = send(world, {**REQUEST, "client_id": "shop"}, own, "/oauth/par").json()
    request = {"client_id": "shop", "request_uri": pushed["request_uri"]}
    assert "code" in answer_at(walker.open(request), REDIRECT)
    assert walker.open(request).status_code == 400
    (session, *_) = world.ask("GET /security/sessions", "acme-user").json()["rows"]
    assert world.ask(f"DELETE /security/sessions/{session['id']}", "acme-user").status_code == 204
    send(world, exchange | {"code": sign_in(walker)}, own)
    out = walker.follow("/oauth/logout")
    walker.send(hidden_fields(out) | {"decision": "logout"}, "/oauth/logout")
    assert walker.open(REQUEST).status_code == 200
    assert walker.open(f"{AUTHORIZE}&%zz&code=an-unknown-code").status_code == 400


def test_no_line_has_a_secret(world: Listener) -> None:
    """Over one scene in which every event happens; the lines are looked at before anything is masked."""
    with capture_logs() as lines:
        fields: Document = {"allowedGrantTypes": GRANTS, "redirectUris": [REDIRECT]}
        own = basic("shop", register(world, "shop", **fields))
        keyed = fields | {"tokenEndpointAuthMethod": "private_key_jwt", "jwks": {"keys": [jwk(EC)]}}
        world.secrets.add(register(world, "signer", **keyed))
        manage_clients(world)
        authenticate_clients(world, own)
        sign_users_in(world, own)
    secrets = {one for one in world.secrets if len(one) >= 8} | {PASSWORD, TOKEN}
    assert len(secrets) > 40
    text = [repr(line) for line in lines]
    assert [(line, secret) for line in text for secret in secrets if secret in line] == []
    assert not any("typed into the wrong field" in line for line in text)

    table = read_table()
    events = [line for line in lines if EVENT.fullmatch(line["event"])]
    assert {line["event"] for line in events} == {*table}
    assert all(line.get("client") for line in events if line["event"] == "client.succeeded")
    unknown = {
        (line["event"], name) for line in events for name in {*line} - table[line["event"]] - EVERYWHERE
    }
    assert unknown == set()
    named = {(event, name) for event, names in table.items() for name in names}
    assert named == {(line["event"], name) for line in events for name in {*line} - EVERYWHERE}
