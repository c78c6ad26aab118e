"""Edits of specifications, each with what it does to clients and stored data, and what the way back does."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from generator.evolve.version import Version, compare_versions, describe_version
from tests.evolve.written import read_model
from tests.rows import for_each_row

FILES = {
    "service": """
title: Parcels
version: "1.0.0"
areas: {post: Parcels.}
roles: {clerk: Clerks.}
""",
    "parcel": """
record: Parcel
display: "{code}"
roles: [user, admin, clerk]
changes: true
fields:
  label:  {type: string, maxLength: 100}
  code:   {type: string, required: true, pattern: "^[A-Z]{3}$"}
  size:   {enum: [SMALL, LARGE]}
  kind:   {enum: [A, B], required: true}
  count:  {type: integer, minimum: 0, maximum: 100}
  ratio:  {type: number, minimum: 0}
  weight: {type: decimal, minimum: 0, maximum: 10}
  price:  {type: decimal, required: true}
  mail:   {type: string, format: email}
  sent:   {type: date}
  at:     {type: datetime}
  flag:   {type: boolean, default: true}
  secret: {type: string, hidden: true}
  stamp:  {type: string, setBy: server}
  born:   {type: string, immutable: true}
  full:   {type: string, calculated: "{code} {kind}"}
  target: {reference: Country, required: true}
  other:  {reference: Country}
  stops:  {list: {reference: Country}, maxItems: 5}
  tags:   {list: string, maxItems: 10}
  codes:  {list: {type: integer, minimum: 0}}
  prices: {map: {amount: {type: decimal}}}
  names:  {map: {type: string}}
  where:  {structure: Address}
  stock:  {object: {row: {type: string, required: true}, place: string}}
  lines:
    list:
      sku:      {type: string, required: true}
      quantity: {type: integer, minimum: 1, default: 1}
      note:     string
    maxItems: 500
  status: {states: life}
  any:    {type: json}
  ref:    {type: objectId}
""",
    "country": """
record: Country
fields: {name: {type: string, required: true}}
""",
    "place": """
record: Place
fields: {name: string}
""",
    "address": """
structure: Address
fields:
  street: {type: string, required: true}
  city: string
  zip: {type: string, maxLength: 10}
""",
    "life": """
stateGraph: life
states:
  NEW:  {initial: true, next: [SENT, LOST]}
  SENT: {next: [DONE, LOST]}
  DONE: {final: true}
  LOST: {final: true}
""",
    "position": """
structure: Position
fields:
  code: {type: string, required: true}
  status: string
  size: {enum: [S, L]}
""",
    "ask": """
structure: Ask
fields:
  code: {type: string, required: true}
  why: string
  size: {enum: [S, L], default: S}
""",
    "ends": """
endpoints:
  - id: post_track
    method: GET
    path: /post/track/{code}
    summary: Where a parcel is
    parameters:
      code: string
      depth: {type: integer, minimum: 1, maximum: 9, default: 2}
      kinds: {list: string}
      mode: {enum: [FAST, SLOW]}
      X-Tone: {type: string, in: header}
    response: Position
    roles: [clerk, user]
    errors: [404]
    handler: parcels:track
  - id: post_ask
    method: POST
    path: /post/ask
    summary: Ask
    request: Ask
    response: Position
    roles: [user]
    handler: parcels:ask
  - id: post_open
    method: GET
    path: /post/open
    summary: Open
    response: Position
    public: true
    handler: parcels:open
""",
}

EDITS: list[tuple[str, str, str, str, str]] = [
    # file, text, other text, what the edit does, what the way back does: with "!" what breaks, without what is risky
    ("parcel", "required: true, pattern: \"^[A-Z]{3}$\"", "pattern: \"^[A-Z]{3}$\"",
     "!response-property-became-optional",
     "!data-field-required !request-became-not-nullable !request-property-became-required"),
    ("parcel", "\"^[A-Z]{3}$\"", "\"^[A-Z]{2,3}$\"",
     "data-limit-narrowed request-pattern-changed response-pattern-changed",
     "!request-pattern-narrowed data-limit-narrowed response-pattern-changed"),
    ("parcel", "string, maxLength: 100", "string, maxLength: 50",
     "!request-limit-narrowed data-limit-narrowed",
     "!response-limit-widened"),
    ("parcel", "string, maxLength: 100", "text, maxLength: 100",
     "data-search-changed",
     "data-search-changed"),
    ("parcel", "string, maxLength: 100", "string, maxLength: 100, deprecated: true",
     "",
     ""),
    ("parcel", "string, maxLength: 100", "string, maxLength: 100, unique: true",
     "!data-unique-index-added",
     ""),
    ("parcel", "  label:", "  title:",
     "!data-field-removed !request-property-removed !response-optional-property-removed",
     "!data-field-removed !request-property-removed !response-optional-property-removed"),
    ("parcel", "[SMALL, LARGE]", "[SMALL, LARGE, HUGE]",
     "response-enum-value-added",
     "!data-enum-value-removed !request-enum-value-removed"),
    ("parcel", "{enum: [SMALL, LARGE]}", "string",
     "data-type-widened response-enum-dropped",
     "!data-type-narrowed !request-became-enum"),
    ("parcel", "{enum: [SMALL, LARGE]}", "{list: {enum: [SMALL, LARGE]}}",
     "!request-type-changed !response-type-changed data-type-widened",
     "!data-type-changed !request-type-changed !response-type-changed"),
    ("parcel", "minimum: 0, maximum: 100", "minimum: 1, maximum: 100",
     "!request-limit-narrowed data-limit-narrowed",
     "!response-limit-widened"),
    ("parcel", "minimum: 0, maximum: 100", "minimum: 0, exclusiveMaximum: 100",
     "!request-limit-narrowed data-limit-narrowed",
     "!response-limit-widened"),
    ("parcel", "type: integer, minimum: 0, maximum: 100", "type: number, minimum: 0, maximum: 100",
     "!response-type-widened data-type-widened",
     "!data-type-changed !request-type-narrowed"),
    ("parcel", "type: number, minimum: 0", "type: decimal, minimum: 0",
     "!response-type-changed data-type-widened",
     "!data-type-changed !request-branch-removed !response-type-changed"),
    ("parcel", "decimal, minimum: 0, maximum: 10", "decimal, minimum: 0, maximum: 5",
     "!request-limit-narrowed data-limit-narrowed",
     ""),
    ("parcel", "decimal, minimum: 0, maximum: 10", "decimal, minimum: \"0.0\", maximum: \"10.00\"",
     "",
     ""),
    ("parcel", "decimal, minimum: 0, maximum: 10", "decimal, maximum: 10",
     "request-pattern-changed",
     "!request-limit-narrowed !request-pattern-narrowed data-limit-narrowed"),
    ("parcel", ", format: email", "",
     "!response-type-widened response-pattern-removed",
     "!request-pattern-added !request-type-narrowed data-limit-narrowed"),
    ("parcel", "type: date}", "type: datetime}",
     "!data-type-changed !request-type-changed !response-type-changed",
     "!data-type-changed !request-type-changed !response-type-changed"),
    ("parcel", "boolean, default: true", "boolean, default: false",
     "request-default-changed",
     "request-default-changed"),
    ("parcel", "string, hidden: true", "string",
     "",
     "!response-optional-property-removed"),
    ("parcel", "string, setBy: server", "string",
     "",
     "request-property-became-ignored"),
    ("parcel", "string, calculated: \"{code} {kind}\"", "string",
     "",
     "request-property-became-ignored"),
    ("parcel", "other:  {reference: Country}", "other:  {reference: Place}",
     "!data-reference-changed !request-reference-changed !response-reference-changed",
     "!data-reference-changed !request-reference-changed !response-reference-changed"),
    ("parcel", "other:  {reference: Country}", "other:  {list: {reference: Country}}",
     "!request-type-changed !response-type-changed data-type-widened",
     "!data-type-changed !request-type-changed !response-became-nullable !response-type-changed"),
    ("parcel", "maxItems: 5", "maxItems: 6",
     "!response-limit-widened",
     "!request-limit-narrowed data-limit-narrowed"),
    ("parcel", "list: string, maxItems: 10", "list: string, maxItems: 10, uniqueItems: true",
     "!request-limit-narrowed data-limit-narrowed",
     "!response-limit-widened"),
    ("parcel", "{list: string, maxItems: 10}", "string",
     "!data-type-changed !request-type-changed !response-type-changed",
     "!request-type-changed !response-type-changed data-type-widened"),
    ("parcel", "{amount: {type: decimal}}", "{amount: {type: decimal, required: true}}",
     "!data-field-required !request-became-not-nullable !request-property-became-required",
     "!response-property-became-optional"),
    ("parcel", "names:  {map: {type: string}}", "names:  {map: {type: integer}}",
     "!data-type-changed !request-type-changed !response-type-changed",
     "!data-type-changed !request-type-changed !response-type-changed"),
    ("parcel", "{structure: Address}", "{list: {structure: Address}}",
     "!request-type-changed !response-type-changed data-type-widened",
     "!data-type-changed !request-type-changed !response-type-changed"),
    ("parcel", "row: {type: string, required: true}, ", "",
     "!data-field-removed !request-property-removed !response-optional-property-removed !response-required-property-removed",
     "!data-field-required !request-required-property-added"),
    ("parcel", "quantity: {type: integer, minimum: 1, default: 1}", "quantity: {type: integer, minimum: 1, required: true}",
     "!data-field-required !request-became-not-nullable !request-property-became-required request-default-changed",
     "!response-property-became-optional request-default-changed"),
    ("parcel", "maxItems: 500", "maxItems: 400",
     "!request-limit-narrowed data-limit-narrowed",
     "!response-limit-widened"),
    ("parcel", "{states: life}", "{enum: [NEW, SENT, DONE, LOST]}",
     "!endpoint-removed data-type-widened",
     "data-type-widened"),
    ("parcel", "type: json", "type: string",
     "!data-type-changed !request-type-narrowed",
     "!response-became-nullable !response-type-widened data-type-widened"),
    ("parcel", "changes: true\n", "",
     "!endpoint-removed",
     ""),
    ("parcel", "changes: true\n", "changes: true\nvalidation: lenient\n",
     "!response-limit-widened !response-property-became-optional !response-type-widened response-pattern-removed",
     "!request-became-not-nullable !response-optional-property-removed"),
    ("parcel", "changes: true\n", "changes: true\naudited: true\n",
     "",
     "!endpoint-removed data-history-stopped"),
    ("parcel", "changes: true\n", "changes: true\nonDelete: archive\n",
     "data-deletion-changed",
     "!endpoint-removed data-deletion-changed"),
    ("parcel", "changes: true\n", "changes: true\ndynamicAttributes: true\n",
     "",
     "!data-attributes-removed !request-property-removed !response-optional-property-removed"),
    ("parcel", "changes: true\n", "changes: true\npath: /post/packets\n",
     "!record-type-moved",
     "!record-type-moved"),
    ("address", "  zip:", "  more: {type: string, required: true}\n  zip:",
     "!data-field-required !request-required-property-added",
     "!data-field-removed !request-property-removed !response-optional-property-removed !response-required-property-removed"),
    ("address", "structure: Address\n", "structure: Address\ndescription: Where.\n",
     "",
     ""),
    ("life", "  NEW:  {initial: true, next: [SENT, LOST]}", "  NEW:  {initial: true, next: [SENT, LOST, HELD]}\n  HELD: {next: [DONE]}",
     "response-enum-value-added",
     "!data-state-removed !request-enum-value-removed"),
    ("life", "next: [DONE, LOST]", "next: [DONE]",
     "data-transition-removed",
     ""),
    ("life", "SENT: {next", "SENT: {initial: true, next",
     "!data-state-required",
     "data-transition-removed"),
    ("ends", "public: true", "roles: [user]",
     "!security-required",
     "!request-parameter-removed"),
    ("ends", "/post/track/", "/post/trace/",
     "!endpoint-removed",
     "!endpoint-removed"),
    ("ends", "id: post_ask", "id: post_question",
     "endpoint-id-changed",
     "endpoint-id-changed"),
    ("ends", "method: POST", "method: PUT",
     "!endpoint-removed",
     "!endpoint-removed"),
    ("ends", "{code}\n    summary: Where a parcel is\n    parameters:\n      code:", "{kode}\n    summary: Where a parcel is\n    parameters:\n      kode:",
     "",
     ""),
    ("ends", "      mode: {enum: [FAST, SLOW]}\n", "",
     "!request-parameter-removed",
     ""),
    ("ends", "{enum: [FAST, SLOW]}", "{enum: [FAST, SLOW], required: true}",
     "!request-parameter-became-required",
     ""),
    ("ends", "maximum: 9, default: 2", "maximum: 8, default: 2",
     "!request-limit-narrowed",
     ""),
    ("ends", "default: 2", "default: 3",
     "!request-parameter-default-changed",
     "!request-parameter-default-changed"),
    ("ends", "kinds: {list: string}", "kinds: string",
     "!request-type-changed",
     "!request-type-changed"),
    ("ends", "X-Tone: {type: string, in: header}", "X-Tone: {type: string, in: header, required: true}",
     "!request-parameter-became-required",
     ""),
    ("ends", "errors: [404]", "errors: [404, 409]",
     "",
     ""),
    ("ends", "    request: Ask\n", "",
     "!request-body-removed",
     "!request-body-added-required"),
    ("ends", "    request: Ask\n", "    request: Ask\n    status: 202\n",
     "!response-success-status-removed response-success-status-added",
     "!response-success-status-removed response-success-status-added"),
    ("ends", "    request: Ask\n", "    request: Ask\n    idempotencyKey: true\n",
     "",
     "!request-parameter-removed response-header-removed"),
    ("ask", "why: string", "why: {type: string, required: true}",
     "!request-became-not-nullable !request-property-became-required",
     ""),
    ("ask", "default: S", "default: L",
     "request-default-changed",
     "request-default-changed"),
    ("position", "  status: string\n", "",
     "!response-optional-property-removed",
     ""),
    ("position", "[S, L]", "[S, L, M]",
     "response-enum-value-added",
     ""),
]  # fmt: skip


def describe(folder: Path, files: dict[str, str]) -> Version:
    texts = {f"{name}.yaml": text for name, text in files.items()}
    return describe_version(read_model(folder, texts), str(folder))


@pytest.fixture
def old(tmp_path: Path) -> Version:
    return describe(tmp_path / "old", FILES)


def list_rules(old: Version, new: Version) -> str:
    found = {(one.level, one.rule.id) for one in compare_versions(old, new, date(2026, 11, 23))}
    marks = {"breaking": "!", "risky": ""}
    return " ".join(f"{marks[level]}{rule}" for level, rule in sorted(found) if level in marks)


@for_each_row("number", {f"{one[0]}: {one[2]}": number for number, one in enumerate(EDITS)})
def test_an_edit_and_the_way_back(tmp_path: Path, old: Version, number: int) -> None:
    name, text, other, there, back = EDITS[number]
    assert text in FILES[name]
    new = describe(tmp_path / str(number), {**FILES, name: FILES[name].replace(text, other, 1)})
    assert list_rules(old, new) == there
    assert list_rules(new, old) == back
