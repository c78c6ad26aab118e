"""Arguments against the schemas that servers publish: no schema of theirs makes this service fail or wait."""

from __future__ import annotations

import time
from typing import Any

import pytest

from runtime.errors import RemoteFailed, ValidationFailed
from runtime.mcp_client.answers import RemoteAnswer, RemoteTool
from runtime.mcp_client.arguments import check_answer, check_arguments

Schema = dict[str, Any]

SLOW = "^(a+)+$"
"""A pattern that takes Python's engine twice as long for each character more."""

DIALECT = "https://json-schema.org/draft/2020-12/schema"

DOUBLING: Schema = {
    "$defs": {f"d{at}": {"allOf": [{"$ref": f"#/$defs/d{at + 1}"}] * 2} for at in range(40)} | {"d40": {}},
    "$ref": "#/$defs/d0",
}
"""A schema that is checked twice as often with each of its definitions."""

OTHERS: Schema = {"properties": {"own": {"type": "integer"}}, "patternProperties": {"^x-": {}, SLOW: {}}}
STRICT = OTHERS | {"additionalProperties": False}
TEXTS = OTHERS | {"additionalProperties": {"type": "string"}}
BACKWARDS: Schema = {"patternProperties": {"(?=b)": {}}, "additionalProperties": False}

FITTING: list[tuple[Schema, Schema]] = [
    (STRICT, {"own": 1, "x-other": 2, "aaa": 3}),
    (TEXTS, {"own": 1, "x-other": 2, "other": "text"}),
    (BACKWARDS, {"what only the server can tell": 1}),
    ({"additionalProperties": False, "properties": {"own": {}}}, {"own": 1}),
    ({"unevaluatedProperties": False, "patternProperties": {SLOW: {}}}, {"a" * 64 + "!": 1}),
]
WRONG: list[tuple[Schema, Schema, str]] = [
    (STRICT, {"own": "text"}, "own"),
    (STRICT, {"other": 1}, "'other' was unexpected"),
    (STRICT, {"a" * 64 + "!": 1}, "was unexpected"),
    (TEXTS, {"other": 1}, "is not of type 'string'"),
    ({"properties": {"own": {"pattern": SLOW}}}, {"own": "a" * 64 + "!"}, "does not match"),
    ({"propertyNames": {"pattern": SLOW}}, {"a" * 64 + "!": 1}, "does not match"),
    ({"additionalProperties": False}, {"other": 1}, "'other' was unexpected"),
    (
        {"properties": {"own": {"$schema": DIALECT, "pattern": SLOW}}},
        {"own": "a" * 64 + "!"},
        "does not match",
    ),
]


def tool_of(schema: Schema) -> RemoteTool:
    return RemoteTool("tool", "", schema)


@pytest.mark.parametrize(("schema", "arguments"), FITTING)
def test_what_fits_is_sent(schema: Schema, arguments: Schema) -> None:
    check_arguments(tool_of({"type": "object", **schema}), arguments)


@pytest.mark.parametrize(("schema", "arguments", "said"), WRONG)
def test_what_does_not_fit_is_refused_in_no_time(schema: Schema, arguments: Schema, said: str) -> None:
    began = time.thread_time()
    with pytest.raises(ValidationFailed) as refused:
        check_arguments(tool_of({"type": "object", **schema}), arguments)
    assert said in str(refused.value.details["violations"])
    assert time.thread_time() - began < 5


@pytest.mark.parametrize(
    "schema",
    [
        {"type": 5},
        {"$ref": "https://elsewhere.example/schema"},
        {"$id": "http://[", "$ref": "other"},
        {"description": "x" * 2**18},
        DOUBLING,
    ],
    ids=["no type", "elsewhere", "no name", "large", "doubling"],
)
def test_a_schema_that_is_none_is_the_fault_of_the_server(schema: Schema) -> None:
    with pytest.raises(RemoteFailed):
        check_arguments(tool_of(schema), {"a": 1})


def test_many_values_are_not_compared_each_with_each() -> None:
    check_arguments(tool_of({"properties": {"own": {"uniqueItems": True}}}), {"own": [{}] * 100_000})


MANY = {f"^p{at}$": {} for at in range(400)}
"""Patterns that each of many names is matched with; so few that the schema itself is looked at soon."""

LARGE_CLASS = "(?i)" + "[\u0001-\U000fffff]" * 800
"""A pattern that takes Python's engine seconds to compile."""


@pytest.mark.parametrize(
    "schema",
    [
        DOUBLING,
        {"patternProperties": MANY, "additionalProperties": False},
        {"type": 5},
        {"description": "x" * 2**18},
        {"$schema": "http://json-schema.org/draft-07/schema#", "properties": {"a": {"items": [{}]}}},
        {"properties": {"a": {"$ref": "https://elsewhere.example/schema"}}},
        {"properties": {"a": {"pattern": r"^\p{L}+$"}, "b": {"pattern": LARGE_CLASS}}},
        {"maximum": 2**64},
    ],
    ids=["doubling", "many patterns", "no type", "large", "another draft", "elsewhere", "patterns", "long"],
)
def test_an_answer_that_cannot_be_checked_is_passed_on(schema: Schema) -> None:
    """The work is done: a failure would make the caller do it twice."""
    content = {"a": "b", **{f"x{at}": 1 for at in range(1500)}}
    began = time.thread_time()
    check_answer(RemoteTool("tool", "", {}, answer=schema), RemoteAnswer(content, is_structured=True))
    assert time.thread_time() - began < 10


def test_names_are_matched_with_many_patterns_for_a_second_only() -> None:
    schema: Schema = {"patternProperties": MANY, "additionalProperties": False}
    with pytest.raises(RemoteFailed, match="takes too long"):
        check_arguments(tool_of(schema), {f"x{at}": 1 for at in range(1500)})


def test_many_faults_are_not_all_described() -> None:
    schema: Schema = {"allOf": [{"type": "integer"}] * 300}
    with pytest.raises(ValidationFailed) as refused:
        check_arguments(tool_of({"properties": {"own": schema}}), {"own": "a"})
    assert len(refused.value.details["violations"]) == 20
