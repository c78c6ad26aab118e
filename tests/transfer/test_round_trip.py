"""Whatever is written in a dialect is read back from it, cell for cell, however the bytes are cut.

And what this service writes, Python's own csv module reads the same: other programs will too.
"""

from __future__ import annotations

import csv
import io
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.transfer.dialect import Charset, Dialect, Quoting
from runtime.transfer.reader import RowReader
from runtime.transfer.writer import RowWriter

Table = list[list[str]]

SIGNS = ",;\t|\"'\r\n\ufeff\ufffe\0 é€😀=\u2028\x85\x1c"
CELLS = st.text(st.one_of(st.sampled_from(SIGNS), st.characters(codec="utf-8")), max_size=12)
ASCII_CELLS = st.text(
    st.one_of(st.sampled_from(",;\t|\"'\r\n \0"), st.characters(codec="ascii")), max_size=12
)
WAYS = sorted(product(Charset, Quoting))


def tables(cells: st.SearchStrategy[str]) -> st.SearchStrategy[Table]:
    """Rows of one width, as a writer takes them."""
    return st.integers(1, 5).flatmap(
        lambda width: st.lists(st.lists(cells, min_size=width, max_size=width), max_size=70)
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
@given(data=st.data(), separator=st.sampled_from(",;\t| "), quote=st.sampled_from("\"'"))
def test_every_table_survives(
    charset: Charset, quoting: Quoting, data: st.DataObject, separator: str, quote: str
) -> None:
    dialect = Dialect(separator, quote, quoting, charset)
    table = data.draw(tables(ASCII_CELLS if charset is Charset.US_ASCII else CELLS))
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
