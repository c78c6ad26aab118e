"""runtime.cli.rows and airports: files and data sets as records."""

from __future__ import annotations

import json
import sys
import zoneinfo
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.cli import airports
from runtime.cli.airports import dataset
from runtime.cli.output import CommandFailed
from runtime.cli.rows import file_source

SCHEMA = {
    "properties": {
        "text": {"type": "string"},
        "count": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
        "ratio": {"type": "number"},
        "open": {"type": "boolean"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "place": {"$ref": "#/$defs/Place"},
        "spare": {"anyOf": [{"$ref": "#/$defs/Place"}, {"type": "null"}]},
    },
    "$defs": {"Place": {"type": "object", "properties": {"floor": {"type": "integer"}}}},
}


def rows(tmp_path: Path, name: str, content: str | bytes) -> list[dict[str, Any]]:
    file = tmp_path / name
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    source = file_source(file, SCHEMA)
    found = list(source.rows())
    assert source.count == len(found)
    assert list(source.rows()) == found, "it can be read again"
    return found


@pytest.mark.parametrize(
    ("column", "cell", "value"),
    [
        pytest.param("text", "007", "007", id="text stays text"),
        pytest.param("text", " a ", " a ", id="blanks are kept"),
        pytest.param("unknown", "5", "5", id="unknown field: the service will say so"),
        pytest.param("count", "-7", -7, id="integer"),
        pytest.param("count", "seven", "seven", id="no integer: the service will say so"),
        pytest.param("ratio", "2", 2, id="number without a fraction"),
        pytest.param("ratio", "2.5", 2.5, id="number"),
        pytest.param("open", "TRUE", True, id="true"),
        pytest.param("open", "false", False, id="false"),
        pytest.param("open", "yes", "yes", id="no boolean"),
        pytest.param("tags", '["a", "b"]', ["a", "b"], id="list as JSON"),
        pytest.param("tags", "a;b", "a;b", id="lists are not split"),
        pytest.param("place", '{"floor": 3}', {"floor": 3}, id="object as JSON"),
        pytest.param("place.floor", "3", {"floor": 3}, id="member of an object"),
        pytest.param("spare.floor", "3", {"floor": 3}, id="member of an optional object"),
    ],
)
def test_cell_is_read_as_its_field_says(tmp_path: Path, column: str, cell: str, value: Any) -> None:
    quoted = '"' + cell.replace('"', '""') + '"'
    (row,) = rows(tmp_path, "x.csv", f"{column}\n{quoted}\n")
    assert row == {column.split(".")[0]: value}
    assert type(row[column.split(".")[0]]) is type(value)


def test_csv_with_mark_blank_lines_and_empty_cells(tmp_path: Path) -> None:
    text = '\ufeffrefName, count ,text\r\nA,1,\r\n\r\nB,,"line one\nline two, and ""more"""\r\n'
    assert rows(tmp_path, "X.CSV", text) == [
        {"refName": "A", "count": 1},
        {"refName": "B", "text": 'line one\nline two, and "more"'},
    ]


@given(
    texts=st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\r\n\0"), min_size=1), min_size=1)
)
def test_text_survives_csv(tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> None:
    lines = ['"' + text.replace('"', '""') + '"' for text in texts]
    found = rows(tmp_path_factory.mktemp("rows"), "x.csv", "text\n" + "\n".join(lines) + "\n")
    assert [row["text"] for row in found] == texts


def test_json_and_lines_are_taken_as_they_are(tmp_path: Path) -> None:
    records = [{"refName": "A", "count": 1, "place": {"floor": None}}, {}]
    assert rows(tmp_path, "x.json", json.dumps(records)) == records
    lines = "\n\n".join(map(json.dumps, records)) + "\n"
    assert rows(tmp_path, "x.ndjson", lines) == rows(tmp_path, "x.jsonl", lines) == records


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        pytest.param("x.xlsx", b"", "ends in none of .csv, .json, .ndjson, .jsonl", id="other kind"),
        pytest.param("x.csv", b"", "first line has to name the fields", id="empty csv"),
        pytest.param("x.csv", b"a,b\n1,2\n3\n", "line 3 has 1 cells, not 2 cells", id="short row"),
        pytest.param("x.csv", b'a\n"open\n', "unexpected end of data", id="open quote"),
        pytest.param("x.csv", b"a\n\xff\n", "invalid start byte", id="no UTF-8"),
        pytest.param("x.json", b"{}", "array of objects", id="json object"),
        pytest.param("x.json", b"[1]", "array of objects", id="json numbers"),
        pytest.param("x.json", b"[", "unexpected end of data", id="broken json"),
        pytest.param("x.ndjson", b"{}\n{\n", "line 2: ", id="broken line"),
        pytest.param("x.jsonl", b"{}\n\n3\n", "line 3 is not an object", id="line of another kind"),
    ],
)
def test_unreadable_file_is_explained(tmp_path: Path, name: str, content: bytes, reason: str) -> None:
    with pytest.raises(CommandFailed) as caught:
        rows(tmp_path, name, content)
    assert str(tmp_path / name) in caught.value.message
    assert reason in caught.value.message
    assert caught.value.outcome == 2


def test_missing_file_is_explained(tmp_path: Path) -> None:
    with pytest.raises(CommandFailed, match=r"nowhere\.csv cannot be read: No such file"):
        file_source(tmp_path / "nowhere.csv", SCHEMA)


def test_airport_of_the_package_as_a_record() -> None:
    airports = {row["refName"]: row for row in dataset("airports").source.rows()}
    assert len(airports) > 28_000
    assert airports["LPPT"] == {
        "refName": "LPPT",
        "icao": "LPPT",
        "iata": "LIS",
        "name": airports["LPPT"]["name"],
        "city": "Lisbon",
        "subdivision": "Lisbon",
        "country": "PT",
        "elevationFt": 355,
        "latitude": pytest.approx(38.78, abs=0.01),
        "longitude": pytest.approx(-9.13, abs=0.01),
        "timeZone": "Europe/Lisbon",
    }
    assert "iata" not in airports["BISG"]


def test_every_country_of_an_airport_is_a_country() -> None:
    countries = {row["refName"]: row for row in dataset("countries").source.rows()}
    assert {row["country"] for row in dataset("airports").source.rows()} <= countries.keys()
    assert countries["PT"] == {"refName": "PT", "code": "PT", "name": "Portugal"}
    assert countries["XK"]["name"] == "Kosovo"


def test_country_without_a_known_name_is_named_by_its_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zoneinfo, "TZPATH", ())
    countries = {row["refName"]: row["name"] for row in dataset("countries").source.rows()}
    assert (countries["PT"], countries["XK"]) == ("PT", "Kosovo")


def test_missing_package_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "airportsdata", None)
    with pytest.raises(CommandFailed, match=r"recordsmith\[example\]"):
        airports.dataset("countries")
