"""Agents and what an operator says about tools: narrowing, limits, and tools that run as another user."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2
import pytest
from pymongo import MongoClient

from runtime.agents import check_tenant_rules, find_tenant_rule
from runtime.agents.tenant_rules import TenantRule
from runtime.errors import Misconfigured
from runtime.identity.users.users import NewUser
from runtime.principal import DomainContext, Principal
from runtime.seams import Seams
from runtime.settings import Settings
from tests.http.world import PASSWORD, Document, World, open_world
from tests.log_lines import capture_logs

CARRIER = {"name": "Atlantic Air Cargo", "mode": "AIR"}
AGENT: Document = {"refName": "reader", "name": "Reader", "enabledTools": ["query_find", "query_count"]}


def configure(world: World, caller: str = "acme", realm: str | None = None, **said: Any) -> httpx2.Response:
    path = f"POST /api/agent/config?realm={realm or world.realm}"
    return world.ask(path, caller, json=AGENT | said)


def use(
    world: World, tool: str, caller: str = "acme", agent: str | None = None, **arguments: Any
) -> httpx2.Response:
    headers = {} if agent is None else {"X-Agent": agent}
    body = {"tool": tool, "arguments": arguments}
    return world.ask("POST /api/agent/execute", caller, json=body, headers=headers)


# Configuration ------------------------------------------------------------------------------------


def test_an_agent_that_many_save_first_is_created_once_and_then_replaced(world: World) -> None:
    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(lambda n: configure(world, refName="first", name=f"A{n}"), range(20)))
    assert {answer.status_code for answer in answers} == {200}
    assert sorted(answer.json()["version"] for answer in answers) == list(range(1, 21))
    assert world.documents["agents"].count_documents({"refName": "first"}) == 1


def test_an_agent_is_kept_by_its_reference_name(world: World) -> None:
    steps = [
        {"order": 2, "role": "user", "content": "second"},
        {"order": 1, "role": "system", "content": "first"},
        {"order": 2, "role": "user", "content": "third"},
    ]
    made = configure(world, refName="kept", context=steps, llmConfigRef="default-model").json()
    assert [step["content"] for step in made["context"]] == ["first", "second", "third"]
    assert (made["version"], made["llmConfigRef"]) == (1, "default-model")
    realm = f"realm={world.realm}"
    assert world.ask(f"GET /api/agent/config/kept?{realm}").json() == made
    assert world.ask(f"GET /api/agent/config/id/{made['id']}?{realm}").json() == made
    assert world.ask(f"GET /api/agent/config/id/{made['id'].upper()}?{realm}").json() == made
    for wrong in ("zz", made["id"][1:], "$ne"):
        for method in ("GET", "DELETE"):
            assert world.ask(f"{method} /api/agent/config/id/{wrong}?{realm}").status_code == 404
    assert made in world.ask(f"GET /api/agent/config/list?{realm}").json()
    changed = configure(world, refName="kept", name="Other").json()
    assert (changed["id"], changed["version"]) == (made["id"], 2)
    assert "context" not in changed
    assert configure(world, refName="kept", version=1).status_code == 409
    assert world.ask(f"DELETE /api/agent/config/kept?{realm}").status_code == 204
    gone = world.ask(f"GET /api/agent/config/kept?{realm}")
    assert (gone.status_code, gone.json()["detail"]) == (404, "no agent in this realm has the refName kept")
    again = configure(world, refName="kept").json()
    assert world.ask(f"DELETE /api/agent/config/id/{again['id']}?{realm}").status_code == 204


def test_what_is_wrong_with_an_agent_is_refused(world: World) -> None:
    refused = configure(world, enabledTools=["query_fnd"])
    assert (refused.status_code, refused.json()["violations"][0]["path"]) == (422, "enabledTools[0]")
    assert "query_find" in refused.text
    # No path leads to one that is called so, and no header names it.
    for name in ("list", "a/b", ".", "..", " a", "a ", "a\tb", "a\u200bb"):
        refused = configure(world, refName=name)
        assert (refused.status_code, refused.json()["violations"][0]["path"]) == (422, "refName")
    assert configure(world, context=[{"order": 1, "role": "tool", "content": "x"}]).status_code == 422
    assert configure(world, secret="x").status_code == 400
    assert world.ask("POST /api/agent/config", json=AGENT).status_code == 400


@pytest.mark.parametrize(("caller", "status"), [("acme-user", 403), ("acme-nobody", 403), (None, 401)])
def test_agents_are_for_administrators(world: World, caller: str | None, status: int) -> None:
    made, realm = configure(world).json(), f"realm={world.realm}"
    before = world.snapshot()
    for request in ("GET /api/agent/config/list", "GET /api/agent/config/reader", "DELETE /api/agent/config/reader",
                    f"GET /api/agent/config/id/{made['id']}", f"DELETE /api/agent/config/id/{made['id']}"):  # fmt: skip
        assert world.ask(f"{request}?{realm}", caller).status_code == status
    assert world.ask(f"POST /api/agent/config?{realm}", caller, json=AGENT).status_code == status
    assert world.snapshot() == before


def test_another_tenant_has_other_agents(world: World) -> None:
    made, realm = configure(world, refName="ours").json(), f"realm={world.realm}"
    assert world.ask(f"GET /api/agent/config/ours?{realm}", "globex").status_code == 404
    assert world.ask(f"GET /api/agent/config/id/{made['id']}?{realm}", "globex").status_code == 404
    assert world.ask(f"DELETE /api/agent/config/id/{made['id']}?{realm}", "globex").status_code == 404
    assert "ours" not in world.ask(f"GET /api/agent/config/list?{realm}", "globex").text
    assert configure(world, "globex", refName="ours").json()["id"] != made["id"]
    assert use(world, "query_count", "acme-user", "ours", rootType="Carrier").status_code == 200
    assert configure(world, "acme", realm="elsewhere").status_code == 403


def test_who_sees_all_tenants_names_the_agents_of_its_own(world: World) -> None:
    realm = f"realm={world.realm}"
    made = configure(world, refName="shared-name").json()
    assert world.ask(f"GET /api/agent/config/shared-name?{realm}", "system").status_code == 404
    assert world.ask(f"DELETE /api/agent/config/shared-name?{realm}", "system").status_code == 404
    own = configure(world, "system", refName="shared-name", name="Of the operator").json()
    assert own["id"] != made["id"]
    assert world.ask(f"GET /api/agent/config/shared-name?{realm}").json() == made
    assert world.ask(f"GET /api/agent/config/shared-name?{realm}", "system").json() == own
    assert world.ask(f"GET /api/agent/config/id/{made['id']}?{realm}", "system").json() == made
    assert world.ask(f"DELETE /api/agent/config/shared-name?{realm}", "system").status_code == 204
    assert world.ask(f"GET /api/agent/config/shared-name?{realm}").json() == made


# Narrowing ----------------------------------------------------------------------------------------


def test_a_schema_has_a_record_for_who_may_find_records_only(world: World) -> None:
    world.make("Carrier", name="Carrier of an example")
    types = ["query_rootTypes"]
    configure(world, refName="types-only", enabledTools=types)
    configure(world, refName="types-and-records", enabledTools=[*types, "query_find"])
    path = "GET /api/agent/schema/Carrier"
    for agent, has_examples in (("types-only", False), ("types-and-records", True)):
        schema = world.ask(path, headers={"X-Agent": agent})
        assert schema.status_code == 200
        assert ("examples" in schema.json()) is has_examples
    assert world.ask(path).json()["examples"]


def test_an_answer_is_kept_for_the_agent_that_it_was_given_to(world: World) -> None:
    configure(world)
    configure(world, refName="writer", enabledTools=["query_save"])
    body = {"tool": "query_save", "arguments": {"rootType": "Carrier", "entity": CARRIER}}

    def save(agent: str | None, key: str) -> httpx2.Response:
        headers = {"Idempotency-Key": key} | ({} if agent is None else {"X-Agent": agent})
        return world.ask("POST /api/agent/execute", json=body, headers=headers)

    assert save("writer", "of-the-writer").status_code == 200
    assert save(None, "of-nobody").status_code == 200
    before = world.snapshot()
    for agent, key in (("reader", "of-the-writer"), (None, "of-the-writer"), ("reader", "of-nobody")):
        refused = save(agent, key)
        assert (refused.status_code, refused.json()["code"]) == (422, "idempotency.mismatch"), refused.text
    assert save("writer", "of-the-writer").headers["Idempotency-Replayed"] == "true"
    assert save(None, "of-nobody").headers["Idempotency-Replayed"] == "true"
    assert world.snapshot() == before


def test_an_agent_narrows_a_call_to_its_tools(world: World) -> None:
    configure(world)
    for caller in ("acme", "acme-user"):
        assert use(world, "query_count", caller, "reader", rootType="Carrier").status_code == 200
        before = world.snapshot()
        refused = use(world, "query_save", caller, "reader", rootType="Carrier", entity=CARRIER)
        assert (refused.status_code, refused.json()["code"]) == (403, "access.denied")
        by_route = world.ask(
            "POST /api/query/save",
            caller,
            json={"rootType": "Carrier", "entity": CARRIER},
            headers={"X-Agent": "reader"},
        )
        assert by_route.status_code == 403
        assert world.snapshot() == before
    listed = world.ask("GET /api/agent/tools", headers={"X-Agent": "reader"}).json()["tools"]
    assert [tool["name"] for tool in listed] == ["query_find", "query_count"]
    assert world.ask("GET /api/agent/schema", headers={"X-Agent": "reader"}).status_code == 403


def test_the_log_names_who_uses_a_tool_as_another(world: World) -> None:
    configure(world)
    user = world.sign_in_another()
    path = f"/security/users/userId/{user}/impersonation"
    assert (
        world.ask(f"PUT {path}", "system", json={"filterScript": "userId:admin@acme.example"}).status_code
        == 204
    )
    headers = {"X-Agent": "reader", "X-Impersonate-UserId": "admin@acme.example"}
    body = {"tool": "query_count", "arguments": {"rootType": "Carrier"}}
    with capture_logs() as lines:
        used = world.ask("POST /api/agent/execute", user, json=body, headers=headers)
    assert used.status_code == 200, used.text
    (line,) = [line for line in lines if line["event"] == "tool.used"]
    assert (line["by"], line.get("impersonator")) == ("admin@acme.example", user)


def test_the_audit_names_the_agent_until_somebody_else_writes(world: World) -> None:
    configure(world, refName="clerk", enabledTools=["query_save"])
    order = world.make("Order")
    entity = {"id": order["id"], "currency": "USD"} | {n: order[n] for n in ("customer", "items")}
    written = use(world, "query_save", "acme", "clerk", rootType="Order", entity=entity)
    assert written.status_code == 200, written.text
    audit = world.read("Order", order)["auditInfo"]
    assert (audit["agentRefName"], audit["lastUpdatedBy"]) == ("clerk", audit["createdBy"])
    made, changed = world.ask(f"GET /logistics/orders/id/{order['id']}/history").json()["rows"][::-1]
    assert ("agentRefName" in made, changed["agentRefName"]) == (False, "clerk")
    by_person = {"rootType": "Order", "entity": entity | {"currency": "EUR"}}
    assert world.ask("POST /api/query/save", json=by_person).status_code == 200
    assert "agentRefName" not in world.read("Order", order)["auditInfo"]


def test_the_audit_of_an_import_names_the_agent(world: World) -> None:
    """Rights are looked at again before each batch: that must not lose the agent that commits."""
    configure(world, refName="clerk", enabledTools=["query_import_analyze", "query_import_commit"])
    file = {"rootType": "Carrier", "csv": "refName,name,mode\nclerks-own,Clerk,ROAD\n"}
    analysed = use(world, "query_import_analyze", "acme", "clerk", **file)
    session = {"rootType": "Carrier", "sessionId": analysed.json()["sessionId"]}
    committed = use(world, "query_import_commit", "acme", "clerk", **session)
    assert committed.json()["inserted"] == 1, committed.text
    audit = world.ask("GET /logistics/carriers/refName/clerks-own").json()["auditInfo"]
    assert audit["agentRefName"] == "clerk"


@pytest.mark.parametrize("name", ["Müller", "日本", "front desk", "a%20b"])
def test_a_header_names_an_agent_in_utf_8(world: World, name: str) -> None:
    configure(world, refName=name)
    body = {"tool": "query_count", "arguments": {"rootType": "Carrier"}}
    for raw, status in ((name.encode(), 200), (name.encode() + b"-", 403), (b"\xfc" + name.encode(), 400)):
        headers: Any = {b"X-Agent": raw, b"Authorization": f"Bearer {world.tokens['acme']}".encode()}
        assert world.ask("POST /api/agent/execute", None, json=body, headers=headers).status_code == status


@pytest.mark.parametrize("named", ["unknown", "READER", "reader ", "reader,writer"])
def test_an_agent_that_is_not_there_has_no_tools(world: World, named: str) -> None:
    configure(world)
    assert use(world, "query_count", "acme", named, rootType="Carrier").status_code in (200, 403)
    if named.strip() != "reader":
        assert use(world, "query_count", "acme", named, rootType="Carrier").status_code == 403
        assert world.ask("GET /api/agent/tools", headers={"X-Agent": named}).status_code == 403


def test_an_inactive_agent_has_no_tools_and_an_empty_list_is_none(world: World) -> None:
    configure(world, refName="empty", enabledTools=[])
    assert use(world, "query_count", "acme", "empty", rootType="Carrier").status_code == 403
    configure(world, refName="every")
    world.documents["agents"].update_one({"refName": "every"}, {"$unset": {"enabledTools": ""}})
    assert use(world, "query_count", "acme", "every", rootType="Carrier").status_code == 200
    world.documents["agents"].update_one({"refName": "every"}, {"$set": {"activeStatus": "INACTIVE"}})
    assert use(world, "query_count", "acme", "every", rootType="Carrier").status_code == 403


def test_an_agent_widens_nothing(world: World) -> None:
    configure(world, refName="wide", enabledTools=["query_save"])
    refused = use(world, "query_save", "acme-nobody", "wide", rootType="Carrier", entity=CARRIER)
    assert refused.status_code == 403


# Settings -----------------------------------------------------------------------------------------


class Resolver:
    """Answers what a test wants; the names of a user it was asked for are kept."""

    def __init__(self) -> None:
        self.answer: Principal | None = None
        self.asked: list[tuple[str, str]] = []

    async def find_principal(self, realm: str, user_id: str) -> Principal | None:
        self.asked.append((realm, user_id))
        return self.answer


@contextmanager
def ruled(
    uri: str, client: MongoClient[Document], folder: Path, resolver: Resolver, **words: str
) -> Iterator[World]:
    """A service whose operator says this about every realm a test may get."""

    class Everywhere(dict[str, Document]):
        def get(self, key: str, default: Any = None) -> Any:
            return words

    seams = Seams(run_as=resolver)
    with open_world(uri, client, seams, data_folder=folder) as world:
        service = world.app.state.service
        settings = service.settings.model_copy(update={"agent_tenants": Everywhere(every=words)})
        world.app.state.service = replace(service, settings=settings)
        yield world


def test_a_realm_enables_tools_and_limits_what_is_found(
    mongo_uri: str, mongo_client: MongoClient[Document], key_folder: Path
) -> None:
    words = {"enabledTools": "query_find, query_export,query_plan,query_rootTypes", "maxFindLimit": "2"}
    with ruled(mongo_uri, mongo_client, key_folder, Resolver(), **words) as world:
        for _each in range(4):
            world.make("Carrier")
        assert use(world, "query_find", rootType="Carrier").json()["limit"] == 2
        assert use(world, "query_find", rootType="Carrier", limit=1).json()["limit"] == 1
        page = use(world, "query_find", rootType="Carrier", limit=1000).json()
        assert (page["limit"], page["rowCount"], "nextCursor" in page) == (2, 2, True)
        plan = use(world, "query_plan", rootType="Carrier", explain=True).json()
        assert (plan["pipeline"][0]["limit"], plan["cost"]["rows"]) == (2, 2)
        text = use(world, "query_export", rootType="Carrier", limit=1000).json()["csv"]
        assert len(text.splitlines()) == 3
        assert len(world.ask("POST /api/query/export", json={"rootType": "Carrier"}).text.splitlines()) == 3
        assert use(world, "query_count", rootType="Carrier").status_code == 403
        assert world.ask("POST /api/query/count", json={"rootType": "Carrier"}).status_code == 403
        tools = world.ask("GET /api/agent/tools").json()["tools"]
        enabled = ["query_rootTypes", "query_plan", "query_find", "query_export"]
        assert [tool["name"] for tool in tools] == enabled
        configure(world)  # an agent and a realm: what both enable
        assert use(world, "query_export", "acme", "reader", rootType="Carrier").status_code == 403
        assert use(world, "query_find", "acme", "reader", rootType="Carrier").status_code == 200


@pytest.mark.parametrize(
    ("name", "value", "problem"),
    [
        ("maxFindLimit", "0", "write a whole number above 0"),
        ("maxFindLimit", "-1", "write a whole number above 0"),
        ("maxFindLimit", "1e3", "write a whole number above 0"),
        ("maxFindLimit", "٣", "write a whole number above 0"),
        ("maxFindLimit", "9" * 5000, "write a whole number above 0"),
        ("enabledTools", "query_find, query_fnd", "names query_fnd, which is not a tool"),
        ("enabledTools", "*", "names *, which is not a tool"),
    ],
)
def test_a_setting_that_cannot_be_met_stops_the_start(name: str, value: str, problem: str) -> None:
    settings = Settings.read({f"SERVICE_AGENT_TENANT_MAIN_{name.upper()}": value})
    with pytest.raises(Misconfigured) as caught:
        check_tenant_rules(settings, ["query_find"])
    assert str(caught.value).startswith(f"service.agent.tenant.main.{name}")
    assert problem in str(caught.value)


def test_a_realm_may_have_a_limit_and_all_tools() -> None:
    settings = Settings.read({"SERVICE_AGENT_TENANT_MAIN_MAXFINDLIMIT": "5"})
    check_tenant_rules(settings, ["query_find"])
    assert find_tenant_rule(settings, "main") == TenantRule(max_find_limit=5)


@pytest.mark.parametrize("realm", ["my-realm", "my_realm"])
def test_a_variable_limits_each_realm_that_it_may_mean(realm: str) -> None:
    settings = Settings.read({"SERVICE_AGENT_TENANT_MY_REALM_ENABLEDTOOLS": "query_find"})
    assert find_tenant_rule(settings, realm) == TenantRule(enabled_tools=frozenset({"query_find"}))
    assert find_tenant_rule(settings, "other") == TenantRule()


RUNNER = NewUser("runner@acme.example", PASSWORD, "acme", frozenset({"user"}), org_ref_name="north")


@pytest.fixture(scope="module")
def lent(
    mongo_uri: str, mongo_client: MongoClient[Document], key_folder: Path
) -> Iterator[tuple[World, Resolver, Principal]]:
    """A service whose tools run as the user of organisation north, and that user's own principal."""
    resolver = Resolver()
    words = {"runAsUserId": RUNNER.user_id}
    with ruled(mongo_uri, mongo_client, key_folder, resolver, **words) as world:
        world.sign_in("runner", RUNNER)
        found = world.documents["credentials"].find_one({"userId": RUNNER.user_id})
        assert found is not None
        domain = DomainContext.of(found["domainContext"], world.realm)
        yield world, resolver, Principal(RUNNER.user_id, found["subject"], frozenset({"user"}), domain)


def test_tools_run_as_the_user_and_the_audit_names_both(lent: tuple[World, Resolver, Principal]) -> None:
    world, resolver, runner = lent
    resolver.answer = runner
    south = world.make("Carrier", "acme-south")
    assert use(world, "query_find", rootType="Carrier", query=f"id:{south['id']}").json()["rowCount"] == 0
    saved = use(world, "query_save", rootType="Carrier", entity=CARRIER).json()
    audit = world.read("Carrier", saved, "acme-north")["auditInfo"]
    assert audit["createdBy"] == audit["lastUpdatedBy"] == RUNNER.user_id
    assert audit["impersonatorUserId"] == "admin@acme.example"
    assert saved["record"]["dataDomain"]["orgRefName"] == "north"
    assert use(world, "query_count", rootType="PermissionRule").status_code == 403
    assert resolver.asked[-1] == (world.realm, RUNNER.user_id)
    keyed = world.ask(
        "POST /api/agent/execute", json={"tool": "query_save", "arguments": {"rootType": "Carrier", "entity": CARRIER}},
        headers={"Idempotency-Key": "lent"},
    )  # fmt: skip
    assert keyed.status_code == 400


def test_an_import_goes_on_as_that_user(lent: tuple[World, Resolver, Principal]) -> None:
    world, resolver, runner = lent
    resolver.answer = runner
    opened = use(world, "query_import_analyze", rootType="Carrier", csv="name,mode\nLENT,AIR\n").json()
    done = use(world, "query_import_commit", rootType="Carrier", sessionId=opened["sessionId"]).json()
    assert done["inserted"] == 1
    stored = world.documents["carriers"].find_one({"name": "LENT"})
    assert stored is not None
    assert stored["auditInfo"]["createdBy"] == RUNNER.user_id
    assert stored["auditInfo"]["impersonatorSubject"]


def test_without_an_answer_tools_run_as_the_caller(lent: tuple[World, Resolver, Principal]) -> None:
    world, resolver, _runner = lent
    resolver.answer = None
    saved = use(world, "query_save", rootType="Carrier", entity=CARRIER).json()
    assert saved["record"]["auditInfo"]["createdBy"] == "admin@acme.example"
    assert "impersonatorUserId" not in saved["record"]["auditInfo"]


def test_the_answer_has_no_more_than_the_stored_user(lent: tuple[World, Resolver, Principal]) -> None:
    world, resolver, runner = lent
    wider = [
        replace(runner, roles=frozenset({"admin"})),
        replace(runner, roles=frozenset({"user", "system"})),
        replace(runner, subject="made-up"),
        replace(runner, user_id="admin@acme.example"),
        replace(runner, domain=replace(runner.domain, org_ref_name=None)),
        replace(runner, domain=replace(runner.domain, org_ref_name="south")),
        replace(runner, domain=replace(runner.domain, tenant_id="globex")),
    ]
    before = world.snapshot()
    for resolver.answer in wider:
        assert use(world, "query_save", rootType="Carrier", entity=CARRIER).status_code == 403, (
            resolver.answer
        )
    resolver.answer = runner
    assert use(world, "query_save", "globex", rootType="Carrier", entity=CARRIER).status_code == 403
    assert world.snapshot() == before
    resolver.answer = replace(runner, roles=frozenset[str]())
    assert use(world, "query_count", rootType="Carrier").status_code == 403


def test_a_disabled_user_lends_nothing(lent: tuple[World, Resolver, Principal]) -> None:
    world, resolver, runner = lent
    resolver.answer = runner
    match = {"userId": RUNNER.user_id}
    world.documents["credentials"].update_one(match, {"$set": {"disabled": True}})
    try:
        assert use(world, "query_count", rootType="Carrier").status_code == 403
    finally:
        world.documents["credentials"].update_one(match, {"$set": {"disabled": False}})


def test_a_narrowed_token_stays_narrowed(lent: tuple[World, Resolver, Principal]) -> None:
    from tests.narrowing import narrow_token

    world, resolver, runner = lent
    resolver.answer = runner
    world.tokens["narrowed"] = narrow_token(world, "acme", "logistics:read")
    assert use(world, "query_count", "narrowed", rootType="Carrier").status_code == 200
    assert use(world, "query_save", "narrowed", rootType="Carrier", entity=CARRIER).status_code == 403
    assert json.loads(world.ask("GET /security/me").text)["identity"] == "admin@acme.example"
