"""Calls with the rights of a webhook's owner, who may change a webhook, and pauses by the service."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from bson import ObjectId
from structlog.typing import EventDict

from runtime.call import Call
from runtime.errors import Denied, StoreUnavailable
from runtime.identity.realms.realms import Realm
from runtime.outbox.active import find_active
from runtime.outbox.owners import open_owners_call, require_covered
from runtime.outbox.pausing import pause
from runtime.outbox.queue import Queue
from runtime.outbox.recording import Outbox
from runtime.principal import Principal
from tests.http.world import Document, World
from tests.log_lines import capture_logs
from tests.narrowing import narrow_token
from tests.outbox.hooks import PATCH_TYPE, WEBHOOKS, await_value, make_hook, patch
from tests.outbox.receiver import Receiver

OWNER = "user@acme.example"
ELSEWHERE = "elsewhere"

Change = Callable[[Document], None]


@pytest.fixture
def webhook(world: World, receiver: Receiver) -> Document:
    """The stored webhook of a user of acme."""
    return find_stored(world, make_hook(world, receiver.address, "acme-user"))


@pytest.fixture
def change_owner(world: World) -> Iterator[Change]:
    """Changes the credential of that user, which is as before after the test."""
    credentials = world.documents["credentials"]
    before = credentials.find_one({"userId": OWNER})
    assert before is not None

    def change(values: Document) -> None:
        credentials.update_one({"userId": OWNER}, {"$set": values})

    yield change
    credentials.replace_one({"userId": OWNER}, before)


@pytest.fixture
def forgotten(monkeypatch: pytest.MonkeyPatch) -> list[tuple[object, ...]]:
    """The arguments of each call by which this process reads its webhooks again."""
    calls, forget = list[tuple[object, ...]](), Outbox.forget

    def note(outbox: Outbox, *given: Any) -> None:
        calls.append(given)
        forget(outbox, *given)

    monkeypatch.setattr(Outbox, "forget", note)
    return calls


def find_stored(world: World, hook: Document) -> Document:
    found = world.documents["webhooks"].find_one({"_id": ObjectId(hook["id"])})
    assert found is not None
    return found


def find_lines(lines: list[EventDict], webhook_id: object) -> list[EventDict]:
    return [line for line in lines if line.get("webhook") == str(webhook_id)]


def run(world: World, work: Callable[..., Awaitable[Any]], *given: Any) -> Any:
    assert world.client.portal is not None
    return world.client.portal.call(work, *given)


def open_call(world: World, webhook: Document, realm: str) -> Call | None:
    call: Call | None = run(world, open_owners_call, world.app.state.service, webhook, realm, world.realm)
    return call


def test_a_call_of_the_owner_is_of_today(world: World, webhook: Document) -> None:
    call = open_call(world, webhook, world.realm)
    assert call is not None
    principal = call.principal
    expected = Principal(OWNER, webhook["ownerSubject"], frozenset({"user"}), principal.domain)
    assert (principal, principal.domain.tenant_id, call.realm) == (expected, "acme", world.realm)
    assert call.request_id == f"webhook {webhook['_id']}"
    assert abs(call.moment.at.timestamp() - time.time()) < 600


def test_an_owner_has_the_roles_of_the_realm(world: World, webhook: Document, change_owner: Change) -> None:
    assert open_call(world, webhook, ELSEWHERE) is None
    change_owner({"realms": [ELSEWHERE], "realmRoles": {ELSEWHERE: ["auditor"]}})
    call = open_call(world, webhook, ELSEWHERE)
    assert call is not None
    assert (call.principal.roles, call.realm) == (frozenset({"auditor"}), ELSEWHERE)
    run(world, require_covered, call, webhook)  # the owner may change it with whatever roles


def test_an_owner_without_a_tenant_calls_nothing(
    world: World, webhook: Document, change_owner: Change
) -> None:
    change_owner({"domainContext.tenantId": ""})
    assert open_call(world, webhook, world.realm) is None


@pytest.mark.parametrize("member", ["ownerSubject", "ownerRealm"])
def test_a_webhook_that_names_no_owner_calls_nothing(world: World, webhook: Document, member: str) -> None:
    assert open_call(world, {**webhook, member: None}, world.realm) is None
    del webhook[member]
    assert open_call(world, webhook, world.realm) is None


def test_a_user_with_the_same_subject_elsewhere_is_not_the_owner(world: World, webhook: Document) -> None:
    call = open_call(world, webhook, world.realm)
    run(world, require_covered, call, webhook)
    with pytest.raises(Denied, match="cannot sign in"):
        run(world, require_covered, call, {**webhook, "ownerRealm": ELSEWHERE})


def test_a_narrowed_token_deletes_a_webhook(world: World, webhook: Document) -> None:
    """Nothing is sent because of that."""
    token = narrow_token(world, "acme", "integration:read integration:write")
    headers = {"Authorization": f"Bearer {token}"}
    answer = world.ask(f"DELETE {WEBHOOKS}/id/{webhook['_id']}", None, headers=headers)
    assert answer.status_code == 204, answer.text


def test_each_write_of_a_webhook_is_logged(world: World, receiver: Receiver) -> None:
    with capture_logs() as lines:
        hook = make_hook(world, receiver.address)
        path = f"{WEBHOOKS}/id/{hook['id']}"
        assert patch(world, path, {"description": "Carriers"}).status_code == 200
        assert world.ask(f"DELETE {path}").status_code == 204
    found = find_lines(lines, hook["id"])
    assert [line["event"] for line in found] == ["webhook.created", "webhook.changed", "webhook.removed"]
    assert {(line["realm"], line["by"]) for line in found} == {(world.realm, "admin@acme.example")}


def test_each_write_of_a_webhook_is_known_to_this_process_at_once(
    world: World, receiver: Receiver, forgotten: list[tuple[object, ...]]
) -> None:
    path = f"{WEBHOOKS}/id/{make_hook(world, receiver.address)['id']}"
    assert forgotten.count((world.realm,)) == 1
    for request, body in ((f"PATCH {path}", {"active": False}), (f"DELETE {path}", None)):
        before = forgotten.count((world.realm,))
        answer = world.ask(request, json=body, headers=PATCH_TYPE) if body else world.ask(request)
        assert answer.is_success, answer.text
        assert forgotten.count((world.realm,)) == before + 1, request


def test_a_deleted_webhook_takes_its_own_deliveries_with_it(world: World, receiver: Receiver) -> None:
    receiver.answer = lambda _one: (500, {})
    gone, remaining = (make_hook(world, f"{receiver.address}/{name}") for name in ("gone", "remaining"))
    world.make("Carrier")
    rows = world.documents["webhookDeliveries"]
    assert world.ask(f"DELETE {WEBHOOKS}/id/{gone['id']}").status_code == 204
    await_value(lambda: rows.count_documents({"webhookId": gone["id"]}) == 0)
    assert rows.count_documents({"webhookId": remaining["id"]}) == 1


@pytest.mark.parametrize("active", [True, False], ids=["on", "off"])
def test_a_change_that_does_not_switch_a_webhook_on_sends_nothing_sooner(
    world: World, receiver: Receiver, active: bool
) -> None:
    receiver.answer = lambda _one: (503, {"Retry-After": "3600"})
    hook, rows = make_hook(world, receiver.address), world.documents["webhookDeliveries"]
    world.make("Carrier")
    await_value(lambda: rows.find_one({"attempts": 1, "holder": ""}))
    path = f"{WEBHOOKS}/id/{hook['id']}"
    assert patch(world, path, {"active": active}).status_code == 200
    before = rows.find_one({})
    assert patch(world, path, {"description": "Carriers"}).status_code == 200
    assert rows.find_one({}) == before
    assert len(receiver.came) == 1


def test_a_pause_is_stored_and_logged(world: World, receiver: Receiver) -> None:
    other, webhook = (find_stored(world, make_hook(world, receiver.address)) for _ in range(2))
    with capture_logs() as lines:
        run(world, pause, world.app.state.service.store, world.realm, webhook, "GONE")
    paused = find_stored(world, {"id": webhook["_id"]})
    assert (paused["pausedReason"], paused["version"]) == ("GONE", webhook["version"] + 1)
    assert find_stored(world, {"id": other["_id"]}) == other
    assert paused["pausedDate"] >= webhook["auditInfo"]["createdDate"]
    line = {"event": "webhook.paused", "webhook": str(webhook["_id"]), "reason": "GONE"}
    assert find_lines(lines, webhook["_id"]) == [{**line, "database": world.realm, "log_level": "warning"}]


def test_a_webhook_that_was_changed_since_is_not_paused(world: World, webhook: Document) -> None:
    """What was wrong with it may be right by that."""
    assert patch(world, f"{WEBHOOKS}/id/{webhook['_id']}", {"description": "Carriers"}).status_code == 200
    with capture_logs() as lines:
        run(world, pause, world.app.state.service.store, world.realm, webhook, "FILTER")
    assert "pausedReason" not in find_stored(world, {"id": webhook["_id"]})
    assert find_lines(lines, webhook["_id"]) == []


def test_a_pause_that_cannot_be_stored_raises_nothing(
    world: World, webhook: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_parts: object) -> None:
        raise StoreUnavailable("the store is out of reach")

    store = world.app.state.service.store
    monkeypatch.setattr(store, "update_one", fail)
    with capture_logs() as lines:
        run(world, pause, store, world.realm, webhook, "GONE")
    assert find_lines(lines, webhook["_id"]) == []


def find_due_webhooks(world: World) -> Any:
    """Find the webhooks for which something can be sent, as a worker does that looks at all that waits."""
    service, rows = world.app.state.service, list(world.documents["webhookDeliveries"].find())
    queue, realm = Queue(service.store, timedelta(seconds=1)), Realm(world.realm, world.realm)
    return run(world, find_active, service, service.outbox, queue, realm, rows)


def test_what_waits_for_a_webhook_that_is_gone_is_removed(world: World, receiver: Receiver) -> None:
    """The process that deleted it died before it deleted the deliveries."""
    receiver.answer = lambda _one: (503, {"Retry-After": "3600"})
    gone, remaining = (make_hook(world, receiver.address) for _ in range(2))
    world.make("Carrier")
    rows = world.documents["webhookDeliveries"]
    await_value(lambda: rows.count_documents({"attempts": 1, "holder": ""}) == 2)
    world.documents["webhooks"].delete_one({"_id": ObjectId(gone["id"])})
    world.app.state.service.outbox.forget()
    assert find_due_webhooks(world).keys() == {remaining["id"]}
    assert [row["webhookId"] for row in rows.find()] == [remaining["id"]]


def test_a_pause_for_its_owner_is_known_to_this_process_at_once(
    world: World,
    receiver: Receiver,
    webhook: Document,
    change_owner: Change,
    forgotten: list[tuple[object, ...]],
) -> None:
    """The change stream reports it to all the others."""
    receiver.answer = lambda _one: (503, {"Retry-After": "3600"})
    world.make("Carrier")
    rows = world.documents["webhookDeliveries"]
    await_value(lambda: rows.find_one({"attempts": 1, "holder": ""}))
    change_owner({"domainContext.tenantId": ""})
    before = forgotten.count((world.realm,))
    assert find_due_webhooks(world) == {}
    assert find_stored(world, {"id": webhook["_id"]})["pausedReason"] == "OWNER"
    assert forgotten.count((world.realm,)) == before + 1
