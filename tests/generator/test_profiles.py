"""Mistakes of import profiles that the service would refuse when the profile is planted."""

from __future__ import annotations

import pytest

from tests.generator.conftest import Workshop

CAR = """record: Car
dynamicAttributes: true
fields:
  plate: {type: string, unique: true}
  secret: {type: string, unique: true, hidden: true}
  colour: string
  tags: {list: string}
  owners: {list: {reference: Country}}
  size: {object: {long: integer, wide: integer}}
  home: {reference: Country}
  title: {type: string, calculated: "{plate}"}
indexes:
  - {fields: [home.entityId], unique: true}
  - {fields: [colour, plate], unique: true}
"""

COLUMNS = [
    pytest.param(
        "{targetField: size}, {targetField: size.long}", '"size" fills "size.long" already', id="part"
    ),
    pytest.param("{targetField: size.long}, {targetField: size}", '"size.long" fills "size"', id="whole"),
    pytest.param(
        "{targetField: owners.entityId, listSeparator: ;},"
        "{targetField: owners.entityRefName, listSeparator: ;}",
        '"owners.entityId" fills "owners.entityRefName" already',
        id="two names of one element",
    ),
    pytest.param("{targetField: size.long}, {targetField: size.wide}", None, id="two parts"),
    pytest.param("{targetField: plate}, {targetField: plate}", '"plate" is mapped twice', id="twice"),
    pytest.param(
        "{targetField: plate, unmappedValueBehavior: FAIL}", "add valueMappings", id="nothing passes"
    ),
    pytest.param("{targetField: plate, unmappedValueBehavior: PASSTHROUGH}", None, id="all pass"),
    pytest.param(
        '{targetField: plate, regex: {pattern: "^(A)-", replacement: "$2"}}',
        "the pattern has no group 2, which the replacement names",
        id="no such group",
    ),
    pytest.param('{targetField: plate, regex: {pattern: "^(A)-", replacement: "$1$$2"}}', None, id="a group"),
    pytest.param(
        '{targetField: plate, regex: {pattern: "a{1001}"}}',
        "the pattern cannot be used",
        id="for another engine",
    ),
    pytest.param(
        '{targetField: plate, trim: true, valueMappings: {" a": b}}',
        '" a" has blanks at an end',
        id="trimmed",
    ),
    pytest.param('{targetField: plate, valueMappings: {" a": b}}', None, id="not trimmed"),
    pytest.param(
        "{targetField: home, lookup: {record: Car, match: tags, return: home.entityId}}",
        "tags of Car is not a single value",
        id="lookup of a list",
    ),
    pytest.param(
        "{targetField: home, lookup: {record: Car, match: owners.entityRefName, return: home.entityId}}",
        "owners.entityRefName of Car is not a single value",
        id="lookup in a list",
    ),
    pytest.param(
        "{targetField: home, lookup: {record: Car, match: secret, return: home.entityId}}",
        "secret of Car is hidden",
        id="lookup of what is hidden",
    ),
    pytest.param(
        "{targetField: home, lookup: {record: Car, match: plate, return: home.entityId}}", None, id="lookup"
    ),
]

KEYS = [
    ("refName", None),
    ("plate", None),
    ("home.entityRefName", None),
    ("colour", "colour is not unique, so it cannot be the key; what can: home, plate, refName"),
    ("secret", "secret is not unique"),
    ("tags", "tags is not unique"),
]

WORDS = [
    ('dynamicAttributePrefix: "d:"', '"d:" cannot begin a header'),
    ('dynamicAttributePrefix: " d"', '" d" cannot begin a header'),
    ("dynamicAttributeStrategy: VERTICAL\nintentColumn: _attrName", "_attrName has another meaning"),
    ("dynamicAttributeStrategy: VERTICAL\nintentColumn: DO", None),
    ("headerModifiers: true\nintentColumn: DO*", '"DO*" never names a column: write "DO"'),
    ("headerModifiers: false\nintentColumn: DO*", None),
]


def problems(workshop: Workshop, columns: str, more: str = "") -> list[str]:
    profile = f"importProfile: cars\ntarget: Car\n{more}\ncolumnMappings: [{columns}]\n"
    return workshop.problems({"specs/fleet/car.yaml": CAR, "specs/fleet/cars.yaml": profile})


def require(found: list[str], message: str | None) -> None:
    assert len(found) == (message is not None), found
    assert message is None or message in found[0]


@pytest.mark.parametrize(("columns", "message"), COLUMNS)
def test_columns_fill_fields_of_their_own(workshop: Workshop, columns: str, message: str | None) -> None:
    first, *others = columns.split("{targetField")[1:]
    named = [f"{{sourceColumn: c{at}, targetField{one}" for at, one in enumerate((first, *others))]
    require(problems(workshop, "".join(named)), message)


@pytest.mark.parametrize(("field", "message"), KEYS)
def test_the_key_is_unique(workshop: Workshop, field: str, message: str | None) -> None:
    column = f'{{sourceColumn: "NO#", targetField: {field}}}'
    require(problems(workshop, column, "headerModifiers: true"), message)
    require(problems(workshop, column), None)


@pytest.mark.parametrize("field", ["title", "auditInfo.createdBy", "id"])
def test_only_a_column_marked_as_calculated_maps_what_the_server_writes(
    workshop: Workshop, field: str
) -> None:
    column = f'{{sourceColumn: "NO~", targetField: {field}}}'
    require(problems(workshop, column, "headerModifiers: true"), None)
    require(problems(workshop, column), f"{field} is written by the server")


@pytest.mark.parametrize(("words", "message"), WORDS)
def test_words_about_dynamic_attributes(workshop: Workshop, words: str, message: str | None) -> None:
    require(problems(workshop, "{sourceColumn: a, targetField: refName}", words), message)
