"""Sequences of edits: whatever comes after what, a run with the cache writes what one without it would."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from generator import wanted
from generator.__main__ import commands

Edit = Callable[[Path, int], None]

FILES = {
    "service.yaml": "title: Parcels\nversion: 1.0.0\nroles: {clerk: Reads.}\nareas:\n  post: Parcels.\n",
    "post/life.yaml": "stateGraph: parcelLife\nstates:\n  NEW: {initial: true, next: [SENT]}\n  SENT: {final: true}\n",
    "post/address.yaml": "structure: Address\nfields:\n  city: {type: string, required: true}\n",
    "post/box.yaml": "record: Box\ndescription: A box.\nfields:\n  size: {enum: [SMALL, LARGE], default: SMALL}\n",
    "post/parcel.yaml": (
        "record: Parcel\nroles: [clerk]\nfields:\n  note: string\n  weight: {type: decimal, minimum: 0}\n"
        "  home: {structure: Address}\n  box: {reference: Box, required: true}\n  state: {states: parcelLife}\n"
        "  lines:\n    list:\n      sku: {type: string, required: true}\n"
    ),
    "post/stamp.yaml": "record: Stamp\nfields:\n  put: {reference: Parcel}\n  data: {type: json}\n",
}


def write(folder: Path, name: str, text: str) -> None:
    (folder / "specs" / name).write_text(text, "utf-8")


def replace(name: str, old: str, new: str) -> Edit:
    """Return an edit that replaces a text, where the file still has it."""

    def edit(folder: Path, step: int) -> None:
        if (file := folder / "specs" / name).exists():
            write(folder, name, file.read_text("utf-8").replace(old, new.format(step)))

    return edit


def add_record(folder: Path, step: int) -> None:
    write(folder, f"post/more{step}.yaml", f"record: More{step}\nfields:\n  of: {{reference: Box}}\n")


def remove_records(folder: Path, _step: int) -> None:
    for file in (folder / "specs" / "post").glob("[am]*[0-9e].yaml"):
        if file.name != "address.yaml" and file.name != "life.yaml":
            file.unlink()


def move_record(folder: Path, _step: int) -> None:
    """Move a record type to another area, or back."""
    places = [folder / "specs" / area / "stamp.yaml" for area in ("post", "depot")]
    for old, new in (places, places[::-1]):
        if old.exists():
            new.parent.mkdir(exist_ok=True)
            old.rename(new)
            return


def take_a_class(folder: Path, _step: int) -> None:
    """Add a record, in front of others, that has the name of a class of another one."""
    write(folder, "post/aline.yaml", "record: ParcelLine\nfields:\n  size: integer\n")


def spoil_document(folder: Path, _step: int) -> None:
    file = folder / "generated" / "openapi.json"
    file.write_bytes(file.read_bytes().replace(b"A box", b"B ox"))


EDITS: dict[str, Edit] = {
    "a field differs": replace("post/box.yaml", "fields:\n", "fields:\n  more{0}: integer\n"),
    "a field is renamed": replace("post/parcel.yaml", "  note", "  note{0}"),
    "a record type is renamed": replace("post/stamp.yaml", "record: Stamp", "record: Stamp{0}"),
    "its description differs": replace("post/box.yaml", "A box", "A box {0}"),
    "a record type more": add_record,
    "record types less": remove_records,
    "another reference": replace("post/stamp.yaml", "reference: Parcel", "reference: Box"),
    "another version": replace("service.yaml", "version: 1", "version: {0}1"),
    "an area renamed": replace("service.yaml", "Parcels.", "Parcels, {0}."),
    "a graph differs": replace("post/life.yaml", "next: [SENT]", "next: [SENT, S{0}]"),
    "a state more": replace(
        "post/life.yaml", "states:\n", "states:\n  S{0}: {{final: true, initial: true}}\n"
    ),
    "a structure differs": replace("post/address.yaml", "fields:\n", "fields:\n  street{0}: string\n"),
    "broken": replace("post/box.yaml", "fields:\n", "fields: [\n"),
    "repaired": replace("post/box.yaml", "fields: [\n", "fields:\n"),
    "a field of an unknown type": replace("post/stamp.yaml", "type: json", "type: jsn"),
    "a known type": replace("post/stamp.yaml", "type: jsn", "type: json"),
    "another area": move_record,
    "operations less": replace("post/parcel.yaml", "fields:\n", "endpoints: [id, save]\nfields:\n"),
    "a role more": replace("service.yaml", "roles: {", "roles: {{r{0}: More., "),
    "a former name": replace("post/box.yaml", "  size: {", "  size{0}: {{renamedFrom: size, "),
    "a class is taken": take_a_class,
    "an example with a reference": replace(
        "post/stamp.yaml", "type: json", "type: json, example: {{$ref: '#/components/schemas/Lost'}}"
    ),
    "the document by hand": spoil_document,
}


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project of a few files, generated, with its cache."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "specs" / "post").mkdir(parents=True)
    for name, text in FILES.items():
        write(folder, name, text)
    with pytest.MonkeyPatch.context() as patch:
        enter(folder, patch)
        assert run("generate").exit_code == 0
    return folder


@pytest.fixture
def folder(generated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the project to edit."""
    shutil.copytree(generated, tmp_path, dirs_exist_ok=True)
    enter(tmp_path, monkeypatch)
    return tmp_path


def enter(folder: Path, patch: pytest.MonkeyPatch) -> None:
    patch.chdir(folder)
    patch.delenv("CI", raising=False)
    patch.setenv("XDG_CACHE_HOME", str(folder / "cache"))


def test_a_copy_of_the_project_has_its_cache(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the tests below would compare two runs without one."""

    def render(*_arguments: object) -> None:
        raise AssertionError("rendered again")

    monkeypatch.setattr(wanted, "render_wanted", render)
    assert "wrote 0, removed 0" in run("generate").output


def run(*arguments: str) -> Result:
    return CliRunner().invoke(commands, list(arguments))


def drift(result: Result) -> str:
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.output


def check_edit(folder: Path, name: str, step: int, *, checks_first: bool) -> None:
    """Make an edit; compare what runs with and without the cache report and write."""
    EDITS[name](folder, step)
    if checks_first:
        assert drift(run("check")) == drift(run("check", "--no-cache")), name
    done = run("generate")
    whole = run("check", "--no-cache")
    assert done.exit_code == whole.exit_code, (name, drift(done), drift(whole))
    if done.exit_code:
        assert drift(done) == drift(whole), name
    else:
        assert drift(run("check")) == drift(whole), name


@pytest.mark.parametrize("seed", [1, 2])
def test_a_run_with_the_cache_writes_what_one_without_it_would(folder: Path, seed: int) -> None:
    draws = random.Random(seed)
    names = draws.sample(sorted(EDITS), k=10)
    for step, name in enumerate(names):
        check_edit(folder, name, step, checks_first=draws.random() < 0.4)


@pytest.mark.parametrize(
    "names",
    [
        pytest.param(["a class is taken", "record types less", "a field differs"], id="a class is taken"),
        pytest.param(["broken", "a field is renamed", "repaired"], id="broken and repaired"),
        pytest.param(["an example with a reference", "its description differs"], id="a reference in data"),
        pytest.param(["the document by hand", "its description differs"], id="a document edited by hand"),
        pytest.param(["another area", "operations less", "a role more", "a former name"], id="other words"),
    ],
)
def test_edits_that_depend_on_each_other(folder: Path, names: list[str]) -> None:
    for step, name in enumerate(names):
        check_edit(folder, name, step, checks_first=step == 0)
