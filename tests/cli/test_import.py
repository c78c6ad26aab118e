"""``recordsmith import`` of JSON and data sets against a small HTTP service: every row is stored, or told."""

from __future__ import annotations

import asyncio
import csv
import json
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from typing import Any

import airportsdata
import pytest
from typer.testing import CliRunner, Result

from runtime.cli import api, destination, sending
from runtime.cli.api import Answer, Api, SignIn
from runtime.cli.commands import app
from runtime.cli.content import encode_json
from runtime.cli.destination import find_service
from runtime.cli.lock import hold_data_folder
from runtime.settings import Settings
from tests.cli.bulk_service import BASE, COUNTRIES, BulkService, running

Import = Callable[..., Result]
COUNTS = ("rows", "inserted", "updated", "skipped", "failed", "unsent")


@pytest.fixture(scope="module")
def server() -> Iterator[BulkService]:
    service = BulkService()
    with running(service):
        yield service


@pytest.fixture
def service(server: BulkService) -> BulkService:
    """It holds nothing, and behaves unless the test says otherwise."""
    vars(server).update(vars(BulkService(server.url)))
    return server


@pytest.fixture
def imported(service: BulkService) -> Import:
    """Runs ``recordsmith import`` as ann; words with ``token`` sign in otherwise."""

    def run(*words: str) -> Result:
        who = () if "--token" in words else ("--user", "ann", "--password-stdin")
        return CliRunner().invoke(
            app,
            ["import", *words, *(() if "--url" in words else ("--url", service.url)), *who],
            input="correct horse\n",
            env={"RECORDSMITH_TOKEN": None},
        )

    return run


@pytest.fixture
def rows(tmp_path: Path) -> Callable[..., str]:
    """Writes a file of rows; five good ones unless told otherwise."""

    def write(records: list[dict[str, Any]] | None = None, count: int = 5) -> str:
        file = tmp_path / "rows.json"
        made = [{"refName": f"R{number}", "name": f"Row {number}"} for number in range(1, count + 1)]
        file.write_text(json.dumps(made if records is None else records))
        return str(file)

    return write


def facts(done: Result) -> dict[str, Any]:
    """The only import of a ``--json`` report."""
    (one,) = json.loads(done.stdout)["imports"]
    assert sum(one[count] for count in COUNTS[1:]) == one["rows"], "every row is accounted for"
    return dict(one)


def counts(done: Result) -> tuple[int, ...]:
    found = facts(done)
    return tuple(found[name] for name in COUNTS)


def test_rows_are_saved_in_batches_with_two_requests_in_flight(
    service: BulkService, imported: Import, rows: Any
) -> None:
    service.awaited_in_flight = 2
    done = imported(rows(count=1200), "--type", "Airport", "--json")
    assert (done.exit_code, counts(done)) == (0, (1200, 1200, 0, 0, 0, 0))
    assert sorted(service.bulk_sizes) == [200, 500, 500]
    assert service.most_in_flight == 2
    assert service.records[BASE]["R7"]["name"] == "Row 7"
    assert service.logins == 1


@pytest.mark.parametrize(
    ("words", "outcome"),
    [
        pytest.param((), (0, (5, 3, 0, 2, 0, 0)), id="skip unless told otherwise"),
        pytest.param(("--on-existing", "skip"), (0, (5, 3, 0, 2, 0, 0)), id="skip"),
        pytest.param(("--on-existing", "replace"), (0, (5, 3, 2, 0, 0, 0)), id="replace"),
        pytest.param(("--on-existing", "fail"), (1, (5, 3, 0, 0, 2, 0)), id="fail"),
    ],
)
@pytest.mark.parametrize("has_filter", [True, False], ids=["with filters", "without filters"])
def test_existing_rows(
    service: BulkService, imported: Import, rows: Any, words: Any, outcome: Any, has_filter: bool
) -> None:
    service.has_filter = has_filter
    for name in ("R1", "R4"):
        service.records[BASE][name] = {"id": f"id-{name}", "refName": name, "name": "old"}
    done = imported(rows(), "--path", BASE, "--json", *words)
    assert (done.exit_code, counts(done)) == outcome
    replaced = "replace" in words
    assert service.records[BASE]["R4"]["name"] == ("Row 4" if replaced else "old")
    assert service.records[BASE]["R4"]["id"] == "id-R4"
    if "fail" in words:
        assert [(row["row"], row["refName"], row["code"]) for row in facts(done)["failures"]] == [
            (1, "R1", "record.duplicate"),
            (4, "R4", "record.duplicate"),
        ]


def test_clash_of_another_unique_field_is_a_failure_unless_the_record_is_the_same(
    service: BulkService, imported: Import, rows: Any
) -> None:
    service.records[BASE]["OLD"] = {"id": "id-1", "refName": "OLD", "name": "old", "icao": "LPPT"}
    service.icaos["LPPT"] = "OLD"
    done = imported(
        rows(
            [{"refName": "NEW", "name": "x", "icao": "LPPT"}, {"refName": "OLD", "name": "x", "icao": "LPPT"}]
        ),
        *("--type", "Airport", "--json"),
    )
    assert counts(done) == (2, 0, 0, 1, 1, 0)
    assert facts(done)["failures"] == [
        {"row": 1, "refName": "NEW", "code": "record.duplicate", "message": "icao exists"}
    ]


def test_failed_rows_are_named_on_screen_and_all_of_them_in_the_report_file(
    imported: Import, rows: Any, tmp_path: Path
) -> None:
    report = tmp_path / "failed.csv"
    bad = [{"refName": f"R{number}"} for number in range(1, 31)]
    done = imported(
        rows([*bad, {"refName": "R31", "name": "good"}]), "--type", "Airport", "--report", str(report)
    )
    assert done.exit_code == 1
    assert "rows.json: 1 inserted, 30 failed of 31 rows" in done.stdout
    assert "  row 20 R20  record.invalid: name: Field required\n" in done.stdout
    assert "row 21" not in done.stdout
    assert "… and 10 more: --report FILE has all" in done.stdout
    with report.open(newline="") as stream:
        written = list(csv.DictReader(stream))
    assert [row["row"] for row in written] == [str(number) for number in range(1, 31)]
    assert written[0] == {
        "source": "rows.json",
        "row": "1",
        "refName": "R1",
        "code": "record.invalid",
        "message": "name: Field required",
    }


def test_a_report_does_not_replace_the_file_that_is_imported(
    service: BulkService, imported: Import, rows: Any
) -> None:
    made = Path(rows([{"refName": "R1"}]))
    before = made.read_bytes()
    same = made.with_name("same.json")
    same.symlink_to(made)
    for report in (made, same):
        done = imported(str(made), "--type", "Airport", "--report", str(report), "--json")
        assert (done.exit_code, json.loads(done.stdout)["error"]["code"]) == (2, "import.report")
    assert (made.read_bytes(), service.bulk_sizes) == (before, [])


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_what_was_stored_is_printed_also_where_the_report_cannot_be_written(
    service: BulkService, imported: Import, rows: Any, tmp_path: Path
) -> None:
    made = rows([{"refName": "R1"}, {"refName": "R2", "name": "good"}])
    done = imported(made, "--type", "Airport", "--report", "/dev/full", "--json")
    (account,) = json.loads(done.stdout)["imports"]
    assert (done.exit_code, account["inserted"], account["failed"]) == (1, 1, 1)
    assert account["error"]["code"] == "import.report"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_an_import_that_breaks_off_reports_both_where_its_report_cannot_be_written(
    service: BulkService, imported: Import, rows: Any, tmp_path: Path
) -> None:
    service.faults.append("interrupt")
    done = imported(rows(count=1), "--type", "Airport", "--report", "/dev/full", "--json")
    error = facts(done)["error"]
    assert (done.exit_code, error["code"]) == (1, "import.interrupted")
    assert error["message"].endswith("; /dev/full cannot be written: No space left on device")


def test_the_reader_of_a_pipe_gets_the_report(imported: Import, rows: Any, tmp_path: Path) -> None:
    """As of ``--report >(sort)``: a look whether it is writable would be the end of what it reads."""
    os.mkfifo(pipe := tmp_path / "pipe")
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)  # for which no writer waits
    with open(reader), ThreadPoolExecutor(1) as pool:
        text = pool.submit(pipe.read_text)
        imported(rows([{"refName": "R1"}]), "--type", "Airport", "--report", str(pipe))
        assert text.result(20).startswith("source,row,refName")


def test_a_call_that_fails_leaves_no_report(imported: Import, rows: Any, tmp_path: Path) -> None:
    report = tmp_path / "failed.csv"
    assert imported(rows(), "--type", "Airprt", "--report", str(report)).exit_code == 2
    assert not report.exists()


def test_the_report_file_guards_formulas(imported: Import, rows: Any, tmp_path: Path) -> None:
    report = tmp_path / "failed.csv"
    imported(rows([{"refName": "=HYPERLINK(A1)"}]), "--type", "Airport", "--report", str(report))
    with report.open(newline="") as stream:
        assert [row["refName"] for row in csv.DictReader(stream)] == ["'=HYPERLINK(A1)"]


@pytest.mark.parametrize(
    "faults",
    [
        pytest.param([503], id="busy once"),
        pytest.param([429, 503, 502, 504], id="busy in every way"),
        pytest.param(["drop"], id="connection broken before"),
        pytest.param(["drop after"], id="connection broken after saving"),
    ],
)
def test_passing_trouble_loses_no_row(service: BulkService, imported: Import, rows: Any, faults: Any) -> None:
    service.faults.extend(faults)
    done = imported(rows(), "--type", "Airport", "--json")
    assert done.exit_code == 0
    assert len(service.records[BASE]) == 5
    found = facts(done)
    assert found["inserted"] + found["skipped"] == 5
    assert found["repeatedRequests"] == 1


@pytest.mark.parametrize(
    ("retry_after", "waited"),
    [
        pytest.param("7", [7.0, 7.0], id="as answered"),
        pytest.param("0", [0.0, 0.0], id="at once"),
        pytest.param("3600", [30.0, 30.0], id="not for ever"),
        pytest.param("Wed, 21 Oct 2026 07:28:00 GMT", [0.25, 0.5], id="a date: ever longer"),
    ],
)
def test_waits_as_the_service_says(
    service: BulkService, retry_after: str, waited: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    service.retry_after = retry_after
    service.faults.extend([503, 429])
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    async def post() -> Answer[Any]:
        async with Api(service.url, SignIn(token=service.valid_token), sleep) as caller:
            return await caller.post(f"{BASE}/bulk", encode_json({"operations": []}))

    assert asyncio.run(post()) == Answer({"results": []}, repeated=True)
    assert slept == waited
    reports = [f"it answered {status}; trying again in {waited[0]:g} s" for status in (503, 429)]
    long = waited[0] >= 1
    assert capsys.readouterr() == ("", "".join(f"{service.url}: {one}\n" for one in reports) if long else "")


def test_rows_that_may_be_from_the_first_try_are_pointed_out(
    service: BulkService, imported: Import, rows: Any
) -> None:
    service.faults.append("drop after")
    done = imported(rows(), "--type", "Airport", "--on-existing", "fail")
    assert done.exit_code == 1
    assert "rows reported as existing may be from the first try" in done.stdout


def test_lasting_trouble_ends_with_4_and_an_account_of_what_was_sent(
    service: BulkService, imported: Import, rows: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(api, "_MOST_TRIES", 3)
    monkeypatch.setattr(sending, "IN_FLIGHT", 1)
    service.faults.extend([200, 503, 503, 503])
    done = imported(rows(count=1500), "--type", "Airport", "--json")
    assert (done.exit_code, counts(done)) == (4, (1500, 500, 0, 0, 0, 1000))
    error = facts(done)["error"]
    assert error["code"] == "service.unreachable"
    assert error["message"].endswith("cannot be reached after 3 tries: it answered 503")


def test_ctrl_c_says_how_to_go_on(
    service: BulkService, imported: Import, rows: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sending, "IN_FLIGHT", 1)
    service.faults.extend([200, "interrupt"])
    done = imported(file := rows(count=1500), "--type", "Airport", "--json")
    assert (done.exit_code, counts(done)) == (1, (1500, 500, 0, 0, 0, 1000))
    error = facts(done)["error"]
    assert error["code"] == "import.interrupted"
    assert error["message"].endswith(
        "run it again, where --on-existing decides about the rows that are stored"
    )
    assert counts(imported(file, "--type", "Airport", "--json")) == (1500, 1000, 0, 500, 0, 0)


def test_ctrl_c_before_anything_is_sent_ends_as_any_other(
    service: BulkService, imported: Import, rows: Any
) -> None:
    service.interrupts_login = True
    done = imported(rows(), "--type", "Airport", "--json")
    assert (done.exit_code, done.stdout, service.records["/logistics/airports"]) == (130, "", {})


def test_service_that_is_not_there_ends_with_4(
    rows: Any, service: BulkService, imported: Import, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(api, "_MOST_TRIES", 2)
    done = imported(rows(), "--type", "Airport", "--url", "http://127.0.0.1:1", "--token", "t", "--json")
    assert done.exit_code == 4
    assert json.loads(done.stdout)["error"]["code"] == "service.unreachable"


def test_service_that_nobody_named_is_not_waited_for(
    rows: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(destination, "_USUAL", ("127.0.0.1", 1))
    monkeypatch.setattr(Api, "_send_patiently", None)  # no request is sent
    words = ("--type", "Airport", "--token", "t", "--data", str(tmp_path), "--json")
    done = CliRunner().invoke(app, ["import", rows(), *words])
    error = json.loads(done.stdout)["error"]
    assert (done.exit_code, error["code"]) == (4, "service.unreachable")
    assert f"no service runs on the data folder {tmp_path}" in error["message"]
    assert error["message"].endswith("or name it with --data or --url")


def test_expired_token_is_renewed_in_the_middle(service: BulkService, imported: Import, rows: Any) -> None:
    service.expires_at_record = 700
    done = imported(rows(count=2000), "--type", "Airport", "--json")
    assert (done.exit_code, counts(done)) == (0, (2000, 2000, 0, 0, 0, 0))
    assert (service.logins, service.refreshes) == (1, 1)


@pytest.mark.parametrize(
    ("words", "code"),
    [
        pytest.param(("--type", "Airprt"), "import.type", id="unknown type"),
        pytest.param(("--type", "Airport", "--reference", "country"), "import.reference", id="reference"),
        pytest.param(("--type", "Airport", "--realm", ""), "realm.unknown", id="a realm without a name"),
        pytest.param(
            ("--type", "Airport", "--report", "missing/r.csv"), "import.report", id="a report in no folder"
        ),
        pytest.param(("--type", "Airport", "--report", "/"), "import.report", id="a report that is a folder"),
        pytest.param(
            ("--type", "Airport", "--report", "r" * 300), "import.report", id="a report with too long a name"
        ),
        pytest.param(
            ("--type", "Airport", "--url", "localhost:8080"), "command.url", id="an address without http"
        ),
        pytest.param(
            ("--type", "Airport", "--url", "http://"), "command.url", id="an address without a host"
        ),
        pytest.param(
            ("--type", "Airport", "--url", "http://[::1"), "command.url", id="an address that is cut"
        ),
        pytest.param(
            ("--type", "Airport", "--url", "http://a:x"), "command.url", id="an address without a port"
        ),
        pytest.param(
            ("--type", "Airport", "--url", "http://u:p@a"), "command.url", id="an address with a password"
        ),
    ],
)
def test_wrong_call_is_refused_before_a_row_is_sent(
    service: BulkService, imported: Import, rows: Any, words: Any, code: str
) -> None:
    done = imported(rows(), "--json", *words)
    assert done.exit_code == 2, done.output
    assert json.loads(done.stdout)["error"]["code"] == code
    assert service.bulk_sizes == []


def test_a_missing_type_is_answered_with_those_of_the_service(imported: Import, rows: Any) -> None:
    done = imported(rows())
    says = "error[import.type]: name the record type with --type: Airport, Country\n"
    assert (done.exit_code, done.stderr) == (2, says)


def test_an_option_of_csv_files_is_unknown(service: BulkService, imported: Import, rows: Any) -> None:
    done = imported(rows(), "--type", "Airport", "--dry-run")
    assert (done.exit_code, "No such option: --dry-run" in done.stderr) == (2, True), done.output
    assert service.bulk_sizes == []


def test_unknown_data_set(imported: Import) -> None:
    done = imported("dataset", "harbours", "--json")
    assert (done.exit_code, json.loads(done.stdout)["error"]) == (
        2,
        {
            "code": "import.dataset",
            "message": "there is no data set harbours; there are airports and countries",
        },
    )


def test_stale_token_ends_the_import(service: BulkService, imported: Import, rows: Any) -> None:
    done = imported(rows(), "--json", "--path", BASE, "--token", "stale")
    assert (done.exit_code, counts(done)) == (1, (5, 0, 0, 0, 0, 5))
    assert facts(done)["error"]["code"] == "access.unauthenticated"
    assert service.bulk_sizes == []


NOBODY = "sign in: pass --user, or --token"


def test_wrong_password_and_nobody_at_all(service: BulkService, rows: Any) -> None:
    words = ["import", rows(), "--type", "Airport", "--url", service.url]
    wrong = CliRunner().invoke(app, [*words, "--user", "ann", "--password-stdin"], input="wrong\n")
    assert (wrong.exit_code, wrong.stderr) == (1, "error[login.failed]: login failed\n")
    nobody = CliRunner().invoke(app, words, env={"RECORDSMITH_TOKEN": None})
    assert (nobody.exit_code, nobody.stderr) == (2, f"error[import.sign_in]: {NOBODY}\n")
    watching = ["tasks", "watch", "6b0433d907e20f09f5ceff5b", "--url", service.url]
    nobody = CliRunner().invoke(app, watching, env={"RECORDSMITH_TOKEN": None})
    assert (nobody.exit_code, nobody.stderr) == (2, f"error[command.sign_in]: {NOBODY}\n")


def test_batch_that_is_too_large_goes_in_halves(service: BulkService, imported: Import, rows: Any) -> None:
    service.most_operations = 130
    done = imported(rows(count=500), "--type", "Airport", "--json")
    assert (done.exit_code, counts(done)) == (0, (500, 500, 0, 0, 0, 0))
    assert service.bulk_sizes == [125] * 4


def test_single_row_that_is_too_large_has_failed(service: BulkService, imported: Import, rows: Any) -> None:
    service.most_operations = 0
    done = imported(rows(count=2), "--type", "Airport", "--json")
    assert (done.exit_code, counts(done)) == (1, (2, 0, 0, 0, 2, 0))
    assert {row["code"] for row in facts(done)["failures"]} == {"request.too_large"}


def test_references_are_named_by_ref_name(service: BulkService, imported: Import, rows: Any) -> None:
    service.records[COUNTRIES]["PT"] = {"id": "id-PT"}
    file = rows(
        [
            {"refName": "A", "name": "a", "country": "PT"},
            {"refName": "B", "name": "b", "country": "XX"},
            {"refName": "C", "name": "c", "country": {"entityId": "given"}},
            {"refName": "D", "name": "d"},
        ]
    )
    done = imported(file, "--type", "Airport", "--reference", "country=Country", "--json")
    assert counts(done) == (4, 3, 0, 0, 1, 0)
    held = service.records[BASE]
    assert held["A"]["country"] == {"entityId": "id-PT"}
    assert held["C"]["country"] == {"entityId": "given"}
    assert facts(done)["failures"] == [
        {
            "row": 2,
            "refName": "B",
            "code": "reference.missing",
            "message": "country: no record has the refName XX",
        }
    ]


def test_tenant_is_written_into_every_record(service: BulkService, imported: Import, rows: Any) -> None:
    imported(rows(count=1), "--type", "Airport", "--tenant", "acme")
    assert service.records[BASE]["R1"]["dataDomain"] == {"tenantId": "acme"}


def test_airports_bring_their_countries(
    service: BulkService, imported: Import, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the airports as many as make several batches."""
    all_airports = airportsdata.load("ICAO")
    some = dict(islice(all_airports.items(), 1200)) | {"LPPT": all_airports["LPPT"]}
    monkeypatch.setattr(airportsdata, "load", lambda _code: some)
    done = imported("airports", "--json")
    countries, airports = json.loads(done.stdout)["imports"]
    assert (countries["source"], countries["type"], countries["failed"]) == ("countries", "Country", 0)
    assert (airports["source"], airports["type"], airports["failed"]) == ("airports", "Airport", 0)
    assert airports["inserted"] == airports["rows"] == len(service.records[BASE]) == len(some)
    lisbon = service.records[BASE]["LPPT"]
    assert lisbon["country"] == {"entityId": service.records[COUNTRIES]["PT"]["id"]}
    again = json.loads(imported("airports", "--json").stdout)["imports"]
    assert [each["skipped"] for each in again] == [countries["rows"], airports["rows"]]


def test_the_running_service_of_the_data_folder_is_found(
    service: BulkService, rows: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever its port, by ``service.json``; without one the usual address is asked."""
    usual = service.url.removeprefix("http://").partition(":")
    monkeypatch.setattr(destination, "_USUAL", (usual[0], int(usual[2])))
    words = ["import", rows(), "--type", "Country", "--user", "ann", "--password-stdin", "--json"]
    data = ["--data", str(tmp_path / "data")]
    with hold_data_folder(Settings.read({}, data_folder=tmp_path / "data"), service.url):
        done = CliRunner().invoke(
            app, [*words, *data], input="correct horse\n", env={"RECORDSMITH_TOKEN": None}
        )
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["imports"][0]["inserted"] == 5
    assert find_service(tmp_path / "data") == service.url
