"""What the mapper keeps of a VERTICAL entity until the next one begins: not more than one row may have."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from typing import Any, cast

import pytest

from runtime.contract.imports import RowCode
from runtime.model.catalog import Catalog
from runtime.model.nearest import MOST_SUGGESTIONS, SuggestionLimit
from runtime.transfer.profiles import row_reader as module
from runtime.transfer.profiles.lookup import Lookup, Result
from runtime.transfer.profiles.mapper import Row, RowMapper
from runtime.transfer.profiles.profile import prepare
from runtime.transfer.rows.row_error import MOST_ERRORS
from runtime.transfer.rows.rows import InputRow
from tests.records.parcels import PARCEL

HEADER = ("_entityKey", "_attrSet", "_attrName", "_attrType", "_attrValue")
PROFILE = {
    "refName": "tall", "targetType": "post.Parcel", "dynamicAttributeStrategy": "VERTICAL", "headerModifiers": True,
    "columnMappings": [{"sourceColumn": "Label?", "targetField": "label"}],
}  # fmt: skip


class Nothing:
    """Look-ups that find nothing."""

    async def find(
        self, lookup: Lookup, values: Collection[str], tenant: str | None = None
    ) -> Mapping[str, Result]:
        return {}

    async def list_values(self, lookup: Lookup, tenant: str | None = None) -> Collection[str]:
        return ()


def read(
    rows: list[Row], *, size: int, header: Sequence[str] = HEADER, profile: Mapping[str, Any] = PROFILE
) -> list[InputRow]:
    """The entities of a file, read in pieces of this size."""
    layout = prepare(cast(Any, profile), PARCEL, Catalog((PARCEL,)), {}).layout(header)
    mapper = RowMapper(layout, layout.terms, realm="acme", session="s", profile="tall")

    async def run() -> list[InputRow]:
        found: list[InputRow] = []
        for start in range(0, len(rows), size):
            found += await mapper.read(rows[start : start + size], Nothing())
        return found + await mapper.read([], Nothing(), is_last=True)

    return asyncio.run(run())


def lines(entity: str, count: int, value: str = "x", start: int = 1) -> list[Row]:
    return [(start + at, [entity, "s", f"n{at}", "", value]) for at in range(count)]


def count_turns(mapper: RowMapper, rows: list[Row]) -> tuple[int, list[InputRow]]:
    """The turns that another task gets while these rows are read; and the rows."""

    async def run() -> tuple[int, list[InputRow]]:
        turns, ended = 0, asyncio.Event()

        async def other() -> None:
            nonlocal turns
            while not ended.is_set():
                turns += 1
                await asyncio.sleep(0)

        task = asyncio.create_task(other())
        found = await mapper.read(rows, Nothing(), is_last=True)
        ended.set()
        await task
        return turns, found

    return asyncio.run(run())


@pytest.mark.parametrize("size", [1, 3, 100])
def test_an_entity_with_too_many_rows_is_an_error_and_the_next_is_not(
    monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    monkeypatch.setattr(module, "MOST_ROWS_OF_ONE", 5)
    found = read([*lines("A", 5), *lines("B", 6, start=6), *lines("C", 2, start=12)], size=size)
    assert [(one.values.get("refName"), one.number, bool(one.errors)) for one in found] == [
        ("A", 1, False), ("B", 6, True), ("C", 12, False),
    ]  # fmt: skip
    assert found[1].further is None
    entity = module.Entity()
    for line in lines("B", 6):
        entity.add(line)
    assert len(entity.rows) == 5
    (error,) = found[1].errors
    assert (error.code, error.field) == (RowCode.VALIDATION, "_entityKey")
    assert "more than 5 rows" in error.message


def test_so_is_one_with_too_many_characters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_CHARACTERS_OF_ONE", 100)
    good, bad, alone = read(
        [*lines("A", 2, "x" * 40), *lines("B", 2, "x" * 60), *lines("C", 1, "x" * 200)], size=1
    )
    assert (bool(good.errors), bool(bad.errors), bool(alone.errors)) == (False, True, False)


def test_rows_of_an_entity_that_disagree_are_so_many_errors() -> None:
    """However many rows and columns do; the row says how many more there are."""
    header = (*HEADER, "Label?", "Code")
    columns = [{"sourceColumn": name, "targetField": name.rstrip("?").lower()} for name in header[5:]]
    rows = [(at, ["A", "s", f"n{at}", "", "x", f"label {at}", str(at)]) for at in range(1, 1001)]
    (found,) = read(rows, size=300, header=header, profile={**PROFILE, "columnMappings": columns})
    assert len(found.errors) == MOST_ERRORS
    assert found.errors[0].message == "row 2 says otherwise than row 1 of the same entity"
    assert [error.field for error in found.errors[:4]] == ["label", "code", "label", "code"]
    assert found.errors[-1].message == f"{999 * 2 - MOST_ERRORS + 1} more errors of this row are not shown"


def test_so_are_the_elements_of_a_list_that_are_not_found() -> None:
    lookup = {"lookupCollection": "parcels", "lookupMatchField": "code", "onNotFound": "FAIL"}
    column = {"sourceColumn": "T", "targetField": "tags", "listSeparator": ";", "lookup": lookup}
    profile = {"refName": "long", "targetType": "post.Parcel", "columnMappings": [column]}
    (found,) = read([(1, [";".join(map(str, range(1000)))])], size=1, header=("T",), profile=profile)
    assert len(found.errors) == MOST_ERRORS
    assert found.errors[0].code is RowCode.LOOKUP


def test_others_in_the_worker_go_on_in_between() -> None:
    """While a batch is mapped, however long each of its cells takes."""
    mappings = {f"value {number}": "x" for number in range(5000)}
    column = {
        "sourceColumn": "L",
        "targetField": "label",
        "valueMappings": mappings,
        "unmappedValueBehavior": "FAIL",
    }
    profile = {"refName": "wide", "targetType": "post.Parcel", "columnMappings": [column]}
    layout = prepare(profile, PARCEL, Catalog((PARCEL,)), {}).layout(("L",))
    mapper = RowMapper(layout, layout.terms, realm="acme", session="s", profile="wide")

    with SuggestionLimit():
        turns, found = count_turns(mapper, [(at, [f"valeu {at}"]) for at in range(1, 401)])
    assert turns >= 40
    suggested = [error.suggestion for row in found for error in row.errors]
    assert (len(suggested), sum(one is not None for one in suggested)) == (400, MOST_SUGGESTIONS)
    assert suggested[6] == "value 7"


def long_rows(count: int, size: int) -> list[Row]:
    return [(at, ["a " * (size // 2)]) for at in range(1, count + 1)]


LIST = {"targetField": "tags", "listSeparator": " "}


@pytest.mark.parametrize(
    ("column", "rows", "least"),
    [
        pytest.param({}, long_rows(40, 8000), 20, id="rows that are large together"),
        pytest.param({"transformations": {"case": "TITLE"}}, long_rows(1, 500_000), 40, id="a large cell"),
        pytest.param({"transformations": {"regex": {"pattern": "a"}}}, long_rows(1, 90_000), 40, id="a regex"),
        pytest.param(
            {"transformations": {"regex": {"pattern": "(a?){1000}a{1000}c"}}}, long_rows(1, 10_000), 40,
            id="one search that takes long",
        ),
        pytest.param(LIST, long_rows(1, 100_000), 40, id="the elements of a list"),
    ],
)  # fmt: skip
def test_others_go_on_while_a_large_cell_is_read(column: dict[str, Any], rows: list[Row], least: int) -> None:
    """Which is done in a thread where it takes long."""
    mapping = {"sourceColumn": "L", "targetField": "label", **column}
    profile: Any = {"refName": "large", "targetType": "post.Parcel", "columnMappings": [mapping]}
    layout = prepare(profile, PARCEL, Catalog((PARCEL,)), {}).layout(("L",))
    mapper = RowMapper(layout, layout.terms, realm="acme", session="s", profile="large")
    turns, found = count_turns(mapper, rows)
    assert ([bool(row.errors) for row in found], turns >= least) == ([False] * len(rows), True)


def test_others_go_on_while_an_entity_of_many_rows_is_read() -> None:
    layout = prepare(cast(Any, PROFILE), PARCEL, Catalog((PARCEL,)), {}).layout(HEADER)
    mapper = RowMapper(layout, layout.terms, realm="acme", session="s", profile="tall")
    turns, (found,) = count_turns(mapper, lines("A", 5000))
    assert (len(found.attributes["s"]), turns >= 40) == (5000, True)


def test_a_row_does_not_become_much_longer() -> None:
    """By a list as little as by many cells; one that is too long does not take the room of the others."""
    maps = [
        {"sourceColumn": "a", "targetField": "label", "valueMappings": {"x": "y" * 2000}},
        {
            "sourceColumn": "b",
            "targetField": "tags",
            "listSeparator": ";",
            "valueMappings": {"x": "y" * 2000},
        },
        {"sourceColumn": "c", "targetField": "code", "transformations": {"default": "z" * 2000}},
    ]
    profile = {"refName": "wide", "targetType": "post.Parcel", "columnMappings": maps}
    rows: list[Row] = [(1, ["x", "x;" * 30, ""]), (2, ["x", "x;" * 40, ""]), (3, ["x", "x;" * 100_000, ""])]
    read_rows = read(rows, size=3, header=("a", "b", "c"), profile=profile)
    message = "the transformations make the row more than 65536 characters longer"
    said = [[(one.field, one.message) for one in row.errors if one.message == message] for row in read_rows]
    assert said == [[], [("tags", message)], [("tags", message)]]
    assert all(len(row.values["code"]) == 2000 for row in read_rows)


def test_cells_beyond_the_header_are_told() -> None:
    (found,) = read([(1, ["A", "s", "a", "", "1", "more"])], size=1)
    assert found.raw["column 6"] == "more"
    assert [error.code for error in found.errors] == [RowCode.PARSE]
