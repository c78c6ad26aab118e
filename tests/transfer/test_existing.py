"""How rows name records, and which columns their findings are about."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta, timezone
from itertools import chain
from typing import Any, cast

import pytest
from bson import ObjectId
from hypothesis import given
from hypothesis import strategies as st

from runtime.call import Call
from runtime.contract.imports import RowCode
from runtime.model.record_type import Index
from runtime.principal import DomainContext
from runtime.transfer.importing.existing import build_ambiguity, name_of
from runtime.transfer.profiles.profile_target import key_of, keys_of, target_of
from runtime.transfer.rows.intent import Intent
from runtime.transfer.rows.row_error import RowError
from runtime.transfer.rows.row_report import render_report
from runtime.transfer.rows.rows import Failed, FileTerms, InputRow, Skip, find_column, name_cells
from tests.records.parcels import ID, PARCEL

TERMS = FileTerms(
    "code", sources={"code": "CODE#", "place.city": "TOWN", "customer": "WHO", "dynamicAttributes": "JSON"}
)


@dataclass
class _Principal:
    domain: DomainContext = field(default_factory=lambda: DomainContext("acme", "main"))


@dataclass
class _Caller:
    """All that naming a record asks of a call."""

    principal: _Principal = field(default_factory=_Principal)


def name(key: Any, **values: Any) -> tuple[str, str] | None:
    row = InputRow(1, {}, {"code": key, **values}, terms=TERMS)
    return name_of(cast(Call, _Caller()), row)


# Names ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("A", "A", id="text"),
        pytest.param(7, 7, id="integer"),
        pytest.param(ObjectId(ID), ObjectId(ID), id="id"),
        pytest.param(datetime(2026, 3, 27, 4, 12), datetime(2026, 3, 27, 4, 12, tzinfo=UTC), id="a moment as stored and as read"),
        pytest.param(datetime(2026, 3, 27, 4, tzinfo=UTC), datetime(2026, 3, 27, 5, tzinfo=timezone(timedelta(hours=1))), id="a moment in two zones"),
    ],
)  # fmt: skip
def test_equal_keys_have_one_name(one: Any, other: Any) -> None:
    assert name(one) == name(other) is not None


def test_different_keys_have_different_names() -> None:
    keys = ["A", "a", "A ", 7, 70, datetime(2026, 3, 27), ObjectId(ID)]
    assert len({name(key) for key in keys}) == len(keys)


def test_a_name_is_one_in_a_tenant() -> None:
    assert name("A") == ("acme", "A")
    assert name("A", **{"dataDomain.tenantId": "globex"}) == ("globex", "A")
    assert name(None) is None


def test_what_is_said_of_several_records() -> None:
    found = build_ambiguity(InputRow(1, {}, {"code": 7}, terms=TERMS))
    assert (found.code, found.field, found.value) == (RowCode.DUPLICATE, "code", "7")


# Keys -------------------------------------------------------------------------------------------------


def unique(*paths: str) -> Index:
    return Index(tuple((path, 1) for path in paths), unique=True)


@pytest.mark.parametrize(
    ("index", "known"),
    [
        pytest.param(unique("code"), {"refName", "code"}, id="a text"),
        pytest.param(unique("count"), {"refName", "count"}, id="an integer"),
        pytest.param(unique("customer.entityId"), {"refName", "customer.entityId"}, id="a reference"),
        pytest.param(unique("weight"), {"refName"}, id="no decimal, which has many spellings"),
        pytest.param(unique("tags"), {"refName"}, id="no list"),
        pytest.param(unique("pin"), {"refName"}, id="no hidden field"),
        pytest.param(unique("code", "label"), {"refName"}, id="not two fields together"),
        pytest.param(Index((("code", 1),)), {"refName"}, id="not what is not unique"),
    ],
)  # fmt: skip
def test_what_can_be_the_key(index: Index, known: set[str]) -> None:
    assert keys_of(replace(PARCEL, indexes=(index,))) == known


def test_the_key_of_a_reference_is_its_id() -> None:
    assert key_of(PARCEL, target_of(PARCEL, "customer")).path == "customer.entityId"
    assert key_of(PARCEL, target_of(PARCEL, "code")).path == "code"


# Columns ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "column"),
    [
        ("code", "CODE#"),
        ("place.city", "TOWN"),
        ("place", "TOWN"),
        ("customer", "WHO"),
        ("customer.entityId", "WHO"),
        ("dynamicAttributes.size.height", "JSON"),
        ("label", None),
        ("", None),
    ],
)
def test_the_column_of_a_field(path: str, column: str | None) -> None:
    raw = {"CODE#": "1", "TOWN": "2", "WHO": "3", "JSON": "4"}
    row = InputRow(1, raw, terms=TERMS)
    assert row.column_of(path) == column
    assert row.value_of(path) == (None if column is None else raw[column])


def test_columns_may_be_called_like_their_fields() -> None:
    row = InputRow(1, {"lines[0].sku": "1", "tags": "2", "place.city": "3"})
    columns = ("tags", "tags[3]", "place", "lines[0].sku", "lines")
    assert [row.column_of(path) for path in columns] == ["tags", "tags", "place.city", "lines[0].sku", None]
    assert (row.value_of("lines[0].sku"), row.value_of("label")) == ("1", None)


PATHS = st.lists(st.sampled_from(["a", "b", "ab", ".", "[0]", ""]), max_size=5).map("".join)


@given(st.dictionaries(PATHS, PATHS, max_size=6), PATHS)
def test_the_column_is_the_first_that_is_about_the_field(sources: dict[str, str], path: str) -> None:
    """As a look at each of them finds it."""
    around = (name for name in sources if name == path or path.startswith((f"{name}.", f"{name}[")))
    inside = (name for name in sources if name.startswith(f"{path}."))
    name = next(chain(around, inside), None)
    assert find_column(sources, path) == (None if name is None else sources[name])


def test_a_finding_names_its_column_where_that_is_another_word() -> None:
    raw = {"CODE#": "7", "DO": "X"}
    errors = (
        RowError(RowCode.PARSE, "m", "code", "7"),
        RowError(RowCode.INTENT, "m", "DO"),
        RowError(RowCode.PARSE, "m"),
    )
    told = render_report(Failed(InputRow(3, raw, terms=TERMS), errors))
    assert [error.get("column") for error in told["errors"]] == ["CODE#", "DO", None]
    plain = render_report(Failed(InputRow(3, {"code": "7"}), errors[:1]))
    assert "column" not in plain["errors"][0]


def test_a_row_without_a_name_is_told_without_one() -> None:
    assert "refName" not in render_report(Skip(InputRow(1, {}, intent=Intent.SKIP, terms=TERMS)))
    assert render_report(Skip(InputRow(1, {}, {"refName": "A"})))["refName"] == "A"


def test_cells_beyond_the_last_column_are_numbered() -> None:
    assert name_cells(["A", "B"], ["1", "2", "3"]) == {"A": "1", "B": "2", "column 3": "3"}
    assert name_cells(["A", "B"], ["1"]) == {"A": "1"}
