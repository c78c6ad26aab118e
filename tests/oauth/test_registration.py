"""``POST /oauth/register`` (RFC 7591): what is registered and returned, what is refused, and what such a client may do."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import bcrypt
import pytest
from pymongo import MongoClient

from runtime.errors import Misconfigured
from runtime.settings import Settings
from tests.http.world import Document, World, open_world
from tests.oauth.applications import CLIENT_CREDENTIALS, basic, send
from tests.oauth.sign_ins import sign_in

pytestmark = pytest.mark.settings(registration="open", registrations_per_hour=500)

PAGE = "https://app.example/callback"
PUBLIC = {"redirect_uris": [PAGE], "token_endpoint_auth_method": "none"}
TOKEN = "initial-access-token-of-thirty-two-characters"
CLIENTS = "/security/oauth/clients"


def register(world: World, body: Any, token: str | None = None, **options: Any) -> Any:
    headers = {} if token is None else {"Authorization": token}
    sent = {"content": body} if isinstance(body, str | bytes) else {"json": body}
    return world.ask("POST /oauth/register", None, headers=headers | options.pop("headers", {}), **sent)


def check_refused(answer: Any, status: int, error: str) -> None:
    assert (answer.status_code, answer.json()["error"]) == (status, error), answer.text
    assert answer.json().keys() == {"error", "error_description"}
    described = answer.json()["error_description"]
    assert described.isascii()
    assert not set(described) & {'"', "\\"}
    assert answer.headers["cache-control"] == "no-store"


def stored(world: World, client_id: str) -> Document:
    found = world.documents["oauth_clients"].find_one({"clientId": client_id})
    assert found is not None
    return found


def test_a_public_client(world: World) -> None:
    answer = register(
        world,
        PUBLIC
        | {
            "client_name": "Field notes",
            "application_type": "native",
            "redirect_uris": [PAGE, "com.example.app:/callback", "http://127.0.0.1/"],
            "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"],
            "scope": "openid logistics:read nonsense security:write",
            "post_logout_redirect_uris": ["https://app.example/"],
            "logo_uri": "https://app.example/logo.png",
            "x-unknown": {"deep": [1]},
        },
    )
    assert answer.status_code == 201, answer.text
    assert (answer.headers["cache-control"], answer.headers["pragma"]) == ("no-store", "no-cache")
    made = answer.json()
    record = stored(world, made.pop("client_id"))
    assert made.pop("client_id_issued_at") > 1_700_000_000
    assert made == {
        "client_name": "Field notes",
        "application_type": "native",
        "redirect_uris": [PAGE, "com.example.app:/callback", "http://127.0.0.1/"],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
        "scope": "openid logistics:read records:read",
        "post_logout_redirect_uris": ["https://app.example/"],
    }
    assert (record["publicClient"], record["requireConsent"], record["selfRegistered"]) == (True, True, True)
    assert record["dataDomain"]["tenantId"] == "self-registered-clients"
    assert record["unusedUntil"] - record["auditInfo"]["createdDate"] == timedelta(days=30)
    assert not {"clientSecretHash", "subject"} & record.keys()
    assert world.documents["credentials"].count_documents({"userId": record["clientId"]}) == 0


def test_a_confidential_client_gets_a_secret_once(world: World) -> None:
    made = register(world, {"redirect_uris": [PAGE]}).json()
    assert made["token_endpoint_auth_method"] == "client_secret_basic"
    assert (made["grant_types"], made["client_secret_expires_at"]) == (["authorization_code"], 0)
    assert made["scope"] == "openid profile email offline_access records:read records:write"
    record = stored(world, made["client_id"])
    assert made["client_secret"] not in str(record)
    assert bcrypt.checkpw(made["client_secret"].encode(), record["clientSecretHash"].encode())
    refused = send(world, CLIENT_CREDENTIALS, basic(made["client_id"], made["client_secret"]))
    assert (refused.status_code, refused.json()["error"]) == (400, "unauthorized_client")
    unknown = send(world, CLIENT_CREDENTIALS, basic(made["client_id"], "wrong"))
    assert unknown.status_code == 401


def test_a_client_with_a_key(world: World) -> None:
    keys = {"keys": [{"kty": "OKP", "crv": "Ed25519", "x": "A" * 43, "kid": "1"}]}
    body = {"redirect_uris": [PAGE], "token_endpoint_auth_method": "private_key_jwt", "jwks": keys}
    made = register(world, body).json()
    assert (made["jwks"], "client_secret" in made) == (keys, False)


def test_the_first_token_keeps_it_and_is_narrowed(world: World) -> None:
    body = PUBLIC | {"grant_types": ["authorization_code", "refresh_token"], "scope": "openid"}
    client_id = register(world, body).json()["client_id"]
    sent = sign_in(world, client_id, scope="openid")
    wrong = send(world, sent.form(client_id=client_id, code_verifier="x" * 43))
    assert wrong.status_code == 400
    assert "unusedUntil" in stored(world, client_id)
    answer = send(world, sent.form(client_id=client_id))
    assert answer.status_code == 200, answer.text
    assert "unusedUntil" not in stored(world, client_id)
    bearer = {"Authorization": f"Bearer {answer.json()['access_token']}"}
    listed = world.ask("GET /logistics/carriers/list", None, headers=bearer)
    assert listed.status_code == 403
    form = {
        "grant_type": "refresh_token",
        "refresh_token": answer.json()["refresh_token"],
        "client_id": client_id,
    }
    assert send(world, form).status_code == 200


def test_only_system_sees_them(world: World) -> None:
    made = register(world, PUBLIC).json()
    record_id = stored(world, made["client_id"])["_id"]
    for caller, status in (("acme", 404), ("globex", 404), ("system", 200)):
        assert world.ask(f"GET {CLIENTS}/id/{record_id}", caller).status_code == status
    assert world.ask(f"POST {CLIENTS}/{made['client_id']}/rotate-secret", "acme", json={}).status_code == 404


def test_the_record_goes_by_an_index_of_the_store(world: World) -> None:
    indexes = world.documents["oauth_clients"].index_information().values()
    assert [one["expireAfterSeconds"] for one in indexes if one["key"] == [("unusedUntil", 1)]] == [0]


WRONG: dict[str, tuple[Any, str]] = {
    "no redirect URI": ({}, "invalid_redirect_uri"),
    "no redirect URIs in the list": ({"redirect_uris": []}, "invalid_redirect_uri"),
    "http": ({"redirect_uris": ["http://app.example/"]}, "invalid_redirect_uri"),
    "javascript": ({"redirect_uris": ["javascript:alert(1)"]}, "invalid_redirect_uri"),
    "one of two": ({"redirect_uris": [PAGE, "data:text/html,a"]}, "invalid_redirect_uri"),
    "a wildcard": ({"redirect_uris": ["https://*.example/"]}, "invalid_redirect_uri"),
    "a fragment": ({"redirect_uris": [f"{PAGE}#a"]}, "invalid_redirect_uri"),
    "a private scheme of the web": ({"redirect_uris": ["com.example.app:/"]}, "invalid_redirect_uri"),
    "after a logout": (PUBLIC | {"post_logout_redirect_uris": ["a"]}, "invalid_redirect_uri"),
    "a string of URIs": ({"redirect_uris": PAGE}, "invalid_client_metadata"),
    "numbers": ({"redirect_uris": [5]}, "invalid_client_metadata"),
    "51 URIs": ({"redirect_uris": [f"{PAGE}{n}" for n in range(51)]}, "invalid_client_metadata"),
    "client_credentials": (PUBLIC | {"grant_types": ["client_credentials"]}, "invalid_client_metadata"),
    "client_credentials too": (
        {"redirect_uris": [PAGE], "grant_types": ["authorization_code", "client_credentials"]},
        "invalid_client_metadata",
    ),
    "password": (PUBLIC | {"grant_types": ["password"]}, "invalid_client_metadata"),
    "implicit": (PUBLIC | {"grant_types": ["authorization_code", "implicit"]}, "invalid_client_metadata"),
    "refresh_token alone": (PUBLIC | {"grant_types": ["refresh_token"]}, "invalid_client_metadata"),
    "token": (PUBLIC | {"response_types": ["token"]}, "invalid_client_metadata"),
    "code and id_token": (PUBLIC | {"response_types": ["code", "code id_token"]}, "invalid_client_metadata"),
    "client_secret_jwt": (
        {"redirect_uris": [PAGE], "token_endpoint_auth_method": "client_secret_jwt"}, "invalid_client_metadata"
    ),
    "no keys": (
        {"redirect_uris": [PAGE], "token_endpoint_auth_method": "private_key_jwt"}, "invalid_client_metadata"
    ),
    "a private key": (
        {
            "redirect_uris": [PAGE], "token_endpoint_auth_method": "private_key_jwt",
            "jwks": {"keys": [{"kty": "OKP", "crv": "Ed25519", "x": "A" * 43, "d": "A" * 43}]},
        },
        "invalid_client_metadata",
    ),
    "a key set that is none": (PUBLIC | {"jwks": "keys"}, "invalid_client_metadata"),
    "an unknown type": (PUBLIC | {"application_type": "desktop"}, "invalid_client_metadata"),
    "a name of control characters": (PUBLIC | {"client_name": "a\u202eb"}, "invalid_client_metadata"),
    "a name of two lines": (PUBLIC | {"client_name": "a\nb"}, "invalid_client_metadata"),
    "an endless name": (PUBLIC | {"client_name": "a" * 201}, "invalid_client_metadata"),
    "unknown scopes": (PUBLIC | {"scope": "admin root"}, "invalid_client_metadata"),
    "security scopes": (PUBLIC | {"scope": "security:read security:write"}, "invalid_client_metadata"),
    "an unknown realm": (PUBLIC | {"realm": "nowhere"}, "invalid_client_metadata"),
    "a list": ([PUBLIC], "invalid_client_metadata"),
    "no JSON": ("redirect_uris=a", "invalid_client_metadata"),
    "an empty body": ("", "invalid_client_metadata"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_what_is_refused(world: World, name: str) -> None:
    body, error = WRONG[name]
    before = world.documents["oauth_clients"].count_documents({})
    headers = {"Content-Type": "application/json"}
    check_refused(register(world, body, headers=headers), 400, error)
    assert world.documents["oauth_clients"].count_documents({}) == before


@pytest.mark.parametrize(
    "member",
    [
        "client_id",
        "client_secret",
        "clientSecretHash",
        "subject",
        "requireConsent",
        "selfRegistered",
        "active",
    ],
)
def test_what_nobody_chooses(world: World, member: str) -> None:
    made = register(world, PUBLIC | {member: "chosen"}).json()
    assert made["client_id"] != "chosen"
    assert "chosen" not in str(stored(world, made["client_id"]))


def test_a_form_is_not_json(world: World) -> None:
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    check_refused(register(world, "redirect_uris=a", headers=headers), 415, "invalid_request")


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
def test_other_methods(world: World, method: str) -> None:
    answer = world.ask(f"{method} /oauth/register", None)
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")


def test_off_unless_set(mongo_uri: str, mongo_client: MongoClient[Document], key_folder: Any) -> None:
    with open_world(mongo_uri, mongo_client, data_folder=key_folder) as world:
        check_refused(register(world, PUBLIC), 404, "invalid_request")
        assert world.documents["oauth_clients"].count_documents({}) == 0


def test_with_an_initial_access_token(
    mongo_uri: str, mongo_client: MongoClient[Document], key_folder: Any
) -> None:
    values = {"registration": "token", "registration_token": TOKEN, "data_folder": key_folder}
    with open_world(mongo_uri, mongo_client, **values) as world:
        lacking = (None, "", "Bearer", f"Basic {TOKEN}", TOKEN)
        for sent in (*lacking, f"Bearer {TOKEN}x", f"Bearer {TOKEN[:-1]}", "Bearer ü"):
            answer = register(world, PUBLIC, sent and sent.encode("latin-1"))
            check_refused(answer, 401, "invalid_token")
            error, text = (
                ("", "takes an") if sent in lacking else (', error="invalid_token"', "is not that of")
            )
            assert answer.headers["www-authenticate"] == f'Bearer realm="recordsmith"{error}', sent
            assert text in answer.json()["error_description"]
            assert TOKEN not in answer.text
        assert world.documents["oauth_clients"].count_documents({}) == 0
        assert register(world, PUBLIC, f"Bearer {TOKEN}").status_code == 201
        assert register(world, PUBLIC, f"bearer  {TOKEN}").status_code == 201


@pytest.mark.parametrize("token", [None, "", "short"])
def test_a_guessable_token_is_not_accepted_at_start(token: str | None) -> None:
    with pytest.raises(Misconfigured, match="registration-token"):
        Settings.read({}, registration="token", registration_token=token)


def test_registrations_are_throttled_and_logins_are_not(
    mongo_uri: str, mongo_client: MongoClient[Document], key_folder: Any
) -> None:
    values: dict[str, Any] = {"registration": "open", "registrations_per_hour": 3, "data_folder": key_folder}
    with open_world(mongo_uri, mongo_client, **values) as world:
        assert [register(world, PUBLIC if n else {}).status_code for n in range(3)] == [400, 201, 201]
        answer = register(world, PUBLIC)
        check_refused(answer, 429, "temporarily_unavailable")
        assert int(answer.headers["retry-after"]) > 0
        assert world.documents["oauth_clients"].count_documents({}) == 2
        world.peer = ("192.0.2.7", 1)
        assert register(world, PUBLIC).status_code == 201


def test_strangers_do_not_use_up_registrations(
    mongo_uri: str, mongo_client: MongoClient[Document], key_folder: Any
) -> None:
    values: dict[str, Any] = {
        "registration": "token",
        "registration_token": TOKEN,
        "registrations_per_hour": 3,
        "data_folder": key_folder,
    }
    with open_world(mongo_uri, mongo_client, **values) as world:
        tallies = world.documents["loginAttempts"]
        for token in (None, f"Bearer {TOKEN}x", "Basic YTpi"):
            check_refused(register(world, PUBLIC, token), 401, "invalid_token")
        assert tallies.count_documents({"key": {"$regex": "^registration:"}}) == 0
        assert tallies.count_documents({"key": {"$regex": "^registration.refused:"}}) == 1
        assert [register(world, PUBLIC, f"Bearer {TOKEN}").status_code for _ in range(3)] == [201] * 3
        assert tallies.count_documents({"key": "registration:all"}) == 1
        (of_all,) = tallies.find({"key": "registration:all"})
        assert len(of_all["failures"]) == 3
        for token in (None, f"Bearer {TOKEN}x"):
            answer = register(world, PUBLIC, token)
            check_refused(answer, 429, "temporarily_unavailable")
            assert int(answer.headers["retry-after"]) > 0
        check_refused(register(world, PUBLIC, f"Bearer {TOKEN}"), 429, "temporarily_unavailable")
        world.peer = ("192.0.2.7", 1)
        check_refused(register(world, PUBLIC), 401, "invalid_token")
        assert register(world, PUBLIC, f"Bearer {TOKEN}").status_code == 201
        assert world.documents["oauth_clients"].count_documents({}) == 4
