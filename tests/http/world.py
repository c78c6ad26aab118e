"""A running service over a database of its own, with signed-in callers and records to work with."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count, product
from pathlib import Path
from string import ascii_uppercase
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import quote

import bson
import httpx2
import orjson
from fastapi import FastAPI
from pymongo import MongoClient
from pymongo.database import Database
from starlette.testclient import TestClient
from starlette.types import Receive

from generated.app import create
from generated.record_types import CATALOG
from runtime import records
from runtime.access.guard import open_call
from runtime.identity.users.store_users import StoreUsers
from runtime.identity.users.users import NewUser, everywhere, seed_tenant_of
from runtime.model.catalog import BUILT_IN_ROLES
from runtime.model.record_type import RecordType
from runtime.seams import Seams, UserKey
from runtime.settings import Settings
from runtime.storage.store import LOCK
from runtime.system import record_types as system_types
from tests.http import one_call
from tests.http.bodies import BodyBuilder, NewValues
from tests.http.documented import PUBLISHED
from tests.lanes import TAKES_LANE
from tests.patience import STORE_MS
from tests.reused import take_database
from tests.scenario import Scenario, Snapshot, check_answer, check_store

PASSWORD = "correct horse battery"
NOWHERE = "0" * 24
"""An id that no record has."""

SYSTEM = frozenset(one.name for one in vars(system_types).values() if isinstance(one, RecordType))
"""The names of the service's own record types."""


def find_own_roles(kinds: Iterable[RecordType[Any]]) -> frozenset[str]:
    """A role of each record type with routes whose roles are not built in."""
    return frozenset(
        min(kind.roles)
        for kind in kinds
        if kind.operations and kind.name not in SYSTEM and not kind.roles & BUILT_IN_ROLES
    )


OWN_ROLES = find_own_roles(CATALOG)
"""A role of each record type that a service adds for neither users nor administrators: callers have these too."""


def _roles(role: str) -> frozenset[str]:
    return OWN_ROLES | {role}


CALLERS = {
    "acme": NewUser("admin@acme.example", PASSWORD, "acme", _roles("admin")),
    "acme-user": NewUser("user@acme.example", PASSWORD, "acme", _roles("user")),
    "acme-nobody": NewUser("nobody@acme.example", PASSWORD, "acme", frozenset({"auditor"})),
    "acme-north": NewUser("north@acme.example", PASSWORD, "acme", _roles("user"), org_ref_name="north"),
    "acme-south": NewUser("south@acme.example", PASSWORD, "acme", _roles("user"), org_ref_name="south"),
    "globex": NewUser("admin@globex.example", PASSWORD, "globex", _roles("admin")),
    "system": NewUser("operator@service.example", PASSWORD, "operations", _roles("system")),
}
"""``acme-nobody`` has a role that no record type asks for."""

LOOP = {"use_uvloop": sys.platform != "win32"}
"""The event loop that a served process has too, which is faster than that of ``asyncio``."""

PATHS: dict[str, str] = {
    kind.name: kind.base_path for kind in CATALOG if kind.operations and kind.name not in SYSTEM
}
"""Of each record type of the specifications, those that a service has added included."""

CREATED_AT = {
    "CompletionTask": f"/integration/completionTask/create/{NOWHERE}",
    "CompletionTaskGroup": "/integration/completionTaskGroup/create",
    "Webhook": "/integration/webhooks/create",
}
"""Where records are created that cannot be saved."""

NOT_WATCHED = frozenset(
    {
        *("loginAttempts", "refreshFamilies", "revisions", "idempotencyKeys", "renames", "plantedSeeds"),
        *("importSessions", "importRows", "decisions", "webhookDeliveries"),
        "requestTallies",
        *("ontologyEdges", "ontologyLocks"),
        *("recordMigrations", "serviceWorkers", "storedShapes"),
    }
)
"""Kept by the service itself on every login, write and refusal: not what a scenario is about."""

Document = dict[str, Any]
Play = Callable[[Scenario], Any]


@dataclass
class World:
    """A running service, its realm, and callers who are signed in."""

    client: TestClient
    app: FastAPI
    realm: str
    documents: Database[Document]
    tokens: dict[str, str] = field(default_factory=dict)
    peer: tuple[str, int] = ("testclient", 50000)
    values: NewValues = field(default_factory=NewValues)
    _parents: dict[tuple[str, str], Document] = field(default_factory=dict)
    _read: dict[str, tuple[str, Snapshot]] = field(default_factory=dict)
    _urls: dict[str, httpx2.URL] = field(default_factory=dict)
    _numbers: Iterator[int] = field(default_factory=lambda: count(1))
    _codes: Iterator[str] = field(default_factory=lambda: map("".join, product(ascii_uppercase, repeat=2)))

    def headers(self, caller: str | None) -> dict[str, str]:
        """What a caller sends along; nothing for None."""
        return {} if caller is None else {"Authorization": f"Bearer {self.tokens[caller]}"}

    def ask(self, request: str, caller: str | None = "acme", **options: Any) -> httpx2.Response:
        """``ask("GET /logistics/airports/list")`` as somebody; the answer as it came."""
        method, path = request.split(" ", 1)
        headers = self.headers(caller) | options.pop("headers", {})
        built = self.client.build_request(method, self._url(path), headers=headers, **options)
        return one_call.answer(self.client, built, self.peer)

    def _url(self, path: str) -> httpx2.URL:
        """The whole address of a path. To read one takes as long as the rest of building a request."""
        if path not in self._urls:
            self._urls[path] = self.client.build_request("GET", path).url
        return self._urls[path]

    def ask_raw(
        self, method: str, path: str, *, query: bytes = b"", headers: one_call.Headers | None = None, body: bytes = b""
    ) -> tuple[int, dict[str, str], Any]:  # fmt: skip
        """Status, headers and JSON of a request that no client library would send as it is."""

        async def receive() -> Any:
            return {"type": "http.request", "body": body, "more_body": False}

        headers = self.headers("acme") if headers is None else headers
        start, *chunks = self.send_messages(method, path, receive, query=query, headers=headers)
        answered = {name.decode().lower(): value.decode() for name, value in start["headers"]}
        return start["status"], answered, orjson.loads(b"".join(chunk.get("body", b"") for chunk in chunks))

    def send_messages(
        self, method: str, path: str, receive: Receive, *, query: bytes = b"", headers: one_call.Headers
    ) -> list[Any]:
        """What the application sends for a request whose messages are what ``receive`` returns."""
        sent: list[Any] = []

        async def send(message: Any) -> None:
            sent.append(message)

        scope = one_call.plain_scope(method, path, query, headers)
        assert self.client.portal is not None
        self.client.portal.call(self.app, scope, receive, send)
        return sent

    def pages(self, request: str, caller: str = "acme", **body: Any) -> Iterator[Document]:
        """The pages of a list, by their cursors; without a body the request has a query."""
        cursor: str | None = None
        while True:
            if body:
                answer = self.ask(request, caller, json=body | ({"cursor": cursor} if cursor else {}))
            else:
                answer = self.ask(request + (f"&cursor={quote(cursor)}" if cursor else ""), caller)
            assert answer.status_code == 200, answer.text
            page: Document = answer.json()
            yield page
            if not (cursor := page.get("nextCursor")):
                return

    def is_in(self, token: str) -> bool:
        """Whether the service takes an access token."""
        headers = {"Authorization": f"Bearer {token}"}
        return self.ask("GET /security/me", None, headers=headers).status_code == 200

    def sign_in(self, caller: str, user: NewUser) -> None:
        """Create a user with a session, and remember its access token under ``caller``.

        A login by password counts its attempts, for which it takes eight commands more.
        """

        async def begin_session() -> str:
            service, realm = self.app.state.service, self.app.state.service.settings.default_realm
            own, key = service.provider.own, UserKey(user_id=user.user_id)
            users = StoreUsers(own.credentials, service.settings, CATALOG.roles | {"auditor"})
            await users.create(user, everywhere(realm))
            await seed_tenant_of(service, realm, user)
            stored = await own.credentials.find(key, everywhere(realm))
            return str((await own.begin_session(stored, realm)).access_token)

        assert self.client.portal is not None
        self.tokens[caller] = self.client.portal.call(begin_session)

    def sign_in_another(self, *roles: str) -> str:
        """Sign in a new user of acme, and return the id, which is the caller as well."""
        name = f"user{next(self._numbers)}@acme.example"
        self.sign_in(name, NewUser(name, PASSWORD, "acme", frozenset(roles or ("user",))))
        return name

    def log_in(self, user_id: str = CALLERS["acme-user"].user_id) -> Document:
        """Return the tokens of a login by password."""
        answer = self.ask("POST /security/login", None, json={"userId": user_id, "password": PASSWORD})
        assert answer.status_code == 200, answer.text
        return dict(answer.json())

    def make(self, kind: str, caller: str = "acme", **fields: Any) -> Document:
        """A new record of ``caller``, as the service answered."""
        body = self.sample(kind, caller) | fields
        if kind not in SYSTEM and "save" not in CATALOG[kind].operations:
            return self._save_without_route(CATALOG[kind], caller, body)
        path = CREATED_AT.get(kind, CATALOG[kind].base_path)
        answer = self.ask(f"POST {path}", caller, json=body)
        assert answer.status_code == 201, f"{answer.text}; what a {kind} needs is in World._sample_written"
        made: Document = answer.json()
        return made

    def _save_without_route(self, kind: RecordType[Any], caller: str, body: Document) -> Document:
        """Save a record of a type whose ``endpoints`` leave out ``save``, as the service itself does."""

        async def save() -> bytes:
            call = await open_call(self.app.state.service, self.tokens[caller], None, "make", kind.area)
            saved = await records.save(call, kind, kind.input.model_validate_json(orjson.dumps(body)))
            return saved.body

        assert self.client.portal is not None
        made: Document = orjson.loads(self.client.portal.call(save))
        return made

    def read(self, kind: str, record: Document, caller: str = "acme") -> Document:
        """The record as it is now."""
        answer = self.ask(f"GET {PATHS[kind]}/id/{record['id']}", caller)
        assert answer.status_code == 200, answer.text
        found: Document = answer.json()
        return found

    def sample(self, kind: str, caller: str = "acme") -> Document:
        """A body that can be saved; what it refers to is made once for each caller.

        What is written below, and whatever else the record type requires (``BodyBuilder``).
        """
        written = self._sample_written(kind, caller)
        if kind in SYSTEM:
            return written

        def refer(target: str, is_own: bool) -> Document:
            return {"entityId": self.make(target, caller)["id"]} if is_own else self.ref(target, caller)

        builder = BodyBuilder(PUBLISHED, refer, self.values)
        return builder.build(CATALOG[kind], frozenset(written)) | written

    def _sample_written(self, kind: str, caller: str) -> Document:
        """The fields of a body whose values tests speak of."""
        number = next(self._numbers)
        match kind:
            case "OauthClient":
                return {"clientId": f"client-{number}", "allowedGrantTypes": ["client_credentials"]}
            case "CompletionTask" | "CompletionTaskGroup":
                return {"displayName": "Nightly import"}
            case "Webhook":
                address = f"https://hooks.example/{number}"
                return {"recordTypes": ["Carrier"], "address": address, "active": False}
            case "Country":
                return {"code": next(self._codes), "name": "Portugal"}
            case "Airport":
                return {"icao": f"A{number}", "name": "Field", "country": self.ref("Country", caller)}
            case "Carrier":
                return {"name": "Atlantic Air Cargo", "mode": "AIR"}
            case "Customer" | "Region":
                return {"name": "Casa das Flores"}
            case "Port" | "Supplier" | "Product":
                return self._sample_goods(kind, number, caller)
            case "Order":
                return {"items": [{"product": self.ref("Product", caller), "quantity": 3, "price": "12.90"}]}
        return {}

    def _sample_goods(self, kind: str, number: int, caller: str) -> Document:
        """Goods, who supplies them, and where they are loaded."""
        if kind == "Product":
            return {"sku": f"TULIP-{number}", "name": "Ten red tulips", "price": "12.90"}
        if kind == "Port":
            code = f"PT{next(self._codes)}A"
            return {"locode": code, "name": "Port of Lisbon", "region": self.ref("Region", caller)}
        return {"name": "Tulip Growers", "port": self.ref("Port", caller)}

    def ref(self, kind: str, caller: str = "acme") -> Document:
        """A reference to a record of ``caller``, always the same one."""
        if (caller, kind) not in self._parents:
            found = self._find_own_user(caller) if kind == "Credential" else self.make(kind, caller)
            self._parents[caller, kind] = found
        return {"entityId": self._parents[caller, kind]["id"]}

    def _find_own_user(self, caller: str) -> Document:
        """The credential of ``caller``: users are not saved as records."""
        subject = self.ask("GET /security/me", caller).json()["subject"]
        found = self.documents["credentials"].find_one({"subject": subject})
        assert found is not None
        return {"id": str(found["_id"])}

    def play(self, scenario: Scenario) -> Any:
        """Run one scenario, compare answer and realm with it; the answer's JSON."""
        before = self.snapshot()
        options: dict[str, Any] = {"headers": dict(scenario.headers)}
        if scenario.content is not None:
            options["content"] = scenario.content
        elif scenario.body is not None:
            options["json"] = scenario.body
        answer = self.ask(scenario.request, scenario.user, **options)
        check_answer(scenario, answer.status_code, answer.headers, answer.content)
        check_store(scenario, before, self.snapshot())
        return answer.json() if answer.content else None

    def snapshot(self) -> Snapshot:
        """Every document of the realm, as bytes; without what only makes writes of others wait.

        Collections are read again only when their hash has changed: most requests change one or none.
        """
        hashes = self.documents.command("dbHash")["collections"]
        self._read = {
            name: known
            if (known := self._read.get(name)) and known[0] == found
            else (found, self._read_all(name))
            for name, found in hashes.items()
            if name not in NOT_WATCHED
        }
        return {key: document for _hash, rows in self._read.values() for key, document in rows.items()}

    def _read_all(self, name: str) -> Snapshot:
        return {
            (name, str(document["_id"])): bson.encode({**document, LOCK: None})
            for document in self.documents[name].find()
        }


@contextmanager
def open_world(
    mongo_uri: str, mongo_client: MongoClient[Document], seams: Seams | None = None, **overrides: Any
) -> Iterator[World]:
    """A service over an empty realm; settings by attribute name. It caches credentials: a test that changes
    them in the database sets ``credential_cache_seconds`` to 0."""
    with take_database(mongo_client, CATALOG) as prepared, TemporaryDirectory() as data:
        realm = prepared.name
        values: dict[str, Any] = {
            "mongodb_uri": mongo_uri,
            "environment": "development",
            "default_realm": realm,
            "bcrypt_cost": 4,
            "queue_ms": 60_000,  # on a busy machine tests wait
            "mongodb_lane": TAKES_LANE,
            "mongodb_timeout_ms": STORE_MS,
            "gateway_executes": True,
            "log_level": "ERROR",
            "data_folder": Path(data),
        }
        app = create(Settings.read({}, **(values | overrides)), seams)
        with TestClient(app, raise_server_exceptions=False, backend_options=LOOP) as client:
            prepared.note_shape()
            world = World(client, app, realm, mongo_client[realm])
            for caller, user in CALLERS.items():
                world.sign_in(caller, user)
            yield world
            service = app.state.service  # whatever was asked, and however it ended
            assert (service.gate.taken, service.transfers.number) == (0, 0), "a request kept its place"
            assert (service.hub.watchers.number, service.hub.listeners) == (0, 0), "a watcher was left"
