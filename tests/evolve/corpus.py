"""Edits of an OpenAPI document, each with what oasdiff's public list of rules calls it.

The list is ``checker/rules.go`` of the repository Tufin/oasdiff, with the texts of its ``localizations``; an edit is
named after the rule that it is an example of. ERR, WARN and INFO are its levels. Where we judge otherwise,
``OTHERWISE`` says why.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

GONE = object()
ERR, WARN, INFO = "breaking", "risky", "safe"

LIST = {"type": "array", "items": {"type": "string"}}
CAT = {
    "type": "object",
    "required": ["kind"],
    "properties": {"kind": {"type": "string"}, "lives": {"type": "integer"}},
}
DOG = {"type": "object", "required": ["kind"], "properties": {"kind": {"type": "string"}, "tricks": LIST}}
PET = {
    "type": "object",
    "required": ["id", "name"],
    "properties": {
        "id": {"type": "string"},
        "name": {"type": "string"},
        "age": {"type": "integer"},
        "tags": LIST,
        "owner": {"type": "object", "required": ["email"], "properties": {"email": {"type": "string"}, "phone": {"type": "string"}}},
    },
}  # fmt: skip
BASE: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Pets", "version": "1"},
    "security": [{"token": []}],
    "paths": {
        "/pets": {
            "get": {
                "operationId": "listPets",
                "tags": ["Pets"],
                "parameters": [
                    {"name": "limit", "in": "query", "schema": {"type": "integer"}},
                    {"name": "name", "in": "query", "schema": {"type": "string"}},
                    {"name": "tags", "in": "query", "schema": LIST},
                    {"name": "X-Trace", "in": "header", "schema": {"type": "object", "properties": {"span": {"type": "string"}}}},
                    {"name": "session", "in": "cookie", "schema": {"type": "string"}},
                ],
                "responses": {
                    "200": {
                        "description": "All",
                        "headers": {"X-Total": {"required": True, "schema": {"type": "integer"}}, "X-Next": {"schema": {"type": "string"}}},
                        "content": {
                            "application/json": {"schema": {"type": "array", "items": {"$ref": "#/components/schemas/Pet"}}},
                            "text/csv": {"schema": {"type": "string"}},
                        },
                    },
                    "204": {"description": "None"},
                    "404": {"description": "No such place"},
                },
            },
            "post": {
                "operationId": "addPet",
                "requestBody": {
                    "content": {
                        "application/json": {"schema": {"$ref": "#/components/schemas/PetInput"}},
                        "application/xml": {"schema": {"$ref": "#/components/schemas/PetInput"}},
                    }
                },
                "responses": {"200": {"description": "Added", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Pet"}}}}},
            },
        },
        "/pets/{id}": {
            "parameters": [{"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}],
            "get": {"operationId": "getPet", "responses": {"200": {"description": "One", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Pet"}}}}}},
            "delete": {"operationId": "deletePet", "security": [{"oauth": ["pets:write"]}, {"key": []}], "responses": {"204": {"description": "Gone"}}},
        },
        "/name": {
            "put": {
                "operationId": "setName",
                "requestBody": {"required": True, "content": {"text/plain": {"schema": {"type": "string"}}}},
                "responses": {"200": {"description": "Set", "content": {"text/plain": {"schema": {"type": "string"}}}}},
            },
            "post": {
                "operationId": "addNumbers",
                "requestBody": {"content": {"application/json": {"schema": {"type": "array", "items": {"type": "integer"}}}}},
                "responses": {"200": {"description": "The sum", "content": {"application/json": {"schema": {"type": "integer"}}}}},
            },
        },
        "/health": {"get": {"operationId": "health", "security": [], "responses": {"200": {"description": "Fine"}}}},
    },
    "components": {
        "securitySchemes": {
            "token": {"type": "http", "scheme": "bearer"},
            "key": {"type": "apiKey", "in": "header", "name": "X-Key"},
            "oauth": {
                "type": "oauth2",
                "flows": {"authorizationCode": {"authorizationUrl": "/a", "tokenUrl": "/t", "scopes": {"pets:write": "Write", "pets:read": "Read"}}},
            },
        },
        "schemas": {"Pet": PET, "PetInput": PET, "Cat": CAT, "Dog": DOG},
    },
}  # fmt: skip

PLACES = {
    "in": "components|schemas|PetInput",
    "out": "components|schemas|Pet",
    "list": "paths|/pets|get",
    "limit": "paths|/pets|get|parameters|0",
    "query": "paths|/pets|get|parameters|1",
    "tags": "paths|/pets|get|parameters|2",
    "trace": "paths|/pets|get|parameters|3",
    "session": "paths|/pets|get|parameters|4",
    "add": "paths|/pets|post",
    "one": "paths|/pets/{id}|get",
    "delete": "paths|/pets/{id}|delete",
    "body": "paths|/name|put|requestBody|content|text/plain|schema",
    "answer": "paths|/name|put|responses|200|content|text/plain|schema",
    "numbers": "paths|/name|post|requestBody|content|application/json|schema",
    "sum": "paths|/name|post|responses|200|content|application/json|schema",
    "health": "paths|/health|get",
    "schemes": "components|securitySchemes",
}
Patch = Mapping[str, Any]


@dataclass(frozen=True)
class Edit:
    """``start`` is put into both documents, ``change`` into the new one only."""

    rule: str
    level: str
    start: Patch
    change: Patch


def apply(document: Any, patch: Patch) -> Any:
    """Return a document with values put at paths, or taken away."""
    document = json.loads(json.dumps(document))  # nothing is shared any more
    for path, value in patch.items():
        first, *rest = path.split("|")
        steps = [*PLACES.get(first, first).split("|"), *rest]
        here = document
        for step in steps[:-1]:
            here = here[int(step)] if isinstance(here, list) else here.setdefault(step, {})
        last = int(steps[-1]) if isinstance(here, list) and steps[-1] != "+" else steps[-1]
        if value is GONE:
            del here[last]
        elif last == "+":
            here.append(copy.deepcopy(value))
        else:
            here[last] = copy.deepcopy(value)
    return document


def add(rule: str, level: str, start: Patch, change: Patch) -> Edit:
    return Edit(rule, level, start, change)


def limits(prefix: str, word: str, at: str, low: Any, high: Any, wide: str, narrow: str) -> Iterator[Edit]:
    """A bound that moves both ways; ``wide`` and ``narrow``: what its being greater and less is called."""
    if wide:
        yield add(f"{prefix}-increased", wide, {at + word: low}, {at + word: high})
    if narrow:
        yield add(f"{prefix}-decreased", narrow, {at + word: high}, {at + word: low})


def endpoints() -> Iterator[Edit]:
    yield add(
        "endpoint-added", INFO, {}, {"paths|/cats": {"get": {"responses": {"200": {"description": "x"}}}}}
    )
    yield add("api-path-removed-without-deprecation", ERR, {}, {"paths|/name": GONE})
    yield add("api-removed-without-deprecation", ERR, {}, {"paths|/pets/{id}|delete": GONE})
    yield add("api-removed-without-deprecation", ERR, {}, {"paths|/pets|post": GONE})
    yield add(
        "api-removed-before-sunset",
        ERR,
        {"one|deprecated": True, "one|x-sunset": "9999-01-01"},
        {"paths|/pets/{id}|get": GONE},
    )
    yield add(
        "api-path-removed-before-sunset",
        ERR,
        {"health|deprecated": True, "health|x-sunset": "9999-01-01"},
        {"paths|/health": GONE},
    )
    yield add(
        "api-removed-with-deprecation",
        INFO,
        {"one|deprecated": True, "one|x-sunset": "2020-01-01"},
        {"paths|/pets/{id}|get": GONE},
    )
    yield add(
        "api-path-removed-with-deprecation",
        INFO,
        {"health|deprecated": True, "health|x-sunset": "2020-01-01"},
        {"paths|/health": GONE},
    )
    yield add(
        "api-path-sunset-parse",
        ERR,
        {"health|deprecated": True, "health|x-sunset": "soon"},
        {"paths|/health": GONE},
    )
    yield add("api-deprecated-sunset-parse", ERR, {}, {"one|deprecated": True, "one|x-sunset": "soon"})
    yield add("api-sunset-date-too-small", ERR, {}, {"one|deprecated": True, "one|x-sunset": "2020-01-01"})
    yield add(
        "sunset-deleted", ERR, {"one|deprecated": True, "one|x-sunset": "9999-01-01"}, {"one|x-sunset": GONE}
    )
    yield add(
        "api-sunset-date-changed-too-small",
        ERR,
        {"one|deprecated": True, "one|x-sunset": "9999-01-01"},
        {"one|x-sunset": "2020-01-01"},
    )
    yield add(
        "api-stability-decreased", ERR, {"one|x-stability-level": "stable"}, {"one|x-stability-level": "beta"}
    )
    yield add(
        "api-stability-decreased", ERR, {"one|x-stability-level": "beta"}, {"one|x-stability-level": "alpha"}
    )
    yield add("api-invalid-stability-level", ERR, {}, {"one|x-stability-level": "rock"})
    yield add("endpoint-deprecated", INFO, {}, {"one|deprecated": True})
    yield add("endpoint-deprecated", INFO, {}, {"one|deprecated": True, "one|x-sunset": "9999-01-01"})
    yield add("endpoint-reactivated", INFO, {"one|deprecated": True}, {"one|deprecated": GONE})
    yield add("api-operation-id-removed", INFO, {}, {"one|operationId": "fetchPet"})
    yield add("api-operation-id-added", INFO, {"one|operationId": GONE}, {"one|operationId": "fetchPet"})
    yield add("api-tag-removed", INFO, {}, {"list|tags": []})
    yield add("api-tag-added", INFO, {}, {"one|tags": ["Pets"]})
    yield add("api-schema-removed", INFO, {}, {"components|schemas|Dog": GONE})
    yield add(
        "description",
        INFO,
        {},
        {"list|description": "All pets.", "out|description": "A pet.", "info|title": "Animals"},
    )
    yield add("rename-of-a-path-parameter", INFO, {}, {
        "paths|/pets/{id}": GONE, "paths|/pets/{pet}": apply(BASE, {"paths|/pets/{id}|parameters|0|name": "pet"})["paths"]["/pets/{id}"],
    })  # fmt: skip


def security() -> Iterator[Edit]:
    yield add("api-security-removed", INFO, {}, {"delete|security": []})
    yield add("api-security-alternative-removed", INFO, {}, {"delete|security": [{"key": []}]})
    yield add("api-security-added", INFO, {}, {"health|security": [{"token": []}]})
    yield add(
        "api-security-alternative-added",
        INFO,
        {},
        {"delete|security": [{"oauth": ["pets:write"]}, {"key": []}, {"token": []}]},
    )
    yield add(
        "api-security-scope-added",
        INFO,
        {},
        {"delete|security": [{"oauth": ["pets:write", "pets:read"]}, {"key": []}]},
    )
    yield add("api-security-scope-removed", INFO, {}, {"delete|security": [{"oauth": []}, {"key": []}]})
    yield add("api-global-security-removed", INFO, {}, {"security": []})
    yield add("api-global-security-added", INFO, {"security": []}, {"security": [{"token": []}]})
    yield add(
        "api-global-security-scope-added",
        INFO,
        {"security": [{"oauth": []}]},
        {"security": [{"oauth": ["pets:read"]}]},
    )
    yield add(
        "api-global-security-scope-removed",
        INFO,
        {"security": [{"oauth": ["pets:read"]}]},
        {"security": [{"oauth": []}]},
    )
    yield add(
        "api-security-component-added", INFO, {}, {"schemes|other": {"type": "http", "scheme": "basic"}}
    )
    yield add(
        "api-security-component-removed",
        INFO,
        {"schemes|other": {"type": "http", "scheme": "basic"}},
        {"schemes|other": GONE},
    )
    yield add(
        "api-security-component-type-changed",
        INFO,
        {},
        {"schemes|token": {"type": "apiKey", "in": "query", "name": "t"}},
    )
    yield add(
        "api-security-component-oauth-url-changed",
        INFO,
        {},
        {"schemes|oauth|flows|authorizationCode|authorizationUrl": "/b"},
    )
    yield add(
        "api-security-component-oauth-token-url-changed",
        INFO,
        {},
        {"schemes|oauth|flows|authorizationCode|tokenUrl": "/b"},
    )
    yield add(
        "api-security-component-oauth-scope-added",
        INFO,
        {},
        {"schemes|oauth|flows|authorizationCode|scopes|x": "X"},
    )
    yield add(
        "api-security-component-oauth-scope-removed",
        INFO,
        {},
        {"schemes|oauth|flows|authorizationCode|scopes|pets:read": GONE},
    )
    yield add(
        "api-security-component-oauth-scope-changed",
        INFO,
        {},
        {"schemes|oauth|flows|authorizationCode|scopes|pets:read": "Look"},
    )


def parameters() -> Iterator[Edit]:
    new = {"name": "age", "in": "query", "schema": {"type": "integer"}}
    yield add("new-required-request-parameter", ERR, {}, {"list|parameters|+": {**new, "required": True}})
    yield add(
        "new-required-request-parameter",
        ERR,
        {},
        {"list|parameters|+": {**new, "in": "header", "required": True}},
    )
    yield add(
        "new-required-request-default-parameter-to-existing-path",
        ERR,
        {},
        {"paths|/pets|parameters": [{**new, "required": True}]},
    )
    yield add("new-optional-request-parameter", INFO, {}, {"list|parameters|+": new})
    yield add(
        "new-optional-request-default-parameter-to-existing-path", INFO, {}, {"paths|/pets|parameters": [new]}
    )
    yield add(
        "new-request-path-parameter",
        ERR,
        {},
        {
            "paths|/health": GONE,
            "paths|/health/{what}": {
                "get": {"parameters": [{"name": "what", "in": "path", "required": True}], "responses": {}}
            },
        },
    )
    yield add("request-parameter-removed", WARN, {}, {"list|parameters|1": GONE})
    yield add(
        "request-parameter-removed-with-deprecation",
        INFO,
        {"query|deprecated": True, "query|x-sunset": "2020-01-01"},
        {"list|parameters|1": GONE},
    )
    yield add(
        "request-parameter-removed-before-sunset",
        ERR,
        {"query|deprecated": True, "query|x-sunset": "9999-01-01"},
        {"list|parameters|1": GONE},
    )
    yield add(
        "request-parameter-sunset-parse",
        ERR,
        {"query|deprecated": True, "query|x-sunset": "soon"},
        {"list|parameters|1": GONE},
    )
    yield add(
        "request-parameter-sunset-deleted",
        ERR,
        {"query|deprecated": True, "query|x-sunset": "9999-01-01"},
        {"query|x-sunset": GONE},
    )
    yield add(
        "request-parameter-sunset-date-changed-too-small",
        ERR,
        {"query|deprecated": True, "query|x-sunset": "9999-01-01"},
        {"query|x-sunset": "2020-01-01"},
    )
    yield add(
        "request-parameter-sunset-date-too-small",
        ERR,
        {},
        {"query|deprecated": True, "query|x-sunset": "2020-01-01"},
    )
    yield add("request-parameter-deprecated", INFO, {}, {"query|deprecated": True})
    yield add("request-parameter-reactivated", INFO, {"query|deprecated": True}, {"query|deprecated": GONE})
    yield add("request-parameter-became-required", ERR, {}, {"query|required": True})
    yield add("request-parameter-became-required", ERR, {}, {"session|required": True})
    yield add("request-parameter-became-optional", INFO, {"query|required": True}, {"query|required": False})
    yield add("request-parameter-became-enum", ERR, {}, {"query|schema|enum": ["a", "b"]})
    yield add(
        "request-parameter-enum-value-removed",
        ERR,
        {"query|schema|enum": ["a", "b"]},
        {"query|schema|enum": ["a"]},
    )
    yield add(
        "request-parameter-enum-value-added",
        INFO,
        {"query|schema|enum": ["a"]},
        {"query|schema|enum": ["a", "b"]},
    )
    yield add(
        "request-parameter-x-extensible-enum-value-removed",
        ERR,
        {"query|schema|x-extensible-enum": ["a", "b"]},
        {"query|schema|x-extensible-enum": ["a"]},
    )
    yield add("request-parameter-default-value-added", ERR, {}, {"limit|schema|default": 5})
    yield add(
        "request-parameter-default-value-changed",
        ERR,
        {"limit|schema|default": 5},
        {"limit|schema|default": 6},
    )
    yield add(
        "request-parameter-default-value-removed",
        ERR,
        {"limit|schema|default": 5},
        {"limit|schema|default": GONE},
    )
    yield from limits("request-parameter-max", "maximum", "limit|schema|", 5, 9, INFO, ERR)
    yield from limits("request-parameter-min", "minimum", "limit|schema|", 5, 9, ERR, INFO)
    yield from limits("request-parameter-max-length", "maxLength", "query|schema|", 5, 9, INFO, ERR)
    yield from limits("request-parameter-min-length", "minLength", "query|schema|", 5, 9, ERR, INFO)
    yield from limits("request-parameter-max-items", "maxItems", "tags|schema|", 5, 9, INFO, ERR)
    yield from limits("request-parameter-min-items", "minItems", "tags|schema|", 5, 9, ERR, INFO)
    yield add(
        "request-parameter-min-made-exclusive",
        ERR,
        {"limit|schema|minimum": 5},
        {"limit|schema|exclusiveMinimum": True},
    )
    yield add(
        "request-parameter-min-made-inclusive",
        INFO,
        {"limit|schema|minimum": 5, "limit|schema|exclusiveMinimum": True},
        {"limit|schema|exclusiveMinimum": False},
    )
    yield add("request-parameter-max-set", WARN, {}, {"limit|schema|maximum": 5})
    yield add("request-parameter-min-set", WARN, {}, {"limit|schema|minimum": 5})
    yield add("request-parameter-max-length-set", WARN, {}, {"query|schema|maxLength": 5})
    yield add("request-parameter-min-items-set", WARN, {}, {"tags|schema|minItems": 5})
    yield add("request-parameter-pattern-added", WARN, {}, {"query|schema|pattern": "^a$"})
    yield add(
        "request-parameter-pattern-removed",
        INFO,
        {"query|schema|pattern": "^a$"},
        {"query|schema|pattern": GONE},
    )
    yield add(
        "request-parameter-pattern-changed",
        WARN,
        {"query|schema|pattern": "[0-9]+"},
        {"query|schema|pattern": "[0-9]*"},
    )
    yield add(
        "request-parameter-pattern-changed-to-less",
        WARN,
        {"query|schema|pattern": "^[0-9]{2}$"},
        {"query|schema|pattern": "^[0-9]{3}$"},
    )
    yield add(
        "request-parameter-pattern-generalized",
        INFO,
        {"query|schema|pattern": "^a$"},
        {"query|schema|pattern": ".*"},
    )
    yield add("request-parameter-type-changed", ERR, {}, {"query|schema|type": "integer"})
    yield add("request-parameter-type-changed", ERR, {}, {"limit|schema|type": "boolean"})
    yield add("request-parameter-type-changed", ERR, {}, {"query|schema|format": "uuid"})
    yield add(
        "request-parameter-type-changed",
        ERR,
        {"paths|/pets/{id}|parameters|0|schema|type": "string"},
        {"paths|/pets/{id}|parameters|0|schema|type": "integer"},
    )
    yield add("request-parameter-type-generalized", INFO, {}, {"limit|schema|type": "number"})
    yield add("request-parameter-type-generalized", INFO, {}, {"limit|schema|type": "string"})
    yield add(
        "request-parameter-type-generalized",
        INFO,
        {"query|schema|format": "uuid"},
        {"query|schema|format": GONE},
    )
    yield add(
        "request-parameter-property-type-specialized",
        ERR,
        {},
        {"trace|schema|properties|span|type": "integer"},
    )
    yield add(
        "request-parameter-property-type-generalized",
        INFO,
        {"trace|schema|properties|span|type": "integer"},
        {"trace|schema|properties|span|type": "number"},
    )
    yield add(
        "new-required-request-header-property",
        ERR,
        {},
        {"trace|schema|properties|id": {"type": "string"}, "trace|schema|required": ["id"]},
    )
    yield add("request-header-property-became-required", ERR, {}, {"trace|schema|required": ["span"]})
    yield add("request-header-property-became-enum", ERR, {}, {"trace|schema|properties|span|enum": ["a"]})
    yield add("request-parameter-style-changed", ERR, {}, {"tags|explode": False})
    yield add("request-parameter-moved", ERR, {"session|required": True}, {"session|in": "header"})


def requests() -> Iterator[Edit]:
    body = {"content": {"application/json": {"schema": {"type": "object"}}}}
    yield add("request-body-added-required", ERR, {}, {"delete|requestBody": {**body, "required": True}})
    yield add("request-body-added-optional", INFO, {}, {"delete|requestBody": body})
    yield add("request-body-became-required", ERR, {}, {"add|requestBody|required": True})
    yield add(
        "request-body-became-optional",
        INFO,
        {"add|requestBody|required": True},
        {"add|requestBody|required": False},
    )
    yield add("request-body-media-type-removed", ERR, {}, {"add|requestBody|content|application/xml": GONE})
    yield add(
        "request-body-media-type-added",
        INFO,
        {},
        {"add|requestBody|content|text/csv": {"schema": {"type": "string"}}},
    )
    yield add("request-body-became-enum", ERR, {}, {"body|enum": ["a", "b"]})
    yield add("request-body-enum-value-removed", INFO, {"body|enum": ["a", "b"]}, {"body|enum": ["a"]})
    yield add(
        "request-body-became-not-nullable", ERR, {"body|type": ["string", "null"]}, {"body|type": "string"}
    )
    yield add("request-body-became-nullable", INFO, {}, {"body|type": ["string", "null"]})
    yield add("request-body-type-changed", ERR, {}, {"numbers|type": "object"})
    yield add("request-body-type-changed", ERR, {}, {"numbers|items|type": "string"})
    yield add("request-body-type-generalized", INFO, {}, {"numbers|items|type": "number"})
    yield from limits("request-body-max-length", "maxLength", "body|", 5, 9, INFO, ERR)
    yield from limits("request-body-min-length", "minLength", "body|", 5, 9, ERR, INFO)
    yield from limits("request-body-max", "maximum", "numbers|items|", 5, 9, INFO, ERR)
    yield from limits("request-body-min", "minimum", "numbers|items|", 5, 9, ERR, INFO)
    yield from limits("request-body-min-items", "minItems", "numbers|", 5, 9, ERR, INFO)
    yield add("request-body-max-length-set", WARN, {}, {"body|maxLength": 5})
    yield add("request-body-min-items-set", WARN, {}, {"numbers|minItems": 5})
    yield add("request-body-max-set", WARN, {}, {"numbers|items|maximum": 5})
    yield add("request-body-min-set", WARN, {}, {"numbers|items|minimum": 5})
    yield add("request-body-default-value-added", INFO, {}, {"body|default": "a"})
    any_of = {
        "in|properties|pet": {
            "anyOf": [{"$ref": "#/components/schemas/Cat"}, {"$ref": "#/components/schemas/Dog"}]
        }
    }
    one_of = {
        "in|properties|pet": {
            "oneOf": [{"$ref": "#/components/schemas/Cat"}, {"$ref": "#/components/schemas/Dog"}]
        }
    }
    yield add("request-property-any-of-removed", ERR, any_of, {"in|properties|pet|anyOf|1": GONE})
    yield add(
        "request-property-any-of-added", INFO, any_of, {"in|properties|pet|anyOf|+": {"type": "string"}}
    )
    yield add("request-property-one-of-removed", ERR, one_of, {"in|properties|pet|oneOf|0": GONE})
    yield add(
        "request-property-one-of-added", INFO, one_of, {"in|properties|pet|oneOf|+": {"type": "string"}}
    )
    yield add(
        "request-property-all-of-added",
        ERR,
        {},
        {"in|properties|owner|allOf": [{"$ref": "#/components/schemas/Cat"}]},
    )
    yield add(
        "request-property-all-of-removed",
        WARN,
        {"in|properties|owner|allOf": [{"$ref": "#/components/schemas/Cat"}]},
        {"in|properties|owner|allOf": GONE},
    )
    yield add(
        "request-body-one-of-removed",
        ERR,
        {"numbers|oneOf": [{"maxItems": 2}, {"minItems": 9}]},
        {"numbers|oneOf": [{"maxItems": 2}]},
    )
    yield add(
        "request-body-any-of-removed",
        ERR,
        {"numbers|anyOf": [{"maxItems": 2}, {"minItems": 9}]},
        {"numbers|anyOf": [{"maxItems": 2}]},
    )
    yield add("request-body-all-of-added", ERR, {}, {"numbers|allOf": [{"$ref": "#/components/schemas/Cat"}]})
    name = "in|properties|name|"
    yield add("request-property-removed", WARN, {}, {"in|properties|age": GONE})
    yield add(
        "request-property-removed-from-closed",
        WARN,
        {"in|additionalProperties": False},
        {"in|properties|age": GONE},
    )
    yield add(
        "new-required-request-property",
        ERR,
        {},
        {"in|properties|kind": {"type": "string"}, "in|required|+": "kind"},
    )
    yield add(
        "new-required-request-property",
        ERR,
        {},
        {"in|properties|owner|properties|kind": {"type": "string"}, "in|properties|owner|required|+": "kind"},
    )
    yield add(
        "new-required-request-property-with-default",
        INFO,
        {},
        {"in|properties|kind": {"type": "string", "default": "x"}, "in|required|+": "kind"},
    )
    yield add("new-optional-request-property", INFO, {}, {"in|properties|kind": {"type": "string"}})
    yield add("request-property-became-required", ERR, {}, {"in|required|+": "age"})
    yield add("request-property-became-required", ERR, {}, {"in|properties|owner|required|+": "phone"})
    yield add(
        "request-property-became-required-with-default",
        INFO,
        {"in|properties|age|default": 1},
        {"in|required|+": "age"},
    )
    yield add("request-property-became-optional", INFO, {}, {"in|required": ["id"]})
    yield add(
        "request-property-became-not-nullable",
        ERR,
        {name + "type": ["string", "null"]},
        {name + "type": "string"},
    )
    yield add(
        "request-property-became-not-nullable", ERR, {name + "nullable": True}, {name + "nullable": False}
    )
    yield add(
        "request-property-became-not-nullable",
        ERR,
        {"in|properties|pet": {"anyOf": [{"$ref": "#/components/schemas/Cat"}, {"type": "null"}]}},
        {"in|properties|pet": {"$ref": "#/components/schemas/Cat"}},
    )
    yield add("request-property-became-nullable", INFO, {}, {name + "type": ["string", "null"]})
    yield add("request-property-became-enum", ERR, {}, {name + "enum": ["a"]})
    yield add("request-property-enum-value-removed", ERR, {name + "enum": ["a", "b"]}, {name + "enum": ["a"]})
    yield add(
        "request-property-enum-value-removed",
        ERR,
        {"in|properties|tags|items|enum": ["a", "b"]},
        {"in|properties|tags|items|enum": ["b"]},
    )
    yield add(
        "request-read-only-property-enum-value-removed",
        INFO,
        {name + "enum": ["a", "b"], name + "readOnly": True},
        {name + "enum": ["a"]},
    )
    yield add("request-property-enum-value-added", INFO, {name + "enum": ["a"]}, {name + "enum": ["a", "b"]})
    yield add(
        "request-property-x-extensible-enum-value-removed",
        ERR,
        {name + "x-extensible-enum": ["a", "b"]},
        {name + "x-extensible-enum": ["a"]},
    )
    yield from limits("request-property-max", "maximum", "in|properties|age|", 5, 9, INFO, ERR)
    yield from limits("request-property-min", "minimum", "in|properties|age|", 5, 9, ERR, INFO)
    yield from limits("request-property-max-length", "maxLength", name, 5, 9, INFO, ERR)
    yield from limits("request-property-min-length", "minLength", name, 5, 9, ERR, INFO)
    yield from limits("request-property-min-items", "minItems", "in|properties|tags|", 5, 9, ERR, INFO)
    yield from limits("request-property-max-items", "maxItems", "in|properties|tags|", 5, 9, INFO, ERR)
    read_only = {
        "in|properties|age|readOnly": True,
        "in|properties|age|maximum": 9,
        "in|properties|age|minimum": 5,
    }
    yield add("request-read-only-property-max-decreased", INFO, read_only, {"in|properties|age|maximum": 8})
    yield add("request-read-only-property-min-increased", INFO, read_only, {"in|properties|age|minimum": 6})
    yield add(
        "request-read-only-property-max-length-decreased",
        INFO,
        {name + "readOnly": True, name + "maxLength": 9},
        {name + "maxLength": 8},
    )
    yield add("request-property-max-length-set", WARN, {}, {name + "maxLength": 5})
    yield add("request-property-max-set", WARN, {}, {"in|properties|age|maximum": 5})
    yield add("request-property-min-set", WARN, {}, {"in|properties|age|minimum": 5})
    yield add("request-property-min-items-set", WARN, {}, {"in|properties|tags|minItems": 5})
    yield add("request-property-pattern-added", WARN, {}, {name + "pattern": "^a$"})
    yield add("request-property-pattern-removed", INFO, {name + "pattern": "^a$"}, {name + "pattern": GONE})
    yield add(
        "request-property-pattern-changed", WARN, {name + "pattern": "[a-z]+"}, {name + "pattern": "[a-z]*"}
    )
    yield add(
        "request-property-pattern-generalized", INFO, {name + "pattern": "^a$"}, {name + "pattern": ".*"}
    )
    yield add("request-property-type-changed", ERR, {}, {name + "type": "integer"})
    yield add("request-property-type-changed", ERR, {}, {"in|properties|age|type": "string"})
    yield add(
        "request-property-type-changed", ERR, {}, {"in|properties|owner|properties|email|format": "email"}
    )
    yield add("request-property-type-changed", ERR, {}, {"in|properties|tags|type": "string"})
    yield add("request-property-type-generalized", INFO, {}, {"in|properties|age|type": "number"})
    yield add(
        "request-property-type-generalized", INFO, {}, {"in|properties|age|type": ["integer", "string"]}
    )
    yield add(
        "request-property-type-generalized",
        INFO,
        {"in|properties|age|format": "int32"},
        {"in|properties|age|format": "int64"},
    )
    yield add("request-property-default-value-added", INFO, {}, {name + "default": "a"})
    yield add(
        "request-property-default-value-changed", INFO, {name + "default": "a"}, {name + "default": "b"}
    )
    yield add(
        "request-property-default-value-removed", INFO, {name + "default": "a"}, {name + "default": GONE}
    )
    yield add("request-optional-property-became-read-only", INFO, {}, {"in|properties|age|readOnly": True})
    yield add("request-optional-property-became-write-only", INFO, {}, {"in|properties|age|writeOnly": True})
    yield add(
        "request-optional-property-became-not-read-only",
        INFO,
        {"in|properties|age|readOnly": True},
        {"in|properties|age|readOnly": GONE},
    )
    choice = {
        **one_of,
        "in|properties|pet|discriminator": {
            "propertyName": "kind",
            "mapping": {"cat": "#/components/schemas/Cat"},
        },
    }
    yield add(
        "request-property-discriminator-added",
        INFO,
        one_of,
        {"in|properties|pet|discriminator": {"propertyName": "kind"}},
    )
    yield add(
        "request-property-discriminator-property-name-changed",
        INFO,
        choice,
        {"in|properties|pet|discriminator|propertyName": "sort"},
    )
    yield add(
        "request-property-discriminator-mapping-added",
        INFO,
        choice,
        {"in|properties|pet|discriminator|mapping|dog": "#/components/schemas/Dog"},
    )
    yield add(
        "request-property-discriminator-mapping-changed",
        INFO,
        choice,
        {"in|properties|pet|discriminator|mapping|cat": "#/components/schemas/Dog"},
    )
    yield add("request-closed", ERR, {}, {"in|additionalProperties": False})
    yield add("request-opened", INFO, {"in|additionalProperties": False}, {"in|additionalProperties": GONE})


def responses() -> Iterator[Edit]:
    yield add("response-success-status-removed", ERR, {}, {"list|responses|204": GONE})
    yield add(
        "response-success-status-removed", ERR, {}, {"add|responses": {"201": {"description": "Added"}}}
    )
    yield add("response-success-status-added", INFO, {}, {"list|responses|206": {"description": "Some"}})
    yield add("response-non-success-status-removed", INFO, {}, {"list|responses|404": GONE})
    yield add("response-non-success-status-added", INFO, {}, {"list|responses|410": {"description": "Gone"}})
    yield add("response-media-type-removed", ERR, {}, {"list|responses|200|content|text/csv": GONE})
    yield add("response-media-type-added", INFO, {}, {"list|responses|200|content|text/xml": {"schema": {}}})
    yield add("required-response-header-removed", ERR, {}, {"list|responses|200|headers|X-Total": GONE})
    yield add("optional-response-header-removed", WARN, {}, {"list|responses|200|headers|X-Next": GONE})
    yield add(
        "response-header-became-optional", ERR, {}, {"list|responses|200|headers|X-Total|required": False}
    )
    yield add(
        "response-header-type-changed", ERR, {}, {"list|responses|200|headers|X-Total|schema|type": "string"}
    )
    yield add(
        "response-header-added",
        INFO,
        {},
        {"list|responses|200|headers|X-Last": {"schema": {"type": "string"}}},
    )
    name = "out|properties|name|"
    yield add(
        "response-required-property-removed", ERR, {}, {"out|properties|name": GONE, "out|required": ["id"]}
    )
    yield add(
        "response-required-property-removed",
        ERR,
        {},
        {"out|properties|owner|properties|email": GONE, "out|properties|owner|required": []},
    )
    yield add(
        "response-required-property-added",
        INFO,
        {},
        {"out|properties|kind": {"type": "string"}, "out|required|+": "kind"},
    )
    yield add("response-optional-property-removed", WARN, {}, {"out|properties|age": GONE})
    yield add(
        "response-deprecated-property-removed",
        WARN,
        {"out|properties|age|deprecated": True},
        {"out|properties|age": GONE},
    )
    yield add("response-optional-property-added", INFO, {}, {"out|properties|kind": {"type": "string"}})
    yield add(
        "response-optional-write-only-property-removed",
        INFO,
        {"out|properties|age|writeOnly": True},
        {"out|properties|age": GONE},
    )
    yield add(
        "response-optional-write-only-property-added",
        INFO,
        {},
        {"out|properties|kind": {"type": "string", "writeOnly": True}},
    )
    yield add(
        "response-property-renamed",
        ERR,
        {},
        {
            "out|properties|name": GONE,
            "out|properties|title": {"type": "string"},
            "out|required": ["id", "title"],
        },
    )
    yield add("response-property-became-optional", ERR, {}, {"out|required": ["id"]})
    yield add("response-property-became-optional", ERR, {}, {"out|properties|owner|required": []})
    yield add(
        "response-write-only-property-became-optional",
        INFO,
        {name + "writeOnly": True},
        {"out|required": ["id"]},
    )
    yield add("response-property-became-required", INFO, {}, {"out|required|+": "age"})
    yield add("response-property-became-nullable", ERR, {}, {name + "type": ["string", "null"]})
    yield add("response-property-became-nullable", ERR, {}, {name + "nullable": True})
    yield add(
        "response-property-became-nullable",
        ERR,
        {"out|properties|pet": {"$ref": "#/components/schemas/Cat"}},
        {"out|properties|pet": {"anyOf": [{"$ref": "#/components/schemas/Cat"}, {"type": "null"}]}},
    )
    yield add("response-body-became-nullable", ERR, {}, {"answer|type": ["string", "null"]})
    yield add(
        "response-property-became-not-nullable",
        INFO,
        {name + "type": ["string", "null"]},
        {name + "type": "string"},
    )
    yield add("response-property-enum-value-added", WARN, {name + "enum": ["a"]}, {name + "enum": ["a", "b"]})
    yield add(
        "response-property-enum-value-removed", INFO, {name + "enum": ["a", "b"]}, {name + "enum": ["a"]}
    )
    yield add(
        "response-mediatype-enum-value-removed", INFO, {"answer|enum": ["a", "b"]}, {"answer|enum": ["a"]}
    )
    yield add(
        "response-write-only-property-enum-value-added",
        INFO,
        {name + "enum": ["a"], name + "writeOnly": True},
        {name + "enum": ["a", "b"]},
    )
    for place, at in (("body", "answer|"), ("property", name)):
        yield from limits(f"response-{place}-max-length", "maxLength", at, 5, 9, ERR, INFO)
        yield from limits(f"response-{place}-min-length", "minLength", at, 5, 9, INFO, ERR)
        yield add(f"response-{place}-max-length-unset", ERR, {at + "maxLength": 5}, {at + "maxLength": GONE})
        yield add(f"response-{place}-min-length-unset", ERR, {at + "minLength": 5}, {at + "minLength": GONE})
    for place, at in (("body", "sum|"), ("property", "out|properties|age|")):
        yield from limits(f"response-{place}-max", "maximum", at, 5, 9, ERR, INFO)
        yield from limits(f"response-{place}-min", "minimum", at, 5, 9, INFO, ERR)
    for place, at in (
        ("body", "list|responses|200|content|application/json|schema|"),
        ("property", "out|properties|tags|"),
    ):
        yield from limits(f"response-{place}-min-items", "minItems", at, 5, 9, INFO, ERR)
        yield add(f"response-{place}-min-items-unset", ERR, {at + "minItems": 5}, {at + "minItems": GONE})
    yield add("response-body-type-changed", ERR, {}, {"sum|type": "string"})
    yield add("response-body-type-changed", ERR, {}, {"sum|type": "number"})
    yield add("response-property-type-changed", ERR, {}, {name + "type": "integer"})
    yield add("response-property-type-changed", ERR, {}, {"out|properties|age|type": "string"})
    yield add("response-property-type-changed", ERR, {name + "format": "uuid"}, {name + "format": "date"})
    yield add("response-property-type-changed", ERR, {}, {"out|properties|tags|items|type": "integer"})
    yield add(
        "response-property-type-specialized",
        INFO,
        {"out|properties|age|type": "number"},
        {"out|properties|age|type": "integer"},
    )
    one_of = {"out|properties|pet": {"oneOf": [{"$ref": "#/components/schemas/Cat"}]}}
    both = {
        "out|properties|pet": {
            "oneOf": [{"$ref": "#/components/schemas/Cat"}, {"$ref": "#/components/schemas/Dog"}]
        }
    }
    any_of = {"out|properties|pet": {"anyOf": [{"$ref": "#/components/schemas/Cat"}, {"type": "string"}]}}
    yield add("response-property-one-of-added", ERR, one_of, both)
    yield add("response-property-one-of-removed", INFO, both, one_of)
    yield add(
        "response-body-one-of-added",
        ERR,
        {"sum|type": GONE, "sum|oneOf": [{"type": "integer"}, {"type": "string"}]},
        {"sum|oneOf|+": {"type": "boolean"}},
    )
    yield add(
        "response-property-any-of-added",
        INFO,
        any_of,
        {"out|properties|pet|anyOf|+": {"type": "object", "properties": {"wings": {"type": "integer"}}}},
    )
    yield add(
        "response-property-any-of-removed", INFO, any_of, {"out|properties|pet|anyOf": [{"type": "string"}]}
    )
    yield add(
        "response-property-all-of-added",
        INFO,
        {},
        {"out|properties|owner|allOf": [{"$ref": "#/components/schemas/Cat"}]},
    )
    yield add(
        "response-property-all-of-removed",
        INFO,
        {"out|properties|owner|allOf": [{"$ref": "#/components/schemas/Cat"}]},
        {"out|properties|owner|allOf": GONE},
    )
    yield add("response-property-pattern-added", INFO, {}, {name + "pattern": "^a$"})
    yield add("response-property-pattern-changed", INFO, {name + "pattern": "^a$"}, {name + "pattern": "^b$"})
    yield add("response-property-pattern-removed", INFO, {name + "pattern": "^a$"}, {name + "pattern": GONE})
    yield add("response-property-default-value-added", INFO, {}, {name + "default": "a"})
    yield add(
        "response-property-default-value-changed", INFO, {name + "default": "a"}, {name + "default": "b"}
    )
    yield add("response-body-default-value-removed", INFO, {"answer|default": "a"}, {"answer|default": GONE})
    yield add(
        "response-required-property-became-not-write-only",
        WARN,
        {name + "writeOnly": True},
        {name + "writeOnly": GONE},
    )
    yield add("response-required-property-became-read-only", INFO, {}, {name + "readOnly": True})
    yield add(
        "response-optional-property-became-write-only", INFO, {}, {"out|properties|age|writeOnly": True}
    )
    yield add(
        "response-property-discriminator-mapping-deleted",
        INFO,
        {**both, "out|properties|pet|discriminator": {"propertyName": "kind", "mapping": {"cat": "x"}}},
        {"out|properties|pet|discriminator|mapping": {}},
    )


CORPUS = [*endpoints(), *security(), *parameters(), *requests(), *responses()]

NARROWS = "requests that were right are refused, whatever the reason for it"
OTHERWISE: dict[str, tuple[str, str]] = {
    "api-operation-id-removed": (WARN, "generated clients name their functions after it"),
    "api-operation-id-added": (WARN, "generated clients name their functions after it"),
    "api-security-alternative-removed": (ERR, "who authenticates that way is refused"),
    "api-security-added": (ERR, "who called without a token is refused"),
    "api-security-scope-added": (ERR, "tokens with the former scopes are refused"),
    "api-global-security-added": (ERR, "who called without a token is refused"),
    "api-global-security-scope-added": (ERR, "tokens with the former scopes are refused"),
    "api-security-component-type-changed": (ERR, "credentials are sent in another way"),
    "api-security-component-oauth-url-changed": (WARN, "clients may have written the address down"),
    "api-security-component-oauth-token-url-changed": (WARN, "clients may have written the address down"),
    "api-security-component-oauth-scope-removed": (WARN, "clients may ask for it"),
    "request-parameter-removed": (ERR, "the service refuses parameters that it does not know"),
    "request-property-removed-from-closed": (ERR, "a closed object refuses properties that it does not know"),
    "request-body-enum-value-removed": (ERR, NARROWS),
    "response-optional-property-removed": (ERR, "who reads it never gets it again"),
    "response-success-status-added": (WARN, "clients may not know the status"),
    "response-property-any-of-added": (ERR, "clients do not expect an object of this kind"),
    "response-property-all-of-removed": (WARN, "clients were promised what it describes"),
    "response-property-pattern-changed": (WARN, "clients may rely on the form"),
    "response-property-pattern-removed": (WARN, "clients may rely on the form"),
    "response-optional-property-became-write-only": (WARN, "it should not come any more"),
    "response-property-discriminator-mapping-deleted": (WARN, "clients may choose by it"),
    "request-optional-property-became-read-only": (WARN, "what is sent has no effect any more"),
    "request-property-discriminator-added": (WARN, "clients may have to name their choice"),
    "request-property-discriminator-mapping-changed": (WARN, "the value chooses another schema"),
    "request-property-discriminator-property-name-changed": (
        WARN,
        "clients name their choice by the former name",
    ),
    "request-body-default-value-added": (WARN, "another value holds where none is sent"),
    "request-property-default-value-added": (WARN, "another value holds where none is sent"),
    "request-property-default-value-changed": (WARN, "another value holds where none is sent"),
    "request-property-default-value-removed": (WARN, "another value holds where none is sent"),
    "request-parameter-pattern-changed-to-less": (ERR, "a text shows that the new pattern admits less"),
    "request-parameter-pattern-generalized": (WARN, "that nothing is refused is not proved, but likely"),
    "request-property-pattern-generalized": (WARN, "that nothing is refused is not proved, but likely"),
    **{
        f"request-{place}-{what}": (ERR, NARROWS)
        for place in ("parameter", "body", "property")
        for what in ("max-set", "min-set", "max-length-set", "min-items-set", "pattern-added")
    },
}
"""Rule → what we call it, and why."""
