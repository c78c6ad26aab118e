"""Commands that fork from a process that has loaded them (``tests/forked.py``), as tests use them."""

from __future__ import annotations

import os

import pytest

from tests.forked import start_command


def test_a_signal_for_a_process_that_has_ended_since(monkeypatch: pytest.MonkeyPatch) -> None:
    process = start_command("--help", env=dict(os.environ))
    assert process.stdout
    with process.stdout:
        assert "serve" in process.stdout.read()
    assert process.wait(timeout=60) == 0
    monkeypatch.setattr(
        process, "poll", lambda: None
    )  # the signal follows the question, the end comes between
    process.kill()
