"""The document we publish against what FastAPI reads from the routers: two witnesses of the same service.

The generator writes ``openapi.json`` from the specifications; FastAPI derives its own from the signatures
and classes that answer. Neither is made from the other, so where they agree, both are right.
"""

from __future__ import annotations

import inspect
import json
import warnings
from collections.abc import Mapping
from functools import cache, wraps
from itertools import chain
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from fastapi import FastAPI
from pydantic.warnings import UnsupportedFieldAttributeWarning

from generated.app import DOCUMENT, ROUTERS, create
from runtime.contract.forms import Parameters
from runtime.settings import Settings
from runtime.storage.wire import Json
from runtime.stream import Stream
from tests.documents import follow, list_operations
from tests.rows import for_each_row

Document = Mapping[str, Any]

PUBLISHED: Document = json.loads(DOCUMENT.read_bytes())
REGISTER = ("/oauth/register", "post")
OF_OAUTH = {"oauth2", "oauth2Client"}
NO_MODEL = (Stream, Stream | Json[Any], Json[None])
"""Answers of which FastAPI knows no model."""


@cache
def derive() -> Document:
    """Return what FastAPI would publish, had it the functions of our routes as its own."""
    with warnings.catch_warnings():
        # FastAPI does the same while it reads a route; our classes are built later, when it describes them.
        warnings.simplefilter("ignore", UnsupportedFieldAttributeWarning)
        return read_routes().openapi()


def read_routes() -> FastAPI:
    app = FastAPI()
    for route in chain.from_iterable(router.routes for router in ROUTERS):
        answer = get_type_hints(route.function, include_extras=True)["return"]
        app.add_api_route(
            route.path,
            with_plain_requests(route.function),
            response_model=None if answer in NO_MODEL else get_args(answer)[0],
            methods=route.methods,
            operation_id=route.operation_id,
            tags=route.tags,
        )
    return app


def with_plain_requests(function: Any) -> Any:
    """Return the function of a route with ``Parameters[X]``, which FastAPI cannot read, written as ``X``."""

    @wraps(function)
    def plain(*_args: Any, **_named: Any) -> None: ...

    signature = inspect.signature(function, eval_str=True)
    parameters = [
        one.replace(annotation=plain_request(one.annotation)) for one in signature.parameters.values()
    ]
    vars(plain)["__signature__"] = signature.replace(parameters=parameters)
    return plain


def plain_request(annotation: Any) -> Any:
    base, *marks = get_args(annotation) if get_origin(annotation) is Annotated else [annotation]
    return Annotated[get_args(base)[0], *marks] if get_origin(base) is Parameters else annotation


def operations(document: Document) -> dict[tuple[str, str], Document]:
    return {(path, method): operation for path, method, operation in list_operations(document)}


@cache
def derive_operations() -> dict[tuple[str, str], Document]:
    return operations(derive())


OPERATIONS = operations(PUBLISHED)
each_operation = for_each_row("key", {f"{key[1].upper()} {key[0]}": key for key in sorted(OPERATIONS)})


def test_the_application_has_the_published_document() -> None:
    app = create(Settings.read({}, mongodb_uri="mongodb://never.asked"))
    assert app.openapi() == PUBLISHED


def test_paths_and_methods() -> None:
    assert OPERATIONS.keys() == derive_operations().keys()


@each_operation
def test_operation_ids_tags_and_protection(key: tuple[str, str]) -> None:
    published, derived = OPERATIONS[key], derive_operations()[key]
    assert published["operationId"] == derived["operationId"]
    assert published["tags"] == derived["tags"]
    # Published: asked for everywhere, unless an operation says []. Derived: said by each operation.
    stated = published.get("security", PUBLISHED["security"])
    of_tokens = [one for one in stated if not OF_OAUTH & one.keys()]
    assert ([] if {} in stated else of_tokens) == derived.get("security", [])
    takes_tokens = {"bearerAuth": []} in stated and key != REGISTER
    assert bool(len(stated) - len(of_tokens)) == takes_tokens


def test_a_token_is_optional_where_a_public_operation_reads_one() -> None:
    change = OPERATIONS["/security/password", "post"]
    scopes = ["security:write"]
    assert change["security"] == [{}, {"oauth2": scopes}, {"oauth2Client": scopes}, {"bearerAuth": []}]
    of_user = OPERATIONS["/oauth/userinfo", "get"]
    assert of_user["security"] == [{}, {"oauth2": ["openid"]}, {"bearerAuth": []}]
    assert OPERATIONS[REGISTER]["security"] == [{}, {"bearerAuth": []}]  # an initial access token


@each_operation
def test_parameters(key: tuple[str, str]) -> None:
    def list_parameters(document: Document, operation: Document) -> set[tuple[str, str, bool]]:
        parameters = [follow(document, one) for one in operation.get("parameters", [])]
        return {(one["name"], one["in"], one.get("required", False)) for one in parameters}

    # OpenAPI ignores a parameter Authorization; it is published as an optional security scheme.
    derived = list_parameters(derive(), derive_operations()[key])
    assert list_parameters(PUBLISHED, OPERATIONS[key]) == {
        one for one in derived if one[0] != "Authorization"
    }


@each_operation
def test_a_dry_run_is_reported_where_it_may_be_requested(key: tuple[str, str]) -> None:
    operation = OPERATIONS[key]
    names = {follow(PUBLISHED, one)["name"] for one in operation.get("parameters", [])}
    reported = {
        name for one in operation["responses"].values() for name in follow(PUBLISHED, one).get("headers", {})
    }
    body = follow(PUBLISHED, body_schema(operation) or {})
    takes = "dryRun" in names or "dryRun" in body.get("properties", {})
    assert ("Dry-Run" in reported) is (takes or operation["operationId"] == "agent_execute")


def simple(name: str) -> str:
    """The name of a component, without what is only naming.

    - FastAPI sets ``-Input`` and ``-Output`` behind a class that is both sent and read, and writes a page
      as ``Page_Airport_``; the published names are made for clients: ``AirportInput``, ``AirportPage``.
    - Published names of what is sent end in ``Input`` also where there is nothing else of that name.
    - A published bulk names its record type, so that its operations are typed.
    """
    if name.endswith("Bulk"):
        return "Bulk"
    if name.startswith("Page_"):
        return name.strip("_").removeprefix("Page_") + "Page"
    return name.replace("-Input", "Input").replace("-Output", "").removesuffix("Input")


def body_schema(operation: Document) -> Any:
    body = operation.get("requestBody")
    return None if body is None else body["content"].get("application/json", {}).get("schema")


ALL_OPTIONAL = (
    "LogoutRequest", "NewGroup", "NewTask", "QueryPredicatesRequest", "SecretRotation", "WebhookSecretRotation",
)  # fmt: skip
"""Bodies of endpoints that may be left out."""


@each_operation
def test_request_bodies(key: tuple[str, str]) -> None:
    published, derived = OPERATIONS[key], derive_operations()[key]
    schemas = [body_schema(operation) for operation in (published, derived)]
    if schemas == [None, None]:
        return
    names = [schema["$ref"].rpartition("/")[2] for schema in schemas]
    assert simple(names[0]) == simple(names[1])
    assert derived["requestBody"]["required"] is True
    ours, theirs = shape(PUBLISHED, schemas[0]), shape(derive(), schemas[1])
    assert published["requestBody"]["required"] is (names[0].removesuffix("Input") not in ALL_OPTIONAL)
    assert ours == theirs


CREATING = (
    "users_create", "oauth_push", "oauth_register", "completionTaskGroup_create", "completionTask_create",
    "oauthClients_createCredential", "webhook_create",
)  # fmt: skip
ACCEPTING = ("webhook_test", "webhook_resend")
STREAMS = ("_exportCsv", "_exportImportErrors", "query_export")
WRITING = ("_save", "_setFields", "_patch", "_restore")
"""Operations that answer without the record to callers who prefer that, or may not view it."""
EVENTS = ("_subscribe", "_followChanges", "_followImport")


@each_operation
def test_success(key: tuple[str, str]) -> None:
    """FastAPI knows one success, 200; the handlers choose 201, 204 and 304, which it cannot read off."""
    published, derived = OPERATIONS[key], derive_operations()[key]
    statuses = {status for status in published["responses"] if status < "400"}
    has_etag = key[1] == "get" and any(
        follow(PUBLISHED, one)["name"] == "If-None-Match" for one in published.get("parameters", [])
    )
    derived_schema = (
        derived["responses"]["200"].get("content", {}).get("application/json", {}).get("schema", {})
    )
    if published["operationId"].endswith(EVENTS):
        schema = published["responses"]["200"]["content"]["text/event-stream"]["schema"]
        assert schema["type"] == "string"
        assert schema["x-event-schema"]["properties"].keys() == {"id", "event", "data"}
        assert statuses == ({"200", "204"} if published["operationId"].endswith("_subscribe") else {"200"})
        return
    if published["operationId"].endswith(STREAMS):
        (content,) = published["responses"]["200"]["content"].values()  # a stream: FastAPI knows nothing
        assert content["schema"] == {"type": "string"}
        return
    if "text/html" in published["responses"].get("200", {}).get("content", {}):
        assert statuses == {"200", "303"}  # a page, or where the browser continues
        return
    if derived_schema == {}:
        assert statuses == ({"200"} if published["operationId"] == "oauth_revoke" else {"204"})
        return
    if published["operationId"] in CREATING:
        assert statuses == {"201"}
        return
    if published["operationId"] in ACCEPTING:
        assert statuses == {"202"}
        return
    of_records = not published["operationId"].startswith(("query_", "agentConfig_"))
    saves = published["operationId"].endswith("_save") and of_records
    writes = published["operationId"].endswith(WRITING) and of_records
    chosen = {"201": saves, "204": writes, "304": has_etag}
    assert statuses == {"200"} | {status for status, is_chosen in chosen.items() if is_chosen}
    for status in statuses - {"204", "304"}:
        (content,) = published["responses"][status]["content"].values()
        assert shape(PUBLISHED, content["schema"]) == shape(derive(), derived_schema)


Shape = Any
"""A schema as property names, required ones and what lies below. Values and bounds: ``test_schemathesis``."""


def shape(document: Document, schema: Any) -> Shape:
    """Property names and required ones, all the way down.

    Known differences, made equal here:

    - ``anyOf: [X, null]``: optional members of what is read are left out, never null, and the published
      document says so; FastAPI's classes allow None. Both are X.
    - Published alternatives (the operations of a bulk) are one class with optional members in Python.
    - Beside properties, published alternatives only say which of them go together (``BulkSet``).
    - A problem is a free-form object in Python: it is made by the one error handler.
    - So is the record of a bulk operation: each is checked by its own class, when it is its turn.
    - The rows of a page require the id alone, and what is in them nothing, since a projection leaves out the rest.
    """
    if schema.get("$ref") == "#/components/schemas/Problem":
        return None
    schema = follow(document, schema)
    if "properties" not in schema and (choices := schema.get("anyOf", schema.get("oneOf"))):
        return _union([shape(document, choice) for choice in choices])
    if "items" in schema:
        return [shape(document, schema["items"])]
    if "properties" in schema:
        below = {name: shape(document, inner) for name, inner in schema["properties"].items()}
        if {"op", "record"} <= below.keys():
            below["record"] = None
        if "rowCount" in below and below["rows"] != [None]:
            below["rows"][0] = _require_nothing(below["rows"][0]) | {"required": {"id"}}
        return {"required": set(schema.get("required", ())), "properties": below}
    extra = schema.get("additionalProperties")
    if isinstance(extra, dict) and extra:  # without a schema any values will do, which FastAPI calls true
        return {"any name": shape(document, extra)}
    return None


def _require_nothing(found: Shape) -> Shape:
    """Return a shape without what it requires, all the way down."""
    if isinstance(found, list):
        return [_require_nothing(one) for one in found]
    if not isinstance(found, dict):
        return found
    if "properties" not in found:
        return {name: _require_nothing(inner) for name, inner in found.items()}
    below = {name: _require_nothing(inner) for name, inner in found["properties"].items()}
    return {"required": set(), "properties": below}


def _union(choices: list[Shape]) -> Shape:
    """What every choice requires, and what any of them may have; scalars have no shape."""
    shapes = [choice for choice in choices if choice is not None]
    if len(shapes) <= 1:
        return shapes[0] if shapes else None
    return {
        "required": set.intersection(*(one["required"] for one in shapes)),
        "properties": {name: below for one in shapes for name, below in one["properties"].items()},
    }


def test_a_shape_tells_records_apart() -> None:
    """Else the comparisons above would be true of anything."""
    shapes = [shape(PUBLISHED, {"$ref": f"#/components/schemas/{name}"}) for name in ("Airport", "Shipment")]
    assert shapes[0] != shapes[1]
    assert {"id", "icao", "country"} <= shapes[0]["properties"].keys()
    assert shapes[0]["properties"]["country"]["required"] == {"entityId"}


def told_links() -> list[tuple[str, str, Document, Document]]:
    """(status and name of the link, where it stands, the answer, the link) of every link we publish."""
    return [
        (f"{status} {name}", operation["operationId"], answer, link)
        for operation in operations(PUBLISHED).values()
        for status, answer in operation["responses"].items()
        for name, link in answer.get("links", {}).items()
    ]


def test_links_lead_from_what_an_answer_has_to_what_an_operation_takes() -> None:
    by_id = {operation["operationId"]: operation for operation in operations(PUBLISHED).values()}
    for name, source, answer, link in told_links():
        target = by_id[link["operationId"]]
        parameters = {follow(PUBLISHED, one)["name"] for one in target["parameters"]}
        assert link["parameters"].keys() <= parameters, (source, name)
        (content,) = answer["content"].values()
        for expression in link["parameters"].values():
            assert has(content["schema"], expression.removeprefix("$response.body#/").split("/")), (
                source,
                name,
            )


def has(schema: Any, steps: list[str]) -> bool:
    """Whether a value of the schema may have something at this JSON pointer."""
    schema = follow(PUBLISHED, schema)
    if not steps:
        return True
    inner = schema.get("items") if steps[0].isdigit() else schema.get("properties", {}).get(steps[0])
    return inner is not None and has(inner, steps[1:])


def test_a_save_and_a_page_lead_to_the_record() -> None:
    links = {(source, name) for name, source, _answer, _link in told_links()}
    saved = {(f"airport_{one}") for one in ("getById", "getByRefName", "deleteById")}
    assert {("airport_save", f"201 {name.partition('_')[2]}") for name in saved} <= links
    assert ("airport_listRecords", "200 getById") in links
