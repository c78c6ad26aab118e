"""``POST /oauth/token`` for clients with a secret: what is issued, what is refused and how, and what ends a token."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote_plus, urlencode

import jwt
import pytest
from pymongo import MongoClient

from runtime.identity.users.users import NewUser
from runtime.oauth.management import create_client, remove_client, rotate_secret, set_active
from tests.http.world import PASSWORD, Document, World, open_world
from tests.oauth.applications import FORM, basic, check_refused, manage, send
from tests.oauth.sign_ins import ELSEWHERE

# No memory, so that what is changed is seen at once; failures are not throttled unless a test wants it.
pytestmark = pytest.mark.settings(credential_cache_seconds=0, login_failures=1000)

CLIENT = "nightly@acme"
GRANT = "grant_type=client_credentials"
UNKNOWN = "client-nobody-has"


def new_client(client_id: str, **changes: Any) -> NewUser:
    values: dict[str, Any] = {"tenant_id": "acme", "roles": frozenset({"user"})}
    return NewUser(client_id, "", **(values | changes))


@pytest.fixture(scope="module")
def secret(world: World) -> str:
    """That of ``CLIENT``, which may use one other resource."""
    made = manage(
        world, create_client, new_client(CLIENT), name="Nightly", fields={"allowedResources": [ELSEWHERE]}
    )
    return str(made.secret)


def token_of(world: World, secret: str, client_id: str = CLIENT, **more: str) -> str:
    answer = send(world, urlencode({"grant_type": "client_credentials", **more}), basic(client_id, secret))
    assert answer.status_code == 200, answer.text
    return str(answer.json()["access_token"])


def test_a_client_gets_a_token_with_the_rights_of_its_credential(world: World, secret: str) -> None:
    answer = send(world, GRANT, basic(CLIENT, secret))
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/json"
    assert (answer.headers["cache-control"], answer.headers["pragma"]) == ("no-store", "no-cache")
    issued = answer.json()
    assert issued.keys() == {"access_token", "token_type", "expires_in"}
    assert (issued["token_type"], issued["expires_in"]) == ("Bearer", 3600)
    header = jwt.get_unverified_header(issued["access_token"])
    says = jwt.decode(issued["access_token"], options={"verify_signature": False})
    assert header["typ"] == "at+jwt"
    assert (says["client_id"], says["upn"], says["groups"]) == (CLIENT, CLIENT, ["user"])
    assert says["exp"] - says["iat"] == 3600
    stored = world.documents["credentials"].find_one({"userId": CLIENT})
    assert stored is not None
    assert (says["sub"], stored["credentialType"]) == (stored["subject"], "OAUTH")
    me = world.ask("GET /security/me", None, headers={"Authorization": f"Bearer {issued['access_token']}"})
    assert (me.json()["identity"], me.json()["domainContext"]["tenantId"]) == (CLIENT, "acme")
    listed = {"Authorization": f"Bearer {issued['access_token']}"}
    assert world.ask("GET /logistics/carriers/list", None, headers=listed).status_code == 200
    assert world.ask("GET /security/oauth/clients/list", None, headers=listed).status_code == 403


def test_the_secret_may_be_in_the_form(world: World, secret: str) -> None:
    body = {"grant_type": "client_credentials", "client_id": CLIENT, "client_secret": secret, "unknown": "1"}
    assert send(world, urlencode(body) + "&state=&scope=").status_code == 200
    assert send(world, GRANT + f"&client_id={quote_plus(CLIENT)}", basic(CLIENT, secret)).status_code == 200


def test_only_hashes_are_stored_and_no_answer_has_them(world: World, secret: str) -> None:
    stored = world.documents["oauth_clients"].find_one({"clientId": CLIENT})
    assert stored is not None
    assert secret not in str(stored)
    assert stored["clientSecretHash"].startswith("$2b$")
    shown = world.ask(f"GET /security/oauth/clients/id/{stored['_id']}").json()
    assert shown["clientId"] == CLIENT
    assert not {"clientSecretHash", "previousSecretHash"} & shown.keys()
    exported = world.ask("GET /security/oauth/clients/csv?requestedColumns=clientSecretHash")
    assert exported.status_code == 400


@dataclass(frozen=True)
class Wrong:
    """A request that is refused. ``secret`` in body and header stands for the right one, ``id`` for the client."""

    status: int
    error: str
    body: str | bytes
    basic: tuple[str, str] | None = ("id", "secret")
    headers: Mapping[str, str] = field(default_factory=dict)


POSTED = f"client_id={quote_plus(CLIENT)}&client_secret=secret"
WRONG: dict[str, Wrong] = {
    "empty body": Wrong(400, "invalid_request", ""),
    "no grant type": Wrong(400, "invalid_request", "scope=a"),
    "an empty grant type": Wrong(400, "invalid_request", "grant_type="),
    "a repeated grant type": Wrong(400, "invalid_request", f"{GRANT}&{GRANT}"),
    "a repeated empty parameter": Wrong(400, "invalid_request", f"{GRANT}&scope=&scope="),
    "a repeated unknown parameter": Wrong(400, "invalid_request", f"{GRANT}&x=1&x=2"),
    "a repeated client id": Wrong(400, "invalid_request", f"{GRANT}&{POSTED}&client_id=b", None),
    "a repeated secret": Wrong(400, "invalid_request", f"{GRANT}&{POSTED}&client_secret=b", None),
    "a parameter in the query": Wrong(400, "invalid_request", GRANT, headers={"query": "client_id=a"}),
    "a broken escape": Wrong(400, "invalid_request", f"{GRANT}&x=%zz"),
    "an escape cut off": Wrong(400, "invalid_request", f"{GRANT}&x=%4"),
    "bytes that are not UTF-8": Wrong(400, "invalid_request", GRANT.encode() + b"&x=\xff"),
    "escapes that are not UTF-8": Wrong(400, "invalid_request", f"{GRANT}&x=%ff"),
    "a name without a value": Wrong(400, "invalid_request", f"{GRANT}&scope"),
    "too many parameters": Wrong(400, "invalid_request", GRANT + "".join(f"&p{n}=1" for n in range(101))),
    "a scope beyond any length": Wrong(400, "invalid_request", f"{GRANT}&scope={'a' * 2001}"),
    "two ways at once": Wrong(400, "invalid_request", f"{GRANT}&{POSTED}"),
    "two ways at once, one of them wrong": Wrong(400, "invalid_request", f"{GRANT}&client_secret=x"),
    "another client id in the form": Wrong(400, "invalid_request", f"{GRANT}&client_id=other"),
    "no base64": Wrong(400, "invalid_request", GRANT, None, {"Authorization": "Basic ###"}),
    "no UTF-8 in base64": Wrong(400, "invalid_request", GRANT, None, {"Authorization": "Basic //8="}),
    "no credentials": Wrong(401, "invalid_client", GRANT, None),
    "an id without a secret": Wrong(401, "invalid_client", f"{GRANT}&client_id={quote_plus(CLIENT)}", None),
    "a secret without an id": Wrong(401, "invalid_client", f"{GRANT}&client_secret=secret", None),
    "an empty secret in the form": Wrong(401, "invalid_client", f"{GRANT}&client_id=a&client_secret=", None),
    "an empty secret in the header": Wrong(401, "invalid_client", GRANT, ("id", "")),
    "an empty id in the header": Wrong(401, "invalid_client", GRANT, ("", "secret")),
    "no colon in the header": Wrong(401, "invalid_client", GRANT, None, {"Authorization": "Basic YWJj"}),
    "a bearer token": Wrong(401, "invalid_client", GRANT, None, {"Authorization": "Bearer a.b.c"}),
    "an unknown scheme": Wrong(401, "invalid_client", GRANT, None, {"Authorization": "Digest x=1"}),
    "an empty Authorization": Wrong(401, "invalid_client", GRANT, None, {"Authorization": ""}),
    "a wrong secret": Wrong(401, "invalid_client", GRANT, ("id", "wrong")),
    "a wrong secret in the form": Wrong(
        401, "invalid_client", f"{GRANT}&client_id={quote_plus(CLIENT)}&client_secret=wrong", None
    ),
    "a secret with a blank": Wrong(401, "invalid_client", GRANT, ("id", "secret ")),
    "a secret longer than bcrypt takes": Wrong(401, "invalid_client", GRANT, ("id", "x" * 73)),
    "an unknown client": Wrong(401, "invalid_client", GRANT, (UNKNOWN, "secret")),
    "a client id in capitals": Wrong(401, "invalid_client", GRANT, (CLIENT.upper(), "secret")),
    "a client id beyond any length": Wrong(401, "invalid_client", GRANT, ("i" * 101, "secret")),
    "a user with the password": Wrong(401, "invalid_client", GRANT, ("admin@acme.example", PASSWORD)),
    "an operator in the id": Wrong(401, "invalid_client", f"{GRANT}&client_id=%7B%22%24ne%22%3A1%7D&client_secret=x", None),
    "an unknown realm": Wrong(401, "invalid_client", f"{GRANT}&realm=nowhere"),
    "a realm that is no name": Wrong(401, "invalid_client", f"{GRANT}&realm=..%2Fadmin%00"),
    "password": Wrong(400, "unsupported_grant_type", "grant_type=password&username=a&password=b"),
    "implicit": Wrong(400, "unsupported_grant_type", "grant_type=implicit"),
    "authorization_code": Wrong(400, "unauthorized_client", "grant_type=authorization_code&code=x"),
    "refresh_token": Wrong(400, "unauthorized_client", "grant_type=refresh_token&refresh_token=x"),
    "capitals": Wrong(400, "unsupported_grant_type", "grant_type=CLIENT_CREDENTIALS"),
    "a blank behind it": Wrong(400, "unsupported_grant_type", f"{GRANT}%20"),
    "an unknown scope": Wrong(400, "invalid_scope", f"{GRANT}&scope=wonderland:read"),
    "one of two scopes unknown": Wrong(400, "invalid_scope", f"{GRANT}&scope=openid+wonderland:read"),
    "two spaces between scopes": Wrong(400, "invalid_scope", f"{GRANT}&scope=openid++profile"),
    "an unknown resource": Wrong(400, "invalid_target", f"{GRANT}&resource=https://other.example"),
    "one of two resources unknown": Wrong(
        400, "invalid_target", f"{GRANT}&resource={ELSEWHERE}&resource=https://other.example"
    ),
    "a resource with a fragment": Wrong(400, "invalid_target", f"{GRANT}&resource={ELSEWHERE}%23a"),
    "a relative resource": Wrong(400, "invalid_target", f"{GRANT}&resource=/api"),
    "a resource with a blank": Wrong(400, "invalid_target", f"{GRANT}&resource=https://a.example/%20"),
    "a resource with a slash more": Wrong(400, "invalid_target", f"{GRANT}&resource={ELSEWHERE}/"),
    "a body too large": Wrong(413, "invalid_request", GRANT + "&x=" + "a" * 70_000),
    "JSON": Wrong(415, "invalid_request", '{"grant_type":"client_credentials"}', headers={"Content-Type": "application/json"}),
    "no media type": Wrong(415, "invalid_request", GRANT, headers={"Content-Type": ""}),
    "a multipart form": Wrong(415, "invalid_request", GRANT, headers={"Content-Type": "multipart/form-data; boundary=a"}),
    "a compressed body": Wrong(415, "invalid_request", GRANT, headers={"Content-Encoding": "gzip"}),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_wrong_requests(world: World, secret: str, name: str) -> None:
    wrong = WRONG[name]
    headers = dict(wrong.headers)
    query = headers.pop("query", None)
    if wrong.basic is not None:
        known = {"id": CLIENT, "secret": secret, "secret ": f"{secret} "}
        headers |= basic(*(known.get(half, half) for half in wrong.basic))
    body = (
        wrong.body.replace("client_secret=secret", f"client_secret={secret}")
        if isinstance(wrong.body, str)
        else wrong.body
    )
    path = "/oauth/token" + (f"?{query}" if query else "")
    sent = {"Content-Type": FORM} | headers
    answer = world.ask(
        f"POST {path}",
        None,
        content=body,
        headers={k: v for k, v in sent.items() if v or k == "Authorization"},
    )
    check_refused(answer, wrong.status, wrong.error)
    assert secret not in answer.text


@pytest.mark.parametrize("method", ["GET", "PUT", "PATCH", "DELETE", "HEAD"])
def test_other_methods(world: World, method: str) -> None:
    answer = world.ask(f"{method} /oauth/token", None)
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")
    if method != "HEAD":
        check_refused(answer, 405, "invalid_request")


def test_a_repeated_authorization_header(world: World, secret: str) -> None:
    twice = [("Content-Type", FORM), *basic(CLIENT, secret).items(), *basic(CLIENT, secret).items()]
    built = world.client.build_request("POST", "/oauth/token", headers=twice, content=GRANT)
    check_refused(world.client.send(built), 400, "invalid_request")


@pytest.mark.parametrize(
    ("resources", "audience", "is_accepted_here"),
    [
        ([ELSEWHERE], [ELSEWHERE], False),
        (["http://127.0.0.1:8080"], ["http://127.0.0.1:8080"], True),
        (["http://127.0.0.1:8080/mcp"], ["http://127.0.0.1:8080/mcp"], False),
        ([ELSEWHERE, "http://127.0.0.1:8080", ELSEWHERE], [ELSEWHERE, "http://127.0.0.1:8080"], True),
        ([], ["http://127.0.0.1:8080", "http://127.0.0.1:8080/mcp"], True),
    ],
)
def test_a_token_is_for_the_resources_it_was_requested_for(
    world: World, secret: str, resources: list[str], audience: list[str], is_accepted_here: bool
) -> None:
    body = urlencode([("grant_type", "client_credentials"), *(("resource", one) for one in resources)])
    answer = send(world, body, basic(CLIENT, secret))
    token = answer.json()["access_token"]
    assert jwt.decode(token, options={"verify_signature": False})["aud"] == audience
    assert world.is_in(token) is is_accepted_here


def test_two_secrets_while_one_is_replaced(world: World) -> None:
    first = manage(world, create_client, new_client("rotating")).secret
    second = manage(world, rotate_secret, world.realm, "rotating").secret
    tokens = [token_of(world, one, "rotating") for one in (first, second)]
    third = manage(world, rotate_secret, world.realm, "rotating").secret
    assert send(world, GRANT, basic("rotating", first)).status_code == 401
    tokens += [token_of(world, one, "rotating") for one in (second, third)]
    last = manage(world, rotate_secret, world.realm, "rotating", ends_previous=True).secret
    for gone in (first, second, third):
        check_refused(send(world, GRANT, basic("rotating", gone)), 401, "invalid_client")
    tokens.append(token_of(world, last, "rotating"))
    assert all(world.is_in(token) for token in tokens)


def test_a_disabled_client_gets_no_token_and_those_it_has_end(world: World) -> None:
    secret = manage(world, create_client, new_client("disabled")).secret
    token = token_of(world, secret, "disabled")
    assert world.is_in(token)
    manage(world, set_active, world.realm, "disabled", False)
    check_refused(send(world, GRANT, basic("disabled", secret)), 401, "invalid_client")
    assert not world.is_in(token)
    manage(world, set_active, world.realm, "disabled", True)
    assert world.is_in(token_of(world, secret, "disabled"))


def test_an_administrator_disables_a_client_of_its_tenant_alone(world: World) -> None:
    secret = manage(world, create_client, new_client("edited")).secret
    token = token_of(world, secret, "edited")
    stored = world.documents["oauth_clients"].find_one({"clientId": "edited"})
    assert stored is not None
    path = f"PATCH /security/oauth/clients/id/{stored['_id']}"
    options: dict[str, Any] = {
        "content": '{"active": false}',
        "headers": {"Content-Type": "application/merge-patch+json"},
    }
    assert world.ask(path, "globex", **options).status_code == 404
    assert world.ask(path, "acme-user", **options).status_code == 403
    assert world.is_in(token)
    assert world.ask(path, "acme", **options).status_code == 200
    assert not world.is_in(token)


def test_what_only_the_server_sets_cannot_be_sent(world: World, secret: str) -> None:
    own = world.documents["oauth_clients"].find_one({"clientId": CLIENT})
    assert own is not None
    body = {"clientId": "forged", "subject": own["subject"], "allowedGrantTypes": ["client_credentials"]}
    made = world.ask("POST /security/oauth/clients", json=body)
    assert made.status_code == 201, made.text
    assert "subject" not in made.json()
    hashed = world.ask(
        "POST /security/oauth/clients", json=made.json() | {"clientSecretHash": own["clientSecretHash"]}
    )
    assert hashed.status_code == 422
    previous = body | {"clientId": "forged-too", "previousSecretHash": own["clientSecretHash"]}
    assert world.ask("POST /security/oauth/clients", json=previous).status_code == 400
    renamed = world.ask("POST /security/oauth/clients", json=made.json() | {"clientId": "another"})
    assert renamed.status_code == 422
    check_refused(send(world, GRANT, basic("forged", secret)), 401, "invalid_client")
    given = manage(world, rotate_secret, world.realm, "forged").secret
    check_refused(send(world, GRANT, basic("forged", given)), 400, "unauthorized_client")
    twice = world.ask("POST /security/oauth/clients", "globex", json={"clientId": "forged"})
    assert (twice.status_code, twice.json()["code"]) == (409, "record.duplicate")


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"clientId": "a b"}, 422),
        ({"clientId": ""}, 422),
        ({"clientId": "a:b"}, 422),
        ({"clientId": "ok", "allowedGrantTypes": ["password"]}, 422),
        ({"clientId": "ok", "tokenEndpointAuthMethod": "none"}, 422),
        ({"clientId": "ok", "allowedResources": ["api"]}, 422),
        ({"clientId": "ok", "allowedResources": ["https://a.example/#b"]}, 422),
        ({"clientId": "ok", "allowedResources": ["https://"]}, 422),
        ({"clientId": "ok", "secret": "mine"}, 400),
    ],
)
def test_what_cannot_be_a_client(world: World, body: Document, status: int) -> None:
    assert world.ask("POST /security/oauth/clients", json=body).status_code == status


def test_grant_types_and_methods_of_a_client(world: World) -> None:
    secret = manage(world, create_client, new_client("narrow")).secret
    clients = world.documents["oauth_clients"]
    clients.update_one({"clientId": "narrow"}, {"$set": {"tokenEndpointAuthMethod": "client_secret_post"}})
    check_refused(send(world, GRANT, basic("narrow", secret)), 401, "invalid_client")
    assert send(world, f"{GRANT}&client_id=narrow&client_secret={secret}").status_code == 200
    clients.update_one({"clientId": "narrow"}, {"$set": {"tokenEndpointAuthMethod": "client_secret_basic"}})
    check_refused(send(world, f"{GRANT}&client_id=narrow&client_secret={secret}"), 401, "invalid_client")
    clients.update_one({"clientId": "narrow"}, {"$set": {"allowedGrantTypes": []}})
    check_refused(send(world, GRANT, basic("narrow", secret)), 400, "unauthorized_client")


def test_the_credential_of_a_client_bounds_it(world: World) -> None:
    secret = manage(world, create_client, new_client("bounded")).secret
    token = token_of(world, secret, "bounded")
    for password in ("", secret):
        body = {"userId": "bounded", "password": password}
        assert world.ask("POST /security/login", None, json=body).status_code in (401, 422)
    status = world.ask("PUT /security/users/userId/bounded/disabled", json={"disabled": True}).status_code
    assert status == 204
    assert not world.is_in(token)
    check_refused(send(world, GRANT, basic("bounded", secret)), 400, "unauthorized_client")


def test_a_removed_client_is_gone_with_its_credential_and_its_id(world: World) -> None:
    secret = manage(world, create_client, new_client("removed")).secret
    token = token_of(world, secret, "removed")
    manage(world, remove_client, world.realm, "removed")
    assert not world.is_in(token)
    check_refused(send(world, GRANT, basic("removed", secret)), 401, "invalid_client")
    assert world.documents["credentials"].find_one({"userId": "removed"}) is None
    with pytest.raises(Exception, match="given out once"):
        manage(world, create_client, new_client("removed"))
    assert world.documents["oauth_clients"].find_one({"clientId": "removed"}) is None


def test_wrong_secrets_are_throttled_and_a_verified_one_still_works(
    mongo_uri: str, mongo_client: MongoClient[Document], key_folder: Any
) -> None:
    with open_world(mongo_uri, mongo_client, login_failures=3, data_folder=key_folder) as world:
        secret = manage(world, create_client, new_client("guessed")).secret
        token_of(world, secret, "guessed")
        for _ in range(3):
            check_refused(send(world, GRANT, basic("guessed", "wrong")), 401, "invalid_client")
        throttled = send(world, GRANT, basic("guessed", "wrong"))
        check_refused(throttled, 429, "temporarily_unavailable")
        assert int(throttled.headers["retry-after"]) > 0
        assert world.is_in(token_of(world, secret, "guessed"))
        other = send(world, GRANT, basic("other", "wrong"))
        check_refused(other, 429, "temporarily_unavailable")  # of the address


def test_wrong_secrets_sent_from_elsewhere_lock_no_client_out(
    mongo_uri: str, mongo_client: MongoClient[Document], key_folder: Any
) -> None:
    """Everybody may know the id of a client: it is in the address bar of each sign-in."""
    with open_world(mongo_uri, mongo_client, login_failures=3, data_folder=key_folder) as world:
        secret = str(manage(world, create_client, new_client("known")).secret)
        world.peer = ("192.0.2.9", 1)
        answers = [send(world, GRANT, basic("known", "wrong")).status_code for _ in range(4)]
        assert answers == [401, 401, 401, 429]
        world.peer = ("192.0.2.10", 1)
        assert world.is_in(token_of(world, secret, "known"))


def test_the_metadata_names_the_issuer_of_the_tokens(world: World, secret: str) -> None:
    issuer = world.ask("GET /.well-known/oauth-authorization-server", None).json()["issuer"]
    assert jwt.decode(token_of(world, secret), options={"verify_signature": False})["iss"] == issuer
