"""Whatever is written in a dialect is read back from it, cell for cell, however the bytes are cut.

And what this service writes, Python's own csv module reads the same: other programs will too. What is exported
from the store changes nothing when it is imported, and makes the same records somewhere else.
"""

from __future__ import annotations

import csv
import io
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.contract.charset import Charset, Quoting
from runtime.transfer.csv.dialect import Dialect
from runtime.transfer.csv.reader import RowReader
from runtime.transfer.csv.writer import RowWriter
from tests.properties import examples
from tests.transfer.bins import (
    ASCII_SIGNS,
    BY_ITEM,
    BY_PART_OF_ITEM,
    BY_REFERENCE_OF_ITEM,
    FLAT,
    PARTS,
    SIGNS,
    TAG_BY_TAG,
    WHOLE,
    bins,
)
from tests.transfer.stock import Document, Stock

Table = list[list[str]]


CELLS = st.text(st.one_of(st.sampled_from(SIGNS), st.characters(codec="utf-8")), max_size=12)
ASCII_CELLS = st.text(
    st.one_of(st.sampled_from(",;\t|\"'\r\n \0"), st.characters(codec="ascii")), max_size=12
)
WAYS = sorted(product(Charset, Quoting))


def cells_in(charset: Charset) -> st.SearchStrategy[str]:
    """Cells of characters that a character set has."""
    if charset is Charset.US_ASCII:
        return ASCII_CELLS
    signs, codec = signs_in(charset)
    return st.text(st.one_of(st.sampled_from(signs), st.characters(codec=codec)), max_size=12)


def signs_in(charset: Charset) -> tuple[str, str]:
    """The signs that a character set has, and the codec of all of its characters."""
    if charset is Charset.US_ASCII:
        return ASCII_SIGNS, "ascii"
    codec = charset.codec if charset in (Charset.WINDOWS_1252, Charset.LATIN_1) else "utf-8"
    return SIGNS.encode(codec, "ignore").decode(codec), codec


def tables(cells: st.SearchStrategy[str]) -> st.SearchStrategy[Table]:
    """Rows of one width, as a writer takes them; rows of empty cells alone are read as blank lines."""
    return st.integers(1, 5).flatmap(
        lambda width: st.lists(
            st.lists(cells, min_size=width, max_size=width).filter(lambda row: width == 1 or any(row)),
            max_size=70,
        )
    )


def written(dialect: Dialect, table: Table, batch: int) -> bytes:
    writer = RowWriter(dialect)
    parts = [writer.write([])]
    return b"".join(parts + [writer.write(table[at : at + batch]) for at in range(0, len(table), batch)])


def read(dialect: Dialect, content: bytes, chunk: int) -> list[tuple[int, list[str]]]:
    reader = RowReader(dialect)
    found = []
    for at in range(0, len(content), chunk):
        found += reader.feed(content[at : at + chunk])
    return found + reader.finish()


@pytest.mark.parametrize(("charset", "quoting"), WAYS, ids=lambda one: str(one))
@settings(max_examples=examples(40, nightly=500))  # for each of sixteen ways
@given(data=st.data(), separator=st.sampled_from(",;\t| "), quote=st.sampled_from("\"'"))
def test_every_table_survives(
    charset: Charset, quoting: Quoting, data: st.DataObject, separator: str, quote: str
) -> None:
    dialect = Dialect(separator, quote, quoting, charset)
    table = data.draw(tables(cells_in(charset)))
    content = written(dialect, table, data.draw(st.integers(1, 40)))
    found = read(dialect, content, data.draw(st.integers(1, 40)))
    assert [cells for _number, cells in found] == table
    assert [number for number, _cells in found] == list(range(1, len(table) + 1))


@given(table=tables(CELLS), quoting=st.sampled_from(Quoting))
def test_the_csv_module_reads_the_same(table: Table, quoting: Quoting) -> None:
    text = written(Dialect(quoting=quoting, charset=Charset.UTF_8_BOM), table, 40).decode("utf-8-sig")
    assert list(csv.reader(io.StringIO(text, newline=""), strict=True)) == table


@given(table=tables(CELLS), chunk=st.integers(1, 40), ending=st.sampled_from(["\n", "\r", "\r\n"]))
def test_what_the_csv_module_writes_is_read(table: Table, chunk: int, ending: str) -> None:
    out = io.StringIO(newline="")
    csv.writer(out, lineterminator=ending, quoting=csv.QUOTE_ALL).writerows(table)
    found = read(Dialect(), out.getvalue().encode(), chunk)
    assert [cells for _number, cells in found] == table


# --- over the store --------------------------------------------------------------------------------------


@st.composite
def dialects(draw: st.DrawFn, charset: Charset, quoting: Quoting) -> dict[str, str]:
    """The query of a file in this character set."""
    return {
        "charsetEncoding": str(charset), "quotingStrategy": str(quoting), "formulaGuard": draw(st.sampled_from(["true", "false"])),
        "fieldSeparator": draw(st.sampled_from(",;\t| ")), "quoteChar": draw(st.sampled_from("\"'")),
    }  # fmt: skip


def some_bins(stock: Stock, charset: Charset) -> st.SearchStrategy[list[Document]]:
    rows = stock.documents["shelves"].find({"dataDomain.tenantId": "acme"})
    shelves = {row["refName"]: row["_id"] for row in rows}
    signs, codec = signs_in(charset)
    return bins(shelves, signs, codec)


@pytest.mark.parametrize(("charset", "quoting"), WAYS, ids=lambda one: str(one))
@settings(max_examples=examples(4, nightly=500))
@given(data=st.data())
def test_an_export_that_comes_back_changes_nothing(
    stock: Stock, charset: Charset, quoting: Quoting, data: st.DataObject
) -> None:
    stock.empty()
    planted = stock.plant(*data.draw(some_bins(stock, charset)))
    query = data.draw(dialects(charset, quoting))
    for columns in (FLAT, WHOLE, BY_ITEM, TAG_BY_TAG, BY_PART_OF_ITEM, BY_REFERENCE_OF_ITEM, PARTS):
        found = stock.analysed(columns, stock.exported(columns, **query), **query)
        assert pick_counts(found) == {
            "insertCount": 0,
            "updateCount": 0,
            "skipCount": len(planted),
            "errorRows": 0,
        }


@settings(max_examples=examples(12, nightly=500))
@given(data=st.data(), way=st.sampled_from(WAYS))
def test_an_export_makes_the_same_records_elsewhere(
    stock: Stock, data: st.DataObject, way: tuple[Charset, Quoting]
) -> None:
    stock.empty()
    planted = stock.plant(*data.draw(some_bins(stock, way[0])))
    query = data.draw(dialects(*way))
    content = stock.exported(FLAT, **query)
    found = stock.imported(FLAT, content, "globex", **query)
    assert (found["insertCount"], found["failedCount"]) == (len(planted), 0), found["rows"]
    assert stock.exported(FLAT, "globex", **query) == content


def pick_counts(found: Document) -> dict[str, Any]:
    return {name: found[name] for name in ("insertCount", "updateCount", "skipCount", "errorRows")}


def test_items_of_which_a_file_shows_a_part_stay_whole_until_it_changes_one(bins: Stock) -> None:
    bins.plant(
        {"refName": "b-1", "parts": [{"note": "x"}]},
        {"refName": "b-2", "parts": [{"sku": "s", "note": "y"}, {"note": "z"}]},
    )
    content = bins.exported(BY_PART_OF_ITEM)
    found = bins.imported(BY_PART_OF_ITEM, content)
    assert (found["updateCount"], found["skipCount"]) == (0, 2)
    found = bins.imported(BY_PART_OF_ITEM, content.replace(b",s", b",t"))
    assert (found["updateCount"], found["skipCount"]) == (1, 1)
    assert {name: one["parts"] for name, one in bins.bins().items()} == {
        "b-1": [{"note": "x"}],
        "b-2": [{"sku": "t"}],
    }
