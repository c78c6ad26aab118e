"""Documents made to keep the comparison busy for ever, or to end it: it ends, and finds what differs."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from generator.evolve.api import Document, UnreadableDocumentError, compare_documents, schemas
from generator.evolve.api.shapes import read_shape


def document(parts: dict[str, Any], used: Any, *, is_read: bool = False) -> Document:
    body = {"content": {"application/json": {"schema": used}}}
    value = {
        "openapi": "3.1.0",
        "components": {"schemas": parts},
        "paths": {"/": {"post": {"responses": {"200": body}} if is_read else {"requestBody": body}}},
    }
    return Document(value, "made")


def ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


def rules(old: Document, new: Document) -> set[str]:
    return {one.rule.id for one in compare_documents(old, new, date(2026, 11, 23))}


def test_schemas_that_contain_themselves() -> None:
    def circle(kind: str) -> Document:
        inner = {"anyOf": [ref("A"), ref("B"), {"type": kind}]}
        other = {
            "type": "object",
            "properties": {"a": ref("A"), "b": {"anyOf": [ref("B"), {"type": "null"}]}},
        }
        return document({"A": inner, "B": other, "C": ref("C")}, {"allOf": [ref("A"), ref("C")]})

    assert rules(circle("string"), circle("string")) == set()
    assert "request-branch-removed" in rules(circle("string"), circle("integer"))


def test_schemas_of_other_names_are_compared_once_a_pair() -> None:
    """Each level names the next twice: compared at each place, they would be 2**60."""

    def tower(name: str, kind: str) -> Document:
        floors: dict[str, Any] = {
            f"{name}{n}": {
                "type": "object",
                "properties": {"l": ref(f"{name}{n + 1}"), "r": ref(f"{name}{n + 1}")},
            }
            for n in range(60)
        }
        return document({**floors, f"{name}60": {"type": kind}}, ref(f"{name}0"))

    assert rules(tower("A", "string"), tower("B", "string")) == set()
    assert rules(tower("A", "string"), tower("B", "integer")) == {"request-type-changed"}


def test_choices_of_many_and_nested_choices() -> None:
    def choices(count: int, depth: int, kind: str) -> Any:
        if depth == 0:
            return {"type": "object", "properties": {"x": {"type": kind}}}
        return {
            "anyOf": [
                {"title": str(n), "anyOf": [choices(count, depth - 1, kind), {"minimum": n}]}
                for n in range(count)
            ]
        }

    for count, depth in ((200, 1), (6, 4)):
        found = rules(
            document({}, choices(count, depth, "string")), document({}, choices(count, depth, "integer"))
        )
        assert found & {"request-type-changed", "request-branch-removed"}


def tree(name: str, kind: str, depth: int, width: int) -> dict[str, Any]:
    """Return components of which each chooses among others; the last leaf is of a kind."""
    if depth == 0:
        is_last = set(name[1:]) == {str(width - 1)}
        leaf = {"x": {"type": kind if is_last else "string"}, name[1:]: {"type": "string"}}
        return {name: {"type": "object", "properties": leaf}}
    inner = [f"{name}{n}" for n in range(width)]
    found = {name: {"oneOf": [ref(one) for one in inner]}}
    for one in inner:
        found |= tree(one, kind, depth - 1, width)
    return found


@pytest.mark.parametrize("is_read", [False, True])
@pytest.mark.parametrize("is_turned", [False, True])
def test_renamed_choices_of_choices_are_tried_once(
    monkeypatch: pytest.MonkeyPatch, is_read: bool, is_turned: bool
) -> None:
    """Each of 400 pairs of leaves would be tried for each of those of what is above them."""
    before, same, other = (
        tree(*one, depth=4, width=4) for one in (("A", "string"), ("B", "string"), ("B", "integer"))
    )
    for one in [*same.values(), *other.values()] if is_turned else []:
        one.get("oneOf", []).reverse()
    steps = 0

    def count(*arguments: Any) -> Any:
        nonlocal steps
        steps += 1
        return read_shape(*arguments)

    monkeypatch.setattr(schemas, "read_shape", count)
    old = document(before, ref("A"), is_read=is_read)
    assert rules(old, document(same, ref("B"), is_read=is_read)) == set()
    at = "response" if is_read else "request"
    found = rules(old, document(other, ref("B"), is_read=is_read))
    assert found == {f"{at}-branch-added", f"{at}-branch-removed"}
    assert steps < 40 * len(before)


def test_renamed_choices_that_contain_themselves() -> None:
    def circle(name: str, kind: str) -> Document:
        any_of = {"type": "array", "items": ref(f"{name}Any")}
        parts = {
            "Any": {
                "oneOf": [ref(f"{name}{one}") for one in ("Not", "All", "Is")][:: 1 if name < "B" else -1]
            },
            "All": {"type": "object", "properties": {"all": any_of}},
            "Not": {"type": "object", "properties": {"not": ref(f"{name}Any")}},
            "Is": {"allOf": [ref(f"{name}Base"), {"type": "object", "properties": {"is": {"type": kind}}}]},
            "Base": {"type": "object", "properties": {"at": {"type": "string"}}},
        }
        return document({f"{name}{one}": part for one, part in parts.items()}, ref(f"{name}Any"))

    assert rules(circle("A", "string"), circle("B", "string")) == set()
    assert "request-branch-removed" in rules(circle("A", "string"), circle("B", "integer"))


def test_choices_of_a_parameter_that_several_others_fit() -> None:
    def choose(*limits: int) -> Document:
        schema = {
            "anyOf": [
                {"anyOf": [{"type": "string", "maxLength": one, "default": str(one)}]} for one in limits
            ]
        }
        parameter = {"name": "a", "in": "query", "schema": schema}
        return Document({"openapi": "3.1.0", "paths": {"/": {"get": {"parameters": [parameter]}}}}, "made")

    assert rules(choose(1, 2, 3), choose(1, 2, 3)) == set()
    assert rules(choose(1, 2, 3), choose(3, 2, 1)) == set()
    assert rules(choose(1, 2), choose(4, 3)) <= {"request-limit-widened", "request-parameter-default-changed"}


@pytest.mark.parametrize(
    ("before", "after", "is_other"),
    [
        (ref("Cat")["$ref"], "Cat", False),
        ("Cat", "Pussycat", False),
        ("Cat", "Dog", True),
        ("cats.json#/Cat", "cats.json#/Dog", True),
        ("cats.json", "dogs.json", True),
    ],
)
def test_a_value_of_a_discriminator_leads_to_a_component_or_elsewhere(
    before: str, after: str, is_other: bool
) -> None:
    def choose(leads_to: str) -> Document:
        schemas = {name: {"type": "object", "required": [name[-3:]]} for name in ("Cat", "Pussycat", "Dog")}
        schemas["Pussycat"] = schemas["Cat"]
        choices = [ref(name) for name in schemas]
        by = {"propertyName": "kind", "mapping": {"cat": leads_to}}
        return document(schemas, {"oneOf": choices, "discriminator": by})

    found = rules(choose(before), choose(after))
    assert found == ({"request-discriminator-changed"} if is_other else set())


@pytest.mark.parametrize(
    "schema",
    [
        True, False, None, 7, "x", [], {"type": 7}, {"type": [7]}, {"properties": []}, {"properties": {"a": 7}},
        {"required": 7}, {"required": [7]}, {"enum": 7}, {"enum": [{}]}, {"anyOf": 7}, {"anyOf": [7]}, {"items": 7},
        {"minLength": "x"}, {"maximum": None}, {"multipleOf": 0}, {"multipleOf": "x"}, {"multipleOf": 1e300}, {"pattern": 7},
        {"allOf": [7]}, {"$ref": 7}, {"$ref": "#/nowhere"}, {"$ref": "http://127.0.0.1:9/x"}, {"$ref": "/etc/passwd"}, {"$ref": "#"},
        {"discriminator": 7}, {"additionalProperties": 7}, {"nullable": 7}, {"format": {}}, {"default": {}}, {"const": []},
    ],
    ids=repr,
)  # fmt: skip
def test_schemas_that_are_none(schema: Any) -> None:
    """Whatever is written there: no error, and no finding against itself."""
    plain = {
        "type": "string",
        "minLength": 1,
        "maximum": 3,
        "multipleOf": 2,
        "properties": {"a": {"type": "string"}},
    }
    odd, usual = document({}, schema), document({}, plain)
    assert rules(odd, document({}, schema)) == set()
    rules(odd, usual)
    rules(usual, odd)


@pytest.mark.parametrize(
    "value",
    [{}, {"paths": 7}, {"paths": {"/": 7}}, {"paths": {"/": {"get": 7}}}, {"components": 7}, {"components": {"schemas": 7}},
     {"security": 7}, {"servers": 7}, {"servers": [7]}, {"components": {"securitySchemes": {"a": 7}}},
     {"paths": {"/": {"get": {"parameters": [7], "responses": 7, "requestBody": 7, "security": [7], "tags": 7}}}},
     {"paths": {"/": {"get": {"responses": {"200": {"headers": {"A": 7}, "content": {"a": 7}}}}}}}],
    ids=repr,
)  # fmt: skip
def test_documents_of_odd_shapes(value: dict[str, Any]) -> None:
    odd, usual = Document({"openapi": "3.1.0", **value}, "odd"), document({}, {"type": "string"})
    assert rules(odd, Document({"openapi": "3.1.0", **value}, "odd")) == set()
    rules(odd, usual)
    rules(usual, odd)


@pytest.mark.parametrize(
    "value", [None, 7, [], {}, {"openapi": 3}, {"openapi": "2.0"}, {"swagger": "2.0"}], ids=repr
)
def test_what_is_no_document(value: Any) -> None:
    with pytest.raises(UnreadableDocumentError, match="odd is not an OpenAPI 3 document"):
        Document(value, "odd")
