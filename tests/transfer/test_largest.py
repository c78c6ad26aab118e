"""A direct import reads again what an export has written, up to the largest record that a JSON body can hold."""

from __future__ import annotations

import json
from typing import Any

import pytest

from runtime.errors import CsvProblem
from runtime.json_text import MOST_ESCAPES, require_measure
from tests.transfer.stock import BIN, BinInput, Document, Stock

COLUMNS = "refName,title,extra,tags"


def filled(most: int, path: str, letter: str) -> Document:
    """A record whose JSON has just as many bytes, nearly all of them in one field; or as many escapes as a
    body may have."""
    room = most - len(json.dumps({"refName": "b-1", path: [""]}))
    written = json.dumps(letter, ensure_ascii=False).encode()[1:-1]
    number = room // len(written)
    many = letter * (min(number, MOST_ESCAPES) if b"\\" in written else number)
    values: dict[str, Any] = {"title": "=" + many[1:], "extra": {"a": many[8:]}, "tags": [many]}
    return {"refName": "b-1", path: values[path]}


@pytest.mark.parametrize(
    ("path", "letter"),
    [("title", "x"), ("title", '"'), ("title", "\n"), ("title", "語"), ("extra", "x"), ("tags", "x"), ("tags", '"')],
    ids=["letters", "quotes", "lines", "other scripts", "JSON", "a list", "a list of quotes"],
)  # fmt: skip
def test_the_largest_record_comes_back(bins: Stock, path: str, letter: str) -> None:
    most = bins.service.settings.max_body_bytes
    record = filled(most, path, letter)
    body = json.dumps(record, ensure_ascii=False).encode()
    require_measure(body, bins.service.settings.max_body_values)
    assert most - 20 <= len(body) <= most or body.count(b"\\") >= MOST_ESCAPES - 8
    assert BinInput.model_validate_json(body)
    bins.plant(record)
    file = bins.exported(COLUMNS)
    assert bins.imported(COLUMNS, file)["skipCount"] == 1
    bins.documents["bins"].delete_many({})
    assert bins.imported(COLUMNS, file)["insertCount"] == 1
    assert bins.bins()["b-1"][path] == record[path]


def test_many_numbers_come_back_too(bins: Stock) -> None:
    """They are written longer than they may have been sent."""
    numbers = [1e300] * (bins.service.settings.max_body_values - 10)
    bins.plant({"refName": "b-1", "extra": numbers})
    file = bins.exported(COLUMNS)
    bins.documents["bins"].delete_many({})
    found = bins.imported(COLUMNS, file)
    assert found["insertCount"] == 1, found["rows"][0]["errors"][0]["message"]
    assert bins.bins()["b-1"]["extra"] == numbers


def test_a_session_says_what_to_do_with_a_longer_row(bins: Stock) -> None:
    content = b"refName,title\r\nb-1," + b"x" * (2**20 + 1)
    with pytest.raises(CsvProblem, match="import the file without a session"):
        bins.analysed("refName,title", content)
    assert bins.imported("refName,title", content, kind=BIN)["insertCount"] == 1


@pytest.mark.parametrize("column", ["refName", "shelf.entityRefName"])
def test_long_names_are_looked_up_in_several_commands(bins: Stock, column: str) -> None:
    """Those of one batch of rows are more than one command of the store may have."""
    names = [f"{number:03}" + "語" * 60_000 for number in range(120)]
    columns = column if column == "refName" else f"refName,{column}"
    rows = names if column == "refName" else [f"b-{at},{name}" for at, name in enumerate(names)]
    file = "\r\n".join([columns, *rows]).encode()
    for found in (bins.imported(columns, file), bins.analysed(columns, file)):
        assert {error["code"] for row in found["rows"] for error in row["errors"]} <= {
            "VALIDATION",
            "REFERENCE",
        }
        assert found.get("failedCount", found.get("errorRows")) == len(names)
