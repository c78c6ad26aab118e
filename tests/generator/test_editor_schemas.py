"""Editor schemas: valid themselves, and of one mind with the loader about every golden file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from generator.editor_schemas import editor_schemas
from generator.load.read import read_yaml
from generator.spec import KINDS, SERVICE_KIND

SCHEMAS = {kind: json.loads(text) for kind, text in editor_schemas().items()}
GOOD = Path(__file__).parent / "cases" / "everything_in_order" / "specs"


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
        found for name, one in schema.items() for found in words_without_help(one, f"{path}/{name}")
    ]


def test_there_is_one_for_each_kind() -> None:
    assert set(SCHEMAS) == {*KINDS, SERVICE_KIND}


@pytest.mark.parametrize("kind", sorted(SCHEMAS))
def test_each_is_a_valid_schema_sorted_and_ends_a_line(kind: str) -> None:
    Draft202012Validator.check_schema(SCHEMAS[kind])
    text = editor_schemas()[kind]
    assert text == json.dumps(SCHEMAS[kind], indent=2, sort_keys=True) + "\n"


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
