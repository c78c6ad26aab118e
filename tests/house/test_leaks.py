"""A module that leaves something behind in its process fails."""

import os
import signal
from pathlib import Path

import pytest

from tests.leaks import Surroundings


def test_what_a_module_leaves_behind_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    before = Surroundings.read()
    assert before.list_changes(Surroundings.read()) == []
    monkeypatch.setitem(os.environ, "A_SECRET", "hidden")
    monkeypatch.chdir(tmp_path)
    handler = signal.signal(signal.SIGUSR2, signal.SIG_IGN)
    try:
        found = before.list_changes(Surroundings.read())
    finally:
        signal.signal(signal.SIGUSR2, handler)
    assert found == ["the variable A_SECRET", "the handler of SIGUSR2", "the working directory"]
