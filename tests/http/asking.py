"""A random request for any operation of the document, aimed at a record and a user that may be somebody else's.

What the document names (parameters, bodies) must stand in the tables here: a new one fails until somebody has
thought of what an attacker would put there. Parameters of a service's own endpoints get names of the target. The same ``Random`` and another target make the twin of a request:
the same words about something that does not exist.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any
from urllib.parse import quote

import httpx2

from runtime.system.models.authorization_request import AuthorizationRequest
from tests.http.documented import Operation
from tests.http.world import NOWHERE, PASSWORD, Document

Value = str | None
Body = Callable[..., Document]


@dataclass(frozen=True)
class Target:
    """Whose record and user are named; ``words`` is all that a request can take from here.

    ``mark`` stands in every text of the tenant's documents. ``references``: an id for each record type.
    """

    tenant: str
    mark: str
    record_id: str
    ref_name: str
    user_id: str
    subject: str
    cursor: str
    token: str
    session: str
    references: Mapping[str, str] = field(default_factory=dict)

    @property
    def words(self) -> tuple[str, ...]:
        own = (
            self.ref_name,
            self.record_id,
            self.user_id,
            self.subject,
            self.cursor,
            self.token,
            self.mark,
            self.session,
        )
        return tuple(filter(None, {*own, *self.references.values(), self.tenant}))


@dataclass(frozen=True)
class Asker:
    """Who asks; ``body`` makes what can be saved of a record type, ``key`` names the request of its round."""

    tenant: str
    caller: str
    body: Callable[[str], Document]
    key: str
    realm: str = ""


@dataclass(frozen=True)
class Request:
    """As it is sent."""

    method: str
    path: str
    options: Mapping[str, Any]

    @property
    def text(self) -> str:
        """All of it, to be searched for words."""
        return f"{self.path} {json.dumps(self.options, default=str)}"


def build(operation: Operation, asker: Asker, target: Target, random: Random) -> Request:
    """One request; the same ``random`` makes the same one for another target."""
    path = operation.path
    query: dict[str, str] = {}
    headers: dict[str, str] = {}
    for name in operation.parameters:
        value = (_any_word if operation.is_added else PARAMETERS[name])(random, asker, target)
        if f"{{{name}}}" in path:
            path = path.replace(f"{{{name}}}", quote(str(value), safe=""))
        elif value is not None:
            (headers if name[0].isupper() else query)[name] = value
    if query.get("cursor"):
        query.pop("skip", None)
    options: dict[str, Any] = {"params": query, "headers": headers}
    if operation.path in FORMS and operation.body is not None:
        options["data"] = _body_of(operation)(random, asker, target, operation)
    elif operation.body == FILE:
        options["files"] = {"file": ("rows.csv", f"refName,displayName\r\n{target.ref_name},Changed\r\n")}
    elif operation.body is not None:
        body = _body_of(operation)(random, asker, target, operation)
        headers["Content-Type"] = (
            "application/merge-patch+json" if operation.method == "PATCH" else "application/json"
        )
        options["content"] = json.dumps(body)
    return Request(operation.method, path, options)


FORMS = (
    "/oauth/token",
    "/oauth/par",
    "/oauth/authorize",
    "/oauth/revoke",
    "/oauth/introspect",
    "/oauth/userinfo",
    "/oauth/logout",
)
"""Their bodies are forms."""

FILE = ""
"""The body of an import: a form with a file, of no schema's name."""


def _any_word(random: Random, _asker: Asker, target: Target) -> Value:
    """What an endpoint of a service's own may take for the name of a record."""
    return random.choice([target.ref_name, target.record_id])


def _body_of(operation: Operation) -> Body:
    name = _schema(operation)
    assert name in BODIES, f"add to BODIES in tests/http/asking.py what is sent as {name}, for {operation}"
    return BODIES[name]


def _schema(operation: Operation) -> str:
    """Records have bodies of their own names: as sent and as a patch."""
    body = operation.body or ""
    if operation.kind and body.removesuffix("Input").removesuffix("Patch") == operation.kind.name:
        return "a patch" if body.endswith("Patch") else "a record"
    return "Bulk" if operation.kind and body == f"{operation.kind.name}Bulk" else body


def _id(_random: Random, _asker: Asker, target: Target) -> str:
    return target.record_id


def _one_of(*values: Value) -> Callable[[Random, Asker, Target], Value]:
    return lambda random, _asker, _target: random.choice(values)


def _filter(random: Random, asker: Asker, target: Target) -> Value:
    return random.choice([
        None, f"hasEdge(partOf, {target.record_id})", f"!!hasEdge(suppliedBy, {target.record_id})",
        f"id:{target.record_id}", f"refName:{target.ref_name}", f"displayName:{target.mark}*",
        f"id:^[{target.record_id}]", f"dataDomain.tenantId:{target.tenant}", f"refName:~ || id:{target.record_id}",
        f"dataDomain.tenantId:!{asker.tenant}", f"!!dataDomain.tenantId:{asker.tenant}", f"!!displayName:{target.mark}*",
        f"auditInfo.createdBy:*{target.tenant}*", f"dataDomain.ownerId:{target.user_id}", "id:~",
        "text(only*)", f"id:{target.record_id} || text(only*) || text(x)",  # how all marks begin
        "auditInfo.createdDate:>now-1d", "!!auditInfo.createdDate:today",
    ])  # fmt: skip


def _constraints(random: Random, _asker: Asker, target: Target) -> Value:
    predicate = random.choice(["liesIn", "partOf", "suppliedBy", "exposedTo"])
    ends = [target.record_id, *target.references.values()]
    return random.choice([None, f"{predicate}:{random.choice(ends)}"])


def _pairs(random: Random, _asker: Asker, target: Target) -> Value:
    return random.choice(
        [
            "displayName:Changed",
            f"dataDomain.tenantId:{target.tenant}",
            f"dataDomain.ownerId:{target.tenant}",
            f"refName:{target.ref_name}-2",
        ]
    )


def _cursor(random: Random, _asker: Asker, target: Target) -> Value:
    return target.cursor if random.random() < 0.15 else None


def _key(random: Random, asker: Asker, target: Target) -> Value:
    """The one the target's tenant has used, or will, for the same operation."""
    return f"{target.tenant} {asker.key}" if random.random() < 0.3 else None


def _impersonated(name: str) -> Callable[[Random, Asker, Target], Value]:
    def value(random: Random, asker: Asker, target: Target) -> Value:
        named = random.random() < 0.05 and target.tenant != asker.tenant
        return str(getattr(target, name)) if named else None

    return value


def _behalf(name: str) -> Callable[[Random, Asker, Target], Value]:
    return lambda random, _asker, target: str(getattr(target, name)) if random.random() < 0.05 else None


def _columns(_random: Random, asker: Asker, _target: Target) -> Value:
    return "refName,displayName" if "mport" in asker.key else "id,displayName,dataDomain.tenantId"


def _profile(random: Random, asker: Asker, target: Target) -> Value:
    """That of the asker's tenant for the record type, or whatever the target's may have."""
    return random.choice([profile_name(asker.tenant, asker.key.partition("_")[0]), target.ref_name])


def profile_name(tenant: str, domain: str) -> str:
    """The refName of a tenant's profile of two columns, refName and displayName."""
    return f"{tenant} has columns for {domain}"


_DIALECT = (
    "filename", "preferredColumnNames", "fieldSeparator", "quotingStrategy", "quoteChar", "decimalSeparator",
    "charsetEncoding", "formulaGuard",
)  # fmt: skip
"""How a table is written says nothing about what is in it."""

PARAMETERS: Mapping[str, Callable[[Random, Asker, Target], Value]] = {
    "id": _id,
    "refName": lambda _random, _asker, target: target.ref_name,
    "userId": lambda _random, _asker, target: target.user_id,
    "clientId": lambda _random, _asker, target: target.ref_name,
    "subject": lambda _random, _asker, target: target.subject,
    "filter": _filter,
    "timeZone": _one_of(None, "Europe/Berlin"),
    "sort": _one_of(
        None,
        "refName",
        "-id",
        "-version,displayName",
        "dataDomain.tenantId",
        "dataDomain.tenantId~ci",
        "-refName~ci:sv",
        "displayName~ci~nullslast",
        "version~nullslast",
        "-score",
    ),
    "projection": _one_of(None, "refName,dataDomain", "-auditInfo", "id"),
    "expand": _one_of(None, None, "customer", "country", "home.country", "items.product,shipments[*].origin"),
    "cursor": _cursor,
    "since": _one_of(None, "now", "now", "AAAAAAAAAAAAAAAA"),
    "count": _one_of("none", "exact"),
    "constraints": _constraints,
    "direction": _one_of("out", "in", "both"),
    "predicate": _one_of(None, None, "liesIn", "suppliedBy", "partOf"),
    "skip": _one_of(None, "0", "3"),
    "limit": _one_of("1000", "1000", "7", None),
    "actions": _one_of("true", "false"),
    "requestedColumns": _columns,
    "profileRefName": _profile,
    "groupId": lambda _random, _asker, target: target.references.get("CompletionTaskGroup", NOWHERE),
    "deliveryId": _id,
    "status": _one_of("SUCCESS", "RUNNING", "DEAD"),
    "result": _one_of(None, "done"),
    "issuerPath": _one_of("mcp"),
    "resourcePath": _one_of("mcp", "other"),
    "sessionId": lambda _random, asker, target: target.session if target.tenant != asker.tenant else NOWHERE,
    "skipHeaderRow": _one_of("true"),
    "onlyErrors": _one_of(None, "true"),
    "intent": _one_of(None, "SKIP"),
    "restoreArchived": _one_of(None, "true"),
    "offset": _one_of(None, "3"),
    "length": _one_of("-1", "7"),
    "prependHeaderRow": _one_of("true"),
    **dict.fromkeys(_DIALECT, _one_of(None)),
    "dryRun": _one_of("true", "false", None, None),
    "pairs": _pairs,
    "roles": _one_of("admin"),
    "If-Match": _one_of(None, None, '"1"'),
    "If-None-Match": _one_of(None, '"1"', "*"),
    "Last-Event-ID": _one_of(None, None, "AAAAAAAAAAAAAAAA"),
    "Idempotency-Key": _key,
    "Prefer": _one_of(None, None, "return=minimal"),
    "Authorization": _one_of(None),
    "Cookie": _one_of(None, "recordsmith-sign-on=made-up"),
    "User-Agent": _one_of(None, "a browser"),
    **{name: _one_of(None) for name in AuthorizationRequest.model_fields},
    "response_type": _one_of("code"),
    "client_id": lambda _random, _asker, target: target.user_id,
    "redirect_uri": _one_of("https://app.example/callback"),
    "post_logout_redirect_uri": _one_of(None, "https://app.example/"),
    "logout_hint": lambda _random, _asker, target: target.user_id,
    "ui_locales": _one_of(None),
    "X-Realm": _one_of(None),
    "X-Agent": lambda random, _asker, target: target.ref_name if random.random() < 0.05 else None,
    "agent": lambda _random, _asker, target: target.ref_name,
    "rootType": lambda random, _asker, _target: random.choice(QUERIED),
    "realm": lambda _random, asker, _target: asker.realm or None,
    "X-Impersonate-Subject": _impersonated("subject"),
    "X-Impersonate-UserId": _one_of(None),  # not both
    "X-Acting-On-Behalf-Of-Subject": _behalf("subject"),
    "X-Acting-On-Behalf-Of-UserId": _behalf("user_id"),
}


def _record(random: Random, asker: Asker, target: Target, operation: Operation) -> Document:
    """What could be saved, with one thing in it that is the target's."""
    assert operation.kind is not None
    body = asker.body(operation.kind.name)
    tricks: list[Callable[[], Document]] = [
        dict,
        lambda: {"id": target.record_id},
        lambda: {"id": target.record_id, "version": 1},
        lambda: {"id": target.record_id, "dataDomain": {"tenantId": target.tenant}},
        lambda: {"dataDomain": {"tenantId": target.tenant, "ownerId": target.user_id}},
        lambda: {
            one.path: {"entityId": target.references.get(one.target, target.record_id)}
            for one in (operation.kind.references if operation.kind else ())
            if "[]" not in one.path
        },
    ]
    return body | random.choice(tricks)()


def _patch(random: Random, asker: Asker, target: Target, _operation: Operation) -> Document:
    return random.choice(
        [
            {"displayName": "Changed"},
            {"dataDomain": {"tenantId": target.tenant}},
            {"dataDomain": {"ownerId": target.user_id}},
            {"refName": f"{target.ref_name}-3", "version": 1},
        ]
    )


def _bulk(random: Random, asker: Asker, target: Target, operation: Operation) -> Document:
    operations = [
        {"op": "delete", "id": target.record_id},
        *({"op": "save", "record": _record(random, asker, target, operation)} for _each in range(2)),
    ]
    return {"operations": operations, "atomic": random.random() < 0.5}


def _bulk_set(random: Random, asker: Asker, target: Target, _operation: Operation) -> Document:
    by_id: Document = {"ids": [target.record_id]}
    which = random.choice([by_id, {"filter": f"refName:{target.ref_name}"}])
    values = random.choice([{"displayName": "Changed"}, {"dataDomain.tenantId": target.tenant}])
    return which | {"values": values, "atomic": random.random() < 0.5}


def _find(random: Random, asker: Asker, target: Target, _operation: Operation) -> Document:
    names = ("filter", "timeZone", "sort", "projection", "expand", "cursor")
    said = {name: PARAMETERS[name](random, asker, target) for name in names}
    return {name: value for name, value in said.items() if value} | {"limit": 1000, "count": "exact"}


def _question(random: Random, _asker: Asker, target: Target, _operation: Operation) -> Document:
    who = random.choice([{}, {"identity": target.user_id}])
    what = {"area": "logistics", "functionalDomain": "country", "action": "VIEW"}
    return what | who | {"resource": random.choice([target.record_id, target.ref_name])}


QUERIED = (
    "Carrier", "logistics.Shipment", "Order", "PermissionRule", "ImportProfile", "integration.CompletionTask",
)  # fmt: skip


def _queried(random: Random, target: Target) -> tuple[str, str]:
    """A record type, and a record of it that is the target's."""
    name = random.choice(QUERIED)
    return name, target.references[name.rpartition(".")[2]]


def _query(random: Random, asker: Asker, target: Target, _operation: Operation) -> Document:
    """What is read by the gateway."""
    name, _record_id = _queried(random, target)
    text = _filter(random, asker, target)
    return {"rootType": name} | ({"query": text} if text else {})


def _query_page(random: Random, asker: Asker, target: Target, operation: Operation) -> Document:
    sort = random.choice([[], [{"field": "refName"}], [{"field": "id", "dir": "DESC"}]])
    return _query(random, asker, target, operation) | {"limit": 1000, "count": "exact", "sort": sort}


def _query_export(random: Random, asker: Asker, target: Target, operation: Operation) -> Document:
    columns = ["id", "displayName", "dataDomain.tenantId"]
    return _query(random, asker, target, operation) | {"columns": columns}


def _query_save(random: Random, asker: Asker, target: Target, _operation: Operation) -> Document:
    name = random.choice(["Carrier", "logistics.Shipment"])
    record_id = target.references[name.rpartition(".")[2]]
    theirs: list[Document] = [
        {},
        {"id": record_id},
        {"id": record_id, "dataDomain": {"tenantId": target.tenant}},
        {"dataDomain": {"tenantId": target.tenant, "ownerId": target.user_id}},
    ]
    if name.endswith("Shipment"):
        theirs.append({"customer": {"entityId": target.references["Customer"]}})
    body = asker.body(name.rpartition(".")[2])
    return {"rootType": name, "entity": body | random.choice(theirs), "dryRun": random.random() < 0.3}


def _query_delete(random: Random, _asker: Asker, target: Target, _operation: Operation) -> Document:
    name, record_id = _queried(random, target)
    return {"rootType": name, "id": record_id, "dryRun": random.random() < 0.5}


def _query_delete_many(random: Random, _asker: Asker, target: Target, _operation: Operation) -> Document:
    name, record_id = _queried(random, target)
    match = random.choice([f"id:{record_id}", f"refName:{target.ref_name}", f"id:^[{record_id}]"])
    return {"rootType": name, "query": match, "dryRun": random.random() < 0.5}


def _query_session(random: Random, asker: Asker, target: Target, _operation: Operation) -> Document:
    session = target.session if target.tenant != asker.tenant else NOWHERE
    return {"rootType": "Carrier", "sessionId": session}


def _query_groups(random: Random, asker: Asker, target: Target, operation: Operation) -> Document:
    field = random.choice(["dataDomain.tenantId", "displayName", "auditInfo.createdDate.by(day)"])
    measures = {"number": "count", "last": "max(refName)", "names": "countDistinct(displayName)"}
    return _query(random, asker, target, operation) | {
        "groupBy": [field],
        "measures": measures,
        "limit": 1000,
    }


def _query_edges(random: Random, _asker: Asker, target: Target, _operation: Operation) -> Document:
    return {
        "entityId": random.choice([target.record_id, *target.references.values()]),
        "direction": random.choice(["out", "in", "both"]),
    }


def _tool_use(random: Random, asker: Asker, target: Target, operation: Operation) -> Document:
    tool = random.choice(sorted(TOOLS))
    return {"tool": tool, "arguments": TOOLS[tool](random, asker, target, operation)}


def _agent(random: Random, _asker: Asker, target: Target, _operation: Operation) -> Document:
    name = f"agent {random.random()} after {target.tenant}"
    return {"refName": name, "name": "Changed", **random.choice([{}, {"id": target.record_id}])}


TOOLS: Mapping[str, Callable[[Random, Asker, Target, Operation], Document]] = {
    **dict.fromkeys(("query_plan", "query_count"), _query),
    "query_find": _query_page,
    "query_aggregate": _query_groups,
    "query_relationships": _query_edges,
    "query_predicates": lambda *_asked: {},
    "query_export": _query_export,
    "query_save": _query_save,
    "query_delete": _query_delete,
    "query_deleteMany": _query_delete_many,
    "report_shipment_lost": lambda _random, _asker, target, _operation: {
        "id": target.references["Shipment"],
        "notes": "gone",
    },
    "count_open_orders": lambda _random, _asker, target, _operation: {"customer": target.ref_name},
}


def _always(body: Document) -> Callable[..., Document]:
    return lambda *_arguments: body


BODIES: Mapping[str, Body] = {
    "a record": _record,
    "a patch": _patch,
    "Bulk": _bulk,
    "BulkSet": _bulk_set,
    "FindBody": _find,
    "PermissionQuestionInput": _question,
    **dict.fromkeys(("QueryPlanRequestInput", "QueryCountRequestInput"), _query),
    "QueryFindRequestInput": _query_page,
    "QueryAggregateRequestInput": _query_groups,
    "QueryRelationshipsRequestInput": _query_edges,
    "QueryPredicatesRequestInput": lambda *_asked: {},
    "ToolUseInput": _tool_use,
    "AgentConfigInput": _agent,
    "QueryExportRequestInput": _query_export,
    "QuerySaveRequestInput": _query_save,
    "QueryDeleteRequestInput": _query_delete,
    "QueryDeleteManyRequestInput": _query_delete_many,
    "QueryImportRequestInput": lambda _random, _asker, target, _operation: {
        "rootType": "Carrier", "csv": f"refName,displayName\r\n{target.ref_name},Changed\r\n",
    },
    **dict.fromkeys(
        (f"QueryImport{word}RequestInput" for word in ("Rows", "Session", "Commit")), _query_session
    ),
    "UserCreationInput": lambda random, asker, target, _operation: {
        "userId": f"new-{random.random()}@{asker.tenant}", "password": PASSWORD, "roles": ["user"],
        "tenantId": target.tenant,
    },
    "RoleList": _always({"roles": ["user"]}),
    "ClientRegistrationInput": lambda _random, _asker, target, _operation: {
        "redirect_uris": ["https://app.example/"], "client_name": target.user_id,
    },
    **dict.fromkeys(("NewGroupInput", "NewTaskInput"), _always({"displayName": "New"})),
    **dict.fromkeys(("SecretRotationInput", "WebhookSecretRotationInput"), _always({"endPrevious": True})),
    "NewWebhookInput": lambda _random, asker, _target, _operation: asker.body("Webhook"),
    "UserStatus": _always({"disabled": True}),
    "PasswordResetInput": _always({"newPassword": f"another {PASSWORD}"}),
    "ImpersonationGrant": _always({"filterScript": "userId:~"}),
    "RealmOverrideGrant": _always({"realmRegEx": ".*"}),
    "LoginRequestInput": lambda _random, _asker, target, _operation: {
        "userId": target.user_id, "password": f"wrong {PASSWORD}",
    },
    "AuthorizationFormInput": lambda _random, _asker, target, _operation: {
        "client_id": target.user_id,
        "username": target.user_id,
        "password": f"wrong {PASSWORD}",
    },
    "PushedAuthorizationInput": lambda _random, _asker, target, _operation: {
        "response_type": "code",
        "client_id": target.user_id,
        "client_secret": "not the secret of anybody",
        "redirect_uri": "https://app.example/callback",
    },
    "UserInfoFormInput": lambda _random, _asker, target, _operation: {"access_token": target.token},
    "TokenRequestInput": lambda _random, _asker, target, _operation: {
        "grant_type": "client_credentials", "client_id": target.user_id, "client_secret": target.token,
    },
    "PresentedTokenInput": lambda random, _asker, target, _operation: {
        "token": target.token, "client_id": random.choice([target.user_id, target.ref_name]),
        **random.choice([{}, {"client_secret": target.token}]),
    },
    "EndSessionFormInput": lambda _random, _asker, target, _operation: {
        "client_id": target.ref_name, "logout_hint": target.user_id,
    },
    "RefreshRequest": lambda _random, _asker, target, _operation: {"refreshToken": f"{target.token}x"},
    "LogoutRequestInput": lambda _random, _asker, target, _operation: {"refreshToken": target.token},
    "PasswordChangeInput": _always({"changeToken": "made up", "newPassword": f"another {PASSWORD}"}),
}  # fmt: skip


def scrubbed(answer: httpx2.Response, *targets: Target) -> tuple[int, dict[str, str], str]:
    """An answer without what requests about these targets say, and without what is new in every answer."""
    dropped = ("content-length", "location", "x-request-id")
    headers = {name: value for name, value in answer.headers.items() if name not in dropped}
    text = answer.text
    for word in sorted({word for target in targets for word in target.words}, key=len, reverse=True):
        text = text.replace(word, "WORD")  # longest first, since one may stand in another
    for pattern, plain in _FRESH:
        text = re.sub(pattern, plain, text)
    return answer.status_code, headers, text


_FRESH = (
    (r"[0-9a-f]{24}", "WORD"),
    (r"[0-9a-f]{6,23}…", "WORD…"),  # cut off at the end of an excerpt
    (r"\d{4}-\d\d-\d\dT[\d:.]+Z", "MOMENT"),
    (r'"nextCursor":"[^"]*"', '"nextCursor":""'),
    (r'"cursor":"[^"]*"', '"cursor":""'),
    (r"(?m)^id: [A-Za-z0-9_-]+$", "id: "),
    (r'"requestId":"[^"]*"', '"requestId":""'),
    (r'"(icao|sku|code|locode|clientId)":"[^"]*"', r'"\1":""'),
    (r"whsec_[\w+/=]+", "SECRET"),
    (r"(TULIP-|client-|\bA)\d+\b", "NEXT"),
    (r"; did you mean [^?]*\?", ""),  # own names that look like the one that was asked for
)
