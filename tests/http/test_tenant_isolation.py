"""Nobody learns of another tenant's documents, or changes one: random requests of four tenants, on every route.

Each tenant has hundreds of records of each type, and in each a mark that no other tenant has. Users of one
tenant after the other ask every operation of the published document for what is their own, somebody else's, or
nobody's. Then, of every answer: no mark, id or row of others is in it, counts count own records alone, and it is
the answer to the same question about nothing, word for word, by the same commands of the store. Of every command
on records, and of the leave that it was sent with: it is bound to the tenant. Of every document of the store, after
each turn: it is as it was, or its owner's doing. ``errands`` are what random requests do not come to.
"""

from __future__ import annotations

import json
import os
import re
from base64 import urlsafe_b64decode
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from csv import DictReader
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count
from random import Random
from typing import Any

import httpx2
import pytest
from bson import ObjectId
from bson.raw_bson import RawBSONDocument
from pymongo import MongoClient

from generated.record_types import CATALOG
from runtime.errors import Denied
from runtime.filter import by_id
from runtime.identity.users.users import NewUser
from runtime.outbox.sender import Sender
from runtime.principal import DomainScope
from runtime.records.name_keeper import NameKeeper
from runtime.storage.access import Action
from runtime.storage.as_service import as_service
from runtime.storage.store import Replacement
from runtime.transfer.sessions.liveness import Sweep
from tests.http.asking import Asker, Request, Target, build, profile_name, scrubbed
from tests.http.bodies import find_free_text, vary_unique
from tests.http.commands import Commands
from tests.http.documented import OPERATIONS, PUBLISHED, Operation
from tests.http.errands import ERRANDS, Desk
from tests.http.scene import PROFILE
from tests.http.world import CREATED_AT, PASSWORD, Document, World, open_world

SEED = 20260327
TENANTS = ("rubra", "azura", "verdia", "flavia")
TURNS = 8
EACH = int(os.environ.get("ISOLATION_RECORDS", 450))
"""Records of a type and tenant; fewer where the scope is mutated, one run of the test a place."""

CHECKED = 100_000 * EACH // 450
"""Rows of answers and documents of the store that are looked at in a run, at least."""

MARKS = {tenant: f"ONLY{tenant.upper()}" for tenant in TENANTS}
KINDS = {operation.kind.name: operation.kind for operation in OPERATIONS if operation.kind}
RULE = "PermissionRule"
NOBODY = ""
"""Whose refusal it is that was told to a caller without a token."""

OF_NO_TENANT = frozenset({"loginAttempts", "realms", "recordMigrations", "serviceWorkers", "storedShapes"})
RECORDS = frozenset(kind.collection for kind in KINDS.values()) | {"revisions"}
TRACED = RECORDS - {"permissionRules", "webhooks"}
"""The rules in force and the webhooks are read now and then, whatever is asked."""

BOUND = (
    RECORDS
    | {"agents", "importSessions", "importRows", "idempotencyKeys", "renames", "plantedSeeds"}
    | {"webhookDeliveries", "ontologyEdges", "ontologyLocks"}
)
OF_ANY_TENANT = {("revisions", Action.CREATE), ("decisions", Action.CREATE)}
"""What the service writes down of whoever calls; the documents themselves are looked at."""

SIGNING_IN = tuple(f"/security/{word}" for word in ("login", "refresh", "logout", "password"))
"""Where credentials are looked for before it is known whose they are."""

OF_CLIENTS = "/oauth/"
"""Where clients are looked for, which are those of a realm."""

Stored = dict[tuple[str, str], bytes]


@dataclass
class Town:
    """Four tenants in one realm, and what was seen of them."""

    world: World
    commands: Commands
    random: Random = field(default_factory=lambda: Random(SEED))
    owners: dict[str, str] = field(default_factory=dict)
    targets: dict[tuple[str, str], list[tuple[str, str]]] = field(default_factory=dict)
    known: dict[tuple[str, str], str] = field(default_factory=dict)
    subjects: dict[str, str] = field(default_factory=dict)
    checked: Counter[str] = field(default_factory=Counter)
    last: Stored = field(default_factory=dict)
    _read: dict[str, tuple[str, Stored]] = field(default_factory=dict)
    _numbers: Iterator[int] = field(default_factory=lambda: count(1))

    def ask(self, caller: str, request: Request) -> tuple[httpx2.Response, list[tuple[str, str]]]:
        """The answer, and which commands on records it took."""
        self.commands.clear()
        answer = self.world.ask(f"{request.method} {request.path}", caller, **request.options)
        if (request.method, request.path) == ("DELETE", "/security/sessions"):
            own = {"dataDomain.tenantId": caller.partition("-")[0]}  # the asker goes on with the same token
            self.world.documents["refreshFamilies"].update_many(own, {"$set": {"revoked": False}})
        assert answer.status_code < 500, (request, answer.text)
        taken = [(sent.name, sent.collection) for sent in self.commands.sent if sent.collection in TRACED]
        return answer, taken

    def body(self, kind: str, caller: str) -> Document:
        """What can be saved; a rule may allow everybody everything, and still opens no other tenant."""
        mark = MARKS[caller.partition("-")[0]]
        if kind == "ImportProfile":
            return PROFILE | {"description": mark}
        if kind != RULE:
            field = "displayName" if kind in CREATED_AT else find_free_text(PUBLISHED, CATALOG[kind], mark)
            return self.world.sample(kind, caller) | ({field: mark} if field else {})
        uri = {"header": {"identity": "*"}, "body": {"tenantId": "*"}}
        return {"name": mark, "effect": "ALLOW", "priority": 1000, "finalRule": True, "securityURI": uri}

    def target(self, tenant: str, operation: Operation) -> Target:
        """Something of a tenant's that the operation could be about; of ``nowhere``, nothing."""
        kind = operation.kind.name if operation.kind else operation.name
        choices = self.targets.get((tenant, kind)) or [(f"{next(self._numbers):024x}", f"R-{tenant}")]
        record_id, ref_name = self.random.choice(choices)
        return Target(
            tenant=tenant, mark=MARKS.get(tenant, "ONLYNOWHERE"), record_id=record_id, ref_name=ref_name,
            user_id=f"clerk@{tenant}.example", subject=self.known.get((tenant, "subject"), f"subject-of-{tenant}"),
            cursor=self.known.get((tenant, f"cursor {kind}"), "A" * 64),
            token=self.known.get((tenant, "token"), f"token-of-{tenant}"),
            session=self.known.get((tenant, f"session {kind}"), f"{next(self._numbers):024x}"),
            references={
                name: (self.targets.get((tenant, name)) or [(f"{number:024x}", "")])[0][0]
                for number, name in enumerate(KINDS, start=10**6)
            },
        )  # fmt: skip

    def stored(self) -> Stored:
        """Read every document of the realm that belongs to a tenant, again where the hash has changed.

        ``last`` is what was read last. Nobody else writes here, so a turn begins with what the one before it left.
        """
        hashes = self.world.documents.command("dbHash")["collections"]
        self._read = {
            name: known
            if (known := self._read.get(name)) and known[0] == found
            else (found, self._read_all(name))
            for name, found in hashes.items()
            if name not in OF_NO_TENANT
        }
        everything: Stored = {}
        for _hash, rows in self._read.values():
            everything.update(rows)  # a comprehension would hash each key again
        self.last = everything
        return everything

    def _read_all(self, name: str) -> Stored:
        batches = self.world.documents[name].find_raw_batches()
        return {(name, id_of(raw)): raw for batch in batches for raw in split(batch)}


@contextmanager
def _no_work_of_its_own() -> Iterator[None]:
    """What the keeper of names, the sender of webhooks and the sweep of imports ask, of whichever tenant, is not asked by the request
    of that moment."""

    async def nothing(_self: object) -> None:
        return None

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(NameKeeper, "run", nothing)
        patch.setattr(Sender, "run", nothing)
        patch.setattr(Sweep, "look", nothing)
        yield


@pytest.fixture(scope="module")
def town(mongo_uri: str, mongo_client: MongoClient[Document], key_folder: Any) -> Iterator[Town]:
    commands = Commands()
    settings = {
        "data_folder": key_folder, "login_failures": 10**6, "change_streams": False, "max_bulk_operations": EACH - 1,
        "webhooks_per_tenant": 10_000,
    }  # fmt: skip
    with (
        commands.listening(),
        _no_work_of_its_own(),
        open_world(mongo_uri, mongo_client, **settings) as world,
    ):
        town = Town(world, commands)
        for tenant in TENANTS:
            settle(town, tenant)
        town.owners = {key[1]: tenant_of(raw) for key, raw in town.stored().items()}
        town.subjects = {
            one["subject"]: one["dataDomain"]["tenantId"] for one in world.documents["credentials"].find()
        }
        yield town


def settle(town: Town, tenant: str) -> None:
    """Users, records and everything else that another tenant could try to use."""
    for name, roles in (("admin", {"admin"}), ("user", {"user"}), ("clerk", {"user"})):
        user = NewUser(f"{name}@{tenant}.example", PASSWORD, tenant, frozenset(roles))
        town.world.sign_in(f"{tenant}-{name}", user)
    admin = f"{tenant}-admin"
    for name, kind in KINDS.items():
        made = town.world.make(name, admin, **town.body(name, admin))
        copied = copies(town, tenant, made["id"], name)
        town.targets[tenant, name] = [(made["id"], made["refName"]), *copied]
        columns = [{"sourceColumn": field, "targetField": field} for field in ("refName", "displayName")]
        profile = {"refName": profile_name(tenant, kind.domain), "description": MARKS[tenant]}
        body = profile | {"targetType": f"{kind.area}.{kind.name}", "columnMappings": columns}
        assert town.world.ask("POST /integration/import-profiles", admin, json=body).status_code == 201
        if "list" in kind.operations:
            page = town.world.ask(f"GET {kind.base_path}/list?limit=1", admin).json()
            town.known[tenant, f"cursor {name}"] = page["nextCursor"]
        if "importSession" not in kind.operations:
            continue
        opened = town.world.ask(
            f"POST {kind.base_path}/csv/session?requestedColumns=refName,displayName&skipHeaderRow=true", admin,
            files={"file": ("rows.csv", f"refName,displayName\r\nR-{tenant}-1,{MARKS[tenant]}\r\n")},
        )  # fmt: skip
        assert opened.is_success, opened.text
        town.known[tenant, f"session {name}"] = opened.json()["sessionId"]
    clerk = {"userId": f"clerk@{tenant}.example", "password": PASSWORD}
    town.known[tenant, "token"] = town.world.ask("POST /security/login", None, json=clerk).json()[
        "refreshToken"
    ]
    town.known[tenant, "subject"] = town.world.ask("GET /security/me", f"{tenant}-clerk").json()["subject"]
    body = {"refName": f"R-{tenant}-1", "name": MARKS[tenant]}
    agent = town.world.ask(f"POST /api/agent/config?realm={town.world.realm}", admin, json=body).json()
    for operation in OPERATIONS:
        if operation.name.startswith("agentConfig_"):
            town.targets[tenant, operation.name] = [(agent["id"], agent["refName"])]
    denied = town.world.ask("GET /security/users", f"{tenant}-clerk").json()
    town.targets[tenant, "permission_decision"] = [(denied["decisionId"], "")]


def copies(town: Town, tenant: str, record_id: str, name: str) -> list[tuple[str, str]]:
    """Many of the same, with other values where two may not be alike."""
    kind = KINDS[name]
    collection = town.world.documents[kind.collection]
    template = collection.find_one({"_id": ObjectId(record_id)})
    assert template is not None
    made = []
    for number in range(3 if name == RULE else EACH):
        ref_name = f"R-{tenant}-{number}"
        own = vary_unique(kind, template, number, {"clientId": ref_name})
        made.append(own | {"_id": ObjectId(), "refName": ref_name})
    collection.insert_many(made)
    return [(str(one["_id"]), one["refName"]) for one in made[:20]]


def split(batch: bytes) -> Iterator[bytes]:
    """The documents of a batch, undecoded: there are a million to look at."""
    start = 0
    while start < len(batch):
        end = start + int.from_bytes(batch[start : start + 4], "little")
        yield batch[start:end]
        start = end


def id_of(raw: bytes) -> str:
    """What each document has first, after its length and the type and name of the member, as hexadecimal digits."""
    assert raw[4:9] == b"\x07_id\0"
    return raw[9:21].hex()


def tenant_of(raw: bytes) -> str:
    return str(RawBSONDocument(raw)["dataDomain"]["tenantId"])


def test_the_store_takes_no_document_of_another(town: Town) -> None:
    """What no route gets as far as: the store itself holds a new document against the scope."""
    store, kind = town.world.app.state.service.store, KINDS["Country"]
    access = as_service(kind, town.world.realm, Action.CREATE, DomainScope("rubra"))
    own_id, before = town.targets["rubra", "Country"][0][0], town.stored()

    def fresh() -> Document:
        return {"refName": f"foreign {ObjectId()}", "code": str(ObjectId())}

    def foreign(record_id: str | None = None) -> Document:
        return {"_id": ObjectId(record_id), **fresh(), "dataDomain": {"tenantId": "azura"}}

    attempts: list[Callable[[], Awaitable[object]]] = [
        lambda: store.insert(access, foreign()),
        lambda: store.replace(access, by_id(own_id), foreign(own_id)),
        lambda: store.replace_many(access, [Replacement(foreign(own_id), 1)]),
    ]

    async def attempt_all() -> None:
        for attempted in attempts:
            with pytest.raises(Denied):
                await attempted()
        refused = await store.insert_many(access, [foreign()])
        assert isinstance(refused.get(0), Denied)

    assert town.world.client.portal is not None
    town.world.client.portal.call(attempt_all)
    assert town.stored() == before


@pytest.mark.parametrize("errand", ERRANDS, ids=lambda errand: errand.__name__)
def test_errands_stay_with_the_tenant(town: Town, errand: Callable[[Desk], None]) -> None:
    tenant = TENANTS[ERRANDS.index(errand) % len(TENANTS)]
    asker = Asker(tenant, f"{tenant}-admin", lambda kind: {}, "errand")

    def look(request: Request, answer: httpx2.Response) -> None:
        check_answer(town, asker, request, answer)
        check_commands(town, tenant, request.path)

    def look_at_work() -> None:
        check_commands(town, tenant, errand.__name__)

    with checking_store(town, tenant):
        errand(Desk(town.world, town.commands, tenant, MARKS[tenant], look, look_at_work))


def test_no_tenant_meets_another(town: Town) -> None:
    town.random.seed(SEED)  # whatever was asked before
    for turn in range(TURNS):
        tenant = TENANTS[turn % len(TENANTS)]
        with checking_store(town, tenant):
            for operation in town.random.sample(OPERATIONS, len(OPERATIONS)):
                attempt(town, tenant, operation, turn)
            rename_and_turn_pages(town, tenant)
    assert town.checked["rows"] + town.checked["documents"] >= CHECKED, town.checked
    assert town.checked["twins"] >= TURNS * len(OPERATIONS) // 3, town.checked


def attempt(town: Town, tenant: str, operation: Operation, turn: int) -> None:
    """One request of the tenant, and its twin when it is about another."""
    random = town.random
    name = random.choice(["admin", "admin", "user"])
    caller = f"{tenant}-{name}"
    asker = Asker(
        tenant,
        caller,
        lambda kind: town.body(kind, caller),
        f"{operation} {turn // len(TENANTS)}",
        town.world.realm,
    )
    others = [one for one in TENANTS if one != tenant]
    whose = random.choice([tenant, tenant, *others, "nowhere"])
    target = town.target(whose, operation)
    state = random.getstate()
    request = build(operation, asker, target, random)
    answer, taken = town.ask(caller, request)
    check_answer(town, asker, request, answer)
    check_commands(town, tenant, operation.path)
    if whose not in others:
        return
    check_counts(town, asker, operation, request, answer)
    after, nobody = random.getstate(), town.target("nowhere", operation)
    random.setstate(state)
    twin, taken_by_twin = town.ask(caller, build(operation, asker, nobody, random))
    random.setstate(after)
    assert scrubbed(answer, target, nobody) == scrubbed(twin, target, nobody), request
    assert taken == taken_by_twin, request
    town.checked["twins"] += 1


def rename_and_turn_pages(town: Town, tenant: str) -> None:
    """What takes several steps: new names that are copied to referrers, and pages behind cursors."""
    caller = f"{tenant}-admin"
    asker = Asker(tenant, caller, lambda kind: town.body(kind, caller), "pages")
    customer = town.world.ref("Customer", caller)["entityId"]
    new_name = json.dumps({"displayName": f"{MARKS[tenant]} {next(town._numbers)}"})
    merge = {"headers": {"Content-Type": "application/merge-patch+json"}, "content": new_name}
    town.ask(caller, Request("PATCH", f"/logistics/customers/id/{customer}", {"params": {}, **merge}))
    check_commands(town, tenant, "renaming")
    cursor: str | None = None
    for _page in range(4):
        params = {"limit": "20", "sort": "status,-departsAt"} | ({"cursor": cursor} if cursor else {})
        request = Request("GET", "/logistics/shipments/list", {"params": params})
        answer, _taken = town.ask(caller, request)
        check_answer(town, asker, request, answer)
        check_commands(town, tenant, "pages")
        cursor = answer.json()["nextCursor"]


def check_answer(town: Town, asker: Asker, request: Request, answer: httpx2.Response) -> None:
    """No mark, no id, no row of others; what the request itself said is no news."""
    text = answer.text + str(answer.headers)
    for cursor in re.findall(r'"nextCursor":"([^"]*)"', text):
        text += urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode("latin-1")
    asked = request.options["params"].get("filter")
    for mark in (MARKS[tenant] for tenant in TENANTS if tenant != asker.tenant):
        assert mark not in (text.replace(asked, "") if asked else text.replace(f"displayName:{mark}*", "")), (
            request
        )
    said = request.text
    for found in set(re.findall(r"[0-9a-f]{24}", text)):
        assert town.owners.get(found, asker.tenant) == asker.tenant or found in said, (request, found)
    for ref_name, owner in re.findall(r"\b(R-([a-z]+)-\d+)", text):
        assert owner == asker.tenant or ref_name in said, (request, ref_name)
    for row in rows_of(answer):
        assert row.get("dataDomain", {}).get("tenantId", asker.tenant) == asker.tenant, request
        town.checked["rows"] += 1


def rows_of(answer: httpx2.Response) -> list[Document]:
    if "csv" in answer.headers.get("content-type", ""):
        table = DictReader(answer.text.splitlines())
        owners = (row.get("dataDomain.tenantId") for row in table)
        return [{"dataDomain": {"tenantId": owner}} for owner in owners if owner]
    if "json" not in answer.headers.get("content-type", "") or answer.status_code >= 300:
        return []
    said = answer.json()
    rows = said.get("rows", [said]) if isinstance(said, dict) else said
    return [row for row in rows if isinstance(row, dict)]


def check_counts(
    town: Town, asker: Asker, operation: Operation, request: Request, answer: httpx2.Response
) -> None:
    """A filter that only others' records match counts none, one that all match counts the own ones."""
    is_json = "json" in answer.headers.get("content-type", "")
    if answer.status_code != 200 or operation.kind is None or operation.method != "GET" or not is_json:
        return
    said = answer.json()
    number = said.get("count", said.get("totalCount")) if isinstance(said, dict) else None
    asked = request.options["params"].get("filter") or "id:~"
    own: Document = {"dataDomain.tenantId": asker.tenant}
    if operation.kind.on_delete == "archive":
        own["activeStatus"] = {"$ne": "ARCHIVED"}
    if number is not None and asked == "id:~":
        assert number == town.world.documents[operation.kind.collection].count_documents(own), request
    elif number is not None and (asked.startswith("!!dataDomain") or f":!{asker.tenant}" in asked):
        assert number == 0, request


def check_commands(town: Town, tenant: str, path: str) -> None:
    """Whatever the code above did, each command on records names the tenant, and each leave of the store does.

    Credentials too, except where somebody signs in and where the caller's own token is looked after.
    """
    looked_for = {"oauth_clients"} if path.startswith(OF_CLIENTS) else set[str]()
    for sent in town.commands.sent:
        is_own = town.subjects.get(str(sent.pinned("subject"))) == tenant
        is_credential = sent.collection == "credentials" and not (is_own or path.startswith(SIGNING_IN))
        if sent.collection in BOUND - looked_for or is_credential:
            assert sent.is_bound_to(tenant), (path, sent)
            town.checked["commands"] += 1
    for leave in town.commands.leaves:
        name, action = leave.kind.collection, leave.action
        makes_user = name == "credentials" and action is Action.CREATE
        if makes_user or (name in BOUND - looked_for and (name, action) not in OF_ANY_TENANT):
            assert leave.domain.tenant_id == tenant, (path, leave)


def has_expired(raw: bytes) -> bool:
    """Whether the store itself may remove it, at a moment of its own choice."""
    expires = RawBSONDocument(raw).get("expiresAt")
    return isinstance(expires, datetime) and expires <= datetime.now(UTC).replace(tzinfo=None)


@contextmanager
def checking_store(town: Town, tenant: str) -> Iterator[None]:
    """Check what the tenant did in a turn, unless it has failed already."""
    before = town.last
    try:
        yield
    finally:
        after = town.stored()
    check_store(town, tenant, before, after)


def check_store(town: Town, tenant: str, before: Stored, after: Stored) -> None:
    """All that changed is the tenant's, before and after; nothing of others went into it."""
    foreign = [mark.encode() for one, mark in MARKS.items() if one != tenant]
    town.checked["documents"] += len(after)
    # What was not read again is the same object.
    written = [key for key, raw in after.items() if before.get(key) is not raw]
    for key in (*written, *(before.keys() - after.keys())):
        old, new = before.get(key), after.get(key)
        if old == new or (old and not new and has_expired(old)):
            continue
        owners = {tenant_of(raw) for raw in (old, new) if raw is not None}
        assert owners == {tenant} or (owners == {NOBODY} and key[0] == "decisions"), key
        assert not any(mark in (new or b"") for mark in foreign), key
    town.owners |= {key[1]: tenant for key in after.keys() - before.keys()}


def test_everything_has_an_owner(town: Town) -> None:
    """Else nothing above would mean anything: each tenant has all there is, and each document is somebody's."""
    stored = town.stored()
    found = Counter((name, tenant_of(raw)) for (name, _id), raw in stored.items())
    for kind in KINDS.values():
        for tenant in TENANTS:
            assert found[kind.collection, tenant] >= 1, (kind.name, tenant)
    assert {kind.collection for kind in CATALOG} >= {name for name, _id in stored}
