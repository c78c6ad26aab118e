"""Logging in and being recognised, on the real store."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

import pytest
from pymongo import MongoClient

from runtime.call import Service
from runtime.errors import (
    LoginFailed,
    Overloaded,
    PasswordChangeRequired,
    ServiceError,
    Throttled,
    Unauthenticated,
)
from runtime.identity.credentials.passwords import hash_off_loop
from runtime.identity.login.login import CHANGE_PURPOSE
from runtime.identity.users.users import disable_user, set_password
from runtime.realm_setup import create_realm
from runtime.system.record_types import CREDENTIAL

PASSWORD = "correct horse battery"

pytestmark = pytest.mark.anyio


async def login(service: Service, user_id: str = "ada", password: str = PASSWORD, **changes: Any) -> Any:
    where = {"realm": service.settings.default_realm, "address": "192.0.2.1"} | changes
    return await service.provider.log_in(user_id, password, **where)


def credentials(mongo_client: MongoClient[Any], service: Service) -> Any:
    return mongo_client[service.settings.default_realm]["credentials"]


async def test_right_password_gets_tokens_that_are_accepted(service: Service, make_user: Any) -> None:
    made = await make_user("Ada", org_ref_name="research", data_segment=2, email="ada@acme.example")
    logged_in = await login(service, "Ada")

    identity = await service.provider.validate(logged_in.access_token)
    assert identity == logged_in.identity
    assert (identity.user_id, identity.subject, identity.roles) == ("Ada", made["subject"], {"user"})
    assert identity.realm == identity.domain.default_realm == service.settings.default_realm
    assert (identity.domain.tenant_id, identity.domain.org_ref_name) == ("acme", "research")
    assert (identity.domain.account_id, identity.domain.data_segment) == (None, 2)
    assert logged_in.expires_in == 3600


@pytest.mark.parametrize(
    "typed", ["ada", "ADA", "Ada", "ａｄａ"], ids=["lower", "upper", "mixed", "full width"]
)
async def test_user_id_is_compared_without_case(service: Service, make_user: Any, typed: str) -> None:
    await make_user("Ada")
    assert (await login(service, typed)).identity.user_id == "Ada"


async def test_every_refusal_looks_the_same(
    service: Service, make_user: Any, mongo_client: MongoClient[Any]
) -> None:
    realm = service.settings.default_realm
    await make_user("ada")
    await make_user("disabled")
    await disable_user(service, realm, "disabled", True)
    await make_user("foreign")
    await make_user("archived")
    await make_user("broken")
    for user_id, changes in (
        ("foreign", {"authProviderName": "ldap"}),
        ("archived", {"activeStatus": "ARCHIVED"}),
        ("broken", {"passwordHash": "not a hash"}),
    ):
        credentials(mongo_client, service).update_one({"userId": user_id}, {"$set": changes})
    attempts: list[dict[str, Any]] = [
        {"password": "wrong password"},
        {"password": ""},
        {"password": "x" * 73},
        {"password": PASSWORD + "\ud800"},
        {"user_id": "nobody"},
        {"user_id": ""},
        {"user_id": "x" * 1000},
        {"user_id": "\ud800"},
        {"user_id": "a\0da"},
        {"user_id": "disabled"},
        {"user_id": "disabled", "password": "wrong password"},
        {"user_id": "foreign"},
        {"user_id": "archived"},
        {"user_id": "broken"},
        {"realm": "made-up"},
        {"realm": "admin"},
        {"realm": "local"},
        {"realm": "../x"},
        {"realm": ""},
        {"realm": "x" * 1000},
        {"realm": "\ud800"},
    ]
    answers = set()
    for n, changes in enumerate(attempts):
        with pytest.raises(LoginFailed) as refusal:
            await login(service, address=f"192.0.2.{n}", **({"user_id": "ada"} | changes))
        answers.add((refusal.value.message, repr(refusal.value.details), repr(refusal.value.headers)))
    assert len(answers) == 1
    assert (await login(service, address="198.51.100.1")).identity.user_id == "ada"


async def test_every_refusal_costs_one_check_of_a_password(
    service: Service, make_user: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    await make_user("ada")
    await make_user("disabled")
    await disable_user(service, service.settings.default_realm, "disabled", True)
    checks: Counter[str] = Counter()
    here = ""
    from runtime.identity.credentials import passwords

    real = passwords.bcrypt.checkpw
    monkeypatch.setattr(passwords.bcrypt, "checkpw", lambda *pair: (checks.update([here]), real(*pair))[1])
    for user_id, password, realm in (
        ("ada", "wrong password", None),
        ("nobody", PASSWORD, None),
        ("disabled", PASSWORD, None),
        ("ada", "x" * 80, None),
        ("ada", PASSWORD, "made-up"),
    ):
        here = f"{user_id} {password} {realm}"
        with pytest.raises(LoginFailed):
            await login(service, user_id, password, realm=realm or service.settings.default_realm)
    assert set(checks.values()) == {1}
    assert len(checks) == 5


async def test_made_up_realm_does_not_come_into_being(
    service: Service, mongo_client: MongoClient[Any]
) -> None:
    with pytest.raises(LoginFailed):
        await login(service, realm="made-up-realm")
    assert "made-up-realm" not in mongo_client.list_database_names()


async def test_user_of_another_realm_is_unknown_here(service: Service, make_user: Any) -> None:
    other = f"{service.settings.default_realm}-b"
    await create_realm(service, other)
    await make_user("ada", realm=other)
    with pytest.raises(LoginFailed):
        await login(service)
    logged_in = await login(service, realm=other)
    assert logged_in.identity.realm == logged_in.identity.domain.default_realm == other
    assert (await service.provider.validate(logged_in.access_token)).realm == other


async def test_eleventh_failure_is_throttled_and_so_is_the_right_password(
    service: Service, make_user: Any, clock: Any
) -> None:
    await make_user("ada")
    for n in range(10):
        with pytest.raises(LoginFailed):
            await login(service, "ADA" if n % 2 else "ada", "wrong password", address=f"192.0.2.{n}")
    for password in ("wrong password", PASSWORD):
        with pytest.raises(Throttled) as refusal:
            await login(service, password=password, address="198.51.100.1")
        assert 0 < int(refusal.value.headers["Retry-After"]) <= 600
    clock.advance(600)
    assert (await login(service)).identity.user_id == "ada"


async def test_unknown_users_are_throttled_alike(service: Service) -> None:
    outcomes = []
    for n in range(12):
        with pytest.raises(ServiceError) as refusal:
            await login(service, "nobody", address=f"192.0.2.{n}")
        outcomes.append(type(refusal.value))
    assert outcomes == [LoginFailed] * 10 + [Throttled] * 2


async def test_burst_over_two_workers_gets_ten_guesses(make_service: Any, make_user: Any) -> None:
    await make_user("ada")
    workers = [await make_service(), await make_service()]

    async def guess(n: int) -> str:
        try:
            await login(workers[n % 2], password=f"guess number {n}", address=f"192.0.2.{n}")
        except ServiceError as error:
            return type(error).__name__
        return "in"

    outcomes = Counter(await asyncio.gather(*(guess(n) for n in range(50))))
    assert outcomes == {"LoginFailed": 10, "Throttled": 40}


async def test_forced_change_is_told_after_the_right_password_only(service: Service, make_user: Any) -> None:
    made = await make_user("ada", force_change_password=True)
    with pytest.raises(LoginFailed):
        await login(service, password="wrong password")
    with pytest.raises(PasswordChangeRequired) as answer:
        await login(service)

    details = answer.value.details
    assert (details["reason"], details["expiresIn"]) == ("passwordChangeRequired", 600)
    found = service.tokens.verify_purpose(CHANGE_PURPOSE, details["changeToken"])
    realm = service.settings.default_realm
    assert (found.subject, found.details) == (made["subject"], {"realm": realm, "tokenEpoch": 1})
    with pytest.raises(Unauthenticated):
        await service.provider.validate(details["changeToken"])


async def test_forced_change_after_many_failures_is_a_success(service: Service, make_user: Any) -> None:
    await make_user("ada", force_change_password=True)
    for n in range(9):
        with pytest.raises(LoginFailed):
            await login(service, password="wrong password", address=f"192.0.2.{n}")
    for _ in range(12):
        with pytest.raises(PasswordChangeRequired):
            await login(service, address="198.51.100.1")
    for n in range(9):  # the failures before are forgiven
        with pytest.raises(LoginFailed):
            await login(service, password="wrong password", address=f"203.0.113.{n}")


async def test_disabled_credential_stops_at_the_next_call(service: Service, make_user: Any) -> None:
    await make_user("ada")
    token = (await login(service)).access_token
    await disable_user(service, service.settings.default_realm, "ADA", True)
    with pytest.raises(Unauthenticated, match="not accepted any more") as refusal:
        await service.provider.validate(token)
    assert refusal.value.bad_token

    await disable_user(service, service.settings.default_realm, "ada", False)
    with pytest.raises(Unauthenticated):
        await service.provider.validate(token)  # given back is the account, not its old tokens
    assert await service.provider.validate((await login(service)).access_token)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"$set": {"disabled": True}}, id="disabled in the store"),
        pytest.param({"$set": {"activeStatus": "INACTIVE"}}, id="made inactive"),
        pytest.param({"$inc": {"tokenEpoch": 1}}, id="a newer token epoch"),
        pytest.param({"$inc": {"tokenEpoch": -1}}, id="an older token epoch"),
        pytest.param({"$unset": {"tokenEpoch": ""}}, id="no token epoch"),
        pytest.param({"$set": {"subject": "somebody else"}}, id="another subject"),
        pytest.param(None, id="removed"),
    ],
)
async def test_changed_credential_stops_its_tokens(
    service: Service, make_user: Any, mongo_client: MongoClient[Any], change: dict[str, Any] | None
) -> None:
    await make_user("ada")
    logged_in = await login(service)
    stored = credentials(mongo_client, service)
    if change is None:
        stored.delete_one({"userId": "ada"})
    else:
        stored.update_one({"userId": "ada"}, change)
    with pytest.raises(Unauthenticated):
        await service.provider.validate(logged_in.access_token)
    with pytest.raises(LoginFailed):
        await service.provider.refresh(logged_in.refresh_token)


async def test_new_password_ends_old_tokens(service: Service, make_user: Any) -> None:
    await make_user("ada")
    old = await login(service)
    await set_password(service, service.settings.default_realm, "ada", "another password")

    with pytest.raises(Unauthenticated):
        await service.provider.validate(old.access_token)
    with pytest.raises(LoginFailed):
        await service.provider.refresh(old.refresh_token)
    with pytest.raises(LoginFailed):
        await login(service)
    new = await login(service, password="another password")
    assert (await service.provider.validate(new.access_token)).user_id == "ada"


async def test_the_right_password_renews_a_hash_of_a_lower_cost(
    make_service: Any, service: Service, make_user: Any, mongo_client: MongoClient[Any]
) -> None:
    await make_user("ada")
    stored, costlier = credentials(mongo_client, service), await make_service(bcrypt_cost=5)
    before, token = stored.find_one({"userId": "ada"}), (await login(service)).access_token
    with pytest.raises(LoginFailed):
        await login(costlier, password="wrong password")
    assert stored.find_one({"userId": "ada"}) == before
    await login(costlier)
    after = stored.find_one({"userId": "ada"})
    assert (before["passwordHash"][:7], after["passwordHash"][:7]) == ("$2b$04$", "$2b$05$")
    assert after | {"passwordHash": ""} == before | {"passwordHash": ""}, "nothing else is another"
    assert (await service.provider.validate(token)).user_id == "ada"
    for one in (costlier, service):
        await login(one)
        assert stored.find_one({"userId": "ada"}) == after


async def test_a_password_that_is_replaced_while_its_hash_is_renewed_stays_replaced(
    make_service: Any, service: Service, make_user: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    await make_user("ada")
    costlier = await make_service(bcrypt_cost=5)
    from runtime.identity.credentials import credential_store as module

    async def replace_first(password: str, cost: int) -> str:
        await set_password(service, service.settings.default_realm, "ada", "another password")
        return await hash_off_loop(password, cost)

    monkeypatch.setattr(module, "hash_off_loop", replace_first)
    await asyncio.gather(login(costlier), return_exceptions=True)
    monkeypatch.undo()
    await login(costlier, password="another password")
    with pytest.raises(LoginFailed):
        await login(costlier)


async def test_a_sign_in_does_not_depend_on_the_renewal_of_a_hash(
    make_service: Any, make_user: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    await make_user("ada")
    costlier = await make_service(bcrypt_cost=5)
    from runtime.identity.credentials import credential_store as module

    async def refuse(*_given: Any) -> str:
        raise Overloaded("passwords", retryAfter=1)

    monkeypatch.setattr(module, "hash_off_loop", refuse)
    assert (await login(costlier)).identity.user_id == "ada"


async def test_roles_and_domain_are_those_of_the_credential_now(
    service: Service, make_user: Any, mongo_client: MongoClient[Any]
) -> None:
    await make_user("ada", roles=frozenset({"admin"}))
    token = (await login(service)).access_token
    credentials(mongo_client, service).update_one(
        {"userId": "ada"}, {"$set": {"roles": ["user"], "domainContext.orgRefName": "sales"}}
    )
    identity = await service.provider.validate(token)
    assert (identity.roles, identity.domain.org_ref_name) == ({"user"}, "sales")


async def test_credential_is_believed_for_the_set_time(
    make_service: Any, make_user: Any, clock: Any, believed: float
) -> None:
    service = await make_service(credential_cache_seconds=10)
    await make_user("ada")
    token = (await login(service)).access_token
    await service.provider.validate(token)
    await disable_user(service, service.settings.default_realm, "ada", True)

    clock.advance(believed - 0.1)
    assert await service.provider.validate(token)
    clock.advance(0.1)
    with pytest.raises(Unauthenticated):
        await service.provider.validate(token)


async def test_forgotten_credential_is_looked_up_again(make_service: Any, make_user: Any) -> None:
    service = await make_service(credential_cache_seconds=10)
    made = await make_user("ada")
    token = (await login(service)).access_token
    await service.provider.validate(token)
    await disable_user(service, service.settings.default_realm, "ada", True)
    service.provider.own.credentials.standings.forget_key((service.settings.default_realm, made["subject"]))
    with pytest.raises(Unauthenticated):
        await service.provider.validate(token)


async def test_refresh_token_is_no_access_token(service: Service, make_user: Any) -> None:
    await make_user("ada")
    logged_in = await login(service)
    with pytest.raises(Unauthenticated):
        await service.provider.validate(logged_in.refresh_token)
    with pytest.raises(LoginFailed):
        await service.provider.refresh(logged_in.access_token)


def test_the_secrets_of_a_credential_are_hidden() -> None:
    assert {"loginName", "passwordHash", "hashingAlgorithm", "tokenEpoch"} <= CREDENTIAL.hidden
