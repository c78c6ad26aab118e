"""Suggestions are made of the cell, and of nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.filter.values import read_value
from runtime.model.field_type import FieldType, ValueKind
from runtime.transfer.rows.suggestion import suggest

KINDS = {kind.value: FieldType(kind) for kind in ValueKind}
MODE = FieldType(ValueKind.STRING, values=("AIR", "Rail", "SEA_FREIGHT"))


@pytest.mark.parametrize(
    ("kind", "cell", "expected"),
    [
        ("date", "31.12.2025", "2025-12-31"),
        ("date", "12/31/2025", "2025-12-31"),
        ("date", "31/12/2025", "2025-12-31"),
        ("date", "05.05.2025", "2025-05-05"),
        ("date", "2025/12/31", "2025-12-31"),
        ("date", "2025-1-5", "2025-01-05"),
        ("date", " 2025-01-05 ", "2025-01-05"),
        ("date", "03.04.2025", None),
        ("date", "31.02.2025", None),
        ("date", "2025-02-30", None),
        ("date", "31.12-2025", None),
        ("date", "31.12.25", None),
        ("date", "soon", None),
        ("datetime", "31.12.2025 10:00", "2025-12-31T10:00Z"),
        ("datetime", "2025-12-31 9:05:30", "2025-12-31T09:05:30Z"),
        ("datetime", "2025-12-31T10:00", "2025-12-31T10:00Z"),
        ("datetime", "2025-12-31 10:00:00.5 +01:00", "2025-12-31T10:00:00.5+01:00"),
        ("datetime", "31.12.2025", "2025-12-31"),
        ("datetime", "03.04.2025 10:00", None),
        ("datetime", "31.12.2025 25:00", None),
        ("datetime", "31.12.2025 10:00 CET", None),
        ("decimal", "16,5", "16.5"),
        ("decimal", "1.234,56", "1234.56"),
        ("decimal", "1,234.56", "1234.56"),
        ("decimal", "1 234,5", "1234.5"),
        ("decimal", "1'234.50", "1234.50"),
        ("decimal", "0,250", "0.250"),
        ("decimal", "-7,5", "-7.5"),
        ("decimal", "1.234.567", "1234567"),
        ("decimal", "16,000", None),
        ("decimal", "1,23,4", None),
        ("decimal", "1.23,456.7", None),
        ("decimal", "9" * 39, None),
        ("decimal", "cheap", None),
        ("decimal", "12 EUR", None),
        ("number", "2,5", "2.5"),
        ("integer", "5.0", "5"),
        ("integer", "5,00", "5"),
        ("integer", "1,234,567", "1234567"),
        ("integer", "1 000", "1000"),
        ("integer", "1,000", None),
        ("integer", "1.5", None),
        ("integer", "9" * 39, None),
        ("integer", "", None),
        ("boolean", "TRUE", "true"),
        ("boolean", "False", "false"),
        ("boolean", "yes", None),
        ("boolean", "1", None),
        ("objectId", " 65f0c0ffee00c0ffee00c0de ", "65f0c0ffee00c0ffee00c0de"),
        ("objectId", "65f0c0", None),
        ("list", "a;b", None),
    ],
)
def test_what_a_cell_may_have_meant(kind: str, cell: str, expected: str | None) -> None:
    assert suggest(KINDS[kind], cell) == expected


@pytest.mark.parametrize(
    ("cell", "expected"),
    [("air", "AIR"), ("RAIL", "Rail"), ("sea_fright", "SEA_FREIGHT"), ("bicycle", None), (" AIR", "AIR")],
)
def test_an_enumerated_value_by_case_or_distance(cell: str, expected: str | None) -> None:
    assert suggest(MODE, cell) == expected


@given(st.sampled_from(list(KINDS)), st.text("0123456789.,-/: TZ+'", max_size=30))
def test_every_suggestion_can_be_read_and_has_the_digits_of_the_cell(kind: str, cell: str) -> None:
    found = suggest(KINDS[kind], cell)
    if found is not None:
        read_value(KINDS[kind], found)
        assert set(found) - set("-.:TZ0") <= set(cell)
