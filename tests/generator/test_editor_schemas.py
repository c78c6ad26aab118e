"""Editor schemas: valid themselves, and of one mind with the loader about every golden file."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from generator.editor_names import EditorNames
from generator.editor_schemas import render_editor_schemas
from generator.load import load
from generator.load.read import read_yaml
from generator.problems import ProblemList
from generator.resolve import resolve
from generator.spec import BREAKING_KIND, KINDS, SERVICE_KIND

SCHEMAS = {kind: json.loads(text) for kind, text in render_editor_schemas().items()}
GOOD = Path(__file__).parent / "cases" / "everything_in_order" / "specs"


ROOT = Path(__file__).parents[2]
SHIPPED = sorted((ROOT / "specs").rglob("*.yaml"))
HEADED = [*SHIPPED, *sorted((ROOT / "tests" / "sample" / "specs").rglob("*.yaml"))]


@pytest.fixture(scope="module")
def project() -> dict[str, Any]:
    """The schemas of this very project."""
    names = EditorNames.of(resolve(load(ROOT / "specs")))
    return {kind: json.loads(text) for kind, text in render_editor_schemas(names).items()}


def value_of(text: str) -> Any:
    root, problems = read_yaml(text, "f.yaml")
    assert root is not None
    assert problems == []
    return root.value


def accepts(kind: str, value: Any) -> bool:
    return bool(Draft202012Validator(SCHEMAS[kind]).is_valid(value))


def words_without_help(schema: Any, path: str = "") -> list[str]:
    if isinstance(schema, list):
        return [found for one in schema for found in words_without_help(one, path)]
    if not isinstance(schema, dict):
        return []
    missing = [
        f"{path}/{name}"
        for name, one in schema.get("properties", {}).items()
        if isinstance(one, dict) and "description" not in one
    ]
    return missing + [
        found
        for name, one in schema.items()
        if name != "allOf"  # conditions between words
        for found in words_without_help(one, f"{path}/{name}")
    ]


def test_there_is_one_for_each_kind() -> None:
    assert set(SCHEMAS) == {*KINDS, SERVICE_KIND, BREAKING_KIND}


@pytest.mark.parametrize("kind", sorted(SCHEMAS))
def test_each_is_a_valid_schema_sorted_and_ends_a_line(kind: str) -> None:
    Draft202012Validator.check_schema(SCHEMAS[kind])
    text = render_editor_schemas()[kind]
    assert text == json.dumps(SCHEMAS[kind], indent=2, sort_keys=True, ensure_ascii=False) + "\n"


@pytest.mark.parametrize("kind", sorted(SCHEMAS))
def test_every_word_has_its_help(kind: str) -> None:
    assert words_without_help(SCHEMAS[kind]) == []


@pytest.mark.parametrize("path", sorted(GOOD.rglob("*.yaml")), ids=lambda path: path.stem)
def test_what_the_loader_reads_the_editor_accepts(path: Path) -> None:
    value = value_of(path.read_text("utf-8"))
    kind = SERVICE_KIND if path.name == "service.yaml" else next(iter(value))
    assert accepts(kind, value)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("record", "record: A\nfields: {x: strng}\n"),
        ("record", "record: A\nfields: {x: {list: {y: strng}}}\n"),
        ("record", "record: A\nfields: {x: {type: string, minimun: 1}}\n"),
        ("record", "record: A\nendpoints: [lst]\n"),
        ("record", "record: A\ncolour: red\n"),
        ("record", "record: A\nindexes: [x]\n"),
        ("structure", "structure: A\n"),
        ("stateGraph", "stateGraph: a\nstates: {A: [B]}\n"),
        ("endpoints", "endpoints: [{id: a}]\n"),
        ("service", "title: T\n"),
        ("breaking", "breaking: [{rule: endpoint-added, at: a, date: 2026-11-23, reason: b}]\n"),
        ("breaking", "breaking: [{rule: endpoint-removed, at: a, date: today, reason: b}]\n"),
        ("breaking", "breaking: [{rule: endpoint-removed, at: a, date: 2026-11-23, reason: ' '}]\n"),
        ("breaking", "breaking: [{rule: endpoint-removed, at: a, date: 2026-11-23}]\n"),
    ],
)
def test_what_the_loader_refuses_the_editor_marks(kind: str, text: str) -> None:
    assert not accepts(kind, value_of(text))


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (
            "record",
            "record: A\nfields: {x: string, y: {list: {z: {map: integer}}}}\nindexes: [[x], {fields: [x]}]\n",
        ),
        ("stateGraph", "stateGraph: a\nstates: {A: {initial: true, final: true}, B: null}\n"),
        (
            "endpoints",
            "endpoints: [{id: a, method: GET, path: /a, summary: s, handler: 'a:b', parameters: {x: date}}]",
        ),
        ("service", "title: T\nversion: '1.0'\nroles: [clerk]\n"),
    ],
)
def test_shorthands_are_known_to_the_editor(kind: str, text: str) -> None:
    assert accepts(kind, value_of(text))


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_the_editor_accepts_what_is_shipped(project: dict[str, Any], path: Path) -> None:
    value = value_of(path.read_text("utf-8"))
    kind = SERVICE_KIND if path.name == "service.yaml" else next(iter(value))
    assert [error.message for error in Draft202012Validator(project[kind]).iter_errors(value)] == []


@pytest.mark.parametrize("path", HEADED, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_every_file_names_its_schema(path: Path) -> None:
    """In one of its comments at the top, by a path that leads to the schema of its kind."""
    text = path.read_text("utf-8")
    kind = SERVICE_KIND if path.name == "service.yaml" else next(iter(value_of(text)))
    head = [line for line in text.splitlines()[:5] if line.startswith("# yaml-language-server: $schema=")]
    folder = next(parent for parent in path.parents if parent.name == "specs")
    assert len(head) == 1
    assert (path.parent / head[0].partition("=")[2]).resolve() == folder / ".schema" / f"{kind}.json"


def test_files_hold_neither_secrets_nor_where_they_are(project: dict[str, Any]) -> None:
    offered = project["service"]["properties"]["settings"]["properties"]
    assert {"service.app", "mongodb.uri", "auth.jwt.secret", "metrics.token"}.isdisjoint(offered)
    assert "service.change-streams" in offered


def field(line: str) -> str:
    return f"record: Parcel\nfields:\n  {line}\n"


def rule(header: str) -> str:
    return f"rules:\n  - {{name: r, effect: ALLOW, securityURI: {{header: {{{header}}}}}}}\n"


def endpoint(words: str) -> str:
    usual = "id: logistics_go, method: GET, path: /logistics/go, summary: Go, handler: 'a.b:c'"
    return f"endpoints:\n  - {{{usual}, {words}}}\n"


WRONG = [
    *("record: parcel\n", "record: Parcel\ncolour: red\n", "record: Parcel\nonDelete: archived\n"),
    *("record: Parcel\naudited: 1\n", "record: Parcel\nroles: [clerk]\n", "record: Parcel\nroles: user\n"),
    "record: Parcel\npath: logistics/parcels\n",
    "record: Parcel\nplural: 7\n",
    *("record: Parcel\nendpoints: [list, peek]\n", "record: Parcel\nendpoints: all\n"),
    *("record: Parcel\ncollection: My-Parcels\n", "record: Parcel\nontology: true\n"),
    *("record: Parcel\nindexes: [refName]\n", "record: Parcel\nindexes: [{unique: true}]\n"),
    *("record: Parcel\nconstraints: [{when: 'a:1'}]\n", "record: Parcel\nvalidation: loose\n"),
    *map(
        field,
        [
            *(
                "origin: {reference: Contry}",
                "origin: {structure: Adress}",
                "status: {states: orderLifecycles}",
            ),
            *("origin: {list: {reference: Contry}}", "a: strng", "a: {type: str}", "a: {list: strng}"),
            *("a: {}", "a: {type: string, enum: [S]}", "a: {enum: []}", "a: {enum: [S, S]}", "a_b: string"),
            *("displayName: string", "a: {type: string, minimum: 3}", "a: {type: integer, maxLength: 3}"),
            *(
                "a: {type: boolean, pattern: x}",
                "a: {type: string, format: e-mail}",
                "a: {type: string, max: 3}",
            ),
            *("a: {type: integer, required: true, default: 1}", "a: {type: integer, default: x}"),
            *(
                "a: {type: string, default: 5}",
                "a: {type: date, example: 27.3.2026}",
                "a: {type: string, setBy: me}",
            ),
            *(
                "a: {type: string, required: 'true'}",
                "a: {enum: [S], minimum: 1}",
            ),
            *("a: {reference: Country, predicate: lieIn}", "a: {type: boolean, default: maybe}"),
            # What a schema cannot see: other parts of the file, patterns and templates.
            *('a: {type: string, pattern: "^(?!X)"}', "a: {reference: Parcel, required: true}"),
            *("a: {enum: [S, M], default: L}", 'a: {type: string, calculated: "{nothing}"}'),
        ],
    ),
    *("structure: Size\n", "structure: Size\nfields: {}\n", "structure: size\nfields: {a: string}\n"),
    *("stateGraph: flow\nstates: {new: {initial: true, final: true}}\n", "stateGraph: flow\nstates: {}\n"),
    *map(
        endpoint,
        ["response: Nothing", "request: Adress", "roles: [clerk]", "status: ok", "parameters: {a: strng}"],
    ),
    *map(rule, ["area: logistic", "functionalDomain: shipmnt", "action: LOOK", "role: admin"]),
    *(
        "seeds: [{record: Contry, rows: [{refName: a}]}]\n",
        "seeds: [{record: Country, rows: [{code: PT}]}]\n",
    ),
    "importProfile: p\ntarget: Contry\ncolumnMappings: [{sourceColumn: A, targetField: name}]\n",
    "tools: [{name: t, description: d, query: Contry}]\n",
    "title: T\nversion: '1'\n",
    "title: T\nversion: '1.0'\nsettings: {limits.page-sise: 1}\n",
    "title: T\nversion: '1.0'\nsettings: {limits.page-size: many}\n",
    "title: T\nversion: '1.0'\nsettings: {mongodb.uri: x}\n",
]
"""Slips of a newcomer, each in a file of the example's project."""


def test_most_wrong_files_are_flagged_in_the_editor(project: dict[str, Any]) -> None:
    missed = []
    for text in WRONG:
        value = value_of(text)
        kind = next(iter(value)) if next(iter(value)) in KINDS else SERVICE_KIND
        if Draft202012Validator(project[kind]).is_valid(value):
            missed.append(text)
    assert len(WRONG) >= 60
    assert len(missed) <= len(WRONG) // 5, missed
    assert len(missed) <= 4, missed


def test_every_wrong_file_is_refused_by_the_generator() -> None:
    """Else it would not be wrong: the files of the example, and one of these beside them."""
    accepted = []
    specs = load(ROOT / "specs")
    for text in WRONG:
        with TemporaryDirectory() as folder:
            area = Path(folder, "specs", "logistics")
            area.mkdir(parents=True)
            is_service = text.startswith("title:")
            (area.parent / "service.yaml").write_text(text if is_service else SERVICE, "utf-8")
            if not is_service:
                (area / "wrong.yaml").write_text(text, "utf-8")
            wrong = load(area.parent)
        records = (*specs.records, *wrong.records)
        mixed = replace(
            specs,
            service=wrong.service or specs.service,
            records=records,
            structures=(*specs.structures, *wrong.structures),
            graphs=(*specs.graphs, *wrong.graphs),
            endpoints=(*specs.endpoints, *wrong.endpoints),
            tools=wrong.tools,
            rules=(*specs.rules, *wrong.rules),
            seeds=(*specs.seeds, *wrong.seeds),
            import_profiles=(*specs.import_profiles, *wrong.import_profiles),
            problems=wrong.problems,
        )
        try:
            resolve(mixed)
        except ProblemList:
            continue
        accepted.append(text)
    assert accepted == []


SERVICE = "title: T\nversion: '1.0'\n"
