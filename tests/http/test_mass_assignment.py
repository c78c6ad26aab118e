"""What the server keeps, no client sets: every such member, at every route that writes. One row a member.

Asked of the sample application, whose record types have every sort of member, by somebody bound to one
organisation, account and data segment, from whom a rule withholds ``details``. Each cell is a forged value sent
along with an otherwise good write: ``-`` the write is done and the value is not there, ``+`` it is there (and
may be, for once), a digit is the refusal (0 for 400, 2 for 422, 3 for 403, 9 for 409), which leaves the record
as it was.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx2
import pytest
from bson import ObjectId
from pymongo import MongoClient
from pymongo.database import Database
from starlette.testclient import TestClient

from runtime.identity.users.users import NewUser, create_user
from runtime.model.record import AuditInfo, DataDomainInput, wire_name
from runtime.settings import Settings
from sample_generated.app import create
from sample_generated.record_types import CATALOG
from tests.http.world import NOWHERE, PASSWORD, Document
from tests.scenario import MISSING, at

GRID = """
                                  insert replace bulk+ bulk~ atomic+ atomic~ set patch bulk/set
id                                -      9       -     9     -       9       0   2     0
_id                               0      0       0     0     0       0       0   0     0
version                           9      9       9     9     9       9       9   9     9
auditInfo.createdBy               -      -       -     -     -       -       0   -     0
auditInfo.createdDate             -      -       -     -     -       -       0   -     0
auditInfo.lastUpdatedBy           -      -       -     -     -       -       0   -     0
auditInfo.lastUpdatedDate         -      -       -     -     -       -       0   -     0
auditInfo.impersonatorUserId      -      -       -     -     -       -       0   -     0
auditInfo.impersonatorSubject     -      -       -     -     -       -       0   -     0
auditInfo.actingOnBehalfOfUserId  -      -       -     -     -       -       0   -     0
auditInfo.actingOnBehalfOfSubject -      -       -     -     -       -       0   -     0
auditInfo.agentRefName            -      -       -     -     -       -       0   -     0
references                        -      -       -     -     -       -       0   -     0
actionList                        -      -       -     -     -       -       0   -     0
persistentEvents                  -      -       -     -     -       -       0   -     0
invalid                           -      -       -     -     -       -       0   -     0
violations                        -      -       -     -     -       -       0   -     0
sold                              -      -       -     -     -       -       0   -     0
margin                            0      0       0     0     0       0       0   0     0
rating                            -      -       -     -     -       -       0   0     0
label                             -      -       -     -     -       -       0   -     0
code                              +      2       +     2     +       2       2   2     2
details                           -      -       -     -     -       -       0   0     0
maker.entityRefName               -      -       -     -     -       -       0   2     0
maker.entityDisplayName           -      -       -     -     -       -       0   2     0
maker.entityType                  -      -       -     -     -       -       0   2     0
dataDomain.tenantId               3      3       3     3     3       3       3   3     3
dataDomain.orgRefName             3      3       3     3     3       3       3   3     3
dataDomain.accountId              3      3       3     3     3       3       3   3     3
dataDomain.dataSegment            3      3       3     3     3       3       3   3     3
_lock                             0      0       0     0     0       0       0   0     0
loginName                         0      0       0     0     0       0       0   0     0
"""
"""``code`` is set once, by who makes the record. What rules withhold (``details``, and ``rating`` from whoever reads) is as if it was not sent. A
replacement under another ``id`` is an insert, here with a ``code`` that is taken."""

FORGER = NewUser(
    "forger@acme.example", PASSWORD, "acme", frozenset({"user", "clerk"}),
    org_ref_name="north", account_id="A-1", data_segment=1,
)  # fmt: skip
ADMIN = NewUser("admin@acme.example", PASSWORD, "acme", frozenset({"admin"}))

PATHS = {"Article": "/shop/articles", "Maker": "/shop/who/makers"}
COLLECTIONS = {"Article": "articles", "Maker": "shopMakers"}
WITHHELD = {
    "name": "Details are withheld", "effect": "ALLOW", "hiddenFields": ["details"],
    "securityURI": {"header": {"identity": "user", "area": "shop", "functionalDomain": "article"}},
}  # fmt: skip

KEPT = {"sold": 5, "margin": "kept", "rating": 4.5, "details": "kept"}
"""Written to each article behind the service's back, before it is changed."""

AGO = "2001-01-01T00:00:00Z"
FORGED: dict[str, tuple[str, Any]] = {
    "id": ("Article", NOWHERE),
    "_id": ("Article", NOWHERE),
    "version": ("Article", 77),
    "auditInfo.createdBy": ("Article", "mallory"),
    "auditInfo.createdDate": ("Article", AGO),
    "auditInfo.lastUpdatedBy": ("Article", "mallory"),
    "auditInfo.lastUpdatedDate": ("Article", AGO),
    "auditInfo.impersonatorUserId": ("Article", "mallory"),
    "auditInfo.impersonatorSubject": ("Article", "mallory"),
    "auditInfo.actingOnBehalfOfUserId": ("Article", "mallory"),
    "auditInfo.actingOnBehalfOfSubject": ("Article", "mallory"),
    "auditInfo.agentRefName": ("Article", "mallory"),
    "references": ("Article", [{"referencedId": NOWHERE, "type": "shop.Maker", "refName": "mallory"}]),
    "actionList": ("Article", ["transition:GONE"]),
    "persistentEvents": ("Maker", [{"type": "PERSIST", "date": AGO, "userId": "mallory", "version": 1}]),
    "invalid": ("Maker", True),
    "violations": ("Maker", [{"path": "name", "message": "mallory"}]),
    "sold": ("Article", 7777),
    "margin": ("Article", "77.77"),
    "rating": ("Article", 7.5),
    "label": ("Article", "mallory"),
    "code": ("Article", "MA666"),
    "details": ("Article", "mallory"),
    "maker.entityRefName": ("Article", "mallory"),
    "maker.entityDisplayName": ("Article", "mallory"),
    "maker.entityType": ("Article", "Depot"),
    "dataDomain.tenantId": ("Article", "globex"),
    "dataDomain.orgRefName": ("Article", "south"),
    "dataDomain.accountId": ("Article", "A-2"),
    "dataDomain.dataSegment": ("Article", 2),
    "_lock": ("Article", NOWHERE),
    "loginName": ("Article", "mallory"),
}
"""Member → record type and the value that must not arrive. The last two are no members at all."""


@dataclass
class Shop:
    """The running sample application."""

    client: TestClient
    documents: Database[Document]
    tokens: dict[str, str] = field(default_factory=dict)
    _makers: list[str] = field(default_factory=list)
    _numbers: Iterator[int] = field(default_factory=partial(count, 100))

    def ask(self, request: str, user: NewUser = FORGER, **options: Any) -> httpx2.Response:
        """``ask("POST /shop/articles", json=…)``."""
        method, path = request.split(" ", 1)
        headers = {"Authorization": f"Bearer {self.tokens[user.user_id]}"} | options.pop("headers", {})
        answer: httpx2.Response = self.client.request(method, path, headers=headers, **options)
        return answer

    def sample(self, kind: str) -> Document:
        """A body that can be saved."""
        number = next(self._numbers)
        if kind == "Maker":
            return {"name": "Lamps and Sons"}
        if not self._makers:
            self._makers.append(self.ask("POST /shop/who/makers", json=self.sample("Maker")).json()["id"])
        body = {"title": "Lamp", "code": f"AB{number}", "price": f"{number}.50"}
        return body | {"maker": {"entityId": self._makers[0]}}

    def made(self, kind: str) -> tuple[Document, Document]:
        """A record as it was sent, id included, and as it is kept."""
        body = self.sample(kind)
        answer = self.ask(f"POST {PATHS[kind]}", json=body)
        assert answer.status_code == 201, answer.text
        record_id = answer.json()["id"]
        if kind == "Article":
            self.documents["articles"].update_one({"_id": ObjectId(record_id)}, {"$set": KEPT})
        return body | {"id": record_id}, self.stored(kind, record_id)

    def stored(self, kind: str, record_id: str) -> Document:
        """As it is kept."""
        found = self.documents[COLLECTIONS[kind]].find_one({"_id": ObjectId(record_id)})
        assert found is not None
        return found


@pytest.fixture(scope="module")
def shop(mongo_uri: str, mongo_client: MongoClient[Document], key_folder: Path) -> Iterator[Shop]:
    realm = f"test-{uuid4().hex[:12]}"
    settings = Settings.read(
        {}, mongodb_uri=mongo_uri, environment="development", default_realm=realm, bcrypt_cost=4,
        data_folder=key_folder, log_level="ERROR", rule_cache_seconds=0, change_streams=False,
    )  # fmt: skip
    try:
        app = create(settings)
        with TestClient(app, raise_server_exceptions=False) as client:
            made = Shop(client, mongo_client[realm])
            for user in (FORGER, ADMIN):
                assert client.portal is not None
                client.portal.call(partial(create_user, app.state.service, user))
                body = {"userId": user.user_id, "password": PASSWORD}
                made.tokens[user.user_id] = client.post("/security/login", json=body).json()["accessToken"]
            assert made.ask("POST /security/permission/rules", ADMIN, json=WITHHELD).status_code == 201
            yield made
    finally:
        mongo_client.drop_database(realm)


@dataclass(frozen=True)
class Tried:
    """What came of one write: the status of it, or of its operation, and which record it made or changed."""

    status: int
    record_id: str | None


def with_value(body: Document, path: str, value: Any) -> Document:
    """The body with the member set, dots leading into objects."""
    name, _, rest = path.partition(".")
    return body | {name: with_value(body.get(name, {}), rest, value) if rest else value}


def alone(path: str, value: Any) -> Document:
    return with_value({}, path, value)


def saved(shop: Shop, kind: str, body: Document) -> Tried:
    answer = shop.ask(f"POST {PATHS[kind]}", json=body)
    return Tried(answer.status_code, answer.json().get("id") if answer.is_success else None)


def saved_in_bulk(shop: Shop, kind: str, body: Document, atomic: bool) -> Tried:
    operations = {"operations": [{"op": "save", "record": body}], "atomic": atomic}
    answer = shop.ask(f"POST {PATHS[kind]}/bulk", json=operations)
    return of_result(answer)


def of_result(answer: httpx2.Response) -> Tried:
    """The one operation of a bulk; an atomic one fails as a whole."""
    if not answer.is_success:
        return Tried(answer.status_code, None)
    (result,) = answer.json()["results"]
    return Tried(result["status"], result.get("id") if result["status"] < 400 else None)


def set_by_pairs(shop: Shop, kind: str, record: Document, path: str, value: Any) -> Tried:
    text = str(value).replace('"', '""') if isinstance(value, str | list) else json.dumps(value)
    pairs = f'{path}:"{text}"' if isinstance(value, str | list) else f"{path}:{text}"
    answer = shop.ask(f"PUT {PATHS[kind]}/set", params={"id": record["id"], "pairs": pairs})
    return Tried(answer.status_code, record["id"])


def patched(shop: Shop, kind: str, record: Document, path: str, value: Any) -> Tried:
    headers = {"Content-Type": "application/merge-patch+json"}
    body = json.dumps(alone(path, value))
    answer = shop.ask(f"PATCH {PATHS[kind]}/id/{record['id']}", content=body, headers=headers)
    return Tried(answer.status_code, record["id"])


def set_in_bulk(shop: Shop, kind: str, record: Document, path: str, value: Any) -> Tried:
    body = {"ids": [record["id"]], "values": {path: value}}
    return of_result(shop.ask(f"PUT {PATHS[kind]}/bulk/set", json=body))


Write = Callable[[Shop, str, Document, str, Any], Tried]

INSERTS: dict[str, Write] = {
    "insert": lambda shop, kind, body, path, value: saved(shop, kind, with_value(body, path, value)),
    "bulk+": lambda shop, kind, body, path, value: saved_in_bulk(
        shop, kind, with_value(body, path, value), atomic=False
    ),
    "atomic+": lambda shop, kind, body, path, value: saved_in_bulk(
        shop, kind, with_value(body, path, value), atomic=True
    ),
}
"""Take a body that could be saved as it is."""

UPDATES: dict[str, Write] = {
    "replace": INSERTS["insert"],
    "bulk~": INSERTS["bulk+"],
    "atomic~": INSERTS["atomic+"],
    "set": set_by_pairs,
    "patch": patched,
    "bulk/set": set_in_bulk,
}
"""Take a record as it was sent, with its id."""

ROUTES = ("insert", "replace", "bulk+", "bulk~", "atomic+", "atomic~", "set", "patch", "bulk/set")


def grid() -> Mapping[str, str]:
    lines = [line.split(maxsplit=1) for line in GRID.strip().splitlines()[1:]]
    return {member: " ".join(cells.split()) for member, cells in lines}


def outcome(shop: Shop, route: str, member: str) -> str:
    """Try it; the letter of the cell."""
    kind, forged = FORGED[member]
    if route in INSERTS:
        tried, before = INSERTS[route](shop, kind, shop.sample(kind), member, forged), None
    else:
        record, before = shop.made(kind)
        tried = UPDATES[route](shop, kind, record, member, forged)
        if tried.status >= 400:
            assert shop.stored(kind, record["id"]) == before, "refused, and yet changed"
    assert tried.status < 500
    if tried.status >= 400 or tried.record_id is None:
        return str(tried.status % 10)
    stored = shop.stored(kind, tried.record_id)
    shop.documents[COLLECTIONS[kind]].delete_one({"_id": stored["_id"]})  # what must be unique is free again
    return "+" if arrived(stored, before, member, forged) else "-"


def arrived(stored: Document, before: Document | None, member: str, forged: Any) -> bool:
    """Whether the value is there; a member of the server's is else as it was before."""
    path = "_id" if member == "id" else member
    value = at(stored, path)
    if before is not None and not path.startswith("auditInfo.last") and path not in ("version", "code"):
        kept = at(before, path)
        if path == "persistentEvents":
            assert value[: len(kept)] == kept
        elif str(value) != str(forged):
            assert value == kept
    says = "" if value is MISSING else str(value)
    return str(forged) in says or "mallory" in says or (member.endswith("Date") and "2001" in says)


@pytest.mark.parametrize("member", FORGED)
def test_what_a_client_sends_does_not_arrive(shop: Shop, member: str) -> None:
    cells = " ".join(outcome(shop, route, member) for route in ROUTES)
    assert f"{member} {cells}" == f"{member} {grid().get(member)}"


def test_the_table_knows_all_that_the_server_keeps() -> None:
    """Of the record types here: fields the server sets, calculates, and those that may not change once set."""
    kept = {"id", "version", "references", "actionList", "persistentEvents", "invalid", "violations"}
    for name in PATHS:
        kind = CATALOG[name]
        kept |= kind.server_set | kind.calculated.keys() | kind.immutable
    audit = {f"auditInfo.{wire_name(name)}" for name in AuditInfo.model_fields}
    domain = {f"dataDomain.{wire_name(name)}" for name in DataDomainInput.model_fields} - {
        "dataDomain.ownerId"
    }
    assert kept | audit | domain <= FORGED.keys()
    assert grid().keys() == FORGED.keys()
