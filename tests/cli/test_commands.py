"""The command as a whole: help, exit codes, commands that other packages bring."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint, version
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import typer
from rich.table import Table
from typer.testing import CliRunner

from runtime.cli import commands, entry
from runtime.cli.command_name import command_name
from runtime.cli.output import CommandFailed, ExitCode, open_error_output, report, report_failures
from runtime.errors import Duplicate, Misconfigured, StoreUnavailable

README = Path(commands.__file__).with_name("README.md")

brought = typer.Typer()


@brought.command("generate")
def generate() -> None:
    """Write the code."""
    typer.echo("generated")


@brought.command("users")
def users() -> None:
    """Would hide ours."""


@pytest.fixture
def points(monkeypatch: pytest.MonkeyPatch) -> list[EntryPoint]:
    """The entry points of the group, in place of those installed."""
    found: list[EntryPoint] = []
    commands._find_installed.cache_clear()
    monkeypatch.setattr(commands, "entry_points", lambda group: found if group == commands.GROUP else [])
    return found


def point(value: str) -> EntryPoint:
    return EntryPoint("it", value, commands.GROUP)


def test_commands_of_other_packages_stand_beside_ours(points: list[EntryPoint]) -> None:
    points.append(point(f"{__name__}:brought"))
    help_text = CliRunner().invoke(commands.app, ["--help"]).stdout
    assert "generate" in help_text
    assert "Would hide ours" not in help_text
    assert CliRunner().invoke(commands.app, ["generate"]).stdout == "generated\n"
    assert "set-password" in CliRunner().invoke(commands.app, ["users", "--help"]).stdout


def test_package_whose_libraries_are_missing_is_left_out(points: list[EntryPoint]) -> None:
    points.append(point("no_such_module:app"))
    assert CliRunner().invoke(commands.app, ["--help"]).exit_code == 0
    assert CliRunner().invoke(commands.app, ["generate"]).exit_code == ExitCode.USAGE


@pytest.mark.parametrize("words", [["nonsense"], ["users", "create"], ["serve", "--port", "x"]])
def test_wrong_usage_ends_with_2(points: list[EntryPoint], words: list[str]) -> None:
    assert CliRunner().invoke(commands.app, words).exit_code == 2


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["nonsense", "--json"], "No such command 'nonsense'."),
        (["--json", "users", "list"], "No such option: --json; write it behind the command"),
        (["users", "--json", "list"], "No such option: --json; write it behind the command"),
        (["users", "nonsense", "--json"], "No such command 'nonsense'."),
        (["users", "create", "--json"], "Missing option '--user'."),
        (["keys", "list", "--json", "--forever"], "No such option: --forever"),
        (["serve", "--json", "--port", "x"], "Invalid value for '--port': Input should be a valid integer"),
    ],
)
def test_wrong_usage_is_one_json_value_too(points: list[EntryPoint], words: list[str], says: str) -> None:
    done = CliRunner().invoke(commands.app, words)
    assert (done.exit_code, done.stderr) == (2, "")
    answer = json.loads(done.stdout)
    assert answer["error"].pop("message").startswith(says)
    assert answer == {"error": {"code": "command.usage"}}


@pytest.mark.parametrize(
    ("error", "code", "outcome"),
    [
        (Duplicate("it exists"), "record.duplicate", 1),
        (Misconfigured("it exists"), "service.misconfigured", 1),
        (StoreUnavailable("it exists"), "store.unavailable", 4),
        (CommandFailed("x.y", "it exists"), "x.y", 1),
        (CommandFailed("x.y", "it exists", ExitCode.IN_USE), "x.y", 3),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else None,
)
@pytest.mark.parametrize("as_json", [False, True], ids=["text", "json"])
def test_failure_is_said_once_and_coded(
    capsys: pytest.CaptureFixture[str], error: Exception, code: str, outcome: int, as_json: bool
) -> None:
    with pytest.raises(typer.Exit) as end, report_failures(as_json):
        raise error
    captured = capsys.readouterr()
    assert end.value.exit_code == outcome
    if as_json:
        assert json.loads(captured.out) == {"error": {"code": code, "message": "it exists"}}
        assert captured.err == ""
    else:
        assert (captured.out, captured.err) == ("", f"error[{code}]: it exists\n")


def test_no_text_steers_the_terminal_of_an_operator(capsys: pytest.CaptureFixture[str]) -> None:
    text = "a\x1b[31m\x9b2Jb\r\x07\u202e\u2069"
    table = Table("name")
    table.add_row(text)
    report(None, False, text)
    report(text, True, "")
    report(None, False, lambda out: out.print(table))
    open_error_output().print(text)
    for as_json in (False, True):
        with pytest.raises(typer.Exit), report_failures(as_json):
            raise CommandFailed("x.y", text)
    written = "".join(capsys.readouterr())
    assert written.count(r"a\x1b[31m\x9b2Jb\x0d\x07\u202e\u2069") == 4
    assert written.count(r"a\u001b[31m\u009b2Jb\r\u0007\u202e\u2069") == 2
    assert not set("\x1b\x9b\r\x07\u202e\u2069") & set(written)


def test_a_failure_has_its_notes(capsys: pytest.CaptureFixture[str]) -> None:
    error = Duplicate("it exists")
    error.add_note("Parcel 7")
    with pytest.raises(typer.Exit), report_failures(as_json=False):
        raise error
    assert capsys.readouterr().err == "error[record.duplicate]: it exists (Parcel 7)\n"


def test_an_interrupt_at_a_prompt_ends_as_any_other(monkeypatch: pytest.MonkeyPatch) -> None:
    def abort(*_given: Any, **_options: Any) -> None:
        raise typer.Abort

    monkeypatch.setattr("runtime.cli.users.read_password", abort)
    words = ["users", "create", "--user", "ann", "--tenant", "acme", "--roles", "user"]
    done = CliRunner().invoke(commands.app, words)
    assert (done.exit_code, done.stdout, "Aborted" in done.stderr) == (130, "", False)


def test_report_is_for_people_or_one_json_value(capsys: pytest.CaptureFixture[str]) -> None:
    report({"a": [1]}, True, lambda out: out.print("a is 1"))
    assert json.loads(capsys.readouterr().out) == {"a": [1]}
    report({"a": [1]}, False, lambda out: out.print("a is [1]", markup=False))
    assert capsys.readouterr().out == "a is [1]\n"


def test_readme_and_help_tell_the_exit_codes() -> None:
    text = README.read_text("utf-8")
    assert all(f"| {outcome.value} |" in text for outcome in ExitCode)
    help_text = CliRunner().invoke(commands.app, ["--help"]).stdout
    assert all(f"{outcome.value} " in help_text for outcome in ExitCode)


def _paths(group: Any, prefix: str = "recordsmith") -> list[str]:
    paths = []
    # Those of the generator, which has a README of its own.
    of_others = {"generate", "check", "rules", "new", "init", "diff", "release"}
    for name in group.list_commands(None):
        if prefix == "recordsmith" and name in of_others:
            continue
        child = group.get_command(None, name)
        here = f"{prefix} {name}"
        paths += _paths(child, here) if hasattr(child, "list_commands") else [here]
    return paths


def test_lists_of_commands_load_none_of_them() -> None:
    """Else ``--help`` takes seconds; the summaries it shows are those of the commands themselves."""
    script = (
        "import sys; from runtime.cli.commands import app; from typer.testing import CliRunner;"
        "assert 'Run the service' in CliRunner().invoke(app, ['--help']).stdout;"
        "heavy = {'pymongo', 'fastapi', 'uvicorn', 'pydantic', 'jinja2', 'yaml', 'httpx2'} & set(sys.modules);"
        "print(*heavy)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "\n"), done.stderr


def test_help_shows_the_defaults_that_are_found_at_run_time() -> None:
    """Brackets in the text of an option would be markup, and not be shown."""
    shown = " ".join(CliRunner().invoke(commands.app, ["users", "list", "--help"]).stdout.split())
    assert "[default: (.data)]" in shown
    assert "[default: (service.default-realm)]" in shown
    root: Any = typer.main.get_command(commands.app)
    for words in (path.split()[1:] for path in _paths(root)):
        command = root
        for word in words:
            command = command.get_command(None, word)
        texts = {option.name: option.help or "" for option in command.params if hasattr(option, "help")}
        assert {name: text for name, text in texts.items() if "[" in text} == {}, words


@pytest.mark.parametrize("name", commands.OURS)
def test_a_summary_is_that_of_its_command(name: str) -> None:
    command: Any = typer.main.get_command(commands.app)
    help_text = command.get_command(None, name).help
    assert " ".join(help_text.partition("\n\n")[0].split()) == commands.OURS[name][1]


def test_the_version_needs_no_library() -> None:
    script = (
        "import sys; sys.argv = ['recordsmith', '--version']; from runtime.cli import main; main();"
        "print(*({'typer', 'rich', 'pydantic'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, f"{version('recordsmith')}\n\n"), done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals of POSIX")
def test_ctrl_c_after_the_end_changes_nothing() -> None:
    """While libraries clean up behind a command that has done its work."""
    code = (
        "import atexit, os, signal, sys; from runtime.cli import main; sys.argv = ['recordsmith', '--version'];"
        "atexit.register(lambda: os.kill(os.getpid(), signal.SIGINT)); signal.signal(signal.SIGINT,"
        "signal.default_int_handler); main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{version('recordsmith')}\n", "")


@pytest.fixture
def entered(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The command as it is entered in a process: the handlers of signals are those of Python, and come back."""
    monkeypatch.setattr(sys, "argv", ["recordsmith", "doctor"])
    names = [name for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = {name: signal.signal(getattr(signal, name), signal.SIG_DFL) for name in names}
    yield
    for name, handler in before.items():
        signal.signal(getattr(signal, name), handler)


@pytest.mark.usefixtures("entered")
def test_an_interrupt_while_libraries_load_ends_without_a_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    class Loading(ModuleType):
        def __getattr__(self, name: str) -> Any:
            raise KeyboardInterrupt

    monkeypatch.setitem(sys.modules, "runtime.cli.commands", Loading("runtime.cli.commands"))
    with pytest.raises(SystemExit) as ended:
        entry.main()
    assert ended.value.code == 130
    assert "| 130 |" in README.read_text("utf-8")


@pytest.mark.usefixtures("entered")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
@pytest.mark.skipif(sys.platform == "win32", reason="needs signals of POSIX")
def test_other_signals_end_a_command_as_ctrl_c_does(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    stopped: list[str] = []

    def run() -> None:
        try:
            signal.raise_signal(getattr(signal, name))
        finally:
            stopped.append(name)

    monkeypatch.setattr(commands, "main", run)
    with pytest.raises(SystemExit) as ended:
        entry.main()
    assert (ended.value.code, stopped) == (130, [name])


def test_an_unknown_command_gets_a_suggestion() -> None:
    done = CliRunner().invoke(commands.app, ["serv"])
    assert done.exit_code == ExitCode.USAGE
    assert "Did you mean 'serve'" in done.output


def test_shells_complete_commands_and_options() -> None:
    def complete(words: str) -> str:
        env = {"_RECORDSMITH_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": "1"}
        return CliRunner().invoke(commands.app, [], prog_name="recordsmith", env=env).stdout

    assert complete("recordsmith re").split() == ["realms", "restore", "references", "release"]
    assert "--install-completion" in CliRunner().invoke(commands.app, ["--help"]).stdout


def test_tables_are_not_cut_to_a_terminal_when_piped(capsys: pytest.CaptureFixture[str]) -> None:
    table = Table("name", "value", box=None)
    table.add_row("a" * 150, "b" * 150)
    report({}, False, lambda out: out.print(table))
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert lines == [["name", "value"], ["a" * 150, "b" * 150]]


def test_text_of_records_is_printed_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    table = Table("name", box=None)
    table.add_row("[red]Lamp[/red] :warning:")
    report({}, False, lambda out: out.print(table, "[b]Sun[/b] :sun:"))
    report({}, False, "[b]Moon[/b] :moon:")
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    assert lines[1:] == ["[red]Lamp[/red] :warning:", "[b]Sun[/b] :sun:", "[b]Moon[/b] :moon:"]


@pytest.mark.parametrize(
    ("on_path", "called", "name"),
    [
        (True, "bin/recordsmith", "recordsmith"),
        (False, "bin/recordsmith", "bin/recordsmith"),
        (True, "recordsmith/__main__.py", "recordsmith"),
        (False, "recordsmith/__main__.py", "bin/recordsmith"),
    ],
)
def test_a_printed_command_can_be_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, on_path: bool, called: str, name: str
) -> None:
    program = tmp_path / "bin" / "recordsmith"
    program.parent.mkdir()
    program.touch(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(program.parent) if on_path else "/nowhere")
    monkeypatch.setattr(sys, "argv", [called])
    monkeypatch.setattr(sys, "executable", str(tmp_path / "bin" / "python"))
    assert command_name() == name


def test_the_path_of_a_printed_command_is_quoted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "my bin" / "recordsmith"
    program.parent.mkdir()
    program.touch(0o755)
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(sys, "argv", [str(program)])
    assert command_name() == f"'{program}'"


def test_readme_names_every_command() -> None:
    text = README.read_text("utf-8")
    assert [path for path in _paths(typer.main.get_command(commands.app)) if path not in text] == []


@pytest.mark.parametrize(
    ("page", "title"), [("transfer", "CSV: import profiles"), ("transfer/HTTP", "CSV over HTTP")]
)
def test_the_manual_shows_each_page_of_a_package(page: str, title: str) -> None:
    done = CliRunner().invoke(commands.app, ["manual", page])
    assert (done.exit_code, done.stdout.partition("\n")[0]) == (0, f"# {title}")


@pytest.mark.parametrize(
    ("page", "advice"),
    [("backups", "; did you mean backup?"), ("nope", "; `recordsmith manual` lists all pages")],
)
def test_an_unknown_page_of_the_manual_is_a_usage_error(page: str, advice: str) -> None:
    done = CliRunner().invoke(commands.app, ["manual", page])
    says = f"error[manual.unknown]: the manual has no page '{page}'{advice}\n"
    assert (done.exit_code, done.stderr) == (2, says)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("words", [["manual", "specs"], ["--version"]], ids=" ".join)
def test_a_full_disk_is_said_in_one_line(words: list[str]) -> None:
    with Path("/dev/full").open("wb") as full:
        command = [sys.executable, "-m", "runtime.cli", *words]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    said = "error[output.unwritable]: the disk is full: No space left on device\n"
    assert (done.returncode, done.stderr) == (1, said)


@pytest.mark.parametrize("words", [["manual", "specs"], ["--version"], ["rules"]], ids=" ".join)
def test_a_reader_that_has_gone_ends_a_command_in_silence(words: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as pipe:
        command = [sys.executable, "-m", "runtime.cli", *words]
        done = subprocess.run(command, stdout=pipe, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.skipif(sys.platform == "win32", reason="needs a shell of POSIX")
def test_the_version_without_standard_output() -> None:
    command = f"{sys.executable} -m runtime.cli --version >&-"
    done = subprocess.run(["sh", "-c", command], stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
