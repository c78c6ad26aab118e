"""``recordsmith doctor``: each thing that can be wrong is found, named, and comes with advice."""

from __future__ import annotations

import json
import os
import socket
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from pymongo import MongoClient
from typer.testing import Result

from runtime.cli import checks
from runtime.cli.lock import hold_data_folder
from runtime.cli.store_checks import describe_clock, lifetime
from runtime.model.clock import now
from runtime.plain_structlog import structlog
from runtime.settings import Settings
from runtime.settings.sources import environment_name
from runtime.storage.embedded import read_server_facts, server
from tests.cli.test_references import record

NAMES = [
    *("python", "commands", "generated", "settings", "data folder", "service", "port", "mongod"),
    *("application", "handlers", "seams"),
    *(
        "store",
        "lane",
        "keys",
        "indexes",
        "seeds",
        "migrations",
        "restores",
        "erasures",
        "webhooks",
        "agents",
    ),
]


@pytest.fixture
def examined(command: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Runs the command away from the repository, hence without specs/, on a folder of its own."""
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    with socket.create_server(("127.0.0.1", 0)) as probe:
        free = str(probe.getsockname()[1])

    def run(*words: str, env: dict[str, str] | None = None) -> Result:
        port = () if "--port" in words else ("--port", free)
        usual = {"MONGODB_TIMEOUT_MS": ""}  # it is compared with how long a transaction may take
        done: Result = command(
            "doctor", "--data", str(tmp_path / "data"), *port, *words, env=usual | (env or {})
        )
        return done

    return run


def found(done: Result) -> dict[str, dict[str, str]]:
    return {check["name"]: check for check in json.loads(done.stdout)["checks"]}


def test_sound_machine_passes(examined: Any, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    done = examined("--json")
    result = found(done)
    assert (done.exit_code, list(result)) == (0, NAMES)
    assert {name for name, check in result.items() if check["status"] != "ok"} <= {"generated", "commands"}
    assert "with transactions" in result["store"]["message"]


def test_text_has_a_line_for_each_check_and_its_advice(examined: Any) -> None:
    lines = examined().stdout.splitlines()
    assert [line for line in lines if line.startswith("ok    store")]
    assert [line for line in lines if line.startswith("warn  generated")]
    assert "run it in the repository" in lines[lines.index(next(x for x in lines if "generated" in x)) + 1]


@pytest.mark.parametrize(
    ("env", "name", "status", "message"),
    [
        pytest.param({"LOG_LEVEL": "LOUD"}, "settings", "fail", "log.level", id="setting"),
        pytest.param({"MONGODB_URI": "mongodb://"}, "store", "fail", "MONGODB_URI", id="no address"),
        pytest.param(
            {"MONGODB_URI": "mongodb://u:p/s3cret@h/"},
            "store",
            "fail",
            "Bad database name",
            id="the rest of a password",
        ),
        pytest.param(
            {"MONGODB_URI": "mongodb://u:s3cret@h/?tls=true&tlsCAFile=/nonexistent/ca.pem"},
            "store",
            "fail",
            "names the file /nonexistent/ca.pem that cannot be used",
            id="no certificate",
        ),
        pytest.param(
            {"MONGODB_URI": "mongodb://127.0.0.1:1/", "MONGODB_TIMEOUT_MS": "200"},
            "store",
            "fail",
            "cannot be reached",
            id="no server",
        ),
        pytest.param(
            {"SERVICE_ENVIRONMENT": "production", "AUTH_JWT_SECRET": "0123456789" * 4},
            "keys",
            "fail",
            "no private key",
            id="no keys in production",
        ),
        pytest.param(
            {"AUTH_JWT_PRIVATEKEY_LOCATION": "x" * 300},
            "keys",
            "fail",
            "File name too long",
            id="keys that cannot be looked for",
        ),
    ],
)
def test_fault_is_found(examined: Any, env: dict[str, str], name: str, status: str, message: str) -> None:
    done = examined("--json", env=env)
    check = found(done)[name]
    assert (done.exit_code, check["status"]) == (1, status)
    assert message in check["message"]
    assert "s3cret" not in done.output
    assert ("is MONGODB_URI right" in check["advice"]) == (message == "cannot be reached")


def test_a_misspelt_setting_is_named(examined: Any) -> None:
    check = found(examined("--json", env={"LIMITS_PAGESIZE": "7"}))["settings"]
    assert (check["status"], check["advice"]) == (
        "warn",
        "rename LIMITS_PAGESIZE to LIMITS_PAGE_SIZE, or unset it",
    )
    assert check["message"].endswith("LIMITS_PAGESIZE set nothing")


def test_folder_that_cannot_be_written(examined: Any, tmp_path: Path) -> None:
    (tmp_path / "data").touch()
    done = examined("--json")
    assert done.exit_code == 1
    assert found(done)["data folder"]["advice"] == "choose another with --data"
    assert "store" not in found(done), "what depends on a failed check is left out"


def test_a_folder_that_does_not_exist_is_reported_and_not_created(examined: Any, tmp_path: Path) -> None:
    done = examined("--json")
    result = found(done)
    assert (done.exit_code, (tmp_path / "data").exists()) == (0, False)
    assert result["data folder"]["status"] == "warn"
    assert result["data folder"]["message"] == f"{tmp_path / 'data'} does not exist"
    assert "none yet" in result["keys"]["message"]
    assert {result[name]["status"] for name in ("service", "store", "keys", "indexes")} == {"ok"}


def test_a_folder_that_cannot_be_looked_into(examined: Any) -> None:
    done = examined("--data", "x" * 300, "--json")
    result = found(done)
    assert (done.exit_code, result["data folder"]["status"]) == (1, "fail")
    assert "File name too long" in result["data folder"]["message"]


def test_loose_file_modes_are_warnings(examined: Any, tmp_path: Path, command: Any) -> None:
    assert command("keys", "rotate", "--data", str(tmp_path / "data")).exit_code == 0
    (tmp_path / "data").chmod(0o777)
    (tmp_path / "data" / "keys" / "private.pem").chmod(0o644)
    public = tmp_path / "data" / "keys" / "public.pem"
    public.unlink()
    done = examined("--json", env={"MP_JWT_VERIFY_PUBLICKEY_LOCATION": str(public)})
    assert done.exit_code == 0
    assert [file.name for file in (tmp_path / "data" / "keys").iterdir()] == ["private.pem"], (
        "none is created"
    )
    result = found(done)
    assert (result["data folder"]["status"], result["keys"]["status"]) == ("warn", "warn")
    assert result["keys"]["advice"].startswith("chmod 600 ")


def test_running_service_and_taken_port_are_told(examined: Any, tmp_path: Path) -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as taken,
        hold_data_folder(Settings.read({}, data_folder=tmp_path / "data"), "http://127.0.0.1:8080"),
    ):
        done = examined("--port", str(taken.getsockname()[1]), "--json")
    result = found(done)
    assert done.exit_code == 0
    assert "http://127.0.0.1:8080) is running" in result["service"]["message"]
    assert result["port"]["status"] == "warn"


@pytest.mark.skipif(sys.platform == "win32", reason="modes are of POSIX")
def test_only_the_owner_says_where_a_service_is(tmp_path: Path) -> None:
    """Whoever does decides where commands send passwords; the umask may leave files open to a group."""
    before = os.umask(0)
    try:
        (tmp_path / "service.json").touch(0o666)
        with hold_data_folder(Settings.read({}, data_folder=tmp_path), "http://127.0.0.1:8080"):
            assert (tmp_path / "service.json").stat().st_mode & 0o777 == 0o644
    finally:
        os.umask(before)


def test_port_of_the_running_service_is_no_reason_to_warn(examined: Any, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with hold_data_folder(Settings.read({}, data_folder=tmp_path / "data"), f"http://127.0.0.1:{port}"):
            result = found(examined("--port", str(port), "--json"))
    assert result["port"]["status"] == "ok"
    assert result["port"]["message"] == f"{port} is that of the running service"


def test_records_that_a_later_version_has_moved_are_told_as_they_are(
    examined: Any, realm: str, mongo_client: MongoClient[Any], command: Any
) -> None:
    examined(env={"SERVICE_APP": "post_old:create"})
    mongo_client[realm].parcels.insert_one(record(town="Rome"))
    assert command("migrate", "run", env={"SERVICE_APP": "post_new:create"}).exit_code == 0
    done = examined("--json", env={"SERVICE_APP": "post_old:create"})
    result = found(done)
    assert (done.exit_code, result["store"]["status"], result["start"]["status"]) == (1, "ok", "fail")
    assert "the migration Parcel.2 has moved its records to a later shape" in result["start"]["message"]
    assert result["start"]["advice"] == ""


def test_paused_webhooks_and_dead_deliveries_are_counted(
    examined: Any, tmp_path: Path, realm: str, mongo_client: MongoClient[Any]
) -> None:
    (tmp_path / "data").mkdir()
    examined()
    mongo_client[realm].webhooks.insert_many([record(), record(pausedReason="GONE", active=True)])
    deliveries = [record(status=status) for status in ("DEAD", "DEAD", "WAITING", "DELIVERED")]
    mongo_client[realm].webhookDeliveries.insert_many(deliveries)
    done = examined("--json")
    assert (done.exit_code, found(done)["webhooks"]) == (0, {
        "name": "webhooks", "status": "warn", "message": f"1 paused, and 2 deliveries given up, in the realm {realm}",
        "advice": f"`recordsmith webhooks list --realm {realm}`, `webhooks dead --webhook ID`",
    })  # fmt: skip


def test_limits_of_a_realm_that_does_not_exist_are_named(examined: Any, realm: str) -> None:
    examined()
    limits = {"SERVICE_AGENT_TENANT_EMAE_MAXFINDLIMIT": "5", "SERVICE_DEFAULT_REALM": realm}
    known = environment_name(f"service.agent.tenant.{realm}.maxFindLimit")
    done = examined("--json", env=limits | {known: "5"})
    assert (done.exit_code, found(done)["agents"]["status"]) == (0, "warn")
    assert found(done)["agents"]["message"] == "service.agent.tenant.emae.*: no realm is called emae"


def test_a_user_as_whom_tools_run_needs_an_application_that_resolves_it(examined: Any, realm: str) -> None:
    examined()
    name = f"service.agent.tenant.{realm}.runAsUserId"
    done = examined("--json", env={"SERVICE_DEFAULT_REALM": realm, environment_name(name): "robot"})
    assert (done.exit_code, found(done)["agents"]) == (0, {
        "name": "agents", "status": "warn",
        "message": f"{name}: service.seams has no run_as; unless service.app passes one, tools run as their callers",
        "advice": "name Seams with run_as in service.seams, or remove the setting",
    })  # fmt: skip


def test_an_application_that_cannot_be_imported_is_named(examined: Any) -> None:
    done = examined("--json", env={"SERVICE_APP": "no_such_application:create"})
    result = found(done)
    assert (done.exit_code, result["application"]["status"]) == (1, "fail")
    assert "the module no_such_application does not exist" in result["application"]["message"]
    assert not {"handlers", "store"} & result.keys()


@pytest.mark.parametrize(
    ("index", "status", "code"),
    [
        pytest.param("tenant_refName", "fail", 1, id="unique, so that /ready is 503"),
        pytest.param("tenant_id", "warn", 0, id="one that makes reads fast"),
    ],
)
def test_missing_indexes_are_named(
    examined: Any,
    tmp_path: Path,
    realm: str,
    command: Any,
    mongo_client: MongoClient[Any],
    index: str,
    status: str,
    code: int,
) -> None:
    assert command("keys", "rotate", "--data", str(tmp_path / "data")).exit_code == 0
    examined()
    mongo_client[realm]["credentials"].drop_index(index)
    structlog.reset_defaults()  # as in a process of its own, whose log would go to standard output
    done = examined("--json", env={"SERVICE_ENVIRONMENT": "production", "AUTH_JWT_SECRET": "0123456789" * 4})
    result = found(done)
    assert (result["indexes"]["status"], done.exit_code) == (status, code)
    assert f"credentials.{index}" in result["indexes"]["message"]


@pytest.mark.parametrize(
    ("seconds", "least", "status", "advice"),
    [
        pytest.param(None, 10, "ok", "", id="not told"),
        (10, 10, "ok", ""),
        (30, 10, "ok", ""),
        (60, 10, "warn", "transactionLifetimeLimitSeconds to 10: so long"),
        (9, 10, "warn", "transactionLifetimeLimitSeconds to 10: twice"),
        (10, 40, "warn", "transactionLifetimeLimitSeconds to 40: twice"),
        (40, 40, "ok", ""),
        (60, 40, "warn", "transactionLifetimeLimitSeconds to 40: so long"),
    ],
)
def test_transactions_that_may_be_open_too_long_or_too_short(
    seconds: int | None, least: int, status: str, advice: str
) -> None:
    check = lifetime("MongoDB", seconds, least)
    assert check.status == status
    assert advice in check.advice
    assert (f"of up to {seconds} s" in check.message) is (status == "warn")


def test_how_long_a_transaction_may_be_open_is_asked(mongo_uri: str) -> None:
    assert read_server_facts(mongo_uri, 5000).transaction_seconds == 10


@pytest.mark.parametrize(("ahead", "where"), [(2.51, "2.5 s ahead of"), (-60.0, "60.0 s behind")])
def test_clocks_that_differ_are_reported(ahead: float, where: str) -> None:
    check = describe_clock("MongoDB", ahead)
    assert (check.status, where in check.message, "NTP" in check.advice) == ("warn", True, True)


def test_the_clock_of_the_store_is_compared(mongo_uri: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "now", lambda: now() - timedelta(hours=1))
    assert round(read_server_facts(mongo_uri, 5000).seconds_ahead / 3600) == 1


def test_a_read_preference_hinders_no_transaction(mongo_uri: str) -> None:
    assert read_server_facts(f"{mongo_uri}&readPreference=secondaryPreferred", 5000).transactions


@pytest.mark.parametrize(
    ("code", "seconds", "status", "message"),
    [
        pytest.param("print('fine')", 60, "ok", "what specs/ says", id="fresh"),
        pytest.param("import sys; sys.exit('1 file differs')", 60, "fail", "1 file differs", id="drift"),
        pytest.param("import time; time.sleep(60)", 0.1, "warn", "took longer", id="too slow"),
    ],
)
def test_drift_of_generated_code(
    examined: Any, monkeypatch: pytest.MonkeyPatch, code: str, seconds: float, status: str, message: str
) -> None:
    Path("specs").mkdir()
    Path("generator").mkdir()
    Path("generator/__init__.py").touch()
    Path("generator/__main__.py").write_text(code)
    monkeypatch.setattr(checks, "_GENERATOR_SECONDS", seconds)
    checked = found(examined("--json"))
    check = checked["generated"]
    assert check["status"] == status
    assert message in check["message"]
    assert "store" in checked, "what the store holds does not depend on it"
