"""``/security/sessions``: what users see of where they are signed in, what they can end, and that it is theirs alone."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from runtime.identity.users.users import NewUser
from tests.http.world import PASSWORD, Document, World
from tests.oauth.applications import basic, register, send
from tests.oauth.sign_ins import REDIRECT, claims_of, is_accepted, refresh_form, sign_in, tokens_of
from tests.oauth.signed_on import SignedOnBrowser, sign_on

SESSIONS = "/security/sessions"
OTHER = "other@acme.example"
FIELDS: Document = {
    "clientName": "Depot",
    "redirectUris": [REDIRECT],
    "allowedGrantTypes": ["authorization_code", "refresh_token"],
}


@pytest.fixture(scope="module")
def world(world: World) -> World:
    """No memory, so that what is changed in the store is seen at once."""
    world.sign_in("other", NewUser(OTHER, PASSWORD, "acme", frozenset({"user"})))
    return world


@pytest.fixture(scope="module")
def secret(world: World) -> str:
    return register(world, "depot", **FIELDS)


@pytest.fixture
def user(world: World) -> Iterator[str]:
    """A user who has no session but the one of its own token."""
    yield (name := world.sign_in_another())
    world.tokens.pop(name)


@pytest.fixture
def browser(world: World, user: str, secret: str) -> SignedOnBrowser:
    return sign_on(world, user)


def listed(world: World, user: str) -> list[Document]:
    answer = world.ask(f"GET {SESSIONS}", user)
    assert (answer.status_code, answer.headers["cache-control"]) == (200, "no-store"), answer.text
    rows: list[Document] = answer.json()["rows"]
    return rows


def tokens(browser: SignedOnBrowser, user: str, secret: str) -> Document:
    """What an application got in this browser."""
    return tokens_of(
        browser.world, "depot", secret, user_id=user, sign_on=browser.signed_on.ref_name, scope="openid"
    )


class TestWhatIsListed:
    def test_browsers_applications_and_logins(
        self, world: World, user: str, browser: SignedOnBrowser, secret: str
    ) -> None:
        last = claims_of(tokens(browser, user, secret)["refresh_token"])["exp"]
        rows = {row["kind"]: row for row in listed(world, user)}
        assert rows.keys() == {"browser", "application", "login"}
        assert len(listed(world, user)) == 3
        for row in rows.values():
            assert row["begunAt"] <= row["lastUsedAt"] < row["endsAt"]
        browser_id = browser.signed_on.ref_name
        assert (rows["browser"]["id"], rows["browser"]["browser"]) == (browser_id, "Mozilla/5.0")
        application = rows["application"]
        assert (application["clientId"], application["clientName"]) == ("depot", "Depot")
        assert 0 <= datetime.fromisoformat(application["endsAt"]).timestamp() - last < 1
        assert (application["scope"], application["signOn"]) == ("openid", browser_id)
        assert [row["current"] for row in rows.values()].count(True) == 1
        assert rows["login"]["current"] is True

    def test_no_secret_is_among_it(
        self, world: World, user: str, browser: SignedOnBrowser, secret: str
    ) -> None:
        own = tokens(browser, user, secret)
        text = world.ask(f"GET {SESSIONS}", user).text
        hidden = [*browser.cookies.values(), *own.values(), world.tokens[user]]
        for collection in ("signOns", "refreshFamilies"):
            for stored in world.documents[collection].find():
                hidden += [stored.get(name) for name in ("cookie", "current", "previous", "code", "nonce")]
        assert [one for one in hidden if isinstance(one, str) and len(one) > 20 and one in text] == []

    def test_the_session_of_an_application_is_current_for_its_token(
        self, world: World, user: str, browser: SignedOnBrowser, secret: str
    ) -> None:
        world.tokens["app"] = tokens(browser, user, secret)["access_token"]
        assert [row["kind"] for row in listed(world, "app") if row["current"]] == ["application"]

    def test_never_those_of_others(
        self, world: World, user: str, browser: SignedOnBrowser, secret: str
    ) -> None:
        tokens(browser, user, secret)
        own = {row["id"] for row in listed(world, user)}
        for stranger in ("other", "acme", "globex", "system"):
            assert not own & {row["id"] for row in listed(world, stranger)}

    def test_nothing_that_has_ended(
        self, world: World, user: str, browser: SignedOnBrowser, secret: str
    ) -> None:
        tokens(browser, user, secret)
        past = datetime.fromtimestamp(browser.signed_on.auth_time, UTC)
        name = {"refName": browser.signed_on.ref_name}
        world.documents["signOns"].update_one(name, {"$set": {"expiresAt": past}})
        world.documents["refreshFamilies"].update_many({"clientId": "depot"}, {"$set": {"revoked": True}})
        assert [row["kind"] for row in listed(world, user)] == ["login"]

    def test_an_application_that_was_disabled_has_no_name(
        self, world: World, user: str, browser: SignedOnBrowser
    ) -> None:
        secret = register(world, "stopped", **FIELDS)
        tokens_of(world, "stopped", secret, user_id=user)
        world.documents["oauth_clients"].update_one({"clientId": "stopped"}, {"$set": {"active": False}})
        (row,) = [row for row in listed(world, user) if row["kind"] == "application"]
        assert (row["clientId"], row.get("clientName"), row.get("signOn")) == ("stopped", None, None)


class TestEndingOne:
    def end(self, world: World, user: str | None, session: str) -> int:
        return world.ask(f"DELETE {SESSIONS}/{session}", user).status_code

    def test_a_browser_with_what_came_of_it(
        self, world: World, user: str, browser: SignedOnBrowser, secret: str
    ) -> None:
        elsewhere = sign_on(world, user)
        own, other = tokens(browser, user, secret), tokens(elsewhere, user, secret)
        assert self.end(world, user, browser.signed_on.ref_name) == 204
        assert (browser.is_signed_on, elsewhere.is_signed_on) == (False, True)
        assert not is_accepted(world, own["access_token"])
        assert is_accepted(world, other["access_token"])
        assert is_accepted(world, world.tokens[user])
        assert self.end(world, user, browser.signed_on.ref_name) == 404

    def test_what_came_of_a_browser_that_ended_alone(
        self, world: World, user: str, browser: SignedOnBrowser, secret: str
    ) -> None:
        """As MongoDB leaves it that goes away between the two writes: who asks again ends the rest."""
        own = tokens(browser, user, secret)
        name = browser.signed_on.ref_name
        world.documents["signOns"].update_one({"refName": name}, {"$set": {"revoked": True}})
        assert is_accepted(world, own["access_token"])
        assert self.end(world, user, name) == 204
        assert not is_accepted(world, own["access_token"])
        assert self.end(world, user, name) == 404

    def test_an_application_alone(
        self, world: World, user: str, browser: SignedOnBrowser, secret: str
    ) -> None:
        own = tokens(browser, user, secret)
        (row,) = [row for row in listed(world, user) if row["kind"] == "application"]
        assert self.end(world, user, row["id"]) == 204
        assert not is_accepted(world, own["access_token"])
        assert browser.is_signed_on
        assert is_accepted(world, world.tokens[user])

    def test_the_current_one(self, world: World, user: str) -> None:
        (row,) = listed(world, user)
        assert self.end(world, user, row["id"]) == 204
        assert not is_accepted(world, world.tokens[user])

    def test_never_that_of_another(
        self, world: World, user: str, browser: SignedOnBrowser, secret: str
    ) -> None:
        own = tokens(browser, user, secret)
        for row in listed(world, user):
            for stranger in ("other", "acme", "globex", "system"):
                refused = world.ask(f"DELETE {SESSIONS}/{row['id']}", stranger)
                unknown = world.ask(f"DELETE {SESSIONS}/{'0' * 32}", stranger)
                assert refused.status_code == unknown.status_code == 404
                assert refused.json()["title"] == unknown.json()["title"]
            assert self.end(world, None, row["id"]) == 401
        assert browser.is_signed_on
        assert is_accepted(world, own["access_token"])
        assert is_accepted(world, world.tokens[user])

    @pytest.mark.parametrize("session", ["0" * 32, "x", "%7B%22%24ne%22%3A1%7D", "a" * 5000, "%00", "é"])
    def test_what_is_not_there(self, world: World, user: str, session: str) -> None:
        assert self.end(world, user, session) == 404
        assert is_accepted(world, world.tokens[user])


class TestEndingAll:
    def test_all_end_and_nothing_else(
        self, world: World, user: str, browser: SignedOnBrowser, secret: str
    ) -> None:
        stranger = sign_on(world, OTHER)
        own, other = tokens(browser, user, secret), tokens(stranger, OTHER, secret)
        assert world.ask(f"DELETE {SESSIONS}", user).status_code == 204
        assert not browser.is_signed_on
        assert not is_accepted(world, own["access_token"])
        assert not is_accepted(world, world.tokens[user])
        assert stranger.is_signed_on
        assert is_accepted(world, other["access_token"])
        assert is_accepted(world, world.tokens["other"])

    def test_the_logout_of_all_sessions_ends_browsers_too(
        self, world: World, user: str, browser: SignedOnBrowser
    ) -> None:
        assert world.ask("POST /security/logout", user, json={}).status_code == 204
        assert not browser.is_signed_on


@pytest.mark.parametrize("request_", [f"GET {SESSIONS}", f"DELETE {SESSIONS}", f"DELETE {SESSIONS}/x"])
def test_not_while_acting_as_somebody_else(world: World, user: str, request_: str) -> None:
    path = f"/security/users/userId/{user}/impersonation"
    assert world.ask(f"PUT {path}", json={"filterScript": f"userId:{OTHER}"}).status_code == 204
    token = world.log_in(user)["accessToken"]
    headers = {"Authorization": f"Bearer {token}", "X-Impersonate-UserId": OTHER}
    refused = world.ask(request_, None, headers=headers)
    assert (refused.status_code, refused.json()["code"]) == (403, "access.denied")
    assert is_accepted(world, world.tokens["other"])


GAINS: dict[str, Document] = {
    "impersonation": {"filterScript": "roles:user"},
    "realmOverride": {"realmRegEx": "emea-.*"},
}


@pytest.mark.parametrize("right", GAINS)
def test_a_right_that_is_gained_goes_to_no_application_that_was_granted_less(
    world: World, user: str, browser: SignedOnBrowser, secret: str, right: str
) -> None:
    """The user's own session goes on; applications get new tokens when the user has signed in again."""
    had = tokens(browser, user, secret)
    code = sign_in(world, "depot", user_id=user, sign_on=browser.signed_on.ref_name)
    path = f"/security/users/userId/{user}/{right}"
    assert world.ask(f"PUT {path}", "system", json=GAINS[right]).status_code == 204
    assert is_accepted(world, world.tokens[user])
    assert not is_accepted(world, had["access_token"])
    assert not browser.is_signed_on
    for form in (refresh_form(had["refresh_token"]), code.form()):
        answer = send(world, form, basic("depot", secret))
        assert (answer.status_code, answer.json()["error"]) == (400, "invalid_grant")


def test_a_right_is_not_gained_where_applications_would_keep_their_sessions(
    world: World, user: str, browser: SignedOnBrowser, secret: str
) -> None:
    had = tokens(browser, user, secret)
    world.documents.command("collMod", "refreshFamilies", validator={"revoked": False})
    try:
        path = f"/security/users/userId/{user}/impersonation"
        assert world.ask(f"PUT {path}", "system", json=GAINS["impersonation"]).status_code == 422
    finally:
        world.documents.command("collMod", "refreshFamilies", validator={})
    (stored,) = world.documents["credentials"].find({"userId": user})
    assert not stored.get("impersonationEnabled")
    assert browser.is_signed_on
    assert is_accepted(world, had["access_token"])


def test_unknown_parameters_are_refused(world: World, user: str) -> None:
    assert world.ask(f"GET {SESSIONS}?userId={OTHER}", user).status_code == 400
    assert world.ask(f"DELETE {SESSIONS}?subject=x", user).status_code == 400
    assert is_accepted(world, world.tokens[user])
