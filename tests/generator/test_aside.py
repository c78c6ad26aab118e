"""Work in a second process gives what one process gives, and its failures are reported."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from generator.__main__ import commands
from generator.aside import may_run_aside, run_aside
from generator.load import whole
from generator.render import document
from tests.generator.conftest import SURROUNDINGS, Workshop

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="only there a process is forked"),
    pytest.mark.filterwarnings("ignore:This process:DeprecationWarning"),  # of the threads of pytest
]

PARCEL = "record: Parcel\nfields:\n  label: {type: string, maxLength: 9}\n  to: {reference: Country}\n"
WRONG = {
    "specs/logistics/broken.yaml": "record: Broken\nfields: {a: [}\n",
    "specs/logistics/crate.yaml": "record: Crate\nfields:\n  of: {reference: Brokn}\n  to: {reference: Contry}\n",
    "specs/logistics/misspelt.yaml": "record: Misspelt\nfield: {a: string}\n",
    "specs/logistics/twice.yaml": "record: Parcel\n",
    "specs/misplaced.yaml": "record: Misplaced\n",
}


def kill_itself(*_arguments: object) -> bytes:
    os.kill(os.getpid(), signal.SIGKILL)
    return b""


@pytest.fixture
def project(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> Workshop:
    workshop.write({**SURROUNDINGS, "specs/logistics/parcel.yaml": PARCEL})
    monkeypatch.chdir(workshop.folder)
    return workshop


@pytest.fixture
def split(monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[int]]:
    """Let a small project be worked on in two processes; returns the list that they are added to."""

    def begin() -> list[int]:
        forked: list[int] = []
        fork = os.fork

        def count() -> int:
            child = fork()
            forked.append(child)
            return child

        monkeypatch.setattr(os, "fork", count)
        for module in (whole, document):
            monkeypatch.setattr(module, "may_run_aside", lambda: True)
            monkeypatch.setattr(module, "_MANY", 0)
        return forked

    return begin


def run(command: str) -> Result:
    return CliRunner().invoke(commands, [*command.split(), "--no-cache"])


def read_files(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def test_two_processes_write_the_same_files(project: Workshop, split: Callable[[], list[int]]) -> None:
    assert run("generate --out one").exit_code == 0
    forked = split()
    assert run("generate --out two").exit_code == 0
    assert read_files(Path("one")) == read_files(Path("two"))
    assert run("check --out one").exit_code == 0
    assert len(forked) == 2 * 2, "one reads, one describes"


def test_two_processes_report_the_same_problems(project: Workshop, split: Callable[[], list[int]]) -> None:
    project.write(WRONG)
    expected = run("check")
    assert expected.exit_code == 1
    assert all(Path(name).name in expected.output for name in WRONG)
    forked, found = split(), run("check")
    assert (found.exit_code, found.output, len(forked)) == (1, expected.output, 1)


@pytest.mark.parametrize(
    "work", [(whole, "_read_values"), (document, "render_document")], ids=["reading", "describing"]
)
def test_a_killed_process_is_reported(
    project: Workshop,
    split: Callable[[], list[int]],
    work: tuple[object, str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    split()
    monkeypatch.setattr(*work, kill_itself)
    found = run("generate")
    assert found.exit_code == 2
    assert found.output == (
        "a process of this command was ended by signal 9; "
        "run the command again, with more memory if it ran out\n"
    )
    assert not Path("generated").exists()


def test_what_a_process_raises_is_raised_here() -> None:
    with run_aside(lambda: bytes([256])) as finish, pytest.raises(ValueError, match="range"):
        finish()


def test_what_fails_there_alone_is_done_here() -> None:
    here = os.getpid()
    with run_aside(lambda: b"%d" % (1 / (os.getpid() == here))) as finish:
        assert finish() == b"1"


def test_a_process_ends_with_the_block_that_raises(split: Callable[[], list[int]]) -> None:
    forked = split()

    def wait() -> bytes:
        signal.pause()
        return b""

    with pytest.raises(KeyError), run_aside(wait):
        raise KeyError
    with pytest.raises(ChildProcessError):
        os.waitpid(forked[0], os.WNOHANG)


@pytest.mark.parametrize(
    ("module", "name", "value"),
    [
        (sys, "platform", "darwin"),
        (os, "sched_getaffinity", lambda _process: {0}),
        (threading, "active_count", lambda: 2),
    ],
    ids=["macOS", "one core", "threads"],
)
def test_one_process_works_where_two_would_not(
    module: object, name: str, value: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _process: {0, 1})
    monkeypatch.setattr(threading, "active_count", lambda: 1)
    assert may_run_aside()
    monkeypatch.setattr(module, name, value)
    assert not may_run_aside()
