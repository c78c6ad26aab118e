"""The commands: what they print, what they write, how they end."""

from __future__ import annotations

import gc
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from errno import EACCES, EPIPE
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from generator.__main__ import commands
from generator.folders import LIST_NAME, SYSTEM_SPECS
from generator.load import load
from generator.refusal import explain_file_errors
from generator.resolve import resolve
from generator.runs import Run
from generator.spec_rules import RULES
from tests import example_service

ROOT = Path(__file__).parents[2]
SERVICE = 'title: Parcels\nversion: "1.0.0"\nareas:\n  logistics: Parcels.\n'
PARCEL = "record: Parcel\nfields:\n  label: string\n"


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Specifications of one record that were generated before: what their cache has is not rendered again."""
    folder = tmp_path_factory.mktemp("known")
    (folder / "specs" / "logistics").mkdir(parents=True)
    (folder / "specs" / "service.yaml").write_text(SERVICE, "utf-8")
    (folder / "specs" / "logistics" / "parcel.yaml").write_text(PARCEL, "utf-8")
    done = run("generate", "--specs", str(folder / "specs"), "--out", str(folder / "generated"))
    assert done.exit_code == 0, done.output
    return folder / "specs"


GENERATE = "run recordsmith generate, and commit what it writes"


@pytest.fixture
def folder(known: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with one record and no code yet, and the commands run in it."""
    shutil.copytree(known, tmp_path / "specs", ignore=shutil.ignore_patterns(".schema"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(commands, list(arguments))


def count_system_files() -> int:
    """How many files the service's own records have, which are generated already."""
    return len((SYSTEM_SPECS.parent / LIST_NAME).read_text("utf-8").splitlines()[1:])


def break_specs(folder: Path) -> None:
    (folder / "specs" / "logistics" / "parcel.yaml").write_text("record: Parcel\nfeilds: {}\n", "utf-8")


def test_generate_writes_and_says_so(folder: Path) -> None:
    done = run("generate")
    assert done.exit_code == 0
    lines = done.output.splitlines()
    assert "wrote generated/models/parcel.py" in lines
    assert "wrote specs/.schema/record.json" in lines
    assert lines[-1] == f"wrote {len(lines) - 1}, removed 0, unchanged {count_system_files()}"
    assert (folder / "generated" / "openapi.json").exists()
    assert json.loads((folder / "specs" / ".schema" / "record.json").read_text())["$schema"]


def test_a_second_run_writes_nothing(folder: Path) -> None:
    count = len(run("generate").output.splitlines()) - 1 + count_system_files()
    assert run("generate").output == f"wrote 0, removed 0, unchanged {count}\n"


def test_what_the_process_has_frozen_stays_frozen(folder: Path) -> None:
    """Its collector would look at all of it again; of the tests, that is everything collected."""
    frozen = gc.get_freeze_count()
    assert run("check").exit_code == 1
    assert gc.get_freeze_count() > frozen / 2 > 0


def test_what_a_change_does(folder: Path) -> None:
    run("generate")
    other = folder / "specs" / "logistics" / "letter.yaml"
    other.write_text(PARCEL.replace("Parcel", "Letter"), "utf-8")
    assert "wrote generated/models/letter.py" in run("generate").output
    other.unlink()
    done = run("generate", "--format", "json")
    assert "generated/models/letter.py" in json.loads(done.output)["removed"]


def test_options_name_folders_and_package(folder: Path) -> None:
    done = run("generate", "--specs", "specs", "--out", "code/parcels", "--package", "parcels")
    assert done.exit_code == 0
    assert "parcels.models.parcel" in (folder / "code/parcels/record_types.py").read_text()


@pytest.mark.parametrize(
    "arguments", [("check",), ("generate", "--check")], ids=["check", "generate --check"]
)
def test_warnings_stop_nothing_and_are_repeated(folder: Path, arguments: tuple[str, ...]) -> None:
    record = folder / "specs" / "logistics" / "parcel.yaml"
    record.write_text("record: Parcel\narea: logistic\n", "utf-8")
    (folder / "specs" / "logistics" / "letter.yaml").write_text("record: Letter\n", "utf-8")
    place = "specs/logistics/parcel.yaml:2:7"
    message = (
        'the area "logistic" is not described in service.yaml; did you mean "logistics"? If not, describe it'
    )
    done = run("generate", "--format", "json")
    (warning,) = json.loads(done.stdout)["warnings"]
    assert (done.exit_code, warning["line"], warning["rule"]) == (0, 2, "SPEC037")
    for command in (("generate",), arguments, arguments):
        done = run(*command)
        assert (done.exit_code, done.stderr) == (0, f"{place}: warning[SPEC037] {message} in areas\n")
        assert "warning" not in done.stdout
    assert f"::warning file={place[:-4]},line=2,col=7" in run("check", "--format", "github").stdout
    (row,) = json.loads(run("check", "--format", "json").stdout)
    assert (row["path"], row["kind"], message in row["excerpt"]) == (place[:-2], "warning", True)


@pytest.mark.parametrize(
    "arguments", [("check",), ("generate", "--check")], ids=["check", "generate --check"]
)
def test_check_of_what_agrees(folder: Path, arguments: tuple[str, ...]) -> None:
    run("generate")
    done = run(*arguments)
    assert (done.exit_code, done.output) == (0, "specifications and generated code agree\n")


def test_check_names_every_drift_and_writes_nothing(folder: Path) -> None:
    run("generate")
    app = folder / "generated" / "app.py"
    app.write_text(app.read_text() + "# by hand\n")
    (folder / "generated" / "mine.py").write_text("x = 1\n")
    (folder / "generated" / "openapi.json").unlink()
    (folder / "specs" / ".schema" / "record.json").write_text("{}\n")
    done = run("check")
    assert done.exit_code == 1
    for line in (
        "generated/app.py: hand-edited: changed by hand; change the specification and generate",
        "    -# by hand",
        "generated/mine.py: stray: not generated from any specification; remove it or generate",
        "generated/openapi.json: missing: not written yet; generate",
        "specs/.schema/record.json: hand-edited: changed by hand; change the specification and generate",
        "4 files differ: run recordsmith generate, and commit what it writes",
    ):
        assert line in done.output.splitlines()
    assert "# by hand" in app.read_text()


def test_check_of_a_new_project_says_once_that_nothing_is_generated(folder: Path) -> None:
    message = "nothing is generated yet in generated and specs/.schema: " + GENERATE
    done = run("check")
    assert (done.exit_code, done.output) == (1, f"{message}\n")
    done = run("check", "--format", "github")
    assert (done.exit_code, done.output) == (1, f"::error title=missing::{message}\n")
    done = run("check", "--format", "json")
    assert {one["kind"] for one in json.loads(done.output)} == {"missing"}
    assert len(json.loads(done.output)) > 10, "programs get each file"
    assert not (folder / "generated").exists()
    run("generate")
    (folder / "specs" / ".schema").rename(folder / "elsewhere")
    (folder / "generated" / "app.py").unlink()
    assert run("check").output.splitlines() == [
        "generated/app.py: missing: not written yet; generate",
        f"1 file differs, and nothing is generated yet in specs/.schema: {GENERATE}",
    ]


def test_check_shows_little_of_a_new_record_type(folder: Path) -> None:
    """Each editor schema and the list of hashes differ then: nobody reads all of that."""
    run("generate")
    run("new", "record", "Warehouse", "--area", "logistics")
    lines = run("check").output.splitlines()
    diffs = [line for line in lines if line.startswith("    +++ ")]
    assert len(diffs) == 3
    assert not any(".generated" in line or ".schema" in line for line in diffs)
    assert "generated/models/warehouse.py: missing: not written yet; generate" in lines
    assert any(line.startswith("specs/.schema/record.json: drifted") for line in lines)


def test_drift_for_programs(folder: Path) -> None:
    run("generate")
    (folder / "generated" / "app.py").unlink()
    done = run("check", "--format", "json")
    assert done.exit_code == 1
    assert json.loads(done.output) == [{"path": "generated/app.py", "kind": "missing", "excerpt": ""}]
    done = run("check", "--format", "github")
    assert done.output == "::error file=generated/app.py,title=missing::not written yet; generate\n"


@pytest.mark.parametrize("command", ["generate", "check"])
def test_problems_are_listed_and_nothing_is_written(folder: Path, command: str) -> None:
    break_specs(folder)
    done = run(command)
    assert done.exit_code == 1
    assert done.output.startswith("specs/logistics/parcel.yaml:2:1: error[SPEC")
    assert 'did you mean "fields"?' in done.output
    assert not (folder / "generated").exists()


def test_problems_for_programs(folder: Path) -> None:
    break_specs(folder)
    (problem,) = json.loads(run("check", "--format", "json").output)
    assert (problem["file"], problem["line"], problem["column"]) == ("specs/logistics/parcel.yaml", 2, 1)
    assert run("check", "--format", "github").output.startswith(
        "::error file=specs/logistics/parcel.yaml,line=2"
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        pytest.param(("generate", "--specs", "nowhere"), "nowhere is not a directory", id="no folder"),
        pytest.param(
            ("generate", "--package", "code.class"),
            "code.class is not a valid Python package name",
            id="a keyword as package",
        ),
        pytest.param(
            ("generate", "--package", "my-code"),
            "my-code is not a valid Python package name",
            id="no package",
        ),
        pytest.param(("new", "record", "parcel box", "--area", "logistics"), "ParcelBox", id="bad name"),
        pytest.param(("new", "record", "Letter", "--area", "My Post"), 'write "my-post"', id="bad area"),
        pytest.param(
            ("new", "graph", "letterLifecycle", "--area", "Post"), 'write "post"', id="area in capitals"
        ),
        pytest.param(("new", "record", "Letter", "--area", "1st"), "lower-case letter", id="area of a digit"),
        pytest.param(("new", "record", "Letter", "--area", "."), "is not a functional area", id="no folder"),
        pytest.param(("new", "record", "Letter", "--area", "../post"), 'write "post"', id="area elsewhere"),
        pytest.param(
            ("new", "record", "Parcel", "--area", "logistics"), "already exists", id="there already"
        ),
        pytest.param(("new", "graph", "parcel", "--area", "logistics"), "already exists", id="there as well"),
        pytest.param(("generate", "--format", "xml"), "Invalid value", id="unknown format"),
        pytest.param(("generate", "--more"), "No such option", id="unknown option"),
        pytest.param(("new", "record", "Letter"), "Missing option", id="no area"),
    ],
)
def test_wrong_usage(folder: Path, arguments: tuple[str, ...], said: str) -> None:
    done = run(*arguments)
    assert done.exit_code == 2
    assert said in done.output
    assert (folder / "specs" / "logistics" / "parcel.yaml").read_text() == PARCEL


def in_the_way(folder: Path) -> None:
    (folder / "out").mkdir()
    (folder / "out" / "README.md").write_text("by hand")


@pytest.mark.parametrize(
    ("prepare", "said"),
    [
        pytest.param(in_the_way, "out/README.md; move it away first", id="file of others"),
        pytest.param(
            lambda folder: (folder / "out").write_text("a file"),
            "out is a file",
            id="file",
        ),
    ],
)
def test_a_folder_that_cannot_be_written_is_explained(
    folder: Path, prepare: Callable[[Path], object], said: str
) -> None:
    prepare(folder)
    done = run("generate", "--out", "out")
    assert done.exit_code == 2
    assert said in done.output


def test_a_reader_that_has_gone_is_not_taken_for_a_file() -> None:
    with pytest.raises(BrokenPipeError), explain_file_errors():
        raise BrokenPipeError(EPIPE, "Broken pipe")


LONG = "x" * 300


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        pytest.param(("generate", "--out", LONG), "is too long", id="name of the output"),
        pytest.param(("check", "--out", LONG), "is too long", id="name of the output, checked"),
        pytest.param(("check", "--specs", LONG), "is too long", id="name of the specifications"),
        pytest.param(("new", "record", "Letter", "--area", LONG), "is too long", id="area"),
        pytest.param(("generate", "--out", "sealed/out"), "sealed/out cannot be", id="no leave to write"),
        pytest.param(("generate", "--out", "sealed"), "sealed cannot be", id="no leave to write in it"),
        pytest.param(("new", "record", "Letter", "--area", "sealed"), "sealed", id="new record"),
    ],
)
def test_names_and_folders_that_cannot_be_used_are_explained(
    folder: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], said: str
) -> None:
    """Whoever runs the tests may be allowed everything, so the refusal is that of a sealed folder."""
    (folder / "sealed").mkdir()
    (folder / "specs" / "sealed").mkdir()
    make, open_file, make_file = Path.mkdir, Path.open, tempfile.mkstemp

    def refuse(path: Path) -> None:
        if "sealed" in path.parts[:-1]:
            raise PermissionError(EACCES, "Permission denied", str(path))

    monkeypatch.setattr(Path, "mkdir", lambda path, *a, **k: refuse(path) or make(path, *a, **k))
    monkeypatch.setattr(
        Path,
        "open",
        lambda path, *a, **k: (refuse(path) if a == ("x",) else None) or open_file(path, *a, **k),
    )
    monkeypatch.setattr(
        tempfile, "mkstemp", lambda dir, prefix: refuse(dir / prefix) or make_file(dir=dir, prefix=prefix)
    )
    done = run(*arguments)
    assert done.exit_code == 2
    assert said in done.output
    assert "writing-" not in done.output
    assert len(done.output.splitlines()) == 1


def test_a_new_record_passes_the_checks(folder: Path) -> None:
    done = run("new", "record", "UrgentLetter", "--area", "logistics")
    assert (done.exit_code, done.output) == (0, "wrote specs/logistics/urgent_letter.yaml\n")
    assert "# " in (folder / "specs" / "logistics" / "urgent_letter.yaml").read_text()
    names = [record.name for record in resolve(load(folder / "specs")).records]
    assert names == ["Parcel", "UrgentLetter"]


def test_the_comments_of_a_new_record_are_right(folder: Path) -> None:
    """What is commented out can be taken in, but for the record and the graph it names."""
    run("new", "record", "Customer", "--area", "logistics")
    run("new", "graph", "someLifecycle", "--area", "logistics")
    run("new", "record", "Letter", "--area", "logistics")
    file = folder / "specs" / "logistics" / "letter.yaml"
    kept = [line for line in file.read_text().splitlines() if "kinds:" not in line and "yaml-" not in line]
    taken_in = [line.replace("# ", "", 1) if line.lstrip().startswith("# ") else line for line in kept]
    file.write_text("\n".join(taken_in) + "\n")
    letter = next(one for one in resolve(load(folder / "specs")).records if one.name == "Letter")
    assert {field.name for field in letter.fields} >= {
        "title",
        "amount",
        "colour",
        "owner",
        "status",
        "lines",
    }


def test_a_new_graph_passes_the_checks(folder: Path) -> None:
    done = run("new", "graph", "parcelLifecycle", "--area", "logistics")
    assert (done.exit_code, done.output) == (0, "wrote specs/logistics/parcel_lifecycle.yaml\n")
    (graph,) = resolve(load(folder / "specs")).graphs
    assert graph.name == "parcelLifecycle"
    assert [name for name, state in graph.states.items() if state.initial] == ["NEW"]


def test_rules_are_listed_with_their_examples() -> None:
    done = run("rules")
    assert done.exit_code == 0
    for rule in RULES.values():
        assert f"{rule.id}  {rule.title}" in done.output
    assert done.output.count("  bad, in ") == done.output.count("  good, in ") == len(RULES)


def test_rules_are_explained_by_their_ids() -> None:
    done = run("rules", "SPEC080", "spec012")
    assert done.exit_code == 0
    titles = [line for line in done.output.splitlines() if line.startswith("SPEC")]
    assert titles == [f"{rule}  {RULES[rule].title}" for rule in ("SPEC080", "SPEC012")]
    assert [row["id"] for row in json.loads(run("rules", "SPEC031", "--format", "json").output)] == [
        "SPEC031"
    ]


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("SPEC08O", 'unknown rule "SPEC08O"; did you mean "SPEC008"'),
        ("nonsense", 'unknown rule "nonsense"'),
    ],
)
def test_a_rule_that_does_not_exist_is_reported(written: str, message: str) -> None:
    done = run("rules", written)
    assert done.exit_code == 2
    assert message in " ".join(done.output.replace("│", " ").split())


def test_rules_for_programs() -> None:
    listed = json.loads(run("rules", "--format", "json").output)
    assert [row["id"] for row in listed] == list(RULES)


def test_one_line_that_adds_a_field_changes_few_lines(tmp_path: Path) -> None:
    """What a review of it has to look at, the list of generated files included."""
    shutil.copytree(example_service.find_project() / "specs", tmp_path / "specs")
    before = write_code(tmp_path)
    shutil.copytree(tmp_path / "generated", tmp_path / "before")
    file = tmp_path / "specs" / "logistics" / "carrier.yaml"
    line = (
        "  nickname: {type: string, maxLength: 40, indexed: true, description: Another name., example: Tag}\n"
    )
    file.write_text(file.read_text("utf-8").replace("  name:", f"{line}  name:"), "utf-8")
    assert write_code(tmp_path) == before
    compare = ("git", "diff", "--no-index", "--numstat", "before", "generated")
    compared = subprocess.run(compare, cwd=tmp_path, capture_output=True, text=True, check=False)
    counts = [line.split()[:2] for line in compared.stdout.splitlines()]
    assert 10 < sum(int(added) + int(removed) for added, removed in counts) <= 60


def write_code(folder: Path) -> list[Path]:
    """Generate; the files of the output."""
    done = run("generate", "--specs", str(folder / "specs"), "--out", str(folder / "generated"))
    assert done.exit_code == 0, done.output
    return sorted(one for one in (folder / "generated").rglob("*") if one.is_file())


@pytest.mark.parametrize("former", [None, "other"])
def test_plugins_of_pydantic_do_not_matter(monkeypatch: pytest.MonkeyPatch, former: str | None) -> None:
    """Else what happens to be installed could change the output. What runs afterwards has them again."""
    name, seen = "PYDANTIC_DISABLE_PLUGINS", list[str | None]()
    monkeypatch.delenv(name, raising=False)
    if former is not None:
        monkeypatch.setenv(name, former)
    monkeypatch.setattr(Run, "check", lambda _run: seen.append(os.environ.get(name)))
    assert CliRunner().invoke(commands, ["check"]).exit_code == 0
    assert seen == ["1"]
    assert os.environ.get(name) == former
