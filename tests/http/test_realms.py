"""Realms over HTTP: in which one a call acts, with which roles, and what cannot be seen from the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pytest
from pymongo import MongoClient
from pymongo.database import Database

from runtime.identity.users.users import NewUser, create_user
from runtime.realm_setup import create_realm, set_realm_active
from tests.http.world import PASSWORD, Play, World
from tests.scenario import Scenario

# A service that sees at once what is changed behind its back.
pytestmark = pytest.mark.settings(credential_cache_seconds=0)

ME = "GET /security/me"
COUNTRIES = "/logistics/countries"
IN_EMEA = {"X-Realm": "emea"}

Documents = Database[dict[str, Any]]

USER = frozenset({"user"})


def build_user(user: str, **facts: Any) -> NewUser:
    return NewUser(f"{user}@acme.example", PASSWORD, "acme", facts.pop("roles", USER), **facts)


TRAVELLERS = {
    "traveller": build_user(
        "traveller", realms=frozenset({"emea"}), realm_roles={"emea": frozenset({"admin"})}
    ),
    "guest": build_user("guest", realms=frozenset({"emea"})),
    "matching": build_user("matching", realm_reg_ex="em.*|apac|ghost", realm_roles={"emea": USER}),
    "routed": build_user("routed", realms=frozenset({"emea"}), realm_roles={"emea": USER}),
    "operator": build_user("operator", roles=frozenset({"system"}), realm_reg_ex=".*"),
}
"""``routed`` has an area override beside: logistics → emea."""


@dataclass
class Realms:
    """Two realms beside the default one: ``emea``, and ``apac``, which is switched off."""

    world: World
    emea: Documents
    databases: list[str] = field(default_factory=list)

    def call(self, work: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        """Something of the service itself, on its event loop."""
        assert self.world.client.portal is not None
        return self.world.client.portal.call(
            partial(work, self.world.app.state.service, *arguments, **options)
        )


@pytest.fixture(scope="module")
def realms(world: World, mongo_client: MongoClient[dict[str, Any]]) -> Iterator[Realms]:
    made = Realms(world, mongo_client[f"{world.realm}-emea"])
    try:
        for name in ("emea", "apac"):
            made.databases.append(f"{world.realm}-{name}")
            made.call(create_realm, name, made.databases[-1])
        made.call(set_realm_active, "apac", False)
        for caller, user in TRAVELLERS.items():
            world.sign_in(caller, user)
        world.documents["credentials"].update_one(
            {"userId": "routed@acme.example"}, {"$set": {"area2RealmOverrides": {"logistics": "emea"}}}
        )
        yield made
    finally:
        for name in made.databases:
            mongo_client.drop_database(name)


def country(world: World) -> dict[str, Any]:
    return world.sample("Country")


def make_away(world: World, **members: Any) -> dict[str, Any]:
    """A country in emea."""
    answer = world.ask(f"POST {COUNTRIES}", "traveller", headers=IN_EMEA, json=country(world) | members)
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


class TestWhichRealm:
    @pytest.mark.parametrize(
        ("user", "header", "realm", "roles"),
        [
            pytest.param("acme", None, "home", ["admin"], id="nothing said"),
            pytest.param("traveller", None, "home", ["user"], id="nothing said, others open"),
            pytest.param("traveller", "home", "home", ["user"], id="the default by name"),
            pytest.param("traveller", "emea", "emea", ["admin"], id="a listed one"),
            pytest.param("guest", "emea", "emea", [], id="a listed one, no roles there"),
            pytest.param("matching", "emea", "emea", ["user"], id="one that matches"),
            pytest.param("operator", "emea", "emea", [], id="system at home is nobody abroad"),
        ],
    )
    def test_it_is_what_the_header_says(
        self, realms: Realms, play: Play, user: str, header: str | None, realm: str, roles: list[str]
    ) -> None:
        names = {"home": realms.world.realm}
        headers = {} if header is None else {"X-Realm": names.get(header, header)}
        play(
            Scenario(
                "me", ME, user=user, headers=headers, has={"realm": names.get(realm, realm), "roles": roles}
            )
        )

    def test_refusals_are_all_alike(self, realms: Realms, play: Play) -> None:
        said = set()
        for user, realm in (
            ("acme", "emea"),  # not open to the caller
            ("matching", "ghost"),  # unknown
            ("matching", "apac"),  # switched off
            ("operator", "admin"),  # MongoDB's own
            ("operator", realms.emea.name),  # a database, not a realm
        ):
            problem = play(
                Scenario(
                    "me", ME, user=user, headers={"X-Realm": realm}, status=403, code="access.denied",
                    silent_on=(realm,),
                )
            )  # fmt: skip
            said.add((problem["title"], problem["detail"]))
        assert len(said) == 1

    def test_an_area_may_be_routed_to_another_realm(self, realms: Realms, play: Play) -> None:
        home = realms.world.realm
        play(Scenario("another area", ME, user="routed", has={"realm": home}))
        before = realms.emea["countries"].count_documents({})
        play(Scenario("routed", f"POST {COUNTRIES}", user="routed", body=country(realms.world), status=201))
        assert realms.emea["countries"].count_documents({}) == before + 1

        at_home = {"X-Realm": home}
        body = country(realms.world)
        play(
            Scenario(
                "the header wins", f"POST {COUNTRIES}", user="routed", headers=at_home, body=body,
                status=201, stored=1,
            )
        )  # fmt: skip
        assert realms.emea["countries"].count_documents({}) == before + 1

    def test_roles_are_those_of_the_realm(self, realms: Realms, play: Play) -> None:
        save = Scenario(
            "save", f"POST {COUNTRIES}", user="guest", headers=IN_EMEA, body=country(realms.world),
            status=403, code="access.denied",
        )  # fmt: skip
        before = realms.emea["countries"].count_documents({})
        play(save)
        assert realms.emea["countries"].count_documents({}) == before
        play(Scenario("list", f"GET {COUNTRIES}/list", user="operator", headers=IN_EMEA, status=403))


class TestApart:
    def test_a_record_of_one_realm_is_not_in_the_other(self, realms: Realms, play: Play) -> None:
        body = country(realms.world)
        made = play(
            Scenario(
                "save", f"POST {COUNTRIES}", user="traveller", headers=IN_EMEA, body=body, status=201,
                has={"dataDomain.tenantId": "acme"},
            )
        )  # fmt: skip
        one = f"GET {COUNTRIES}/id/{made['id']}"
        play(Scenario("there", one, user="traveller", headers=IN_EMEA, has={"id": made["id"]}))
        play(Scenario("here", one, user="traveller", status=404, code="record.not_found"))
        for user in ("acme", "system"):
            play(Scenario("here, with more rights", one, user=user, status=404))
        by_name = f"GET {COUNTRIES}/refName/{made['refName']}"
        play(Scenario("by refName", by_name, user="traveller", status=404))
        listed = f"GET {COUNTRIES}/list?filter=refName:{made['refName']}&count=exact"
        play(Scenario("listed here", listed, user="traveller", has={"totalCount": 0}))
        play(Scenario("listed there", listed, user="traveller", headers=IN_EMEA, has={"totalCount": 1}))
        delete = f"DELETE {COUNTRIES}/id/{made['id']}"
        play(Scenario("delete here", delete, user="acme", status=404))
        assert realms.emea["countries"].count_documents({"refName": made["refName"]}) == 1

    def test_an_id_of_the_other_realm_is_as_unknown_as_any(self, realms: Realms, play: Play) -> None:
        made = make_away(realms.world)
        body = country(realms.world) | {"id": made["id"]}
        saved = play(Scenario("save", f"POST {COUNTRIES}", body=body, status=201, stored=1))
        assert saved["id"] != made["id"]

    def test_unique_names_are_unique_in_one_realm(self, realms: Realms, play: Play) -> None:
        made = make_away(realms.world)
        again = {"refName": made["refName"], "code": made["code"], "name": "Again"}
        play(Scenario("here", f"POST {COUNTRIES}", body=again, status=201, stored=1))
        play(
            Scenario(
                "there", f"POST {COUNTRIES}", user="traveller", headers=IN_EMEA, body=again, status=409,
                code="record.duplicate",
            )
        )  # fmt: skip

    def test_references_across_realms_are_missing(self, realms: Realms, play: Play) -> None:
        away, here = make_away(realms.world), realms.world.make("Country", "traveller")
        airport = {"icao": "EMEA", "name": "Field"}
        for headers, target in (({}, away), (IN_EMEA, here)):
            body = airport | {"country": {"entityId": target["id"]}}
            play(
                Scenario(
                    "save", "POST /logistics/airports", user="traveller", headers=headers, body=body,
                    status=422, code="reference.missing",
                )
            )  # fmt: skip
        assert realms.emea["airports"].count_documents({}) == 0
        body = airport | {"country": {"entityId": away["id"], "realm": "emea"}}
        play(
            Scenario("naming it", "POST /logistics/airports", body=body, status=422, code="reference.missing")
        )
        body = airport | {"country": {"entityId": away["id"]}}
        play(
            Scenario(
                "there", "POST /logistics/airports", user="traveller", headers=IN_EMEA, body=body, status=201
            )
        )

    def test_a_cursor_is_of_one_realm(self, realms: Realms, play: Play) -> None:
        for _each in range(2):
            make_away(realms.world)
            realms.world.make("Country", "traveller")
        page = play(Scenario("here", f"GET {COUNTRIES}/list?limit=1", user="traveller"))
        following = f"GET {COUNTRIES}/list?limit=1&cursor={page['nextCursor']}"
        play(Scenario("on", following, user="traveller"))
        play(Scenario("there", following, user="traveller", headers=IN_EMEA, status=400))


class TestSigningIn:
    def test_a_user_of_another_realm(self, realms: Realms, play: Play) -> None:
        realms.call(create_user, build_user("native", realm="emea"))
        user = {"userId": "native@acme.example", "password": PASSWORD}
        login = "POST /security/login"
        play(Scenario("no realm named", login, user=None, body=user, status=401, code="login.failed"))
        answer = play(
            Scenario("its realm", login, user=None, body=user | {"realm": "emea"}, has={"realm": "emea"})
        )
        realms.world.tokens["native"] = answer["accessToken"]
        play(Scenario("me", ME, user="native", has={"realm": "emea", "domainContext.defaultRealm": "emea"}))
        home = {"X-Realm": realms.world.realm}
        play(Scenario("not the default one", ME, user="native", headers=home, status=403))

    def test_a_realm_that_is_not_there_answers_like_a_wrong_password(
        self, realms: Realms, play: Play
    ) -> None:
        body = {"userId": "traveller@acme.example", "password": PASSWORD}
        said = []
        for changes in ({"realm": "ghost"}, {"realm": "apac"}, {"realm": "emea"}, {"password": "wrong one"}):
            problem = play(
                Scenario("login", "POST /security/login", user=None, body=body | changes, status=401)
            )
            said.append({name: problem[name] for name in problem if name not in ("requestId",)})
        assert all(each == said[0] for each in said)


class TestSwitchedOff:
    def test_in_the_middle_of_the_work(self, realms: Realms, play: Play) -> None:
        world = realms.world
        realms.call(create_user, build_user("resident", realm="emea"))
        body = {"userId": "resident@acme.example", "password": PASSWORD, "realm": "emea"}
        logged_in = play(Scenario("login", "POST /security/login", user=None, body=body))
        world.tokens["resident"] = logged_in["accessToken"]
        made = make_away(world)
        one = f"GET {COUNTRIES}/id/{made['id']}"
        refresh = {"refreshToken": logged_in["refreshToken"]}

        world.documents["realms"].update_one({"refName": "emea"}, {"$set": {"active": False}})
        try:
            play(Scenario("acting", one, user="traveller", headers=IN_EMEA, status=403))
            play(Scenario("coming from it", ME, user="resident", status=401))
            play(Scenario("signing in", "POST /security/login", user=None, body=body, status=401))
            play(Scenario("refreshing", "POST /security/refresh", user=None, body=refresh, status=401))
            play(Scenario("at home", ME, user="traveller", has={"realm": world.realm}))
        finally:
            world.documents["realms"].update_one({"refName": "emea"}, {"$set": {"active": True}})
        play(Scenario("on again", one, user="traveller", headers=IN_EMEA))
        play(Scenario("refreshed", "POST /security/refresh", user=None, body=refresh))


@pytest.fixture(scope="module")
def prefect(realms: Realms) -> World:
    """The world, with people of emea who are signed in, and somebody who is ``system`` in both realms."""
    world, system = realms.world, frozenset({"system"})
    people = {
        "prefect": build_user("prefect", realm="emea", roles=system),
        "returning": build_user(
            "returning", realm="emea", realms=frozenset({world.realm}), realm_roles={world.realm: system}
        ),
        "driver": build_user("driver", realm="emea"),
    }
    for name, user in people.items():
        realms.call(create_user, user)
        body = {"userId": user.user_id, "password": PASSWORD, "realm": "emea"}
        world.tokens[name] = world.ask("POST /security/login", None, json=body).json()["accessToken"]
    overseer = build_user("overseer", roles=system, realms=frozenset({"emea"}), realm_roles={"emea": system})
    world.sign_in("overseer", overseer)
    return world


class TestSystemOfAnotherRealm:
    """``system`` where a credential lives beside the default realm is bound to that realm."""

    @pytest.mark.parametrize(
        ("members", "status"),
        [
            ({}, 201),
            ({"roles": ["system"], "tenantId": "globex"}, 201),
            ({"realms": ["main"]}, 403),
            ({"realmRoles": {"main": ["system"]}}, 403),
        ],
        ids=str,
    )
    def test_opens_no_other_realm_to_a_new_user(
        self, prefect: World, members: dict[str, Any], status: int
    ) -> None:
        name = f"new-{'-'.join(['user', *members])}@acme.example"
        body = {"userId": name, "password": PASSWORD, "roles": ["user"]}
        answer = prefect.ask("POST /security/users", "prefect", json=body | members)
        assert answer.status_code == status, answer.text
        if status == 403:
            answer = prefect.ask("POST /security/users", "overseer", json=body | members, headers=IN_EMEA)
            assert answer.status_code == 201, answer.text

    def test_manages_and_acts_as_nobody_who_has_more_elsewhere(self, realms: Realms, prefect: World) -> None:
        users = "/security/users/userId"
        password, anybody = {"newPassword": f"another {PASSWORD}"}, {"filterScript": "userId:~"}
        returning, driver = f"{users}/returning@acme.example", f"{users}/driver@acme.example"
        realm = {"realmRegEx": ".*"}
        assert prefect.ask(f"PUT {returning}/password", "prefect", json=password).status_code == 403
        assert prefect.ask(f"PUT {driver}/realmOverride", "prefect", json=realm).status_code == 403
        assert prefect.ask(f"PUT {driver}/impersonation", "prefect", json=anybody).status_code == 204
        as_returning = {"X-Impersonate-UserId": "returning@acme.example"}
        as_prefect = {"X-Impersonate-UserId": "prefect@acme.example"}
        as_driver = {"X-Impersonate-UserId": "driver@acme.example"}
        for target, status in ((as_returning, 403), (as_prefect, 403), (as_driver, 200)):
            assert prefect.ask(ME, "driver", headers=target).status_code == status, target
        script: dict[str, Any] = {"impersonationEnabled": True, "impersonateFilterScript": "userId:~"}
        script |= {"impersonationGranter": {"operator": True}}
        realms.emea["credentials"].update_one({"userId": "prefect@acme.example"}, {"$set": script})
        for target, status in ((as_returning, 403), (as_driver, 200)):
            assert prefect.ask(ME, "prefect", headers=target).status_code == status, target
