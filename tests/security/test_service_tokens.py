"""Service tokens: what they are good for, how long, and everything that ends one."""

from __future__ import annotations

from typing import Any

import pytest
from pymongo import MongoClient

from runtime.access.guard import open_call
from runtime.call import Service
from runtime.errors import NotFound, Unauthenticated, ValidationFailed
from runtime.identity.login.service_tokens import MadeToken, create_token, list_tokens, revoke_token
from runtime.identity.users.users import disable_user, everywhere, set_password, users_of
from runtime.seams import UserKey
from tests.log_lines import capture_logs

PASSWORD = "correct horse battery"
DAY = 86_400

pytestmark = pytest.mark.anyio


@pytest.fixture
async def ada(make_user: Any) -> dict[str, Any]:
    made: dict[str, Any] = await make_user("ada", org_ref_name="north")
    return made


async def make(service: Service, seconds: int = 30 * DAY, **more: Any) -> MadeToken:
    return await create_token(service, service.settings.default_realm, "ADA", seconds, **more)


async def is_accepted(service: Service, made: MadeToken) -> bool:
    try:
        identity = await service.provider.validate(made.token)
    except Unauthenticated:
        return False
    return identity.user_id == "ada"


async def test_acts_as_its_user(service: Service, ada: dict[str, Any]) -> None:
    made = await make(service)
    call = await open_call(service, made.token, None, "request-1", "logistics")
    assert (call.principal.subject, call.principal.roles) == (ada["subject"], {"user"})
    assert call.principal.domain.org_ref_name == "north"
    assert made.token not in repr(made)


async def test_what_is_kept_is_not_the_token(
    service: Service, ada: dict[str, Any], mongo_client: MongoClient[Any], clock: Any
) -> None:
    made = await make(service, description="nightly import")
    kept = mongo_client[service.settings.default_realm]["serviceTokens"].find_one()
    assert kept is not None
    claims = service.tokens.verify_access(made.token)
    assert (kept["refName"], kept["subject"], kept["userId"]) == (claims.token_id, ada["subject"], "ada")
    assert (kept["description"], kept["revoked"]) == ("nightly import", False)
    assert kept["dataDomain"] == ada["dataDomain"]
    assert claims.is_service
    assert claims.expires_at == int(clock.seconds) + 30 * DAY
    assert made.token not in str(kept)


async def test_lives_longer_than_other_tokens_and_ends(
    service: Service, ada: dict[str, Any], clock: Any
) -> None:
    made = await make(service)
    clock.advance(29 * DAY)
    assert await is_accepted(service, made)
    clock.advance(DAY + 60)
    assert not await is_accepted(service, made)


async def test_is_no_refresh_token(service: Service, ada: dict[str, Any]) -> None:
    with pytest.raises(Unauthenticated):
        service.tokens.verify_refresh((await make(service)).token)


async def revoke(service: Service, made: MadeToken) -> None:
    await revoke_token(service, service.settings.default_realm, made.record["refName"])


async def disable(service: Service, made: MadeToken) -> None:
    await disable_user(service, service.settings.default_realm, "ada", True)


async def new_password(service: Service, made: MadeToken) -> None:
    await set_password(service, service.settings.default_realm, "ada", "another password")


async def new_roles(service: Service, made: MadeToken) -> None:
    within = everywhere(service.settings.default_realm)
    await users_of(service).assign_roles(UserKey(user_id="ada"), {"admin"}, within)


async def remove(service: Service, made: MadeToken) -> None:
    await users_of(service).remove_user(UserKey(user_id="ada"), everywhere(service.settings.default_realm))


async def log_out_everywhere(service: Service, made: MadeToken) -> None:
    realm = service.settings.default_realm
    await service.provider.end_sessions(made.record["subject"], realm, None, True)


@pytest.mark.parametrize("end", [revoke, disable, new_password, new_roles, remove, log_out_everywhere])
async def test_what_ends_it(service: Service, ada: dict[str, Any], end: Any) -> None:
    made = await make(service)
    assert await is_accepted(service, made)
    await end(service, made)
    assert not await is_accepted(service, made)


async def test_what_does_not_end_it(service: Service, ada: dict[str, Any]) -> None:
    made, other = await make(service), await make(service)
    await revoke(service, other)
    await service.provider.end_sessions(ada["subject"], service.settings.default_realm, None, False)
    assert await is_accepted(service, made)


async def test_without_its_record_it_is_nothing(
    service: Service, ada: dict[str, Any], mongo_client: MongoClient[Any]
) -> None:
    made = await make(service)
    mongo_client[service.settings.default_realm]["serviceTokens"].delete_many({})
    assert not await is_accepted(service, made)


async def test_revoking_is_seen_in_the_set_time(
    make_service: Any, ada: dict[str, Any], clock: Any, believed: float
) -> None:
    service = await make_service(credential_cache_seconds=10)
    made = await make(service)
    assert await is_accepted(service, made)
    await revoke(service, made)
    clock.advance(believed - 0.1)
    assert await is_accepted(service, made)
    clock.advance(0.1)
    assert not await is_accepted(service, made)


async def test_revoking_is_seen_at_once_when_told(make_service: Any, ada: dict[str, Any]) -> None:
    service = await make_service(credential_cache_seconds=10)
    made = await make(service)
    assert await is_accepted(service, made)
    await revoke(service, made)
    service.provider.own.service_tokens.forget_record(service.settings.default_realm, str(made.record["_id"]))
    assert not await is_accepted(service, made)


async def test_revoking_twice_is_no_fault(service: Service, ada: dict[str, Any]) -> None:
    made = await make(service)
    await revoke(service, made)
    with capture_logs() as lines:
        await revoke(service, made)
    assert [(line["event"], line["id"], line["user"]) for line in lines] == [
        ("token.revoked", made.record["refName"], "ada")
    ]


async def test_list_is_newest_first(service: Service, make_user: Any, ada: dict[str, Any]) -> None:
    realm = service.settings.default_realm
    await make_user("bob")
    first, second = await make(service), await make(service)
    third = await create_token(service, realm, "bob", DAY)
    ids = [made.record["refName"] for made in (third, second, first)]
    assert [one["refName"] for one in await list_tokens(service, realm)] == ids
    assert [one["refName"] for one in await list_tokens(service, realm, "ada")] == ids[1:]


@pytest.mark.parametrize("seconds", [0, -1, 365 * DAY + 1])
async def test_lifetime_is_bounded(service: Service, ada: dict[str, Any], seconds: int) -> None:
    with pytest.raises(ValidationFailed, match="at most 365 days"):
        await make(service, seconds)
    assert await list_tokens(service, service.settings.default_realm) == []


async def test_bound_is_a_setting(make_service: Any, ada: dict[str, Any]) -> None:
    service = await make_service(service_token_max_days=7)
    assert await make(service, 7 * DAY)
    with pytest.raises(ValidationFailed, match="at most 7 days"):
        await make(service, 8 * DAY)


@pytest.mark.parametrize("changes", [{"disabled": True}, {"forceChangePassword": True}], ids=str)
async def test_user_who_cannot_log_in_gets_none(
    service: Service, ada: dict[str, Any], mongo_client: MongoClient[Any], changes: dict[str, Any]
) -> None:
    mongo_client[service.settings.default_realm]["credentials"].update_one({}, {"$set": changes})
    with pytest.raises(ValidationFailed):
        await make(service)


async def test_nobody_and_nowhere(service: Service, ada: dict[str, Any]) -> None:
    realm = service.settings.default_realm
    for work in (
        create_token(service, realm, "nobody", DAY),
        create_token(service, "nowhere", "ada", DAY),
        list_tokens(service, realm, "nobody"),
        list_tokens(service, "nowhere"),
        revoke_token(service, realm, "nothing"),
        revoke_token(service, "nowhere", "nothing"),
    ):
        with pytest.raises(NotFound):
            await work
