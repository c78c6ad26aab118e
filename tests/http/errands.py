"""What takes several requests of one tenant, or a moment at which somebody else writes: nobody comes to it by chance.

Each errand is told as a few requests and what they answer. Where it needs a race, the listener to the commands
of the store plays the other one, right before the command that is to lose.
"""

from __future__ import annotations

import json
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from itertools import count
from typing import Any

import httpx2
from bson import ObjectId

from generated.record_types import CATALOG
from runtime.access.guard import open_call
from runtime.call import Call
from runtime.contract.pages import FindBody
from runtime.query import explain_plan, plan_query
from runtime.records.effects.integrity import Scope, count_records_in_scope, examine
from runtime.seeding import plant
from runtime.system.models.query_plan import QueryPlan
from runtime.transfer.profiles.lookup import Lookup, StoreLookups
from tests.http.asking import Request
from tests.http.commands import Commands
from tests.http.world import PASSWORD, Document, World
from tests.mcp_server.talking import build_message

LONG_AGO = datetime(2001, 1, 1)
_numbers = count(1)


@dataclass
class Desk:
    """An administrator of a tenant at work. ``look`` is shown every request and answer; ``mark`` is in what it
    makes."""

    world: World
    commands: Commands
    tenant: str
    mark: str
    look: Callable[[Request, httpx2.Response], None]
    look_at_work: Callable[[], None]
    caller: str = field(init=False)

    def __post_init__(self) -> None:
        self.caller = f"{self.tenant}-admin"
        self.commands.undisturbed()

    def ask(self, request: str, status: int = 200, **options: Any) -> Any:
        """The JSON of the answer, which must have this status."""
        method, path = request.split(" ", 1)
        self.commands.clear()
        answer = self.world.ask(request, self.caller, **options)
        assert answer.status_code == status, (request, answer.text)
        self.look(Request(method, path, {"params": {}, **options}), answer)
        return answer.json() if "json" in answer.headers.get("content-type", "") else answer.text

    def work(self, function: Callable[[Call], Awaitable[Any]]) -> Any:
        """What a function of the service answers to the administrator, where no route leads."""

        async def run() -> Any:
            service, token = self.world.app.state.service, self.world.tokens[self.caller]
            return await function(await open_call(service, token, None, "errand", "logistics"))

        self.commands.clear()
        assert self.world.client.portal is not None
        answer = self.world.client.portal.call(run)
        self.look_at_work()
        return answer

    def new(self, path: str, body: Mapping[str, Any], **options: Any) -> Document:
        made: Document = self.ask(f"POST {path}", 201, json=body, **options)
        return made

    def sample(self, kind: str) -> Document:
        return self.world.sample(kind, self.caller)

    def patch(self, path: str, body: Mapping[str, Any], status: int = 200) -> Any:
        headers = {"Content-Type": "application/merge-patch+json"}
        return self.ask(f"PATCH {path}", status, content=json.dumps(body), headers=headers)

    def behind(self, collection: str, match: Document, values: Document) -> None:
        """Somebody's write behind the back of the service."""
        assert self.world.documents[collection].update_one(match, {"$set": values}).matched_count == 1

    def session(self, path: str, columns: str, *rows: str, status: int = 200) -> Document:
        """A file that is analysed."""
        text = "\r\n".join((columns, *rows, "")).encode()
        query = f"requestedColumns={columns}&skipHeaderRow=true"
        file = {"file": ("rows.csv", text, "text/csv")}
        opened: Document = self.ask(f"POST {path}/csv/session?{query}", status, files=file)
        return opened


def _id(record: Document) -> ObjectId:
    return ObjectId(record["id"])


def _fresh() -> str:
    return f"E{next(_numbers)}"


CUSTOMERS, SHIPMENTS, ORDERS = "/logistics/customers", "/logistics/shipments", "/logistics/orders"
CARRIERS, AIRPORTS = "/logistics/carriers", "/logistics/airports"
REGIONS, PORTS = "/logistics/regions", "/logistics/ports"
WEBHOOKS = "/integration/webhooks"


def actions_by_the_record(desk: Desk) -> None:
    """Where rules look at records, a page of few fields is read once more."""
    with _user_who_sees_not_all(desk, "carrier", "DELETE"):
        page = desk.ask(f"GET {CARRIERS}/list?limit=3&actions=true&projection=displayName")
    assert all("DELETE" in row["actionList"] for row in page["rows"])


@contextmanager
def _user_who_sees_not_all(desk: Desk, domain: str, action: str) -> Iterator[None]:
    """A user for whom a rule looks at each record of a type, although it is about none of them."""
    header = {"area": "logistics", "functionalDomain": domain, "action": action}
    rule: Document = {
        "name": _fresh(),
        "effect": "DENY",
        "finalRule": True,
        "filter": "name:NOBODY",
        "securityURI": {"header": header},
    }
    made = desk.new("/security/permission/rules", rule)
    admin, desk.caller = desk.caller, f"{desk.tenant}-user"
    yield
    desk.caller = admin
    desk.ask(f"DELETE /security/permission/rules/id/{made['id']}", 204)


def a_record_that_is_referred_to(desk: Desk) -> None:
    customer = desk.new(CUSTOMERS, desk.sample("Customer"))
    desk.new(SHIPMENTS, desk.sample("Shipment") | {"customer": {"entityId": customer["id"]}})
    assert len(desk.ask(f"GET {CUSTOMERS}/id/{customer['id']}")["references"]) == 1
    refused = desk.ask(f"DELETE {CUSTOMERS}/id/{customer['id']}", 409)
    assert [one["count"] for one in refused["referrers"]] == [1]


def a_target_renamed_meanwhile(desk: Desk) -> None:
    customer = desk.new(CUSTOMERS, desk.sample("Customer"))
    rename = {"displayName": f"{desk.mark} renamed"}
    desk.commands.before(
        "update", "customers", lambda: desk.behind("customers", {"_id": _id(customer)}, rename)
    )
    made = desk.new(SHIPMENTS, desk.sample("Shipment") | {"customer": {"entityId": customer["id"]}})
    assert made["customer"]["entityDisplayName"] == rename["displayName"]


def a_referrer_changed_meanwhile(desk: Desk) -> None:
    """New names are copied to it all the same."""
    customer = desk.new(CUSTOMERS, desk.sample("Customer"))
    made = desk.new(SHIPMENTS, desk.sample("Shipment") | {"customer": {"entityId": customer["id"]}})
    desk.commands.clear()
    newer = {"version": 2}
    desk.commands.before("update", "shipments", lambda: desk.behind("shipments", {"_id": _id(made)}, newer))
    desk.patch(f"{CUSTOMERS}/id/{customer['id']}", {"displayName": f"{desk.mark} again"})
    found = desk.ask(f"GET {SHIPMENTS}/id/{made['id']}")
    assert found["customer"]["entityDisplayName"] == f"{desk.mark} again"


def the_history_of_a_record(desk: Desk) -> None:
    path = f"{ORDERS}/id/{desk.new(ORDERS, desk.sample('Order'))['id']}"
    assert desk.ask(f"GET {path}/history?count=exact")["totalCount"] == 1
    assert desk.ask(f"GET {path}/history?skip=9")["rowCount"] == 0
    desk.ask(f"DELETE {path}", 204)
    assert desk.ask(f"GET {path}/history?count=exact")["totalCount"] == 2


def one_key_again_and_again(desk: Desk) -> None:
    """A key whose answer is kept, one whose time is over, one that was abandoned."""
    key, body = _fresh(), desk.sample("Carrier")
    headers = {"headers": {"Idempotency-Key": key}}
    first = desk.new(CARRIERS, body, **headers)
    kept = desk.world.documents["idempotencyKeys"].find_one({}, sort=[("_id", -1)])
    assert kept is not None
    mine = {"auditInfo.createdBy": f"admin@{desk.tenant}.example", "state": "DONE"}
    assert desk.new(CARRIERS, body, **headers) == first
    desk.world.documents["idempotencyKeys"].update_many(mine, {"$set": {"expiresAt": LONG_AGO}})
    second = desk.new(CARRIERS, body, **headers)
    assert second["id"] != first["id"]
    given_up = {"state": "IN_FLIGHT", "leaseUntil": LONG_AGO}
    desk.world.documents["idempotencyKeys"].update_many(mine, {"$set": given_up})
    assert desk.new(CARRIERS, body, **headers)["id"] not in (first["id"], second["id"])


def a_key_that_another_took_over(desk: Desk) -> None:
    keys = desk.world.documents["idempotencyKeys"]
    mine = {"auditInfo.createdBy": f"admin@{desk.tenant}.example", "state": "IN_FLIGHT"}
    another = {"$set": {"holder": "another", "leaseUntil": LONG_AGO}}
    desk.commands.before("findAndModify", "idempotencyKeys", lambda: keys.update_many(mine, another))
    desk.ask(
        f"POST {CARRIERS}", 409, json=desk.sample("Carrier"), headers={"Idempotency-Key": _fresh()},
    )  # fmt: skip


def too_many_at_once(desk: Desk) -> None:
    body = {"filter": "id:~", "values": {"displayName": "Changed"}}
    desk.ask(f"PUT {CARRIERS}/bulk/set", 422, json=body)


def a_question_about_a_record(desk: Desk) -> None:
    made = desk.new(CARRIERS, desk.sample("Carrier"))
    asked = {"area": "logistics", "functionalDomain": "carrier", "action": "VIEW"}
    for named in (made["id"], made["refName"]):
        assert (
            desk.ask("POST /security/permission/check", json=asked | {"resource": named})["decision"]
            == "ALLOW"
        )


def acting_as_somebody(desk: Desk) -> None:
    script = {"impersonationEnabled": True, "impersonateFilterScript": "userId:~"}
    script |= {"impersonationGranter": {"operator": True}}
    desk.behind("credentials", {"userId": f"admin@{desk.tenant}.example"}, script)
    time.sleep(1.1)  # without change streams a credential is believed for a second
    target = {"X-Impersonate-UserId": f"user@{desk.tenant}.example"}
    assert desk.ask("GET /security/me", headers=target)["identity"] == target["X-Impersonate-UserId"]
    foreign = {"X-Impersonate-UserId": "nobody@acme.example"}
    desk.ask("GET /security/me", 403, headers=foreign)


def an_import(desk: Desk) -> None:
    """New rows, changed rows, and one that is right when it is read and wrong when it is stored."""
    old = desk.new(CARRIERS, desk.sample("Carrier") | {"refName": _fresh()})
    new, late = _fresh(), _fresh()
    rows = (
        f"{new},{desk.mark},AIR",
        f"{old['refName']},{desk.mark},SEA",
        f"{late},{desk.mark},AIR",
        ",,SPACE",
    )
    opened = desk.session(CARRIERS, "refName,name,mode", *rows)
    path = f"{CARRIERS}/csv/session/{opened['sessionId']}"
    assert desk.ask(f"GET {path}/rows?limit=2")["totalCount"] == 4
    desk.ask(f"GET {path}/errors")
    desk.new(CARRIERS, desk.sample("Carrier") | {"refName": late, "displayName": "came first"})
    done = desk.ask(f"POST {path}/commit")
    assert done["inserted"] + done["updated"] >= 2, done
    desk.ask(f"GET {path}/progress")
    desk.ask(f"DELETE {path}", 204)


def a_record_taken_meanwhile(desk: Desk) -> None:
    """Its row fails when it is stored, and says so in the session."""
    name = _fresh()
    code = desk.sample("Country")["code"]
    opened = desk.session("/logistics/countries", "refName,name,code", f"{name},{desk.mark},{code}")
    taken = desk.sample("Country") | {"code": code, "refName": _fresh()}
    desk.commands.before("insert", "countries", lambda: _insert(desk, "countries", taken))
    done = desk.ask(f"POST /logistics/countries/csv/session/{opened['sessionId']}/commit")
    assert done["failed"] == 1, done


def _insert(desk: Desk, collection: str, body: Document) -> None:
    rows = desk.world.documents[collection]
    template = rows.find_one({"dataDomain.tenantId": desk.tenant})
    assert template is not None
    rows.insert_one(template | body | {"_id": ObjectId()})


def a_record_changed_meanwhile(desk: Desk) -> None:
    """Its row is decided anew."""
    old = desk.new(CARRIERS, desk.sample("Carrier") | {"refName": _fresh()})
    opened = desk.session(CARRIERS, "refName,name,mode", f"{old['refName']},{desk.mark} new,SEA")
    newer = {"version": 7}
    desk.commands.before("update", "carriers", lambda: desk.behind("carriers", {"_id": _id(old)}, newer))
    done = desk.ask(f"POST {CARRIERS}/csv/session/{opened['sessionId']}/commit")
    assert done["updated"] == 1, done


def a_direct_import(desk: Desk) -> None:
    """A new row, and one whose record is changed meanwhile."""
    old = desk.new(CARRIERS, desk.sample("Carrier") | {"refName": _fresh()})
    rows = (f"{_fresh()},{desk.mark},AIR", f"{old['refName']},{desk.mark} direct,SEA")
    newer = {"version": 7}
    desk.commands.before("update", "carriers", lambda: desk.behind("carriers", {"_id": _id(old)}, newer))
    text = "\r\n".join(("refName,name,mode", *rows, "")).encode()
    path = f"{CARRIERS}/csv?requestedColumns=refName,name,mode&skipHeaderRow=true"
    desk.ask(f"POST {path}", files={"file": ("rows.csv", text, "text/csv")})
    assert desk.ask(f"GET {CARRIERS}/id/{old['id']}")["name"] == f"{desk.mark} direct"
    shipment = desk.new(SHIPMENTS, desk.sample("Shipment"))  # has a hidden field, which is kept
    text = f"refName,notes\r\n{shipment['refName']},{desk.mark} direct\r\n".encode()
    path = f"{SHIPMENTS}/csv?requestedColumns=refName,notes&skipHeaderRow=true"
    desk.ask(f"POST {path}", files={"file": ("rows.csv", text, "text/csv")})
    assert desk.ask(f"GET {SHIPMENTS}/id/{shipment['id']}")["notes"] == f"{desk.mark} direct"


def references_by_name(desk: Desk) -> None:
    """Found, or told with the nearest name."""
    country = desk.world.read(
        "Country", {"id": desk.world.ref("Country", desk.caller)["entityId"]}, desk.caller
    )
    columns, name = "refName,icao,name,country.entityRefName", _fresh()
    rows = f"{name},{name},{desk.mark},{country['refName']}", f"X{name},X{name},{desk.mark},NO-SUCH"
    assert desk.session(AIRPORTS, columns, *rows)["errorRows"] == 1


def a_look_up(desk: Desk) -> None:
    lookup = Lookup("carriers", "refName", "id")
    found = desk.work(lambda call: StoreLookups(call).find(lookup, ["R-1"]))
    assert set(found) <= {"R-1"}
    desk.work(lambda call: StoreLookups(call).list_values(lookup))


def pages_behind_a_cursor(desk: Desk) -> None:
    cursor = ""
    for _page in range(3):
        page = desk.ask(f"GET {SHIPMENTS}/list?limit=5&sort=status,-departsAt&count=exact{cursor}")
        cursor = f"&cursor={page['nextCursor']}"


def records_in_place_of_references(desk: Desk) -> None:
    order = desk.new(ORDERS, desk.sample("Order"))
    paths = "customer,items.product,shipments.origin.country"
    single = desk.ask(f"GET {ORDERS}/id/{order['id']}?expand={paths}")
    (row,) = desk.ask(f"GET {ORDERS}/list?filter=id:{order['id']}&expand={paths}")["rows"]
    assert row["customer"] == single["customer"] != order["customer"]
    assert row["items"][0]["product"]["dataDomain"]["tenantId"] == desk.tenant


def a_plan_explained(desk: Desk) -> None:
    kind = CATALOG["Order"]

    async def explain(call: Call) -> QueryPlan:
        plan = plan_query(call, kind, "version:1 && expand(customer, name:~)")
        return await explain_plan(call, plan, FindBody(sort="-placedAt"))

    plan = desk.work(explain)
    assert plan.index is not None
    assert plan.cost.matched == desk.ask(f"GET {ORDERS}/count?filter=version:1")["count"]


def counts_and_references(desk: Desk) -> None:
    number = desk.ask(f"GET {CARRIERS}/count")["count"]
    assert len(desk.ask(f"GET {CARRIERS}/entityref?limit=1000")) == number


def the_states_of_a_record(desk: Desk) -> None:
    made = desk.new(SHIPMENTS, desk.sample("Shipment"))
    assert desk.ask(f"GET {SHIPMENTS}/id/{made['id']}/transitions")["status"]["next"]


def edges_of_records(desk: Desk) -> None:
    """Stated, inferred, asked for in every way, and gone."""
    desk.world.documents["ontologyLocks"].delete_many({"dataDomain.tenantId": desk.tenant})
    outer = desk.new(REGIONS, {"name": "Outer"})
    inner = desk.new(REGIONS, {"name": "Inner", "partOf": {"entityId": outer["id"]}})
    port = desk.new(PORTS, desk.sample("Port") | {"region": {"entityId": inner["id"]}})
    edges = desk.ask(f"GET {PORTS}/id/{port['id']}/ontology?direction=out")["rows"]
    assert [edge["destination"]["id"] for edge in edges] in permuted(inner["id"], outer["id"])
    for question in (
        f"ontology?constraints=liesIn:{outer['id']}",
        f"list?filter=hasEdge(liesIn, {outer['id']})",
    ):
        assert [row["id"] for row in desk.ask(f"GET {PORTS}/{question}")["rows"]] == [port["id"]]
    with _user_who_sees_not_all(desk, "port", "VIEW"):
        for region in (inner, outer):  # one edge is stated, the other follows from it
            found = desk.ask(f"GET {PORTS}/list?filter=hasEdge(liesIn, {region['id']})")
            assert [row["id"] for row in found["rows"]] == [port["id"]]
    desk.patch(f"{PORTS}/id/{port['id']}", {"region": {"entityId": outer["id"]}})  # stated now
    desk.ask(f"DELETE {PORTS}/id/{port['id']}", 204)
    assert desk.ask(f"GET {PORTS}/ontology?constraints=liesIn:{outer['id']}")["rows"] == []


def permuted(one: str, other: str) -> list[list[str]]:
    return [[one, other], [other, one]]


def many_at_once(desk: Desk) -> None:
    for is_atomic in (True, False):
        saves = [{"op": "save", "record": desk.sample("Carrier")} for _each in range(3)]
        done = desk.ask(f"POST {CARRIERS}/bulk", json={"operations": saves, "atomic": is_atomic})
        assert done["saved"] == 3, done


def users_of_the_tenant(desk: Desk) -> None:
    name = f"{_fresh()}@{desk.tenant}.example"
    path, body = f"/security/users/userId/{name}", {"userId": name, "password": PASSWORD, "roles": ["user"]}
    desk.new("/security/users", body)
    assert desk.ask(f"GET {path}")["userId"] == name
    assert any(one["userId"] == name for one in desk.ask("GET /security/users?limit=1000")["rows"])
    desk.ask(f"PUT {path}/disabled", 204, json={"disabled": True})
    desk.ask(f"DELETE {path}", 204)


def a_webhook_that_is_notified(desk: Desk) -> None:
    """What is stored with a write is of the tenant; nobody sends it here."""
    hook = desk.new(f"{WEBHOOKS}/create", {"recordTypes": ["Carrier"], "address": "https://hooks.example/"})
    path = f"{WEBHOOKS}/id/{hook['id']}"
    stored = desk.world.documents["webhookDeliveries"]
    made = desk.new(CARRIERS, desk.world.sample("Carrier", desk.caller) | {"name": desk.mark})
    found = stored.find_one({"recordId": made["id"]})
    assert found is not None
    assert (found["webhookId"], found["dataDomain"]["tenantId"]) == (hook["id"], desk.tenant)
    assert stored.count_documents({"webhookId": hook["id"]}) == 1
    desk.ask(f"POST {path}/test", 202)
    assert desk.ask(f"GET {path}/deliveries") == {"rows": [], "waiting": 2}
    assert desk.ask(f"POST {path}/rotate-secret", json={})["secret"] != hook["secret"]
    desk.ask(f"POST {path}/resume")
    desk.ask(f"DELETE {path}", 204)
    assert stored.count_documents({"webhookId": hook["id"]}) == 0


def a_refusal_explained(desk: Desk) -> None:
    refused = desk.world.ask("GET /security/users", f"{desk.tenant}-clerk").json()
    desk.ask(f"GET /security/permission/decision/{refused['decisionId']}")


def an_export(desk: Desk) -> None:
    desk.ask(f"GET {CARRIERS}/csv?requestedColumns=refName,dataDomain.tenantId&length=-1")


def planting_seeds(desk: Desk) -> None:
    desk.work(plant)
    assert not any(desk.work(plant).values())


def looking_after_references(desk: Desk) -> None:
    """What an operator asks for, of one tenant."""

    async def examined(call: Call) -> int:
        scope = Scope(call.service, call.database, desk.tenant)
        await examine(scope, repair=True, tell=lambda _done: None)
        return await count_records_in_scope(scope)

    assert desk.work(examined) > 0


def an_assistant(desk: Desk) -> None:
    """It reads, counts, writes and looks around by tools and resources."""

    def use(tool: str, **arguments: Any) -> Any:
        call = {"name": tool, "arguments": {"rootType": "Carrier", **arguments}}
        return desk.ask("POST /mcp", **build_message("tools/call", call))["result"]["structuredContent"]

    saved = use("query_save", entity=desk.sample("Carrier") | {"name": desk.mark})
    (found,) = use("query_find", query=f"id:{saved['id']}")["rows"]
    assert found["name"] == desk.mark
    page = use("query_find", limit=2)
    assert len(use("query_find", limit=2, cursor=page["nextCursor"])["rows"]) == 2
    groups = use("query_aggregate", groupBy=["dataDomain.tenantId"], measures={"number": "count"})["rows"]
    assert [group["dataDomain.tenantId"] for group in groups] == [desk.tenant]
    assert use("query_count")["count"] == groups[0]["number"]
    assert use("query_export", columns=["name"], limit=20)["csv"]
    for uri in (
        "service://schema",
        "service://schema/Carrier",
        "service://query-hints",
        "service://permission-hints",
    ):
        assert desk.ask("POST /mcp", **build_message("resources/read", {"uri": uri}))["result"]["contents"]
    one = {"query": f"id:{saved['id']}"}
    assert use("query_deleteMany", **one, dryRun=True)["matched"] == 1
    assert use("query_deleteMany", **one, confirm=1)["deleted"] == 1


ERRANDS: tuple[Callable[[Desk], None], ...] = (
    actions_by_the_record, a_record_that_is_referred_to, a_target_renamed_meanwhile, a_referrer_changed_meanwhile,
    the_history_of_a_record, one_key_again_and_again, a_key_that_another_took_over, too_many_at_once,
    a_question_about_a_record, acting_as_somebody, an_import, a_record_taken_meanwhile, a_record_changed_meanwhile,
    a_direct_import, edges_of_records, pages_behind_a_cursor, counts_and_references, the_states_of_a_record, many_at_once, users_of_the_tenant,
    a_webhook_that_is_notified,
    records_in_place_of_references, a_plan_explained, a_refusal_explained, references_by_name, a_look_up, an_export, an_assistant, planting_seeds, looking_after_references,
)  # fmt: skip
