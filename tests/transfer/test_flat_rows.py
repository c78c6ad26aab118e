"""Records that are read flat give the rows that whole ones give, whatever is stored in them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from bson import Decimal128
from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.contract.charset import Charset
from runtime.fast.flat_columns import FlatColumn
from runtime.transfer.csv.columns import parse_requested_columns
from runtime.transfer.csv.dialect import Dialect
from runtime.transfer.csv.flat_rows import flat_columns, flat_rows
from runtime.transfer.csv.writer import RowWriter
from tests.properties import examples
from tests.transfer.stock import BIN, Document, Stock
from tests.transfer.test_as_stored import SINGLE
from tests.transfer.test_round_trip import some_bins

ODD = (
    Decimal128("1E+3"), Decimal128("0E-10"), Decimal128("-0"), Decimal128("1.5E-20"), Decimal128("1E+6000"),
    Decimal128("NaN"), Decimal128("-Infinity"), Decimal128("1234567890123456789012345678901234"),
    "-5", "E", "=1+1", 7, 2.5, True, None, {"other": "-5"}, ["a"],
)  # fmt: skip
"""What may stand in place of a decimal of two digits."""


def same_as_whole(stock: Stock, columns: str, planted: list[Document], guard: bool) -> None:
    """What is exported, beside what its records would be written as."""
    whole = parse_requested_columns(columns, BIN)
    assert flat_columns(whole)
    query = {"sort": "id", "prependHeaderRow": "false", "formulaGuard": str(guard).lower()}
    writer = RowWriter(Dialect(formula_guard=guard), whole.names)
    assert stock.exported(columns, **query) == writer.write(whole.rows(planted, guard=guard))


@pytest.mark.parametrize(
    ("columns", "is_flat"),
    [
        (SINGLE, True),
        ("id,version,auditInfo.createdBy,dataDomain.tenantId", True),
        pytest.param("refName,size", False, id="an object"),
        pytest.param("refName,shelf", False, id="a reference as a whole"),
        pytest.param("refName,tags", False, id="a list"),
        pytest.param("refName,labels.red", False, id="a member of a map"),
        pytest.param("refName,extra", False, id="a free form"),
        pytest.param("refName,extra.colour", False, id="a member of a free form, which may be a list"),
        pytest.param("refName,parts[0].sku", False, id="several rows a record"),
        pytest.param("refName,dynamicAttributes.all.text", False, id="an attribute"),
    ],
)
def test_only_files_of_declared_single_values_are_read_flat(columns: str, is_flat: bool) -> None:
    found = flat_columns(parse_requested_columns(columns, BIN))
    assert len(found) == (len(columns.split(",")) if is_flat else 0)


def test_a_flat_column_has_its_stored_path() -> None:
    expected = (FlatColumn("_id"), FlatColumn("shelf.entityRefName"), FlatColumn("price", is_decimal=True))
    assert flat_columns(parse_requested_columns("id,shelf.entityRefName,price", BIN)) == expected


def test_types_that_are_saved_in_spite_of_violations_are_read_whole() -> None:
    assert flat_columns(parse_requested_columns("refName,price", replace(BIN, lenient=True))) == ()


@pytest.mark.parametrize("value", [*ODD, Decimal128("12.90")], ids=repr)
@pytest.mark.parametrize("guard", [True, False], ids=["guarded", "bare"])
def test_whatever_stands_for_a_decimal_is_written_as_ever(bins: Stock, value: Any, guard: bool) -> None:
    planted = bins.plant(
        {"refName": "b-1", "price": value},
        {"refName": "b-2", "price": Decimal128("1.50")},
        {"refName": "b-3"},
    )
    same_as_whole(bins, "refName,price", planted, guard)


def test_where_an_object_should_be_anything_may_stand(bins: Stock) -> None:
    planted = bins.plant(
        *({"refName": f"b-{at}", "size": value} for at, value in enumerate((None, 5, "m", {})))
    )
    same_as_whole(bins, "refName,size.unit", planted, True)


@settings(max_examples=examples(20, nightly=500))
@given(data=st.data(), guard=st.booleans())
def test_all_that_a_record_may_hold_is_written_as_ever(
    stock: Stock, data: st.DataObject, guard: bool
) -> None:
    stock.empty()
    planted = stock.plant(*data.draw(some_bins(stock, Charset.UTF_8)))
    same_as_whole(stock, SINGLE, planted, guard)


def test_a_value_that_is_not_there_is_an_empty_cell() -> None:
    columns = parse_requested_columns("refName,price,count", BIN)
    assert flat_rows(columns, [{"0": "b-1"}, {"1": {}}], guard=True) == [("b-1", "", ""), ("", "", "")]
