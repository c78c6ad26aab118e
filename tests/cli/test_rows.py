"""runtime.cli.rows and airports: files and data sets as records."""

from __future__ import annotations

import json
import sys
import zoneinfo
from pathlib import Path
from typing import Any

import pytest

from runtime.cli import airports
from runtime.cli.airports import load_dataset
from runtime.cli.output import CommandFailed
from runtime.cli.rows import Row, open_rows


def rows(tmp_path: Path, name: str, content: str | bytes) -> list[dict[str, Any]]:
    file = tmp_path / name
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    source = open_rows(file)
    found = list(source.rows())
    assert source.count == len(found)
    assert list(source.rows()) == found, "it can be read again"
    return found


def test_json_and_lines_are_taken_as_they_are(tmp_path: Path) -> None:
    records = [{"refName": "A", "count": 1, "place": {"floor": None}}, {}]
    assert rows(tmp_path, "x.json", json.dumps(records)) == records
    lines = "\n\n".join(map(json.dumps, records)) + "\n"
    assert rows(tmp_path, "x.ndjson", lines) == rows(tmp_path, "x.jsonl", lines) == records


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        pytest.param(
            "x.xlsx", b"", "its name must end in one of .csv, .json, .ndjson, .jsonl", id="other kind"
        ),
        pytest.param("x.json", b'["\xff"]', "", id="no UTF-8"),
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
    assert caught.value.exit_code == 2


def test_missing_file_is_explained(tmp_path: Path) -> None:
    with pytest.raises(CommandFailed, match=r"nowhere\.json cannot be read: No such file"):
        open_rows(tmp_path / "nowhere.json")


@pytest.fixture(scope="module")
def all_airports() -> dict[str, Row]:
    return {row["refName"]: row for row in load_dataset("airports").source.rows()}


def test_airport_of_the_package_as_a_record(all_airports: dict[str, Row]) -> None:
    airports = all_airports
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


def test_every_country_of_an_airport_is_a_country(all_airports: dict[str, Row]) -> None:
    countries = {row["refName"]: row for row in load_dataset("countries").source.rows()}
    assert {row["country"] for row in all_airports.values()} <= countries.keys()
    assert countries["PT"] == {"refName": "PT", "code": "PT", "name": "Portugal"}
    assert countries["XK"]["name"] == "Kosovo"


def test_country_without_a_known_name_is_named_by_its_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zoneinfo, "TZPATH", ())
    countries = {row["refName"]: row["name"] for row in load_dataset("countries").source.rows()}
    assert (countries["PT"], countries["XK"]) == ("PT", "Kosovo")


def test_missing_package_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "airportsdata", None)
    with pytest.raises(CommandFailed, match=r"recordsmith\[example\]"):
        airports.load_dataset("countries")
