"""``/security/users`` over HTTP: who may do what to whom, what it answers, and what must not happen."""

from __future__ import annotations

from itertools import count
from pathlib import Path
from typing import Any

import pytest
from pymongo import MongoClient

from runtime.identity.users.users import NewUser
from tests.http.world import CALLERS, PASSWORD, Document, Play, World, open_world
from tests.scenario import Scenario

USERS = "/security/users"
ADMIN = CALLERS["acme"].user_id
OTHER_TENANT = CALLERS["globex"].user_id
NEW_PASSWORD = "another horse battery"
FOR_EXAMPLE = {"password": PASSWORD, "roles": ["user"]}

_numbers = count(1)


@pytest.fixture
def ada(world: World) -> Document:
    """A fresh user of acme, made over HTTP."""
    body = FOR_EXAMPLE | {"userId": f"ada{next(_numbers)}@acme.example"}
    answer = world.ask(f"POST {USERS}", json=body)
    assert answer.status_code == 201, answer.text
    made: Document = answer.json()
    return made


@pytest.fixture(params=["userId", "subject"])
def path(request: pytest.FixtureRequest, ada: Document) -> str:
    """The path of ``ada``, both ways."""
    return f"{USERS}/{request.param}/{ada[request.param]}"


@pytest.fixture(scope="module")
def power(world: World) -> Document:
    """A user of acme who may do more than its admins."""
    user = NewUser("power@acme.example", PASSWORD, "acme", frozenset({"user", "system"}))
    world.sign_in("power", user)
    found: Document = world.ask(f"GET {USERS}/userId/{user.user_id}", "system").json()
    return found


def login(world: World, user_id: str, password: str = PASSWORD) -> Any:
    return world.ask("POST /security/login", None, json={"userId": user_id, "password": password})


class TestMaking:
    def test_a_user(self, world: World, play: Play) -> None:
        has = {
            "userId": "Bob@acme.example",
            "roles": ["admin", "user"],
            "authProviderName": "store",
            "domainContext": {"tenantId": "acme", "defaultRealm": world.realm, "orgRefName": "north"},
            "disabled": False,
            "forceChangePassword": True,
            "impersonationEnabled": False,
            "description": "Keeps the books.",
        }
        body = FOR_EXAMPLE | {
            "userId": "Bob@acme.example",
            "roles": ["user", "admin"],
            "orgRefName": "north",
            "forceChangePassword": True,
            "description": "Keeps the books.",
        }
        silent = (PASSWORD, "$2b$", "passwordHash", "loginName", "tokenEpoch")
        play(Scenario("new", f"POST {USERS}", body=body, status=201, has=has, silent_on=silent, stored=1))
        stored = world.documents["credentials"].find_one({"userId": "Bob@acme.example"})
        assert stored is not None
        assert stored["auditInfo"]["createdBy"] == ADMIN
        assert login(world, "bob@acme.example").json()["code"] == "login.password_change_required"

    @pytest.mark.parametrize(
        ("members", "status", "code", "says"),
        [
            pytest.param({"tenantId": "globex"}, 403, "access.denied", "tenantId", id="another tenant"),
            pytest.param({"roles": ["system"]}, 403, "access.denied", "the role system", id="system"),
            pytest.param({"roles": ["user", "system"]}, 403, "access.denied", "system", id="system too"),
            pytest.param({"roles": ["amdin"]}, 422, "record.invalid", "did you mean admin?", id="no role"),
            pytest.param({"roles": []}, 422, "record.invalid", "roles", id="no roles"),
            pytest.param({"realms": ["emea"]}, 403, "access.denied", "other realms", id="other realms"),
            pytest.param(
                {"realmRoles": {"emea": ["user"]}}, 403, "access.denied", "other realms", id="roles elsewhere"
            ),
            pytest.param({"password": "short"}, 422, "record.invalid", "12 characters", id="short password"),
            pytest.param({"password": "xyz" * 25}, 422, "record.invalid", "72 bytes", id="long password"),
            pytest.param({"userId": "a b"}, 422, "record.invalid", "without blanks", id="blank"),
            pytest.param({"userId": "admin"}, 422, "record.invalid", "name of a role", id="named as a role"),
            pytest.param({"userId": ADMIN.upper()}, 409, "record.duplicate", "is or was in use", id="taken"),
            pytest.param(
                {"userId": OTHER_TENANT}, 409, "record.duplicate", "is or was in use", id="taken elsewhere"
            ),
            pytest.param({"authProviderName": "ldap"}, 422, "record.invalid", "ldap", id="no such provider"),
            pytest.param(
                {"dataSegment": 2**63}, 422, "record.invalid", "beyond 64 bits", id="segment beyond 64 bits"
            ),
            pytest.param({"subject": "x"}, 400, "request.unknown_member", "subject", id="subject"),
            pytest.param({"realmRegEx": ".*"}, 400, "request.unknown_member", "realmRegEx", id="pattern"),
            pytest.param({"tokenEpoch": 9}, 400, "request.unknown_member", "tokenEpoch", id="epoch"),
        ],
    )
    def test_refusals(self, play: Play, members: Document, status: int, code: str, says: str) -> None:
        body = FOR_EXAMPLE | {"userId": "carl@acme.example"} | members
        said: dict[str, Any] = {"status": status, "code": code, "says": (says,), "silent_on": (PASSWORD,)}
        play(Scenario("new", f"POST {USERS}", body=body, **said))

    def test_by_system_anywhere_with_anything(self, play: Play) -> None:
        body = FOR_EXAMPLE | {
            "userId": "sys@globex.example",
            "tenantId": "globex",
            "roles": ["system"],
            "realms": ["emea"],
            "realmRoles": {"emea": ["user"]},
        }
        has = {"domainContext.tenantId": "globex", "realms": ["emea"], "realmRoles": {"emea": ["user"]}}
        play(Scenario("new", f"POST {USERS}", user="system", body=body, status=201, has=has, stored=1))

    def test_by_an_admin_of_an_organisation_inside_it(self, world: World, play: Play) -> None:
        boss = NewUser("boss@north.example", PASSWORD, "acme", frozenset({"admin"}), org_ref_name="north")
        world.sign_in("north-admin", boss)
        body = FOR_EXAMPLE | {"userId": "nora@north.example"}
        has = {"domainContext.orgRefName": "north"}
        play(Scenario("own", f"POST {USERS}", user="north-admin", body=body, status=201, has=has, stored=1))
        body = FOR_EXAMPLE | {"userId": "sue@south.example", "orgRefName": "south"}
        play(Scenario("other", f"POST {USERS}", user="north-admin", body=body, status=403))
        wide = f"GET {USERS}/userId/{ADMIN}"
        play(Scenario("unbound users are absent", wide, user="north-admin", status=404))


class TestReading:
    def test_one(self, ada: Document, path: str, play: Play) -> None:
        assert play(Scenario("get", f"GET {path}")) == ada

    def test_names(self, ada: Document, play: Play) -> None:
        has = {"userId": ada["userId"], "subject": ada["subject"]}
        play(Scenario("subject", f"GET {USERS}/userId/{ada['userId'].upper()}/subject", has=has))
        play(Scenario("user id", f"GET {USERS}/subject/{ada['subject']}/userId", has=has))

    def test_roles(self, path: str, play: Play) -> None:
        play(Scenario("roles", f"GET {path}/roles", has={"roles": ["user"]}))

    def test_exists(self, path: str, play: Play) -> None:
        play(Scenario("own", f"GET {path}/exists", has={"exists": True}))
        play(Scenario("of others", f"GET {path}/exists", user="globex", has={"exists": False}))
        play(Scenario("nobody", f"GET {path}x/exists", has={"exists": False}))
        play(Scenario("system", f"GET {path}/exists", user="system", has={"exists": True}))

    def test_list_is_that_of_the_tenant(self, ada: Document, world: World, play: Play) -> None:
        page = play(Scenario("list", f"GET {USERS}?limit=1000", silent_on=("$2b$", "passwordHash", "globex")))
        names = [row["userId"] for row in page["rows"]]
        assert ada["userId"] in names
        assert {row["domainContext"]["tenantId"] for row in page["rows"]} == {"acme"}
        assert names == sorted(names, key=str.casefold)
        assert page["rowCount"] == len(names)
        part = play(
            Scenario("page", f"GET {USERS}?skip=1&limit=2", has={"offset": 1, "limit": 2, "rowCount": 2})
        )
        assert [row["userId"] for row in part["rows"]] == names[1:3]
        everybody = world.ask(f"GET {USERS}?limit=1000", "system").json()["rows"]
        assert {row["domainContext"]["tenantId"] for row in everybody} >= {"acme", "globex", "operations"}

    @pytest.mark.parametrize("query", ["limit=0", "limit=1001", "skip=-1", "skip=x", "tenant=globex"])
    def test_list_is_bounded(self, play: Play, query: str) -> None:
        play(Scenario("list", f"GET {USERS}?{query}", status=400))


CHANGES: dict[str, tuple[str, str, Document | None]] = {
    "remove": ("DELETE", "", None),
    "assign roles": ("PUT", "/roles", {"roles": ["admin"]}),
    "remove roles": ("DELETE", "/roles?roles=user", None),
    "disable": ("PUT", "/disabled", {"disabled": True}),
    "enable": ("PUT", "/disabled", {"disabled": False}),
    "reset password": ("PUT", "/password", {"newPassword": NEW_PASSWORD}),
    "enable impersonation": ("PUT", "/impersonation", {"filterScript": "roles:user"}),
    "disable impersonation": ("DELETE", "/impersonation", None),
}
OF_SYSTEM: dict[str, tuple[str, str, Document | None]] = {
    "enable realm override": ("PUT", "/realmOverride", {"realmRegEx": "emea-.*"}),
    "disable realm override": ("DELETE", "/realmOverride", None),
}
READS = {name: ("GET", tail, None) for name, tail in {"get": "", "roles": "/roles"}.items()}


class TestChanging:
    def test_roles(self, ada: Document, path: str, play: Play) -> None:
        request = f"PUT {path}/roles"
        play(Scenario("add", request, body={"roles": ["admin"]}, has={"roles": ["admin", "user"]}, changed=1))
        request = f"DELETE {path}/roles?roles=user,%20admin"
        play(Scenario("all", request, status=422, code="record.invalid", says=("at least one role",)))
        play(Scenario("take", f"DELETE {path}/roles?roles=user", has={"roles": ["admin"]}, changed=1))
        said: dict[str, Any] = {"status": 403, "code": "access.denied"}
        play(Scenario("system", f"PUT {path}/roles", body={"roles": ["system"]}, **said))
        said = {"status": 422, "says": ("did you mean admin?",)}
        play(Scenario("unknown", f"PUT {path}/roles", user="system", body={"roles": ["amdin"]}, **said))
        play(Scenario("none", f"DELETE {path}/roles", status=400, says=("roles is missing",)))

    def test_new_roles_end_the_tokens(self, world: World, ada: Document, path: str) -> None:
        token = login(world, ada["userId"]).json()["accessToken"]
        assert world.ask(f"PUT {path}/roles", json={"roles": ["admin"]}).status_code == 200
        assert me(world, token) == 401
        assert login(world, ada["userId"]).json()["roles"] == ["admin", "user"]

    def test_disabling_ends_the_tokens(self, world: World, ada: Document, path: str, play: Play) -> None:
        tokens = login(world, ada["userId"]).json()
        play(Scenario("off", f"PUT {path}/disabled", body={"disabled": True}, status=204, changed=1))
        assert me(world, tokens["accessToken"]) == 401
        body = {"refreshToken": tokens["refreshToken"]}
        assert world.ask("POST /security/refresh", None, json=body).status_code == 401
        assert login(world, ada["userId"]).json()["code"] == "login.failed"
        play(Scenario("on", f"PUT {path}/disabled", body={"disabled": False}, status=204, changed=1))
        assert login(world, ada["userId"]).status_code == 200
        assert me(world, tokens["accessToken"]) == 401

    def test_removing(self, world: World, ada: Document, path: str, play: Play) -> None:
        token = login(world, ada["userId"]).json()["accessToken"]
        play(Scenario("remove", f"DELETE {path}", status=204, removed=1, stored=1))
        assert me(world, token) == 401
        assert login(world, ada["userId"]).status_code == 401
        play(Scenario("again", f"DELETE {path}", status=404))
        body = FOR_EXAMPLE | {"userId": ada["userId"].upper()}
        for who in ("acme", "globex"):  # whoever got the id would own what the removed user owned
            play(Scenario("new", f"POST {USERS}", who, body=body, status=409, code="record.duplicate"))

    def test_password_must_be_changed_by_the_user(
        self, world: World, ada: Document, path: str, play: Play
    ) -> None:
        token = login(world, ada["userId"]).json()["accessToken"]
        body: Document = {"newPassword": NEW_PASSWORD}
        play(Scenario("reset", f"PUT {path}/password", body=body, status=204, changed=1))
        assert me(world, token) == 401
        assert login(world, ada["userId"], NEW_PASSWORD).json()["code"] == "login.password_change_required"
        body |= {"forceChangePassword": False}
        play(Scenario("reset", f"PUT {path}/password", body=body, status=204, changed=1))
        assert login(world, ada["userId"], NEW_PASSWORD).status_code == 200
        said: dict[str, Any] = {"status": 422, "says": ("12 characters",), "silent_on": ("tiny",)}
        play(Scenario("short", f"PUT {path}/password", body={"newPassword": "tiny"}, **said))

    def test_impersonation(self, path: str, play: Play) -> None:
        request, body = f"PUT {path}/impersonation", {"filterScript": "roles:user"}
        play(Scenario("on", request, body=body, status=204, changed=1))
        has: Document = {"impersonationEnabled": True, "impersonateFilterScript": "roles:user"}
        play(Scenario("on", f"GET {path}", has=has))
        play(Scenario("off", f"DELETE {path}/impersonation", status=204, changed=1))
        lacks = ("impersonateFilterScript",)
        play(Scenario("off", f"GET {path}", has={"impersonationEnabled": False}, lacks=lacks))
        said: dict[str, Any] = {"status": 422, "says": ("passwordHash",)}
        play(Scenario("hidden", request, body={"filterScript": "passwordHash:a*"}, **said))

    def test_realm_override(self, path: str, play: Play) -> None:
        request, body = f"PUT {path}/realmOverride", {"realmRegEx": "emea-.*"}
        play(Scenario("on", request, user="system", body=body, status=204, changed=1))
        play(Scenario("on", f"GET {path}", has={"realmRegEx": "emea-.*"}))
        said: dict[str, Any] = {"status": 403, "code": "access.denied", "says": ("more than you",)}
        play(Scenario("now it is beyond the admin", f"DELETE {path}", **said))
        play(Scenario("off", f"DELETE {path}/realmOverride", user="system", status=204, changed=1))
        play(Scenario("off", f"GET {path}", lacks=("realmRegEx",)))
        play(Scenario("bad", request, user="system", body={"realmRegEx": "("}, status=422))

    @pytest.mark.parametrize("change", OF_SYSTEM)
    def test_realms_are_opened_by_system_only(self, path: str, play: Play, change: str) -> None:
        method, tail, body = OF_SYSTEM[change]
        play(Scenario(change, f"{method} {path}{tail}", body=body, status=403, code="access.denied"))


@pytest.mark.parametrize("change", CHANGES)
class TestWhoMayNot:
    def test_on_others(self, play: Play, path: str, change: str) -> None:
        """Users of another tenant are as absent as nobody."""
        method, tail, body = CHANGES[change]
        answers = [
            play(
                Scenario(
                    who, f"{method} {where}{tail}", user=who, body=body, status=404, code="record.not_found"
                )
            )
            for who, where in (("globex", path), ("acme", f"{path}x"))
        ]
        assert len({answer["detail"].replace("x in the", " in the") for answer in answers}) == 1

    @pytest.mark.parametrize("who", ["acme-user", "acme-nobody"])
    def test_without_the_role(self, play: Play, path: str, change: str, who: str) -> None:
        method, tail, body = CHANGES[change]
        play(Scenario(who, f"{method} {path}{tail}", user=who, body=body, status=403, code="access.denied"))

    def test_without_a_token(self, play: Play, path: str, change: str) -> None:
        method, tail, body = CHANGES[change]
        play(Scenario("nobody", f"{method} {path}{tail}", user=None, body=body, status=401))

    def test_on_oneself(self, play: Play, change: str) -> None:
        method, tail, body = CHANGES[change]
        request = f"{method} {USERS}/userId/{ADMIN}{tail}"
        play(Scenario("oneself", request, body=body, status=409, code="user.own_account"))

    def test_on_who_may_do_more(self, play: Play, power: Document, change: str) -> None:
        method, tail, body = CHANGES[change]
        request = f"{method} {USERS}/subject/{power['subject']}{tail}"
        play(Scenario("power", request, body=body, status=403, code="access.denied", says=("more than you",)))


@pytest.mark.parametrize("read", READS)
def test_reading_is_for_admins_of_the_tenant(play: Play, path: str, read: str) -> None:
    _method, tail, _body = READS[read]
    play(Scenario("others", f"GET {path}{tail}", user="globex", status=404, code="record.not_found"))
    play(Scenario("user", f"GET {path}{tail}", user="acme-user", status=403, code="access.denied"))
    play(Scenario("nobody", f"GET {path}{tail}", user=None, status=401))


def test_a_page_is_not_larger_than_the_largest_unless_asked_for(
    mongo_uri: str, mongo_client: MongoClient[Document], key_folder: Path
) -> None:
    """``limits.max-page-size`` below ``limits.page-size``, which is 50 where nobody sets it."""
    with open_world(mongo_uri, mongo_client, data_folder=key_folder, max_page_size=20) as world:
        for path in (USERS, "/logistics/countries/list"):
            answer = world.ask(f"GET {path}")
            assert (answer.status_code, answer.json()["limit"]) == (200, 20)
            answer = world.ask(f"GET {path}?limit=21")
            assert (answer.status_code, answer.json()["code"]) == (400, "request.invalid_parameter")


def me(world: World, token: str) -> int:
    headers = {"Authorization": f"Bearer {token}"}
    return world.ask("GET /security/me", None, headers=headers).status_code
