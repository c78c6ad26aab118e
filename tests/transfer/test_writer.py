"""What the bytes of a written file are."""

from __future__ import annotations

import pytest

from runtime.contract.charset import Charset, Quoting
from runtime.errors import CsvProblem
from runtime.transfer.csv.dialect import Dialect
from runtime.transfer.csv.reader import RowReader
from runtime.transfer.csv.writer import RowWriter


@pytest.mark.parametrize(
    ("row", "line"),
    [
        pytest.param(["a", "b c"], b"a,b c", id="plain"),
        pytest.param(["", ""], b",", id="nothing"),
        pytest.param([""], b'""', id="one empty cell, which bare would be a blank line"),
        pytest.param(["a,b", "c"], b'"a,b",c', id="a separator"),
        pytest.param(['5" pipe', "c"], b'"5"" pipe",c', id="a quote"),
        pytest.param(["a\nb", "c\rd"], b'"a\nb","c\rd"', id="line breaks"),
        pytest.param(["a;b", "it's"], b"a;b,it's", id="what separates and quotes elsewhere"),
        pytest.param(["é", "😀"], "é,😀".encode(), id="beyond ASCII"),
    ],
)
def test_quotes_where_a_cell_needs_them(row: list[str], line: bytes) -> None:
    assert RowWriter(Dialect()).write([row]) == line + b"\r\n"


def test_quotes_around_all() -> None:
    writer = RowWriter(Dialect(quoting=Quoting.ALL_COLUMNS))
    assert writer.write([["a", ""], ['b"', "c"]]) == b'"a",""\r\n"b""","c"\r\n'


def test_other_separators_and_quotes() -> None:
    writer = RowWriter(Dialect(separator=";", quote_char="'"))
    assert writer.write([["a,b", "a;b", "it's"]]) == b"a,b;'a;b';'it''s'\r\n"


@pytest.mark.parametrize(
    ("charset", "content"),
    [
        (Charset.US_ASCII, b"a,b\r\n"),
        (Charset.UTF_8, b"a,b\r\n"),
        (Charset.UTF_8_BOM, b"\xef\xbb\xbfa,b\r\n"),
        (Charset.UTF_16_BOM, b"\xff\xfea\0,\0b\0\r\0\n\0"),
        (Charset.UTF_16_LE, b"a\0,\0b\0\r\0\n\0"),
        (Charset.UTF_16_BE, b"\0a\0,\0b\0\r\0\n"),
    ],
)
def test_the_byte_order_mark_stands_once(charset: Charset, content: bytes) -> None:
    writer = RowWriter(Dialect(charset=charset))
    assert writer.write([]) + writer.write([["a", "b"]]) == content
    assert writer.write([["a", "b"]]) == content.removeprefix(charset.mark)


def test_a_first_cell_that_looks_like_a_mark_is_quoted() -> None:
    writer = RowWriter(Dialect())
    assert writer.write([["\ufeffa", "b"], ["\ufeffc", "d"]]).decode() == '"\ufeffa","b"\r\n\ufeffc,d\r\n'


@pytest.mark.parametrize("cell", ["ÿþ", "þÿ", "ï»¿", "þÿ1", "PK\x03", "ÐÏ\x11"])
@pytest.mark.parametrize("charset", [Charset.LATIN_1, Charset.WINDOWS_1252])
def test_so_is_one_of_an_older_character_set(charset: Charset, cell: str) -> None:
    dialect = Dialect(charset=charset)
    content = RowWriter(dialect).write([[cell, "b"], [cell, "d"]])
    reader = RowReader(dialect)
    assert [row for _number, row in [*reader.feed(content), *reader.finish()]] == [[cell, "b"], [cell, "d"]]


def test_rows_with_quotes_leave_those_beside_them_bare() -> None:
    rows = [[f"{number}", "a,b" if number == 40 else "plain"] for number in range(100)]
    lines = RowWriter(Dialect()).write(rows).decode().split("\r\n")
    assert [line for line in lines if '"' in line] == ['40,"a,b"']
    assert len(lines) == 101


def test_a_character_that_the_set_lacks_is_told_with_its_place() -> None:
    writer = RowWriter(Dialect(charset=Charset.US_ASCII), names=["refName", "name"])
    assert writer.write([["refName", "name"], ["1", "Faro"]])
    with pytest.raises(CsvProblem, match="row 4, name: US-ASCII has no ã") as refused:
        writer.write([["2", "Porto"], ["3", "São Paulo"]])
    assert refused.value.details == {"row": 4, "column": 2}
