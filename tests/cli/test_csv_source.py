"""runtime.cli.csv_source and content: what is sent of a file, and what is said of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from python_multipart.multipart import MultipartParser

from runtime.cli.content import Content, encode_form
from runtime.cli.csv_source import CsvOptions, describe_csv
from runtime.cli.output import CommandFailed
from runtime.contract.charset import Charset

PLAIN = {"fieldSeparator": ",", "quoteChar": '"', "charsetEncoding": "UTF-8-without-BOM"}


@pytest.mark.parametrize(
    ("content", "options", "parameters"),
    [
        pytest.param(
            'refName,"name"\r\n"x', CsvOptions(), {"requestedColumns": "refName,name", "skipHeaderRow": "true"},
            id="header, whatever comes behind it",
        ),
        pytest.param(
            "refName", CsvOptions(), {"requestedColumns": "refName", "skipHeaderRow": "true"},
            id="header without a line break",
        ),
        pytest.param(
            "x,y", CsvOptions("a,b", no_header=True), {"requestedColumns": "a,b", "skipHeaderRow": "false"},
            id="columns, no header",
        ),
        pytest.param("", CsvOptions(profile="p"), {"profileRefName": "p"}, id="profile: the service reads the header"),
        pytest.param(
            "", CsvOptions(profile="p", restore_archived=True), {"profileRefName": "p", "restoreArchived": "true"},
            id="archived records are restored",
        ),
        pytest.param(
            "a\tb", CsvOptions(separator="TAB", quote="'"),
            {"requestedColumns": "a,b", "skipHeaderRow": "true", "fieldSeparator": "\t", "quoteChar": "'"},
            id="tab and quote",
        ),
    ],
)  # fmt: skip
def test_what_the_service_is_told(
    tmp_path: Path, content: str, options: CsvOptions, parameters: dict[str, str]
) -> None:
    file = tmp_path / "x.csv"
    file.write_text(content, "utf-8", newline="")
    source = describe_csv(file, options)
    assert source.parameters == PLAIN | parameters
    assert source.route == ("csv/session/profile" if options.profile else "csv/session")


def test_the_header_of_another_character_set(tmp_path: Path) -> None:
    file = tmp_path / "x.csv"
    file.write_bytes("\ufeffrefName,größe\r\n".encode("utf-16-be"))
    source = describe_csv(file, CsvOptions(encoding=Charset.UTF_16_BOM))
    assert source.parameters["requestedColumns"] == "refName,größe"


@pytest.mark.parametrize(
    ("content", "options", "advice"),
    [
        pytest.param(b"gr\xf6\xdfe", CsvOptions(), "as in --encoding windows-1252$", id="character set"),
        pytest.param(
            b"a,b", CsvOptions(separator=";;"), "^--separator is one character, not 2$", id="separator"
        ),
        pytest.param(
            b"a,b", CsvOptions(quote=","), "^--separator and --quote must differ$", id="the same twice"
        ),
    ],
)
def test_advice_names_the_options(tmp_path: Path, content: bytes, options: CsvOptions, advice: str) -> None:
    file = tmp_path / "x.csv"
    file.write_bytes(content)
    with pytest.raises(CommandFailed, match=advice):
        describe_csv(file, options)


def test_a_large_file_goes_in_pieces_and_as_often_as_asked(tmp_path: Path) -> None:
    file = tmp_path / "x.csv"
    file.write_bytes(b"refName\r\n" + b"x\r\n" * 100_000)
    content = describe_csv(file, CsvOptions()).content
    for _try in range(2):
        pieces = list(content.pieces())
        assert max(map(len, pieces)) <= 64 * 1024
        assert b"".join(pieces) == file.read_bytes()
    assert content.length == file.stat().st_size


def test_a_folder_or_a_file_that_goes_away_is_explained(tmp_path: Path) -> None:
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(CommandFailed, match="Is a directory"):
        describe_csv(tmp_path / "folder.csv", CsvOptions())
    file = tmp_path / "x.csv"
    file.write_bytes(b"refName")
    source = describe_csv(file, CsvOptions())
    file.unlink()
    with pytest.raises(CommandFailed, match="No such file"):
        list(source.content.pieces())


@given(st.lists(st.binary(max_size=50), max_size=5))
def test_a_form_holds_the_file_and_nothing_else(pieces: list[bytes]) -> None:
    whole = b"".join(pieces)
    form = encode_form(Content("text/csv", len(whole), lambda: iter(pieces)))
    sent = b"".join(form.pieces())
    assert len(sent) == form.length
    found = bytearray()
    boundary = form.media_type.removeprefix("multipart/form-data; boundary=")
    parser = MultipartParser(
        boundary, {"on_part_data": lambda data, start, end: found.extend(data[start:end])}
    )
    parser.write(sent)
    parser.finalize()
    assert bytes(found) == whole
