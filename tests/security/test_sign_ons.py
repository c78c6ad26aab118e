"""Sign-ons: what a browser gets, what is stored of it, and everything that ends one."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pymongo import MongoClient

from runtime.call import Service
from runtime.errors import LoginFailed, NotOffered, PasswordChangeRequired, Unauthenticated, ValidationFailed
from runtime.identity.users.users import everywhere
from runtime.oauth.sign_on import end_sign_on
from runtime.oauth.sign_on.cookie import Cookie, cookie_name, read_cookie, render_cookie, render_removal
from runtime.seams import LoggedIn, NewUser, Seams, UserKey
from runtime.signed_on import SignedOn
from tests.security.directory import Directory

PASSWORD = "correct horse battery"
BROWSER = "Mozilla/5.0 (X11; Linux x86_64)"

pytestmark = pytest.mark.anyio

SignIn = Callable[..., Awaitable[tuple[SignedOn, str]]]


@pytest.fixture
async def sign_in(service: Service, make_user: Any) -> SignIn:
    """Enter the password of ``ada`` in a browser that has the cookie; the sign-on and its new cookie."""
    await make_user("ada", roles=frozenset({"user", "admin"}))

    async def enter(cookie: str | None = None, user_id: str = "ada") -> tuple[SignedOn, str]:
        realm = service.settings.default_realm
        credential = await service.provider.authenticate(user_id, PASSWORD, realm, "192.0.2.1")
        signed_on, header = await service.sign_ons.begin(realm, credential, BROWSER, cookie)
        return signed_on, header.partition(";")[0]

    return enter


async def find(service: Service, cookie: str | None) -> SignedOn | None:
    return await service.sign_ons.find(service.settings.default_realm, cookie)


async def end(service: Service, signed_on: SignedOn, client_id: str | None = None) -> str:
    """End a sign-on as a logout does; the header that clears its cookie."""
    assert await end_sign_on(service, signed_on.realm, signed_on.subject, signed_on.ref_name, client_id)
    return service.sign_ons.render_removal()


def stored(mongo_client: MongoClient[Any], realm: str) -> list[dict[str, Any]]:
    return list(mongo_client[realm]["signOns"].find())


def add_family(
    mongo_client: MongoClient[Any], service: Service, signed_on: SignedOn, name: str, client: str = "app"
) -> None:
    """A refresh family as the code flow stores it."""
    mongo_client[service.settings.default_realm]["refreshFamilies"].insert_one(
        {
            "refName": name, "subject": signed_on.subject, "signOn": signed_on.ref_name, "clientId": client,
            "revoked": False, "activeStatus": "ACTIVE", "dataDomain": {"tenantId": "acme"}, "version": 1,
        }
    )  # fmt: skip


def alive(mongo_client: MongoClient[Any], realm: str) -> set[str]:
    return {row["refName"] for row in mongo_client[realm]["refreshFamilies"].find({"revoked": False})}


class TestBeginning:
    async def test_the_store_has_only_a_hash(
        self, service: Service, sign_in: SignIn, realm: str, mongo_client: MongoClient[Any]
    ) -> None:
        signed_on, cookie = await sign_in()
        (row,) = stored(mongo_client, realm)
        secret = cookie.partition(".")[2]
        assert len(secret) == 43  # 256 bits
        assert secret not in str(row)
        assert row["cookie"] == hashlib.sha256(secret.encode()).hexdigest()
        assert (row["refName"], row["browser"], row["tokenEpoch"]) == (signed_on.ref_name, BROWSER, 1)
        assert row["dataDomain"]["tenantId"] == "acme"
        assert (signed_on.realm, signed_on.user_id, signed_on.epoch) == (realm, "ada", 1)
        assert secret not in repr(signed_on)

    async def test_it_is_found_by_its_cookie(self, service: Service, sign_in: SignIn) -> None:
        signed_on, cookie = await sign_in()
        found = await find(service, f"other=1; {cookie}; more=2")
        assert found is not None
        assert (found.ref_name, found.subject) == (signed_on.ref_name, signed_on.subject)
        assert found.auth_time == pytest.approx(service.tokens.clock(), abs=1)

    async def test_the_same_user_continues_under_a_new_cookie(
        self, service: Service, sign_in: SignIn, realm: str, mongo_client: MongoClient[Any], clock: Any
    ) -> None:
        signed_on, cookie = await sign_in()
        add_family(mongo_client, service, signed_on, "f1")
        clock.seconds += 3600
        again, other = await sign_in(cookie)
        assert (again.ref_name, again.auth_time) == (signed_on.ref_name, pytest.approx(clock.seconds, abs=1))
        assert other != cookie
        assert await find(service, cookie) is None
        assert await find(service, other) is not None
        assert alive(mongo_client, realm) == {"f1"}
        assert len(stored(mongo_client, realm)) == 1

    async def test_another_user_ends_it(
        self, service: Service, sign_in: SignIn, make_user: Any, realm: str, mongo_client: MongoClient[Any]
    ) -> None:
        await make_user("bob")
        signed_on, cookie = await sign_in()
        other, new = await sign_in(cookie, "bob")
        assert other.ref_name != signed_on.ref_name
        assert await find(service, cookie) is None
        found = await find(service, new)
        assert found is not None
        assert found.user_id == "bob"
        assert await find(service, cookie) is None

    async def test_a_planted_cookie_is_not_continued(self, service: Service, sign_in: SignIn) -> None:
        planted = f"{cookie_name(is_https=False)}={service.settings.default_realm}.{'A' * 43}"
        _signed_on, cookie = await sign_in(planted)
        assert cookie != planted
        assert await find(service, planted) is None

    async def test_a_browser_name_without_end_is_cut(
        self, service: Service, sign_in: SignIn, realm: str, mongo_client: MongoClient[Any]
    ) -> None:
        _signed_on, cookie = await sign_in()
        credential = await service.provider.authenticate("ada", PASSWORD, realm, "")
        await service.sign_ons.begin(realm, credential, "x" * 10_000, cookie)
        assert stored(mongo_client, realm)[0]["browser"] == "x" * 300

    async def test_not_in_a_realm_that_is_gone(self, service: Service, sign_in: SignIn, realm: str) -> None:
        credential = await service.provider.authenticate("ada", PASSWORD, realm, "")
        with pytest.raises(LoginFailed):
            await service.sign_ons.begin("nowhere", credential, BROWSER)


class TestTime:
    async def test_use_prolongs_it(self, service: Service, sign_in: SignIn, clock: Any) -> None:
        _signed_on, cookie = await sign_in()
        for _ in range(2):
            clock.seconds += 7 * 3600
            assert await find(service, cookie) is not None
        clock.seconds += 8 * 3600
        assert await find(service, cookie) is None

    async def test_it_ends_a_day_after_the_password(
        self, service: Service, sign_in: SignIn, clock: Any, realm: str
    ) -> None:
        _signed_on, cookie = await sign_in()
        for _ in range(4):
            clock.seconds += 21_599
            assert await find(service, cookie) is not None
        clock.seconds += 4
        assert await find(service, cookie) is None

    async def test_a_busy_browser_costs_one_write_a_minute(
        self, service: Service, sign_in: SignIn, clock: Any, realm: str, mongo_client: MongoClient[Any]
    ) -> None:
        _signed_on, cookie = await sign_in()
        for _ in range(59):
            clock.seconds += 1
            await find(service, cookie)
        assert stored(mongo_client, realm)[0]["version"] == 1
        clock.seconds += 1
        await find(service, cookie)
        await find(service, cookie)
        assert stored(mongo_client, realm)[0]["version"] == 2


class TestEnding:
    async def test_with_the_tokens_that_came_of_it(
        self, make_service: Any, sign_in: SignIn, realm: str, mongo_client: MongoClient[Any]
    ) -> None:
        service = await make_service(credential_cache_seconds=10)
        (signed_on, cookie), (other, _cookie) = await sign_in(), await sign_in()
        add_family(mongo_client, service, signed_on, "f1")
        add_family(mongo_client, service, other, "f2")
        live = service.provider.own.live_sessions
        assert [await live.check_live(realm, signed_on.subject, name) for name in ("f1", "f2")] == [
            True,
            True,
        ]
        header = await end(service, signed_on)
        assert header.startswith("recordsmith-sign-on=; Path=/; Max-Age=0")
        assert await find(service, cookie) is None
        assert alive(mongo_client, realm) == {"f2"}
        assert [await live.check_live(realm, signed_on.subject, name) for name in ("f1", "f2")] == [
            False,
            True,
        ]

    async def test_with_the_tokens_of_one_client(
        self, service: Service, sign_in: SignIn, realm: str, mongo_client: MongoClient[Any]
    ) -> None:
        signed_on, cookie = await sign_in()
        add_family(mongo_client, service, signed_on, "f1", "app")
        add_family(mongo_client, service, signed_on, "f2", "shop")
        await end(service, signed_on, "app")
        assert await find(service, cookie) is None
        assert alive(mongo_client, realm) == {"f2"}

    @pytest.mark.parametrize(
        "how", ["password", "reset", "roles", "disabled", "removed", "logout", "everywhere"]
    )
    async def test_by_everything_that_ends_tokens(
        self, service: Service, sign_in: SignIn, make_user: Any, realm: str, how: str
    ) -> None:
        await make_user("bob")
        signed_on, cookie = await sign_in()
        _bob, stays = await sign_in(None, "bob")
        await END[how](service, realm, signed_on.subject)
        assert await find(service, cookie) is None
        assert await find(service, stays) is not None

    async def test_a_changed_role_at_once_on_every_worker(
        self, make_service: Any, sign_in: SignIn, service: Service, realm: str
    ) -> None:
        other = await make_service()
        signed_on, cookie = await sign_in()
        assert await find(other, cookie) is not None
        await END["disabled"](service, realm, signed_on.subject)
        assert await find(other, cookie) is None

    async def test_it_is_not_accepted_in_another_realm(
        self, service: Service, sign_in: SignIn, make_realm: Any
    ) -> None:
        signed_on, cookie = await sign_in()
        await make_realm("other")
        assert await service.sign_ons.find("other", cookie) is None
        assert await service.sign_ons.find("other", cookie.replace(signed_on.realm, "other")) is None
        assert not await service.sign_ons.revoke("other", signed_on.subject, signed_on.ref_name)
        assert await find(service, cookie) is not None


async def _change_password(service: Service, realm: str, subject: str) -> None:
    manager = service.provider.manager_named(None)
    key = UserKey(subject=subject)
    await manager.change_password(key, PASSWORD, "another long one 17", False, everywhere(realm))


async def _reset(service: Service, realm: str, subject: str) -> None:
    manager = service.provider.manager_named(None)
    await manager.reset_password(UserKey(subject=subject), "another long one 17", True, everywhere(realm))


async def _take_role(service: Service, realm: str, subject: str) -> None:
    manager = service.provider.manager_named(None)
    await manager.remove_roles(UserKey(subject=subject), {"admin"}, everywhere(realm))


async def _disable(service: Service, realm: str, subject: str) -> None:
    await service.provider.manager_named(None).disable_user(UserKey(subject=subject), everywhere(realm))


async def _remove(service: Service, realm: str, subject: str) -> None:
    await service.provider.manager_named(None).remove_user(UserKey(subject=subject), everywhere(realm))


async def _log_out(service: Service, realm: str, subject: str) -> None:
    await service.provider.end_sessions(subject, realm, None, False)


async def _log_out_everywhere(service: Service, realm: str, subject: str) -> None:
    await service.provider.end_sessions(subject, realm, None, True)


END: dict[str, Callable[[Service, str, str], Awaitable[None]]] = {
    "password": _change_password,
    "reset": _reset,
    "roles": _take_role,
    "disabled": _disable,
    "removed": _remove,
    "logout": _log_out,
    "everywhere": _log_out_everywhere,
}


@pytest.mark.parametrize(
    "header",
    [
        pytest.param(None, id="none"),
        pytest.param("", id="empty"),
        pytest.param("recordsmith-sign-on", id="no value"),
        pytest.param("recordsmith-sign-on=main", id="no secret"),
        pytest.param(f"recordsmith-sign-on=main.{'a' * 42}", id="a short secret"),
        pytest.param(f"recordsmith-sign-on=main.{'a' * 44}", id="a long secret"),
        pytest.param(f"recordsmith-sign-on=main.{'a' * 42}$", id="an operator"),
        pytest.param(f"recordsmith-sign-on=../admin.{'a' * 43}", id="a realm that is no name"),
        pytest.param(f'recordsmith-sign-on="main.{"a" * 43}"', id="quoted"),
        pytest.param(f"Recordsmith-Sign-On=main.{'a' * 43}", id="another name"),
        pytest.param(f"__Host-recordsmith-sign-on=main.{'a' * 43}", id="the name of HTTPS"),
        pytest.param("; ".join(f"recordsmith-sign-on=main.{x * 43}" for x in "ab"), id="two of them"),
        pytest.param("a=" + "b" * 70_000 + f"; recordsmith-sign-on=main.{'a' * 43}", id="beyond any length"),
    ],
)
async def test_what_is_no_cookie_of_ours(header: str | None) -> None:
    assert read_cookie(header, is_https=False) is None


@pytest.mark.parametrize("is_https", [True, False])
async def test_the_attributes_of_the_cookie(is_https: bool) -> None:
    rendered = render_cookie(Cookie.create("main"), is_https=is_https)
    pair, *attributes = rendered.split("; ")
    assert attributes == ["Path=/", "HttpOnly", "SameSite=Lax", *(["Secure"] if is_https else [])]
    assert pair.startswith("__Host-recordsmith-sign-on=main." if is_https else "recordsmith-sign-on=main.")
    assert "Max-Age=0" in render_removal(is_https=is_https)
    assert read_cookie(pair, is_https=not is_https) is None


@given(st.booleans(), st.from_regex(r"[a-z][a-z0-9_-]{0,37}", fullmatch=True), st.text(max_size=40))
def test_a_cookie_is_read_back_among_others(is_https: bool, realm: str, noise: str) -> None:
    cookie = Cookie.create(realm)
    pair = render_cookie(cookie, is_https=is_https).partition(";")[0]
    other = noise.replace("recordsmith", "")
    assert read_cookie(f"a={other.replace(';', '')}; {pair};b=c", is_https=is_https) == cookie
    assert cookie.secret not in repr(cookie)


class TestAuthenticating:
    """A login that issues nothing."""

    async def test_the_right_password(
        self, service: Service, make_user: Any, realm: str, mongo_client: MongoClient[Any]
    ) -> None:
        await make_user("ada")
        credential = await service.provider.authenticate("Ada", PASSWORD, realm, "192.0.2.1")
        assert credential["userId"] == "ada"
        assert mongo_client[realm]["refreshFamilies"].count_documents({}) == 0

    @pytest.mark.parametrize(
        ("user_id", "password"), [("ada", "wrong password"), ("nobody", PASSWORD), ("", "")]
    )
    async def test_the_same_refusal_as_of_a_login(
        self, service: Service, make_user: Any, realm: str, user_id: str, password: str
    ) -> None:
        await make_user("ada")
        refusals = []
        for ask in (service.provider.authenticate, service.provider.log_in):
            with pytest.raises(LoginFailed) as refusal:
                await ask(user_id, password, realm, "192.0.2.1")
            refusals.append((refusal.value.message, refusal.value.details))
        assert refusals[0] == refusals[1]

    async def test_a_forced_change_of_the_password(
        self, service: Service, make_user: Any, make_realm: Any, realm: str, mongo_client: MongoClient[Any]
    ) -> None:
        await make_user("ada", force_change_password=True)
        await make_realm("other")
        with pytest.raises(PasswordChangeRequired) as required:
            await service.provider.authenticate("ada", PASSWORD, realm, "192.0.2.1")
        token, new = required.value.details["changeToken"], "another long one 17"
        with pytest.raises(LoginFailed):
            await service.provider.finish_change(token, new, "other", "192.0.2.1")
        with pytest.raises(ValidationFailed):
            await service.provider.finish_change(token, PASSWORD, realm, "192.0.2.1")
        changed = await service.provider.finish_change(token, new, realm, "192.0.2.1")
        assert changed["userId"] == "ada"
        assert not changed.get("forceChangePassword")
        assert mongo_client[realm]["refreshFamilies"].count_documents({}) == 0
        with pytest.raises(LoginFailed):
            await service.provider.finish_change(token, new, realm, "192.0.2.1")
        assert await service.provider.authenticate("ada", new, realm, "192.0.2.1")

    async def test_users_of_a_provider_of_the_application(
        self, make_service: Any, make_user: Any, mongo_client: MongoClient[Any], realm: str
    ) -> None:
        directory = Directory()
        service = await make_service(Seams(auth_providers=(directory,)))
        there = "password of the directory"
        for name in ("dora", "eve"):
            await directory.create_user(NewUser(name, there, "acme", frozenset({"user"})), everywhere(realm))
        with pytest.raises(NotOffered, match="cannot sign in to applications"):
            await service.provider.authenticate("dora", there, realm, "192.0.2.1")
        with pytest.raises(LoginFailed):
            await service.provider.authenticate("dora", "wrong password", realm, "192.0.2.1")
        await make_user("dora")
        mongo_client[realm]["credentials"].update_one(
            {"userId": "dora"}, {"$set": {"authProviderName": "directory"}}
        )
        credential = await service.provider.authenticate("dora", there, realm, "192.0.2.1")
        assert credential["userId"] == "dora"
        with pytest.raises(LoginFailed):
            await service.provider.authenticate("dora", PASSWORD, realm, "192.0.2.1")
        _signed_on, header = await service.sign_ons.begin(realm, credential, BROWSER)
        assert await find(service, header.partition(";")[0]) is not None
        await make_user("eve")
        with pytest.raises(LoginFailed):  # the store owns this name
            await service.provider.authenticate("eve", there, realm, "192.0.2.1")
        directory.people["dora"] = directory.people["eve"]
        with pytest.raises(NotOffered):
            await service.provider.authenticate("dora", there, realm, "192.0.2.1")

    async def test_a_login_still_issues_tokens(self, service: Service, make_user: Any, realm: str) -> None:
        await make_user("ada")
        logged_in = await service.provider.log_in("ada", PASSWORD, realm, "192.0.2.1")
        assert isinstance(logged_in, LoggedIn)
        await END["logout"](service, realm, logged_in.identity.subject)
        with pytest.raises(Unauthenticated):
            await service.provider.validate(logged_in.access_token)
