"""The programs in *Sign in from an application* of the README run as they are printed."""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pymongo import MongoClient

from tests.oauth.served import USER, Served, serve_applications

README = Path(__file__).parents[2] / "README.md"
CALLBACK = "http://127.0.0.1:5000/callback"


@pytest.fixture(scope="module")
def served(
    mongo_uri: str, mongo_client: MongoClient[dict[str, Any]], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("served")
    with serve_applications(mongo_uri, mongo_client, folder, callback=CALLBACK) as opened:
        yield opened


def read_programs(served: Served) -> list[str]:
    """The programs, with the address of the service and the client ``web``."""
    section = README.read_text("utf-8").partition("## Sign in from an application")[2].partition("\n## ")[0]
    programs = re.findall(r"^```python\n(.*?)^```", section, re.MULTILINE | re.DOTALL)
    names = {"http://127.0.0.1:8080": served.url, "depot-app": "web", "nightly-import": "web"}
    return [re.sub("|".join(names), lambda found: names[found[0]], program) for program in programs]


def test_a_program_gets_a_token_for_itself(served: Served) -> None:
    program, _ = read_programs(served)
    values: dict[str, Any] = {"secret": served.secrets["web"]}
    exec(compile(program, "README.md", "exec"), values)
    assert values["carriers"]["rows"] == []


def test_a_program_signs_a_user_in(
    served: Served, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _, program = read_programs(served)
    program = re.sub(r'^SECRET = ".*"$', f"SECRET = {served.secrets['web']!r}", program, flags=re.MULTILINE)

    def answer(_prompt: str) -> str:
        (address,) = re.findall(r"^Open (\S+)$", capsys.readouterr().out, re.MULTILINE)
        return served.sign_in(address)

    monkeypatch.setattr(builtins, "input", answer)
    exec(compile(program, "README.md", "exec"), {})
    said = capsys.readouterr().out
    assert f"'preferred_username': '{USER.user_id}'" in said
    assert "'rows': []" in said
