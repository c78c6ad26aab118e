"""Settings: sources and their order, refusals that name the setting, and a print that hides secrets.

The golden file has the defaults, as ``python -m runtime.settings`` prints them where neither environment nor
specifications set anything. When a setting is meant to change: ``RECORDSMITH_WRITE_CASES=1``.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from runtime.errors import Misconfigured
from runtime.settings import Settings, environment_name, find_misspelt

ROOT = Path(__file__).parents[2]
GOLDEN = Path(__file__).with_name("golden") / "settings.txt"
SECRETS = {"mongodb.uri": "mongodb://ann:s3cret@db/x", "auth.jwt.secret": "s3cret-of-the-forms"}


def test_the_print_of_the_defaults_is_the_golden_file() -> None:
    printed = Settings.model_validate({}).printable() + "\n"
    if os.environ.get("RECORDSMITH_WRITE_CASES"):
        GOLDEN.write_text(printed, "utf-8")
    assert printed == GOLDEN.read_text("utf-8"), "if meant: run this with RECORDSMITH_WRITE_CASES=1"


def test_the_module_prints_the_effective_values() -> None:
    printed = subprocess.run(
        [sys.executable, "-m", "runtime.settings"],
        cwd=ROOT,
        env={"LIMITS_PAGE_SIZE": "7", "MONGODB_URI": SECRETS["mongodb.uri"]},
        check=True,
        capture_output=True,
        text=True,
    ).stdout

    assert "limits.page-size = 7\n" in printed
    assert "s3cret" not in printed


def test_secrets_are_masked_wherever_settings_are_shown() -> None:
    settings = Settings.read({environment_name(name): value for name, value in SECRETS.items()})

    assert "s3cret" not in settings.printable() + repr(settings) + str(settings) + settings.model_dump_json()
    assert "mongodb.uri = **********" in settings.printable()
    assert settings.mongodb_uri is not None
    assert settings.mongodb_uri.get_secret_value() == SECRETS["mongodb.uri"]


@pytest.mark.parametrize(
    ("name", "variable"),
    [
        ("mongodb.uri", "MONGODB_URI"),
        ("auth.access-token-seconds", "AUTH_ACCESS_TOKEN_SECONDS"),
        ("mp.jwt.verify.publickey.location", "MP_JWT_VERIFY_PUBLICKEY_LOCATION"),
    ],
)
def test_a_setting_has_one_name_in_the_environment(name: str, variable: str) -> None:
    assert environment_name(name) == variable


def test_no_two_settings_share_a_name_in_the_environment() -> None:
    rows = Settings.model_fields.values()
    assert len({environment_name(str(row.validation_alias)) for row in rows}) == len(rows)


def test_every_setting_has_its_help() -> None:
    assert [name for name, row in Settings.model_fields.items() if not row.description] == []


class TestSources:
    @pytest.fixture
    def config(self, tmp_path: Path) -> Path:
        file = tmp_path / "service.toml"
        file.write_text(
            'limits.page-size = 20\n"log.level" = "ERROR"\n[service]\ndefault-realm = "emea"\n', "utf-8"
        )
        return file

    def test_the_file_is_read_with_tables_dotted_and_quoted_names(self, config: Path) -> None:
        settings = Settings.read({"SERVICE_CONFIG": str(config)})
        assert (settings.page_size, settings.log_level, settings.default_realm) == (20, "ERROR", "emea")

    def test_the_environment_wins_over_the_file_and_overrides_over_both(self, config: Path) -> None:
        environment = {"SERVICE_CONFIG": str(config), "LIMITS_PAGE_SIZE": "30", "LOG_LEVEL": "DEBUG"}

        settings = Settings.read(environment, log_level="WARNING")

        assert (settings.page_size, settings.log_level, settings.default_realm) == (30, "WARNING", "emea")

    def test_the_specifications_come_last(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """``settings.toml`` is found next to the module that ``service.app`` names."""
        package = tmp_path / "bakery_generated"
        package.mkdir()
        (package / "__init__.py").touch()
        (package / "settings.toml").write_text('"limits.page-size" = 20\n"log.level" = "ERROR"\n', "utf-8")
        monkeypatch.syspath_prepend(str(tmp_path))
        environment = {"SERVICE_APP": "bakery_generated.app:create", "LOG_LEVEL": "DEBUG"}

        settings = Settings.read(environment)

        assert (settings.page_size, settings.log_level, settings.max_page_size) == (20, "DEBUG", 1000)
        assert "page_size" in settings.model_fields_set
        assert Settings.read(environment, page_size=7).page_size == 7
        assert Settings.read({"SERVICE_APP": "nowhere.app:create"}).page_size == 50

    def test_an_empty_variable_is_none(self, config: Path) -> None:
        assert Settings.read({"SERVICE_CONFIG": str(config), "LIMITS_PAGE_SIZE": ""}).page_size == 20
        assert Settings.read({"SERVICE_CONFIG": ""}).page_size == 50

    def test_other_variables_are_nobody_s_business(self) -> None:
        assert Settings.read({"HOME": "/root", "LIMITS_NOTHING": "1"}) == Settings.read({})

    def test_what_is_nearly_a_setting_is_found(self) -> None:
        misspelt = {"MONGODB_TIMEOUT": "1", "LIMITS_PAGESIZE": "1", "SERVICE_BASEURL": "x"}
        others = {
            "HOME": "/root", "MONGODB_PORT": "tcp://x:1", "MONGODB_SERVICE_HOST": "x", "SERVICE_CONFIG": "x",
            "MCP_CLIENT_ERP_URL": "x", "MCP_CLIENT_ERP_HEADER_X_Key": "x", "LIMITS_PAGE_SIZE": "1", "LIMITS": "1",
            "SERVICE_AGENT_TENANT_MAIN_ENABLEDTOOLS": "x", "HTTP_PROXY": "x", "LOG_FILE": "x", "": "x",
        }  # fmt: skip
        assert find_misspelt(misspelt | others) == {
            "MONGODB_TIMEOUT": "MONGODB_TIMEOUT_MS",
            "LIMITS_PAGESIZE": "LIMITS_PAGE_SIZE",
            "SERVICE_BASEURL": "SERVICE_BASE_URL",
        }

    def test_what_is_nearly_a_setting_of_a_realm_or_a_server_is_found(self) -> None:
        meant = {
            "SERVICE_AGENT_TENANT_MAIN_ENABLED_TOOLS": "SERVICE_AGENT_TENANT_MAIN_ENABLEDTOOLS",
            "SERVICE_AGENT_TENANT_MAIN_MAX_FIND_LIMIT": "SERVICE_AGENT_TENANT_MAIN_MAXFINDLIMIT",
            "SERVICE_AGENT_TENANT_MY_REALM_ENABLEDTOOL": "SERVICE_AGENT_TENANT_MY_REALM_ENABLEDTOOLS",
            "MCP_CLIENT_BILLING_TRANSPORT": "MCP_CLIENT_BILLING_TRANSPORT_TYPE",
        }
        of_kubernetes = (
            "MCP_CLIENT_SERVICE_HOST",
            "MCP_CLIENT_SERVICE_PORT_HTTP",
            "MCP_CLIENT_PORT_80_TCP_PORT",
        )
        assert find_misspelt(dict.fromkeys([*meant, *of_kubernetes], "x")) == meant

    def test_what_is_empty_is_spelt_well_and_a_secret_is_meant_for_one(self) -> None:
        others = {"MCP_CLIENT_CRM_URL": "", "MCP_CLIENT__URL": "x", "MCP_CLIENT_CRM_OAUTH_SECRET": "x"}
        meant = {"MCP_CLIENT_CRM_OAUTH_SECRET": "MCP_CLIENT_CRM_OAUTH_CLIENT_SECRET"}
        assert find_misspelt(others) == meant

    @pytest.mark.parametrize("name", ["MONGODB_URL", "MONGO_URI", "DATABASE_URL", "mongodb_uri", "Mongodb"])
    def test_an_address_of_a_store_is_meant_to_be_one(self, name: str) -> None:
        for address in ("mongodb://ann:s3cret@db/x", "mongodb+srv://db.example.com"):
            assert find_misspelt({name: address}) == {name: "MONGODB_URI"}
            assert find_misspelt({name: address, "MONGODB_URI": address}) == {}
            assert find_misspelt({name: address}, has_store=True) == {}
        assert find_misspelt({"DATABASE_URL": "postgres://db", "MONGODB_LOGO": "x"}) == {}

    def test_the_environment_of_the_process_is_the_default(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("LIMITS_PAGE_SIZE", "31")
        assert Settings.read().page_size == 31


class TestRefusals:
    @pytest.mark.parametrize(
        ("environment", "said"),
        [
            ({"LIMITS_PAGE_SIZE": "many"}, "limits.page-size must be a whole number"),
            ({"LIMITS_PAGE_SIZE": "1.5"}, "limits.page-size must be a whole number"),
            ({"LIMITS_PAGE_SIZE": "0"}, "limits.page-size must be greater than or equal to 1"),
            *(
                ({f"AUTH_{name}_SECONDS": "1000000000000"}, "must be less than or equal to 315360000")
                for name in (
                    *("ACCESS_TOKEN", "REFRESH_TOKEN", "SESSION", "SIGN_ON", "SIGN_ON_IDLE"),
                    "LOGIN_WINDOW",
                )
            ),
            ({"TRACING_RATIO": "often"}, "tracing.ratio must be a number"),
            ({"MONGODB_LANE": "maybe"}, "mongodb.lane must be true or false"),
            ({"METRICS_TOKEN": "short"}, "metrics.token must have 16 characters at least"),
            ({"OAUTH_REGISTRATION": "token"}, "settings: oauth.registration-token must have 32 characters"),
            ({"SERVICE_BASE_URL": "s3cret.example"}, "service.base-url: .*as in https://api.example"),
            ({"SERVICE_BASE_URL": "https://ann:s3cret@api.example"}, "service.base-url"),
            ({"SERVICE_BASE_URL": "https://api.example/?a=1"}, "service.base-url"),
            ({"SERVICE_BASE_URL": "https://api.example:http"}, "service.base-url"),
            ({"SERVICE_BASE_URL": "https://api.example:65536"}, "service.base-url"),
            ({"SERVICE_TRUSTED_PROXIES": "10.1.2.3/8"}, "service.trusted-proxies: .*; write 10.0.0.0/8"),
            (
                {"SERVICE_TRUSTED_PROXIES": "fd00::/8, proxy.example"},
                "service.trusted-proxies: .*proxy.example",
            ),
            ({"SERVICE_DEFAULT_REALM": "Main"}, "service.default-realm: .* must be 1 to 38 of a-z"),
            ({"SERVICE_DEFAULT_REALM": "a b"}, "service.default-realm: "),
            ({"SERVICE_DEFAULT_REALM": "admin"}, "service.default-realm: .*no database of MongoDB's own"),
            ({"SERVICE_ROOT_PATH": "api"}, "service.root-path: .*as in /records"),
            ({"SERVICE_ROOT_PATH": "/api/"}, "service.root-path: .*as in /records"),
            ({"SERVICE_ROOT_PATH": "https://api.example"}, "service.root-path"),
            ({"MONGODB_TIMEOUT_MS": "1"}, "mongodb.timeout-ms"),
            ({"AUTH_BCRYPT_COST": "31"}, "auth.bcrypt-cost"),
            ({"SERVICE_ENVIRONMENT": "staging"}, "service.environment must be 'development' or"),
            ({"LOG_LEVEL": "debug"}, "log.level"),
            ({"SERVICE_TRUSTED_PROXIES": "10.0.0.0/8, proxy"}, "service.trusted-proxies: .*'proxy'"),
            ({"SERVICE_TRUSTED_PROXIES": "10.0.0.0/8,0.0.0.0/0"}, "0.0.0.0/0 trusts every caller"),
            ({"SERVICE_TRUSTED_PROXIES": "::/0"}, "::/0 trusts every caller"),
        ],
        ids=str,
    )
    def test_a_value_that_cannot_be_read_is_named(self, environment: dict[str, str], said: str) -> None:
        with pytest.raises(Misconfigured, match=said):
            Settings.read(environment)

    def test_networks_are_comma_separated(self) -> None:
        settings = Settings.read({"SERVICE_TRUSTED_PROXIES": "10.0.0.0/8, fd00::/8,192.0.2.1,"})
        assert [str(network) for network in settings.trusted_networks] == [
            "10.0.0.0/8",
            "fd00::/8",
            "192.0.2.1/32",
        ]

    def test_all_of_them_are_named_at_once_and_none_is_shown(self) -> None:
        with pytest.raises(Misconfigured) as caught:
            Settings.read({"LIMITS_PAGE_SIZE": "s3cret", "AUTH_BCRYPT_COST": "s3cret"})

        assert "limits.page-size" in caught.value.message
        assert "auth.bcrypt-cost" in caught.value.message
        assert "s3cret" not in caught.value.message

    def test_the_command_names_them_without_a_traceback(self) -> None:
        environment = {"LIMITS_PAGE_SIZE": "many", "AUTH_BCRYPT_COST": "31"}
        printed = subprocess.run(
            [sys.executable, "-m", "runtime.settings"],
            cwd=ROOT,
            env=environment,
            check=False,
            capture_output=True,
            text=True,
        )
        assert (printed.returncode, printed.stdout) == (1, "")
        assert printed.stderr == (
            "error[service.misconfigured]: settings: limits.page-size must be a whole number; "
            "auth.bcrypt-cost must be less than or equal to 16\n"
        )

    @pytest.mark.parametrize("url", ["https://API.example", "http://[::1]:8080", "https://api.example/shop/"])
    def test_an_address_may_have_a_port_and_a_path(self, url: str) -> None:
        assert Settings.read({"SERVICE_BASE_URL": url}).base_url == url

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("limits.page-sise = 1", "limits.page-sise is not a setting; did you mean limits.page-size"),
            ("elsewhere = 1", "elsewhere is not a setting$"),
            ("limits = 1", "limits is not a setting"),
            ("[limits]\npage-size = [1]", "limits.page-size"),
            ("limits.page-size = ", "Invalid value"),
            (b"\xff", "service.toml"),
        ],
        ids=["misspelt", "unknown", "a table", "wrong type", "not TOML", "not text"],
    )
    def test_a_file_that_is_wrong_is_named(self, text: str | bytes, said: str, tmp_path: Path) -> None:
        file = tmp_path / "service.toml"
        file.write_bytes(text.encode() if isinstance(text, str) else text)

        with pytest.raises(Misconfigured, match=said):
            Settings.read({"SERVICE_CONFIG": str(file)})

    def test_a_file_that_is_not_there_is_named(self, tmp_path: Path) -> None:
        with pytest.raises(Misconfigured, match=r"nowhere\.toml"):
            Settings.read({"SERVICE_CONFIG": str(tmp_path / "nowhere.toml")})

    def test_settings_are_frozen(self) -> None:
        settings: Any = Settings.read({})
        with pytest.raises(ValidationError, match="frozen"):
            settings.page_size = 1


@pytest.mark.parametrize(
    ("environment", "issuer"),
    [
        ({}, "http://127.0.0.1:8080"),
        ({"SERVICE_BASE_URL": "https://api.example/"}, "https://api.example/"),
        (
            {"SERVICE_BASE_URL": "https://api.example", "MP_JWT_VERIFY_ISSUER": "https://id.example"},
            "https://id.example",
        ),
    ],
    ids=["default", "base url", "own"],
)
def test_the_issuer_is_spelled_as_configured(environment: dict[str, str], issuer: str) -> None:
    assert Settings.read(environment).token_issuer == issuer
