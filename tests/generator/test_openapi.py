"""The document: valid, complete, its examples valid against their own schemas, nothing hidden in it."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from openapi_spec_validator import validate
from pydantic import ValidationError
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from generator.folders import SYSTEM_SPECS
from generator.load import load
from generator.model import Kind, Model, Type
from generator.openapi import View, document, render_document, tool_schemas
from generator.openapi.answers import record_responses, shared_responses
from generator.openapi.examples import EXAMPLE_ID, Examples
from generator.openapi.formats import example_text
from generator.openapi.parameters import CALLER_PARAMETERS
from generator.openapi.schemas import Schemas
from generator.resolve import resolve
from runtime.contract.pages import Count, FindBody, ListParameters
from runtime.contract.writes import BulkAnswer, BulkSet
from runtime.errors import leaves
from runtime.model.formats import FORMAT_PATTERNS
from tests.documents import follow, list_operations
from tests.generator.conftest import SURROUNDINGS, Workshop
from tests.house.trees import parse_all

Schema = dict[str, Any]
SMALLEST = {"title": "A", "code": "AB123", "price": "1", "maker": {"entityId": EXAMPLE_ID}}
Check = Callable[[Schema, Any], list[str]]


@pytest.fixture(scope="session")
def sample(sample_model: Model) -> Schema:
    return document(sample_model)


@pytest.fixture(scope="session")
def check(sample: Schema) -> Check:
    """What is wrong with a value by a schema of the sample's document."""
    registry = Registry().with_resource("urn:d", Resource(contents=sample, specification=DRAFT202012))

    def problems(schema: Schema, value: Any) -> list[str]:
        whole = json.loads(json.dumps(schema).replace('"#/components', '"urn:d#/components'))
        checker = Draft202012Validator(
            whole, registry=registry, format_checker=Draft202012Validator.FORMAT_CHECKER
        )
        return [error.message for error in checker.iter_errors(value)]

    return problems


def below(node: Any) -> Iterator[Schema]:
    """Every mapping in a document, examples left out."""
    if isinstance(node, dict):
        yield node
        for name, inner in node.items():
            if name not in ("example", "examples", "default"):
                yield from below(inner)
    elif isinstance(node, list):
        for inner in node:
            yield from below(inner)


def schema_of(sample: Schema, name: str) -> Schema:
    found: Schema = sample["components"]["schemas"][name]
    return found


def operations(sample: Schema) -> Iterator[tuple[str, str, Schema]]:
    yield from list_operations(sample)


def responses(sample: Schema, path: str, method: str) -> Schema:
    found = sample["paths"][path][method]["responses"]
    return {status: follow(sample, answer) for status, answer in found.items()}


# The document as a whole --------------------------------------------------------------------------


def test_the_document_is_valid_openapi(sample_model: Model) -> None:
    validate(json.loads(render_document(sample_model)))


def test_a_text_is_the_document_with_a_line_for_each_part_in_utf_8(
    sample_model: Model, sample: Schema
) -> None:
    text = render_document(sample_model).decode()
    assert json.loads(text) == sample
    assert text.endswith("\n}\n")
    assert '\n"/shop/articles":{\n"post":{\n"operationId":"article_save",\n' in text
    assert '\n"type":"object",\n"additionalProperties":false,\n"properties":{\n"id":{"description":' in text
    assert "\\u" not in text


def test_the_head_is_that_of_the_service(sample: Schema) -> None:
    assert sample["openapi"] == "3.1.0"
    assert sample["info"]["title"] == "Sample"
    assert sample["info"]["version"] == "1.2.3"
    assert sample["info"]["contact"]["email"] == "shop@shop.example"
    assert sample["info"]["license"] == {"name": "Apache 2.0", "identifier": "Apache-2.0"}
    assert sample["info"]["termsOfService"] == "https://shop.example/terms"
    assert sample["security"] == [{"oauth2": []}, {"oauth2Client": []}, {"bearerAuth": []}]
    assert sample["components"]["securitySchemes"]["bearerAuth"]["bearerFormat"] == "JWT"


def test_every_tag_is_described_and_grouped_by_area(sample: Schema) -> None:
    described = {tag["name"]: tag["description"] for tag in sample["tags"]}
    used = {tag for _path, _method, operation in operations(sample) for tag in operation["tags"]}
    assert set(described) == used
    assert described["Maker"] == "Who makes things."
    grouped = {group["name"]: group["tags"] for group in sample["x-tagGroups"]}
    assert grouped["goods-in"] == ["Delivery", "goods-in"]
    assert sorted(tag for tags in grouped.values() for tag in tags) == sorted(used)


def test_an_object_with_members_of_any_name_says_so(sample: Schema) -> None:
    """openapi-typescript allows no member in an object that does not."""
    for one in below([sample["components"], sample["paths"]]):
        if one.get("type") in ("object", ["object", "null"]):
            assert one.keys() & {"properties", "additionalProperties"}, one


def test_what_a_deletion_does_is_described_for_the_record_type(sample: Schema, sample_model: Model) -> None:
    for record in sample_model.records:
        operation = sample["paths"].get(f"{record.path}/id/{{id}}", {}).get("delete")
        if operation:
            begins = "Archives" if record.on_delete == "archive" else "Deletes"
            assert operation["description"].startswith(f"{begins} the "), record.name
            assert "onDelete" not in operation["description"]


def test_operation_ids_are_stable_and_unique(sample: Schema) -> None:
    ids = [operation["operationId"] for _path, _method, operation in operations(sample)]
    assert len(ids) == len(set(ids))
    assert {"article_listRecords", "article_getById", "article_save", "article_bulk", "shop_greet"} <= set(
        ids
    )


def test_paths_and_components_are_sorted(sample: Schema) -> None:
    assert list(sample["paths"]) == sorted(sample["paths"])
    for section in sample["components"].values():
        assert list(section) == sorted(section)


def test_a_record_without_operations_leaves_no_trace(sample: Schema) -> None:
    text = json.dumps(sample)
    assert "LoginAttempt" not in text
    assert "passwordHash" not in text


def test_an_operation_that_is_not_published_is_not_there(sample: Schema) -> None:
    assert "/goods-in/deliveries/list" in sample["paths"]
    assert "/goods-in/deliveries/bulk" not in sample["paths"]
    assert set(sample["paths"]["/goods-in/deliveries/id/{id}"]) == {"get"}


# Examples and defaults ----------------------------------------------------------------------------


def test_an_endpoint_may_have_any_id_but_that_of_a_callback(workshop: Workshop) -> None:
    """Ids of operations are unique in the document, the ones in callbacks included."""
    members = "method: get, path: /notify, summary: Notify, handler: 'shop.hooks:notify'"
    text = f"endpoints: [{{id: webhook_notify, {members}}}]"
    workshop.write({**SURROUNDINGS, "specs/logistics/hooks.yaml": text})
    found = document(resolve(load(workshop.folder / "specs", SYSTEM_SPECS)))
    ids = [one["operationId"] for one in below(found["paths"]) if "operationId" in one and "responses" in one]
    assert "webhook_notify" in ids
    assert len(ids) == len(set(ids))


def test_every_example_is_valid_against_its_schema(sample: Schema, check: Check) -> None:
    seen = 0
    kept = sample["components"]["examples"]
    for node in below(sample):
        shown = [(node["schema"], node["example"])] if "schema" in node and "example" in node else []
        if "schema" in node and "examples" in node:
            names = [one["$ref"].removeprefix("#/components/examples/") for one in node["examples"].values()]
            shown += [(node["schema"], kept[name]["value"]) for name in names]
        if isinstance(node.get("examples"), list):
            shown += [({**node, "examples": []}, value) for value in node["examples"]]
        for schema, value in shown:
            seen += 1
            assert check(schema, value) == [], value
    assert seen > 50


def test_the_example_of_a_parameter_fits_every_record_type(sample: Schema) -> None:
    parameters = sample["components"]["parameters"]
    assert "example" in parameters["Sort"]
    assert "example" not in parameters["Constraints"]  # no predicate leads from all record types


def test_every_default_is_valid_against_its_schema(sample: Schema, check: Check) -> None:
    defaults = [(node, node["default"]) for node in below(sample) if "default" in node]
    assert len(defaults) > 8
    for schema, value in defaults:
        assert check(schema, value) == [], value


def test_bodies_have_examples(sample: Schema) -> None:
    for path, method, operation in operations(sample):
        if "requestBody" in operation:
            ((media_type, content),) = operation["requestBody"]["content"].items()
            if media_type == "multipart/form-data":
                assert "/csv" in path, "only files are sent as forms"
                continue
            assert "example" in content, f"{method} {path}"
            json_type = f"application/{'merge-patch+' if method == 'patch' else ''}json"
            forms = (
                "/oauth/token",
                "/oauth/par",
                "/oauth/authorize",
                "/oauth/revoke",
                "/oauth/introspect",
                "/oauth/userinfo",
                "/oauth/logout",
                "/shop/visit",
            )
            is_form = path in forms
            assert media_type == ("application/x-www-form-urlencoded" if is_form else json_type)
            members = sample["components"]["schemas"].get(content["schema"].get("$ref", "")[21:], {})
            takes_null = [
                name for name, one in members.get("properties", {}).items() if "null" in str(one.get("type"))
            ]
            assert not (is_form and takes_null), "a form has no null"


def test_every_success_with_a_body_has_an_example(sample: Schema) -> None:
    seen = 0
    for path, method, operation in operations(sample):
        for status, answer in operation["responses"].items():
            for media_type, content in answer.get("content", {}).items() if status < "300" else ():
                seen += 1
                where = f"{method} {path} {status} {media_type}: add one in openapi/answer_examples.py"
                assert {"example", "examples"} & content.keys(), where
    assert seen > 50


def test_every_parameter_member_and_operation_is_described(sample: Schema, sample_model: Model) -> None:
    """What authors name themselves they describe themselves; a name such as ``city`` needs no words."""
    own = {record.name for record in sample_model.records} | {one.name for one in sample_model.structures}
    common = {"id", "refName", "version", "auditInfo", "dynamicAttributes", "violations"}
    for path, method, operation in operations(sample):
        assert operation["description"], f"{method} {path}"
    for name, one in sample["components"]["parameters"].items():
        assert one["description"], name
    for name, schema in sample["components"]["schemas"].items():
        of_author = any(name.startswith(str(one)) for one in own) and not name.endswith(
            ("Page", "Bulk", "BulkSave")
        )
        for member, inner in schema.get("properties", {}).items():
            assert inner.get("description") or (of_author and member not in common), f"{name}.{member}"


def test_what_a_value_is_one_of_has_a_type(sample: Schema) -> None:
    for node in below(sample):
        if "const" in node or isinstance(node.get("enum"), list):
            assert "type" in node, node


def test_no_parameter_is_one_that_openapi_ignores(sample: Schema) -> None:
    """OpenAPI 3.1 section 4.8.12.1: the three headers have words of their own."""
    for path, method, operation in operations(sample):
        names = {one["name"].lower() for one in operation["parameters"] if "name" in one}
        assert not names & {"authorization", "accept", "content-type"}, f"{method} {path}"


def test_the_service_is_where_the_document_comes_from(sample: Schema) -> None:
    assert [server["url"] for server in sample["servers"]] == ["/"]


def test_a_problem_has_the_members_and_codes_of_all_errors(sample: Schema) -> None:
    problem = schema_of(sample, "Problem")["properties"]
    assert set(problem["code"]["enum"]) == {
        leaf.code for leaf in leaves() if leaf.__module__.startswith("runtime.errors.")
    }
    private = {"cause", "decided", "bad_token", "is_over", "limits"}
    assert details_of_errors() - private <= problem.keys()


def details_of_errors() -> set[str]:
    """The keywords that errors of the runtime are raised with, read from its code."""
    names = {leaf.__name__ for leaf in leaves()}
    found = {"decisionId"}  # a detail added by the one handler of refusals
    for tree in parse_all("runtime").values():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in names:
                found |= {keyword.arg for keyword in node.keywords if keyword.arg}
            if isinstance(node, ast.Subscript) and ast.unparse(node.value) == "error.details":
                found |= {str(ast.literal_eval(node.slice))} if isinstance(node.ctx, ast.Store) else set()
            if isinstance(node, ast.AugAssign) and ast.unparse(node.target).endswith(".details"):
                found |= {str(ast.literal_eval(key)) for key in getattr(node.value, "keys", ()) if key}
    return found


def test_the_example_of_a_request_makes_up_no_optional_member(sample: Schema) -> None:
    """A made-up reference or pattern would have the request refused; answers show every member."""
    sent = sample["paths"]["/shop/articles"]["post"]["requestBody"]["content"]["application/json"]["example"]
    read = sample["components"]["examples"]["Article"]["value"]
    made_up = {"similar", "sourceId", "details"}
    assert not made_up & sent.keys()
    assert made_up <= read.keys()


def test_the_example_of_a_state_can_be_sent(sample: Schema) -> None:
    example = sample["paths"]["/shop/articles"]["post"]["requestBody"]["content"]["application/json"][
        "example"
    ]
    assert example["status"] == "DRAFT"
    assert example["price"] == "12.50"
    assert "rating" not in example


@pytest.mark.parametrize(
    ("kind", "constraints", "value"),
    [
        pytest.param("integer", {}, 1, id="one"),
        pytest.param("integer", {"minimum": 7}, 7, id="least"),
        pytest.param("integer", {"exclusiveMinimum": 7}, 8, id="more than least"),
        pytest.param("integer", {"maximum": -3}, -3, id="most"),
        pytest.param("integer", {"multipleOf": 5, "exclusiveMinimum": 0}, 5, id="multiple"),
        pytest.param("number", {"minimum": 0.5, "maximum": 0.75}, 0.5, id="a fraction"),
        pytest.param("number", {"minimum": 0, "maximum": 10}, 1, id="one is in the middle"),
        pytest.param("decimal", {"minimum": 2}, "2", id="decimals are text"),
        pytest.param("boolean", {}, True, id="true"),
        pytest.param("string", {"maxLength": 3}, "A-1", id="short"),
        pytest.param("string", {"minLength": 50}, None, id="too long for the table, still text"),
        pytest.param("string", {"pattern": "^[A-Z]{3}$"}, "ABC", id="letters"),
        pytest.param("string", {"pattern": "^[a-z]{2}-\\d{4}$"}, "none", id="no likely text"),
        pytest.param("string", {"format": "email"}, "ada@example.com", id="format"),
    ],
)
def test_an_example_meets_the_constraints(
    sample_model: Model, kind: str, constraints: dict[str, object], value: object
) -> None:
    field_type = Type(Kind(kind), constraints=constraints)
    if value == "none":
        assert example_text(constraints) is None
        return
    found = Examples.of(sample_model).value(field_type, View.READ)
    assert value is None or found == value
    schema = Schemas.of(sample_model).type(field_type, View.SENT)
    assert Draft202012Validator(schema).is_valid(found)


def test_an_example_meets_a_pattern_that_only_the_engine_of_bodies_knows() -> None:
    assert example_text({"pattern": r"^\p{Lu}{3}$"}) == "ABC"
    assert example_text({"pattern": r"^\p{Han}{3}$"}) is None


def test_without_an_example_of_a_required_field_there_is_none(model_of: Callable[..., Model]) -> None:
    text = (
        'record: Parcel\nfields:\n  code: {type: string, required: true, pattern: "^[a-z]{2}-[0-9]{9}!$"}\n'
    )
    content = document(model_of(text))["paths"]["/logistics/parcels"]["post"]["requestBody"]["content"]
    assert "example" not in content["application/json"]


@pytest.mark.parametrize("name", sorted(FORMAT_PATTERNS))
def test_a_format_has_an_example_that_keeps_it(name: str) -> None:
    found = example_text({"format": name})
    schema = {"type": "string", "format": name, "pattern": FORMAT_PATTERNS[name]}
    checker = Draft202012Validator(schema, format_checker=Draft202012Validator.FORMAT_CHECKER)
    assert found is not None
    assert checker.is_valid(found)
    assert not checker.is_valid("not this !")


# What is read and what is sent --------------------------------------------------------------------


def test_hidden_fields_are_never_read(sample: Schema) -> None:
    for name in ("Article", "ArticleRow", "ArticlePage"):
        assert "token" not in json.dumps(schema_of(sample, name))
    assert schema_of(sample, "ArticleInput")["properties"]["token"]["writeOnly"] is True


def test_what_is_hidden_and_set_by_the_server_is_nowhere(sample: Schema) -> None:
    assert "margin" not in json.dumps(sample)


@pytest.mark.parametrize(
    "name", ["rating", "sold", "label", "version", "auditInfo", "references", "actionList"]
)
def test_what_the_server_sets_is_accepted_and_optional(sample: Schema, name: str) -> None:
    sent = schema_of(sample, "ArticleInput")
    assert sent["properties"][name]["readOnly"] is True
    assert name not in sent["required"]


def test_required_fields_are_required_on_both_sides(sample: Schema) -> None:
    own = {"title", "code", "price", "maker"}
    assert set(schema_of(sample, "ArticleInput")["required"]) == own
    common = {"id", "refName", "displayName", "dataDomain", "activeStatus", "version", "auditInfo"}
    assert set(schema_of(sample, "Article")["required"]) == own | common | {"label"}


def test_rows_may_be_partial_since_projections_are(sample: Schema) -> None:
    assert schema_of(sample, "ArticleRow")["required"] == ["id"]
    row, whole = (schema_of(sample, name)["properties"] for name in ("ArticleRow", "Article"))
    assert row.keys() == whole.keys()
    with_references = {"maker", "similar", "origin", "parts"}
    of_objects = {"places", "measures", "slots", "dataDomain"}
    assert {name for name in row if row[name] != whole[name]} == with_references | of_objects
    schemas = sample["components"]["schemas"]
    assert [name for name in schemas if name.endswith("InRow") and "required" in schemas[name]] == []


def test_rows_may_have_records_in_place_of_references(sample: Schema) -> None:
    pointer = {"$ref": "#/components/schemas/EntityReferenceInRow", "x-references": "Maker"}
    replaced = {"anyOf": [pointer, {"type": "null"}]}
    assert schema_of(sample, "ArticleRow")["properties"]["maker"] == replaced
    assert schema_of(sample, "ArticlePartInRow")["properties"]["supplier"] == replaced
    assert "required" not in schema_of(sample, "ArticlePartInRow")
    assert "uniqueItems" not in schema_of(sample, "ArticleRow")["properties"]["similar"]
    assert "uniqueItems" in schema_of(sample, "ArticleRow")["properties"]["colours"]


def test_a_choice_is_one_schema_whether_null_is_taken_or_not(sample: Schema) -> None:
    """Generators of clients write a class for a list of values: three where null is one of them."""
    schemas = sample["components"]["schemas"]
    assert schemas["ActiveStatus"]["enum"] == ["ACTIVE", "INACTIVE", "ARCHIVED"]
    for name, schema in schemas.items():
        for member, one in schema.get("properties", {}).items():
            assert None not in one.get("enum", ()), f"{name}.{member}"
            if member == "activeStatus":
                shared = {"$ref": "#/components/schemas/ActiveStatus"}
                assert "$ref" in one or one["anyOf"] == [shared, {"type": "null"}], name
                assert "enum" not in one, name
                assert one["description"], name


def test_null_clears_what_is_optional_and_is_never_read(sample: Schema, check: Check) -> None:
    read, sent = (schema_of(sample, name)["properties"] for name in ("Article", "ArticleInput"))
    for name in ("details", "stock", "size", "discount", "similar", "origin", "prices"):
        assert check(sent[name], None) == [], name
        assert check(read[name], None) != [], name
    assert check(sent["title"], None) != []


@pytest.mark.parametrize(
    ("value", "fine"),
    [
        pytest.param(12.5, True, id="number"),
        pytest.param("12.50", True, id="text"),
        pytest.param(-1, False, id="below the minimum"),
        pytest.param("-1", False, id="below the minimum as text"),
        pytest.param("a lot", False, id="no number"),
        pytest.param(True, False, id="boolean"),
    ],
)
def test_decimals_are_sent_as_number_or_text(sample: Schema, check: Check, value: object, fine: bool) -> None:
    assert (check(schema_of(sample, "ArticleInput")["properties"]["price"], value) == []) is fine


def test_decimals_are_read_as_text(sample: Schema) -> None:
    read = schema_of(sample, "Article")["properties"]
    assert {word: read["price"][word] for word in ("type", "format")} == {
        "type": "string",
        "format": "decimal",
    }
    assert read["prices"]["additionalProperties"] == {"type": "string", "format": "decimal"}


@pytest.mark.parametrize(
    ("name", "members"),
    [
        pytest.param(
            "Maker", {"dynamicAttributes", "persistentEvents", "invalid", "violations"}, id="asked for"
        ),
        pytest.param("Article", set(), id="not asked for"),
    ],
)
def test_some_members_are_only_on_records_with_the_word(sample: Schema, name: str, members: set[str]) -> None:
    asked_for = {"dynamicAttributes", "persistentEvents", "invalid", "violations"}
    for suffix in ("", "Input", "Row"):
        assert asked_for & set(schema_of(sample, name + suffix)["properties"]) == members


def test_objects_are_closed_but_problems(sample: Schema) -> None:
    by_field = {"RecordStates", "RecordTransitions"}
    for name, schema in sample["components"]["schemas"].items():
        if schema.get("type") == "object" and name not in by_field:
            is_open = name in ("Problem", "EntityReferenceInRow")
            assert schema.get("additionalProperties", is_open) is is_open, name


def test_a_patch_may_say_less_than_a_record(sample: Schema, check: Check) -> None:
    whole, patch = schema_of(sample, "ArticleInput"), schema_of(sample, "ArticlePatch")
    assert patch["properties"].keys() == whole["properties"].keys()
    assert whole["required"]
    assert check(patch, {}) == []
    for name, schema in patch["properties"].items():
        assert (check(patch, {name: None}) == []) is (name not in whole["required"]), name
        assert "default" not in schema, name
    assert check(patch, {"nothing": 1}) != []
    assert check(patch, {"version": "x"}) != []


def test_a_patch_of_what_is_kept_unsound_may_clear_everything(sample: Schema, check: Check) -> None:
    whole, patch = (schema_of(sample, f"Maker{what}") for what in ("Input", "Patch"))
    assert whole["required"]
    assert [name for name in patch["properties"] if check(patch, {name: None})] == []


def test_a_patch_may_clear_an_attribute(sample: Schema, check: Check) -> None:
    for attributes in ({"set": None}, {"set": {"name": None}}, {"set": {"name": {"value": 1}}}):
        assert check(schema_of(sample, "MakerPatch"), {"dynamicAttributes": attributes}) == []


@pytest.mark.parametrize(
    ("body", "fine"),
    [
        ({"filter": "refName:A", "values": {"a": 1}}, True),
        ({"ids": [EXAMPLE_ID], "filter": None, "values": {"a.b": None}, "atomic": True}, True),
        ({"values": {"a": 1}}, False),
        ({"filter": None, "values": {"a": 1}}, False),
        ({"filter": "refName:A", "ids": [EXAMPLE_ID], "values": {"a": 1}}, False),
        ({"filter": "  ", "values": {"a": 1}}, False),
        ({"ids": [], "values": {"a": 1}}, False),
        ({"ids": [EXAMPLE_ID, EXAMPLE_ID], "values": {"a": 1}}, False),
        ({"ids": ["x"], "values": {"a": 1}}, False),
        ({"ids": [EXAMPLE_ID], "values": {}}, False),
        ({"ids": [EXAMPLE_ID]}, False),
        ({"ids": [EXAMPLE_ID], "values": {"a": 1}, "more": 1}, False),
    ],
    ids=lambda value: str(value)[:60],
)
def test_a_set_of_many_is_taken_as_it_is_described(
    sample: Schema, check: Check, body: Any, fine: bool
) -> None:
    assert (check(schema_of(sample, "BulkSet"), body) == []) is fine
    with nullcontext() if fine else pytest.raises(ValidationError):
        BulkSet.model_validate_json(json.dumps(body))


def test_what_is_sent_as_it_is_read_has_one_component(sample: Schema) -> None:
    names = sample["components"]["schemas"]
    assert "Point" in names
    assert "PointInput" not in names
    assert "AddressInput" in names
    assert "EntityReferenceInput" in names


def test_references_and_states_say_what_they_are(sample: Schema) -> None:
    read = schema_of(sample, "Article")["properties"]
    assert read["maker"]["x-references"] == "Maker"
    assert read["status"]["x-states"] == "articleLifecycle"


def test_only_what_may_be_left_out_has_a_default_of_its_graph(workshop: Workshop) -> None:
    states = "A: {initial: true, final: true}, B: {initial: true, final: true}"
    graph = f"stateGraph: way\ndefault: B\nstates: {{{states}}}\n"
    text = "record: Box\nfields: {named: {states: way, required: true}, other: {states: way}}\n"
    model = workshop.model({"specs/logistics/box.yaml": text, "specs/logistics/way.yaml": graph})
    box = next(one for one in model.records if one.name == "Box")
    sent = dict(Schemas.of(model).record(box))["BoxInput"]["properties"]
    described = [sent[name].get("description") for name in ("named", "other")]
    assert described == [None, "A new record without one is B."]


def test_identifiers_and_dates(sample: Schema) -> None:
    read = schema_of(sample, "Article")["properties"]
    assert read["id"]["pattern"] == read["sourceId"]["pattern"] == "^[0-9a-f]{24}$"
    assert read["since"]["format"] == "date"
    assert read["changedAt"]["format"] == "date-time"


# Operations ---------------------------------------------------------------------------------------


def test_every_answer_carries_the_request_id(sample: Schema) -> None:
    for _path, _method, operation in operations(sample):
        for answer in operation["responses"].values():
            assert "X-Request-Id" in answer["headers"]


def test_a_response_that_is_shared_is_the_same_for_all_that_refer_to_it(sample_model: Model) -> None:
    examples, records = Examples.of(sample_model), sample_model.records
    turned = [replace(one, operations=one.operations[::-1]) for one in reversed(records)]
    of_first, of_last = (
        shared_responses(those, examples)
        | {name: one for record in those for name, one in record_responses(record, examples).items()}
        for those in (records, turned)
    )
    assert of_first.keys() >= {"Count200", "GetById304", "ArticleGetById200", "ArticleListRecords200"}
    assert of_first == of_last


@pytest.mark.parametrize(
    ("path", "method", "statuses"),
    [
        pytest.param("/shop/articles/list", "get", {200, 400, 401, 403, 422, 429, 503}, id="list"),
        pytest.param("/shop/articles/id/{id}", "get", {200, 304, 400, 401, 403, 404, 422, 429, 503}, id="id"),
        pytest.param(
            "/shop/articles",
            "post",
            {200, 201, 204, 400, 401, 403, 404, 409, 412, 413, 415, 422, 429, 503},
            id="save",
        ),
        pytest.param(
            "/shop/articles/id/{id}",
            "delete",
            {204, 400, 401, 403, 404, 409, 412, 422, 429, 503},
            id="delete",
        ),
        pytest.param("/shop/opening", "get", {200, 400, 503}, id="public"),
        pytest.param(
            "/shop/greet/{id}", "post", {201, 400, 401, 403, 404, 413, 415, 422, 429, 503}, id="with a body"
        ),
        pytest.param("/goods-in/stocktaking", "put", {204, 400, 401, 403, 429, 503}, id="without an answer"),
    ],
)
def test_every_emitted_status_is_told(sample: Schema, path: str, method: str, statuses: set[int]) -> None:
    assert set(map(int, sample["paths"][path][method]["responses"])) == statuses


def test_headers_stand_where_they_are_sent(sample: Schema) -> None:
    save = responses(sample, "/shop/articles", "post")
    how = {"Dry-Run", "Idempotency-Replayed", "Preference-Applied", "X-Request-Id"}
    assert set(save["201"]["headers"]) == {"ETag", "Location"} | how
    assert set(save["200"]["headers"]) == {"ETag"} | how
    gone = responses(sample, "/shop/articles/id/{id}", "delete")["204"]
    assert set(gone["headers"]) == how - {"Preference-Applied"}
    shared = sample["components"]["responses"]
    assert "WWW-Authenticate" in shared["Unauthenticated"]["headers"]
    assert "Retry-After" in shared["Unavailable"]["headers"]
    assert set(shared["Conflict"]["headers"]) >= {"Idempotency-Replayed", "Retry-After"}
    assert set(shared["UnsupportedMediaType"]["headers"]) >= {"Accept-Encoding", "Accept-Patch"}
    assert "ETag" in shared["Transitions200"]["headers"]
    assert shared["Throttled"]["headers"].keys() >= {"Retry-After", "RateLimit", "RateLimit-Policy"}


def test_problems_name_the_codes_the_service_sends(sample: Schema) -> None:
    told = json.dumps(sample["components"]["responses"])
    used = {400, 401, 403, 404, 409, 412, 413, 415, 422, 429, 503}
    for error in leaves():
        if error.status in used and error.__module__.startswith("runtime.errors."):
            assert f"`{error.code}`" in told
    for name, response in sample["components"]["responses"].items():
        others = {"OAuth": "application/json", "Page": "text/html"}
        kind = name.rstrip("0123456789")
        if kind == name or kind in others:
            lines = ["text/plain"] if name.endswith("Line") else []
            assert list(response["content"]) == [*lines, others.get(kind, "application/problem+json")]


def test_a_public_endpoint_asks_for_no_token(sample: Schema) -> None:
    opening = sample["paths"]["/shop/opening"]["get"]
    assert opening["security"] == []
    assert opening["parameters"] == []
    protected = sample["paths"]["/shop/articles"]["post"]
    scopes = ["shop:write"]
    assert protected["security"] == [{"oauth2": scopes}, {"oauth2Client": scopes}, {"bearerAuth": []}]


def test_parameters_of_an_endpoint(sample: Schema) -> None:
    found = {
        one.get("name", one.get("$ref")): one
        for one in sample["paths"]["/shop/greet/{id}"]["post"]["parameters"]
    }
    assert found["id"]["in"] == "path"
    assert found["times"]["schema"] == {
        "type": "integer", "format": "int64", "minimum": 1, "maximum": 9, "default": 1,
    }  # fmt: skip
    assert found["X-Tone"]["in"] == "header"
    assert found["since"]["example"] == "2026-03-27"
    assert "example" not in found["times"]
    of_caller = {f"#/components/parameters/{name}" for name in CALLER_PARAMETERS}
    assert of_caller == {name for name in found if name.startswith("#")}


def test_the_parameters_of_a_list_agree_with_what_reads_them(sample: Schema) -> None:
    told = sample["components"]["parameters"]
    properties = ListParameters.model_json_schema(by_alias=True)["properties"]
    listed = [
        one["$ref"].rpartition("/")[2] for one in sample["paths"]["/shop/articles/list"]["get"]["parameters"]
    ]
    assert {told[name]["name"] for name in listed if name not in CALLER_PARAMETERS} == set(properties)
    assert told["Filter"]["schema"]["maxLength"] == 16 * 1024
    assert told["Limit"]["schema"] == {"type": "integer", "minimum": 1, "maximum": 1000, "default": 50}


def test_the_body_of_a_find_agrees_with_what_reads_it(sample: Schema) -> None:
    told = schema_of(sample, "FindBody")
    read = FindBody.model_json_schema(by_alias=True)
    assert told["properties"].keys() == read["properties"].keys()
    assert told["additionalProperties"] is False
    assert told["required"] == read.get("required", [])
    optional = {name for name, member in told["properties"].items() if "null" in member.get("type", ())}
    assert optional == {name for name, field in FindBody.model_fields.items() if field.default is None}


@pytest.mark.parametrize(
    ("body", "fine"),
    [
        pytest.param({}, True, id="nothing"),
        pytest.param({"filter": "a:1", "limit": 5, "count": "exact", "actions": True}, True, id="some"),
        pytest.param({"filter": None, "sort": None, "limit": None, "cursor": None}, True, id="nulls"),
        pytest.param({"limit": "5"}, False, id="a number as text"),
        pytest.param({"skip": None}, False, id="null where there is a default"),
        pytest.param({"count": "all"}, False, id="another way to count"),
        pytest.param({"where": "1"}, False, id="unknown"),
    ],
)
def test_find_bodies(sample: Schema, check: Check, body: Schema, fine: bool) -> None:
    assert (check(schema_of(sample, "FindBody"), body) == []) is fine
    try:
        FindBody.model_validate_json(json.dumps(body))
    except ValidationError:
        assert not fine
    else:
        assert fine


def test_references_are_answered_as_a_bare_array(sample: Schema) -> None:
    answer = responses(sample, "/shop/articles/entityref", "get")["200"]
    (content,) = answer["content"].values()
    assert content["schema"]["type"] == "array"
    assert content["schema"]["items"] == {"$ref": "#/components/schemas/EntityReference"}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        pytest.param("Count", Count(count=3).model_dump(mode="json"), id="count"),
        pytest.param(
            "BulkAnswer",
            BulkAnswer(results=[], saved=0, deleted=0, failed=0).model_dump(mode="json"),
            id="bulk",
        ),
    ],
)
def test_answers_of_the_runtime_fit_the_document(
    sample: Schema, check: Check, name: str, value: Schema
) -> None:
    assert check(schema_of(sample, name), value) == []
    assert check(schema_of(sample, name), value | {"more": 1}) != []


@pytest.mark.parametrize(
    ("operation", "fine"),
    [
        pytest.param({"op": "save", "record": SMALLEST}, True, id="save"),
        pytest.param({"op": "save", "record": {}}, False, id="save of less than a record"),
        pytest.param({"op": "save", "record": {**SMALLEST, "titel": "x"}}, False, id="save of more"),
        pytest.param({"op": "delete", "id": "65f1c0de65f1c0de65f1c0de"}, True, id="delete"),
        pytest.param({"op": "delete", "record": {}}, False, id="delete with a record"),
        pytest.param({"op": "delete", "id": "1"}, False, id="delete with a bad id"),
        pytest.param({"op": "burn"}, False, id="unknown"),
    ],
)
def test_bulk_operations(sample: Schema, check: Check, operation: Schema, fine: bool) -> None:
    assert (check(schema_of(sample, "ArticleBulk"), {"operations": [operation]}) == []) is fine


# Tools --------------------------------------------------------------------------------------------


def test_a_tool_of_an_endpoint_with_a_list_answers_with_a_list(sample_model: Model) -> None:
    (tool,) = [one for one in sample_model.tools if one.name == "greet"]
    one = tool_schemas(sample_model)["greet"].answer
    assert tool.endpoint is not None
    listing = replace(tool, endpoint=replace(tool.endpoint, answers="list"))
    schema = tool_schemas(replace(sample_model, tools=(listing,)))["greet"].answer
    assert schema == {"type": "array", "items": one}


def test_the_arguments_of_a_tool_stand_by_themselves(sample_model: Model) -> None:
    schemas = tool_schemas(sample_model)
    save = schemas["save_maker"].arguments
    Draft202012Validator.check_schema(save)
    fine = {"name": "Acme", "owner": {"entityId": "65f1c0de65f1c0de65f1c0de"}}
    fine |= {"dataDomain": {"ownerId": "ann"}}
    checker = Draft202012Validator(save)
    assert checker.is_valid(fine)
    assert not checker.is_valid(fine | {"dataDomain": {}})
    assert not checker.is_valid(fine | {"more": 1})
    assert "components" not in json.dumps(schemas)
    assert schemas["find_articles"].arguments["required"] == ["most"]
    greet = schemas["greet"]
    assert greet.arguments["properties"].keys() >= {"id", "times", "since", "name"}
    assert greet.answer is not None
    assert "text" in greet.answer["properties"]
    for tool in schemas.values():
        Draft202012Validator.check_schema(tool.arguments)


LENIENT = """
record: Draft
validation: lenient
fields:
  title: {type: string, required: true, minLength: 2}
  size: {enum: [S, M], required: true}
  tags: {list: {type: string, pattern: "^a"}, minItems: 1}
  parts: {list: {name: {type: string, required: true}}}
  frame: {object: {width: {type: integer, required: true, minimum: 1}}}
  home: {structure: Place}
"""
PLACE = """
structure: Place
fields:
  street: {type: string, required: true, maxLength: 9}
  near: {object: {town: {type: string, required: true}}}
"""


@pytest.mark.parametrize(
    ("name", "change", "is_valid"),
    [
        pytest.param("Draft", {"title": "", "tags": [], "home": {"near": {}}}, True, id="read"),
        pytest.param("DraftRow", {"title": "", "tags": ["b"], "home": {}}, True, id="a row"),
        pytest.param("Draft", {"size": "L"}, False, id="a value that is not listed"),
        pytest.param("Draft", {"title": 7}, False, id="another type"),
        pytest.param("DraftInput", {"title": ""}, False, id="sent"),
        pytest.param("DraftInput", {"home": {}}, False, id="sent inside a structure"),
        pytest.param("Draft", {"frame": {"width": 0}}, True, id="read inside an object"),
        pytest.param("DraftInput", {"frame": {"width": 0}}, False, id="sent inside an object"),
    ],
)
def test_what_is_read_of_a_lenient_type_may_break_its_constraints(
    workshop: Workshop, name: str, change: Schema, is_valid: bool
) -> None:
    files = {"specs/logistics/draft.yaml": LENIENT, "specs/logistics/place.yaml": PLACE}
    found = document(workshop.model(files))
    read = found["components"]["examples"]["Draft"]["value"] | {"parts": [{}]}
    value = ({"size": "S", "title": "Tea"} if name == "DraftInput" else read) | change
    registry = Registry().with_resource("urn:d", Resource(contents=found, specification=DRAFT202012))
    schema = {"$ref": f"urn:d#/components/schemas/{name}"}
    assert Draft202012Validator(schema, registry=registry).is_valid(value) is is_valid
