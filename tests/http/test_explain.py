"""What would be decided and why: it is what the gate decides; who may ask it; every 403 can be explained."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from typing import Any

import pytest
from pymongo import MongoClient

from generated.record_types import CATALOG
from generated.rules import SUBJECTS
from runtime.access.guard import admit, allow, open_call
from runtime.call import Call
from runtime.errors import AccessError
from runtime.explain.decisions import MOST_A_MINUTE
from runtime.identity.users.users import NewUser
from runtime.realm_setup import create_realm
from runtime.storage.access import Action
from runtime.storage.store import Store
from tests.http.world import CALLERS, NOWHERE, PASSWORD, PATHS, Document, Play, World
from tests.scenario import Scenario

CHECK = "POST /security/permission/check"
DECISION = "GET /security/permission/decision"
RULES = "POST /security/permission/rules"
EFFECTIVE = "GET /security/permission/effective-rules"
CARRIERS = {"area": "logistics", "functionalDomain": "carrier", "action": "VIEW"}
USERS = {"area": "security", "functionalDomain": "users", "action": "VIEW"}
USER = "user@acme.example"


@pytest.fixture
def rule(world: World) -> Iterator[Callable[..., Document]]:
    """Makes permission rules of tenant acme, which go after the test."""
    made: list[str] = []

    def make(name: str, header: Any = None, **members: Any) -> Document:
        body = {"name": name, "effect": "DENY", "securityURI": {"header": header or {}}, **members}
        answer = world.ask(RULES, json=body)
        assert answer.status_code == 201, answer.text
        made.append(answer.json()["id"])
        forget(world)
        found: Document = answer.json()
        return found

    yield make
    for one in made:
        assert world.ask(f"DELETE /security/permission/rules/id/{one}").status_code == 204
    forget(world)


def forget(world: World) -> None:
    """Rules hold at once, whether or not the change stream was quick."""
    world.app.state.service.rule_book.forget(None)


def check(world: World, caller: str = "acme", **question: Any) -> Document:
    answer = world.ask(CHECK, caller, json=CARRIERS | question)
    assert answer.status_code == 200, answer.text
    explanation: Document = answer.json()
    return explanation


def call_of(world: World, caller: str) -> Call:
    """The very call that the caller's token opens."""
    assert world.client.portal is not None
    service = world.app.state.service
    opened: Call = world.client.portal.call(
        partial(open_call, service, world.tokens[caller], None, "r", "security")
    )
    return opened


def gate(call: Call, kind: Any, action: Action, document: Any = None) -> bool:
    try:
        access = allow(call, kind, action)
    except AccessError:
        return False
    return document is None or access.admits(document)


def replayed(explanation: Document) -> str | None:
    """The lines taken literally; None where some speak of some records only."""
    effect = "DENY"
    for line in explanation["rules"]:
        if line.get("someRecords"):
            return None
        if line["matched"]:
            effect = line["rule"]["effect"]
            if line["rule"]["finalRule"]:
                break
    return effect


class TestTheAnswerIsThatOfTheGate:
    @pytest.mark.parametrize("caller", CALLERS)
    def test_on_every_record_type_and_action(self, world: World, caller: str, rule: Any) -> None:
        rule("no north orders", {"identity": "*north*", "functionalDomain": "ord*"}, finalRule=True)
        rule("auditors see", {"identity": "auditor", "action": "VIEW"}, effect="ALLOW", hiddenFields=[])
        rule("open ones", {"functionalDomain": "customer", "action": "DELETE"}, filter="name:Casa*")
        call, asker = call_of(world, caller), "system" if caller != "system" else None
        for kind, action in product(CATALOG, Action):
            question = {"area": kind.area, "functionalDomain": kind.domain, "action": str(action)}
            explanation = check(world, caller, **question)
            assert explanation["decision"] == ("ALLOW" if gate(call, kind, action) else "DENY"), explanation
            if asker:
                of = {"identity": CALLERS[caller].user_id}
                others = check(world, asker, **question, **of)
                assert {**others, "rules": explanation["rules"]} == explanation
            if call.principal.roles & kind.roles and (effect := replayed(explanation)):
                assert effect == explanation["decision"] or "system" in call.principal.roles

    @pytest.mark.parametrize("caller", CALLERS)
    def test_on_every_endpoint(self, world: World, caller: str) -> None:
        kinds = {(kind.area, kind.domain) for kind in CATALOG}
        call = call_of(world, caller)
        for (area, domain, action), endpoints in SUBJECTS.items():
            if (area, domain) in kinds:
                continue
            allowed = None in endpoints
            for roles in (roles for roles in endpoints if roles is not None):
                try:
                    admit(call, roles, area=area, domain=domain, action=action)
                    allowed = True
                except AccessError:
                    pass
            explanation = check(world, caller, area=area, functionalDomain=domain, action=action)
            assert explanation["decision"] == ("ALLOW" if allowed else "DENY"), explanation

    def test_on_a_record(self, world: World, rule: Any) -> None:
        rule("own ones", {"functionalDomain": "carrier", "action": "UPDATE"}, filter="refName:!MINE")
        by_ref = {name: world.make("Carrier", refName=name) for name in ("MINE", "YOURS")}
        north = world.make("Carrier", "acme-north")
        kind = next(kind for kind in CATALOG if kind.name == "Carrier")
        for made, caller, action in product([*by_ref.values(), north], CALLERS, Action):
            call = call_of(world, caller)
            stored = world.documents["carriers"].find_one({"refName": made["refName"]})
            question = {"action": str(action), "identity": CALLERS[caller].user_id, "resource": made["id"]}
            explanation = check(world, "system", **question)
            assert explanation["decision"] == ("ALLOW" if gate(call, kind, action, stored) else "DENY"), (
                explanation
            )
            assert explanation["asked"]["resource"] == made["id"]

    def test_a_disabled_account_may_nothing(self, world: World) -> None:
        world.sign_in("leaver", NewUser("leaver@acme.example", PASSWORD, "acme", frozenset({"admin"})))
        done = world.ask(
            "PUT /security/users/userId/leaver@acme.example/disabled", "system", json={"disabled": True}
        )
        assert done.status_code == 204
        explanation = check(world, "system", identity="leaver@acme.example")
        assert (explanation["decision"], explanation["reasons"][0]) == ("DENY", "the account is disabled")


class TestReasons:
    def test_the_winning_rule_and_every_line(self, world: World) -> None:
        explanation = check(world, identity=USER)
        assert explanation["winningRule"]["name"] == "user views records"
        assert explanation["reasons"] == ['the rule "user views records" allows']
        assert [line["rule"]["name"] for line in explanation["rules"] if line["decided"]] == [
            "user views records"
        ]
        (admin,) = (line for line in explanation["rules"] if line["rule"]["name"] == "admin does everything")
        assert admin["why"] == [f'identity: "admin" is not one of {USER}, user']
        assert not admin["applied"]

    def test_a_role_of_the_class_is_a_reason(self, world: World) -> None:
        explanation = check(world, identity="nobody@acme.example")
        assert explanation["reasons"][0] == "records of this type need the role admin or user"
        explanation = check(world, identity=USER, **USERS)
        assert explanation["reasons"][0] == "it needs the role admin"

    def test_the_scope_is_a_reason(self, world: World) -> None:
        south = world.make("Carrier", "acme-south")
        explanation = check(world, "system", identity="north@acme.example", resource=south["refName"])
        assert explanation["decision"] == "DENY"
        assert explanation["reasons"][0] == "the record is outside its data domain"
        assert explanation["asked"]["scope"] == {"tenantId": "acme", "orgRefName": "north"}

    def test_the_added_filter_and_hidden_fields(self, world: World, rule: Any) -> None:
        rule(
            "clerks", {"identity": "user", "functionalDomain": "carrier"}, effect="ALLOW", filter="mode:AIR",
            hiddenFields=["mode"], priority=20,
        )  # fmt: skip
        rule("not these", {"identity": "user", "functionalDomain": "carrier"}, priority=15)
        explanation = check(world, identity=USER)
        assert explanation["addedFilter"] == [
            {"effect": "ALLOW", "rule": "clerks", "filter": "mode:AIR"},
            {"effect": "DENY", "rule": "not these"},
        ]
        assert explanation["hiddenFields"] == ["mode"]
        assert explanation["reasons"] == ["the rules decide by the record"]
        assert "winningRule" not in explanation
        by_itself = check(world, "acme-user")
        assert by_itself["addedFilter"][0]["filter"] == "(over fields that are withheld from you)"
        assert "mode:AIR" not in str(by_itself)

    def test_what_rules_say_of_a_record_does_not_tell_withheld_values(self, world: World, rule: Any) -> None:
        """The first rule decides nothing; whether it matches would tell the field that the second withholds."""
        clerks = {"identity": "user", "functionalDomain": "carrier"}
        rule("by air", clerks | {"action": "DELETE"}, filter="mode:AIR", priority=15)
        rule("clerks", clerks, effect="ALLOW", hiddenFields=["mode"], priority=20)
        made = world.make("Carrier", "acme", mode="AIR")
        question = {"action": "DELETE", "resource": made["id"]}

        def check_as(caller: str) -> Document:
            return check(world, caller, **question)

        by_air, by_air_to_admin = check_as("acme-user"), check_as("acme")
        change = f"PUT {PATHS['Carrier']}/set?id={made['id']}&pairs=mode:SEA"
        assert world.ask(change).status_code == 200
        assert check_as("acme-user") == by_air
        assert by_air["asked"]["resource"] == made["id"]
        (line,) = [line for line in by_air["rules"] if line["rule"]["name"] == "by air"]
        assert (line["someRecords"], line["rule"]["filter"]) == (
            True,
            "(over fields that are withheld from you)",
        )
        assert check_as("acme")["decision"] == by_air_to_admin["decision"] == "ALLOW"

    def test_other_roles_as_if(self, world: World) -> None:
        assert check(world, identity=USER, roles=["admin"], **USERS)["decision"] == "ALLOW"
        assert check(world, roles=["user"], **USERS)["decision"] == "DENY"

    def test_callers_are_not_told_of_rules_about_others(self, world: World, rule: Any) -> None:
        rule("a matter of ada", {"identity": "ada@acme.example"}, filter="refName:SECRET-1")
        explanation = check(world, "acme-user")
        assert "ada@" not in str(explanation)  # ids are hexadecimal, and may have "ada" in them
        assert "a matter" not in str(explanation)
        assert "SECRET-1" not in str(explanation)
        assert {line["rule"]["name"] for line in explanation["rules"]} >= {"user views records"}
        assert "a matter of ada" in str(check(world, "acme"))
        assert "a matter of ada" not in str(check(world, "globex"))


def asks(name: str, user: str, body: Any, status: int, **more: Any) -> Scenario:
    return Scenario(name, CHECK, user=user, body=CARRIERS | body, status=status, **more)


class TestWhoMayAsk:
    @pytest.mark.parametrize(
        "scenario",
        [
            asks("itself", "acme-user", {}, 200),
            asks("itself, named in capitals", "acme-user", {"identity": USER.upper()}, 200),
            asks("its own roles and realm", "acme-user", {"roles": ["user"]}, 200),
            asks("another", "acme-user", {"identity": "admin@acme.example"}, 403),
            asks("other roles", "acme-user", {"roles": ["admin"]}, 403, says=("needs the role admin",)),
            asks("another realm", "acme-user", {"realm": "emea"}, 403),
            asks("an admin, of another realm", "acme", {"realm": "emea"}, 403),
            asks("a user of another tenant", "acme", {"identity": "admin@globex.example"}, 404),
            asks("nobody", "acme", {"identity": "nobody-at-all"}, 404),
            asks("a user of any tenant", "system", {"identity": "admin@globex.example"}, 200),
            asks("a record of another tenant", "acme", {"resource": "GLOBEX-1"}, 404),
            asks("no record", "acme", {"resource": NOWHERE}, 404),
            asks("a record without leave to view", "acme-nobody", {"resource": NOWHERE}, 404),
            asks("an area", "acme", {"area": "logistic"}, 422, says=("did you mean logistics?",)),
            asks("a domain", "acme", {"functionalDomain": "carier"}, 422, says=("did you mean carrier?",)),
            asks("an action", "acme", {"action": "VIEWS"}, 422, says=("did you mean VIEW?",)),
            asks("another word", "acme", {"action": "READ"}, 422, says=("the actions are CREATE, DELETE, ",)),
            asks("a record of no type", "acme", USERS | {"resource": "x"}, 422, code="record.invalid"),
            asks("a member too many", "acme", {"record": "x"}, 400, code="request.unknown_member"),
        ],
        ids=str,
    )
    def test_table(self, world: World, play: Play, scenario: Scenario) -> None:
        if not world.documents["carriers"].find_one({"refName": "GLOBEX-1"}):
            world.make("Carrier", "globex", refName="GLOBEX-1")
        play(scenario)

    def test_another_realm_where_the_asker_is_admin_too(
        self, world: World, mongo_client: MongoClient[Document]
    ) -> None:
        database, portal = f"{world.realm}-apac", world.client.portal
        assert portal is not None
        portal.call(create_realm, world.app.state.service, "apac", database)
        try:
            admin = frozenset({"admin"})
            traveller = NewUser(
                "traveller@acme.example", PASSWORD, "acme", admin,
                realms=frozenset({"apac"}), realm_roles={"apac": admin},
            )  # fmt: skip
            world.sign_in("traveller", traveller)
            explanation = check(world, "traveller", realm="apac")
            assert (explanation["decision"], explanation["asked"]["realm"]) == ("ALLOW", "apac")
            explanation = check(world, "traveller", realm="apac", identity=USER)
            assert (explanation["decision"], explanation["reasons"][0]) == (
                "DENY",
                "it may not act in the realm apac",
            )
            world.play(asks("admin at home alone", "acme", {"realm": "apac"}, 403))
        finally:
            mongo_client.drop_database(database)

    def test_absent_and_foreign_users_look_alike(self, world: World) -> None:
        said = [
            world.ask(CHECK, json=CARRIERS | {"identity": name}).json()["detail"].replace(name, "NAME")
            for name in ("admin@globex.example", "nobody@globex.example")
        ]
        assert said[0] == said[1]


def refused(world: World, caller: str, request: str, **options: Any) -> Document:
    answer = world.ask(request, caller, **options)
    assert answer.status_code == 403, answer.text
    problem: Document = answer.json()
    return problem


def explained(world: World, decision_id: str, caller: str = "acme") -> Document:
    answer = world.ask(f"{DECISION}/{decision_id}", caller)
    assert answer.status_code == 200, answer.text
    explanation: Document = answer.json()
    return explanation


class TestDecisions:
    def test_a_refusal_can_be_explained(self, world: World) -> None:
        problem = refused(world, "acme-nobody", f"GET {PATHS['Carrier']}/list")
        explanation = explained(world, problem["decisionId"])
        expected = {
            "id": problem["decisionId"], "verdict": "DENY", "reason": problem["detail"], "roles": ["auditor"],
            "requestId": problem["requestId"], "userId": "nobody@acme.example", "realm": world.realm,
            "area": "logistics", "functionalDomain": "carrier", "action": "VIEW", "appliedRules": [],
            "stillDenied": True,
        }  # fmt: skip
        assert {name: explanation[name] for name in expected} == expected
        assert explanation["reasons"][0] == "records of this type need the role admin or user"
        assert {line["rule"]["name"] for line in explanation["rules"]} >= {"user views records"}

    def test_what_was_refused_may_be_allowed_by_now(self, world: World, rule: Any) -> None:
        made = world.make("Carrier", "acme-user")
        denied = rule("not this one", {"identity": "user"}, filter=f"refName:{made['refName']}&&version:~")
        world.ask(
            f"PUT /security/permission/rules/set?id={denied['id']}&pairs=securityURI.header.action:DELETE"
        )
        forget(world)
        problem = refused(world, "acme-user", f"DELETE {PATHS['Carrier']}/id/{made['id']}")
        explanation = explained(world, problem["decisionId"])
        assert (explanation["resource"], explanation["stillDenied"]) == (made["id"], True)
        assert "not this one" in explanation["appliedRules"]
        assert "not this one" not in str(problem)
        world.ask(f"PUT /security/permission/rules/set?id={denied['id']}&pairs=enabled:false")
        forget(world)
        assert explained(world, problem["decisionId"])["stillDenied"] is False
        assert world.ask(f"DELETE {PATHS['Carrier']}/id/{made['id']}", "acme-user").status_code == 204
        assert "stillDenied" not in explained(world, problem["decisionId"])

    @pytest.mark.parametrize(
        ("caller", "request_", "options"),
        [
            pytest.param("acme-user", "GET /security/users", {}, id="an endpoint"),
            pytest.param("acme-user", f"{DECISION}/{NOWHERE}", {}, id="an endpoint of two segments"),
            pytest.param("acme", "GET /security/me", {"headers": {"X-Realm": "emea"}}, id="a realm"),
            pytest.param(
                "acme", "GET /security/me", {"headers": {"X-Impersonate-UserId": USER}}, id="impersonation"
            ),
            pytest.param(
                "acme-north", f"POST {PATHS['Carrier']}",
                {"json": {"name": "x", "mode": "AIR", "dataDomain": {"tenantId": "globex"}}}, id="a domain",
            ),
            pytest.param(
                "acme", "POST /security/users",
                {"json": {"userId": "x", "password": PASSWORD, "roles": ["system"]}}, id="a role to give",
            ),
        ],
    )  # fmt: skip
    def test_every_403_has_one(self, world: World, caller: str, request_: str, options: Any) -> None:
        problem = refused(world, caller, request_, **options)
        explanation = explained(world, problem["decisionId"], "acme")
        assert (explanation["reason"], explanation["userId"]) == (problem["detail"], CALLERS[caller].user_id)

    def test_so_have_the_items_of_a_bulk_request(self, world: World) -> None:
        foreign = {"name": "x", "mode": "AIR", "dataDomain": {"tenantId": "globex"}}
        body = {"operations": [{"op": "save", "record": foreign}] * 2}
        results = world.ask(f"POST {PATHS['Carrier']}/bulk", json=body).json()["results"]
        for result in results:
            assert result["status"] == 403
            assert explained(world, result["error"]["decisionId"])["reason"] == result["error"]["detail"]

    def test_other_answers_have_none(self, world: World) -> None:
        for request, caller in ((f"GET {PATHS['Carrier']}/id/{NOWHERE}", "acme"), ("GET /security/me", None)):
            assert "decisionId" not in world.ask(request, caller).json()

    @pytest.mark.parametrize(
        ("caller", "status"),
        [
            ("acme", 200),
            ("system", 200),
            ("globex", 404),
            ("acme-user", 403),
            ("acme-nobody", 403),
            (None, 401),
        ],
    )
    def test_who_reads_them(self, world: World, caller: str | None, status: int) -> None:
        problem = refused(world, "acme-nobody", f"GET {PATHS['Carrier']}/list")
        assert world.ask(f"{DECISION}/{problem['decisionId']}", caller).status_code == status

    @pytest.mark.parametrize("decision_id", [NOWHERE, "x", "0" * 23, "%00"])
    def test_absent_ones(self, play: Play, decision_id: str) -> None:
        play(Scenario("absent", f"{DECISION}/{decision_id}", status=404, code="record.not_found"))

    def test_expired_ones_are_absent_before_they_go(self, world: World) -> None:
        problem = refused(world, "acme-nobody", f"GET {PATHS['Carrier']}/list")
        kept = {"refName": problem["decisionId"]}
        found = world.documents["decisions"].find_one(kept)
        assert found is not None
        assert (found["expiresAt"] - found["decidedAt"]).total_seconds() == 86400
        world.documents["decisions"].update_one(kept, {"$set": {"expiresAt": found["decidedAt"]}})
        assert world.ask(f"{DECISION}/{problem['decisionId']}").status_code == 404

    def test_a_flood_is_kept_in_bounds(self, world: World) -> None:
        world.sign_in("flooder", NewUser("flooder@acme.example", PASSWORD, "acme", frozenset({"auditor"})))
        ids = {
            refused(world, "flooder", f"GET {PATHS['Order']}/list")["decisionId"]
            for _ in range(3 * MOST_A_MINUTE)
        }
        kept = world.documents["decisions"].count_documents({"userId": "flooder@acme.example"})
        assert len(ids) == kept <= 2 * MOST_A_MINUTE  # the minute may turn once
        assert refused(world, "acme-nobody", f"GET {PATHS['Order']}/list")["decisionId"] not in ids

    def test_a_store_that_fails_changes_no_answer(
        self, world: World, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        store = Store("mongodb://127.0.0.1:1/?replicaSet=rs0", timeout_ms=200)
        monkeypatch.setattr(world.app.state.service.decisions, "_store", store)
        problem = refused(world, "acme-nobody", f"GET {PATHS['Carrier']}/list")
        assert "decisionId" not in problem
        assert world.client.portal is not None
        world.client.portal.call(store.close)

    def test_whoever_acts_as_another_is_named(self, world: World) -> None:
        world.sign_in("helper", NewUser("helper@acme.example", PASSWORD, "acme", frozenset({"admin"})))
        script = {"impersonationEnabled": True, "impersonateFilterScript": "userId:~"}
        script |= {"impersonationGranter": {"operator": True}}
        world.documents["credentials"].update_one({"userId": "helper@acme.example"}, {"$set": script})
        headers = {"X-Impersonate-UserId": "nobody@acme.example"}
        problem = refused(world, "helper", f"GET {PATHS['Carrier']}/list", headers=headers)
        explanation = explained(world, problem["decisionId"])
        assert (explanation["userId"], explanation["impersonatorUserId"]) == (
            "nobody@acme.example",
            "helper@acme.example",
        )

    def test_who_is_gone_is_explained_with_the_roles_it_had(self, world: World) -> None:
        world.sign_in("gone", NewUser("gone@acme.example", PASSWORD, "acme", frozenset({"user"})))
        problem = refused(world, "gone", "GET /security/users")
        assert world.ask("DELETE /security/users/userId/gone@acme.example").status_code == 204
        explanation = explained(world, problem["decisionId"])
        assert (explanation["roles"], explanation["stillDenied"]) == (["user"], True)


class TestEffectiveRules:
    def test_built_in_and_stored_ones_in_walking_order(self, world: World, rule: Any) -> None:
        rule("a stored one", {"identity": "clerk", "area": "logistics"}, filter="refName:~", priority=5)
        explanation = world.ask(EFFECTIVE).json()
        assert explanation["realm"] == world.realm
        rules = {one["name"]: one for one in explanation["rules"]}
        assert rules["a stored one"] == {
            "name": "a stored one", "source": "record", "effect": "DENY", "priority": 5, "finalRule": False,
            "securityURI": {"header": {"identity": "clerk", "area": "logistics"}, "body": {}},
            "filter": "refName:~", "hiddenFields": [], "holdsIn": {"tenantId": "acme"},
        }  # fmt: skip
        assert rules["system does everything"]["source"] == "specification"
        order = [(one["priority"], one["name"]) for one in explanation["rules"]]
        assert order == sorted(order)

    @pytest.mark.parametrize(
        ("caller", "status"), [("acme", 200), ("system", 200), ("acme-user", 403), ("acme-nobody", 403)]
    )
    def test_who_sees_them(self, world: World, caller: str, status: int) -> None:
        assert world.ask(EFFECTIVE, caller).status_code == status

    def test_another_tenant_sees_its_own(self, world: World, rule: Any) -> None:
        rule("a stored one", {"identity": "clerk"})
        names = {one["name"] for one in world.ask(EFFECTIVE, "globex").json()["rules"]}
        assert "admin does everything" in names
        assert "a stored one" not in names
