"""Reading OpenAPI documents in tests: references followed, operations with their shared bodies and responses in place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

METHODS = ("get", "put", "post", "delete", "patch")


def follow(document: Mapping[str, Any], value: Any) -> Any:
    """Return what a ``$ref`` points to; anything else as it is."""
    while isinstance(value, dict) and "$ref" in value:
        found: Any = document
        for step in value["$ref"].removeprefix("#/").split("/"):
            found = found[step]
        value = found
    return value


def list_operations(document: Mapping[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield path, method and operation; bodies and responses are written out."""
    for path, item in document["paths"].items():
        for method in METHODS:
            if method in item:
                yield path, method, _write_out(document, item[method])


def _write_out(document: Mapping[str, Any], operation: dict[str, Any]) -> dict[str, Any]:
    answers = {status: follow(document, one) for status, one in operation["responses"].items()}
    body = {"requestBody": follow(document, operation["requestBody"])} if "requestBody" in operation else {}
    return {**operation, **body, "responses": answers}
