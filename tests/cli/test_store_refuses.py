"""A store that refuses commands: what MongoDB says of it ends the command in one line, without a traceback."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pymongo import MongoClient

from tests.lane.secured import PASSWORD, USER, secured_server

_OWN = f"{USER}:{PASSWORD.replace(' ', '%20')}@"


@pytest.fixture(scope="module")
def secured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A store with a user for data alone (``writer``) and one who may do nothing (``nobody``)."""
    with secured_server(tmp_path_factory.mktemp("secured")) as uri:
        with MongoClient[dict[str, Any]](uri) as client:
            roles = {"role": "readWrite", "db": "main"}
            client.admin.command("createUser", "writer", pwd=PASSWORD, roles=[roles])
            client.admin.command("createUser", "nobody", pwd=PASSWORD, roles=[])
        yield uri


@pytest.mark.parametrize(
    ("user", "words", "said"),
    [
        pytest.param(
            "writer:wrong@",
            ("realms", "list"),
            "error[service.misconfigured]: MongoDB refused a command: Authentication failed.\n",
            id="wrong password",
        ),
        pytest.param(
            "writer:wrong@",
            ("serve", "--port", "0"),
            "error[service.misconfigured]: MongoDB refused a command: Authentication failed.\n",
            id="wrong password of a service",
        ),
        pytest.param("", ("users", "list"), "requires authentication\n", id="no user"),
        pytest.param(
            _OWN.replace(USER, "writer"),
            ("realms", "create", "emea"),
            "MongoDB refused a command: not authorized on emea to execute command { ",
            id="one database alone",
        ),
        pytest.param(
            _OWN.replace(USER, "nobody"),
            ("users", "list"),
            "MongoDB refused a command: not authorized on main to execute command { ",
            id="nothing",
        ),
    ],
)
def test_refusal_is_one_line(
    here: Any, light: dict[str, str], secured: str, user: str, words: tuple[str, ...], said: str
) -> None:
    env = light | {"MONGODB_URI": secured.replace(_OWN, user), "SERVICE_DEFAULT_REALM": "main"}
    if not user:
        env["MONGODB_URI"] = env["MONGODB_URI"].replace("&authMechanism=SCRAM-SHA-256", "")
    done = here(*words, env=env | {"SERVICE_CHANGE_STREAMS": "false"})
    assert (done.exit_code, done.stdout) == (1, "")
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1, "neither a traceback nor the log of a fault"
    assert not [secret for secret in ("lsid", "clusterTime", "wrong") if secret in done.stderr]


def test_refusal_is_one_json_value(here: Any, light: dict[str, str], secured: str) -> None:
    env = light | {"MONGODB_URI": secured.replace(_OWN, "writer:wrong@")}
    done = here("realms", "list", "--json", env=env)
    message = "MongoDB refused a command: Authentication failed."
    assert json.loads(done.stdout) == {"error": {"code": "service.misconfigured", "message": message}}
    assert (done.exit_code, done.stderr) == (1, "")


def test_a_store_that_is_gone_is_waited_for_once(command: Any, caplog: pytest.LogCaptureFixture) -> None:
    """The driver reports each wait for a server; the end of sessions is worth less than the time that is set."""
    caplog.set_level(logging.DEBUG, "pymongo.serverSelection")
    env = {
        "MONGODB_URI": "mongodb://127.0.0.1:1/?replicaSet=none", "MONGODB_TIMEOUT_MS": "400",
        "SERVICE_APP": "post_new:create", "SERVICE_ENVIRONMENT": "production", "AUTH_JWT_SECRET": "0123456789" * 4,
        "MONGODB_LANE": "true",  # without it no session was begun, so none ends
    }  # fmt: skip
    done = command("realms", "list", env=env)
    assert (done.exit_code, done.stderr.count("the store did not answer")) == (4, 1)
    longest: dict[str, int] = {}
    for said in [json.loads(record.getMessage()) for record in caplog.records]:
        if "remainingTimeMS" in said:
            longest.setdefault(said["operation"], said["remainingTimeMS"])
    assert list(longest) == ["find", "endSessions"]
    assert longest["find"] > 250 >= longest["endSessions"]


def test_doctor_names_what_a_service_may_not_do(
    here: Any, light: dict[str, str], secured: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    uri = secured.replace(f"{USER}:", "nobody:")
    done = here("doctor", "--json", env=light | {"MONGODB_URI": uri, "SERVICE_DEFAULT_REALM": "main"})
    (fault,) = [check for check in json.loads(done.stdout)["checks"] if check["status"] == "fail"]
    assert (done.exit_code, fault["name"], done.stderr) == (1, "start", "")
    assert fault["message"].startswith("MongoDB refused a command: not authorized on main")
