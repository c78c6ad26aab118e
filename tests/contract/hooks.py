"""What schemathesis cannot know of this service: where references lead, and why valid data is refused.

Loaded by the ``schemathesis`` command (``hooks`` in schemathesis.toml), in the folder of its run.
"""

from __future__ import annotations

import copy
import gc
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import fields
from itertools import count, cycle, product
from pathlib import Path
from string import ascii_uppercase
from typing import Any
from zlib import crc32

import schemathesis
from schemathesis import Case, CheckContext, HookContext, Response
from schemathesis.checks import CheckInternals
from schemathesis.config import GenerationConfig, ProjectConfig
from schemathesis.core import NotSet
from schemathesis.core.jsonschema.bundler import BUNDLE_STORAGE_KEY
from schemathesis.specs.openapi import examples
from schemathesis.specs.openapi.checks import (
    allow_header_conformance,
    negative_data_rejection,
    use_after_free,
)
from schemathesis.specs.openapi.coverage._schema import CoverageContext
from urllib3 import connectionpool

from runtime.errors import FilterSyntax
from runtime.filter import parse_filter

# Schemas and strategies stay until the end: looking for garbage among them takes a tenth of the run.
gc.set_threshold(100_000, 20, 20)


def merge_once(merge: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a method that merges the settings of an operation, to do so once, not several times a request."""
    merged: dict[tuple[int, str, str | None], tuple[ProjectConfig, Any]] = {}

    def find(config: ProjectConfig, *, operation: Any = None, **phase: str | None) -> Any:
        if operation is None:
            return merge(config, operation=None, **phase)
        key = id(config), operation.label, phase.get("phase")
        if key not in merged:  # with the object, so that no other gets its id
            merged[key] = config, merge(config, operation=operation, **phase)
        return merged[key][1]

    return find


# Settings are complete before there are operations, and what was merged is only read. An eighth of the run.
MERGED = ("phases_for", "generation_for", "checks_config_for")
for _name in MERGED:
    setattr(ProjectConfig, _name, merge_once(getattr(ProjectConfig, _name)))


def generate_once(generate: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap what generates a value that an example of a body lacks, to do so once for a schema.

    Most members are of many bodies, and the value is always the same one.
    """
    generated: dict[tuple[str, str, Any], Any] = {}

    def find(schema: dict[str, Any], config: GenerationConfig, validator: Any) -> Any:
        own = {word: value for word, value in schema.items() if word != BUNDLE_STORAGE_KEY}
        text = json.dumps(own, sort_keys=True)
        others = json.dumps(schema.get(BUNDLE_STORAGE_KEY), sort_keys=True) if '"$ref"' in text else ""
        key = text, others, validator
        if key not in generated:
            generated[key] = generate(schema, config, validator)
        found = generated[key]
        return copy.deepcopy(found) if isinstance(found, dict | list) else found  # requests are changed

    return find


# The search for each value begins with a new strategy, for five milliseconds.
examples._generate_single_example = generate_once(examples._generate_single_example)


_ENCODED = re.compile(r"/(?:[A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-F]{2})*")
"""A path, perhaps with a query, that can be sent as it is."""


def encode_once(encode: Callable[[str], str]) -> Callable[[str], str]:
    """Wrap what encodes the target of a request, to leave one alone that is encoded.

    What ``requests`` passes on is; urllib3 looks at each byte of it again, of which some have thousands.
    """

    def find(target: str) -> str:
        return target if _ENCODED.fullmatch(target) else encode(target)

    return find


connectionpool._encode_target = encode_once(connectionpool._encode_target)

_IDS = {"type": "string", "pattern": "^[0-9a-f]{24}$"}
Draw = Callable[[Any, dict[str, Any], int], list[Any]]


def count_ids(draw: Draw) -> Draw:
    """Wrap what draws an array of distinct values, to count where they are ids of records.

    For the longest array of a body it draws two thousand of them, which no record has either.
    """

    def find(context: Any, schema: dict[str, Any], length: int) -> list[Any]:
        if schema.get("items") != _IDS:
            return draw(context, schema, length)
        return [f"{number:024x}" for number in range(1, length + 1)]

    return find


CoverageContext._distinct_array = count_ids(CoverageContext._distinct_array)

KNOWN: dict[str, Any] = json.loads(Path("known.json").read_text())

RECORDS: dict[str, dict[str, str]] = KNOWN["records"]
"""Caller → field → the id of a record that such a reference may name."""

LOGIN: dict[str, str] = KNOWN["login"]
"""A user id and its password."""

ARCHIVED: list[str] = KNOWN["archived"]
"""Where records stay, archived, when they are deleted: the paths of their types."""

ID = re.compile(r"[0-9a-f]{24}")

REASONS: dict[tuple[int, str], str] = {
    (400, "filter.syntax"): "a filter is a language of its own, a string to the schema",
    (400, "filter.type"): "the same",
    (400, "field.unknown"): "names of fields in filter, sort and projection",
    (400, "request.invalid_parameter"): "lists of names in sort and projection; cursors",
    (409, "record.duplicate"): "refNames and unique fields",
    (409, "record.version_conflict"): "a version that is not the stored one",
    (409, "idempotency.in_flight"): "two requests at once with one key",
    (409, "idempotency.no_answer"): "rights that have changed since the first request with a key",
    (422, "idempotency.mismatch"): "a key that came with another request",
    (
        412,
        "record.precondition_failed",
    ): "an If-Match that is not the stored one, or an If-None-Match that is",
    (409, "user.own_account"): "an administrator's own user id",
    (422, "reference.missing"): "an id of nobody",
    (409, "record.not_archived"): "a restore of what is active",
    (422, "state.transition"): "a state that is not one to start with",
    (403, "access.denied"): "a realm or a data domain of others, a user as whom one may not act",
    (404, "record.not_found"): "an id of nobody",
    (401, "login.failed"): "a password that is wrong",
    (401, "login.password_change_required"): "the first password of a user that another request has made",
    (401, "access.unauthenticated"): "a refresh token that is none",
    (429, "request.throttled"): "many passwords that are wrong",
}
"""Why a request may be refused though it fits the schema."""

OF_OAUTH = frozenset(
    {
        *("invalid_request", "invalid_client", "unauthorized_client", "unsupported_grant_type"),
        *("invalid_scope", "invalid_target", "unsupported_token_type", "temporarily_unavailable"),
        *("unsupported_response_type", "request_not_supported", "registration_not_supported"),
    }
)
"""The same of the routes of OAuth clients: an id, a secret and a grant type are words to the schema."""

NESTED = ("/bulk", "/api/query/save", "/api/agent/execute")
"""Bodies with records or arguments of which the schema says only that they are objects."""

NOT_IN_THE_SCHEMA = (
    "must be the realm of the call",
    "must be a JSON Web Key Set",
    "cannot be notified",  # names of record types
    "characters that a URL cannot have",
    "is not a URL",
    "must begin with https://",
    "has no host",
    "must not hold a user name",
    "must not have a fragment",
    "must be on the public network",
    "is one too many",  # webhooks of a tenant
    "cannot change",  # the id of a patched record
    "takes no list of",  # which field a column of an import profile fills
    "may return a list: leave listSeparator out",
    "give the column a listSeparator",
    "valid integer",  # JSON Schema calls 1.0 an integer; a whole number is written without a fraction
    "send it as text",  # a decimal of more digits than a JSON number keeps
    "beyond 64 bits",
    "34 digits",
    "outside the years 1 to 9999",
    "is not a filter of credentials",
    "is relative to the moment of a request",  # in filters of rules and webhooks
    "over Carrier: ",  # filters of rules and webhooks, over the record types that hooks and examples speak of
    "over Airport: ",
    "over Shipment: ",
    "has no field ",  # hidden fields of rules
    "there is no area ",  # nor functionalDomain, nor action: questions are about what there is
    "there is no functionalDomain ",
    "there is no action ",
    "which the service itself needs",
    "blanks at an end",
    "is not a regular expression",
    "must name at least one role",
    "is not a role",  # roles are those of specs/service.yaml
    "name of a role",
    "printable characters",
    "mixes the scripts of",
    "mixes digits",
    "looks like ",
    "has the character U+",
    "combining mark",
    "how the service names itself",
    "must have at least 12 characters",  # of passwords, which a schema would tell guessers
    "one character repeated",
    "most common ones",
    "72 bytes",
    "must not be the user id",
    "manages no users",
    "with a changeToken",
    "send it, or a changeToken",
    "cannot have the key",  # keys of free-form objects that MongoDB cannot keep
    "deeper than 32 levels",
    "no record type",  # what import profiles speak of: record types, their fields, collections, resolvers
    "no resolver",
    "without valueMappings",
    "cannot begin a header",
    "no dynamic attributes",
    "absolute URI",  # resources of clients
    "has a fragment",
    "is not a URI",
    "may not use client_credentials",  # which the client that a request names may lack
)
"""Violations of rules about values that JSON Schema has no word for."""


FILTERS = (
    "refName:A*",
    "version:>0 && activeStatus:ACTIVE",
    "!!(displayName:x) || id:~",
    "refName:^[a,b]",
    "auditInfo.createdDate:>now-7d",
)
HEADER = {
    "identity": "nobody@acme.example", "area": "logistics", "functionalDomain": "carrier", "action": "VIEW",
}  # fmt: skip
ZONES = ("UTC", "Europe/Berlin", "Pacific/Auckland")
SORTS = (
    "-refName",
    "displayName,-version",
    "+auditInfo.createdDate",
    "displayName~ci:sv,-version~nullsfirst",
)
PROJECTIONS = ("+refName,+displayName", "-auditInfo,-dataDomain", "+version")

_numbers = count(1)
_codes = cycle(map("".join, product(ascii_uppercase, repeat=2)))

COLUMNS = ("refName,displayName", "id,version,auditInfo.createdDate", "displayName,dataDomain.tenantId")

LINES = (
    "Columns", "Separator", "quoteChar", "preferredColumnNames", "has no field", "US-ASCII has no",
    "not both",  # two ways to name as whom one acts
    "is not a time zone",
    "is not at that end",  # of a predicate that a filter names: strings of the code are drawn, too
    "byte order mark",  # of the file, which charsetEncoding promises
    "say which it is", "is inside a cell", "is never closed", "follows the closing",  # of what is in the file
)  # fmt: skip
"""What the one line of a refused export or import says where the schema could not."""

UNIQUE: dict[str, Callable[[], str]] = {
    "refName": lambda: f"R-{next(_numbers)}",
    "sku": lambda: f"SKU-{next(_numbers)}",
    "icao": lambda: f"I{next(_numbers)}",
    "code": lambda: next(_codes),
    "clientId": lambda: f"client-{next(_numbers)}",
}
"""Fields in which no two records may agree: fresh values, else the second request is a duplicate."""


OF_EACH_CALL = frozenset(
    f"#/components/parameters/{name}"
    for name in (
        "Realm",
        "ImpersonateSubject",
        "ImpersonateUserId",
        "ActingOnBehalfOfSubject",
        "ActingOnBehalfOfUserId",
    )
)
"""Headers that one class of the runtime reads for nearly all routes (``test_agreement.py`` knows which)."""

WITH_THEM = frozenset(
    f"order_{word}"
    for word in (
        *("listRecords", "save", "setFields", "patch", "deleteById"),
        *("exportCsv", "importCsv", "followChanges"),
    )
)
"""Operations that are asked with these headers, too: one of each method, an export, an upload and a stream."""


@schemathesis.hook
def before_load_schema(context: HookContext, schema: dict[str, Any]) -> None:
    """Ask most routes without the headers of each call.

    Their edges were a quarter of all requests; of the random ones that are invalid, a quarter were so in nothing else.
    """
    operations = [one for path in schema["paths"].values() for one in path.values() if isinstance(one, dict)]
    for operation in operations:
        if operation.get("operationId") not in WITH_THEM and "parameters" in operation:
            operation["parameters"] = [
                one for one in operation["parameters"] if one.get("$ref") not in OF_EACH_CALL
            ]


@schemathesis.hook
def before_call(context: HookContext, case: Case[Any], kwargs: dict[str, Any]) -> None:
    """Let most of the valid requests succeed: random realms, versions and filters are refused, and rightly.

    One request in four goes out as it was made; which one hangs on its content, ids left out, since those of the
    service are others in each run.
    """
    said = ID.sub("", repr((case.path_parameters, case.query, case.body)))
    number = crc32(said.encode("utf-8", "replace"))
    _spare_the_callers(case)
    _spare_the_sessions(case)
    _end_the_endless(case)
    if isinstance(case.body, dict):
        _refer(case.body, RECORDS.get(case.auth_identity or "", {}))
    if case.meta is None or not case.meta.generation.mode.is_positive or number % 4 == 0:
        return
    for header in ("X-Realm", "X-Impersonate-Subject", "X-Impersonate-UserId", "If-Match"):
        case.headers.pop(header, None)
    _spare_the_sessions(case)
    if (body := _known_body(case)) is not None:
        case.body = body
        return
    known = (
        *((FILTERS, "filter"), (SORTS, "sort"), (PROJECTIONS, "projection")),
        *((COLUMNS, "requestedColumns"), (ZONES, "timeZone")),
    )
    for texts, name in known:
        for place in (case.query, case.body):
            if isinstance(place, dict) and isinstance(place.get(name), str):
                place[name] = texts[number % len(texts)]
    case.query.pop("cursor", None)
    if isinstance(case.body, dict):
        for member in ("version", "dataDomain", "status", "cursor", "hiddenFields"):
            case.body.pop(member, None)
        case.body.update(
            {name: text() for name, text in UNIQUE.items() if isinstance(case.body.get(name), str)}
        )


def _known_body(case: Case[Any]) -> dict[str, Any] | None:
    """A body that is about what there is, where random ones hardly ever are."""
    if case.path == "/security/login":
        return {**LOGIN}
    if case.path == "/security/permission/check" and isinstance(case.body, dict):
        asked = {name: HEADER[name] for name in ("area", "functionalDomain", "action")}
        return {name: value for name, value in case.body.items() if name != "realm"} | asked
    return None


def _spare_the_callers(case: Case[Any]) -> None:
    """Logging out of all sessions and another password would end the tokens that all further requests are sent
    with, and rules that deny would refuse them."""
    if case.path == "/security/logout" and isinstance(case.body, NotSet):  # which means all sessions
        case.body, case.media_type = {}, "application/json"
    if case.path == "/security/logout" and isinstance(case.body, dict):
        case.body.pop("everywhere", None)
        if case.body.get("refreshToken") is None:
            case.body["refreshToken"] = "that of no session"
    if case.path == "/security/password" and isinstance(case.body, dict) and "oldPassword" in case.body:
        is_right = case.body["oldPassword"] == LOGIN["password"]  # the document's example is the tests' one
        case.body["oldPassword"] = "wrong horse battery" if is_right else case.body["oldPassword"]
    if case.path.startswith("/security/permission/rules"):
        _speak_of_nobody(case.body)


def _spare_the_sessions(case: Case[Any]) -> None:
    """Ending their sessions would end the tokens of the callers, as above: in this realm nobody may."""
    if case.path.startswith("/security/sessions") and case.method.upper() == "DELETE":
        case.headers["X-Realm"] = "nowhere"


def _end_the_endless(case: Case[Any]) -> None:
    """A stream of events has no end: changes are asked for as pages, and a group is followed that nobody has."""
    if case.path.endswith("/changes") and isinstance(case.query, dict) and not case.query.get("since"):
        case.query["since"] = "now"
        case.headers.pop("Last-Event-ID", None)
    if case.path.endswith("/subscribe/{id}") and isinstance(case.path_parameters, dict):
        case.path_parameters["id"] = "0" * 24


def _speak_of_nobody(value: Any) -> None:
    """Rules, wherever they stand in a body, are about an identity that nobody has, and about what there is."""
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        _speak_of_nobody(item)
    uri = value.get("securityURI") if isinstance(value, dict) else None
    if not isinstance(uri, dict) or not isinstance(uri.get("header"), dict | None):
        return
    header = uri["header"] = uri.get("header") or {}
    for word, name in HEADER.items():
        said = header.get(word, None if word == "identity" else 0)
        if said is None or (isinstance(said, str) and 0 < len(said) <= 200):
            header[word] = name


def _refused_in_a_line(response: Response, case: Case[Any]) -> None:
    said = response.content.decode()
    filters = _is_unreadable(case, said) or any(sign in said for sign in ("filter", "sort", "expected"))
    assert response.status_code == 400, said
    assert filters or any(text in said for text in LINES), f"refused though it fits the schema: {said}"


def _is_unreadable(case: Case[Any], said: str) -> bool:
    """Return whether this is what is said about the filter of the request, which quotes it."""
    for place in (case.query, case.body):
        if isinstance(place, dict) and isinstance(place.get("filter"), str):
            try:
                parse_filter(place["filter"])
            except FilterSyntax as error:
                return " ".join(error.message.split()) == said
    return False


def _refer(value: Any, known: dict[str, str]) -> None:
    if isinstance(value, list):
        for item in value:
            _refer(item, known)
    if not isinstance(value, dict):
        return
    for name, inner in value.items():
        for reference in inner if isinstance(inner, list) else [inner]:
            if name in known and isinstance(reference, dict):
                entity = reference.get("entityId")
                if isinstance(entity, str) and ID.fullmatch(entity):
                    reference["entityId"] = known[name]
        _refer(inner, known)


@schemathesis.check
def refused_for_a_reason(ctx: CheckContext, response: Response, case: Case[Any]) -> None:
    """What fits the schema is refused only for what a schema cannot say."""
    if case.meta is None or not case.meta.generation.mode.is_positive or response.status_code < 400:
        return
    if response.headers["content-type"][0].startswith("text/plain"):
        _refused_in_a_line(response, case)
        return
    if case.path in ("/oauth/authorize", "/oauth/logout"):
        return  # a client, and an address that it has registered
    problem = response.json()
    if case.path.startswith("/oauth/") and problem.get("error") in OF_OAUTH:
        return
    if (response.status_code, problem["code"]) in REASONS:
        return
    if problem["code"] in ("request.unknown_member", "record.invalid") and case.path.endswith(NESTED):
        return  # records and arguments inside of such a body are checked by their own classes
    messages = [violation["message"] for violation in problem.get("violations", [])]
    if problem["code"] == "record.invalid" and messages:
        messages = [text for text in messages if not any(known in text for known in NOT_IN_THE_SCHEMA)]
        if not messages:
            return
    raise AssertionError(
        f"refused though it fits the schema: {problem['code']}: {messages or problem['detail']}"
    )


@schemathesis.check
def allows_its_methods(ctx: CheckContext, response: Response, case: Case[Any]) -> None:
    """Schemathesis's own; DELETE /api/agent/config/{agent} is at the same path as the list of agents."""
    if case.path != "/api/agent/config/list":
        allow_header_conformance(ctx, response, case)


@schemathesis.check
def rejects_invalid_data(ctx: CheckContext, response: Response, case: Case[Any]) -> None:
    """Schemathesis's own; each operation of a bulk is validated at its turn: 200 with a result that says 422.

    A form with a token may have other parameters, which are ignored, as OAuth demands.
    """
    if not case.path.endswith("/bulk") and case.path != "/oauth/userinfo":
        negative_data_rejection(ctx, response, case)


class _Effects(CheckInternals):
    """The history of a scenario, without requests after which every record is still there."""

    def find_related(self, *, case_id: str) -> Iterator[Case[Any]]:
        """Yield the requests of a chain that had an effect."""
        return filter(self._has_effect, super().find_related(case_id=case_id))

    def find_all_cases(self) -> Iterator[Case[Any]]:
        """Yield all requests that had an effect."""
        return filter(self._has_effect, super().find_all_cases())

    def _has_effect(self, case: Case[Any]) -> bool:
        """Return False for a dry run, and for a deletion that archives."""
        response = self.find_response(case_id=case.id)
        if response is not None and response.headers.get("dry-run") == ["true"]:
            return False
        return case.method != "DELETE" or not case.path.startswith(tuple(f"{at}/id/" for at in ARCHIVED))


@schemathesis.check
def used_after_deletion(ctx: CheckContext, response: Response, case: Case[Any]) -> None:
    """Schemathesis's own ``use_after_free``, which would count dry runs and archived records, too."""
    plain = ctx.internals
    with_effects = copy.copy(ctx)
    with_effects.internals = _Effects(*(getattr(plain, member.name) for member in fields(plain)))
    use_after_free(with_effects, response, case)
