"""From settings to a store: which one a command opens, and which one it refuses."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from runtime.cli.opening import prepare_demo, with_store
from runtime.cli.output import CommandFailed, ExitCode
from runtime.cli.serve import _for_workers
from runtime.errors import Misconfigured
from runtime.settings import Settings
from runtime.storage.opening import open_store
from runtime.storage.store import explain_faults


def test_embedded_store_is_refused_in_production(tmp_path: Path) -> None:
    settings = Settings.read({}, data_folder=tmp_path / "data", environment="production")
    advice = r"set MONGODB_URI .* or mongodb\.embedded-in-production"
    with pytest.raises(Misconfigured, match=advice), with_store(settings):
        pass
    assert not (tmp_path / "data").exists()


def test_a_misspelt_address_of_a_store_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MONGODB_URI", raising=False)
    monkeypatch.setenv("MONGODB_URL", "mongodb://ann:s3cret@db")
    settings = Settings.read({}, data_folder=tmp_path / "data")
    advice = "; MONGODB_URL sets nothing: did you mean MONGODB_URI?"
    with pytest.raises(CommandFailed) as failed, with_store(settings):
        pass
    assert failed.value.message.endswith(advice)
    with (
        pytest.raises(Misconfigured) as refused,
        with_store(settings.model_copy(update={"environment": "production"})),
    ):
        pass
    assert refused.value.message.endswith(advice)
    monkeypatch.setenv("MONGODB_UR", "mongodb://db")
    with pytest.raises(CommandFailed, match="MONGODB_UR, MONGODB_URL set nothing"), with_store(settings):
        pass


def test_a_wrong_folder_never_becomes_a_database(tmp_path: Path) -> None:
    settings = Settings.read({}, data_folder=tmp_path / "dta")
    with (
        pytest.raises(CommandFailed, match=r"dta contains no database: pass the data") as failed,
        with_store(settings),
    ):
        pass
    assert failed.value.exit_code is ExitCode.USAGE
    assert not (tmp_path / "dta").exists()


@pytest.mark.parametrize(
    ("environment", "ends_as"),
    [
        pytest.param({}, "development", id="environment that nobody set"),
        pytest.param(
            {"SERVICE_ENVIRONMENT": "production", "MONGODB_EMBEDDED_IN_PRODUCTION": "true"},
            "production",
            id="allowed by its setting",
        ),
    ],
)
def test_embedded_store_opens(tmp_path: Path, environment: dict[str, str], ends_as: str) -> None:
    with with_store(Settings.read(environment, data_folder=tmp_path / "data"), revive=True) as settings:
        assert settings.environment == ends_as
        assert settings.mongodb_uri is not None


@pytest.mark.parametrize(("said", "executes"), [({}, True), ({"gateway_executes": False}, False)])
def test_workers_of_the_demo_embed_records(said: dict[str, bool], executes: bool) -> None:
    settings = prepare_demo(Settings.read({}, **said))
    assert Settings.read(_for_workers(settings)).gateway_executes is executes


@pytest.mark.parametrize(
    "environment",
    [
        pytest.param({"SERVICE_ENVIRONMENT": "production"}, id="production"),
        pytest.param({"MONGODB_URI": "mongodb://store.example"}, id="store of its own, and nothing said"),
    ],
)
def test_demo_users_are_refused_in_production(environment: dict[str, str]) -> None:
    with pytest.raises(
        Misconfigured, match=r"--demo .* service\.environment is production; set it to development"
    ):
        prepare_demo(Settings.read(environment))


def test_demo_users_may_be_in_a_store_for_development() -> None:
    environment = {"MONGODB_URI": "mongodb://store.example", "SERVICE_ENVIRONMENT": "development"}
    assert prepare_demo(Settings.read(environment)).environment == "development"


@pytest.mark.parametrize(
    ("uri", "message"),
    [
        ("mongo://x", "MONGODB_URI is not valid: Invalid URI scheme"),
        ("mongodb://u:p@ss@h/", "MONGODB_URI is not valid: Username and password must be escaped"),
        ("mongodb://u:p/s3cret@h/", "MONGODB_URI is not valid: Bad database name"),
        ("mongodb://u:s3cret@/tmp/m.sock", "MONGODB_URI is not valid: "),
        ("mongodb://u:s3cret@h%41/", "MONGODB_URI is not valid: Percent-encoding is only allowed in"),
        ("mongodb://u:s3cret@h:70000/", "MONGODB_URI is not valid: Port must be an integer"),
        ("mongodb://u:s3cret@h:abc/", "MONGODB_URI is not valid: Port contains non-digit characters"),
        ("mongodb://u:s3cret@h,", "MONGODB_URI is not valid: Empty host"),
        (
            "mongodb://h/?tls=true&tlsCAFile=/nonexistent/ca.pem",
            "MONGODB_URI names the file /nonexistent/ca.pem that cannot be used: No such file or directory",
        ),
        (
            f"mongodb://h/?tls=true&tlsCAFile={__file__}",
            "MONGODB_URI names a certificate that cannot be used: ",
        ),
    ],
)
def test_a_wrong_address_of_a_store_is_explained(uri: str, message: str) -> None:
    async def open_it() -> None:
        async with open_store(Settings.read({}, mongodb_uri=uri)):
            pass

    with pytest.raises(Misconfigured) as refused, explain_faults():
        asyncio.run(open_it())
    assert refused.value.message.startswith(message)
    assert "s3cret" not in refused.value.message
