"""``recordsmith diff`` and ``release``, and what ``check`` says of breaking changes: what is printed, how it ends."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from generator.__main__ import commands
from generator.check_report import report_check
from generator.command_line import Style
from generator.files import replace_file
from generator.openapi import document
from generator.spec_runs import resolve_specs
from generator.version_runs import compare_release
from tests.evolve.written import write_specs

PARCEL = """
record: Parcel
description: What is sent.
fields:
  label: {type: string, maxLength: 50}
  weight: {type: integer, minimum: 0}
"""
NARROWED = PARCEL.replace("maxLength: 50", "maxLength: 20")
WITHOUT_WEIGHT = (
    "record: Parcel\ndescription: What is sent.\nfields:\n  label: {type: string, maxLength: 50}\n"
)
WEIGHT_GONE = """
breaking:
  - {rule: "re*-property-removed", at: "Parcel*.weight", date: 2026-11-23, reason: Nobody weighs parcels.}
  - {rule: data-field-removed, at: Parcel.weight, date: 2026-11-23, reason: Nobody weighs parcels.}
"""
GIT = ("git", "-c", "user.name=Ada", "-c", "user.email=ada@acme.example", "-c", "commit.gpgsign=false")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(commands, list(arguments))


def git(*arguments: str) -> str:
    return subprocess.run([*GIT, *arguments], check=True, capture_output=True, text=True).stdout


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project in git with one release; each test works in a copy."""
    folder = tmp_path_factory.mktemp("released")
    write_specs(folder / "specs", {"parcel.yaml": PARCEL})
    assert run("release", "--specs", str(folder / "specs")).exit_code == 0
    subprocess.run([*GIT, "init", "--quiet", "--initial-branch", "main"], cwd=folder, check=True)
    (folder / "specs" / "post" / "link.yaml").symlink_to("/etc/passwd")
    subprocess.run([*GIT, "add", "--all"], cwd=folder, check=True)
    subprocess.run([*GIT, "commit", "--quiet", "--message", "One"], cwd=folder, check=True)
    (folder / "specs" / "post" / "link.yaml").unlink()
    return folder


@pytest.fixture
def project(released: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    subprocess.run(["cp", "-r", f"{released}/.", str(tmp_path)], check=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(text: str, name: str = "parcel.yaml") -> None:
    write_specs(Path("specs"), {name: text})


def declare(text: str) -> None:
    Path("specs", "breaking.yaml").write_text(text, "utf-8")


def test_nothing_changed(project: Path) -> None:
    done = run("diff")
    assert (done.exit_code, done.output) == (0, "nothing changed\n")


def test_what_is_safe_ends_well(project: Path) -> None:
    write(PARCEL + "  colour: string\n")
    done = run("diff", "--fail-on", "risky")
    assert done.exit_code == 0
    assert "safe[response-property-added] Parcel.colour: the property is new" in done.output
    assert done.output.splitlines()[-1].startswith("0 breaking, 0 risky, ")
    assert run("diff", "--show", "risky").output.splitlines() == [done.output.splitlines()[-1]]


def test_what_breaks_says_where_why_and_what_to_do(project: Path) -> None:
    write(NARROWED)
    done = run("diff", "--show", "breaking")
    assert done.exit_code == 1
    assert done.output.splitlines()[:4] == [
        "breaking[request-limit-narrowed] ParcelInput.label: maxLength was 50, is 20",
        "    Values outside the new limit were right and are refused.",
        "    Keep the former limit.",
        "    used by POST /post/parcels, POST /post/parcels/bulk",
    ]


def test_what_breaks_comes_with_declarations_to_complete(project: Path) -> None:
    write(WITHOUT_WEIGHT)
    entries = run("diff", "--show", "breaking").output.partition("\n\nbreaking:")[2]
    assert 'at: "Parcel.weight"' in entries
    declare(f"breaking:{entries}")
    assert run("check").exit_code == 1, "a reason is missing"
    declare(f"breaking:{entries.replace('reason: }', 'reason: Nobody weighs parcels.}')}")
    done = run("diff")
    assert (done.exit_code, done.output.splitlines()[-1].partition("; ")[2]) == (0, "0 breaking not declared")
    assert run("release").exit_code == 0


def test_risky_changes_fail_where_that_is_asked_for(project: Path) -> None:
    write(PARCEL.replace("{type: integer, minimum: 0}", "{type: integer, minimum: 0, default: 5}"))
    assert run("diff").exit_code == 0
    assert run("diff", "--fail-on", "risky").exit_code == 1


@pytest.mark.parametrize(
    "against", ["HEAD", "refs/heads/main", "before", "specs/released", "specs/released/openapi.json"]
)
def test_versions_to_compare_with(project: Path, against: str) -> None:
    Path("before").mkdir()
    subprocess.run(["cp", "-r", "specs", "before/specs"], check=True)
    status = git("status", "--porcelain")
    write(WITHOUT_WEIGHT)
    done = run("diff", "--against", against, "--format", "json")
    assert done.exit_code == 1
    value = json.loads(done.output)
    found = {(one["rule"], one["at"]) for one in value["changes"]}
    assert ("response-optional-property-removed", "Parcel.weight") in found
    assert ("request-property-removed", "ParcelInput.weight") in found
    assert ("data-field-removed", "Parcel.weight") in found
    assert value["undeclared"] == sum(one["level"] == "breaking" for one in value["changes"])
    write(PARCEL)
    assert git("status", "--porcelain") == status


def test_one_value_for_programs(project: Path) -> None:
    assert json.loads(run("diff", "--json").stdout) == {
        "against": "specs/released/openapi.json", "compared": "specs", "counts": {"breaking": 0, "risky": 0, "safe": 0},
        "undeclared": 0, "changes": [], "stale": [], "corrections": [],
    }  # fmt: skip
    write(WITHOUT_WEIGHT)
    declare(WEIGHT_GONE)
    done = run("diff", "--json", "--show", "breaking")
    value = json.loads(done.stdout)
    assert (done.exit_code, value["undeclared"]) == (0, 0)
    assert (
        value["counts"]["breaking"]
        == len([one for one in value["changes"] if one["level"] == "breaking"])
        > 0
    )
    assert all(
        one.keys() - {"declared"} == {"level", "rule", "at", "message", "reason", "advice", "operations"}
        for one in value["changes"]
    )
    assert done.stdout == run("diff", "--format", "json").stdout

    done = run("diff", "--json", "--against", "nowhere")
    assert (done.exit_code, list(json.loads(done.stdout)["error"])) == (2, ["code", "message"])
    assert "nowhere" in done.stderr
    done = run("diff", "--json", "--format", "github")
    assert (done.exit_code, done.stdout) == (2, "")
    write(PARCEL.replace("minimum", "minimun"))
    done = run("diff", "--json")
    assert (done.exit_code, [one["rule"] for one in json.loads(done.stdout)]) == (1, ["SPEC012"])


def test_two_documents(project: Path) -> None:
    """Neither of them needs specifications; what is stored is known of a release only."""
    text = Path("specs/released/openapi.json").read_text("utf-8")
    Path("other.json").write_text(text.replace('"maxLength":50', '"maxLength":40'), "utf-8")
    done = run("diff", "--specs", "none", "--against", "specs/released", "--document", "other.json")
    assert done.exit_code == 1
    assert "breaking[request-limit-narrowed] ParcelInput.label: maxLength was 50, is 40" in done.output
    assert "data-" not in done.output


NOT_THERE = "is not a file, a folder or a revision of git"


@pytest.mark.parametrize(
    ("against", "message"),
    [
        ("v9", NOT_THERE),
        ("-x", NOT_THERE),
        ("--output=stolen", NOT_THERE),
        ("--upload-pack=touch stolen", NOT_THERE),
        ("HEAD;touch stolen", NOT_THERE),
        ("$(touch stolen)", NOT_THERE),
        ("HEAD:specs/service.yaml", NOT_THERE),
        ("HEAD\nHEAD", NOT_THERE),
        ("a\0b", NOT_THERE),
        ("", "--against is empty"),
        ("empty", "empty has no openapi.json, service.yaml or specs/service.yaml"),
        ("pipe", "pipe has no openapi.json"),
        ("/dev/zero", "/dev/zero has no openapi.json"),
        ("text.json", "text.json is not JSON"),
        ("list.json", "list.json is not an OpenAPI 3 document"),
        ("deep.json", "is not JSON"),
        ("stored/openapi.json", "stored/stored.json: records"),
        ("elder", "elder specifications have these problems"),
    ],
    ids=repr,
)
def test_versions_that_cannot_be_read(project: Path, against: str, message: str) -> None:
    document = Path("specs/released/openapi.json").read_bytes()
    for folder in ("empty", "stored", "elder"):
        Path(folder).mkdir()
    os.mkfifo("pipe")
    Path("text.json").write_text("no", "utf-8")
    Path("list.json").write_text("[]", "utf-8")
    Path("deep.json").write_text("[" * 100_000, "utf-8")
    Path("stored/openapi.json").write_bytes(document)
    Path("stored/stored.json").write_text('{"records": 7}', "utf-8")
    write_specs(Path("elder"), {"parcel.yaml": "record: Parcel\ncolour: red\n"})
    done = run("diff", "--against", against)
    assert done.exit_code == 2, done.output
    assert message.replace("elder specifications", "earlier specifications") in done.output
    assert not Path("stolen").exists()


def test_documents_nested_deeply(project: Path) -> None:
    for name, kind in (("one.json", "string"), ("other.json", "integer")):
        schema = '{"items":' * 900 + f'{{"type":"{kind}"}}' + "}" * 900
        answer = '{"200":{"content":{"application/json":{"schema":' + schema + "}}}}"
        Path(name).write_text(
            '{"openapi":"3.1.0","paths":{"/a":{"get":{"responses":' + answer + "}}}}", "utf-8"
        )
    done = run("diff", "--against", "one.json", "--document", "other.json")
    assert done.exit_code == 2
    assert "nested too deeply" in done.output


def test_a_link_in_a_revision_is_not_followed(project: Path) -> None:
    """The committed folder has a link to a file outside, which would be a broken specification."""
    assert "link.yaml" in git("ls-tree", "-r", "--name-only", "HEAD")
    assert run("diff", "--against", "HEAD").exit_code == 0


@pytest.mark.parametrize("written", ["{outside}/planted.yaml", "../planted.yaml", "../../planted.yaml"])
def test_a_revision_writes_nowhere_else(
    project: Path, tmp_path_factory: pytest.TempPathFactory, written: str
) -> None:
    """A tree that git itself would not create, as a hostile remote may send one."""
    outside = tmp_path_factory.mktemp("outside")
    blob = git("rev-parse", "HEAD:specs/service.yaml").strip()
    name = written.format(outside=outside).encode()
    entry = b"100644 " + name + b"\0" + bytes.fromhex(blob)
    hash_object = [*GIT, "hash-object", "-w", "-t", "tree", "--literally", "--stdin"]
    tree = subprocess.run(hash_object, input=entry, check=True, capture_output=True).stdout.decode().strip()
    whole = subprocess.run(
        [*GIT, "mktree"], input=f"040000 tree {tree}\tspecs\n".encode(), check=True, capture_output=True
    )
    commit = git("commit-tree", whole.stdout.decode().strip(), "-m", "Planted").strip()
    done = run("diff", "--against", commit)
    assert done.exit_code == 2
    assert "has no specifications in" in done.output
    assert not list(outside.iterdir())


def test_a_repository_cannot_run_anything(project: Path) -> None:
    """Neither filters, attributes, hooks nor an alias of the repository take part."""
    for name in (
        "filter.x.smudge",
        "core.fsmonitor",
        "core.sshCommand",
        "alias.ls-tree",
        "diff.external",
        "core.pager",
    ):
        git("config", name, "touch stolen")
    Path(".gitattributes").write_text("* filter=x export-ignore\n", "utf-8")
    assert run("diff", "--against", "HEAD").exit_code == 0
    assert not Path("stolen").exists()


def test_without_git(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    done = run("diff", "--against", "HEAD")
    assert done.exit_code == 2
    assert "git is not installed; name a file or a folder instead" in done.output


def test_specs_that_a_revision_lacks(project: Path) -> None:
    subprocess.run(["mv", "specs", "other"], check=True)
    done = run("diff", "--specs", "other", "--against", "HEAD")
    assert done.exit_code == 2
    assert "HEAD has no specifications in other" in done.output


def test_without_a_release(project: Path) -> None:
    subprocess.run(["rm", "-r", "specs/released"], check=True)
    done = run("diff")
    assert done.exit_code == 2
    assert "specs has no release yet; pass --against, or create one with recordsmith release" in done.output


def test_a_declaration_without_a_release_fits_nothing(project: Path) -> None:
    subprocess.run(["rm", "-r", "specs/released"], check=True)
    declare(WEIGHT_GONE)
    for command in ("check", "release"):
        done = run(command)
        assert done.exit_code == 1
        assert (
            "no change that breaks anything fits data-field-removed at Parcel.weight: remove it"
            in done.output
        )
    assert not Path("specs/released").exists()


@pytest.mark.parametrize("name", ["openapi.json", "stored.json", "callers.json"])
@pytest.mark.parametrize("is_changed", [True, False])
def test_a_release_that_is_not_whole(project: Path, name: str, is_changed: bool) -> None:
    """Without a file, or with that of another release, breaking changes would pass."""
    path = Path("specs/released", name)
    text = path.read_text("utf-8")
    path.write_text(text.replace("Parcel", "Packet"), "utf-8") if is_changed else path.unlink()
    said = "is not as it was released" if is_changed else "is missing"
    for command in ("check", "diff", "release"):
        done = run(command)
        assert done.exit_code == 2
        assert f"{path} {said}" in done.output
    path.write_text(text.replace("\n", "\r\n"), "utf-8")
    assert run("diff").output == "nothing changed\n", "git may have written the ends of lines of Windows"


def test_sums_of_other_files_are_not_checked(project: Path) -> None:
    Path("files").mkdir()
    Path("files/openapi.json").write_bytes(Path("specs/released/openapi.json").read_bytes())
    Path("files/SHA256SUMS").write_bytes(b"\n0  image-\xff.iso\n0  notes.txt\n")
    assert run("diff", "--against", "files").exit_code == 0


def test_declared_changes(project: Path) -> None:
    write(WITHOUT_WEIGHT)
    declare(WEIGHT_GONE)
    done = run("diff")
    assert done.exit_code == 0
    assert "    declared on 2026-11-23: Nobody weighs parcels." in done.output
    assert done.output.endswith("; 0 breaking not declared\n")
    write(WITHOUT_WEIGHT.replace("50", "20"))
    assert run("diff").exit_code == 1


def test_stale_declarations(project: Path) -> None:
    declare(WEIGHT_GONE)
    done = run("diff")
    assert done.exit_code == 1
    assert (
        "specs/breaking.yaml:3: no change that breaks anything fits re*-property-removed at Parcel*.weight: remove it"
        in done.output
    )
    assert run("diff", "--against", "HEAD").exit_code == 0, "they are about the last release"


def test_check(project: Path) -> None:
    """What is not generated yet is named, and what breaks."""
    write(WITHOUT_WEIGHT)
    done = run("check")
    assert done.exit_code == 1
    assert "nothing is generated yet in generated and specs/.schema: run recordsmith generate" in done.output
    shown = "Parcel.weight: breaking change: the property is gone (response-optional-property-removed)"
    assert shown in done.output


def checked(style: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """What check prints of this project, and its exit status, where all is generated."""
    verdict = compare_release(resolve_specs(Path("specs")), Path("specs"))
    try:
        report_check([], verdict, Style(style))
    except typer.Exit as error:
        return error.exit_code, capsys.readouterr().out
    return 0, capsys.readouterr().out


def test_check_in_each_style(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    agreed = "specifications and generated code agree"
    assert checked("text", capsys) == (0, f"{agreed}\n")
    write(WITHOUT_WEIGHT)
    status, text = checked("text", capsys)
    assert status == 1
    assert text.splitlines()[-1].startswith(f"{agreed}; ")
    status, text = checked("json", capsys)
    assert {one["kind"] for one in json.loads(text)} == {"breaking change"}
    status, text = checked("github", capsys)
    assert "::error title=breaking change::Parcel.weight: the property is gone" in text
    declare(WEIGHT_GONE)
    assert checked("text", capsys) == (0, f"{agreed}\n")
    write(PARCEL)
    status, text = checked("github", capsys)
    assert status == 1
    assert text.startswith(
        "::error file=specs/breaking.yaml,line=3,title=stale declaration::no change that breaks"
    )
    declare(WEIGHT_GONE.replace("Parcel.weight", '"100%\\nsure"'))
    assert "fits data-field-removed at 100%25%0Asure: remove it" in checked("github", capsys)[1]


def test_a_wrong_file_of_declarations(project: Path) -> None:
    declare("breaking:\n  - {rule: endpoint-gone, at: x, date: 2026-11-23, reason: y}\n")
    for command in ("diff", "check", "release", "generate"):
        done = run(command)
        assert done.exit_code == 1
        assert 'specs/breaking.yaml:2:12: error[SPEC095] unknown rule "endpoint-gone"' in done.output


def test_a_release_of_what_is_declared_only(project: Path) -> None:
    write(WITHOUT_WEIGHT)
    before = Path("specs/released/openapi.json").read_bytes()
    done = run("release")
    assert done.exit_code == 1
    assert "not released: declare in specs/breaking.yaml what is meant" in done.output
    assert Path("specs/released/openapi.json").read_bytes() == before
    declare(WEIGHT_GONE)
    done = run("release")
    assert done.exit_code == 0
    assert done.output.splitlines() == [
        "wrote specs/released/breaking.json",
        "wrote specs/released/openapi.json",
        "wrote specs/released/stored.json",
        "wrote specs/released/callers.json",
        "wrote specs/released/SHA256SUMS",
        "removed specs/breaking.yaml",
        "released Parcels 1.0.0",
    ]
    (row,) = json.loads(Path("specs/released/breaking.json").read_text("utf-8"))
    assert row["version"] == "1.0.0"
    assert {one["reason"] for one in row["breaking"]} == {"Nobody weighs parcels."}
    assert run("diff").output == "nothing changed\n"
    assert "runtime." not in Path("specs/released/callers.json").read_text("utf-8"), "modules of the service"
    assert run("release").exit_code == 0
    assert len(json.loads(Path("specs/released/breaking.json").read_text("utf-8"))) == 1


def test_a_release_that_was_interrupted_is_in_the_history_once(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop_after_the_history(path: Path, text: str) -> None:
        if path.name != "breaking.json":
            raise KeyboardInterrupt
        replace_file(path, text)

    write(WITHOUT_WEIGHT)
    declare(WEIGHT_GONE)
    with monkeypatch.context() as interrupted:
        interrupted.setattr("generator.evolve.releases.replace_file", stop_after_the_history)
        assert run("release").exit_code != 0
    assert run("release").exit_code == 0
    assert len(json.loads(Path("specs/released/breaking.json").read_text("utf-8"))) == 1


def test_a_release_removes_what_one_that_was_killed_left(project: Path) -> None:
    assert run("release").exit_code == 0
    files = {path.name for path in Path("specs/released").iterdir()}
    left, being_written = (Path(f"specs/released/.writing-{name}") for name in ("x1y2", "x3y4"))
    for file in (left, being_written):
        file.write_text("{", "utf-8")
    os.utime(left, (0, 0))
    assert run("release").exit_code == 0
    assert {path.name for path in Path("specs/released").iterdir()} == files | {being_written.name}


DRAFT = """
record: Draft
validation: lenient
fields:
  label: {type: string, required: true, maxLength: 9}
  tags: {list: string, minItems: 1, uniqueItems: true}
  mail: {type: string, format: email}
  parts: {list: {object: {size: {type: integer, required: true, minimum: 1}}}}
"""


def test_a_release_of_a_generator_that_promised_more(project: Path) -> None:
    """What only the document did not say breaks nothing; what else is gone does."""
    write(DRAFT, "draft.yaml")
    assert run("release").exit_code == 0
    Path("specs/released/SHA256SUMS").unlink()
    path = Path("specs/released/openapi.json")
    value = json.loads(path.read_text("utf-8"))
    schemas = value["components"]["schemas"]
    constraints = {
        "label": {"maxLength": 9},
        "tags": {"minItems": 1, "uniqueItems": True},
        "mail": {"format": "email"},
    }
    for name in ("Draft", "DraftRow"):
        for member, words in constraints.items():
            schemas[name]["properties"][member] |= words
    schemas["Draft"]["required"].append("label")
    schemas["DraftPart"] |= {"required": ["size"]}
    schemas["DraftPart"]["properties"]["size"]["minimum"] = 1
    schemas["DataDomainInRow"]["required"] = ["tenantId"]
    path.write_text(json.dumps(value), "utf-8")
    done = run("diff")
    assert done.exit_code == 0
    *corrections, summary = done.output.splitlines()
    assert [one.partition(": ")[0] for one in corrections] == ["correction"] * 2, done.output
    assert summary == "nothing else changed"
    assert len(json.loads(run("diff", "--json").output)["corrections"]) == 12
    write(DRAFT.replace("maxLength: 9", "maxLength: 8").replace("mail:", "email:"), "draft.yaml")
    done = json.loads(run("diff", "--json").output)
    undeclared = {
        one["at"] for one in done["changes"] if one["level"] == "breaking" and "declared" not in one
    }
    assert {"Draft.mail", "DraftRow.mail", "DraftInput.label"} <= undeclared
    write(DRAFT, "draft.yaml")
    assert run("release").exit_code == 0
    assert not Path("specs/released/breaking.json").exists()
    assert run("diff").output == "nothing changed\n"


def test_a_release_has_a_line_for_each_path_and_is_the_document(project: Path) -> None:
    text = Path("specs/released/openapi.json").read_text("utf-8")
    assert json.loads(text) == document(resolve_specs(Path("specs")))
    assert sum(line.startswith('"/post/parcels') for line in text.splitlines()) > 10


def test_a_rename_breaks_clients_and_not_the_data(project: Path) -> None:
    write(PARCEL.replace("weight: {", "mass: {renamedFrom: weight, "))
    found = {
        one["rule"]: one["level"] for one in json.loads(run("diff", "--format", "json").output)["changes"]
    }
    assert found["response-optional-property-removed"] == "breaking"
    assert found["data-field-renamed"] == "safe"
    assert "data-field-removed" not in found


@pytest.mark.parametrize(
    ("text", "area", "expected"),
    [
        (PARCEL.replace("record: Parcel", "record: Box\nrenamedFrom: Parcel"), "post",
         {"record-type-moved": ("breaking", "Box"), "data-record-renamed": ("safe", "Box")}),
        (PARCEL.replace("record: Parcel", "record: Parcel\npath: /post/boxes"), "post",
         {"record-type-moved": ("breaking", "Parcel")}),
        (PARCEL, "mail", {"record-type-moved": ("breaking", "Parcel")}),
    ],
    ids=["a record type", "its path", "its area"],
)  # fmt: skip
def test_what_moves_is_neither_removed_nor_added(
    project: Path, text: str, area: str, expected: dict[str, tuple[str, str]]
) -> None:
    Path("specs/post/parcel.yaml").unlink()
    service = Path("specs/service.yaml").read_text("utf-8")
    if area != "post":
        Path("specs", area).mkdir()
        service = service.replace(
            "{post: Parcels.}", f"{{{area}: {{description: Parcels., renamedFrom: post}}}}"
        )
    Path("specs/service.yaml").write_text(service, "utf-8")
    Path("specs", area, "parcel.yaml").write_text(text, "utf-8")
    found = json.loads(run("diff", "--format", "json").output)["changes"]
    levels = {one["rule"]: (one["level"], one["at"]) for one in found}
    assert {rule: levels.get(rule) for rule in expected} == expected
    assert {one["rule"] for one in found if one["level"] == "breaking"} == {"record-type-moved"}
    assert not levels.keys() & {"endpoint-removed", "endpoint-added", "data-record-removed"}
    assert not {rule for rule in levels if "discriminator" in rule}


def test_an_area_that_rules_would_not_know_any_more(project: Path) -> None:
    Path("specs/post").rename("specs/mail")
    found = json.loads(run("diff", "--format", "json").output)["changes"]
    assert ("data-area-changed", "breaking") in {(one["rule"], one["level"]) for one in found}


def test_markdown(project: Path) -> None:
    write(WITHOUT_WEIGHT)
    done = run("diff", "--format", "markdown")
    lines = done.output.splitlines()
    assert done.exit_code == 1
    assert lines[0] == "### Changes of `specs` against `specs/released/openapi.json`"
    assert "#### Breaking" in lines
    assert any(
        line.startswith("| `Parcel.weight`<br>") and "`response-optional-property-removed`" in line
        for line in lines
    )


def test_what_documents_hold_is_markup_nowhere(project: Path) -> None:
    """Names and values are of others: they end neither a command of GitHub nor a cell."""
    evil = "x`|<img src=y>\n::error::z @ada\x1b[2J"
    value = json.loads(Path("specs/released/openapi.json").read_text("utf-8"))
    value["paths"][f"/{evil}"] = {"get": {"responses": {"200": {"description": "x"}}}}
    value["components"]["schemas"]["ParcelInput"]["properties"]["label"]["enum"] = [evil]
    Path("evil").mkdir()
    for name, texts in (
        ("openapi.json", json.dumps(value)),
        (
            "stored.json",
            Path("specs/released/stored.json").read_text("utf-8").replace("weight", "w\\u001b[2J"),
        ),
        ("callers.json", json.dumps({"openapi": "3.1.0", "rules": {evil: {}}, "roles": {"Parcel": [evil]}})),
    ):
        Path("evil", name).write_text(texts, "utf-8")
    options = (
        "diff",
        "--specs",
        "none",
        "--against",
        "specs/released",
        "--document",
        "evil/openapi.json",
        "--format",
    )
    assert not any(line.startswith("::error::z") for line in run(*options, "github").output.splitlines())
    assert "\x1b" not in run(*options, "text").output + run(*options, "markdown").output
    shown = run(*options, "markdown").output
    assert "<img" not in shown.replace("`", "").replace("xˋ∣<img src=y>\\n::error::z @ada\\x1b[2J", "")
    assert all(
        line.count("|") - line.count("\\|") == 4 for line in shown.splitlines() if line.startswith("|")
    )
