"""Records and users wherever a caller may or may not reach, put back after each request that changes them.

A target is the same record or user six times over; what differs is where it stands, and in which realm.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from bson import ObjectId
from pymongo import MongoClient
from pymongo.database import Database

from runtime.identity.users.users import NewUser, create_user
from runtime.model.record_type import RecordType
from runtime.realm_setup import create_realm
from tests.http.bodies import vary_unique
from tests.http.world import CALLERS, CREATED_AT, OWN_ROLES, PASSWORD, SYSTEM, Document, World
from tests.narrowing import narrow_token

ABROAD = "abroad"
"""A realm beside the default one, which is open to none of the callers."""

TARGETS = ("own", "other owner", "other org", "other tenant", "other realm", "away")
"""``other realm``: asked for there, with X-Realm; ``away``: there, asked for at home."""

_NORTH = {"tenantId": "acme", "orgRefName": "north", "dataSegment": 0}
_PLACES: dict[str, Document] = {
    "other owner": _NORTH | {"ownerId": "somebody@acme.example"},
    "other org": {"tenantId": "acme", "orgRefName": "south", "dataSegment": 0, "ownerId": "s@acme.example"},
    "other tenant": {  # shared there
        "tenantId": "globex",
        "orgRefName": "*",
        "dataSegment": 0,
        "ownerId": "g@globex.example",
    },
}
_NEIGHBOURS = {"other owner": "acme-north", "other org": "acme-south", "other tenant": "globex"}
"""Callers who stand there, for what a record refers to."""


def _north(name: str, *roles: str) -> NewUser:
    own = OWN_ROLES if name != "matrix-auditor" else frozenset()
    return NewUser(f"{name}@acme.example", PASSWORD, "acme", own.union(roles), org_ref_name="north")


ROLES: dict[str, NewUser | None] = {
    "none": None,
    "auditor": _north("matrix-auditor", "auditor"),
    "user": _north("matrix-user", "user"),
    "admin": _north("matrix-admin", "admin"),
    "system": CALLERS["system"],
    "reader": _north("matrix-reader", "admin"),
    "writer": _north("matrix-writer", "admin"),
}
"""Role → who has it; ``none`` sends no token. All but ``system`` stand in organisation north of acme."""

SCOPES = {"reader": "records:read security:read", "writer": "records:write security:write"}
"""Role → the scopes of its token. Those of the others are not narrowed."""

_USER = frozenset({"user"})
_USERS = {
    "other owner": NewUser("target-north@acme.example", PASSWORD, "acme", _USER, org_ref_name="north"),
    "other org": NewUser("target-south@acme.example", PASSWORD, "acme", _USER, org_ref_name="south"),
    "other tenant": NewUser("target@globex.example", PASSWORD, "globex", _USER),
    "other realm": NewUser("target@abroad.example", PASSWORD, "acme", _USER, ABROAD, org_ref_name="north"),
}


PROFILE: Document = {
    "targetType": "logistics.Airport",
    "columnMappings": [{"sourceColumn": "CITY", "targetField": "city"}],
}


@dataclass
class Scene:
    """``abroad``: the database of the other realm."""

    world: World
    abroad: Database[Document]
    _numbers: Iterator[int] = field(default_factory=lambda: count(1))
    _templates: dict[str, Document] = field(default_factory=dict)
    _revisions: dict[str, Document] = field(default_factory=dict)
    _targets: dict[tuple[str, str, str], Document] = field(default_factory=dict)
    _profiles: set[tuple[str, str]] = field(default_factory=set)

    def record(self, kind: RecordType[Any], role: str, target: str) -> Document:
        """The target as it is stored."""
        key = kind.name, role, target
        if key not in self._targets:
            self._targets[key] = self._made(kind, role, target)
            self._store(kind, target, self._targets[key])
        return self._targets[key]

    def user(self, role: str, target: str) -> Document:
        """The target's credential as it is stored."""
        key = "Credential", role, target
        if key not in self._targets:
            self._targets[key] = self._credential(role, target)
        return self._targets[key]

    def put_back(self, kind: RecordType[Any], target: str, document: Document) -> None:
        """Make the target as it was, its history with it."""
        if kind.audited:
            self._database(target)["revisions"].delete_many({"recordId": str(document["_id"])})
        self._store(kind, target, document)

    def _store(self, kind: RecordType[Any], target: str, document: Document) -> None:
        """Store the target, and the revision of it that is its history."""
        database, record_id = self._database(target), str(document["_id"])
        database[kind.collection].replace_one({"_id": document["_id"]}, document, upsert=True)
        if kind.audited:
            revision = self._revision(kind)
            own = {"_id": ObjectId(), "recordId": record_id, "refName": f"{kind.name}:{record_id}:1"}
            database["revisions"].insert_one(revision | own | {"dataDomain": document["dataDomain"]})

    def body(self, kind: RecordType[Any], role: str, target: str) -> Document:
        """What can be saved in the place of the target by whoever reaches it."""
        caller = self.caller(role)
        if role == "system" and target in _NEIGHBOURS:
            caller = _NEIGHBOURS[target]
        return self.sample(kind, caller)

    def sample(self, kind: RecordType[Any], caller: str) -> Document:
        """A body that can be saved, of any record type."""
        if kind.name == "ImportProfile":
            return dict(PROFILE)
        if kind.name == "Agent":
            return {"refName": "template"}
        if kind.name != "PermissionRule":
            return self.world.sample(kind.name, caller)
        header = {"identity": "nobody at all"}
        return {"name": "Nothing", "effect": "DENY", "enabled": False, "securityURI": {"header": header}}

    def make_profile(self, owner: str, body: Document) -> None:
        """Let an import profile be there, saved by its owner. No row of the matrix removes one."""
        if (key := (owner, body["refName"])) not in self._profiles:
            made = self.world.ask("POST /integration/import-profiles", owner, json=body)
            assert made.status_code in (201, 409), made.text
            self._profiles.add(key)

    def caller(self, role: str) -> str:
        """Whose token is sent; for ``none``, and for roles that may make nothing, who makes what is needed."""
        return role if role == "system" else f"matrix-{'user' if role in ('none', 'auditor') else role}"

    def stored(self, collection: str, target: str, ids: list[Any]) -> list[Document]:
        """What is there now of these."""
        return list(self._database(target)[collection].find({"_id": {"$in": ids}}))

    def _made(self, kind: RecordType[Any], role: str, target: str) -> Document:
        """A copy of a record that the service made, with other values where two may not be alike."""
        if kind.name not in self._templates:
            self._templates[kind.name] = self._template(kind)
        sample = {} if kind.name == "Decision" else self.sample(kind, "acme")
        user = ROLES[role] or ROLES["user"]
        assert user is not None
        own = {"tenantId": user.tenant_id, "dataSegment": 0, "ownerId": user.user_id}
        own |= {"orgRefName": user.org_ref_name} if user.org_ref_name else {}
        record_id = ObjectId()
        owner = self._owner(role, target) if kind.name == "Webhook" else {}
        copy = vary_unique(kind, self._templates[kind.name], next(self._numbers), sample)
        return copy | owner | {
            "_id": record_id, "refName": f"T-{record_id}", "dataDomain": _PLACES.get(target, own),
        }  # fmt: skip

    def _owner(self, role: str, target: str) -> Document:
        """Whose rights a webhook has: those of the user in its place."""
        credential = self.user("user" if role in ("none", "auditor") else role, target)
        realm = credential["domainContext"]["defaultRealm"]
        return {
            "ownerUserId": credential["userId"],
            "ownerSubject": credential["subject"],
            "ownerRealm": realm,
        }

    def _template(self, kind: RecordType[Any]) -> Document:
        if kind.name not in SYSTEM:
            made = self.world.make(kind.name)["id"]
        elif kind.name == "Decision":
            made = self.world.ask("GET /security/users", "acme-nobody").json()["decisionId"]
        else:
            path = self._created_at(kind)
            answer = self.world.ask(f"POST {path}", "acme", json=self.sample(kind, "acme"))
            hint = f"what a {kind.name} needs to be saved is in World._sample_written, or in Scene.sample"
            assert answer.is_success, f"{answer.text}; {hint}"
            made = answer.json()["id"]
        found = self.world.documents[kind.collection].find_one({"_id": ObjectId(made)})
        assert found is not None
        return found

    def _revision(self, kind: RecordType[Any]) -> Document:
        """A revision of any record of the type."""
        if kind.name not in self._revisions:
            found = self.world.documents["revisions"].find_one({"recordType": kind.name})
            assert found is not None
            self._revisions[kind.name] = found
        return self._revisions[kind.name]

    def _created_at(self, kind: RecordType[Any]) -> str:
        if kind.name == "Agent":
            return f"/api/agent/config?realm={self.world.realm}"
        return CREATED_AT.get(kind.name, kind.base_path)

    def _credential(self, role: str, target: str) -> Document:
        own = ROLES[role] or ROLES["user"]
        assert own is not None
        user = _USERS.get("other realm" if target == "away" else target, own)
        found = self._database(target)["credentials"].find_one({"userId": user.user_id})
        assert found is not None, user.user_id
        return found

    def _database(self, target: str) -> Database[Document]:
        return self.abroad if target in ("other realm", "away") else self.world.documents


def narrowed(role: str) -> str:
    """The name of the caller who sends the token with the ``SCOPES`` of a role."""
    return f"matrix-{role} narrowed"


@contextmanager
def open_scene(world: World, client: MongoClient[Document]) -> Iterator[Scene]:
    """The other realm and all callers and users."""
    name = f"{world.realm}-{ABROAD}"
    portal = world.client.portal
    assert portal is not None
    service = world.app.state.service
    try:
        portal.call(create_realm, service, ABROAD, name)
        for role, user in ROLES.items():
            if user is not None and role != "system":
                world.sign_in(f"matrix-{role}", user)
        for role, scopes in SCOPES.items():
            world.tokens[narrowed(role)] = narrow_token(world, f"matrix-{role}", scopes)
        for user in _USERS.values():
            portal.call(create_user, service, user)
        yield Scene(world, client[name])
    finally:
        client.drop_database(name)
