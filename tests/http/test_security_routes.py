"""Login, refresh, me, key set, and how a caller is known: RFC 6750, realms, roles."""

from __future__ import annotations

import base64
import json
from typing import Any

import jwt
import pytest

from runtime.identity.users.users import NewUser
from tests.http.world import CALLERS, PASSWORD, Document, Play, World
from tests.scenario import Scenario, check_problem

# A service that sees at once what is changed behind its back.
pytestmark = pytest.mark.settings(credential_cache_seconds=0)

ME = "GET /security/me"
LOGIN = "POST /security/login"
REFRESH = "POST /security/refresh"
WHO = CALLERS["acme"]
GOOD = {"userId": WHO.user_id, "password": PASSWORD}

LOGIN_FAILED = 'Bearer realm="recordsmith"'
METADATA = 'resource_metadata="http://127.0.0.1:8080/.well-known/oauth-protected-resource"'
NO_ERROR = f'Bearer realm="recordsmith", {METADATA}'
INVALID = f'Bearer realm="recordsmith", error="invalid_token", {METADATA}'


def login(world: World, **members: Any) -> Document:
    answer = world.ask(LOGIN, None, json=GOOD | members)
    assert answer.status_code == 200, answer.text
    tokens: Document = answer.json()
    return tokens


class TestLogin:
    def test_answer(self, world: World, play: Play) -> None:
        answer = play(Scenario("login", LOGIN, user=None, body=GOOD, answers={"cache-control": "no-store"}))
        assert answer.keys() == {
            "accessToken",
            "refreshToken",
            "tokenType",
            "expiresIn",
            "expirationTime",
            "realm",
            "identity",
            "roles",
        }
        assert (answer["tokenType"], answer["identity"], answer["roles"]) == (
            "Bearer",
            WHO.user_id,
            ["admin"],
        )
        assert answer["realm"] == world.realm
        headers = {"Authorization": f"Bearer {answer['accessToken']}"}
        assert world.ask(ME, None, headers=headers).json()["identity"] == WHO.user_id

    def test_the_user_id_has_no_case(self, world: World) -> None:
        assert login(world, userId=WHO.user_id.upper())["identity"] == WHO.user_id

    def test_the_default_realm_may_be_named(self, world: World) -> None:
        assert login(world, realm=world.realm)["realm"] == world.realm

    @pytest.mark.parametrize(
        "members",
        [
            pytest.param({"password": "wrong password"}, id="wrong password"),
            pytest.param({"userId": "nobody@acme"}, id="unknown user"),
            pytest.param({"realm": "elsewhere"}, id="unknown realm"),
            pytest.param({"realm": "../admin"}, id="no name of a realm"),
            pytest.param({"password": "x" * 1000}, id="longest password"),
            pytest.param({"password": PASSWORD + "\0"}, id="NUL behind the password"),
        ],
    )
    def test_failures_look_alike(self, world: World, play: Play, members: Document) -> None:
        world.documents["loginAttempts"].delete_many({})  # throttling is tested elsewhere
        has = {"message": "The user id or the password is wrong.", "reason": "badCredentials"}
        lacks = ("accessToken", "refreshToken", "changeToken")
        said: dict[str, Any] = {"status": 401, "code": "login.failed", "has": has, "lacks": lacks}
        play(
            Scenario(
                "login",
                LOGIN,
                user=None,
                body=GOOD | members,
                answers={"WWW-Authenticate": LOGIN_FAILED},
                **said,
            )
        )

    @pytest.mark.parametrize(
        ("body", "status", "code"),
        [
            pytest.param({"userId": WHO.user_id}, 422, "record.invalid", id="no password"),
            pytest.param(GOOD | {"password": ""}, 422, "record.invalid", id="empty password"),
            pytest.param(GOOD | {"password": "x" * 1001}, 422, "record.invalid", id="endless password"),
            pytest.param(GOOD | {"password": 5}, 422, "record.invalid", id="number"),
            pytest.param(GOOD | {"password": {"$ne": ""}}, 422, "record.invalid", id="operator"),
            pytest.param(GOOD | {"userId": {"$gt": ""}}, 422, "record.invalid", id="operator as user"),
            pytest.param(GOOD | {"remember": True}, 400, "request.unknown_member", id="unknown member"),
            pytest.param([], 422, "record.invalid", id="no object"),
        ],
    )
    def test_bodies(self, play: Play, body: Any, status: int, code: str) -> None:
        silent = (PASSWORD,)
        play(Scenario("login", LOGIN, user=None, body=body, status=status, code=code, silent_on=silent))

    def test_a_form_is_refused(self, play: Play) -> None:
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        said: dict[str, Any] = {"status": 415, "code": "request.media_type"}
        play(Scenario("login", LOGIN, user=None, content=b"userId=a&password=b", headers=headers, **said))

    def test_too_many_failures_are_throttled(self, world: World) -> None:
        world.documents["loginAttempts"].delete_many({})
        body = {"userId": "somebody@acme.example", "password": "wrong password"}
        answers = [world.ask(LOGIN, None, json=body) for _ in range(11)]
        assert [answer.status_code for answer in answers] == [401] * 10 + [429]
        check_problem(429, answers[-1].headers, answers[-1].json())
        assert answers[-1].json()["code"] == "request.throttled"
        assert 0 < int(answers[-1].headers["Retry-After"]) <= 600
        world.documents["loginAttempts"].delete_many({})


class TestRefresh:
    def test_a_refresh_token_is_good_once(self, world: World, play: Play) -> None:
        first = login(world)
        second = play(Scenario("refresh", REFRESH, user=None, body={"refreshToken": first["refreshToken"]}))
        assert second.keys() == first.keys()
        assert second["refreshToken"] != first["refreshToken"]
        headers = {"Authorization": f"Bearer {second['accessToken']}"}
        assert world.ask(ME, None, headers=headers).status_code == 200
        for token in (first["refreshToken"], second["refreshToken"]):  # a second use ends the whole family
            play(Scenario("again", REFRESH, user=None, body={"refreshToken": token}, status=401))

    def test_other_tokens(self, world: World, play: Play) -> None:
        for token in (login(world)["accessToken"], "a.b.c", "x"):
            body = {"refreshToken": token}
            play(Scenario("refresh", REFRESH, user=None, body=body, status=401, lacks=("accessToken",)))

    @pytest.mark.parametrize("body", [{}, {"refreshToken": ""}, {"refreshToken": None}, {"refreshToken": 5}])
    def test_bodies(self, play: Play, body: Document) -> None:
        play(Scenario("refresh", REFRESH, user=None, body=body, status=422, code="record.invalid"))

    def test_a_refresh_token_is_no_access_token(self, world: World, play: Play) -> None:
        headers = {"Authorization": f"Bearer {login(world)['refreshToken']}"}
        play(
            Scenario("me", ME, user=None, headers=headers, status=401, answers={"WWW-Authenticate": INVALID})
        )


class TestMe:
    @pytest.mark.parametrize("caller", sorted(CALLERS))
    def test_answer(self, world: World, play: Play, caller: str) -> None:
        user = CALLERS[caller]
        answer = play(Scenario("me", ME, user=caller, answers={"cache-control": "no-store"}))
        assert (answer["identity"], answer["roles"]) == (user.user_id, sorted(user.roles))
        context = {"tenantId": user.tenant_id, "orgRefName": user.org_ref_name, "defaultRealm": world.realm}
        assert answer["domainContext"] == {
            name: value for name, value in context.items() if value is not None
        }
        assert answer["realm"] == world.realm
        assert answer.keys() == {"identity", "subject", "roles", "realm", "domainContext"}


class TestKeySet:
    def test_it_verifies_the_tokens(self, world: World, play: Play) -> None:
        keys = play(Scenario("keys", "GET /oauth/jwks", user=None))["keys"]
        token = world.tokens["acme"]
        kid = jwt.get_unverified_header(token)["kid"]
        (key,) = [key for key in keys if key["kid"] == kid]
        claims = jwt.decode(token, jwt.PyJWK(key).key, algorithms=["RS256"], options={"verify_aud": False})
        assert claims["upn"] == WHO.user_id

    def test_it_holds_nothing_private(self, play: Play) -> None:
        for key in play(Scenario("keys", "GET /oauth/jwks", user=None))["keys"]:
            assert key.keys() == {"kty", "n", "e", "kid", "use", "alg"}


def forged(token: str, **claims: Any) -> str:
    """The token with other claims and the old signature."""
    head, body, signature = token.split(".")
    told = json.loads(base64.urlsafe_b64decode(body + "==")) | claims
    return f"{head}.{base64.urlsafe_b64encode(json.dumps(told).encode()).decode().rstrip('=')}.{signature}"


class TestBearer:
    """RFC 6750 §3.1: no error code without credentials, ``invalid_token`` with bad ones."""

    def challenge(self, play: Play, headers: dict[str, str], expected: str) -> None:
        said: dict[str, Any] = {
            "status": 401,
            "code": "access.unauthenticated",
            "answers": {"WWW-Authenticate": expected},
        }
        for request in (ME, "GET /logistics/carriers/list", "DELETE /logistics/carriers/id/x"):
            play(Scenario("challenge", request, user=None, headers=headers, **said))

    def test_no_credentials(self, play: Play) -> None:
        self.challenge(play, {}, NO_ERROR)

    @pytest.mark.parametrize("value", ["", "Basic YTpi", "Bearer", "Bearer ", "Digest x", "token abc"])
    def test_credentials_of_another_kind(self, play: Play, value: str) -> None:
        self.challenge(play, {"Authorization": value}, NO_ERROR)

    @pytest.mark.parametrize(
        "token",
        ["x", "a.b.c", "....", "{}", "x" * 10_000, "eyJhbGciOiJub25lIn0.e30.", "\x7f"],
        ids=lambda t: t[:12],
    )
    def test_what_is_no_token(self, play: Play, token: str) -> None:
        self.challenge(play, {"Authorization": f"Bearer {token}"}, INVALID)

    @pytest.mark.parametrize(
        "claims",
        [{"groups": ["system"]}, {"tenantId": "globex"}, {"sub": "somebody"}, {"exp": 4102444800}],
        ids=str,
    )
    def test_a_forged_token(self, world: World, play: Play, claims: Document) -> None:
        token = forged(world.tokens["acme-user"], **claims)
        self.challenge(play, {"Authorization": f"Bearer {token}"}, INVALID)

    def test_a_token_in_the_query_does_not_count(self, world: World, play: Play) -> None:
        play(Scenario("me", f"{ME}?access_token={world.tokens['acme']}", user=None, status=401))

    @pytest.mark.parametrize("scheme", ["bearer", "BEARER", "Bearer "])
    def test_the_scheme_has_no_case(self, world: World, play: Play, scheme: str) -> None:
        headers = {"Authorization": f"{scheme} {world.tokens['acme']}"}
        play(Scenario("me", ME, user=None, headers=headers))

    @pytest.mark.parametrize("name", ["Authorization", "X-Realm"])
    def test_a_header_that_came_twice(self, world: World, name: str) -> None:
        twice = {"Authorization": world.headers("acme")["Authorization"], "X-Realm": world.realm}
        headers = [*twice.items(), (name, twice[name])]
        answer = world.client.get("/security/me", headers=headers)
        assert (answer.status_code, answer.json()["code"]) == (400, "request.invalid_parameter")

    def test_a_disabled_user_is_out_at_once(self, world: World, play: Play) -> None:
        world.sign_in("leaver", NewUser("leaver@acme.example", PASSWORD, "acme", frozenset({"user"})))
        play(Scenario("before", ME, user="leaver"))
        world.documents["credentials"].update_one(
            {"userId": "leaver@acme.example"}, {"$set": {"disabled": True}}
        )
        play(Scenario("after", ME, user="leaver", status=401, answers={"WWW-Authenticate": INVALID}))


class TestRealm:
    @pytest.mark.parametrize("user", ["acme", "globex", "system"])
    @pytest.mark.parametrize("realm", ["elsewhere", "admin", "local", "../x", "", "$", "a" * 64])
    def test_another_realm_is_refused(self, play: Play, user: str, realm: str) -> None:
        said: dict[str, Any] = {"status": 403, "code": "access.denied", "headers": {"X-Realm": realm}}
        play(Scenario("me", ME, user=user, **said))
        body = {"name": "x", "mode": "AIR"}
        play(Scenario("save", "POST /logistics/carriers", user=user, body=body, **said))

    def test_the_own_realm_may_be_named(self, world: World, play: Play) -> None:
        play(Scenario("me", ME, headers={"X-Realm": world.realm}, has={"realm": world.realm}))


class TestRoles:
    @pytest.mark.parametrize(
        ("user", "status"), [("acme", 200), ("acme-user", 200), ("system", 200), ("acme-nobody", 403)]
    )
    def test_who_reads(self, play: Play, user: str, status: int) -> None:
        code = "access.denied" if status == 403 else None
        play(Scenario("list", "GET /logistics/carriers/list", user=user, status=status, code=code))

    def test_system_sees_every_tenant(self, world: World, play: Play) -> None:
        made = [world.make("Carrier", user) for user in ("acme", "acme-north", "globex")]
        rows = play(Scenario("list", "GET /logistics/carriers/list?limit=1000", user="system"))["rows"]
        assert {row["id"] for row in rows} >= {record["id"] for record in made}

    def test_credentials_are_no_plain_records(self, play: Play) -> None:
        for path in ("credentials", "refresh-families", "login-attempts"):
            for area in ("security", "system"):
                play(Scenario("list", f"GET /{area}/{path}/list", user="system", status=404))
