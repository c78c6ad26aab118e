"""The REST door of the authorization matrix: how each operation is asked for a target, and what its answer means.

An answer is one letter: ``+`` it was done, or the target is shown; ``-`` it was done without the target (an
empty list, a new record instead); a digit is the refusal: 1 for 401, 3 for 403, 4 for 404, 9 for 409, else the
last digit of the status.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import count
from typing import Any
from urllib.parse import quote

import httpx2
from bson import Decimal128, ObjectId

from generated.record_types import CATALOG
from runtime.model.record_type import RecordType
from runtime.system.record_types import AGENT, CREDENTIAL, DECISION
from tests.http.documented import OPERATIONS, Operation
from tests.http.scene import ABROAD, ROLES, SCOPES, TARGETS, Scene, narrowed
from tests.http.world import NOWHERE, PASSWORD, Document

Options = dict[str, Any]
_NUMBERS = count(1)


@dataclass(frozen=True)
class Asked:
    """One cell: an operation by somebody, for a target."""

    scene: Scene
    operation: Operation
    role: str
    target: str


Refused = tuple[Asked, str, Document]
"""A cell that may have changed nothing, with the collection of its target and the target."""


class Rest:
    """Every operation of the published document."""

    operations = OPERATIONS

    def row(self, scene: Scene, operation: Operation) -> str:
        """Return a group of letters for each role; nothing but a ``+`` may have changed a target."""
        refused: list[Refused] = []
        groups = (
            "".join(self._outcome(Asked(scene, operation, role, target), refused) for target in TARGETS)
            for role in ROLES
        )
        letters = " ".join(groups)
        _check_untouched(refused)
        return letters

    def outcome(self, asked: Asked) -> str:
        """Return the letter of one cell; nothing but a ``+`` may have changed the target."""
        refused: list[Refused] = []
        letter = self._outcome(asked, refused)
        _check_untouched(refused)
        return letter

    def _outcome(self, asked: Asked, refused: list[Refused]) -> str:
        """Ask, and read the answer; what it may not have changed is added to ``refused``, or checked if others use it."""
        kind, place = _kind(asked.operation) or CREDENTIAL, _place(asked)
        document = _target(asked)
        letter = _letter(asked, document, self.send(asked, document))
        if asked.operation.name == "security_endSessions":  # also that of the caller, who is to go on
            asked.scene.world.documents["refreshFamilies"].update_many({}, {"$set": {"revoked": False}})
        if letter != "+" and asked.operation.is_write:
            left = asked, kind.collection, document
            if asked.operation.kind is None or asked.operation.word == "restore":
                _check_untouched([left])
            else:  # each cell has a record of its own: all of a row are read together
                refused.append(left)
        if asked.operation.is_write and (letter == "+" or asked.operation.word == "restore"):
            asked.scene.put_back(kind, place, _as_made(asked))
        return letter

    def send(self, asked: Asked, document: Document) -> httpx2.Response:
        """Send the request of a cell."""
        operation = asked.operation
        named = _named(document)
        if operation.is_added:  # whatever it names, it may be a record
            named = {name: document.get("refName", NOWHERE) for name in operation.parameters} | named
        path = operation.path.format_map({name: quote(str(value), safe="") for name, value in named.items()})
        return asked.scene.world.ask(
            f"{operation.method} {path}", caller_of(asked), **options_of(asked, document)
        )


def _check_untouched(refused: list[Refused]) -> None:
    """Compare the targets of requests that were not done with what is stored."""
    wanted: dict[tuple[str, str], list[Any]] = {}
    for asked, collection, document in refused:
        wanted.setdefault((collection, _place(asked)), []).append(document["_id"])
    found = {
        (place, one["_id"]): one
        for (collection, place), ids in wanted.items()
        for one in refused[0][0].scene.stored(collection, place, ids)
    }
    for asked, _collection, document in refused:
        after = found.get((_place(asked), document["_id"]))
        assert after == document, f"{asked.operation} by {asked.role} changed the {asked.target} one"


def _kind(operation: Operation) -> RecordType[Any] | None:
    """The record type of the target."""
    return operation.kind or ABOUT.get(operation.name)


def _place(asked: Asked) -> str:
    """Where the target stands; what is no operation on records or users is about the caller."""
    has_target = _kind(asked.operation) or asked.operation.name.startswith("users_")
    return asked.target if has_target else "own"


def _as_made(asked: Asked) -> Document:
    kind, place = _kind(asked.operation), _place(asked)
    return asked.scene.record(kind, asked.role, place) if kind else asked.scene.user(asked.role, place)


def _target(asked: Asked) -> Document:
    document, kind = _as_made(asked), asked.operation.kind
    if kind is not None and asked.operation.word == "restore":
        document = document | {"activeStatus": "ARCHIVED"}
        asked.scene.put_back(kind, asked.target, document)
    return document


def options_of(asked: Asked, document: Document) -> Options:
    """What is sent beside the path."""
    options = dict(OPTIONS.get(_key(asked.operation), _none)(asked, document))
    abroad = {"X-Realm": ABROAD} if asked.target == "other realm" else {}
    return options | {"headers": options.get("headers", {}) | abroad}


def _named(document: Document) -> Mapping[str, Any]:
    names = ("refName", "userId", "subject", "clientId")
    fixed = {
        "sessionId": NOWHERE, "groupId": NOWHERE, "deliveryId": NOWHERE, "issuerPath": "of/another", "resourcePath": "mcp",
        "rootType": "Carrier", "agent": document.get("refName"),
    }  # fmt: skip
    return {"id": document["_id"], **fixed} | {name: document[name] for name in names if name in document}


def caller_of(asked: Asked) -> str | None:
    """Whose token is sent."""
    if asked.role in SCOPES:
        return narrowed(asked.role)
    if ROLES[asked.role] is None:
        return None
    return asked.role if asked.role == "system" else f"matrix-{asked.role}"


def _key(operation: Operation) -> str:
    return operation.word if operation.kind else f"{operation.name.partition('_')[0]}_{operation.word}"


def _letter(asked: Asked, document: Document, answer: httpx2.Response) -> str:
    status = answer.status_code
    assert status < 500, answer.text
    if status >= 400:
        return str(status % 10)
    shows: Callable[[Any, Document], bool] | None = SHOWS.get(_key(asked.operation))
    if shows is None:
        names_it = "{" in asked.operation.path
        assert names_it or _key(asked.operation) in SUCCEEDS, f"add {_key(asked.operation)} to SHOWS"
        return "+"
    if not answer.content:  # whoever may not view the target gets nothing back: 201 for another one
        return "+" if status == 204 else "-"
    said: Any = answer.json() if "json" in answer.headers["content-type"] else answer.text
    if asked.operation.word in ("bulk", "bulkSet"):
        failed = [result["status"] for result in said["results"] if result["status"] >= 400]
        if failed:
            return str(failed[0] % 10)
    return "+" if shows(said, document) else "-"


def _none(_asked: Asked, _document: Document) -> Options:
    return {}


def _by_id(_asked: Asked, document: Document) -> Options:
    return {"params": {"filter": f"id:{document['_id']}"}}


def _table(_asked: Asked, document: Document) -> Options:
    """An import of one row, which names the target."""
    text = f"refName,displayName\r\n{document['refName']},Changed\r\n"
    columns = {"requestedColumns": "refName,displayName", "skipHeaderRow": "true"}
    return {"params": columns, "files": {"file": ("rows.csv", text)}}


def _table_by_profile(asked: Asked, document: Document) -> Options:
    """The same, read by a profile that whoever asks may see: one of its own tenant."""
    kind = asked.operation.kind
    assert kind is not None
    columns = [{"sourceColumn": field, "targetField": field} for field in ("refName", "displayName")]
    body = {
        "refName": f"columns of {kind.name}",
        "targetType": f"{kind.area}.{kind.name}",
        "columnMappings": columns,
    }
    owner = "system" if asked.role == "system" else "matrix-admin"
    asked.scene.make_profile(owner, body)
    return _table(asked, document) | {"params": {"profileRefName": body["refName"]}}


def _user_place(asked: Asked, _document: Document) -> Options:
    """A new user where the target stands."""
    place = {"other org": {"orgRefName": "south"}, "other tenant": {"tenantId": "globex"}}
    name = f"made-{next(_NUMBERS)}@example"
    body = {"userId": name, "password": PASSWORD, "roles": ["user"]}
    return {"json": body | place.get(asked.target, {})}


def _login(asked: Asked, document: Document) -> Options:
    return {"json": {"userId": document["userId"], "password": PASSWORD}}


def _refresh(asked: Asked, document: Document) -> Options:
    answer = asked.scene.world.ask("POST /security/login", None, **_login(asked, document))
    return {"json": {"refreshToken": answer.json()["refreshToken"]}}


def _saved(asked: Asked, document: Document) -> Options:
    kind = asked.operation.kind
    assert kind is not None
    body = asked.scene.body(kind, asked.role, asked.target)
    same = {name: as_sent(document[name]) for name in kind.immutable if name in document}
    return {"json": body | same | {"id": str(document["_id"])}}


def as_sent(value: Any) -> Any:
    """Return a stored value as a caller sends it; of a reference, its id."""
    match value:
        case {"entityId": record_id}:
            return {"entityId": str(record_id)}
        case datetime():
            return f"{value.isoformat(timespec='milliseconds')}Z"
        case Decimal128() | ObjectId():
            return str(value)
        case dict():
            return {name: as_sent(inner) for name, inner in value.items()}
        case list():
            return [as_sent(inner) for inner in value]
    return value


def _rotated(asked: Asked, document: Document) -> Options:
    """The secret of a webhook, or of a client. The client is named by its client id: no other may have it, as after a save of one that is away."""
    if "clientId" not in document:
        return {"json": {}}
    others = {"clientId": document["clientId"], "_id": {"$ne": document["_id"]}}
    asked.scene.world.documents["oauth_clients"].delete_many(others)
    return {"json": {}}


def _created(asked: Asked, _document: Document) -> Options:
    is_hook = asked.operation.name == "webhook_create"
    return {"json": {"recordTypes": ["Carrier"], "address": "https://hooks.example/"} if is_hook else {}}


def _given_credential(asked: Asked, document: Document) -> Options:
    """Nobody has given it one before."""
    _rotated(asked, document)
    asked.scene.world.documents["credentials"].delete_many({"userId": document["clientId"]})
    return {"json": {"roles": ["user"]}}


CONNECTED = ("relationships", "predicates")
"""They are about the ontology, of which carriers are no part."""

QUERIES = ("plan", "find", "count", "aggregate", "save", "delete", "deleteMany", "export")
IMPORTS = ("importAnalyze", "importRows", "importCommit", "importCancel")
_CARRIER = {"rootType": "logistics.Carrier"}
_SESSION = _CARRIER | {"sessionId": NOWHERE}


def _query(**said: Any) -> Callable[[Asked, Document], Options]:
    """A request of the gateway; ``{id}`` and ``{refName}`` in its values are those of the target."""

    def build(_asked: Asked, document: Document) -> Options:
        named = {"id": str(document["_id"]), "refName": document["refName"]}
        return {"json": _CARRIER | {name: value.format_map(named) for name, value in said.items()}}

    return build


def _query_saved(asked: Asked, document: Document) -> Options:
    body = asked.scene.body(CATALOG["Carrier"], asked.role, asked.target)
    return {"json": _CARRIER | {"entity": body | {"id": str(document["_id"])}}}


def _query_grouped(_asked: Asked, document: Document) -> Options:
    measures = {"measures": {"number": "count", "last": "max(refName)"}}
    return {"json": _CARRIER | {"query": f"id:{document['_id']}"} | measures}


def _executed(_asked: Asked, document: Document) -> Options:
    """Only what needs no other permission than a count: the tools themselves have a door of their own."""
    arguments = _CARRIER | {"query": f"id:{document['_id']}"}
    return {"json": {"tool": "query_count", "arguments": arguments}}


def _in_realm(asked: Asked, _document: Document) -> Options:
    realm = ABROAD if asked.target == "other realm" else asked.scene.world.realm
    return {"params": {"realm": realm}}


def _agent_saved(asked: Asked, document: Document) -> Options:
    return _in_realm(asked, document) | {"json": {"refName": document["refName"], "name": "Other"}}


AGENTS = ("list", "getByRefName", "getById", "save", "deleteByRefName", "deleteById")

ABOUT: Mapping[str, RecordType[Any]] = {
    **dict.fromkeys((f"query_{word}" for word in (*QUERIES, *IMPORTS)), CATALOG["Carrier"]),
    **dict.fromkeys((f"query_{word}" for word in CONNECTED), CATALOG["Region"]),
    **dict.fromkeys(("agent_execute", "agent_schemaOf"), CATALOG["Carrier"]),
    **dict.fromkeys((f"agentConfig_{word}" for word in AGENTS), AGENT),
    "permission_check": CATALOG["Country"],
    "permission_decision": DECISION,
}
"""Operations on records beside the standard ones."""

QUESTION = {"area": "logistics", "functionalDomain": "country", "action": "VIEW"}

OPTIONS: Mapping[str, Callable[[Asked, Document], Options]] = {
    "listRecords": _by_id,
    "find": lambda _asked, one: {"json": {"filter": f"id:{one['_id']}"}},
    "listReferences": _by_id,
    "listConnected": _by_id,
    "count": _by_id,
    "exportCsv": _by_id,
    "importCsv": _table,
    "openImportSession": _table,
    "openProfileSession": _table_by_profile,
    "save": _saved,
    "rotateSecret": _rotated,
    "createCredential": _given_credential,
    "bulk": lambda _asked, one: {"json": {"operations": [{"op": "delete", "id": str(one["_id"])}]}},
    "setFields": lambda _asked, one: {"params": {"id": str(one["_id"]), "pairs": "displayName:Other"}},
    "patch": lambda _asked, _one: {
        "content": '{"displayName": "Other"}',
        "headers": {"Content-Type": "application/merge-patch+json"},
    },
    "create": _created,
    "complete": lambda _asked, _one: {"params": {"status": "SUCCESS"}},
    "bulkSet": lambda _asked, one: {"json": {"ids": [str(one["_id"])], "values": {"displayName": "Other"}}},
    **dict.fromkeys(
        ("query_plan", "query_find", "query_count", "query_export", "query_deleteMany"),
        _query(query="id:{id}"),
    ),
    "query_aggregate": _query_grouped,
    "query_relationships": lambda _asked, one: {"json": {"entityId": str(one["_id"])}},
    "query_predicates": lambda _asked, _one: {"json": {}},
    "agent_execute": _executed,
    **dict.fromkeys(("agentConfig_list", "agentConfig_get", "agentConfig_delete"), _in_realm),
    "agentConfig_save": _agent_saved,
    "query_save": _query_saved,
    "query_delete": _query(id="{id}"),
    "query_importAnalyze": _query(csv="refName,displayName\r\n{refName},Changed\r\n"),
    **dict.fromkeys((f"query_{word}" for word in IMPORTS[1:]), lambda _asked, _one: {"json": _SESSION}),
    "permission_check": lambda _asked, one: {"json": QUESTION | {"resource": str(one["_id"])}},
    "users_list": lambda _asked, _one: {"params": {"limit": 1000}},
    "users_create": _user_place,
    "users_assignRoles": lambda _asked, _one: {"json": {"roles": ["user"]}},
    "users_removeRoles": lambda _asked, _one: {"params": {"roles": "admin"}},
    "users_setDisabled": lambda _asked, _one: {"json": {"disabled": True}},
    "users_resetPassword": lambda _asked, _one: {"json": {"newPassword": f"another {PASSWORD}"}},
    "users_enableImpersonation": lambda _asked, _one: {"json": {"filterScript": "userId:nobody"}},
    "users_enableRealmOverride": lambda _asked, _one: {"json": {"realmRegEx": "nowhere"}},
    "security_login": _login,
    "security_refresh": _refresh,
    "security_logout": lambda _asked, _one: {"json": {"refreshToken": "none of mine"}},
    "oauth_answer": lambda _asked, one: {"data": {"client_id": one["userId"]}},
    "oauth_register": lambda _asked, _one: {"json": {"redirect_uris": ["https://app.example/"]}},
    "oauth_logoutForm": lambda _asked, _one: {"data": {"state": "none"}},
    "oauth_push": lambda _asked, one: {"data": {"client_id": one["userId"]}},
    "oauth_token": lambda _asked, one: {
        "data": {"grant_type": "client_credentials", "client_id": one["userId"], "client_secret": PASSWORD}
    },
    **dict.fromkeys(
        ("oauth_revoke", "oauth_introspect"),
        lambda _asked, one: {"data": {"token": one["userId"], "client_id": one["userId"]}},
    ),
    "security_password": lambda _asked, _one: {"json": {"oldPassword": PASSWORD, "newPassword": PASSWORD}},
}
"""What is sent beside the path; nothing for those that are not here."""

SHOWS: Mapping[str, Callable[[Any, Document], bool]] = {
    "listRecords": lambda said, one: [row["id"] for row in said["rows"]] == [str(one["_id"])],
    "find": lambda said, one: [row["id"] for row in said["rows"]] == [str(one["_id"])],
    "listConnected": lambda said, one: [row["id"] for row in said["rows"]] == [str(one["_id"])],
    "listReferences": lambda said, one: [row["entityId"] for row in said] == [str(one["_id"])],
    "count": lambda said, _one: said == {"count": 1},
    "exportCsv": lambda said, one: said == f"{one['refName']}\r\n",
    "importCsv": lambda said, _one: said["updateCount"] == 1,
    "openImportSession": lambda said, _one: said["updateCount"] == 1,
    "openProfileSession": lambda said, _one: said["updateCount"] == 1,
    "save": lambda said, one: said["id"] == str(one["_id"]),
    "create": lambda said, one: said["id"] == str(one["_id"]),
    "bulk": lambda said, _one: said["deleted"] == 1,
    "bulkSet": lambda said, _one: said["saved"] == 1,
    "query_find": lambda said, one: [row["id"] for row in said["rows"]] == [str(one["_id"])],
    "query_count": lambda said, _one: said == {"count": 1},
    "query_aggregate": lambda said, one: said["rows"] == [{"number": 1, "last": one["refName"]}],
    "query_export": lambda said, one: (
        (said["csv"] if isinstance(said, dict) else said) == f"refName\r\n{one['refName']}\r\n"
    ),
    "agent_execute": lambda said, _one: said == {"count": 1},
    "agentConfig_list": lambda said, one: str(one["_id"]) in [row["id"] for row in said],
    "agentConfig_save": lambda said, one: said["id"] == str(one["_id"]),
    "query_save": lambda said, one: said["id"] == str(one["_id"]),
    "query_deleteMany": lambda said, _one: said == {"matched": 1, "deleted": 1},
    "query_importAnalyze": lambda said, _one: said["updateCount"] == 1,
    "users_list": lambda said, one: one["userId"] in [row["userId"] for row in said["rows"]],
    "users_exists": lambda said, _one: said["exists"] is True,
}
"""Whether a success is about the target; that of an operation with the target in its path is."""

SUCCEEDS: frozenset[str] = frozenset(
    (
        *("followChanges", "setFields", "schema", "states", "users_create"),
        *("agent_permissionHints", "agent_queryHints", "agent_schema", "agent_tools"),
        *("oauth_jwks", "oauth_logout", "oauth_logoutForm", "oauth_metadata", "oauth_metadataOpenId"),
        *("oauth_resource", "oauth_userinfo", "oauth_userinfoOfForm"),
        *("permission_check", "permission_effectiveRules"),
        *("query_delete", "query_importCancel", "query_plan", "query_predicates", "query_relationships"),
        *("query_rootTypes", "security_endSessions", "security_login", "security_logout", "security_me"),
        *("security_refresh", "security_sessions"),
    )
)
"""Operations that name the target elsewhere, or have none: they succeed or they do not."""
