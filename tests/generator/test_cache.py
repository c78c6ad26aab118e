"""The cache: when a run may be skipped, and that it never says that something is right which is not."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from generator import filters, runs, type_library, wanted
from generator.__main__ import commands
from generator.cache import ALWAYS, Stamp, TextCache, hash_parts, seal, sources
from generator.folders import LIST_NAME, SYSTEM_SPECS, list_folders
from generator.load import load, trees
from generator.load.trees import parse_tree, store_tree
from generator.openapi import Describer
from generator.problems import ProblemList
from generator.render import parts, render
from generator.resolve import resolve
from generator.spec import RecordSpec

SERVICE = 'title: Parcels\nversion: "1.0.0"\nareas:\n  logistics: Parcels.\n'
PARCEL = "record: Parcel\nfields:\n  label: string\n"
AGREE = "specifications and generated code agree\n"


class Rendered(Exception):
    """The stages were run."""


def run(*arguments: str) -> Result:
    return CliRunner().invoke(commands, list(arguments))


def renders(*arguments: str) -> bool:
    """Whether a command runs the stages, instead of relying on an earlier run."""
    return isinstance(run(*arguments).exception, Rendered)


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project whose code was generated."""
    folder = tmp_path_factory.mktemp("generated")
    (folder / "specs" / "logistics").mkdir(parents=True)
    (folder / "specs" / "service.yaml").write_text(SERVICE, "utf-8")
    (folder / "specs" / "logistics" / "parcel.yaml").write_text(PARCEL, "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("CI", raising=False)
        done = run("generate", "--specs", str(folder / "specs"), "--out", str(folder / "generated"))
    assert done.exit_code == 0, done.output
    return folder


@pytest.fixture
def folder(generated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of it, where the stages raise ``Rendered``."""

    def render(*_arguments: object) -> None:
        raise Rendered

    shutil.copytree(generated, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setattr(wanted, "render_wanted", render)
    return tmp_path


def test_what_is_right_is_not_rendered_again(folder: Path) -> None:
    assert run("check").output == AGREE
    assert run("check", "--format", "json").output == "[]\n"
    assert run("check", "--format", "github").output == ""
    lists = [(folder / name / LIST_NAME).read_text("utf-8") for name in ("generated", "specs/.schema")]
    files = [line for text in lists for line in text.splitlines()]
    assert run("generate").output.startswith("wrote 0, removed 0, unchanged ")
    counts = json.loads(run("generate", "--format", "json").output)
    assert counts["unchanged"] > len(files) > 20


def test_the_cache_ignores_itself_in_git(folder: Path) -> None:
    assert (folder / "specs" / ".cache" / ".gitignore").read_text("utf-8") == "*\n"


def edit(name: str, old: str = "", new: str = "") -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        text = (folder / name).read_text("utf-8")
        (folder / name).write_text(text.replace(old, new) if old else text + new, "utf-8")

    return change


def stamp_of(folder: Path) -> Path:
    (found,) = (folder / "specs" / ".cache").glob("*.json")
    return found


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(edit("specs/logistics/parcel.yaml", "string", "integer"), id="another type"),
        pytest.param(edit("specs/service.yaml", new="# a word\n"), id="a comment"),
        pytest.param(lambda folder: (folder / "specs/logistics/parcel.yaml").unlink(), id="a file gone"),
        pytest.param(
            lambda folder: (folder / "specs/logistics/parcel.yaml").rename(
                folder / "specs/logistics/box.yaml"
            ),
            id="a file renamed",
        ),
        pytest.param(
            lambda folder: (folder / "specs/logistics/empty.yaml").write_bytes(b""), id="a file that is empty"
        ),
        pytest.param(
            lambda folder: (folder / "specs/released").mkdir() or edit_released(folder), id="a release"
        ),
        pytest.param(lambda folder: add_record(folder / "specs/__pycache__"), id="a folder like any other"),
        pytest.param(lambda folder: os.mkfifo(folder / "specs" / "logistics" / "pipe.yaml"), id="a pipe"),
        pytest.param(
            lambda folder: (folder / "specs/logistics/lost.yaml").symlink_to("nowhere"), id="a broken link"
        ),
        pytest.param(edit("generated/app.py", new="# by hand\n"), id="code edited"),
        pytest.param(lambda folder: (folder / "generated/app.py").unlink(), id="code gone"),
        pytest.param(lambda folder: (folder / "generated/other.py").write_text("x = 1\n"), id="a stray"),
        pytest.param(edit(f"generated/{LIST_NAME}", new=f"{'0' * 64}  app.py\n"), id="the list edited"),
        pytest.param(edit(f"generated/{LIST_NAME}", "app.py", "app"), id="the list broken"),
        pytest.param(lambda folder: (folder / "generated" / LIST_NAME).unlink(), id="the list gone"),
        pytest.param(lambda folder: shutil.rmtree(folder / "specs/.schema"), id="schemas gone"),
        pytest.param(lambda folder: stamp_of(folder).unlink(), id="no stamp"),
        pytest.param(lambda folder: stamp_of(folder).write_bytes(b""), id="an empty stamp"),
        pytest.param(lambda folder: stamp_of(folder).write_bytes(b"\xff{"), id="a stamp of bytes"),
        pytest.param(lambda folder: seal.write_sealed(stamp_of(folder), b"[]"), id="a stamp of another kind"),
        pytest.param(
            lambda folder: seal.write_sealed(stamp_of(folder), b"[" * 10**5), id="a stamp nested deeply"
        ),
        pytest.param(
            lambda folder: stamp_of(folder).write_bytes(seal.read_sealed(stamp_of(folder))),
            id="a stamp without a seal",
        ),
        pytest.param(lambda folder: spoil_stamp(folder, lists=7), id="a stamp without lists"),
        pytest.param(lambda folder: spoil_stamp(folder, lists={}), id="a stamp with other lists"),
        pytest.param(lambda folder: spoil_stamp(folder, key="0" * 64), id="a stamp of other sources"),
    ],
)
def test_what_may_differ_is_rendered(folder: Path, change: Callable[[Path], None]) -> None:
    change(folder)
    assert renders("check")
    assert renders("generate")


def add_record(folder: Path) -> None:
    folder.mkdir()
    (folder / "box.yaml").write_text("record: Box\nfields:\n  label: string\n", "utf-8")


def edit_released(folder: Path) -> None:
    (folder / "specs/released/openapi.json").write_text("{}", "utf-8")


def spoil_stamp(folder: Path, **members: object) -> None:
    whole = json.loads(seal.read_sealed(stamp_of(folder)))
    seal.write_sealed(stamp_of(folder), json.dumps(whole | members).encode())


def commit_by_force(folder: Path, monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    """Put the stamp there that a run on another machine has written, of files that were edited by hand."""
    edit("generated/app.py", new="# by hand\n")(folder)
    rows = [
        f"{hashlib.sha256((folder / 'generated' / line.split()[-1]).read_bytes()).hexdigest()}  {line.split()[-1]}"
        for line in (folder / "generated" / LIST_NAME).read_text("utf-8").splitlines()[1:]
    ]
    (folder / "generated" / LIST_NAME).write_text("\n".join(rows) + "\n", "utf-8")
    with monkeypatch.context() as elsewhere:
        elsewhere.setenv("XDG_CACHE_HOME", str(home))
        found = Stamp.find(folder / "specs", folder / "generated", "generated")
        assert found is not None
        found.write(list_folders(folder / "specs", folder / "generated"), ALWAYS)
        assert run("check").output == AGREE  # there it is believed


def test_a_stamp_of_another_machine_is_not_believed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commit_by_force(folder, monkeypatch, folder / "home")
    assert renders("check")
    assert renders("generate")


@pytest.mark.parametrize("content", [b"", b"short", b"x" * 33])
def test_a_key_that_is_spoilt_is_none(folder: Path, monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    assert not renders("check")
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
    (folder / "recordsmith").mkdir()
    (folder / "recordsmith" / "cache.key").write_bytes(content)
    assert renders("check")
    before = stamp_of(folder).read_bytes()
    seal.write_sealed(stamp_of(folder), b"{}")  # no run can: whose key it is nobody knows
    assert stamp_of(folder).read_bytes() == before


def test_a_key_is_created_once_and_for_this_user_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda n: seal.write_sealed(tmp_path / f"{n}.json", b"%d" % n), range(8)))
    assert [seal.read_sealed(tmp_path / f"{n}.json") for n in range(8)] == [b"%d" % n for n in range(8)]
    (key,) = (tmp_path / "recordsmith").iterdir()
    assert key.stat().st_mode & 0o077 == 0
    shutil.copy(tmp_path / "1.json", tmp_path / "1.texts")
    assert seal.read_sealed(tmp_path / "1.texts") == b""


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(("--no-cache",), id="no cache wanted"),
        pytest.param(("--package", "parcels"), id="another package"),
        pytest.param(("--out", "elsewhere"), id="another folder"),
    ],
)
def test_other_options_are_another_run(folder: Path, arguments: tuple[str, ...]) -> None:
    assert renders("check", *arguments)
    assert renders("generate", *arguments)


def test_ci_trusts_no_earlier_run(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    assert renders("check")
    assert renders("generate")


def test_what_one_command_has_read_the_others_know(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """``diff`` and ``release`` read no file again that ``generate`` has read, except in CI."""
    read: list[str] = []
    real = trees.read_yaml
    monkeypatch.setattr(trees, "read_yaml", lambda text, file: (read.append(file), real(text, file))[1])
    edit("specs/logistics/parcel.yaml", "string", "integer")(folder)
    assert run("release").exit_code == 0
    assert read == ["specs/logistics/parcel.yaml"]
    for environment, count in (("", 1), ("true", 1 + len(list_spec_files(folder)))):
        monkeypatch.setenv("CI", environment)
        assert run("diff").exit_code == 0
        assert len(read) == count


def list_spec_files(folder: Path) -> list[Path]:
    """List what is read: the team's specifications, and those of the service itself."""
    return [one for root in (folder / "specs", SYSTEM_SPECS) for one in root.rglob("[a-z]*.yaml")]


def test_another_generator_trusts_no_earlier_run(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "hash_program", lambda: "other")
    assert renders("check")


def test_the_program_is_its_code_and_its_libraries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = sources.hash_program()
    assert sources.hash_program.__wrapped__() == here
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path), str(tmp_path / "missing"), "archive.zip"])
    assert sources.hash_program.__wrapped__() == here
    hashes = {here}
    for version in ("0.0.1", "0.0.2"):
        (tmp_path / f"ruff-{version}.dist-info").mkdir()
        hashes.add(sources.hash_program.__wrapped__())
    assert len(hashes) == 3


def test_times_of_files_do_not_matter(folder: Path) -> None:
    os.utime(folder / "specs" / "service.yaml", (1, 1))
    assert run("check").output == AGREE


def test_a_release_is_compared_once_a_day(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was announced ends at a date: the same files may break something tomorrow."""
    spoil_stamp(folder, checked=date(2026, 1, 1).isoformat())
    monkeypatch.setattr(runs, "read_today", lambda: date(2026, 1, 1))
    assert run("check").output == AGREE
    monkeypatch.setattr(runs, "read_today", lambda: date(2026, 1, 2))
    assert renders("check")
    assert not renders("generate")
    spoil_stamp(folder, checked=None)
    assert renders("check")


def test_sources_that_are_written_while_they_are_read_give_no_stamp(folder: Path) -> None:
    stamp_of(folder).unlink()
    found = Stamp.find(folder / "specs", folder / "generated", "generated")
    assert found is not None
    (folder / "specs" / "service.yaml").touch()
    found.write([folder / "generated"], None)
    assert not found.file.exists()


def test_a_cache_that_cannot_be_written_is_none(folder: Path) -> None:
    shutil.rmtree(folder / "specs" / ".cache")
    (folder / "specs" / ".cache").write_text("in the way", "utf-8")
    found = Stamp.find(folder / "specs", folder / "generated", "generated")
    assert found is not None
    found.write([folder / "generated"], None)
    assert renders("check")


# Texts of earlier runs ----------------------------------------------------------------------------

SPECS = {
    "service.yaml": SERVICE,
    "logistics/parcel.yaml": (
        "record: Parcel\nfields:\n  label: {type: string, maxLength: 9}\n  to: {structure: Address}\n"
        "  status: {states: journey}\n  parts: {list: {weight: decimal}}\n"
    ),
    "logistics/letter.yaml": "record: Letter\nfields:\n  parcel: {reference: Parcel}\n",
    "logistics/address.yaml": "structure: Address\nfields:\n  street: string\n",
    "logistics/journey.yaml": "stateGraph: journey\nstates:\n  NEW: {initial: true, next: [SENT]}\n  SENT: {final: true}\n",
    "logistics/endpoints.yaml": (
        "endpoints:\n  - {id: weigh, method: POST, path: /logistics/weigh, summary: Weigh, request: Address,\n"
        "     handler: 'handlers:weigh'}\n"
    ),
}
EDITS: dict[str, dict[str, tuple[str, str] | None]] = {
    "a field more": {"logistics/parcel.yaml": ("fields:\n", "fields:\n  fragile: boolean\n")},
    "types that are new": {
        "logistics/parcel.yaml": ("maxLength: 9", "maxLength: 8"),
        "logistics/journey.yaml": (
            "  SENT: {final: true}\n",
            "  SENT: {next: [LOST]}\n  LOST: {final: true}\n",
        ),
        "logistics/address.yaml": ("street: string", "street: text"),
    },
    "a structure renamed": {
        "logistics/address.yaml": ("Address", "Place"),
        "logistics/parcel.yaml": ("Address", "Place"),
        "logistics/endpoints.yaml": ("Address", "Place"),
    },
    "other routes": {
        "logistics/letter.yaml": ("fields:", "endpoints: [list, id]\nfields:"),
        "logistics/parcel.yaml": ("fields:", "path: /post/parcels\nfields:"),
        "logistics/endpoints.yaml": ("/weigh,", "/weighed,"),
    },
    "the service": {"service.yaml": ("title: Parcels", "title: Post")},
    "a record gone": {"logistics/letter.yaml": None},
}


def write_specs(folder: Path) -> None:
    (folder / "logistics").mkdir(parents=True)
    for name, text in SPECS.items():
        (folder / name).write_text(text, "utf-8")


def test_texts_of_earlier_runs_give_what_a_run_without_them_gives(tmp_path: Path) -> None:
    """Every edit is made in turn; what depends on it is rendered, and all else is as it was."""
    specs, file = tmp_path / "specs", tmp_path / "cache.texts"
    write_specs(specs)
    rendered = [set(render_twice(specs, file))]
    for changes in EDITS.values():
        for path, change in changes.items():
            edit_spec(specs / path, change)
        rendered.append(set(render_twice(specs, file)))
    by_name = dict(zip(("first", *EDITS), rendered, strict=True))
    assert by_name["a field more"] == {"models/parcel.py"}
    assert [name for name, seen in by_name.items() if "models/letter.py" in seen] == [
        "first",
        "a structure renamed",  # where classes are is known to all modules
    ]
    assert {"routers/parcel.py", "record_types.py"} <= by_name["other routes"]
    assert by_name["the service"] == {"__init__.py", "app.py"}


def write_file(file: Path, text: str | bytes) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text if isinstance(text, bytes) else text.encode())


def edit_spec(path: Path, change: tuple[str, str] | None) -> None:
    if change is None:
        path.unlink()
        return
    text = path.read_text("utf-8")
    assert change[0] in text, change
    path.write_text(text.replace(*change), "utf-8")


def render_twice(specs: Path, file: Path) -> list[str]:
    """Render with the cache and without, compare, and list the modules that had to be rendered."""
    cache = TextCache(file, "this program")
    known, model = load(specs, texts=cache), resolve(load(specs))
    assert resolve(known) == model
    seen: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        real = parts.format_aside
        patch.setattr(parts, "format_aside", lambda raw, first: (seen.extend(raw), real(raw, first))[1])
        found = render(resolve(known), cache=cache)
    cache.save()
    assert found == render(model)
    return seen


def test_a_file_that_is_known_has_its_positions(tmp_path: Path) -> None:
    """What another file says can make it wrong; then the report names the line in it."""
    specs, cache = tmp_path / "specs", TextCache()
    write_specs(specs)
    resolve(load(specs, texts=cache))
    edit_spec(specs / "logistics/parcel.yaml", ("record: Parcel", "record: Box"))
    reports = []
    for texts in (None, cache):
        with pytest.raises(ProblemList) as found:
            resolve(load(specs, texts=texts))
        reports.append(found.value.formatted("text"))
    assert reports[0] == reports[1]
    assert "logistics/letter.yaml:3:" in reports[0]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param("- {a: [1, 1.0, -0.0, true, null, '1'], b: {}}\n", id="values"),
        pytest.param("a: {b: 9223372036854775807}\n", id="large"),
        pytest.param("a: &x {b: 1}\nc: *x\nd: {<<: *x, e: é}\n", id="aliases"),
    ],
)
def test_a_value_is_the_same_when_it_is_known(text: str) -> None:
    cache = TextCache()
    first, problems = parse_tree(text, "a.yaml", None, cache)
    assert first is not None
    store_tree(first, cache)
    again, others = parse_tree(text, "a.yaml", None, cache)
    assert again is not None
    assert problems == others == []
    assert again.parsed is None
    assert repr(again.plain) == repr(first.plain)
    assert again.key("d", "e") == first.key("d", "e")


WRONG_FILES = {
    "not YAML": ("logistics/letter.yaml", "record: Letter\nfields: [\n"),
    "an unknown key": ("logistics/letter.yaml", "record: Letter\nfeilds: {}\n"),
    "a value of another kind": ("logistics/letter.yaml", "record: Letter\nfields: 1\n"),
    "a key without a value": ("logistics/letter.yaml", "record: Letter\nfields:\n"),
    "a name of another kind": ("logistics/letter.yaml", "record: [Letter]\nfields: {}\n"),
    "a value that YAML readers differ about": (
        "logistics/letter.yaml",
        "record: Letter\nfields: {a: {default: no}}\n",
    ),
    "a right file at the place of the service": ("service.yaml", SPECS["logistics/letter.yaml"]),
    "the service at the place of a record": ("logistics/letter.yaml", SERVICE),
}


@pytest.mark.parametrize("name", WRONG_FILES)
def test_a_file_with_a_problem_is_read_again(tmp_path: Path, name: str) -> None:
    """Nothing that is known of other files, or of earlier runs with this one, hides the problem."""
    specs, cache = tmp_path / "specs", TextCache()
    write_specs(specs)
    assert not load(specs, texts=cache).problems
    path, text = WRONG_FILES[name]
    (specs / path).write_text(text, "utf-8")
    reports = [load(specs, texts=texts).problems for texts in (None, cache, cache)]
    assert reports[0]
    assert reports[1] == reports[2] == reports[0]


def test_only_files_that_differ_are_validated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    specs, cache = tmp_path / "specs", TextCache()
    write_specs(specs)
    first = resolve(load(specs, texts=cache), texts=cache)
    built, real = list[str](), RecordSpec.model_validate
    monkeypatch.setattr(
        RecordSpec, "model_validate", lambda plain: (built.append(plain["record"]), real(plain))[1]
    )
    assert resolve(load(specs, texts=cache), texts=cache) == first
    assert built == []
    edit_spec(specs / "logistics/parcel.yaml", ("maxLength: 9", "maxLength: 8"))
    assert resolve(load(specs, texts=cache), texts=cache) == resolve(load(specs))
    assert built[:1] == ["Parcel"]
    assert sorted(built[1:]) == ["Letter", "Parcel"], "what the run without a cache needs"


def test_of_documents_only_the_last_is_known(tmp_path: Path) -> None:
    specs, file = tmp_path / "specs", tmp_path / "cache.texts"
    write_specs(specs)
    for number in range(3):
        edit_spec(specs / "logistics/letter.yaml", ("fields:\n", f"fields:\n  more{number}: string\n"))
        cache = TextCache(file, "this program")
        for path, text in render(resolve(load(specs)), cache=cache, last=tmp_path).items():
            write_file(tmp_path / path, text)
        cache.save()
        assert file.read_text("utf-8").count('"document ') == 1


def test_a_check_replaces_no_document(
    generated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is known of the one that is there serves the next check, and the run that replaces it."""
    shutil.copytree(generated, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CI", raising=False)
    described, real = list[str](), Describer.describe_record
    monkeypatch.setattr(
        Describer,
        "describe_record",
        lambda self, record: (described.append(record.name), real(self, record))[1],
    )
    for number, command in enumerate(("check", "check", "generate", "check")):
        edit_spec(Path("specs/logistics/parcel.yaml"), ("fields:\n", f"fields:\n  more{number}: string\n"))
        described.clear()
        run(command)
        assert described == ["Parcel"], command


def test_texts_survive_nothing_that_spoils_them(tmp_path: Path) -> None:
    file = tmp_path / "cache.texts"
    cache = TextCache(file, "this program")
    cache.store("a", "the text of a")
    cache.store("b", "the text of b")
    cache.save()
    content = file.read_bytes()
    assert TextCache(file, "this program").find("a") == "the text of a"
    assert TextCache(file, "another program").find("a") is None
    for spoilt in (b"", content[:-1], content.replace(b"of a", b"of x"), content + b" ", b"\xff\xff\n{}"):
        file.write_bytes(spoilt)
        assert TextCache(file, "this program").find("a") is None


def test_texts_that_a_run_did_not_need_are_dropped(tmp_path: Path) -> None:
    file = tmp_path / "cache.texts"
    for _run in range(2):
        cache = TextCache(file, "p")
        cache.store("a", "x")
        cache.save()
    cache = TextCache(file, "p")
    cache.store("b", "y")
    cache.save()
    assert TextCache(file, "p").find("a") is None
    assert TextCache(file, "p").find("b") == "y"


def test_keys_tell_parts_apart() -> None:
    values = [
        ("a", "b"),
        ("ab",),
        (["a"], "b"),
        ({"a": 1},),
        ({"a": 2},),
        (1,),
        ("1",),
        (None,),
        (),
        (("a",),),
    ]
    values += [(frozenset({"a", "b"}), 1), (Decimal("1.0"),), (Decimal("1.00"),), (1.0,), (True,)]
    assert len({hash_parts(*one) for one in values}) == len(values)
    assert hash_parts(frozenset({"a", "b", "c"})) == hash_parts(frozenset({"c", "a", "b"}))


FILTERED = (
    PARCEL + "  secret: {type: string, hidden: true}\nconstraints:\n  - {when: label:A, message: Not A.}\n"
)


def test_filters_that_are_known_need_no_parser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    specs = tmp_path / "specs"
    (specs / "logistics").mkdir(parents=True)
    (specs / "service.yaml").write_text(SERVICE, "utf-8")
    (specs / "logistics" / "parcel.yaml").write_text(FILTERED, "utf-8")
    known, parsed = TextCache(tmp_path / "cache.texts", "this program"), list[str]()
    real = filters.named_fields
    monkeypatch.setattr(filters, "named_fields", lambda text: (parsed.append(text), real(text))[1])
    resolve(load(specs, SYSTEM_SPECS, known), texts=known)
    (specs / "logistics" / "box.yaml").write_text("record: Box\nfields:\n  label: string\n", "utf-8")
    resolve(load(specs, SYSTEM_SPECS, known), texts=known)
    assert not parsed, (
        "of a filter that compiles, the paths are asked for only where it may name a hidden field"
    )
    (specs / "logistics" / "parcel.yaml").write_text(FILTERED.replace("when: label", "when: secret"), "utf-8")
    with pytest.raises(ProblemList, match="secret"):
        resolve(load(specs, SYSTEM_SPECS, known), texts=known)
    assert parsed == ["secret:A"]


RULE = """rules:
  - name: own
    securityURI: {header: {identity: user, area: logistics, functionalDomain: parcel, action: VIEW}}
    effect: ALLOW
    filter: "label:${principalId}"
"""


def test_rules_that_are_decided_are_compiled_once_and_others_are_doubted_each_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    specs = tmp_path / "specs"
    (specs / "logistics").mkdir(parents=True)
    (specs / "service.yaml").write_text(SERVICE, "utf-8")
    (specs / "logistics" / "parcel.yaml").write_text(PARCEL, "utf-8")
    (specs / "logistics" / "rules.yaml").write_text(RULE, "utf-8")
    known, compiled = TextCache(tmp_path / "cache.texts", "this program"), list[str]()
    real = filters.compile_rule_filter
    monkeypatch.setattr(
        filters, "compile_rule_filter", lambda text, *more: (compiled.append(text), real(text, *more))[1]
    )
    counts = []
    for text in (RULE, RULE, RULE.replace("label:", "label:^"), RULE.replace("label:", "label:^")):
        (specs / "logistics" / "rules.yaml").write_text(text, "utf-8")
        compiled.clear()
        warnings = resolve(load(specs, SYSTEM_SPECS, known), texts=known).warnings
        counts.append(
            ("label:${principalId}" in compiled, "label:^${principalId}" in compiled, len(warnings))
        )
    assert counts == [(True, False, 0), (False, False, 0), (False, True, 1), (False, True, 1)]


def test_types_that_are_known_need_no_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    specs, file = tmp_path / "specs", tmp_path / "cache.texts"
    (specs / "logistics").mkdir(parents=True)
    (specs / "service.yaml").write_text(SERVICE, "utf-8")
    runs: list[int] = []
    real = type_library.write_types
    monkeypatch.setattr(type_library, "write_types", lambda types: (runs.append(len(types)), real(types))[1])
    for text in (PARCEL, PARCEL.replace("label", "name"), PARCEL.replace("string", "integer")):
        (specs / "logistics" / "parcel.yaml").write_text(text, "utf-8")
        cache = TextCache(file, "this program")
        found = render(resolve(load(specs)), cache=cache)["models/parcel.py"]
        cache.save()
        assert ("int" if "integer" in text else "str") in found
    assert len(runs) == 2, "a new name is not a new type"


def test_types_are_known_after_a_run_that_needed_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    specs, file = tmp_path / "specs", tmp_path / "cache.texts"
    (specs / "logistics").mkdir(parents=True)
    (specs / "service.yaml").write_text(SERVICE, "utf-8")
    (specs / "logistics" / "parcel.yaml").write_text(PARCEL, "utf-8")
    for text in (PARCEL, PARCEL, PARCEL.replace("label", "name")):
        (specs / "logistics" / "parcel.yaml").write_text(text, "utf-8")
        cache = TextCache(file, "this program")
        render(resolve(load(specs)), cache=cache)
        cache.save()
        monkeypatch.delattr(type_library, "write_types", raising=False)
