"""Acting as somebody else, and on behalf of somebody, over HTTP: what it gives, and what it must never give."""

from __future__ import annotations

from typing import Any

import pytest

from runtime.identity.users.users import NewUser
from tests.http.test_grants import change
from tests.http.world import NOWHERE, PASSWORD, Play, World
from tests.scenario import Scenario

# A service that sees at once what is changed behind its back.
pytestmark = pytest.mark.settings(credential_cache_seconds=0)

ME = "GET /security/me"
CARRIERS = "/logistics/carriers"
CARRIER = {"name": "Atlantic Air Cargo", "mode": "AIR"}
AS_USER = {"X-Impersonate-UserId": "user@acme.example"}

HELPERS = {
    "helper": ("userId:~", NewUser("helper@acme.example", PASSWORD, "acme", frozenset({"admin"}))),
    "north-helper": (
        "userId:~",
        NewUser("h-north@acme.example", PASSWORD, "acme", frozenset({"admin"}), org_ref_name="north"),
    ),
    "users-helper": (
        "roles:user && !!(roles:^[admin, system])",
        NewUser("h-users@acme.example", PASSWORD, "acme", frozenset({"admin"})),
    ),
    "reader": (
        "userId:~",
        NewUser("reader@acme.example", PASSWORD, "acme", frozenset({"auditor"})),
    ),
    "root": ("userId:~", NewUser("root@service.example", PASSWORD, "operations", frozenset({"system"}))),
    "no-script": (None, NewUser("no-script@acme.example", PASSWORD, "acme", frozenset({"admin"}))),
}
"""Caller → its script, and who it is."""


@pytest.fixture(scope="module", autouse=True)
def helpers(world: World) -> None:
    """Callers who may act as others."""
    for name, (script, user) in HELPERS.items():
        world.sign_in(name, user)
        if script is not None:
            granter = {"operator": True}
            change(
                world, user.user_id, impersonationEnabled=True, impersonateFilterScript=script,
                impersonationGranter=granter,
            )  # fmt: skip
    local = NewUser("local-system@acme.example", PASSWORD, "acme", frozenset({"system"}))
    world.sign_in("local-system", local)


def subject_of(world: World, user_id: str) -> str:
    found = world.documents["credentials"].find_one({"userId": user_id})
    assert found is not None
    return str(found["subject"])


class TestWho:
    @pytest.mark.parametrize(
        ("user", "target", "roles"),
        [
            ("helper", "user@acme.example", ["user"]),
            ("helper", "USER@acme.example", ["user"]),
            ("helper", "nobody@acme.example", ["auditor"]),
            ("helper", "admin@acme.example", ["admin"]),
            ("users-helper", "user@acme.example", ["user"]),
            ("north-helper", "north@acme.example", ["user"]),
            ("root", "admin@globex.example", ["admin"]),
            ("root", "operator@service.example", ["system"]),
        ],
    )
    def test_the_call_is_the_targets(
        self, world: World, play: Play, user: str, target: str, roles: list[str]
    ) -> None:
        has = {"identity": target.lower(), "roles": roles}
        play(Scenario("by user id", ME, user=user, headers={"X-Impersonate-UserId": target}, has=has))
        subject = subject_of(world, target.lower())
        play(Scenario("by subject", ME, user=user, headers={"X-Impersonate-Subject": subject}, has=has))

    def test_every_refusal_is_the_same(self, world: World, play: Play) -> None:
        said = set()
        for user, target in (
            ("helper", "made-up@acme.example"),
            ("helper", "admin@globex.example"),
            ("helper", "operator@service.example"),
            ("helper", "local-system@acme.example"),
            ("helper", "*"),
            ("helper", '{"$ne":""}'),
            ("helper", "x" * 200),
            ("helper", subject_of(world, "user@acme.example")),
            ("users-helper", "admin@acme.example"),
            ("users-helper", "nobody@acme.example"),
            ("north-helper", "south@acme.example"),
            ("north-helper", "admin@acme.example"),
            ("no-script", "user@acme.example"),
            ("acme", "user@acme.example"),
            ("acme-user", "admin@acme.example"),
            ("system", "user@acme.example"),
        ):
            headers = {"X-Impersonate-UserId": target}
            problem = play(Scenario("me", ME, user=user, headers=headers, status=403, code="access.denied"))
            said.add((problem["title"], problem["detail"]))
        assert len(said) == 1

    @pytest.mark.parametrize(
        "headers",
        [
            pytest.param([("X-Impersonate-UserId", "a"), ("X-Impersonate-Subject", "b")], id="both"),
            pytest.param([("X-Impersonate-UserId", "a"), ("X-Impersonate-UserId", "a")], id="twice"),
            pytest.param([("X-Impersonate-UserId", "")], id="empty"),
            pytest.param([("X-Impersonate-Subject", "x" * 201)], id="too long"),
            pytest.param([("X-Impersonate-UserId", "a\tb")], id="a control character"),
            pytest.param([("X-Acting-On-Behalf-Of-UserId", "")], id="on behalf of an empty one"),
            pytest.param([("X-Acting-On-Behalf-Of-Subject", "x" * 201)], id="too long either"),
            pytest.param(
                [("X-Acting-On-Behalf-Of-Subject", "a"), ("X-Acting-On-Behalf-Of-Subject", "b")],
                id="twice either",
            ),
        ],
    )
    def test_headers_that_cannot_be_read(self, world: World, headers: list[tuple[str, str]]) -> None:
        sent = [*world.headers("helper").items(), *headers]
        answer = world.client.get("/security/me", headers=sent)
        assert (answer.status_code, answer.json()["code"]) == (400, "request.invalid_parameter")

    def test_nobody_acts_without_a_token(self, play: Play) -> None:
        play(Scenario("me", ME, user=None, headers=AS_USER, status=401))


class TestRights:
    def test_only_what_the_target_sees(self, world: World, play: Play) -> None:
        north, south = world.make("Carrier", "acme-north"), world.make("Carrier", "acme-south")
        as_north = {"X-Impersonate-UserId": "north@acme.example"}
        for made, status in ((north, 200), (south, 404)):
            play(
                Scenario(
                    "get", f"GET {CARRIERS}/id/{made['id']}", user="helper", headers=as_north, status=status
                )
            )
        other = world.make("Carrier", "globex")
        play(
            Scenario(
                "another tenant", f"GET {CARRIERS}/id/{other['id']}", user="root", headers=AS_USER, status=404
            )
        )

    def test_the_callers_roles_are_gone(self, play: Play) -> None:
        as_nobody = {"X-Impersonate-UserId": "nobody@acme.example"}
        for user in ("helper", "root"):
            play(Scenario("list", f"GET {CARRIERS}/list", user=user, headers=as_nobody, status=403))
            play(Scenario("save", f"POST {CARRIERS}", user=user, headers=as_nobody, body=CARRIER, status=403))

    def test_the_targets_roles_are_there(self, play: Play) -> None:
        play(Scenario("without", f"POST {CARRIERS}", user="reader", body=CARRIER, status=403))
        play(
            Scenario(
                "with", f"POST {CARRIERS}", user="reader", headers=AS_USER, body=CARRIER, status=201, stored=1
            )
        )

    def test_the_realms_are_the_targets(self, world: World, play: Play) -> None:
        change(world, "helper@acme.example", realms=["emea"], realmRoles={"emea": ["admin"]})
        headers = AS_USER | {"X-Realm": "emea"}
        play(Scenario("me", ME, user="helper", headers=headers, status=403))

    def test_a_new_record_is_in_the_domain_of_the_target(self, play: Play) -> None:
        as_north = {"X-Impersonate-UserId": "north@acme.example"}
        domain = {"dataDomain.orgRefName": "north", "dataDomain.ownerId": "north@acme.example"}
        save = f"POST {CARRIERS}"
        play(
            Scenario(
                "save", save, user="helper", headers=as_north, body=CARRIER, status=201, has=domain, stored=1
            )
        )
        outside = CARRIER | {"dataDomain": {"tenantId": "acme", "orgRefName": "south"}}
        play(Scenario("outside", save, user="helper", headers=as_north, body=outside, status=403))

    @pytest.mark.parametrize(
        ("user_id", "members", "status"),
        [
            ("leaver@acme.example", {"disabled": True}, 403),
            ("leaver@acme.example", {"activeStatus": "ARCHIVED"}, 403),
            ("leaver@acme.example", {"roles": ["system"]}, 403),
            ("helper@acme.example", {"impersonationEnabled": False}, 403),
            ("helper@acme.example", {"impersonateFilterScript": "userId:else"}, 403),
            ("helper@acme.example", {"disabled": True}, 401),
        ],
        ids=str,
    )
    def test_it_ends_in_the_middle(
        self, world: World, play: Play, user_id: str, members: dict[str, Any], status: int
    ) -> None:
        if "leaver" not in world.tokens:
            world.sign_in("leaver", NewUser("leaver@acme.example", PASSWORD, "acme", frozenset({"user"})))
        headers = {"X-Impersonate-UserId": "leaver@acme.example"}
        before = world.documents["credentials"].find_one({"userId": user_id})
        assert before is not None
        play(Scenario("before", ME, user="helper", headers=headers))
        change(world, user_id, **members)
        try:
            play(Scenario("after", ME, user="helper", headers=headers, status=status))
        finally:
            world.documents["credentials"].replace_one({"userId": user_id}, before)


class TestAudit:
    def test_both_are_in_the_audit_of_every_write(self, world: World, play: Play) -> None:
        helper = {
            "auditInfo.impersonatorUserId": "helper@acme.example",
            "auditInfo.impersonatorSubject": subject_of(world, "helper@acme.example"),
        }
        made = play(
            Scenario(
                "save", f"POST {CARRIERS}", user="helper", headers=AS_USER, body=CARRIER, status=201, stored=1,
                has={"auditInfo.createdBy": "user@acme.example", **helper},
            )
        )  # fmt: skip
        body = CARRIER | {"id": made["id"], "name": "Another"}
        play(
            Scenario(
                "by the user itself", f"POST {CARRIERS}", user="acme-user", body=body, changed=1,
                has={"auditInfo.lastUpdatedBy": "user@acme.example"}, lacks=tuple(helper),
            )
        )  # fmt: skip
        play(
            Scenario(
                "as the user again", f"POST {CARRIERS}", user="helper", headers=AS_USER, body=body, changed=1,
                has={"auditInfo.lastUpdatedBy": "user@acme.example", **helper},
            )
        )  # fmt: skip

    def test_nobody_writes_an_impersonator_into_a_record(self, play: Play) -> None:
        invented = {"auditInfo": {"impersonatorUserId": "x", "actingOnBehalfOfUserId": "y"}}
        lacks = tuple(f"auditInfo.{name}" for name in invented["auditInfo"])
        play(Scenario("save", f"POST {CARRIERS}", body=CARRIER | invented, status=201, lacks=lacks, stored=1))

    @pytest.mark.parametrize(
        ("headers", "has", "lacks"),
        [
            pytest.param(
                {"X-Acting-On-Behalf-Of-UserId": "customer 9"},
                {"auditInfo.actingOnBehalfOfUserId": "customer 9"},
                ("auditInfo.actingOnBehalfOfSubject",),
                id="a user id",
            ),
            pytest.param(
                {"X-Acting-On-Behalf-Of-Subject": "s-9"},
                {"auditInfo.actingOnBehalfOfSubject": "s-9"},
                ("auditInfo.actingOnBehalfOfUserId",),
                id="a subject",
            ),
            pytest.param(
                {"X-Acting-On-Behalf-Of-Subject": "s-9", "X-Acting-On-Behalf-Of-UserId": "José".encode()},
                {"auditInfo.actingOnBehalfOfSubject": "s-9", "auditInfo.actingOnBehalfOfUserId": "José"},
                (),
                id="both",
            ),
        ],
    )
    def test_on_behalf_of_is_recorded(
        self, play: Play, headers: dict[str, Any], has: dict[str, str], lacks: tuple[str, ...]
    ) -> None:
        made = play(
            Scenario(
                "save", f"POST {CARRIERS}", headers=headers, body=CARRIER, status=201, stored=1, lacks=lacks,
                has={"auditInfo.createdBy": "admin@acme.example", **has},
            )
        )  # fmt: skip
        body = CARRIER | {"id": made["id"]}
        plain = (*has, *lacks)
        play(Scenario("later", f"POST {CARRIERS}", body=body, changed=1, lacks=plain))

    def test_on_behalf_of_gives_nothing(self, world: World, play: Play) -> None:
        north = world.make("Carrier", "acme-north")
        headers = {"X-Acting-On-Behalf-Of-UserId": "north@acme.example"}
        one = f"GET {CARRIERS}/id/{north['id']}"
        play(Scenario("get", one, user="acme-south", headers=headers, status=404))
        has = {"identity": "south@acme.example"}
        play(Scenario("me", ME, user="acme-south", headers=headers, has=has))
        play(
            Scenario(
                "nowhere", f"GET {CARRIERS}/id/{NOWHERE}", user="acme-south", headers=headers, status=404
            )
        )

    def test_impersonating_and_acting_on_behalf_go_together(self, play: Play) -> None:
        headers = AS_USER | {"X-Acting-On-Behalf-Of-UserId": "customer-9"}
        has = {
            "auditInfo.createdBy": "user@acme.example",
            "auditInfo.impersonatorUserId": "helper@acme.example",
            "auditInfo.actingOnBehalfOfUserId": "customer-9",
        }
        play(
            Scenario(
                "save",
                f"POST {CARRIERS}",
                user="helper",
                headers=headers,
                body=CARRIER,
                status=201,
                has=has,
                stored=1,
            )
        )


@pytest.mark.parametrize("token", [None, "not-a-token"], ids=["no token", "bad token"])
def test_who_is_nobody_is_told_so_before_its_headers_are_looked_at(world: World, token: str | None) -> None:
    headers = {"X-Impersonate-Subject": "a", "X-Impersonate-UserId": "b"}
    if token is not None:
        headers["Authorization"] = f"Bearer {token}"
    answer = world.ask("GET /security/me", None, headers=headers)
    assert answer.status_code == 401
    assert world.ask("GET /security/me", "acme", headers=headers | world.headers("acme")).status_code == 400
