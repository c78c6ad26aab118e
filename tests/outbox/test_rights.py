"""What a webhook tells is what its owner may view when it is sent; who may change it has all the owner's rights."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest
from bson import ObjectId

from runtime.backup.erasing import erase_tenant
from runtime.backup.parts import Place
from runtime.identity.users.users import NewUser
from tests.http.world import NOWHERE, PASSWORD, Document, World
from tests.narrowing import narrow_token
from tests.outbox.hooks import CARRIERS, WEBHOOKS, await_value, deliveries, is_put_off, make_hook, patch
from tests.outbox.receiver import Receiver
from tests.profiling import most_examined, profiled

RULES = "/security/permission/rules"


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def settle(world: World, receiver: Receiver, caller: str = "acme") -> None:
    """Wait until all that was stored before is sent or dropped: a webhook for shipments says so."""
    waits = {"status": "WAITING", "attempts": 0, "isBlocked": False, "type": {"$regex": "^carrier"}}
    await_value(lambda: world.documents["webhookDeliveries"].count_documents(waits) == 0)


@pytest.fixture
def rule(world: World) -> Any:
    """Stores rules of acme, which are gone after the test."""
    made = list[str]()

    def store(**fields: Any) -> str:
        answer = world.ask(
            f"POST {RULES}", json={"name": "A rule", "effect": "DENY", "priority": 500, **fields}
        )
        assert answer.status_code == 201, answer.text
        made.append(answer.json()["id"])
        return made[-1]

    yield store
    for record_id in made:
        world.ask(f"DELETE {RULES}/id/{record_id}")


def about(user: str = "user@acme.example", **header: str) -> Document:
    header = {"area": "logistics", "functionalDomain": "carrier", "action": "VIEW", **header}
    return {"securityURI": {"header": {"identity": f"user:{user}", **header}}}


def test_other_tenants_and_organisations_are_never_told(world: World, receiver: Receiver) -> None:
    for caller in ("acme-north", "globex", "system"):
        make_hook(world, f"{receiver.address}/{caller}", caller)
    expected: dict[str, set[str]] = {"/acme-north": set(), "/globex": set(), "/system": set()}
    for caller in ("acme", "acme-north", "acme-south", "globex"):
        made = world.make("Carrier", caller)["id"]
        if f"/{caller}" in expected:
            expected[f"/{caller}"].add(made)
    settle(world, receiver)
    time.sleep(0.3)
    told = {path: {one.said["data"]["id"] for one in receiver.at(path)} for path in expected}
    assert told == expected


def test_a_record_that_moves_away_is_not_told_of(world: World, receiver: Receiver) -> None:
    make_hook(world, receiver.address, "acme-north")
    made = world.make("Carrier", "acme-north")
    receiver.await_all(1)
    moved = patch(world, f"{CARRIERS}/id/{made['id']}", {"dataDomain": {"orgRefName": "south"}}, "acme")
    assert moved.status_code == 200, moved.text
    patch(world, f"{CARRIERS}/id/{made['id']}", {"name": "Of the south"}, "acme")
    settle(world, receiver)
    time.sleep(0.2)
    assert len(receiver.came) == 1
    assert "Of the south" not in str(receiver.came)


def test_fields_that_rules_hide_from_the_owner_do_not_leave(
    world: World, receiver: Receiver, rule: Callable[..., str]
) -> None:
    make_hook(world, receiver.address, "acme-user")
    world.make("Carrier", name="Seen before")
    (first,) = receiver.await_all(1)
    assert first.said["data"]["record"]["name"] == "Seen before"
    rule(**about(), effect="ALLOW", hiddenFields=["name"])
    world.make("Carrier", name="Hidden name")
    second = receiver.await_all(2)[1]
    assert "name" not in second.said["data"]["record"]
    assert b"Hidden name" not in second.body


def test_a_filter_by_a_field_that_was_hidden_since_tells_nothing(
    world: World, receiver: Receiver, rule: Callable[..., str]
) -> None:
    hook = make_hook(world, receiver.address, "acme-user", filter="name:Guessed*")
    rule(**about(), effect="ALLOW", hiddenFields=["name"])
    world.make("Carrier", name="Guessed right")
    paused = await_value(lambda: world.ask(f"GET {WEBHOOKS}/id/{hook['id']}").json(), "pausedReason")
    assert paused["pausedReason"] == "FILTER"
    assert receiver.came == []
    body = {"recordTypes": ["Carrier"], "address": receiver.address, "filter": "name:Guessed*"}
    for request, sent in (
        (f"POST {WEBHOOKS}/create", body),
        (f"POST {WEBHOOKS}/id/{hook['id']}/resume", None),
    ):
        answer = world.ask(request, "acme-user", json=sent)
        assert (answer.status_code, answer.json()["violations"][0]["path"]) == (422, "filter"), answer.text
    assert world.ask(f"GET {WEBHOOKS}/id/{hook['id']}").json()["pausedReason"] == "FILTER"


@pytest.mark.parametrize(("member", "value"), [("filter", "mode:AIR"), ("active", False)])
def test_a_member_that_is_withheld_from_the_creator_is_refused(
    world: World, receiver: Receiver, rule: Callable[..., str], member: str, value: object
) -> None:
    """Without it the webhook would be notified of more."""
    subject = {"area": "integration", "functionalDomain": "webhook", "action": "CREATE"}
    rule(**about(**subject), effect="ALLOW", hiddenFields=[member, "events"])
    before = world.documents["webhooks"].count_documents({})
    body = {"recordTypes": ["Carrier"], "address": receiver.address}
    answer = world.ask(f"POST {WEBHOOKS}/create", "acme-user", json=body | {member: value})
    assert (answer.status_code, answer.json()["code"]) == (400, "request.unknown_member"), answer.text
    assert answer.json()["member"] == member
    assert world.documents["webhooks"].count_documents({}) == before
    answer = world.ask(f"POST {WEBHOOKS}/create", "acme-user", json=body | {"events": ["deleted"]})
    assert answer.status_code == 201, answer.text
    found = world.documents["webhooks"].find_one({"refName": answer.json()["refName"]})
    assert found is not None
    assert found["events"] == ["deleted"]


def test_a_stored_filter_that_does_not_fit_is_in_the_way_of_no_other_change(
    world: World, receiver: Receiver
) -> None:
    hook = make_hook(world, receiver.address)
    path = f"{WEBHOOKS}/id/{hook['id']}"
    misfit = {"filter": "name:${nobody}"}
    world.documents["webhooks"].update_one({"refName": hook["refName"]}, {"$set": misfit})
    for changes, status in (
        ({"displayName": "Carriers"}, 200),
        ({"filter": "name:${nowhere}"}, 422),
        ({"active": False, "filter": "name:${nowhere}"}, 422),
        ({"active": False}, 200),
        ({"displayName": "Carriers again"}, 200),
        ({"active": True}, 422),
        (None, 422),
        ({"active": None}, 200),
        (None, 422),
        ({"filter": "name:x"}, 200),
        (None, 200),
    ):
        answer = patch(world, path, changes) if changes else world.ask(f"POST {path}/resume")
        assert answer.status_code == status, answer.text


def test_what_waits_is_judged_by_the_rights_of_the_moment_it_is_sent(
    world: World, receiver: Receiver, rule: Callable[..., str]
) -> None:
    receiver.answer = lambda _one: (500, {})
    make_hook(world, receiver.address, "acme-user")
    world.make("Carrier")
    receiver.await_all(1)
    rule(**about())
    receiver.answer = lambda _one: (204, {})
    await_value(lambda: world.documents["webhookDeliveries"].count_documents({}) == 0)
    number = len(receiver.came)
    world.make("Carrier")
    settle(world, receiver)
    time.sleep(0.2)
    assert len(receiver.came) == number
    assert world.documents["webhookDeliveries"].count_documents({}) == 0


@pytest.mark.parametrize("is_withheld", [False, True])
def test_what_an_earlier_version_has_stored_is_told_as_it_is_declared_now(
    world: World,
    receiver: Receiver,
    rule: Callable[..., str],
    monkeypatch: pytest.MonkeyPatch,
    is_withheld: bool,
) -> None:
    """A field was renamed and another one removed while a delivery waited: rules name the fields of today."""
    catalog = world.app.state.service.catalog
    renamed = replace(catalog["Carrier"], renamed={"name": "title"})
    receiver.answer = lambda _one: (500, {})
    make_hook(world, receiver.address, "acme-user")
    made = world.make("Carrier", name="Named")
    receiver.await_all(1)
    rows = world.documents["webhookDeliveries"]
    change = {"$rename": {"document.name": "document.title"}, "$set": {"document.former": "Removed"}}
    await_value(lambda: rows.update_one({"attempts": {"$gt": 0}, "holder": ""}, change).modified_count)
    monkeypatch.setitem(catalog._by_name, "Carrier", renamed)
    monkeypatch.setitem(catalog._by_title, "Carrier", renamed)
    if is_withheld:
        rule(**about(), effect="ALLOW", hiddenFields=["name"])
        own = f"GET /logistics/carriers/id/{made['id']}"
        await_value(lambda: "name" not in world.ask(own, "acme-user").json())  # the change of rules is known
    receiver.answer = lambda _one: (204, {})
    await_value(lambda: rows.count_documents({"status": "DELIVERED"}))
    record = receiver.came[-1].said["data"]["record"]
    assert {name: record.get(name) for name in ("name", "title", "former")} == {
        "name": None if is_withheld else "Named",
        "title": None,
        "former": None,
    }
    assert ("Named" in str(receiver.came[-1].body)) is not is_withheld


def test_numbers_of_an_earlier_version_are_sent_as_decimals(world: World, receiver: Receiver) -> None:
    """The fields were integers and numbers while a delivery waited."""
    receiver.answer = lambda _one: (500, {})
    make_hook(world, receiver.address, recordTypes=["Order"])
    product = world.make("Product")
    item = {"product": {"entityId": product["id"]}, "quantity": 3, "price": "12.90"}
    world.make("Order", items=[item, item])
    receiver.await_all(1)
    rows = world.documents["webhookDeliveries"]
    change = {"$set": {"document.items.0.price": 12, "document.items.1.price": 12.5}}
    await_value(lambda: rows.update_one({"attempts": {"$gt": 0}, "holder": ""}, change).modified_count)
    receiver.answer = lambda _one: (204, {})
    await_value(lambda: rows.count_documents({"status": "DELIVERED"}))
    items = receiver.came[-1].said["data"]["record"]["items"]
    assert [(one["price"], one["quantity"]) for one in items] == [("12", 3), ("12.5", 3)]


def test_records_that_rules_withhold_are_not_told_of_nor_listed(
    world: World, receiver: Receiver, rule: Callable[..., str]
) -> None:
    hook = make_hook(world, receiver.address, "acme-user")
    rule(**about(), filter="mode:SEA")
    hidden, shown = world.make("Carrier", mode="SEA"), world.make("Carrier", mode="AIR")
    receiver.await_all(1)
    settle(world, receiver)
    assert [one.said["data"]["id"] for one in receiver.came] == [shown["id"]]
    listed = deliveries(world, hook, "acme-user")
    assert hidden["id"] not in str(listed)


@pytest.mark.parametrize("query", ["?limit=3", "?limit=3&status=DELIVERED"])
def test_a_page_of_deliveries_reads_no_more_than_it_shows(
    world: World, receiver: Receiver, query: str
) -> None:
    hook, rows = make_hook(world, receiver.address), world.documents["webhookDeliveries"]
    world.make("Carrier")
    settle(world, receiver)
    delivery = await_value(lambda: rows.find_one({"status": "DELIVERED"}))
    copies = [
        {**delivery, "_id": ObjectId(), "refName": f"{at}", "occurredAt": datetime(2020, 1, 1, second=at)}
        for at in range(50)
    ]
    rows.insert_many(copies)
    with profiled(world.documents, "webhookDeliveries") as commands:
        listed = world.ask(f"GET {WEBHOOKS}/id/{hook['id']}/deliveries{query}").json()["rows"]
    assert [one["id"] for one in listed] == [str(one["_id"]) for one in (delivery, *copies[:-3:-1])]
    assert most_examined([one for one in commands if "find" in one["command"]]) <= 4


def test_an_erased_tenant_is_sent_nothing_that_waits(world: World, receiver: Receiver) -> None:
    world.sign_in("leaver", NewUser("ann@leaving.example", PASSWORD, "leaving", frozenset({"user"})))
    receiver.answer = lambda _one: (500, {})
    make_hook(world, receiver.address, "leaver")
    world.make("Carrier", "leaver")
    receiver.await_all(1)
    stored = world.documents["webhookDeliveries"].find_one({})
    service, place = world.app.state.service, Place(world.realm, world.realm, "leaving")
    assert world.client.portal is not None
    world.client.portal.call(erase_tenant, service, place, lambda _done: None)
    assert world.documents["webhookDeliveries"].count_documents({}) == 0
    make_hook(world, receiver.address)
    receiver.answer = lambda _one: (204, {})
    world.make("Carrier")
    await_value(lambda: len({one.id for one in receiver.came}) == 2)
    assert stored is not None
    left = {"dataDomain.tenantId": "leaving"}
    assert world.documents["webhookDeliveries"].count_documents(left) == 0, "its outcome is stored nowhere"
    assert [one.id for one in receiver.came[-1:]] != [f"msg_{stored['_id']}"]


@pytest.mark.parametrize("way", ["disabled", "removed"])
def test_an_owner_who_is_locked_or_removed_gets_nothing_more(
    world: World, receiver: Receiver, way: str
) -> None:
    name = f"leaving-{way}"
    world.sign_in(name, NewUser(f"{name}@acme.example", PASSWORD, "acme", frozenset({"user"})))
    hook = make_hook(world, receiver.address, name)
    receiver.answer = lambda _one: (500, {})
    world.make("Carrier")
    receiver.await_all(1)
    path = f"/security/users/userId/{name}@acme.example"
    if way == "disabled":
        answer = world.ask(f"PUT {path}/disabled", json={"disabled": True})
    else:
        answer = world.ask(f"DELETE {path}")
    assert answer.is_success, answer.text
    world.make("Carrier")
    paused = await_value(lambda: world.ask(f"GET {WEBHOOKS}/id/{hook['id']}").json(), "pausedReason")
    assert paused["pausedReason"] == "OWNER"
    await_value(lambda: is_put_off(world))
    assert len({one.id for one in receiver.came}) == 1, "the write after that is not sent"
    assert world.documents["webhookDeliveries"].count_documents({"status": "WAITING"}) >= 1
    for request in (f"POST {WEBHOOKS}/id/{hook['id']}/resume", f"POST {WEBHOOKS}/id/{hook['id']}/test"):
        assert world.ask(request).status_code == 403
    assert (
        patch(world, f"{WEBHOOKS}/id/{hook['id']}", {"address": f"{receiver.address}/mine"}).status_code
        == 403
    )
    assert world.ask(f"DELETE {WEBHOOKS}/id/{hook['id']}").status_code == 204


def test_who_has_fewer_rights_than_the_owner_cannot_change_the_webhook(
    world: World, receiver: Receiver
) -> None:
    hook = make_hook(world, receiver.address, "acme")
    other = f"{WEBHOOKS}/id/{hook['id']}"
    stolen = {"address": f"{receiver.address}/stolen"}
    for request, body in (
        (f"POST {other}/rotate-secret", {}), (f"POST {other}/test", None), (f"POST {other}/resume", None),
        (f"GET {other}/deliveries", None), (f"POST {other}/deliveries/{NOWHERE}/resend", None),
    ):  # fmt: skip
        answer = world.ask(request, "acme-user", **({"json": body} if body is not None else {}))
        assert answer.status_code == 403, request
        assert "whsec_" not in answer.text
    for changes in (
        stolen,
        {"recordTypes": ["Customer"]},
        {"filter": "name:x"},
        {"active": False},
        {"description": "x"},
    ):
        assert patch(world, other, changes, "acme-user").status_code == 403, changes
    for caller in ("globex", "acme-north"):
        assert patch(world, other, stolen, caller).status_code == 404
        assert world.ask(f"POST {other}/rotate-secret", caller, json={}).status_code == 404
        assert world.ask(f"GET {other}/deliveries", caller).status_code == 404
    world.make("Carrier")
    assert [one.path for one in receiver.await_all(1)] == ["/"]


def test_an_administrator_who_changes_a_webhook_lends_it_nothing(world: World, receiver: Receiver) -> None:
    """Somebody with fewer rights names the address, and waits for an administrator to correct a word."""
    hook = make_hook(world, receiver.address, "acme-north")
    assert patch(world, f"{WEBHOOKS}/id/{hook['id']}", {"description": "Corrected"}).status_code == 200
    world.make("Carrier", "acme-south")
    own = world.make("Carrier", "acme-north")["id"]
    receiver.await_all(1)
    time.sleep(0.2)
    assert [one.said["data"]["id"] for one in receiver.came] == [own]
    assert world.ask(f"GET {WEBHOOKS}/id/{hook['id']}").json()["ownerUserId"] == "north@acme.example"


@pytest.mark.parametrize(
    "scope", ["records:read records:write", "integration:write", "integration:read integration:write"]
)
def test_a_narrowed_token_owns_and_changes_no_webhook(world: World, receiver: Receiver, scope: str) -> None:
    headers = bearer(narrow_token(world, "acme", scope))
    body = {"recordTypes": ["Carrier"], "address": receiver.address}
    assert world.ask(f"POST {WEBHOOKS}/create", None, headers=headers, json=body).status_code == 403
    hook = make_hook(world, receiver.address)
    merge = headers | {"Content-Type": "application/merge-patch+json"}
    path = f"{WEBHOOKS}/id/{hook['id']}"
    assert (
        world.ask(f"PATCH {path}", None, headers=merge, json={"address": f"{receiver.address}/x"}).status_code
        == 403
    )
    for word in ("rotate-secret", "resume", "test"):
        options = {"json": {}} if word == "rotate-secret" else {}
        assert world.ask(f"POST {path}/{word}", None, headers=headers, **options).status_code == 403
    assert world.ask(f"GET {path}").json()["address"] == receiver.address


def test_acting_as_another_neither_creates_nor_changes_a_webhook(world: World, receiver: Receiver) -> None:
    world.sign_in("hook-actor", NewUser("hook-actor@acme.example", PASSWORD, "acme", frozenset({"user"})))
    grant = {
        "impersonationEnabled": True,
        "impersonateFilterScript": "userId:user@*",
        "impersonationGranter": {"operator": True},
    }
    world.documents["credentials"].update_one({"userId": "hook-actor@acme.example"}, {"$set": grant})
    acting = {"X-Impersonate-UserId": "user@acme.example"}
    assert world.ask(f"GET {CARRIERS}/list", "hook-actor", headers=acting).status_code == 200
    body = {"recordTypes": ["Carrier"], "address": receiver.address}
    answer = world.ask(f"POST {WEBHOOKS}/create", "hook-actor", headers=acting, json=body)
    assert answer.status_code == 403, answer.text
    hook = make_hook(world, receiver.address, "acme-user")
    merge = acting | {"Content-Type": "application/merge-patch+json"}
    answer = world.ask(
        f"PATCH {WEBHOOKS}/id/{hook['id']}",
        "hook-actor",
        headers=merge,
        json={"address": f"{receiver.address}/x"},
    )
    assert answer.status_code == 403, answer.text


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"recordTypes": ["Nothing"]}, 422),
        ({"recordTypes": ["Credential"]}, 422),
        ({"recordTypes": ["PermissionRule"]}, 422),
        ({"recordTypes": ["OauthClient"]}, 422),
        ({"recordTypes": ["WebhookDelivery"]}, 422),
        ({"recordTypes": ["security.Carrier"]}, 422),
        ({"recordTypes": []}, 422),
        ({"events": ["read"]}, 422),
        ({"events": []}, 422),
        ({"filter": "nmae:x"}, 422),
        ({"filter": "name:"}, 422),
        ({"filter": "customer{name:x}"}, 422),
        ({"filter": "text(x)"}, 422),
        ({"filter": "name:x || text(x)"}, 422),
        ({"filter": "dataDomain.ownerId:${principalID}"}, 422),
        ({"filter": 'name:"x"}}, {"$where": "1"}'}, 422),
        ({"address": "file:///etc/passwd"}, 422),
        ({"address": "https://user:pw@app.example/"}, 422),
        ({"secret": "whsec_AAAA"}, 400),
        ({"ownerSubject": "somebody"}, 400),
        ({"dataDomain": {"tenantId": "globex"}}, 400),
    ],
    ids=str,
)
def test_what_no_webhook_can_be(world: World, receiver: Receiver, fields: Document, status: int) -> None:
    body = {"recordTypes": ["Carrier"], "address": receiver.address, **fields}
    answer = world.ask(f"POST {WEBHOOKS}/create", json=body)
    assert answer.status_code == status, answer.text
    assert world.documents["webhooks"].count_documents({}) == 0


def test_a_creation_with_a_key_takes_effect_once_and_its_secret_is_not_stored(
    world: World, receiver: Receiver
) -> None:
    def send(**fields: Any) -> Any:
        body = {"recordTypes": ["Carrier"], "address": receiver.address, **fields}
        return world.ask(f"POST {WEBHOOKS}/create", json=body, headers={"Idempotency-Key": "create-once"})

    first, again, other = send(), send(), send(address=f"{receiver.address}/x")
    assert first.status_code == 201, first.text
    assert (again.status_code, again.json()["code"]) == (409, "idempotency.no_answer")
    assert "secret" in again.json()["detail"]
    assert (other.status_code, other.json()["code"]) == (422, "idempotency.mismatch")
    assert world.documents["webhooks"].count_documents({}) == 1
    secret = first.json()["secret"]
    assert secret not in again.text
    assert secret not in str(list(world.documents["idempotencyKeys"].find()))


def test_a_rotation_with_a_key_takes_effect_once(world: World, receiver: Receiver) -> None:
    hook = make_hook(world, receiver.address)
    path, key = f"POST {WEBHOOKS}/id/{hook['id']}/rotate-secret", {"Idempotency-Key": "rotate-once"}
    first, again = (world.ask(path, json={}, headers=key) for _ in range(2))
    assert first.status_code == 200, first.text
    assert (again.status_code, again.json()["code"]) == (409, "idempotency.no_answer")
    secrets = world.documents["webhooks"].find_one({}, {"secret": 1, "previousSecret": 1, "_id": 0})
    assert secrets == {"secret": first.json()["secret"], "previousSecret": hook["secret"]}
    assert secrets["secret"] not in str(list(world.documents["idempotencyKeys"].find()))


@pytest.mark.parametrize("step", ["rotate-secret", "resume"])
@pytest.mark.parametrize("change", [{"$unset": {"version": 1}}, {"$set": {"version": None}}], ids=str)
def test_a_webhook_without_a_version_is_not_changed(
    world: World, receiver: Receiver, step: str, change: Document
) -> None:
    hook = make_hook(world, receiver.address)
    match = {"_id": ObjectId(hook["id"])}
    world.documents["webhooks"].update_one(match, change)
    before = world.documents["webhooks"].find_one(match)
    body = {"json": {}} if step == "rotate-secret" else {}
    answer = world.ask(f"POST {WEBHOOKS}/id/{hook['id']}/{step}", **body)
    assert (answer.status_code, answer.json()["code"]) == (422, "record.invalid"), answer.text
    assert "version has to be a whole number in the stored record" in answer.json()["detail"]
    assert world.documents["webhooks"].find_one(match) == before


def test_a_relation_block_is_refused_by_name(world: World, receiver: Receiver) -> None:
    body = {"recordTypes": ["Carrier"], "address": receiver.address, "filter": "home{name:x}"}
    answer = world.ask(f"POST {WEBHOOKS}/create", json=body)
    assert answer.status_code == 422
    assert "webhooks take no relation blocks" in answer.json()["detail"]


def test_other_ways_to_write_records_are_closed(world: World, receiver: Receiver) -> None:
    hook = make_hook(world, receiver.address)
    entity = {"recordTypes": ["Carrier"], "events": ["created"], "address": f"{receiver.address}/x"}
    form = {"file": ("hooks.csv", f"id,address\n{hook['id']},{receiver.address}/x\n".encode(), "text/csv")}
    for request, options in (
        (f"POST {WEBHOOKS}", {"json": entity}),
        (f"POST {WEBHOOKS}/bulk", {"json": {"operations": [{"op": "save", "record": entity}]}}),
        (f"PUT {WEBHOOKS}/bulk/set", {"json": {"ids": [hook["id"]], "values": {"secret": "x"}}}),
        (f"PUT {WEBHOOKS}/set?id={hook['id']}&pairs=secret:x", {}),
        (f"POST {WEBHOOKS}/csv?requestedColumns=id,address", {"files": form}),
        ("POST /api/query/save", {"json": {"rootType": "Webhook", "entity": entity}}),
        ("POST /api/query/save", {"json": {"rootType": "WebhookDelivery", "entity": {}}}),
    ):  # fmt: skip
        answer = world.ask(request, "system", **options)
        assert answer.status_code in (404, 405), (request, answer.text)
    assert world.documents["webhooks"].count_documents({}) == 1
    assert (
        world.ask("POST /api/query/find", "system", json={"rootType": "WebhookDelivery"}).status_code == 404
    )


def test_a_tenant_has_so_many_webhooks_and_no_more(world: World, receiver: Receiver) -> None:
    for _ in range(5):
        make_hook(world, receiver.address)
    body = {"recordTypes": ["Carrier"], "address": receiver.address}
    answer = world.ask(f"POST {WEBHOOKS}/create", json=body)
    assert answer.status_code == 422
    assert "a tenant has at most 5 webhooks; delete one, or raise" in answer.json()["detail"]
    make_hook(world, receiver.address, "globex")


def test_rules_that_take_long_are_decided_aside(
    world: World, receiver: Receiver, rule: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the webhook itself has no filter, too."""
    rule(**about(), filter="mode:SEA")
    made = list[Any]()

    async def run(decide: Callable[[], bool]) -> bool:
        made.append(decide)
        return decide()

    monkeypatch.setattr("runtime.outbox.payload.MOST_AT_ONCE", 0)
    monkeypatch.setattr("runtime.outbox.payload.run_long", run)
    make_hook(world, receiver.address, "acme-user")
    world.make("Carrier", mode="SEA")
    air = world.make("Carrier", mode="AIR")
    settle(world, receiver)
    assert [one.said["data"]["id"] for one in receiver.await_all(1)] == [air["id"]]
    assert len(made) == 2
