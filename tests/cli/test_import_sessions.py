"""``recordsmith import FILE.csv`` against the whole service: every row is stored, or told with its error."""

from __future__ import annotations

import csv
import io
import json
import signal
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from pymongo import MongoClient
from rich.console import Console
from typer.testing import CliRunner, Result

from runtime.cli import api, import_run
from runtime.cli.command_name import command_name
from runtime.cli.commands import app
from runtime.transfer.sessions import committing
from tests.cli.real_service import USER, Fault, RealService, real_service
from tests.patience import wait_until

Import = Callable[..., Result]
HEADER = "refName,name,mode,active"
COUNTS = ("rows", "inserted", "updated", "skipped", "failed", "unsent")


@pytest.fixture(scope="module")
def running(
    mongo_uri: str, mongo_client: MongoClient[dict[str, Any]], key_folder: Path
) -> Iterator[RealService]:
    """One service for all tests; they do not meet in refNames."""
    with real_service(mongo_uri, mongo_client, key_folder) as service:
        yield service


@pytest.fixture
def service(running: RealService) -> Iterator[RealService]:
    """It behaves, unless the test says otherwise, and has no sessions of other tests."""
    running.faults.clear()
    running.commits = 0
    yield running
    running.documents["importSessions"].delete_many({})


@pytest.fixture
def imported(service: RealService) -> Iterator[Import]:
    """Runs ``recordsmith import`` on carriers, as an administrator, who can interrupt it even where the tests run
    in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)

    def run(*words: object, password: str = USER.password, target: str = "Carrier") -> Result:
        who = ("--url", service.url, "--user", USER.user_id, "--password-stdin", "--type", target)
        return CliRunner().invoke(app, ["import", *map(str, words), *who], input=f"{password}\n")

    yield run
    signal.signal(signal.SIGINT, before)


def same(service: RealService) -> str:
    """The words with which another command finds what ``imported`` was called for."""
    return f"--type Carrier --url {service.url} --user {USER.user_id}"


@pytest.fixture
def file(tmp_path: Path) -> Callable[..., Path]:
    """Writes a file of lines."""

    def write(*lines: str, header: str = HEADER, encoding: str = "utf-8") -> Path:
        made = tmp_path / "carriers.csv"
        made.write_bytes("\r\n".join((header, *lines) if header else lines).encode(encoding))
        return made

    return write


def many(prefix: str, count: int = 1200) -> list[str]:
    """Rows of more batches than one."""
    return [f"{prefix}-{number},Name {number},AIR,true" for number in range(1, count + 1)]


def facts(done: Result) -> dict[str, Any]:
    """The only import of a ``--json`` report."""
    (one,) = json.loads(done.stdout)["imports"]
    return dict(one)


def counts(done: Result) -> tuple[int, ...]:
    found = facts(done)
    assert sum(found[count] for count in COUNTS[1:]) == found["rows"], "every row is accounted for"
    return tuple(found[name] for name in COUNTS)


def states(service: RealService) -> list[str]:
    return [session["state"] for session in service.documents["importSessions"].find()]


def test_new_changed_and_unchanged_rows(service: RealService, imported: Import, file: Any) -> None:
    first = imported(file("a-1,One,AIR,true", "a-2,Two,SEA,false"), "--json")
    assert (first.exit_code, counts(first)) == (0, (2, 2, 0, 0, 0, 0)), first.output
    again = imported(file("a-1,One,AIR,true", "a-2,Second,SEA,false", "a-3,Three,ROAD,"))
    assert (again.exit_code, again.stderr) == (0, "")
    assert again.stdout.startswith("carriers.csv: 1 inserted, 1 updated, 1 skipped of 3 rows in ")
    assert {name: record["name"] for name, record in service.stored("a-").items()} == {
        "a-1": "One", "a-2": "Second", "a-3": "Three",
    }  # fmt: skip
    assert states(service) == ["COMMITTED", "COMMITTED"]


def test_archived_records_are_restored_where_that_is_asked(
    service: RealService, imported: Import, file: Any
) -> None:
    assert imported(file("arc-1,One,AIR,true")).exit_code == 0
    service.documents["carriers"].update_one({"refName": "arc-1"}, {"$set": {"activeStatus": "ARCHIVED"}})
    refused = imported(file("arc-1,Two,AIR,true"), "--json")
    assert (refused.exit_code, counts(refused)) == (1, (1, 0, 0, 0, 1, 0))
    done = imported(file("arc-1,Two,AIR,true"), "--restore-archived", "--json")
    assert (done.exit_code, counts(done)) == (0, (1, 0, 1, 0, 0, 0))
    record = service.stored("arc-")["arc-1"]
    assert (record["name"], record["activeStatus"]) == ("Two", "ACTIVE")


def test_json_is_one_object_that_names_the_session(service: RealService, imported: Import, file: Any) -> None:
    done = imported(file("b-1,One,AIR,true", "b-2,Two,AIR,TRUE"), "--json")
    found = facts(done)
    (session,) = service.documents["importSessions"].find()
    assert (done.exit_code, found.pop("seconds") >= 0) == (1, True)
    (failure,) = found.pop("failures")
    assert failure.pop("message").startswith("active takes ")
    assert failure == {
        "row": 2, "refName": "b-2", "code": "PARSE", "column": "active", "value": "TRUE", "suggestion": "true",
    }  # fmt: skip
    assert found == {
        "sessionId": str(session["_id"]), "source": "carriers.csv", "type": "Carrier", "rows": 2, "inserted": 1, "updated": 0, "skipped": 0,
        "failed": 1, "unsent": 0, "repeatedRequests": 0, "error": None, "status": "COMMITTED",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("lines", "header", "encoding", "words"),
    [
        pytest.param("{p},Café,AIR", "refName,name,mode", "utf-8", (), id="header"),
        pytest.param("{p},Café,AIR", " refName , name,mode", "utf-8-sig", (), id="header with mark and blanks"),
        pytest.param("AIR,{p},Café", "", "utf-8", ("--no-header", "--columns", "mode,refName,name"), id="no header"),
        pytest.param("AIR,{p},Café", "a,b,c", "utf-8", ("--columns", "mode,refName,name"), id="columns by place"),
        pytest.param("{p};Café;AIR", "refName;name;mode", "utf-8", ("--separator", ";"), id="separator"),
        pytest.param("{p}\tCafé\tAIR", "refName\tname\tmode", "utf-8", ("--separator", "tab"), id="tab"),
        pytest.param("{p},'Café',AIR", "refName,name,mode", "utf-8", ("--quote", "'"), id="quote"),
        pytest.param("{p},Café,AIR", "refName,name,mode", "utf-16-le", ("--encoding", "utf-16le"), id="encoding"),
    ],
)  # fmt: skip
def test_ways_to_write_a_file(
    service: RealService, imported: Import, file: Any, request: Any,
    lines: str, header: str, encoding: str, words: tuple[str, ...],
) -> None:  # fmt: skip
    name = f"w-{uuid4().hex[:8]}"
    done = imported(file(lines.format(p=name), header=header, encoding=encoding), *words)
    assert done.exit_code == 0, done.output
    record = service.stored(name)[name]
    assert (record["name"], record["mode"]) == ("Café", "AIR")


def test_a_profile_reads_the_file(service: RealService, imported: Import, file: Any) -> None:
    service.save(
        "/integration/import-profiles",
        {
            "refName": "legacy-carriers",
            "targetType": "logistics.Carrier",
            "columnMappings": [
                {"sourceColumn": "CODE", "targetField": "refName"},
                {"sourceColumn": "TITLE", "targetField": "name", "transformations": {"trim": True}},
                {
                    "sourceColumn": "WAY",
                    "targetField": "mode",
                    "valueMappings": {"plane": "AIR"},
                    "unmappedValueBehavior": "FAIL",
                },
            ],
        },
    )
    lines = ("plane;  One ;p-1", "tube;Two;p-2")
    words = ("--profile", "legacy-carriers", "--separator", ";", "--json")
    done = imported(file(*lines, header="WAY;TITLE;CODE"), *words)
    assert (done.exit_code, counts(done)) == (1, (2, 1, 0, 0, 1, 0)), done.output
    (failure,) = facts(done)["failures"]
    assert (failure["row"], failure["code"], failure["column"], failure["value"]) == (
        2,
        "MAPPING",
        "WAY",
        "tube",
    )
    assert {name: record["name"] for name, record in service.stored("p-").items()} == {"p-1": "One"}


def test_a_profile_that_is_not_there_is_named(imported: Import, file: Any) -> None:
    done = imported(file("p-9"), "--profile", "legacy-carrier", "--json")
    assert done.exit_code == 1
    assert "legacy-carrier" in json.loads(done.stdout)["error"]["message"]


def test_rows_with_errors_are_told_and_left_out(
    service: RealService, imported: Import, file: Any, tmp_path: Path
) -> None:
    report = tmp_path / "errors.csv"
    bad = [f'c-{number},"Two, too",BOAT,true' for number in range(2, 32)]
    done = imported(file("c-1,One,AIR,true", *bad, "c-99,,SEA,TRUE"), "--report", report)
    assert done.exit_code == 1
    assert done.stderr == "31 of 32 rows have errors and are skipped\n"
    head, *lines = done.stdout.splitlines()
    assert head.startswith("carriers.csv: 1 inserted, 31 failed of 32 rows in ")
    assert lines[0].startswith("  row 2 c-2  mode='BOAT'  PARSE: mode takes ")
    assert lines[20:] == ["  … and 11 more: --report FILE has all"]
    assert service.stored("c-").keys() == {"c-1"}
    written = list(csv.DictReader(io.StringIO(report.read_text("utf-8"))))
    assert [row["refName"] for row in written] == [*(f"c-{number}" for number in range(2, 32)), "c-99"]
    assert (written[0]["name"], written[0]["mode"]) == ("Two, too", "BOAT")
    assert written[0]["errors"].startswith("PARSE mode: ")


def test_suggestions_are_told(imported: Import, file: Any) -> None:
    done = imported(file("s-1,One,AIR,TRUE"))
    assert done.exit_code == 1
    assert done.stdout.splitlines()[-1].endswith("(did you mean true?)")


def test_on_a_terminal_errors_are_a_table(
    imported: Import, file: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def report(_value: Any, _as_json: bool, show: Callable[[Console], None]) -> None:
        show(Console(force_terminal=True, color_system=None, width=200, highlight=False, markup=False))

    monkeypatch.setattr(import_run, "report", report)
    done = imported(file("t-1,One,AIR,TRUE", "t-2,[red]Two,AIR,[b]"))
    _counts, titles, first, second = done.stdout.splitlines()
    assert titles.split() == ["row", "refName", "column", "value", "error", "suggestion"]
    assert (first.split()[:5], first.split()[-1]) == (["1", "t-1", "active", "TRUE", "PARSE:"], "true")
    assert second.split()[:5] == ["2", "t-2", "active", "[b]", "PARSE:"]


@pytest.mark.parametrize(
    ("words", "lines", "exit_code", "says"),
    [
        pytest.param(
            ("--dry-run",), ("d-1,One,AIR,true",), 0, "nothing was stored; it would have been 1 inserted of 1",
            id="dry run",
        ),
        pytest.param(
            ("--dry-run",), ("d-1,One,AIR,true", "d-2,Two,BOAT,"), 1,
            "nothing was stored; it would have been 1 inserted, 1 failed of 2", id="dry run of errors",
        ),
        pytest.param(
            ("--all-or-nothing",), ("d-1,One,AIR,true", "d-2,Two,BOAT,"), 1,
            "nothing was stored; it would have been 1 inserted, 1 failed of 2", id="all or nothing",
        ),
    ],
)  # fmt: skip
def test_nothing_is_stored(
    service: RealService, imported: Import, file: Any, tmp_path: Path,
    words: tuple[str, ...], lines: tuple[str, ...], exit_code: int, says: str,
) -> None:  # fmt: skip
    report = tmp_path / "errors.csv"
    done = imported(file(*lines), *words, "--report", report)
    assert done.exit_code == exit_code, done.output
    assert says in done.stdout
    assert service.stored("d-") == {}
    assert (states(service), service.commits) == (["DISCARDED"], 0)
    assert len(report.read_text("utf-8").splitlines()) == 1 + exit_code


def test_all_or_nothing_stores_all(service: RealService, imported: Import, file: Any) -> None:
    done = imported(file("e-1,One,AIR,true"), "--all-or-nothing", "--json")
    assert (done.exit_code, counts(done)) == (0, (1, 1, 0, 0, 0, 0))
    assert service.stored("e-").keys() == {"e-1"}


@pytest.mark.parametrize(
    ("content", "words", "says"),
    [
        pytest.param(b"refName,nam\r\nx,y", (), "did you mean name?", id="wrong column"),
        pytest.param(b"refName,name\r\nx,y", ("--columns", "refName,nam"), "did you mean name?", id="wrong --columns"),
        pytest.param(b"refName;name\r\nx;y", (), 'pass --separator ";"', id="other separator"),
        pytest.param(b"refName\tname\r\nx\ty", (), 'pass --separator "tab"', id="tab"),
        pytest.param(b"", (), "it is empty", id="empty"),
        pytest.param(b"\x89PNG\r\n\x1a\n\0", (), "the byte 89 is not UTF-8", id="not a CSV"),
        pytest.param(b"refName,name\r\nx,\xf6", (), "as in --encoding windows-1252", id="another character set"),
        pytest.param(b'refName,name\r\nx,"y', (), "never closed", id="open quote"),
        pytest.param(b"refName,name\r\n" + (b"x," + b"y" * 400 + b"\r\n") * 200 + b'x,"y', (), "never closed", id="open quote at the end"),
        pytest.param(b"refName,name\r\nx,y", ("--separator", ";;"), "one character", id="separator"),
        pytest.param(b"refName,name\r\nx,y", ("--no-header",), "--no-header needs --columns", id="no header"),
        pytest.param(b"refName,name\r\nx,y", ("--profile", "p", "--columns", "refName"), "--profile", id="profile and columns"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_ends_with_2_and_the_reason(
    service: RealService, imported: Import, tmp_path: Path, content: bytes, words: tuple[str, ...], says: str
) -> None:
    made = tmp_path / "x.csv"
    made.write_bytes(content)
    done = imported(made, *words, "--json")
    assert done.exit_code == 2, done.output
    assert says in json.loads(done.stdout)["error"]["message"]
    assert service.stored("x") == {}
    assert "COMMITTED" not in states(service)


@pytest.mark.parametrize("step", [(), ("analyze",)], ids=["at once", "in two steps"])
def test_a_report_does_not_replace_the_file_that_is_imported(
    service: RealService, imported: Import, file: Any, step: tuple[str, ...]
) -> None:
    made = file("l-1,One,AIR,perhaps", "l-2,Two,AIR,true")
    before = made.read_bytes()
    done = imported(*step, made, "--report", made)
    assert (done.exit_code, "name another file" in done.stderr) == (2, True), done.output
    done = imported(*step, made, "--report", made.parent)
    assert (done.exit_code, "cannot be written: Is a directory" in done.stderr) == (2, True), done.output
    assert (made.read_bytes(), service.stored("l-")) == (before, {})


@pytest.mark.parametrize(
    ("words", "code", "exit_code"),
    [
        pytest.param(("nowhere.csv",), "import.file", 2, id="missing file"),
        pytest.param(("json", "x.csv"), "import.file", 2, id="CSV as JSON"),
        pytest.param(("commit", "0" * 24), "record.not_found", 1, id="commit of nothing"),
        pytest.param(("discard", "0" * 24), "record.not_found", 1, id="discard of nothing"),
        pytest.param(("rows", "0" * 24), "record.not_found", 1, id="rows of nothing"),
    ],
)
def test_wrong_call_is_explained(imported: Import, words: tuple[str, ...], code: str, exit_code: int) -> None:
    done = imported(*words, "--json")
    assert (done.exit_code, json.loads(done.stdout)["error"]["code"]) == (exit_code, code), done.output


@pytest.mark.parametrize(
    ("words", "says"),
    [
        pytest.param((), "Usage: recordsmith import", id="nothing"),
        pytest.param(("x.csv", "--on-existing", "skip"), "No such option: --on-existing", id="an option of JSON"),
        pytest.param(("commit", "0" * 24, "--dry-run"), "No such option: --dry-run", id="an option of another step"),
        pytest.param(("x.csv", "0" * 24), "unexpected extra argument", id="a file and a session"),
        pytest.param(("comit", "0" * 24), "did you mean 'commit'", id="misspelled"),
        pytest.param((__file__,), "write csv or json before", id="a file of another name"),
        pytest.param(("b" * 300,), "No such command", id="a name that no file can have"),
    ],
)  # fmt: skip
def test_wrong_words_are_a_usage_error(imported: Import, words: tuple[str, ...], says: str) -> None:
    done = imported(*words)
    assert (done.exit_code, says.lower() in " ".join(done.stderr.split()).lower()) == (2, True), done.output


def test_wrong_password_and_unknown_type(service: RealService, imported: Import, file: Any) -> None:
    made = file("f-1,One,AIR,true")
    wrong = imported(made, password="wrong")
    assert (wrong.exit_code, wrong.stderr.startswith("error[login.failed]: ")) == (1, True)
    unknown = imported(made, target="Carier")
    assert (unknown.exit_code, "did you mean Carrier?" in unknown.stderr) == (2, True)
    assert service.stored("f-") == {}


@pytest.mark.parametrize(
    "faults",
    [
        pytest.param([Fault.BUSY, Fault.BUSY], id="busy"),
        pytest.param([Fault.LOST], id="the answer is lost"),
        pytest.param([Fault.KILLED], id="killed in the middle"),
    ],
)
def test_passing_trouble_in_the_commit_stores_every_row_once(
    service: RealService, imported: Import, file: Any, monkeypatch: pytest.MonkeyPatch, faults: list[Fault]
) -> None:
    monkeypatch.setattr(committing, "LEASE", timedelta(seconds=0.5))
    prefix = f"g{len(faults)}{faults[0].value}"
    service.faults.extend(faults)
    done = imported(file(*many(prefix)), "--json")
    assert (done.exit_code, counts(done)) == (0, (1200, 1200, 0, 0, 0, 0)), done.output
    assert service.commits == len(faults) + 1
    assert {record["version"] for record in service.stored(f"{prefix}-").values()} == {1}
    assert len(service.stored(f"{prefix}-")) == 1200


def test_a_file_that_finds_the_service_busy_is_sent_again(
    service: RealService, imported: Import, file: Any
) -> None:
    service.busy_uploads = 2
    done = imported(file(*many("m", 300)), "--json")
    assert (done.exit_code, counts(done)) == (0, (300, 300, 0, 0, 0, 0)), done.output
    assert (service.busy_uploads, states(service)) == (0, ["COMMITTED"])


def test_lasting_trouble_ends_with_4_and_the_import_goes_on_later(
    service: RealService, imported: Import, file: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(api, "_MOST_TRIES", 2)
    monkeypatch.setattr(committing, "LEASE", timedelta(seconds=0.5))
    service.faults.extend([Fault.KILLED, *[Fault.BUSY] * 9])
    done = imported(file(*many("h")), "--json")
    assert done.exit_code == 4, done.output
    found = facts(done)
    assert (found["error"]["code"], found["status"]) == ("service.unreachable", "COMMITTING")
    assert 0 < len(service.stored("h-")) < 1200
    service.faults.clear()
    later = imported("commit", found["sessionId"], "--json")
    assert (later.exit_code, counts(later)) == (0, (1200, 1200, 0, 0, 0, 0))
    assert {record["version"] for record in service.stored("h-").values()} == {1}
    assert len(service.stored("h-")) == 1200


def test_ctrl_c_in_the_commit_says_how_to_go_on(service: RealService, imported: Import, file: Any) -> None:
    service.faults.append(Fault.INTERRUPT)
    done = imported(file("i-1,One,AIR,true", "i-2,Two,BOAT,"))
    (session,) = service.documents["importSessions"].find()
    assert done.exit_code == 1
    assert "  error[import.interrupted]: interrupted; what is stored stays stored" in done.stdout
    for word in ("commit", "discard"):
        assert f"{command_name()} import {word} {session['_id']} {same(service)}\n" in done.stdout
    later = imported("commit", session["_id"])
    assert later.exit_code == 1
    assert later.stdout.startswith(f"session {session['_id']}: 1 inserted, 1 failed of 2 rows in ")
    assert "  row 2 i-2  mode='BOAT'  PARSE: " in later.stdout
    assert imported("commit", session["_id"], "--json").exit_code == 1
    assert {name: record["version"] for name, record in service.stored("i-").items()} == {"i-1": 1}


def test_ctrl_c_while_the_file_is_read_leaves_nothing(
    service: RealService, imported: Import, file: Any
) -> None:
    service.interrupts_upload = True
    done = imported(file("k-1,One,AIR,true"))
    assert done.exit_code == 1
    lines = [line.strip() for line in done.stdout.splitlines()]
    reason = "error[import.interrupted]: interrupted while the file was read: nothing was stored"
    assert (lines[0][-1], lines[1:]) == (":", [reason])
    wait_until(lambda: states(service) == ["DISCARDED"], 30)
    assert service.stored("k-") == {}


def test_a_session_is_ended(service: RealService, imported: Import, file: Any) -> None:
    service.faults.append(Fault.INTERRUPT)
    session_id = facts(imported(file("j-1,One,AIR,true"), "--json"))["sessionId"]
    done = imported("discard", session_id, "--json")
    assert (done.exit_code, facts(done)["status"]) == (0, "DISCARDED")
    analysed = facts(imported("analyze", file("j-2,Two,AIR,perhaps"), "--json"))["sessionId"]
    assert "--report" not in imported("discard", analysed).stdout  # an option of other commands
    assert imported("commit", session_id).exit_code == 1
    assert service.stored("j-") == {}


def test_a_session_is_analysed_read_and_committed_step_by_step(
    service: RealService, imported: Import, file: Any, tmp_path: Path
) -> None:
    analysed = imported("analyze", file("l-1,One,AIR,true", "l-2,Two,BOAT,"))
    (session,) = service.documents["importSessions"].find()
    assert (analysed.exit_code, states(service), service.stored("l-")) == (1, ["ANALYZED"], {})
    first, _failure, *advice = analysed.stdout.splitlines()
    assert "nothing was stored; it would have been 1 inserted, 1 failed of 2 rows" in first
    assert advice == [
        f"  commit:      {command_name()} import commit {session['_id']} {same(service)}",
        f"  or discard:  {command_name()} import discard {session['_id']} {same(service)}",
    ]
    rows = imported("rows", session["_id"])
    assert (rows.exit_code, [line.split()[:3] for line in rows.stdout.splitlines()]) == (
        0, [["row", "refName", "intent"], ["1", "l-1", "INSERT"], ["2", "l-2", "INSERT"], ["2", "of", "2"]],
    )  # fmt: skip
    page = json.loads(imported("rows", session["_id"], "--only-errors", "--limit", "1", "--json").stdout)
    assert [(row["refName"], row["errors"][0]["code"]) for row in page["rows"]] == [("l-2", "PARSE")]
    errors = tmp_path / "errors.csv"
    saved = imported("errors", session["_id"], errors)
    assert (saved.exit_code, saved.stdout) == (0, f"wrote {errors}\n")
    assert [row["refName"] for row in csv.DictReader(io.StringIO(errors.read_text("utf-8")))] == ["l-2"]
    done = imported("commit", session["_id"], "--json")
    assert (done.exit_code, counts(done)) == (1, (2, 1, 0, 0, 1, 0))
    assert (service.stored("l-").keys(), states(service)) == ({"l-1"}, ["COMMITTED"])


def test_every_command_of_an_import_has_an_example() -> None:
    for name in ("csv", "json", "dataset", "analyze", "commit", "rows", "errors", "discard"):
        shown = CliRunner().invoke(app, ["import", name, "--help"]).stdout
        assert f"Example: recordsmith import {name} " in shown
