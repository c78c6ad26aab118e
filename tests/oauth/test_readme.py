"""The commands and programs in *Sign in from an application* of the README, and those of its details, run as printed."""

from __future__ import annotations

import builtins
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from pymongo import MongoClient

from runtime.identity.users.users import NewUser
from tests.forked import start_command
from tests.oauth.served import USER, Served, serve_applications

ROOT = Path(__file__).parents[2]
README, DETAILS = ROOT / "README.md", ROOT / "runtime" / "oauth" / "README.md"
DOCUMENTATION = ROOT / "runtime" / "http" / "README.md"
CALLBACK = "http://127.0.0.1:5000/callback"
ADMIN = NewUser("admin@acme.example", "correct horse battery", "acme", frozenset({"admin"}))
PREFIX = "http://127.0.0.1:8080"
RECORDSMITH = ".venv/bin/recordsmith"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("served")


@pytest.fixture(scope="module")
def served(mongo_uri: str, mongo_client: MongoClient[dict[str, Any]], folder: Path) -> Iterator[Served]:
    with serve_applications(mongo_uri, mongo_client, folder, callback=CALLBACK, users=[ADMIN]) as opened:
        yield opened


def read_section(page: Path, title: str) -> str:
    return page.read_text("utf-8").partition(f"## {title}\n")[2].partition("\n## ")[0]


FOR_ITSELF = read_section(README, "Sign in from an application")
FOR_USERS = read_section(DETAILS, "Applications with users")


def read_program(served: Served, section: str) -> str:
    """The program of a section, with the address of the service and the client ``web``."""
    (program,) = re.findall(r"^```python\n(.*?)^```", section, re.MULTILINE | re.DOTALL)
    names = {PREFIX: served.url, "depot-app": "web", "nightly-import": "web"}
    return re.sub("|".join(names), lambda found: names[found[0]], program)


def test_a_program_gets_a_token_for_itself(served: Served) -> None:
    program = read_program(served, FOR_ITSELF)
    values: dict[str, Any] = {"secret": served.secrets["web"]}
    exec(compile(program, "README.md", "exec"), values)
    assert values["carriers"]["rows"] == []


def test_a_program_signs_a_user_in(
    served: Served, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    program = read_program(served, FOR_USERS)
    program = re.sub(r'^SECRET = ".*"$', f"SECRET = {served.secrets['web']!r}", program, flags=re.MULTILINE)

    def answer(_prompt: str) -> str:
        (address,) = re.findall(r"^Open (\S+)$", capsys.readouterr().out, re.MULTILINE)
        return served.sign_in(address)

    monkeypatch.setattr(builtins, "input", answer)
    exec(compile(program, "README.md", "exec"), {})
    said = capsys.readouterr().out
    assert f"'preferred_username': '{USER.user_id}'" in said
    assert "'rows': []" in said


@dataclass
class Shell:
    """Runs commands as they are printed; ``known`` maps what is printed to what it was here."""

    environment: Mapping[str, str]
    known: dict[str, str] = field(default_factory=dict)

    def run(self, page: str) -> int:
        """Run the commands of all console blocks, compare their output. Returns how many there were."""
        number = 0
        for block in re.findall(r"^```console\n(.*?)^```", page, re.MULTILINE | re.DOTALL):
            for command, shown in re.findall(r"^\$ ((?:.*\\\n)*.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE):
                self.compare(shown, self.execute(command))
                number += 1
        return number

    def execute(self, command: str) -> str:
        for printed, here in self.known.items():
            command = command.replace(printed, here)
        program, *words = shlex.split(command.replace("\\\n", ""))
        if program == self.known[RECORDSMITH]:
            return self.fork(words)
        done = subprocess.run(
            ["bash", "-c", command],
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, (command, done.stderr)
        return done.stdout

    def fork(self, words: list[str]) -> str:
        """Run the command line of the service, which loads for seconds in a shell; return its output."""
        process = start_command(*words, env=dict(self.environment))
        assert process.stdout is not None
        with process.stdout:
            said = process.stdout.read()
        assert process.wait(60) == 0, words
        return said

    def compare(self, shown: str, said: str) -> None:
        """The same members, or the same lines; what is told apart by its shape alone is remembered."""
        if shown.startswith("{"):
            printed, here = json.loads(shown), json.loads(said)
            assert here.keys() == printed.keys(), said
            secret = {"access_token", "clientSecret"} & here.keys()
            self.known.update({printed[name]: here[name] for name in secret})
            return
        for printed, here in zip(shown.splitlines(), said.splitlines(), strict=True):
            if re.fullmatch(r"[\w-]{43}", printed):
                assert re.fullmatch(r"[\w-]{43}", here)
                self.known[printed] = here
            else:
                assert here == re.sub(re.escape(PREFIX), self.known[PREFIX], printed)


def open_shell(served: Served, mongo_uri: str, folder: Path) -> Shell:
    login = {"userId": ADMIN.user_id, "password": ADMIN.password}
    token = served.http.post(f"{served.url}/security/login", json=login).json()["accessToken"]
    settings = {
        "MONGODB_URI": mongo_uri, "SERVICE_DEFAULT_REALM": served.documents.name, "AUTH_BCRYPT_COST": "4",
        "SERVICE_ENVIRONMENT": "development", "SERVICE_BASE_URL": served.url, "TOKEN": token,
    }  # fmt: skip
    recordsmith = Path(sys.executable).with_name("recordsmith")
    search = f"{recordsmith.parent}{os.pathsep}{os.environ['PATH']}"
    shell = Shell(os.environ | settings | {"PATH": search})
    shell.known |= {
        PREFIX: served.url,
        RECORDSMITH: str(recordsmith),
        "--data .data": f"--data {folder}",
    }
    return shell


def test_the_commands(served: Served, mongo_uri: str, folder: Path) -> None:
    shell = open_shell(served, mongo_uri, folder)
    assert shell.run(FOR_ITSELF) == 3
    assert shell.run(FOR_USERS) == 1
    request = {"response_type": "code", "client_id": "depot-app", "redirect_uri": CALLBACK, "scope": "openid"}
    callback = served.sign_in(f"{served.url}/oauth/authorize?{urlencode(request)}")
    shell.known["SplxlOBeZQQ…"] = parse_qs(urlsplit(callback).query)["code"][0]
    assert shell.run(DETAILS.read_text("utf-8").replace(FOR_USERS, "")) == 4
    assert served.documents["credentials"].count_documents({"userId": "night-shift"}) == 1


def test_the_command_that_registers_the_documentation(served: Served, mongo_uri: str, folder: Path) -> None:
    """It creates the client that the tests in a browser sign in by."""
    clients = served.documents["oauth_clients"]
    before = clients.find_one_and_delete({"clientId": "docs"})
    page = DOCUMENTATION.read_text("utf-8")
    (command,) = re.findall(r"^\$ (recordsmith clients create .*\\\n.*)$", page, re.MULTILINE)
    open_shell(served, mongo_uri, folder).execute(command)
    after = clients.find_one({"clientId": "docs"})
    assert before is not None
    assert after is not None
    same = ("redirectUris", "publicClient", "requireConsent")
    assert [after[name] for name in same] == [before[name] for name in same]
    assert {*before["allowedGrantTypes"]} <= {*after["allowedGrantTypes"]}
