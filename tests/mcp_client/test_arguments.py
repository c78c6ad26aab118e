"""Arguments against the schemas that servers publish: no schema of theirs makes this service fail or wait."""

from __future__ import annotations

import time
from typing import Any

import pytest

from runtime.errors import RemoteFailed, ValidationFailed
from runtime.mcp_client.arguments import check_arguments

Schema = dict[str, Any]

SLOW = "^(a+)+$"
"""A pattern that takes Python's engine twice as long for each character more."""

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
]


@pytest.mark.parametrize(("schema", "arguments"), FITTING)
def test_what_fits_is_sent(schema: Schema, arguments: Schema) -> None:
    check_arguments("tool", {"type": "object", **schema}, arguments)


@pytest.mark.parametrize(("schema", "arguments", "said"), WRONG)
def test_what_does_not_fit_is_refused_in_no_time(schema: Schema, arguments: Schema, said: str) -> None:
    began = time.monotonic()
    with pytest.raises(ValidationFailed) as refused:
        check_arguments("tool", {"type": "object", **schema}, arguments)
    assert said in str(refused.value.details["violations"])
    assert time.monotonic() - began < 5


@pytest.mark.parametrize(
    "schema",
    [{"type": 5}, {"$ref": "https://elsewhere.example/schema"}, {"patternProperties": {"(": {}}}],
)
def test_a_schema_that_is_none_is_the_fault_of_the_server(schema: Schema) -> None:
    with pytest.raises(RemoteFailed):
        check_arguments("tool", schema, {"a": 1})
