"""What is read from a file, and what is said of one that cannot be read: where, and what would be right."""

from __future__ import annotations

import codecs
import csv
import tracemalloc
from collections.abc import AsyncIterator, Iterator
from io import StringIO
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.contract.charset import Charset
from runtime.errors import CsvProblem
from runtime.transfer.csv import long_row, reader
from runtime.transfer.csv.dialect import Dialect
from runtime.transfer.csv.grammar import Grammar, split_rows
from runtime.transfer.csv.reader import CsvFile, RowReader
from runtime.transfer.csv.row_limits import MAX_CELL, MAX_CELLS, MAX_ROW, Row

USUAL = Dialect()


def read(content: bytes, dialect: Dialect = USUAL, *, chunk: int = 7, has_header: bool = False) -> list[Row]:
    rows = RowReader(dialect, has_header=has_header)
    found: list[Row] = []
    for at in range(0, len(content), chunk):
        found += rows.feed(content[at : at + chunk])
    return found + rows.finish()


def cells(content: bytes, dialect: Dialect = USUAL) -> list[list[str]]:
    return [row for _number, row in read(content, dialect)]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        pytest.param(b"", [], id="nothing at all"),
        pytest.param(b"a", [["a"]], id="one character"),
        pytest.param(b"a,b\r\nc,d\r\n", [["a", "b"], ["c", "d"]], id="two rows"),
        pytest.param(b"a,b\nc,d", [["a", "b"], ["c", "d"]], id="no break at the end"),
        pytest.param(b"a\rb\r\nc\nd", [["a"], ["b"], ["c"], ["d"]], id="all line breaks"),
        pytest.param(b"\r\na\r\n\r\n\r\nb\n\n", [["a"], ["b"]], id="blank lines"),
        pytest.param(b'""\r\n', [[""]], id="one empty cell is no blank line"),
        pytest.param(b',\r\na,\r\n,,\n"",\r\n,b', [["a", ""], ["", "b"]], id="separators alone"),
        pytest.param(b" a , b ", [[" a ", " b "]], id="blanks stay"),
        pytest.param(b'"a,b","c\r\nd","e""f"', [["a,b", "c\r\nd", 'e"f']], id="all that quotes are for"),
        pytest.param(b'"""",""', [['"', ""]], id="a quote alone"),
        pytest.param(b"a,b\r\nc\r\n", [["a", "b"], ["c"]], id="rows of different length"),
        pytest.param("a\u2028b\x85c\x0bd".encode(), [["a\u2028b\x85c\x0bd"]], id="no line breaks of CSV"),
        pytest.param(b"a\0b", [["a\0b"]], id="a NUL"),
    ],
)
def test_rows_and_cells(content: bytes, expected: list[list[str]]) -> None:
    assert cells(content) == expected
    assert [row for _number, row in read(content, chunk=1)] == expected


def test_rows_are_numbered_without_header_and_blank_lines() -> None:
    content = b"h\r\n\r\na\r\n,,\r\nb\r\n"
    assert read(content) == [(1, ["h"]), (2, ["a"]), (3, ["b"])]
    assert read(content, has_header=True) == [(0, ["h"]), (1, ["a"]), (2, ["b"])]


@pytest.mark.parametrize(
    ("charset", "content"),
    [
        (Charset.US_ASCII, b"a,b"),
        (Charset.UTF_8, "é,b".encode()),
        (Charset.UTF_8, "é,b".encode("utf-8-sig")),
        (Charset.UTF_8_BOM, "é,b".encode()),
        (Charset.UTF_8_BOM, "é,b".encode("utf-8-sig")),
        (Charset.UTF_16_BOM, codecs.BOM_UTF16_LE + "é,b".encode("utf-16-le")),
        (Charset.UTF_16_BOM, codecs.BOM_UTF16_BE + "é,b".encode("utf-16-be")),
        (Charset.UTF_16_LE, "é,b".encode("utf-16-le")),
        (Charset.UTF_16_LE, codecs.BOM_UTF16_LE + "é,b".encode("utf-16-le")),
        (Charset.UTF_16_BE, "é,b".encode("utf-16-be")),
        (Charset.UTF_16_BE, codecs.BOM_UTF16_BE + "é,b".encode("utf-16-be")),
    ],
)
def test_byte_order_marks_are_taken_away(charset: Charset, content: bytes) -> None:
    expected = [[(1, ["a" if charset is Charset.US_ASCII else "é", "b"])]] * 3
    assert [read(content, Dialect(charset=charset), chunk=chunk) for chunk in (1, 2, 100)] == expected


@pytest.mark.parametrize("charset", Charset)
def test_an_empty_file_has_no_rows(charset: Charset) -> None:
    assert read(b"", Dialect(charset=charset)) == read(charset.mark, Dialect(charset=charset)) == []


@pytest.mark.parametrize(
    ("charset", "content", "says", "row", "column"),
    [
        pytest.param(Charset.UTF_8, b'a,b"c,d\n', "row 1, column 2: a \" is inside", 1, 2, id="a stray quote"),
        pytest.param(Charset.UTF_8, b'a\n"b"c\n', "row 2, column 1: something follows", 2, 1, id="after a quote"),
        pytest.param(Charset.UTF_8, b'a\nb,"c\nd\n', "row 2, column 2: the \" is never closed", 2, 2, id="not closed"),
        pytest.param(Charset.UTF_8, b'a\n\nb,"', "row 2, column 2: the \" is never closed", 2, 2, id="just opened"),
        pytest.param(Charset.UTF_8, b"a\nb,c\xe9d\n", "row 2, column 2: the byte E9 is not", 2, 2, id="latin-1"),
        pytest.param(Charset.UTF_8, b"a\nb,\xc3", "row 2, column 2: the byte C3 is not", 2, 2, id="cut in two"),
        pytest.param(Charset.US_ASCII, "a\n\né".encode(), "row 2, column 1: the byte C3 is not US-ASCII", 2, 1, id="not ASCII"),
        pytest.param(Charset.UTF_16_LE, b"a\0\n\0b", "row 2, column 1: the byte 62 is not", 2, 1, id="half a unit"),
        pytest.param(Charset.UTF_16_BE, b"\0a\xdc\x00\0b", "row 1, column 1: the byte DC is not", 1, 1, id="half a pair"),
        pytest.param(Charset.UTF_8, b"\xff\xfea\0", "byte order mark is of UTF-16-LE", 1, None, id="UTF-16 for UTF-8"),
        pytest.param(Charset.US_ASCII, b"\xef\xbb\xbfa", "byte order mark is of UTF-8", 1, None, id="UTF-8 for ASCII"),
        pytest.param(Charset.UTF_16_BE, b"\xff\xfea\0", "byte order mark is of UTF-16-LE", 1, None, id="the other order"),
        pytest.param(Charset.UTF_16_BOM, b"a\0b\0", "no byte order mark: say UTF-16LE or", 1, None, id="no mark"),
        pytest.param(Charset.UTF_16_BOM, b"a", "no byte order mark", 1, None, id="a byte alone"),
        pytest.param(Charset.UTF_8, b"PK\3\4\x14\0\6\0", "a ZIP archive, such as an Excel workbook", 1, None, id="a workbook"),
        pytest.param(Charset.LATIN_1, b"PK\3\4\x14\0\6\0", "save it as CSV", 1, None, id="a workbook, for a set of all bytes"),
        pytest.param(Charset.WINDOWS_1252, b"\xd0\xcf\x11\xe0\xa1", "an Excel workbook (.xls)", 1, None, id="an old workbook"),
        pytest.param(Charset.UTF_8, b"\x1f\x8b\x08\0", "compressed by gzip: unpack it", 1, None, id="a compressed file"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_told_with_its_place(
    charset: Charset, content: bytes, says: str, row: int, column: int | None
) -> None:
    for chunk in (1, 2, 3, 100):
        with pytest.raises(CsvProblem) as refused:
            read(content, Dialect(charset=charset), chunk=chunk)
        assert says in refused.value.message
        assert (refused.value.details["row"], refused.value.details.get("column")) == (row, column)


def test_thousands_of_cells_in_front_of_a_fault_are_counted() -> None:
    with pytest.raises(CsvProblem, match='row 1, column 16001: a " is inside a cell'):
        read(b"," * 16_000 + b'a"b\n', chunk=2**16)


@pytest.mark.parametrize("chunk", [100, 2**16, 2**24])
@pytest.mark.parametrize("end", [b"", b"\n"])
def test_a_row_of_too_many_cells_is_refused_before_it_ends(chunk: int, end: bytes) -> None:
    says = r"^row 2: a row has at most 16384 cells; is , the separator\?$"
    with pytest.raises(CsvProblem, match=says) as refused:
        read(b"a\nx" + b"," * MAX_CELLS + end, chunk=chunk)
    assert refused.value.details == {"row": 2}


def test_a_row_of_too_many_cells_is_not_waited_for() -> None:
    reader = RowReader(Dialect())
    reader.feed(b"x," * (MAX_CELLS - 1))
    with pytest.raises(CsvProblem, match="at most 16384 cells"):
        reader.feed(b"x," * MAX_CELLS)


def test_separators_in_quotes_are_no_cells() -> None:
    assert [len(row) for row in cells(b'a,"' + b"," * 100_000 + b'"\n' + b"x,\n" * 20_000)] == [2] * 20_001
    assert len(cells(b"x" + b"," * (MAX_CELLS - 1) + b"\n")[0]) == MAX_CELLS


def test_a_header_is_called_one() -> None:
    with pytest.raises(CsvProblem, match='the header, column 2: the " is never closed'):
        read(b'a,"b', has_header=True)


@given(st.text(st.sampled_from('a,"\r\n'), max_size=30), st.integers(1, 30))
def test_the_answer_does_not_hang_on_how_the_bytes_are_cut(text: str, chunk: int) -> None:
    def answer(size: int) -> object:
        try:
            return read(text.encode(), chunk=size)
        except CsvProblem as problem:
            return problem.message

    assert answer(chunk) == answer(1000)


@given(st.text(st.sampled_from('a,"\r\n'), max_size=40), st.integers(1, 9), st.integers(0, 5))
def test_nor_on_what_is_put_aside_of_a_long_row(text: str, chunk: int, long: int) -> None:
    def answer(long: int) -> object:
        with patch.object(reader, "LONG", long):
            try:
                return read(text.encode(), chunk=chunk)
            except CsvProblem as problem:
                return problem.message

    assert answer(long) == answer(1000)


@pytest.mark.parametrize(
    "row",
    [
        pytest.param('a,"' + '""' * 100_000 + '",b', id="quotes"),
        pytest.param('a,"' + '""x\n' * 100_000 + '"', id="lines in quotes"),
        pytest.param("a," * 10_000 + "x" * 300_000 + ",", id="cells, and a long one"),
        pytest.param('"a,""",' * 16_000 + "b", id="cells in quotes"),
    ],
)
def test_a_long_row_is_read_a_piece_at_a_time(row: str) -> None:
    longest = 0

    def split(grammar: Grammar, text: str) -> Iterator[list[str]]:
        nonlocal longest
        longest = max(longest, len(text))
        return split_rows(grammar, text)

    with patch.object(reader, "split_rows", split), patch.object(long_row, "split_rows", split):
        found = read(f"{row}\nz\n".encode(), chunk=2**14)
    assert [cells for _number, cells in found] == [*csv.reader(StringIO(row, newline="")), ["z"]]
    assert longest < 2**18


@pytest.mark.parametrize(
    ("content", "says"),
    [
        pytest.param(b"a\nb," + b"x" * (MAX_CELL + 1) + b"\n", "row 2, column 2: a cell has at most", id="a cell"),
        pytest.param(b"a\n" + (b"x" * MAX_CELL + b",") * 5 + b"\n", f"more than {MAX_ROW}|at most {MAX_ROW}", id="a row"),
        pytest.param(b'a\n"' + b"x" * (2 * MAX_ROW), "is a quote never closed", id="a quote that is never closed"),
    ],
)  # fmt: skip
def test_sizes_are_limited(content: bytes, says: str) -> None:
    with pytest.raises(CsvProblem, match=says):
        read(content, chunk=2**16)


def test_the_largest_cell_is_read() -> None:
    assert cells(b"a," + b"x" * MAX_CELL + b"\n") == [["a", "x" * MAX_CELL]]


def test_memory_does_not_grow_with_the_file() -> None:
    reader = RowReader(Dialect())
    chunk = b'A-1,"Ten, red",12.50\r\n' * 200
    tracemalloc.start()
    rows = sum(len(reader.feed(chunk)) for _ in range(300))
    _now, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert rows == 60_000
    assert peak < 2**18  # of 1.4 MB read


@pytest.mark.anyio
async def test_chunks_as_they_come() -> None:
    async def chunks() -> AsyncIterator[bytes]:
        for part in (b"a,b\r", b"\nc", b"", b",d\r\ne"):
            yield part

    found = [batch async for batch in CsvFile(chunks(), Dialect()).read_rows()]
    assert found == [[(1, ["a", "b"])], [(2, ["c", "d"])], [(3, ["e"])]]


def slow_rows() -> Iterator[bytes]:
    """One long quoted cell, a little at a time: looking at all of it each time would take minutes."""
    yield b'"'
    for _ in range(2000):
        yield b'x""\n' * 100
    yield b'"\n'


def test_a_long_cell_in_small_pieces_is_looked_at_a_few_times_only() -> None:
    reader = RowReader(Dialect())
    found = [row for piece in slow_rows() for row in reader.feed(piece)] + reader.finish()
    assert [(number, len(row[0])) for number, row in found] == [(1, 600_000)]
