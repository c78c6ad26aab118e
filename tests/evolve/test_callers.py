"""What a change of the specifications does to callers that the document does not say: a table of edits."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest

from generator.evolve.api import Document
from generator.evolve.callers import compare_callers, describe_callers, read_callers, render_callers
from generator.evolve.version import compare_versions, describe_version
from tests.evolve.written import read_model

SERVICE = 'title: Parcels\nversion: "1.0.0"\nareas: {post: Parcels.}\nroles: {clerk: Clerks.}\n'
FILES = {
    "service.yaml": SERVICE,
    "parcel.yaml": """
record: Parcel
display: "{code}"
roles: [user, admin, clerk]
fields:
  code:  {type: string, required: true}
  count: {type: integer, minimum: 0}
  kind:  {enum: [A, B]}
  label: {type: string, calculated: "{code} {count}"}
  to:    {reference: Place}
  lines: {list: {via: {reference: Place}}}
""",
    "place.yaml": "record: Place\nfields: {name: string}\n",
    "position.yaml": "structure: Position\nfields: {code: string}\n",
    "endpoints.yaml": """
endpoints:
  - id: post_track
    method: GET
    path: /post/track/{code}
    summary: Where a parcel is
    parameters: {code: string}
    response: Position
    roles: [clerk, user]
    handler: parcels:track
""",
    "tools.yaml": """
tools:
  - name: late_parcels
    description: Lists parcels that are late.
    query: Parcel
    filter: "count:>${least} && kind:${kind} && code:${code}"
    arguments:
      least: {type: integer, required: true, minimum: 1}
      kind:  {enum: [A, B], default: A}
      code:  {type: string, default: x}
""",
    "rules.yaml": """
rules:
  - name: clerks see parcels
    description: All of them.
    securityURI: {header: {identity: clerk, area: post, functionalDomain: parcel, action: VIEW}}
    effect: ALLOW
    priority: 20
""",
    "profile.yaml": """
importProfile: legacy
target: Place
columnMappings:
  - {sourceColumn: CODE, targetField: refName}
""",
    "ontology.yaml": "ontology:\n  predicates:\n    sentTo: {domain: Parcel, range: Place}\n",
}

TRACK = "GET /post/track/{code}"

Rows = list[tuple[str, str]]
SAFE: Rows = []

EDITS: list[tuple[str, str, str, Rows, Rows]] = [
    # file, text, other text, what the edit does that is not safe, what the way back does
    ("parcel", "user, admin, clerk]", "user, admin]", [("role-removed", "Parcel")], SAFE),
    ("endpoints", "[clerk, user]", "[user]", [("role-removed", TRACK)], SAFE),
    ("endpoints", "summary:", "domain: other\n    summary:", [("permission-changed", TRACK)], [("permission-changed", TRACK)]),
    ("endpoints", "summary:", "action: UPDATE\n    summary:", [("permission-changed", TRACK)], [("permission-changed", TRACK)]),
    ("endpoints", "roles: [clerk, user]", "decides: records", [("permission-changed", TRACK)], [("permission-changed", TRACK)]),
    ("endpoints", "id: post_track", "id: post_find", SAFE, SAFE),
    ("endpoints", "/post/track/", "/post/trace/", SAFE, SAFE),
    ("endpoints", "parcels:track", "parcels:follow", SAFE, SAFE),
    ("endpoints", "{code}\n    summary: Where a parcel is\n    parameters: {code: string}\n    response: Position\n    roles: [clerk, user]",
     "{key}\n    summary: Where a parcel is\n    parameters: {key: string}\n    response: Position\n    roles: [user]",
     [("role-removed", "GET /post/track/{key}")], SAFE),
    ("parcel", "string, required: true}", "string, required: true, immutable: true}", [("data-field-immutable", "Parcel.code")], SAFE),
    ("parcel", "to:    {reference: Place}", "to:    {reference: Place, track: true}", [("data-reference-tracked", "Parcel.to")], SAFE),
    ("parcel", "{via: {reference: Place}}", "{via: {reference: Place, track: true}}", [("data-reference-tracked", "Parcel.lines[].via")], SAFE),
    ("parcel", "{code} {count}", "{count} {code}", [("data-calculation-changed", "Parcel.label")], [("data-calculation-changed", "Parcel.label")]),
    ("parcel", "{code} {count}", "labelOf", [("data-calculation-changed", "Parcel.label")], [("data-calculation-changed", "Parcel.label")]),
    ("parcel", ', calculated: "{code} {count}"', "", SAFE, SAFE),
    ("parcel", 'display: "{code}"\n', "", [("data-calculation-changed", "Parcel.displayName")], [("data-calculation-changed", "Parcel.displayName")]),
    ("parcel", "  to:", "  more: {type: string, immutable: true}\n  to:", SAFE, SAFE),
    ("parcel", "record: Parcel", "record: Parcel\ndescription: Other.", SAFE, SAFE),
    ("tools", "late_parcels", "slow_parcels", [("tool-removed", "tool late_parcels")], [("tool-removed", "tool slow_parcels")]),
    ("tools", "Lists parcels", "Shows parcels", SAFE, SAFE),
    ("tools", "query: Parcel", "count: Parcel", [("tool-purpose-changed", "tool late_parcels")], [("tool-purpose-changed", "tool late_parcels")]),
    ("tools", "count:>${least}", "count:<${least}", [("tool-purpose-changed", "tool late_parcels")], [("tool-purpose-changed", "tool late_parcels")]),
    ("tools", "    arguments:", "    limit: 5\n    arguments:", [("tool-purpose-changed", "tool late_parcels")], [("tool-purpose-changed", "tool late_parcels")]),
    ("tools", "minimum: 1}", "minimum: 2}", [("request-limit-narrowed", "tool late_parcels.least")], SAFE),
    ("tools", "[A, B]", "[A]", [("request-enum-value-removed", "tool late_parcels.kind")], SAFE),
    ("tools", "string, default: x}", "string, required: true}",
     [("request-became-not-nullable", "tool late_parcels.code"), ("request-default-changed", "tool late_parcels.code"),
      ("request-property-became-required", "tool late_parcels.code")],
     [("request-default-changed", "tool late_parcels.code")]),
    ("tools", " && code:${code}\"\n    arguments:\n", "\"\n    arguments:\n",
     [("request-property-removed", "tool late_parcels.code"), ("tool-purpose-changed", "tool late_parcels")],
     [("tool-purpose-changed", "tool late_parcels")]),
    ("tools", "type: integer, required", "type: number, required", SAFE, [("request-type-narrowed", "tool late_parcels.least")]),
    ("rules", "priority: 20", "priority: 20\n    hiddenFields: [code]", [("permission-rule-changed", "rule clerks see parcels")],
     [("permission-rule-changed", "rule clerks see parcels")]),
    ("rules", "clerks see parcels", "clerks look", [("permission-rule-changed", "rule clerks look"), ("permission-rule-changed", "rule clerks see parcels")],
     [("permission-rule-changed", "rule clerks look"), ("permission-rule-changed", "rule clerks see parcels")]),
    ("rules", "All of them.", "Each of them.", SAFE, SAFE),
    ("profile", "sourceColumn: CODE", "sourceColumn: KEY", [("import-profile-changed", "import profile legacy")], [("import-profile-changed", "import profile legacy")]),
    ("service", "title: Parcels", "title: Post", SAFE, SAFE),
    ("service", "version:", "settings: {limits.page-size: 10}\nversion:", [("setting-changed", "setting limits.page-size")], [("setting-changed", "setting limits.page-size")]),
    ("ontology", "range: Place", "range: Parcel", [("predicate-changed", "predicate sentTo")], [("predicate-changed", "predicate sentTo")]),
    ("ontology", "range: Place", "range: Place, description: Where to.", SAFE, SAFE),
    ("ontology", "sentTo:", "goesTo:", [("predicate-removed", "predicate sentTo")], [("predicate-removed", "predicate goesTo")]),
]  # fmt: skip


def describe(folder: Path, files: dict[str, str]) -> Document:
    return describe_callers(read_model(folder, {**FILES, **files}), str(folder))


def list_unsafe(old: Document, new: Document) -> Rows:
    return sorted((one.rule.id, one.at) for one in compare_callers(old, new) if one.level != "safe")


@pytest.mark.parametrize("number", range(len(EDITS)), ids=[f"{one[0]}-{one[2]}" for one in EDITS])
def test_an_edit(number: int, tmp_path: Path) -> None:
    name, text, other, there, back = EDITS[number]
    before = FILES[f"{name}.yaml"]
    assert text in before
    edited = before.replace(text, other, 1)
    if "&& code" in text:
        edited = edited.replace("      code:  {type: string, default: x}\n", "")
    old, new = describe(tmp_path / "old", {}), describe(tmp_path / "new", {f"{name}.yaml": edited})
    assert list_unsafe(old, new) == there
    assert list_unsafe(new, old) == back


def test_a_record_type_is_known_by_its_first_name(tmp_path: Path) -> None:
    """The rule of the former name names the functional domain ``parcel`` still."""
    renamed = {
        name: text.replace("Parcel\n", "Packet\n").replace("domain: Parcel", "domain: Packet")
        for name, text in FILES.items()
    }
    renamed["parcel.yaml"] = renamed["parcel.yaml"].replace("Packet\n", "Packet\nrenamedFrom: Parcel\n", 1)
    old, new = describe(tmp_path / "old", {}), describe(tmp_path / "new", renamed)
    assert list_unsafe(old, new) == []
    assert new.section("roles").keys() == {"Parcel", "Place", TRACK}


ASK = """
structure: Ask
fields:
  to:    {reference: Place, required: true}
  via:   {reference: Place}
  stops: {list: {reference: Place}}
"""


def test_what_references_lead_to_where_nothing_is_stored(tmp_path: Path) -> None:
    endpoints = FILES["endpoints.yaml"].replace("GET", "POST").replace("response: Position", "request: Ask")
    files = {**FILES, "ask.yaml": ASK, "endpoints.yaml": endpoints}
    renamed = {
        **files,
        "place.yaml": "record: Spot\nrenamedFrom: Place\npath: /post/places\nfields: {name: string}\n",
        **{
            f"{name}.yaml": files[f"{name}.yaml"].replace(": Place", ": Spot")
            for name in ("ask", "ontology", "parcel", "profile")
        },
    }
    versions = [
        describe_version(read_model(tmp_path / str(number), texts), str(number))
        for number, texts in enumerate(
            (files, {**files, "ask.yaml": ASK.replace("Place", "Parcel")}, renamed)
        )
    ]
    found = [compare_versions(versions[0], one, date(2026, 11, 23)) for one in versions[1:]]
    others, same = ({(one.rule.id, one.at) for one in rows if one.level == "breaking"} for rows in found)
    places = ("AskInput.stops[]", "AskInput.to", "AskInput.via")
    assert others == {("request-reference-changed", at) for at in places}
    assert same == set()


def test_a_change_for_an_endpoint_and_the_tool_that_calls_it_is_found_once(tmp_path: Path) -> None:
    call = "  - {name: track, description: Tracks a parcel., call: post_track}\n"
    files = {**FILES, "tools.yaml": FILES["tools.yaml"] + call}
    other = {**files, "position.yaml": "structure: Position\nfields: {place: string}\n"}
    old, new = (
        describe_version(read_model(tmp_path / name, texts), name)
        for name, texts in (("old", files), ("new", other))
    )
    found = compare_versions(old, new, date(2026, 11, 23))
    assert [(one.rule.id, one.at, one.operations) for one in found] == [
        ("response-optional-property-removed", "Position.code", (TRACK, "tool track")),
        ("response-property-added", "Position.place", (TRACK, "tool track")),
    ]


def test_a_new_import_profile_matters_to_no_caller(tmp_path: Path) -> None:
    none = {name: text for name, text in FILES.items() if name != "profile.yaml"}
    old = describe_callers(read_model(tmp_path / "old", none), "old")
    new = describe(tmp_path / "new", {})
    assert list_unsafe(old, new) == []
    assert list_unsafe(new, old) == [("import-profile-changed", "import profile legacy")]


def test_what_is_stored_is_read_as_it_was(tmp_path: Path) -> None:
    callers = describe(tmp_path, {})
    again = read_callers(render_callers(callers).encode(), "callers.json")
    assert again.value == callers.value
    assert compare_callers(callers, again) == []


@pytest.mark.parametrize(
    "value",
    [{"tools": 7}, {"tools": {"late_parcels": 7}}, {"roles": {"Parcel": [[7]]}}, {"roles": {"Parcel": 7}}, {"rules": {"a": 7}},
     {"fields": {"Parcel": {"code": 7}}}, {"fields": {"Parcel": 7}}, {"permissions": {TRACK: []}}, {"predicates": []}],
    ids=repr,
)  # fmt: skip
def test_documents_of_odd_shapes(value: dict[str, Any], tmp_path: Path) -> None:
    odd = Document({"openapi": "3.1.0", **value}, "odd")
    assert compare_callers(odd, odd) == []
    usual = describe(tmp_path, {})
    compare_callers(odd, usual)
    compare_callers(usual, odd)
