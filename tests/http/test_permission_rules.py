"""Rules as records: who may write them, what is checked, and what they do to the very next request.

Rules are read for every request here (``auth.rule-cache-seconds`` 0); each test takes its rules away again.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest

from runtime.access import rule_bounds
from runtime.identity.users.users import NewUser
from tests.http.world import NOWHERE, PASSWORD, Document, Play, World
from tests.scenario import Scenario

pytestmark = pytest.mark.settings(rule_cache_seconds=0)

RULES = "/security/permission/rules"
CARRIERS = "/logistics/carriers"
LIST = f"GET {CARRIERS}/list"
OF_CARRIERS = {"identity": "user", "area": "logistics", "functionalDomain": "carrier"}


@pytest.fixture(scope="module")
def world(world: World) -> World:
    operator = NewUser("root@acme.example", PASSWORD, "acme", frozenset({"system"}))
    segment = NewUser("seven@acme.example", PASSWORD, "acme", frozenset({"admin"}), data_segment=7)
    north = NewUser("boss@acme.example", PASSWORD, "acme", frozenset({"admin"}), org_ref_name="north")
    both = NewUser("both@acme.example", PASSWORD, "acme", frozenset({"user", "admin"}))
    users = {"acme-root": operator, "acme-segment": segment, "acme-boss": north, "acme-both": both}
    for caller, user in users.items():
        world.sign_in(caller, user)
    return world


@pytest.fixture(scope="module")
def carriers(world: World) -> dict[str, Document]:
    """Two of acme, by mode; two of its north, which everybody of acme sees."""
    made = [
        world.make("Carrier", refName=f"C-{mode}", mode=mode, name=f"{mode} line") for mode in ("AIR", "SEA")
    ]
    domain = {"orgRefName": "north"}
    more = [
        world.make("Carrier", refName=f"N-{mode}", mode=mode, dataDomain=domain) for mode in ("AIR", "SEA")
    ]
    return {record["refName"]: record for record in (*made, *more)}


def rule(header: dict[str, str] | None = None, **members: Any) -> Document:
    """A denial, unless it says otherwise."""
    return {"name": "test", "effect": "DENY", "securityURI": {"header": header or {}}} | members


@contextmanager
def ruled(world: World, *rules: Document, by: str = "acme") -> Iterator[list[Document]]:
    """These rules, as long as the block lasts; removed by the operator, whom no rule stops."""
    with ExitStack() as stack:
        made = []
        for body in rules:
            answer = world.ask(f"POST {RULES}", by, json=body)
            assert answer.status_code == 201, answer.text
            made.append(answer.json())
            stack.callback(remove, world, made[-1])
        yield made


def remove(world: World, made: Document) -> None:
    assert world.ask(f"DELETE {RULES}/id/{made['id']}", "system").status_code in (204, 404)


def seen(world: World, caller: str, query: str = "") -> list[str]:
    """The carriers that a list shows."""
    answer = world.ask(f"{LIST}?sort=refName{query}", caller)
    assert answer.status_code == 200, answer.text
    return [row["refName"] for row in answer.json()["rows"]]


ALL = ["C-AIR", "C-SEA", "N-AIR", "N-SEA"]


# Who may write them ------------------------------------------------------------------------------

OPERATIONS = (
    ("GET", "/list"), ("POST", "/find"), ("GET", "/entityref"), ("GET", "/count"), ("GET", "/schema"),
    ("GET", "/id/{id}"), ("GET", "/refName/{refName}"), ("POST", ""), ("POST", "/bulk"),
    ("PUT", "/set?id={id}&pairs=priority:1"), ("PATCH", "/id/{id}"), ("DELETE", "/id/{id}"),
)  # fmt: skip
BODIES: dict[tuple[str, str], Any] = {
    ("POST", "/find"): {},
    ("POST", ""): rule(),
    ("POST", "/bulk"): {"operations": [{"op": "save", "record": rule()}]},
    ("PATCH", "/id/{id}"): {"priority": 1},
}


@pytest.mark.parametrize(
    ("caller", "status"),
    [("acme-user", 403), ("acme-nobody", 403), ("acme-north", 403), (None, 401)],
    ids=str,
)
@pytest.mark.parametrize(("method", "below"), OPERATIONS)
def test_only_administrators_read_and_write_rules(
    world: World, method: str, below: str, caller: str | None, status: int
) -> None:
    with ruled(world, rule({"identity": "nobody"})) as (made,):
        before = world.snapshot()
        path = f"{RULES}{below}".format(id=made["id"], refName=made["refName"])
        merge = {"Content-Type": "application/merge-patch+json"} if method == "PATCH" else {}
        answer = world.ask(f"{method} {path}", caller, json=BODIES.get((method, below)), headers=merge)
        assert answer.status_code == status, answer.text
        assert world.snapshot() == before


def test_no_rule_opens_rules_to_users(world: World) -> None:
    """The record type asks for the role admin, whatever rules allow."""
    with ruled(world, rule(effect="ALLOW", finalRule=True)):
        assert world.ask(f"GET {RULES}/list", "acme-user").status_code == 403


def test_rules_of_another_tenant_are_as_good_as_absent(world: World) -> None:
    with ruled(world, rule({"identity": "nobody"}, refName="OURS")) as (made,):
        for record_id in (made["id"], NOWHERE):
            assert world.ask(f"GET {RULES}/id/{record_id}", "globex").status_code == 404
            assert world.ask(f"DELETE {RULES}/id/{record_id}", "globex").status_code == 404
        assert world.ask(f"GET {RULES}/list", "globex").json()["rows"] == []
        (row,) = world.ask(f"GET {RULES}/list", "acme").json()["rows"]
        assert (row["refName"], row["displayName"], row["priority"]) == ("OURS", "test", 10)


WRITES = [
    Scenario(
        "for another tenant", f"POST {RULES}", body=rule(dataDomain={"tenantId": "globex"}),
        status=403, code="access.denied",
    ),
    Scenario(
        "for another organisation than one's own", f"POST {RULES}", user="acme-boss",
        body=rule(dataDomain={"orgRefName": "south"}), status=403, code="access.denied",
    ),
    Scenario(
        "by an administrator of one data segment", f"POST {RULES}", user="acme-segment", body=rule(),
        status=403, code="access.denied", says=("data segment",),
    ),
    Scenario(
        "an area that is not", f"POST {RULES}", body=rule({"area": "logistic"}), status=422,
        code="record.invalid", says=("did you mean logistics?",),
        has={"violations[0].path": "securityURI.header.area"}, lacks=("violations[1]",),
    ),
    Scenario(
        "a domain and an action that are not", f"POST {RULES}",
        body=rule({"functionalDomain": "carier", "action": "SEE"}), status=422,
        has={"violations[0].path": "securityURI.header.functionalDomain",
             "violations[1].path": "securityURI.header.action"},
    ),
    Scenario(
        "a filter that cannot be read", f"POST {RULES}", body=rule(OF_CARRIERS, filter="mode:"),
        status=422, has={"violations[0].path": "filter"},
    ),
    Scenario(
        "a filter that not every record type has", f"POST {RULES}", body=rule(filter="mode:AIR"),
        status=422, says=("over ",), has={"violations[0].path": "filter"},
    ),
    Scenario(
        "hidden fields that the service needs", f"POST {RULES}",
        body=rule(OF_CARRIERS, effect="ALLOW", hiddenFields=["active", "dataDomain"]), status=422,
        has={"violations[0].path": "hiddenFields[1]"},
    ),
    Scenario(
        "a priority of the built-in rules", f"POST {RULES}", body=rule(priority=-1000), status=422,
        has={"violations[0].path": "priority"},
    ),
    Scenario("an unknown member", f"POST {RULES}", body=rule(final=True), status=400, says=("finalRule",)),
    Scenario("no effect", f"POST {RULES}", body={"name": "x", "securityURI": {}}, status=422),
    Scenario("an empty pattern", f"POST {RULES}", body=rule({"identity": ""}), status=422),
    *(
        Scenario(
            f"the user id of {identity!r}", f"POST {RULES}", body=rule({"identity": identity}), status=422,
            has={"violations[0].path": "securityURI.header.identity"},
        )
        for identity in ("user:", "user: ann", "USER:")
    ),
    Scenario(
        "of many, each is checked", f"POST {RULES}/bulk", stored=1,
        body={"operations": [
            {"op": "save", "record": rule({"area": "logistic"})},
            {"op": "save", "record": rule({"identity": "nobody"})},
        ]},
        has={"results[0].error.violations[0].path": "securityURI.header.area", "saved": 1},
    ),
]  # fmt: skip


@pytest.mark.parametrize("scenario", WRITES, ids=str)
def test_what_can_be_written(world: World, play: Play, scenario: Scenario) -> None:
    play(scenario)
    rows = world.ask(f"GET {RULES}/list", "system").json()["rows"]
    for made in rows:
        remove(world, made)


def test_a_rule_is_checked_again_whichever_way_it_changes(world: World) -> None:
    with ruled(world, rule(OF_CARRIERS | {"identity": "nobody"}, filter="mode:AIR")) as (made,):
        before = world.snapshot()
        own = f"{RULES}/id/{made['id']}"
        changed = made | {"filter": "mood:AIR"}
        answers = [
            world.ask(f"POST {RULES}", json=changed),
            world.ask(f"PUT {RULES}/set?id={made['id']}&pairs=filter:%22mood:AIR%22"),
            world.ask(f"PATCH {own}", json={"filter": "mood:AIR"}, headers={"Content-Type": "application/merge-patch+json"}),
            world.ask(f"PUT {RULES}/bulk/set", json={"ids": [made["id"]], "values": {"filter": "mood:AIR"}}),
        ]  # fmt: skip
        assert [answer.status_code for answer in answers] == [422, 422, 422, 200]
        for answer in answers:
            assert "did you mean mode?" in answer.text
        assert world.snapshot() == before


# Bounds of all rules together ---------------------------------------------------------------------


def saves(*names: str, **members: Any) -> list[Document]:
    """Operations that save rules of two conditions each for the same requests."""
    more = {"filter": "mode:AIR||mode:SEA"} | members
    return [{"op": "save", "record": rule(OF_CARRIERS, name=name, refName=name, **more)} for name in names]


def stored_names(world: World) -> list[str]:
    rows = world.ask(f"GET {RULES}/list?sort=name", "system").json()["rows"]
    return [row["name"] for row in rows]


@pytest.fixture
def few(world: World, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """At most four conditions for one request; without rules afterwards."""
    monkeypatch.setattr(rule_bounds, "MOST_CONDITIONS", 4)
    yield
    world.documents["permissionRules"].delete_many({})


TOO_MANY = "the rules that can apply to one request would have 6 conditions, of at most 4"


@pytest.mark.usefixtures("few")
class TestTogether:
    def test_rules_of_one_request_are_counted_together(self, world: World) -> None:
        body = {"operations": saves("a", "b", "c", "d")}
        results = world.ask(f"POST {RULES}/bulk", json=body).json()["results"]
        assert [one["status"] for one in results] == [201, 201, 422, 422]
        assert TOO_MANY in results[2]["error"]["detail"]
        assert stored_names(world) == ["a", "b"]

    def test_all_or_none(self, world: World) -> None:
        body = {"operations": saves("a", "b", "c"), "atomic": True}
        answer = world.ask(f"POST {RULES}/bulk", json=body)
        assert (answer.status_code, answer.json()["index"]) == (422, 2)
        assert [one["path"] for one in answer.json()["violations"]] == ["filter"]
        assert stored_names(world) == []

    def test_rules_of_other_requests_and_without_a_filter_do_not_count(self, world: World) -> None:
        others = [
            {"op": "save", "record": rule(OF_CARRIERS | {"action": "VIEW"}, name="f", filter="mode:AIR")},
            {"op": "save", "record": rule(OF_CARRIERS | {"action": "DELETE"}, name="g", filter="mode:AIR")},
        ]
        body = {"operations": saves("a") + others + saves("b", enabled=False) + saves("c", filter=None)}
        results = world.ask(f"POST {RULES}/bulk", json=body).json()["results"]
        assert [one["status"] for one in results] == [201] * 5

    def test_rules_that_are_enabled_together(self, world: World) -> None:
        made = world.ask(f"POST {RULES}/bulk", json={"operations": saves("a", "b", "c", enabled=False)})
        ids = [one["id"] for one in made.json()["results"]]
        answer = world.ask(f"PUT {RULES}/bulk/set", json={"ids": ids, "values": {"enabled": True}})
        assert sorted(one["status"] for one in answer.json()["results"]) == [200, 200, 422]

    def test_rows_of_a_file(self, world: World) -> None:
        rows = [f"{name},{name},DENY,mode:AIR||mode:SEA,user,logistics,carrier" for name in "abc"]
        header = "securityURI.header"
        columns = f"refName,name,effect,filter,{header}.identity,{header}.area,{header}.functionalDomain"
        file = {"file": ("rules.csv", "\n".join([columns, *rows]).encode())}
        answer = world.ask(f"POST {RULES}/csv?requestedColumns={columns}", files=file)
        assert (answer.json()["importedCount"], answer.json()["failedCount"]) == (2, 1)
        assert stored_names(world) == ["a", "b"]

    def test_a_rule_that_stays_as_it_is_may_be_saved_among_too_many(
        self, world: World, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (made,) = world.ask(f"POST {RULES}/bulk", json={"operations": saves("a")}).json()["results"]
        monkeypatch.setattr(rule_bounds, "MOST_CONDITIONS", 1)
        patch = {"headers": {"Content-Type": "application/merge-patch+json"}}
        path = f"PATCH {RULES}/id/{made['id']}"
        assert world.ask(path, json={"description": "Said again."}, **patch).status_code == 200
        assert world.ask(path, json={"filter": "mode:AIR||mode:RAIL||mode:SEA"}, **patch).status_code == 422
        assert world.ask(path, json={"filter": "mode:AIR"}, **patch).status_code == 200

    @pytest.mark.parametrize("pattern", [{"action": "VIEW"}, {"identity": "user:user@acme.example"}], ids=str)
    def test_a_rule_among_too_many_may_apply_to_fewer_requests_and_not_to_more(
        self, world: World, monkeypatch: pytest.MonkeyPatch, pattern: dict[str, str]
    ) -> None:
        (made,) = world.ask(f"POST {RULES}/bulk", json={"operations": saves("a")}).json()["results"]
        monkeypatch.setattr(rule_bounds, "MOST_CONDITIONS", 1)
        patch = {"headers": {"Content-Type": "application/merge-patch+json"}}
        path = f"PATCH {RULES}/id/{made['id']}"
        narrower, wider = OF_CARRIERS | pattern, OF_CARRIERS | {"action": "*"}
        assert world.ask(path, json={"securityURI": {"header": narrower}}, **patch).status_code == 200
        assert world.ask(path, json={"securityURI": {"header": wider}}, **patch).status_code == 422

    def test_so_many_rules_and_no_more(self, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(rule_bounds, "MOST_RULES", 2)
        plain = {"filter": None, "effect": "DENY"}
        body = {"operations": saves("a", "b", "c", **plain)}
        results = world.ask(f"POST {RULES}/bulk", json=body).json()["results"]
        assert [one["status"] for one in results] == [201, 201, 422]
        assert "there are 2 rules already" in results[2]["error"]["detail"]
        own = f"PUT {RULES}/set?id={results[0]['id']}&pairs=priority:20"
        assert world.ask(own).status_code == 200


# What they do ------------------------------------------------------------------------------------


def test_a_denial_takes_effect_at_once_and_ends_with_the_rule(
    world: World, carriers: dict[str, Document]
) -> None:
    assert seen(world, "acme-user") == ALL
    with ruled(world, rule(OF_CARRIERS)) as (made,):
        answer = world.ask(LIST, "acme-user")
        assert (answer.status_code, answer.json()["code"]) == (403, "access.denied")
        assert made["name"] not in answer.text, "the rule that decided is not named"
        assert world.ask(f"POST {CARRIERS}", "acme-user", json=world.sample("Carrier")).status_code == 403
        assert world.ask("GET /logistics/customers/list", "acme-user").status_code == 200
        assert seen(world, "acme") == ALL
        changed = made | {"enabled": False}
        assert world.ask(f"POST {RULES}", json=changed).status_code == 200
        assert seen(world, "acme-user") == ALL
    assert seen(world, "acme-user") == ALL


def test_rules_of_another_tenant_have_no_effect(world: World, carriers: dict[str, Document]) -> None:
    with ruled(world, rule(finalRule=True, priority=-900), by="globex"):
        assert world.ask(LIST, "globex").status_code == 403
        assert seen(world, "acme-user") == ALL


def test_a_rule_of_an_organisation_speaks_of_its_callers_only(
    world: World, carriers: dict[str, Document]
) -> None:
    with ruled(world, rule(OF_CARRIERS), by="acme-boss"):
        assert world.ask(LIST, "acme-north").status_code == 403
        assert seen(world, "acme-user") == ALL
    with ruled(world, rule(OF_CARRIERS, dataDomain={"orgRefName": "south"})):
        assert world.ask(LIST, "acme-south").status_code == 403
        assert seen(world, "acme-north") == ["N-AIR", "N-SEA"]


def test_a_rule_that_all_organisations_share_holds_in_each(
    world: World, carriers: dict[str, Document]
) -> None:
    with ruled(world, rule(OF_CARRIERS, dataDomain={"orgRefName": "*"})):
        for caller in ("acme-north", "acme-south", "acme-user"):
            assert world.ask(LIST, caller).status_code == 403


ALLOWED = rule(OF_CARRIERS | {"identity": "*"}, effect="ALLOW", priority=100, finalRule=True)


class TestRulesOfAnOrganisation:
    """An administrator of one cannot change the rules of the tenant, so it does not outrank them either."""

    @pytest.mark.parametrize(
        ("of_tenant", "allows", "status"),
        [
            pytest.param({"effect": "DENY"}, {}, 403, id="denied"),
            pytest.param({"effect": "DENY", "filter": "mode:SEA"}, {}, 403, id="denied for some"),
            pytest.param({"effect": "ALLOW", "hiddenFields": ["name"]}, {}, 403, id="a field withheld"),
            pytest.param(
                {"effect": "ALLOW", "hiddenFields": ["mode"]}, {"hiddenFields": ["mode"]}, 201,
                id="the field withheld as well",
            ),
            pytest.param({"effect": "DENY"}, {"effect": "DENY"}, 201, id="a denial gives nothing"),
        ],
    )  # fmt: skip
    def test_what_the_tenant_withholds(
        self, world: World, play: Play, of_tenant: Document, allows: Document, status: int
    ) -> None:
        header = {"identity": "admin", "area": "logistics", "functionalDomain": "carrier"}
        with ruled(world, rule(header, **of_tenant)):
            answer = world.ask(f"POST {RULES}", "acme-boss", json=ALLOWED | allows)
            assert answer.status_code == status, answer.text
            if status == 201:
                remove(world, answer.json())
            else:
                assert "an administrator of the tenant may" in answer.json()["detail"]

    @pytest.mark.parametrize("effect", ["ALLOW", "DENY"])
    @pytest.mark.parametrize("area", ["logistics", "*"])
    def test_filters_by_no_field_that_is_withheld_from_it(self, world: World, effect: str, area: str) -> None:
        """Whom a rule lets through tells the value."""
        header = {"identity": "admin", "area": "logistics", "functionalDomain": "carrier"}
        asked = rule(OF_CARRIERS | {"area": area}, effect=effect, hiddenFields=["mode"], filter="mode:SEA")
        with ruled(world, rule(header, effect="ALLOW", hiddenFields=["mode"])):
            answer = world.ask(f"POST {RULES}", "acme-boss", json=asked)
            assert answer.status_code == 422, answer.text
            assert answer.json()["violations"][0]["path"] == "filter"
            assert "has no field mode" in answer.json()["detail"]
        with ruled(world, asked, by="acme-boss"):
            pass

    @pytest.mark.parametrize("header", [OF_CARRIERS, {"identity": "clerk"}], ids=["one domain", "everything"])
    def test_what_it_has_it_allows(self, world: World, header: dict[str, str]) -> None:
        with ruled(world, rule(header, effect="ALLOW"), by="acme-boss"):
            pass

    def test_a_denial_is_not_turned_into_an_allowance(self, world: World) -> None:
        header = {"identity": "admin", "area": "logistics", "functionalDomain": "carrier"}
        denial = ALLOWED | {"effect": "DENY", "priority": -5, "finalRule": False}
        with ruled(world, denial, by="acme-boss") as (own,), ruled(world, rule(header)):
            changed = own | {"effect": "ALLOW", "priority": 100}
            assert world.ask(f"POST {RULES}", "acme-boss", json=changed).status_code == 403


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        pytest.param([("a", "DENY", {}), ("b", "ALLOW", {})], ALL, id="the last name stands"),
        pytest.param([("b", "DENY", {}), ("a", "ALLOW", {})], None, id="and a denial as well"),
        pytest.param([("b", "DENY", {"priority": 9}), ("a", "ALLOW", {})], ALL, id="priority before name"),
        pytest.param([("a", "DENY", {"finalRule": True}), ("b", "ALLOW", {})], None, id="a final one ends it"),
        pytest.param(
            [("a", "DENY", {"finalRule": True, "priority": 11}), ("b", "ALLOW", {"finalRule": True})],
            ALL, id="the first final one",
        ),
        pytest.param([("a", "ALLOW", {}), ("b", "Refuse", {})], None, id="anything else denies"),
        pytest.param([("a", "DENY", {"enabled": False})], ALL, id="disabled"),
    ],
)  # fmt: skip
def test_the_order_of_rules(
    world: World,
    carriers: dict[str, Document],
    rules: list[tuple[str, str, dict[str, Any]]],
    expected: list[str] | None,
) -> None:
    with ruled(world, *(rule(OF_CARRIERS, name=name, effect=effect, **more) for name, effect, more in rules)):
        if expected is None:
            assert world.ask(LIST, "acme-user").status_code == 403
        else:
            assert seen(world, "acme-user") == expected


def test_a_filter_denies_the_records_that_match_on_every_way(
    world: World, carriers: dict[str, Document]
) -> None:
    with ruled(world, rule(OF_CARRIERS, filter="mode:AIR")):
        assert seen(world, "acme-user") == ["C-SEA", "N-SEA"]
        assert seen(world, "acme-user", "&filter=mode:AIR") == []
        assert world.ask(f"GET {CARRIERS}/count", "acme-user").json()["count"] == 2
        for record, status in (("C-AIR", 404), ("C-SEA", 200)):
            assert world.ask(f"GET {CARRIERS}/id/{carriers[record]['id']}", "acme-user").status_code == status
            assert world.ask(f"GET {CARRIERS}/refName/{record}", "acme-user").status_code == status
        body = world.sample("Carrier") | {"mode": "AIR"}
        assert world.ask(f"POST {CARRIERS}", "acme-user", json=body).status_code == 403
        moved = carriers["C-SEA"] | {"mode": "AIR"}
        assert world.ask(f"POST {CARRIERS}", "acme-user", json=moved).status_code == 403
        assert seen(world, "acme") == ALL


def test_a_filter_allows_nothing_but_what_matches(world: World, carriers: dict[str, Document]) -> None:
    denied = rule(OF_CARRIERS, name="a")
    mine = rule(OF_CARRIERS, name="b", effect="ALLOW", filter="dataDomain.ownerId:${principalId}")
    with ruled(world, denied, mine):
        assert seen(world, "acme-user") == []
        answer = world.ask(
            f"POST {CARRIERS}", "acme-user", json=world.sample("Carrier") | {"refName": "MINE"}
        )
        assert answer.status_code == 201
        assert seen(world, "acme-user") == ["MINE"]
        assert world.ask(f"DELETE {CARRIERS}/id/{answer.json()['id']}", "acme-user").status_code == 204


def test_hidden_fields_are_gone_and_unknown_and_keep_their_value(world: World) -> None:
    customer = world.make("Customer", name="Flores", credit="2500.00", email="a@b.example")
    of_customers = {"identity": "user", "area": "logistics", "functionalDomain": "customer"}
    own = f"/logistics/customers/id/{customer['id']}"
    with ruled(world, rule(of_customers, effect="ALLOW", hiddenFields=["credit"])):
        shown = world.ask(f"GET {own}", "acme-user").json()
        assert "credit" not in shown
        assert shown["email"] == "a@b.example"
        for query in ("filter=credit:>1", "sort=credit", "projection=%2Bcredit"):
            answer = world.ask(f"GET /logistics/customers/list?{query}", "acme-user")
            assert (answer.status_code, answer.json()["code"]) == (400, "field.unknown"), query
        saved = world.ask("POST /logistics/customers", "acme-user", json=shown | {"email": "c@d.example"})
        assert saved.status_code == 200
        assert "credit" not in saved.json()
    now = world.read("Customer", customer)
    assert (now["credit"], now["email"]) == ("2500.00", "c@d.example")


def test_who_cannot_see_a_field_cannot_write_it(world: World) -> None:
    """The rule speaks of reading alone; a write of any kind neither drops the field nor sets it."""
    customer = world.make("Customer", name="Flores", credit="2500.00", email="a@b.example")
    unseen = {"identity": "user", "area": "logistics", "functionalDomain": "customer", "action": "VIEW"}
    path, own = "/logistics/customers", f"id={customer['id']}"
    with ruled(world, rule(unseen, effect="ALLOW", hiddenFields=["credit"])):
        shown = world.ask(f"GET {path}/id/{customer['id']}", "acme-user").json()
        assert "credit" not in shown
        whole = world.ask(f"POST {path}", "acme-user", json=shown | {"name": "Rosas"})
        assert whole.status_code == 200, whole.text
        named = world.ask(f"POST {path}", "acme-user", json=whole.json() | {"credit": "1.00"})
        assert named.status_code in {200, 400, 422}, "as if not sent, or unknown; never stored"
        merged = {"json": {"credit": "1.00"}, "headers": {"Content-Type": "application/merge-patch+json"}}
        for request, options in (
            (f"PUT {path}/set?{own}&pairs=credit:1.00", {}),
            (f"PUT {path}/set?{own}&pairs=credit:null", {}),
            (f"PATCH {path}/id/{customer['id']}", merged),
            (f"PUT {path}/bulk/set", {"json": {"ids": [customer["id"]], "values": {"credit": "1.00"}}}),
        ):
            answer = world.ask(request, "acme-user", **options)
            assert answer.status_code >= 400, (request, answer.text)
        made = world.ask(f"POST {path}", "acme-user", json=world.sample("Customer") | {"credit": "1.00"})
        assert made.status_code == 201, made.text
    now = world.read("Customer", customer)
    assert (now["credit"], now["name"]) == ("2500.00", "Rosas")
    assert world.read("Customer", made.json()).get("credit") != "1.00"


def test_an_endpoint_asks_the_rules(world: World) -> None:
    of_self = {"area": "security", "functionalDomain": "self", "action": "VIEW", "identity": "auditor"}
    assert world.ask("GET /security/me", "acme-nobody").status_code == 200
    with ruled(world, rule(of_self)):
        assert world.ask("GET /security/me", "acme-nobody").status_code == 403
        assert world.ask("GET /security/me", "acme-user").status_code == 200


def test_who_is_user_and_administrator_has_what_an_administrator_has(world: World) -> None:
    assert world.ask(f"GET {RULES}/list", "acme-both").status_code == 200
    with ruled(world, rule({"identity": "nobody"}), by="acme-both"):
        pass


def test_an_operator_repairs_what_administrators_have_locked(world: World) -> None:
    with ruled(world, rule(finalRule=True, priority=-900)) as (made,):
        assert world.ask(f"DELETE {RULES}/id/{made['id']}", "acme").status_code == 403
        assert world.ask(f"GET {RULES}/list", "acme-root").status_code == 200
        assert world.ask(f"DELETE {RULES}/id/{made['id']}", "acme-root").status_code == 204
    assert world.ask(f"GET {RULES}/list", "acme").status_code == 200


def test_a_rule_that_cannot_be_read_denies(world: World) -> None:
    """Written past the service, as by a careless migration."""
    with ruled(world, rule(OF_CARRIERS, effect="ALLOW")) as (made,):
        collection = world.documents["permissionRules"]
        collection.update_one({"refName": made["refName"]}, {"$set": {"priority": "high"}})
        assert world.ask(LIST, "acme-user").status_code == 403
        assert world.ask("GET /logistics/customers/list", "acme-user").status_code == 200


@pytest.mark.parametrize("atomic", [False, True], ids=["each", "atomic"])
@pytest.mark.parametrize(
    ("denied", "expected"),
    [(["CREATE"], (403, 200)), (["UPDATE"], (201, 403)), (["CREATE", "UPDATE"], (403, 403))],
    ids=["no CREATE", "no UPDATE", "neither"],
)
def test_many_saves_need_what_each_of_them_needs(
    world: World, denied: list[str], expected: tuple[int, int], atomic: bool
) -> None:
    """A caller that may only add records may add many of them."""
    line = {"name": "A line", "mode": "AIR"}
    old = world.make("Carrier", "acme")
    with ruled(world, *(rule(OF_CARRIERS | {"action": action}) for action in denied)):
        for record, status in zip((line, line | {"id": old["id"]}), expected, strict=True):
            alone = world.ask(f"POST {CARRIERS}", "acme-user", json=record)
            assert alone.status_code == status, alone.text
            body = {"operations": [{"op": "save", "record": record}], "atomic": atomic}
            answer = world.ask(f"POST {CARRIERS}/bulk", "acme-user", json=body)
            if status == 403 and (atomic or 403 == expected[0] == expected[1]):
                assert answer.status_code == 403, answer.text
            else:
                assert [one["status"] for one in answer.json()["results"]] == [status]
