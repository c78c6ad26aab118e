"""What the comparison calls safe is safe: values that were right stay right, of schemas drawn at random."""

from __future__ import annotations

import json
import re
from datetime import date
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from generator.evolve.api import compare_documents
from generator.evolve.api.documents import Document

names = st.sampled_from(["a", "b"])
small = st.integers(0, 3)


def without_none(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def maybe(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(st.none(), strategy)


scalars = st.one_of(
    st.fixed_dictionaries({"type": st.just("string"), "minLength": maybe(small), "maxLength": maybe(small)}),
    st.fixed_dictionaries(
        {"type": st.just("string"), "pattern": st.sampled_from(["^a", "^a+$", "^[ab]+$", "b"])}
    ),
    st.fixed_dictionaries(
        {
            "type": st.just("integer"),
            "minimum": maybe(small),
            "exclusiveMinimum": maybe(small),
            "maximum": maybe(small),
        }
    ),
    st.fixed_dictionaries({"type": st.just("number"), "multipleOf": maybe(st.sampled_from([1, 2, 0.5]))}),
    st.fixed_dictionaries(
        {"type": st.sampled_from(["boolean", "null", ["string", "null"], ["integer", "string"]])}
    ),
    st.fixed_dictionaries(
        {"enum": st.lists(st.sampled_from(["a", "b", 1, None]), min_size=1, max_size=3, unique=True)}
    ),
    st.just({}),
).map(without_none)


def containers(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    objects = st.fixed_dictionaries(
        {
            "type": st.just("object"),
            "properties": st.dictionaries(names, inner, max_size=2),
            "required": st.lists(names, max_size=2, unique=True),
            "additionalProperties": maybe(st.one_of(st.just(False), inner)),
        }
    )
    arrays = st.fixed_dictionaries(
        {"type": st.just("array"), "items": maybe(inner), "minItems": maybe(small), "maxItems": maybe(small)}
    )
    choices = st.fixed_dictionaries({"anyOf": st.lists(inner, min_size=1, max_size=3)})
    every = st.fixed_dictionaries({"allOf": st.lists(inner, min_size=1, max_size=2)})
    return st.one_of(objects, arrays, choices, every).map(without_none)


schemas = st.recursive(scalars, containers, max_leaves=4)
plain = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-1, 4),
    st.sampled_from([0.5, 1.5]),
    st.sampled_from(["", "a", "b", "aa", "abab"]),
)
values = st.recursive(
    plain,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(["a", "b", "c"]), inner, max_size=2)
    ),
    max_leaves=4,
)


def document(request: Any, response: Any) -> Document:
    operation = {
        "requestBody": {"required": True, "content": {"application/json": {"schema": request}}},
        "responses": {"200": {"description": "x", "content": {"application/json": {"schema": response}}}},
    }
    return Document({"openapi": "3.1.0", "paths": {"/": {"post": operation}}}, "drawn")


def is_safe(old: Document, new: Document) -> bool:
    return all(one.level == "safe" for one in compare_documents(old, new, date(2026, 1, 1)))


def right(schema: Any, found: list[Any]) -> list[bool]:
    check = Draft202012Validator(schema)
    return [check.is_valid(one) for one in found]


@settings(max_examples=120, deadline=None)
@given(schemas, schemas, st.lists(values, min_size=5, max_size=20))
def test_a_request_that_was_right_stays_right(old: Any, new: Any, found: list[Any]) -> None:
    if is_safe(document(close(old), {}), document(close(new), {})):
        for was, is_now in zip(right(close(old), found), right(close(new), found), strict=True):
            assert is_now or not was


def close(schema: Any) -> Any:
    """Return a schema whose objects hold nothing but what they describe: what was not described is nobody's."""
    if isinstance(schema, dict):
        found = {name: close(value) for name, value in schema.items()}
        return {"additionalProperties": False, **found} if "properties" in found else found
    return [close(one) for one in schema] if isinstance(schema, list) else schema


@settings(max_examples=120, deadline=None)
@given(schemas, schemas, st.lists(values, min_size=5, max_size=20))
def test_what_is_answered_was_right_before(old: Any, new: Any, found: list[Any]) -> None:
    """Apart from properties that are new: clients ignore those that they do not know."""
    if is_safe(document({}, open_up(old)), document({}, open_up(new))):
        for was, is_now in zip(right(open_up(old), found), right(open_up(new), found), strict=True):
            assert was or not is_now


def open_up(schema: Any) -> Any:
    """Return a schema whose objects may hold more than they describe."""
    if isinstance(schema, dict):
        return {name: open_up(value) for name, value in schema.items() if name != "additionalProperties"}
    return [open_up(one) for one in schema] if isinstance(schema, list) else schema


@given(schemas)
def test_what_is_equal_has_no_findings(schema: Any) -> None:
    one, other = document(schema, schema), document(schema, schema)
    assert compare_documents(one, other, date(2026, 1, 1)) == []


links = st.sampled_from("AB").map(lambda name: {"$ref": f"#/components/schemas/{name}"})
# A choice that is one of its own choices means nothing, so what leads back is inside a list.
lists = links.map(lambda link: {"type": "array", "items": link})
inner_part = st.recursive(st.one_of(scalars, lists), containers, max_leaves=4)
outer_part = st.recursive(
    st.one_of(scalars, lists, st.just({"$ref": "#/components/schemas/B"})), containers, max_leaves=4
)


@settings(max_examples=120, deadline=None)
@given(st.fixed_dictionaries({"A": outer_part, "B": inner_part}), links, st.booleans())
def test_components_of_other_names_and_choices_in_another_order_are_the_same(
    parts: dict[str, Any], used: Any, is_read: bool
) -> None:
    def write(found: dict[str, Any], schema: Any) -> Document:
        plain = document({}, schema) if is_read else document(schema, {})
        return Document({**plain.value, "components": {"schemas": found}}, "drawn")

    renamed, start = json.loads(re.sub("schemas/(.)", r"schemas/Other\1", json.dumps([turn(parts), used])))
    others = {f"Other{name}": part for name, part in renamed.items()}
    found = compare_documents(write(parts, used), write(others, start), date(2026, 1, 1))
    assert [one.rule.id for one in found if one.level != "safe"] == []


def turn(schema: Any) -> Any:
    """Return a schema whose choices are in the other order."""
    if isinstance(schema, dict):
        return {name: turn(one)[::-1] if name == "anyOf" else turn(one) for name, one in schema.items()}
    return [turn(one) for one in schema] if isinstance(schema, list) else schema


def test_null_that_stays_a_choice_is_not_missed() -> None:
    """As where an optional integer becomes a decimal, which is also sent as text."""
    old = {"type": ["integer", "null"]}
    new = {"anyOf": [{"type": "number"}, {"type": "string"}, {"type": "null"}]}
    assert is_safe(document(old, {}), document(new, {}))
    assert is_safe(document({}, new), document({}, old))
    assert not is_safe(document(old, {}), document({"anyOf": new["anyOf"][:2]}, {}))


def test_a_property_that_is_required_and_cannot_be_there_is_not_missed() -> None:
    old = {"type": "object", "properties": {"a": {}}, "required": ["a"], "additionalProperties": False}
    new = {**old, "properties": {}}
    assert not is_safe(document(old, {}), document(new, {}))
    assert not is_safe(document({}, new), document({}, old))
