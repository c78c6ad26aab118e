"""The answers of the routes, member by member."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest

from runtime.access.guard import open_anonymous_call, open_call
from runtime.call import Service
from runtime.errors import LoginFailed, PasswordChangeRequired, ServiceError
from runtime.identity.login.routes import describe_caller, log_in, publish_keys, refresh
from runtime.model.problems import build_problem_body

PASSWORD = "correct horse battery"

pytestmark = pytest.mark.anyio


@dataclass
class Login:
    user_id: str = "ada"
    password: str = PASSWORD
    realm: str | None = None


@dataclass
class Refresh:
    refresh_token: str


async def test_login_and_refresh_answer_alike(service: Service, make_user: Any, clock: Any) -> None:
    await make_user("Ada", roles=frozenset({"user", "admin"}))
    clock.seconds = float(int(clock.seconds)) + 0.75
    call = open_anonymous_call(service, "request 1", "192.0.2.1")
    first = await log_in(call, Login())
    second = await refresh(call, Refresh(first["refreshToken"]))

    for answer in (first, second):
        assert service.tokens.verify_access(answer["accessToken"]).user_id == "Ada"
        assert service.tokens.verify_refresh(answer["refreshToken"])
        rest = {name: value for name, value in answer.items() if name not in ("accessToken", "refreshToken")}
        assert rest == {
            "tokenType": "Bearer",
            "expiresIn": 3600,
            "expirationTime": datetime.fromtimestamp(int(clock.seconds) + 3600, UTC),
            "realm": service.settings.default_realm,
            "identity": "Ada",
            "roles": ["admin", "user"],
        }


async def test_expiration_time_is_that_of_the_token(service: Service, make_user: Any) -> None:
    await make_user("ada")
    answer = await log_in(open_anonymous_call(service, "request 1"), Login())
    claims = service.tokens.verify_access(answer["accessToken"])
    assert answer["expirationTime"].timestamp() == claims.expires_at


async def test_login_names_its_realm(service: Service, make_user: Any) -> None:
    await make_user("ada")
    call = open_anonymous_call(service, "request 1")
    assert (await log_in(call, Login(realm=service.settings.default_realm)))["identity"] == "ada"
    with pytest.raises(LoginFailed):
        await log_in(call, Login(realm="other"))


async def test_refusals_carry_code_reason_and_message(service: Service, make_user: Any) -> None:
    await make_user("ada", force_change_password=True)
    call = open_anonymous_call(service, "request 1")
    bodies = []
    for kind, body in ((LoginFailed, Login(password="wrong password")), (PasswordChangeRequired, Login())):
        with pytest.raises(kind) as refusal:
            await log_in(call, body)
        bodies.append(build_problem_body(refusal.value, instance="/security/login", request_id="request 1"))
    failed, change = bodies
    assert (failed["status"], failed["code"], failed["reason"]) == (401, "login.failed", "badCredentials")
    assert failed["message"] == failed["detail"] == "The user id or the password is wrong."
    assert (change["status"], change["code"]) == (401, "login.password_change_required")
    assert change.keys() >= {"reason", "message", "changeToken", "expiresIn"}


async def test_login_counts_by_the_address_of_the_call(service: Service, make_user: Any) -> None:
    await make_user("ada")
    outcomes = []
    for n in range(11):
        call = open_anonymous_call(service, "request 1", "192.0.2.1")
        with pytest.raises(ServiceError) as refusal:
            await log_in(call, Login(user_id=f"nobody-{n}"))
        outcomes.append(type(refusal.value).__name__)
    assert outcomes == ["LoginFailed"] * 10 + ["Throttled"]
    other = open_anonymous_call(service, "request 1", "198.51.100.1")
    assert (await log_in(other, Login()))["identity"] == "ada"


async def test_me_is_the_caller_in_this_realm(service: Service, make_user: Any, make_realm: Any) -> None:
    await make_realm("emea")
    made = await make_user(
        "ada", org_ref_name="research", data_segment=0, realms=frozenset({"emea"}),
        realm_roles={"emea": frozenset({"admin"})},
    )  # fmt: skip
    token = (await log_in(open_anonymous_call(service, "request 1"), Login()))["accessToken"]
    realm = service.settings.default_realm

    at_home = await describe_caller(await open_call(service, token, None, "request 1", "system"))
    assert at_home == {
        "identity": "ada",
        "subject": made["subject"],
        "roles": ["user"],
        "realm": realm,
        "domainContext": {
            "tenantId": "acme", "orgRefName": "research", "defaultRealm": realm, "dataSegment": 0,
        },
    }  # fmt: skip
    away = await describe_caller(await open_call(service, token, "emea", "request 1", "system"))
    assert away == at_home | {"roles": ["admin"], "realm": "emea"}


async def test_key_set_holds_no_private_member(service: Service) -> None:
    answer = await publish_keys(open_anonymous_call(service, "request 1"))
    published = json.loads(answer.body)
    assert published == service.tokens.key_set()
    assert published["keys"]
    assert all(key.keys() == {"kty", "n", "e", "kid", "use", "alg"} for key in published["keys"])
