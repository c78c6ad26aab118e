"""How commands read a password on a terminal: a new one twice, that of a sign-in once."""

from __future__ import annotations

import sys
from typing import Any

import pytest
import typer

from runtime.cli.api import SignIn
from runtime.cli.destination import Destination
from runtime.cli.users import read_password


@pytest.fixture
def prompts(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The options of each prompt that a terminal shows."""
    shown: list[dict[str, Any]] = []

    def prompt(text: str, **options: Any) -> str:
        shown.append({"text": text, **options})
        return "correct horse battery"

    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(typer, "prompt", prompt)
    return shown


def test_a_new_password_is_confirmed(prompts: list[dict[str, Any]]) -> None:
    assert read_password(from_input=False) == "correct horse battery"
    assert prompts == [{"text": "Password", "hide_input": True, "confirmation_prompt": True}]


def test_a_sign_in_asks_once(prompts: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[SignIn] = []
    monkeypatch.setattr("runtime.cli.destination.Api", lambda _url, sign_in: opened.append(sign_in))
    Destination(url="http://127.0.0.1:1", user="ann@acme").open()
    assert opened == [SignIn("ann@acme", "correct horse battery", None, None)]
    assert prompts == [{"text": "Password", "hide_input": True, "confirmation_prompt": False}]
