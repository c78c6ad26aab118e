"""Refresh tokens: each good for one use, and what comes of using one twice."""

from __future__ import annotations

import asyncio
import hashlib
from typing import Any

import pytest
from bson import ObjectId
from pymongo import MongoClient

from runtime.call import Service
from runtime.errors import LoginFailed
from runtime.identity.users.users import set_password
from runtime.seams import LoggedIn
from tests.profiling import most_examined, profiled

PASSWORD = "correct horse battery"

pytestmark = pytest.mark.anyio


async def login(service: Service) -> LoggedIn:
    return await service.provider.log_in("ada", PASSWORD, service.settings.default_realm, "192.0.2.1")


def families(mongo_client: MongoClient[Any], service: Service) -> list[dict[str, Any]]:
    return list(mongo_client[service.settings.default_realm]["refreshFamilies"].find())


async def refused(service: Service, token: str) -> bool:
    try:
        await service.provider.refresh(token)
    except LoginFailed as error:
        return bool(error.details["reason"] == "badRefreshToken")
    return False


async def test_refresh_gives_new_tokens_of_the_same_family(
    service: Service, make_user: Any, clock: Any, mongo_client: MongoClient[Any]
) -> None:
    await make_user("ada")
    first = await login(service)
    clock.advance(1000)
    second = await service.provider.refresh(first.refresh_token)
    third = await service.provider.refresh(second.refresh_token)

    assert len({first.refresh_token, second.refresh_token, third.refresh_token}) == 3
    assert third.identity == first.identity
    claims = service.tokens.verify_access(third.access_token)
    assert claims.expires_at == int(clock.seconds) + 3600
    (family,) = families(mongo_client, service)
    assert (family["version"], family["revoked"]) == (3, False)


async def test_store_keeps_hashes_only(
    service: Service, make_user: Any, mongo_client: MongoClient[Any]
) -> None:
    await make_user("ada")
    token = (await login(service)).refresh_token
    token_id = service.tokens.verify_refresh(token).token_id
    (family,) = families(mongo_client, service)
    assert token_id not in repr(family)
    assert family["current"] == hashlib.sha256(token_id.encode()).hexdigest()
    assert family["dataDomain"]["tenantId"] == "acme"


async def test_used_token_revokes_the_family(
    service: Service, make_user: Any, mongo_client: MongoClient[Any]
) -> None:
    await make_user("ada")
    other_login = await login(service)
    stolen = await login(service)
    honest = await service.provider.refresh(stolen.refresh_token)

    assert await refused(service, stolen.refresh_token)
    assert await refused(service, honest.refresh_token)
    assert sorted(family["revoked"] for family in families(mongo_client, service)) == [False, True]
    assert not await refused(service, other_login.refresh_token)


async def test_token_used_long_ago_revokes_the_family_too(service: Service, make_user: Any) -> None:
    await make_user("ada")
    tokens = [(await login(service)).refresh_token]
    for _ in range(3):
        tokens.append((await service.provider.refresh(tokens[-1])).refresh_token)
    assert await refused(service, tokens[0])
    assert await refused(service, tokens[-1])


async def test_of_two_refreshes_at_once_one_wins(
    make_service: Any, make_user: Any, mongo_client: MongoClient[Any]
) -> None:
    await make_user("ada")
    workers = [await make_service(), await make_service()]
    for _ in range(5):
        token = (await login(workers[0])).refresh_token
        outcomes = await asyncio.gather(*(refused(worker, token) for worker in workers * 3))
        assert outcomes.count(False) == 1
    assert all(family["revoked"] for family in families(mongo_client, workers[0]))


async def test_within_the_grace_the_same_successor_is_given_again(
    make_service: Any, make_user: Any, clock: Any, mongo_client: MongoClient[Any]
) -> None:
    await make_user("ada")
    service = await make_service(refresh_grace_seconds=10)
    first = await login(service)
    answers = await asyncio.gather(*(service.provider.refresh(first.refresh_token) for _ in range(4)))
    clock.advance(10)
    answers.append(await service.provider.refresh(first.refresh_token))

    ids = {service.tokens.verify_refresh(answer.refresh_token).token_id for answer in answers}
    assert len(ids) == 1
    (family,) = families(mongo_client, service)
    assert (family["version"], family["revoked"]) == (2, False)


async def test_after_the_grace_or_the_successors_use_it_is_reuse(
    make_service: Any, make_user: Any, clock: Any
) -> None:
    await make_user("ada")
    service = await make_service(refresh_grace_seconds=10)
    first = await login(service)
    await service.provider.refresh(first.refresh_token)
    clock.advance(11)
    assert await refused(service, first.refresh_token)

    first = await login(service)
    second = await service.provider.refresh(first.refresh_token)
    third = await service.provider.refresh(second.refresh_token)
    assert await refused(service, first.refresh_token)
    assert await refused(service, third.refresh_token)


async def test_refresh_token_expires(service: Service, make_user: Any, clock: Any) -> None:
    await make_user("ada")
    token = (await login(service)).refresh_token
    clock.advance(service.tokens.refresh_seconds + 5)
    assert await refused(service, token)


async def test_refreshing_ends_with_the_session(
    make_service: Any, make_user: Any, clock: Any, mongo_client: MongoClient[Any]
) -> None:
    await make_user("ada")
    service = await make_service(refresh_token_seconds=100, session_seconds=250)
    token = (await login(service)).refresh_token
    for _ in range(4):
        clock.advance(60)
        token = (await service.provider.refresh(token)).refresh_token
    (family,) = families(mongo_client, service)
    clock.advance(20)
    assert await refused(service, token)
    assert (family["expiresAt"].timestamp() - family["rotatedAt"].timestamp()) < 100


async def test_new_password_revokes_all_families(
    service: Service, make_user: Any, mongo_client: MongoClient[Any]
) -> None:
    await make_user("ada")
    await make_user("bob")
    tokens = [(await login(service)).refresh_token for _ in range(2)]
    bob = await service.provider.log_in("bob", PASSWORD, service.settings.default_realm, "192.0.2.1")
    await set_password(service, service.settings.default_realm, "ada", PASSWORD)

    assert [family["revoked"] for family in families(mongo_client, service)].count(True) == 2
    assert [await refused(service, token) for token in tokens] == [True, True]
    assert not await refused(service, bob.refresh_token)


async def test_forced_change_stops_refreshing(
    service: Service, make_user: Any, mongo_client: MongoClient[Any]
) -> None:
    await make_user("ada")
    token = (await login(service)).refresh_token
    stored = mongo_client[service.settings.default_realm]["credentials"]
    stored.update_one({"userId": "ada"}, {"$set": {"forceChangePassword": True}})
    assert await refused(service, token)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"$set": {"revoked": True}}, id="revoked"),
        pytest.param({"$set": {"subject": "somebody else"}}, id="of another subject"),
        pytest.param(None, id="removed"),
    ],
)
async def test_family_that_is_not_there_any_more_gives_nothing(
    service: Service, make_user: Any, mongo_client: MongoClient[Any], change: dict[str, Any] | None
) -> None:
    await make_user("ada")
    token = (await login(service)).refresh_token
    stored = mongo_client[service.settings.default_realm]["refreshFamilies"]
    stored.delete_many({}) if change is None else stored.update_many({}, change)
    assert await refused(service, token)
    assert await refused(service, token)


@pytest.mark.parametrize(
    "text", ["", "x", "a.b.c", "\ud800"], ids=["empty", "a letter", "three parts", "surrogate"]
)
async def test_any_other_text_is_refused(service: Service, text: str) -> None:
    assert await refused(service, text)


async def test_no_access_token_outlives_its_session(make_service: Any, make_user: Any, clock: Any) -> None:
    await make_user("ada")
    service = await make_service(access_token_seconds=100, session_seconds=150)
    first = await login(service)
    clock.advance(80)
    second = await service.provider.refresh(first.refresh_token)
    assert (first.expires_in, second.expires_in) == (100, 70)
    assert await service.provider.validate(second.access_token)
    assert service.tokens.verify_access(second.access_token).expires_at == int(clock.seconds) + 70


async def test_a_session_is_found_among_many_of_its_user(
    service: Service, make_user: Any, mongo_client: MongoClient[Any]
) -> None:
    """A program that logs in for each of its requests has thousands."""
    await make_user("ada")
    own = await login(service)
    (family,) = families(mongo_client, service)
    others = [{**family, "_id": ObjectId(), "refName": f"other-{number}"} for number in range(20)]
    database = mongo_client[service.settings.default_realm]
    database["refreshFamilies"].insert_many(others)
    with profiled(database, "refreshFamilies") as commands:
        assert (await service.provider.validate(own.access_token, None)).user_id == "ada"
        await service.provider.refresh(own.refresh_token)
    assert most_examined(commands) == 1
