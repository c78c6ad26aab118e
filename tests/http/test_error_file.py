"""An error file comes back mended, as it is: what it says of its rows is left out."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from pymongo import MongoClient

from runtime.transfer.dialect import Charset, Dialect
from runtime.transfer.session_routes import _error_row
from tests.http.profiles import column, saved
from tests.http.world import Document, World, open_world

CARRIERS = "/logistics/carriers"
COLUMNS = "refName,name,mode"


@pytest.fixture(scope="module")
def world(mongo_uri: str, mongo_client: MongoClient[Any], key_folder: Path) -> Iterator[World]:
    with open_world(mongo_uri, mongo_client, data_folder=key_folder) as opened:
        yield opened


def send(world: World, path: str, content: str, status: int = 200, **query: str) -> Document:
    files = {"file": ("rows.csv", content.encode(), "text/csv")}
    answer = world.ask(f"POST {CARRIERS}/{path}", params=query, files=files)
    assert answer.status_code == status, answer.text
    body: Document = answer.json() if status == 200 else {"message": answer.text}
    return body


def error_file(world: World, session: Document) -> str:
    answer = world.ask(f"GET {CARRIERS}/csv/session/{session['sessionId']}/errors")
    assert answer.status_code == 200, answer.text
    return answer.text


def stored(world: World, prefix: str) -> dict[str, str]:
    rows = world.documents["carriers"].find({"refName": {"$regex": f"^{prefix}"}})
    return {row["refName"]: row["mode"] for row in rows}


def test_a_file_of_columns(world: World) -> None:
    first = send(
        world, "csv/session", f"{COLUMNS}\r\nc-1,One,AIRR\r\nc-2,Two,SEE\r\n", requestedColumns=COLUMNS
    )
    assert (first["insertCount"], first["errorRows"]) == (0, 2)
    wrong = error_file(world, first)
    assert wrong.splitlines()[0] == f"{COLUMNS},errors"
    half = wrong.replace("AIRR", "AIR", 1)
    again = send(world, "csv/session", half, requestedColumns=f"{COLUMNS},errors")
    assert (again["insertCount"], again["errorRows"]) == (1, 1)
    rest = error_file(world, again)
    assert [line.split(",")[0] for line in rest.splitlines()] == ["refName", "c-2"]
    assert rest.splitlines()[0] == f"{COLUMNS},errors"
    assert stored(world, "c-") == {}
    whole = half.replace("SEE", "SEA", 1)
    answer = send(world, "csv", whole, requestedColumns=f"{COLUMNS}, errors")
    assert (answer["insertCount"], answer["failedCount"]) == (2, 0)
    assert stored(world, "c-") == {"c-1": "AIR", "c-2": "SEA"}
    assert send(world, "csv", whole, requestedColumns=f"{COLUMNS},errors")["skipCount"] == 2


def test_a_file_of_a_profile(world: World) -> None:
    name = saved(world, "Carrier", column("REF", "refName"), column("SAYS", "name"), column("WAY", "mode"))
    first = send(world, "csv/session/profile", "REF,SAYS,WAY\r\np-1,One,AIRR\r\n", profileRefName=name)
    wrong = error_file(world, first)
    assert wrong.splitlines()[0] == "REF,SAYS,WAY,errors"
    again = send(world, "csv/session/profile", wrong, profileRefName=name)
    assert (again["insertCount"], again["errorRows"]) == (0, 1)
    assert error_file(world, again) == wrong
    mended = send(world, "csv/session/profile", wrong.replace("AIRR", "AIR", 1), profileRefName=name)
    answer = world.ask(f"POST {CARRIERS}/csv/session/{mended['sessionId']}/commit")
    assert answer.json()["inserted"] == 1
    assert stored(world, "p-") == {"p-1": "AIR"}


def test_a_last_column_of_the_sender_is_no_finding(world: World) -> None:
    """It is in the error file, which is refused as long as both are there: nobody's findings become values."""
    columns = (column("REF", "refName"), column("WAY", "mode"), column("errors", "name"))
    name = saved(world, "Carrier", *columns)
    first = send(world, "csv/session/profile", "REF,WAY,errors\r\nm-1,AIRR,One\r\n", profileRefName=name)
    wrong = error_file(world, first)
    assert [line.split(",")[:3] for line in wrong.splitlines()] == [
        ["REF", "WAY", "errors"], ["m-1", "AIRR", "One"],
    ]  # fmt: skip
    assert wrong.splitlines()[0] == "REF,WAY,errors,errors"
    told = send(world, "csv/session/profile", wrong, 400, profileRefName=name)
    assert "errors is column 3 already" in told["message"]


@pytest.mark.parametrize("columns", ["errors,refName,name,mode", "refName,errors,name,mode", "errors"])
def test_only_the_last_column_is_left_out(world: World, columns: str) -> None:
    told = send(world, "csv", "a,b,c,d\r\ne,f,g,h\r\n", 400, requestedColumns=columns)
    assert "errors" in told["message"]


def test_a_profile_knows_it_only_as_the_last_column(world: World) -> None:
    name = saved(world, "Carrier", column("REF", "refName"), column("SAYS", "name"), column("WAY", "mode"))
    told = send(world, "csv/session/profile", "REF,errors,SAYS,WAY\r\nq,,Q,AIR\r\n", 400, profileRefName=name)
    assert "does not map errors" in told["message"]


def test_a_row_of_another_width_is_told_of(world: World) -> None:
    content = f"{COLUMNS},errors\r\nt-1,One,AIR\r\nt-2,Two,AIR,,more\r\nt-3,Three,AIR,fine now\r\n"
    answer = send(world, "csv", content, requestedColumns=f"{COLUMNS},errors")
    assert (answer["insertCount"], answer["failedCount"]) == (1, 2)
    assert stored(world, "t-") == {"t-3": "AIR"}


WAYS = [
    pytest.param({"fieldSeparator": ";", "charsetEncoding": "UTF-8-with-BOM"}, id="as a spreadsheet"),
    pytest.param({"fieldSeparator": "\t", "quoteChar": "'", "charsetEncoding": "UTF-16-with-BOM"}, id="tabs"),
    pytest.param({"quotingStrategy": "QUOTE_ALL_COLUMNS", "charsetEncoding": "UTF-16BE"}, id="all quoted"),
    pytest.param({"charsetEncoding": "US-ASCII", "formulaGuard": "false"}, id="ASCII, bare"),
]


@pytest.mark.parametrize("way", WAYS)
def test_it_is_written_as_the_file_it_came_in(world: World, way: dict[str, str]) -> None:
    """Also where what is wrong speaks of a name that the character set lacks."""
    charset = Charset(way.get("charsetEncoding", "UTF-8-without-BOM"))
    quote, separator = way.get("quoteChar", '"'), way.get("fieldSeparator", ",")
    cells = ["w-1", f"One{separator} {quote}two{quote}", "AIRR"]
    quoted = [f"{quote}{cell.replace(quote, 2 * quote)}{quote}" for cell in cells]
    titles = COLUMNS.split(",")
    if "quotingStrategy" in way:
        titles = [f"{quote}{title}{quote}" for title in titles]
    lines = f"{separator.join(titles)}\r\n{separator.join(quoted)}\r\n"
    session = sent_bytes(world, charset.mark + lines.encode(charset.codec), **way)
    assert (session["insertCount"], session["errorRows"]) == (0, 1)
    answer = world.ask(f"GET {CARRIERS}/csv/session/{session['sessionId']}/errors")
    assert answer.headers["Content-Type"] == f"text/csv; charset={charset.http_name}"
    assert answer.content.startswith(charset.mark)
    text = answer.content[len(charset.mark) :].decode(charset.codec)
    assert text.startswith(f"{separator.join(titles)}{separator}")
    assert quoted[1] in text
    mended = charset.mark + text.replace("AIRR", "AIR", 1).encode(charset.codec)
    again = sent_bytes(world, mended, requestedColumns=f"{COLUMNS},errors", **way)
    assert (again["insertCount"], again["errorRows"]) == (1, 0)


def test_what_the_character_set_lacks_is_a_question_mark_in_what_is_said_alone() -> None:
    error = {"code": "LOOKUP", "column": "customer", "message": "none", "suggestion": "Café"}
    report = {"rawData": {"customer": "Cafe"}, "errors": [error]}
    said = "LOOKUP customer: none (did you mean Caf%s?)"
    ascii_only, wide = Dialect(charset=Charset.US_ASCII), Dialect(charset=Charset.UTF_16_LE)
    assert _error_row(["customer"], report, ascii_only) == ["Cafe", said % "?"]
    assert _error_row(["customer"], report, wide) == ["Cafe", said % "é"]


FORMULAS = ("=HYPERLINK(A1)", "+1+cmd", "-1+1", "@SUM(A1)", "＝1+1", "＋1+x", "－1+x", "＠x", "'=2")
DANGEROUS = ("=", "+", "-", "@", "＝", "＋", "－", "＠", "\t", "\r", "\n")


def test_formulas_that_came_unguarded_are_guarded(world: World) -> None:
    """Whoever opens the file runs nothing of its sender; mended, it means what it meant."""
    rows = [f"g-{at},{text},AIRR" for at, text in enumerate(FORMULAS)]
    quoted = ['g-t,"\t=1",AIRR', 'g-n,"\n=1",AIRR', 'g-r,"\r=1",AIRR', "=g,One,AIRR"]
    content = "\r\n".join([COLUMNS, *rows, *quoted]) + "\r\n"
    wrong = error_file(world, send(world, "csv/session", content, requestedColumns=COLUMNS))
    cells = [cell for row in csv.reader(StringIO(wrong, newline="")) for cell in row]
    assert len(cells) == 4 * (1 + len(rows) + len(quoted))
    assert [cell for cell in cells if cell.startswith(DANGEROUS)] == []
    mended = wrong.replace("AIRR", "AIR")
    answer = send(world, "csv", mended, requestedColumns=f"{COLUMNS},errors")
    assert answer["insertCount"] == len(rows) + len(quoted)
    names = {
        row["refName"]: row["name"] for row in world.documents["carriers"].find({"refName": {"$regex": "g"}})
    }
    assert [names[f"g-{at}"] for at in range(len(FORMULAS))] == [*FORMULAS[:-1], "=2"]
    assert (names["g-t"], names["g-n"], names["g-r"], names["=g"]) == ("\t=1", "\n=1", "\r=1", "One")


def test_a_file_without_the_guard_comes_back_without_it(world: World) -> None:
    wrong = error_file(
        world,
        send(
            world,
            "csv/session",
            f"{COLUMNS}\r\nu-1,'=1,AIRR\r\n",
            requestedColumns=COLUMNS,
            formulaGuard="false",
        ),
    )
    assert "u-1,'=1,AIRR" in wrong


def test_numbers_stay_numbers(world: World) -> None:
    """A cell of another column that is sound is written as it was, and is still read."""
    world.make("Country", refName="PT", code="PT")
    columns = "refName,icao,name,country.entityRefName,elevationFt"
    content = f"{columns}\r\nnum-1,NUMB,Low field,PTT,-12\r\n"
    wrong = airports(world, content, columns)
    assert ",-12," in wrong
    again = airports(world, wrong.replace("PTT", "PT", 1), f"{columns},errors")
    assert again.splitlines()[1:] == []


def airports(world: World, content: str, columns: str) -> str:
    """The error file of a session."""
    answer = world.ask(
        "POST /logistics/airports/csv/session", params={"requestedColumns": columns},
        files={"file": ("rows.csv", content.encode(), "text/csv")},
    )  # fmt: skip
    assert answer.status_code == 200, answer.text
    session = answer.json()["sessionId"]
    return world.ask(f"GET /logistics/airports/csv/session/{session}/errors").text


def sent_bytes(world: World, content: bytes, **query: str) -> Document:
    files = {"file": ("rows.csv", content, "text/csv")}
    asked = {"requestedColumns": COLUMNS} | query
    answer = world.ask(f"POST {CARRIERS}/csv/session", params=asked, files=files)
    assert answer.status_code == 200, answer.text
    body: Document = answer.json()
    return body
