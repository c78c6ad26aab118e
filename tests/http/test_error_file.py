"""An error file comes back mended, as it is: what it says of its rows is left out."""

from __future__ import annotations

import csv
import json
from io import StringIO

import pytest

from runtime.contract.charset import Charset
from runtime.transfer.csv.dialect import Dialect
from runtime.transfer.rows.row_error import REVIEW_MARK
from runtime.transfer.sessions.error_file import render_error_lines
from tests.http.profiles import column, saved
from tests.http.world import Document, World

CARRIERS = "/logistics/carriers"
COLUMNS = "refName,name,mode"


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


def test_a_title_that_a_spreadsheet_would_run_is_guarded(world: World) -> None:
    name = saved(world, "Carrier", column("=REF", "refName"), column("SAYS", "name"), column("WAY", "mode"))
    first = send(world, "csv/session/profile", "=REF,SAYS,WAY\r\ng-1,One,AIRR\r\n", profileRefName=name)
    wrong = error_file(world, first)
    assert wrong.splitlines()[0] == "'=REF,SAYS,WAY,errors"
    again = send(world, "csv/session/profile", wrong, profileRefName=name)
    assert (again["insertCount"], again["errorRows"]) == (0, 1)


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
    row = {"report": json.dumps({"rawData": {"customer": "Cafe"}, "errors": [error]})}
    said = "LOOKUP customer: none (did you mean Caf%s?)"
    ascii_only, wide = Dialect(charset=Charset.US_ASCII), Dialect(charset=Charset.UTF_16_LE)
    assert render_error_lines(row, ascii_only, 1) == [["Cafe", said % "?"]]
    assert render_error_lines(row, wide, 1) == [["Cafe", said % "é"]]


def test_a_suggestion_is_written_once() -> None:
    message = "bookd is not among the value mappings; did you mean booked?"
    error = {"code": "MAPPING", "column": "STATE", "message": message, "suggestion": "booked"}
    row = {"report": json.dumps({"rawData": {"STATE": "bookd"}, "errors": [error]})}
    assert render_error_lines(row, Dialect(), 1) == [["bookd", f"MAPPING STATE: {message}"]]


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


RAGGED = [
    pytest.param("r-1,One", id="a cell short"),
    pytest.param("r-1", id="only the name"),
    pytest.param("r-1,One,AIR,more", id="one cell more"),
    pytest.param("r-1,One,AIR,more,,last", id="several more"),
]


def fill_up(line: str, width: int) -> list[str]:
    """The cells of a line, and empty ones for those that it lacks."""
    cells = line.split(",")
    return cells + [""] * (width - len(cells))


@pytest.mark.parametrize("line", RAGGED)
@pytest.mark.parametrize("named", [f"{COLUMNS},errors", COLUMNS], ids=["errors named", "errors not named"])
def test_a_row_of_another_width_comes_back_with_its_cells(world: World, line: str, named: str) -> None:
    """Sent back as it is, it fails again and changes nothing; the stored record keeps all its values."""
    world.documents["carriers"].delete_many({"refName": "r-1"})
    world.make("Carrier", refName="r-1", name="Kept", mode="SEA")
    session = send(world, "csv/session", f"{COLUMNS}\r\n{line}\r\n", requestedColumns=COLUMNS)
    assert session["errorRows"] == 1
    wrong = error_file(world, session)
    cells = list(csv.reader(StringIO(wrong)))[1]
    assert cells[:-1] == fill_up(line, 3)
    if named == COLUMNS:
        told = send(world, "csv", wrong, 400, requestedColumns=named)
        assert "add errors to requestedColumns" in told["message"]
        told = send(world, "csv", wrong, 400, requestedColumns=named, skipHeaderRow="false")
        assert "add errors to requestedColumns" in told["message"]
    else:
        answer = send(world, "csv", wrong, requestedColumns=named)
        assert (answer["updateCount"], answer["failedCount"]) == (0, 1)
        again = send(world, "csv/session", wrong, requestedColumns=named)
        assert list(csv.reader(StringIO(error_file(world, again))))[1][:-1] == fill_up(line, 3)
    assert world.documents["carriers"].find_one({"refName": "r-1"})["name"] == "Kept"  # type: ignore[index]
    assert stored(world, "r-1") == {"r-1": "SEA"}


@pytest.mark.parametrize("line", RAGGED)
def test_a_row_of_another_width_by_profile(world: World, line: str) -> None:
    name = saved(world, "Carrier", column("REF", "refName"), column("SAYS", "name"), column("WAY", "mode"))
    content = f"REF,SAYS,WAY\r\n{line}\r\n"
    for _time in range(2):
        session = send(world, "csv/session/profile", content, profileRefName=name)
        assert session["errorRows"] == 1
        content = error_file(world, session)
        assert list(csv.reader(StringIO(content)))[1][:-1] == fill_up(line, 3)


@pytest.mark.parametrize("by_profile", [False, True])
def test_the_findings_of_a_short_row_are_never_read_as_a_value(world: World, by_profile: bool) -> None:
    """A spreadsheet makes all rows as wide as the header; its file says as little of the row as before."""
    world.documents["carriers"].delete_many({"refName": "r-2"})
    columns = "refName,mode,name"
    query = {"requestedColumns": columns}
    if by_profile:
        names = [column(name, name) for name in columns.split(",")]
        query = {"profileRefName": saved(world, "Carrier", *names)}
    route = "csv/session/profile" if by_profile else "csv/session"
    wrong = error_file(world, send(world, route, f"{columns}\r\nr-2,AIR\r\n", **query))
    header, *rows = csv.reader(StringIO(wrong))
    wide = [",".join(fill_up(",".join(row), len(header))) for row in (header, *rows)]
    query = query if by_profile else {"requestedColumns": f"{columns},errors"}
    for lines, failed in ((wide, 1), ([wide[0], "r-2,AIR,Two,"], 0)):
        session = send(world, route, "\r\n".join(lines), **query)
        assert (session["insertCount"], session["errorRows"]) == (1 - failed, failed), session["rows"]


@pytest.mark.parametrize("line", ["r-3", "r-3,AIR", "r-3,AIR,Three"])
@pytest.mark.parametrize("by_profile", [False, True])
def test_a_row_that_lost_its_last_cells_keeps_the_others(world: World, by_profile: bool, line: str) -> None:
    """Somebody cut the findings off, with their separator: what is left is not taken for findings."""
    columns = "refName,mode,name"
    query = {"requestedColumns": f"{columns},errors"}
    if by_profile:
        query = {"profileRefName": saved(world, "Carrier", *(column(one, one) for one in columns.split(",")))}
    route = "csv/session/profile" if by_profile else "csv/session"
    content = f"{columns},errors\r\n{line}\r\n"
    for _time in range(2):
        session = send(world, route, content, **query)
        assert (session["insertCount"], session["errorRows"]) == (0, 1), session["rows"]
        content = error_file(world, session)
        cells = list(csv.reader(StringIO(content)))[1]
        assert cells[:-1] == fill_up(line, 3)
        assert cells[-1].startswith("REVIEW: ")


def test_a_file_without_a_header_comes_back_with_one(world: World) -> None:
    content = "h-1,One,AIRR\r\n"
    session = send(world, "csv/session", content, requestedColumns=COLUMNS, skipHeaderRow="false")
    wrong = error_file(world, session)
    mended = wrong.replace("AIRR", "AIR", 1)
    answer = send(world, "csv", mended, requestedColumns=f"{COLUMNS},errors", skipHeaderRow="false")
    assert (answer["insertCount"], answer["failedCount"]) == (1, 0)
    assert world.documents["carriers"].find_one({"refName": "refName"}) is None


def test_a_row_that_came_twice_is_marked(world: World) -> None:
    """Alone in the error file it would be sound, and write over the row that was stored."""
    content = f"{COLUMNS}\r\nd-1,One,AIR\r\nd-1,Two,SEA\r\n"
    session = send(world, "csv/session", content, requestedColumns=COLUMNS)
    assert (session["insertCount"], session["errorRows"]) == (1, 1)
    world.ask(f"POST {CARRIERS}/csv/session/{session['sessionId']}/commit")
    wrong = error_file(world, session)
    for _time in range(2):
        answer = send(world, "csv", wrong, requestedColumns=f"{COLUMNS},errors")
        assert (answer["updateCount"], answer["skipCount"], answer["failedCount"]) == (0, 0, 1), answer
        assert "clear this cell" in answer["rows"][0]["errors"][0]["message"]
        wrong = error_file(world, send(world, "csv/session", wrong, requestedColumns=f"{COLUMNS},errors"))
        assert list(csv.reader(StringIO(wrong)))[1][:-1] == ["d-1", "Two", "SEA"]
    assert stored(world, "d-1") == {"d-1": "AIR"}
    cleared = "\r\n".join(",".join([*row[:-1], ""]) for row in csv.reader(StringIO(wrong)) if row[0] == "d-1")
    answer = send(world, "csv", f"a,b,c,d\r\n{cleared}\r\n", requestedColumns=f"{COLUMNS},errors")
    assert (answer["updateCount"], answer["failedCount"]) == (1, 0)
    assert stored(world, "d-1") == {"d-1": "SEA"}


def test_a_row_that_came_twice_is_marked_by_profile(world: World) -> None:
    name = saved(world, "Carrier", column("REF", "refName"), column("SAYS", "name"), column("WAY", "mode"))
    content = "REF,SAYS,WAY\r\ne-1,One,AIR\r\ne-1,Two,SEA\r\n"
    for expected in ((1, 1), (0, 1), (0, 1)):
        session = send(world, "csv/session/profile", content, profileRefName=name)
        assert (session["insertCount"] + session["updateCount"], session["errorRows"]) == expected
        content = error_file(world, session)
        assert list(csv.reader(StringIO(content)))[1][:-1] == ["e-1", "Two", "SEA"]


TAGGED = "refName,sku,name,price,tags[0]"
PRODUCTS = "/logistics/products"
MANY_LINES = {
    "a bad cell in the second line": (["t-1,SKU-70001,One,1.50,a", "t-1,SKU-70001,One,x,b", "t-1,SKU-70001,One,1.50,c"], 1),
    "a line of another width": (["t-1,SKU-70001,One,1.50,a", "t-1,SKU-70001,One,1.50,b,c", "t-1,SKU-70001,One,1.50,d"], 1),
    "the first line of another width": (["t-1,SKU-70001", "t-1,SKU-70001,One,1.50,b", "t-1,SKU-70001,One,1.50,d"], 1),
    "a line that says otherwise": (["t-1,SKU-70001,One,1.50,a", "t-1,SKU-70001,Two,1.50,b"], 1),
}  # fmt: skip


@pytest.mark.parametrize("case", MANY_LINES)
def test_a_record_of_several_lines_comes_back_whole(world: World, case: str) -> None:
    lines, failed = MANY_LINES[case]
    content = "\r\n".join([TAGGED, "t-0,SKU-70000,Zero,1.50,z", *lines, "t-9,SKU-70009,Nine,1.50,y"])
    named = TAGGED
    for sound in (2, 0, 0):
        session = ask_products(world, "csv/session", content, requestedColumns=named)
        assert (session["insertCount"], session["errorRows"]) == (sound, failed), session["rows"]
        content, named = products_error_file(world, session), f"{TAGGED},errors"
        rows = list(csv.reader(StringIO(content)))
        assert [row[:-1] for row in rows[1:]] == [fill_up(line, 5) for line in lines]
    direct = ask_products(world, "csv", content, requestedColumns=named)
    assert (direct["insertCount"], direct["failedCount"]) == (0, failed)
    assert world.documents["products"].find_one({"refName": "t-1"}) is None


def test_lines_of_a_record_that_do_not_stand_together_are_marked(world: World) -> None:
    """They are a part of a record: alone they would take away what the first part has stored."""
    lines = [
        "s-1,SKU-71001,One,1.50,a",
        "s-2,SKU-71002,Two,1.50,b",
        "s-1,SKU-71001,One,1.50,c",
        "s-1,SKU-71001,One,1.50,d",
    ]
    content = "\r\n".join([TAGGED, *lines])
    session = ask_products(world, "csv/session", content, requestedColumns=TAGGED)
    assert (session["insertCount"], session["errorRows"]) == (2, 1)
    world.ask(f"POST {PRODUCTS}/csv/session/{session['sessionId']}/commit")
    wrong = products_error_file(world, session)
    assert [row[:-1] for row in csv.reader(StringIO(wrong))][1:] == [line.split(",") for line in lines[2:]]
    answer = ask_products(world, "csv", wrong, requestedColumns=f"{TAGGED},errors")
    assert (answer["updateCount"], answer["failedCount"]) == (0, 1)
    assert world.documents["products"].find_one({"refName": "s-1"})["tags"] == ["a"]  # type: ignore[index]


def test_a_record_that_fails_at_its_commit_comes_back_whole(world: World) -> None:
    """Also when only the commit found it wrong: another record has taken its code by then."""
    lines = ["w-1,SKU-72001,One,1.50,a", "w-1,SKU-72001,One,1.50,b"]
    session = ask_products(world, "csv/session", "\r\n".join([TAGGED, *lines]), requestedColumns=TAGGED)
    assert session["errorRows"] == 0
    world.make("Product", refName="w-other", sku="SKU-72001", name="Other", price="1.00")
    answer = world.ask(f"POST {PRODUCTS}/csv/session/{session['sessionId']}/commit")
    assert (answer.json()["inserted"], answer.json()["failed"]) == (0, 1)
    rows = list(csv.reader(StringIO(products_error_file(world, session))))
    assert [row[:-1] for row in rows[1:]] == [line.split(",") for line in lines]


VERTICAL = "_entityKey,_attrSet,_attrName,_attrType,_attrValue"


@pytest.mark.parametrize(
    "lines",
    [
        ["v-1,size,width,Long,5", "v-1,size,height,Long,x", "v-1,size,depth,Long,7"],
        ["v-1,size,width,Long,5", "v-1,size,height", "v-1,size,depth,Long,7"],
        ["v-1,size,width,Long,5", "v-1,size,height,Long,6,7", "v-1,size,depth,Long,7"],
    ],
    ids=["a bad cell", "a line that is short", "a line that is long"],
)
def test_an_entity_of_several_rows_comes_back_whole(world: World, lines: list[str]) -> None:
    name = saved(
        world, "Customer", column("NAME?", "name"), headerModifiers=True, dynamicAttributeStrategy="VERTICAL"
    )
    content = "\r\n".join([VERTICAL, *lines])
    for _time in range(2):
        answer = world.ask(
            "POST /logistics/customers/csv/session/profile", params={"profileRefName": name},
            files={"file": ("rows.csv", content.encode(), "text/csv")},
        )  # fmt: skip
        session = answer.json()
        assert (session["totalRows"], session["errorRows"]) == (1, 1), session
        content = world.ask(f"GET /logistics/customers/csv/session/{session['sessionId']}/errors").text
        rows = list(csv.reader(StringIO(content)))
        assert [row[:-1] for row in rows[1:]] == [fill_up(line, 5) for line in lines]


REVIEWED = {
    "by columns": ("products", TAGGED, "x-{0},SKU-7300{0},One,1.50,{1}"),
    "by profile": ("customers", f"{VERTICAL},NAME", "x-{0},size,{1},Long,5,One"),
}


@pytest.mark.parametrize("way", REVIEWED)
def test_each_line_of_a_record_to_review_is_marked(world: World, way: str) -> None:
    """Without the first one the others would be sound, and change the record that they are a part of."""
    of, columns, line = REVIEWED[way]
    path, query = f"/logistics/{of}/csv/session", {"requestedColumns": columns}
    if way == "by profile":
        mapping = column("NAME", "name")
        query = {"profileRefName": saved(world, "Customer", mapping, dynamicAttributeStrategy="VERTICAL")}
    lines = [line.format(*one).split(",") for one in ("1a", "2b", "1c", "1d")]
    wrong = find_wrong(world, path, [columns.split(","), *lines], 3, query)
    assert [row[:-1] for row in wrong[1:]] == lines[2:]
    if way == "by columns":
        query = {"requestedColumns": f"{columns},errors"}
    again = find_wrong(world, path, wrong, 1, query)
    rest = find_wrong(world, path, [wrong[0], wrong[-1]], 1, query)
    for _header, *rows in (wrong, again, rest):
        assert all(row[-1].startswith(REVIEW_MARK) for row in rows)
    assert [row[-1].count("asks to review") for row in again[1:]] == [1, 0]


def find_wrong(
    world: World, path: str, rows: list[list[str]], number: int, query: dict[str, str]
) -> list[list[str]]:
    """The error file of a file of so many records, of which one is wrong."""
    content = StringIO()
    csv.writer(content).writerows(rows)
    by = "/profile" if "profileRefName" in query else ""
    files = {"file": ("rows.csv", content.getvalue().encode(), "text/csv")}
    session = world.ask(f"POST {path}{by}", params=query, files=files).json()
    assert (session["totalRows"], session["errorRows"]) == (number, 1), session
    return list(csv.reader(StringIO(world.ask(f"GET {path}/{session['sessionId']}/errors").text)))


def ask_products(world: World, path: str, content: str, **query: str) -> Document:
    files = {"file": ("rows.csv", content.encode(), "text/csv")}
    answer = world.ask(f"POST {PRODUCTS}/{path}", params=query, files=files)
    assert answer.status_code == 200, answer.text
    body: Document = answer.json()
    return body


def products_error_file(world: World, session: Document) -> str:
    return world.ask(f"GET {PRODUCTS}/csv/session/{session['sessionId']}/errors").text
