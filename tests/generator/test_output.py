"""Texts to files: only what differs is written, only what is ours is removed, and drift is named."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import version
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from generator.folders import LIST_NAME
from generator.output import Drift, DriftKind, ForeignFilesError, compare, write

ROOT = Path(__file__).parents[2]
MARK = "Written by the generator; do not edit."
TEXTS = {
    "app.py": f'"""The application. {MARK}"""\n',
    "models/airport.py": f'"""Airport. {MARK}"""\nclass Airport: ...\n',
    "openapi.json": '{"über": 1}\n',
}


def files_of(folder: Path) -> dict[str, str]:
    found = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_text("utf-8") for path in found}


def kinds_of(found: list[Drift]) -> dict[str, str]:
    return {one.path: one.kind.value for one in found}


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """A folder as a first run leaves it."""
    folder = tmp_path / "generated"
    write(TEXTS, folder, MARK)
    return folder


def test_a_first_run_writes_everything(tmp_path: Path) -> None:
    changes = write(TEXTS, tmp_path / "generated", MARK)
    assert changes.written == ("app.py", "models/airport.py", "openapi.json")
    assert (changes.removed, changes.unchanged) == ((), 0)
    files = files_of(tmp_path / "generated")
    writer, *lines = files.pop(LIST_NAME).splitlines()
    assert writer == f"# recordsmith {version('recordsmith')}"
    assert [line.partition("  ")[2] for line in lines] == sorted(TEXTS)
    assert files == TEXTS


def test_a_second_run_touches_nothing(out: Path) -> None:
    for file in out.rglob("*"):
        os.utime(file, (1, 1))
    changes = write(TEXTS, out, MARK)
    assert (changes.written, changes.removed, changes.unchanged) == ((), (), 3)
    assert {file.stat().st_mtime for file in out.rglob("*") if file.is_file()} == {1}


def test_the_version_that_wrote_is_no_drift_and_is_renewed(out: Path) -> None:
    first, _, rest = (listed := (out / LIST_NAME).read_text("utf-8")).partition("\n")
    for other in (f"# recordsmith 99.1\n{rest}", rest):
        (out / LIST_NAME).write_text(other, "utf-8")
        assert compare(TEXTS, out) == []
        write(TEXTS, out, MARK)
        assert (out / LIST_NAME).read_text("utf-8") == listed
    assert first.startswith("# ")


def test_only_what_differs_is_written(out: Path) -> None:
    changes = write(TEXTS | {"app.py": "new\n"}, out, MARK)
    assert (changes.written, changes.unchanged) == (("app.py",), 2)
    assert (out / "app.py").read_text("utf-8") == "new\n"


def run_number(out: Path) -> int:
    spec = spec_from_file_location("number", out / "number.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    number: int = module.NUMBER
    return number


def test_a_module_that_is_written_twice_in_a_second_is_compiled_twice(out: Path) -> None:
    """Python compares the second and the size of a source with those of what it has compiled."""
    found = []
    for number in range(6):
        write({"number.py": f'"""A number. {MARK}"""\nNUMBER = {number}\n'}, out, MARK)
        found.append(run_number(out))
        if not number % 2:
            write({}, out, MARK)
    assert found == [*range(6)]


def test_what_is_compiled_of_the_old_text_and_stays_is_not_run(
    out: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that compiles into another folder, or late, writes where the generator removes nothing."""
    found = []
    for number in range(6):
        write({"number.py": f'"""A number. {MARK}"""\nNUMBER = {number}\n'}, out, MARK)
        with monkeypatch.context() as patch:
            patch.setattr(sys, "dont_write_bytecode", False)
            patch.setattr(sys, "pycache_prefix", str(tmp_path / "compiled"))
            found.append(run_number(out))
    assert found == [*range(6)]


def test_the_time_of_a_file_is_at_most_a_second_ahead(out: Path) -> None:
    written = [write({"number.py": f'"""{number} {MARK}"""\n'}, out, MARK).written for number in range(10)]
    (out / "after.py").touch()
    assert all(written)
    assert (out / "number.py").stat().st_mtime <= (out / "after.py").stat().st_mtime + 1


def test_what_is_no_longer_generated_goes_with_its_folder(out: Path) -> None:
    cache = out / "models" / "__pycache__"
    cache.mkdir()
    (cache / "airport.cpython-311.pyc").write_bytes(b"\0")
    changes = write({"app.py": TEXTS["app.py"]}, out, MARK)
    assert changes.removed == ("models/airport.py", "openapi.json")
    assert set(files_of(out)) == {"app.py", LIST_NAME}
    assert not (out / "models").exists()


def test_files_of_others_are_never_touched(out: Path) -> None:
    (out / "models" / "notes.txt").write_text("mine", "utf-8")
    (out / "mine.py").write_text("x = 1\n", "utf-8")
    (out / "mine.json").write_text("{}", "utf-8")
    changes = write({}, out, MARK)
    assert changes.removed == tuple(TEXTS)
    assert set(files_of(out)) == {"models/notes.txt", "mine.py", "mine.json", LIST_NAME}


@pytest.mark.parametrize("path", ["README.md", "app.py", "openapi.json"])
def test_a_file_in_the_way_stays_and_nothing_is_written(tmp_path: Path, path: str) -> None:
    (tmp_path / path).write_text("by hand", "utf-8")
    with pytest.raises(ForeignFilesError, match=f"{path}; move it away first"):
        write({**TEXTS, "README.md": "generated"}, tmp_path, MARK)
    assert files_of(tmp_path) == {path: "by hand"}


def test_a_file_in_the_way_is_found_in_a_folder_of_ours_too(out: Path) -> None:
    (out / "README.md").write_text("by hand", "utf-8")
    with pytest.raises(ForeignFilesError, match=r"README\.md"):
        write({**TEXTS, "README.md": "generated"}, out, MARK)
    assert files_of(out)["README.md"] == "by hand"


def test_a_list_that_a_merge_broke_still_says_whose_the_folder_is(out: Path) -> None:
    (out / LIST_NAME).write_text("<<<<<<< ours\n{}\n", "utf-8")
    assert write({**TEXTS, "openapi.json": "{}\n"}, out, MARK).written == ("openapi.json",)


def test_two_branches_that_add_files_merge_without_a_conflict(tmp_path: Path) -> None:
    """By git itself, as ``.gitattributes`` of this repository says; the merged list serves the next run."""
    out = tmp_path / "generated"

    def git(*words: str) -> str:
        identity = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c", "commit.gpgsign=false")
        done = subprocess.run(
            ("git", *identity, *words), cwd=tmp_path, check=True, capture_output=True, text=True
        )
        return done.stdout

    def add(branch: str, *paths: str) -> dict[str, str]:
        git("checkout", "-q", "-b", branch, "base")
        texts = TEXTS | {"app.py": f"# {MARK} {branch}\n"} | dict.fromkeys(paths, f"# {MARK}\n")
        write(texts, out, MARK)
        git("add", "-A")
        git("commit", "-qm", branch)
        return texts

    git("init", "-q", "-b", "base")
    (tmp_path / ".gitattributes").write_text(
        (ROOT / ".gitattributes").read_text("utf-8") + "app.py merge=union\n"
    )
    write(TEXTS, out, MARK)
    git("add", "-A")
    git("commit", "-qm", "base")
    ours, theirs = add("ours", "models/bird.py", "models/boat.py"), add("theirs", "models/bolt.py")

    git("merge", "-q", "ours", "-m", "both")

    assert git("status", "--porcelain") == ""
    both = {**ours, **theirs, "app.py": f"# {MARK} both\n"}
    assert kinds_of(compare(both, out)) == {LIST_NAME: "drifted", "app.py": "hand-edited"}
    write(both, out, MARK)
    assert write(TEXTS, out, MARK).removed == ("models/bird.py", "models/boat.py", "models/bolt.py")


def test_a_list_in_json_is_still_read_and_then_goes(out: Path) -> None:
    lines = (out / LIST_NAME).read_text("utf-8").splitlines()
    former = {path: digest for digest, path in (line.split("  ") for line in lines[1:])}
    (out / ".generated.json").write_text(json.dumps(former, indent=2), "utf-8")
    (out / LIST_NAME).unlink()
    assert write({**TEXTS, "openapi.json": "{}\n"}, out, MARK).written == ("openapi.json",)
    assert set(files_of(out)) == {*TEXTS, LIST_NAME}


@pytest.mark.parametrize("path", ["README.md", "models"])
def test_a_folder_or_file_of_another_kind_in_the_way_stays(tmp_path: Path, path: str) -> None:
    if path == "models":
        (tmp_path / path).write_text("a file where a folder belongs", "utf-8")
    else:
        (tmp_path / path).mkdir()
    with pytest.raises(ForeignFilesError, match=path):
        write({**TEXTS, "README.md": "generated"}, tmp_path, MARK)
    assert [one.name for one in tmp_path.iterdir()] == [path]
    compare({**TEXTS, "README.md": "generated"}, tmp_path)


def test_a_marked_module_is_ours_even_without_the_list(out: Path) -> None:
    (out / LIST_NAME).unlink()
    changes = write({"app.py": TEXTS["app.py"]}, out, MARK)
    assert changes.removed == ("models/airport.py",)
    assert (out / "openapi.json").exists(), "nothing says that it is ours"


def test_a_module_that_was_marked_and_edited_is_replaced(out: Path) -> None:
    (out / "app.py").write_bytes(b"\xff\xfe")
    assert write(TEXTS, out, MARK).written == ("app.py",)
    assert files_of(out)["app.py"] == TEXTS["app.py"]


def test_a_failed_write_leaves_the_old_file(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: Path, target: Path) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(OSError, match="no space"):
        write(TEXTS | {"app.py": "new\n"}, out, MARK)
    monkeypatch.undo()
    files = files_of(out)
    assert files["app.py"] == TEXTS["app.py"]
    assert not any(".writing-" in path for path in files)


def test_nothing_drifts_after_a_write(out: Path) -> None:
    assert compare(TEXTS, out) == []


def edit(out: Path) -> None:
    (out / "app.py").write_text(TEXTS["app.py"] + "# by hand\n", "utf-8")


def lose(out: Path) -> None:
    (out / "app.py").unlink()


def add(out: Path) -> None:
    (out / "models" / "mine.py").write_text("x = 1\n", "utf-8")


def lose_the_list(out: Path) -> None:
    (out / LIST_NAME).unlink()


def break_the_list(out: Path) -> None:
    (out / LIST_NAME).write_text("[", "utf-8")


def leave_caches(out: Path) -> None:
    (out / "__pycache__").mkdir()
    (out / "__pycache__" / "app.pyc").write_bytes(b"\0")


@pytest.mark.parametrize(
    ("change", "found"),
    [
        pytest.param(edit, {"app.py": "hand-edited"}, id="edited"),
        pytest.param(lose, {"app.py": "missing"}, id="missing"),
        pytest.param(add, {"models/mine.py": "stray"}, id="stray"),
        pytest.param(lose_the_list, {LIST_NAME: "missing"}, id="no list"),
        pytest.param(break_the_list, {LIST_NAME: "drifted"}, id="broken list"),
        pytest.param(leave_caches, {}, id="caches are no strays"),
    ],
)
def test_drift_of_files(out: Path, change: Callable[[Path], None], found: dict[str, str]) -> None:
    change(out)
    assert kinds_of(compare(TEXTS, out)) == found
    before = files_of(out)
    compare(TEXTS, out)
    assert files_of(out) == before, "comparing writes nothing"


def test_drift_of_specifications(out: Path) -> None:
    wanted = {"app.py": TEXTS["app.py"].replace("application", "service"), "new.py": "x = 1\n"}
    found = {one.path: one for one in compare(wanted, out)}
    assert kinds_of(list(found.values())) == {
        LIST_NAME: "drifted",
        "app.py": "drifted",
        "models/airport.py": "stray",
        "new.py": "missing",
        "openapi.json": "stray",
    }
    assert found["app.py"].excerpt.splitlines() == [
        "--- app.py:1 (found)",
        "+++ app.py:1 (wanted)",
        "@@ -1 +1 @@",
        f'-"""The application. {MARK}"""',
        f'+"""The service. {MARK}"""',
    ]


def test_an_excerpt_is_short(out: Path) -> None:
    (out / "app.py").write_text("\n".join(map(str, range(1000))), "utf-8")
    (drift,) = compare(TEXTS, out)
    assert drift.kind is DriftKind.EDITED
    assert len(drift.excerpt.splitlines()) == 20


def test_a_folder_that_is_not_there_lacks_everything(tmp_path: Path) -> None:
    assert kinds_of(compare(TEXTS, tmp_path / "nowhere")) == dict.fromkeys(
        [LIST_NAME, *sorted(TEXTS)], "missing"
    )


def test_a_great_file_that_differs_everywhere_is_told_at_once(tmp_path: Path) -> None:
    """A diff of whole documents is quadratic: 100,000 lines took minutes."""
    wanted = "".join(f'"{number}": {{\n}},\n' for number in range(50_000))
    write({"openapi.json": wanted}, tmp_path, MARK)
    (tmp_path / "openapi.json").write_text("{\n" + wanted.replace("{\n", "{\n\n"))
    (found,) = compare({"openapi.json": wanted}, tmp_path)
    assert found.excerpt.startswith("--- openapi.json:1 (found)\n+++ openapi.json:1 (wanted)\n")
    assert len(found.excerpt.splitlines()) == 20


def test_an_excerpt_names_no_line_that_only_moved_out_of_sight(tmp_path: Path) -> None:
    lines = [f"line {number}" for number in range(300)]
    write({"a.py": "\n".join(lines)}, tmp_path, MARK)
    (found,) = (
        one for one in compare({"a.py": "\n".join(["new", "one", *lines])}, tmp_path) if one.path == "a.py"
    )
    changed = [line for line in found.excerpt.splitlines()[2:] if line[0] in "+-"]
    assert changed == ["+new", "+one"]


def test_an_excerpt_begins_where_the_files_part(tmp_path: Path) -> None:
    wanted = "".join(f"line {number}\n" for number in range(1, 301))
    write({"a.json": wanted}, tmp_path, MARK)
    (tmp_path / "a.json").write_text(wanted.replace("line 250\n", "line 250 by hand\n"))
    (found,) = compare({"a.json": wanted}, tmp_path)
    assert found.excerpt.splitlines()[0] == "--- a.json:249 (found)"
    assert "-line 250 by hand" in found.excerpt.splitlines()
    assert "+line 250" in found.excerpt.splitlines()
