"""A project of a team, from the wheel alone: started, served, tested, checked, changed."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from importlib.metadata import Distribution, version
from pathlib import Path

import httpx2
import pytest
import yaml

from generator.naming import BadName
from generator.project.start import _copy_wheel, _name_facts
from tests.project.installed import ROOT, build_wheel, create_environment, environment, run

EXTENSION = Path(__file__).parent / "extension"
"""What a team adds: fields of a record type of the service, and the tests of them."""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of ``recordsmith init shop``, set up and extended."""
    folder = tmp_path_factory.mktemp("project")
    python = create_environment(folder / "tool", build_wheel(folder))
    said = run(str(python.with_name("recordsmith")), "init", "shop", cwd=folder)
    assert "make run" in said
    shop = folder / "shop"
    (folder / "tool").rename(shop / ".venv")
    (shop / ".venv" / ".ready").touch()
    (shop / "specs" / "security").mkdir()
    for file in EXTENSION.glob("*.yaml"):
        shutil.copy(file, shop / "specs" / "security")
    shutil.copy(EXTENSION / "check_extension.py", shop / "tests" / "test_extension.py")
    return shop


@pytest.fixture(scope="module")
def served(project: Path) -> list[str]:
    """The labels of the articles that ``make run`` served; it has generated the code as well."""
    with running(project) as (url, password):
        body = {"userId": "admin@acme.example", "password": password}
        token = httpx2.post(f"{url}/security/login", json=body, timeout=60).json()["accessToken"]
        headers = {"Authorization": f"Bearer {token}"}
        found = httpx2.get(f"{url}/catalog/articles/list", headers=headers, timeout=60).json()
    return [row["label"] for row in found["rows"]]


def test_make_run_serves_the_seeds_to_the_demo_users(served: list[str]) -> None:
    assert served == ["Desk lamp, 24.90", "Floor lamp, 89.00"]


def test_nothing_of_this_repository_is_at_hand(project: Path) -> None:
    look = "import sys, recordsmith.runtime; print(*sys.path, recordsmith.__file__)"
    assert str(ROOT) not in run(".venv/bin/python", "-c", look, cwd=project).replace(str(project), "")
    for name in ("runtime", "generator"):
        with pytest.raises(AssertionError, match=f"No module named '{name}'"):
            run(".venv/bin/python", "-c", f"import {name}", cwd=project)


@pytest.mark.usefixtures("served")
def test_project_has_its_files(project: Path) -> None:
    files = {file.relative_to(project).as_posix() for file in project.rglob("*") if file.is_file()}
    assert {"Makefile", "Dockerfile", "compose.yaml", ".ci/run", "README.md", "pyproject.toml"} <= files
    assert {"specs/service.yaml", "shop/seams.py", "tests/test_document.py", "generated/app.py"} <= files
    assert [name for name in files if re.fullmatch(r"wheels/recordsmith-.*\.whl", name)]
    assert f"recordsmith=={version('recordsmith')}\n" in (project / "requirements.lock").read_text()
    written = [name for name in files if not name.startswith((".venv", ".data", "wheels/r"))]
    for name in (name for name in written if not name.endswith(".pyc")):
        text = (project / name).read_text("utf-8")
        assert not re.search(r"@(name|package|title|version)@|\.template", text), name


def test_containers_wait_for_each_other(project: Path) -> None:
    services = yaml.safe_load((project / "compose.yaml").read_text("utf-8"))["services"]
    assert {name for name, one in services.items() if "healthcheck" in one} == {"mongo", "service"}
    assert services["service"]["depends_on"] == {"mongo": {"condition": "service_healthy"}}
    assert "replicaSet=rs0" in services["service"]["environment"]["MONGODB_URI"]
    assert all(port.startswith("127.0.0.1:") for one in services.values() for port in one.get("ports", []))


def test_containers_are_checked_seldom_and_stopped_patiently(project: Path) -> None:
    """Each check of mongo starts mongosh; a service that stops finishes its requests within 20 seconds."""
    services = yaml.safe_load((project / "compose.yaml").read_text("utf-8"))["services"]
    check = services["mongo"]["healthcheck"]
    assert (check["interval"], check["timeout"]) == ("10s", "10s")
    assert services["service"]["stop_grace_period"] == "30s"


def test_image_needs_its_base_alone_and_runs_as_a_numbered_user(project: Path) -> None:
    steps = read_dockerfile(project)
    assert not (project / "Dockerfile").read_text("utf-8").startswith("# syntax="), "an image more to pull"
    assert {words.split()[0] for step, words in steps if step == "FROM"} == {"python:3.12-slim"}
    (user,) = [words for step, words in steps if step == "USER"]
    assert user.isdecimal(), "Kubernetes compares no names"
    assert int(user) > 0


def test_image_gets_its_libraries_before_the_code(project: Path) -> None:
    steps = read_dockerfile(project)
    copied = [words.split()[0] for step, words in steps if step == "COPY" and not words.startswith("--from")]
    installs = [at for at, (step, words) in enumerate(steps) if step == "RUN" and " install " in words]
    code = [
        at
        for at, step in enumerate(steps)
        if step in {("COPY", "shop shop"), ("COPY", "generated generated")}
    ]
    assert installs[0] < min(code) < max(code) < installs[1]
    assert "--no-deps" in steps[installs[1]][1]
    ignored = (project / ".dockerignore").read_text("utf-8").splitlines()
    assert [line for line in ignored if not line.startswith(("#", "!"))] == ["*", "**/__pycache__"]
    sent = {line[1:] for line in ignored if line.startswith("!")}
    assert sent == {*copied, "requirements.lock"}


def read_dockerfile(project: Path) -> list[tuple[str, str]]:
    """Return the instructions of the Dockerfile, each with what follows it."""
    text = (project / "Dockerfile").read_text("utf-8").replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [(step, words) for step, _, words in (line.partition(" ") for line in lines)]


@contextmanager
def running(project: Path) -> Iterator[tuple[str, str]]:
    """``make run``: the address and the password of the first demo user."""
    words = ("make", "run", "PORT=0")
    process = subprocess.Popen(
        words, cwd=project, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        start_new_session=True,
    )  # fmt: skip
    assert process.stdout is not None
    with process.stdout:
        try:
            said = ""
            for line in process.stdout:
                said += line
                if found := re.search(r"admin@acme\.example +password +(\S+)", line):
                    address = re.search(r"http://\S+", said)
                    assert address, said
                    yield address[0], found[1]
                    break
            else:
                raise AssertionError(said)
        finally:
            os.killpg(process.pid, signal.SIGTERM)
            process.stdout.read()  # ends with the service
            process.wait()


@pytest.mark.usefixtures("served")
def test_make_test_is_green(project: Path) -> None:
    said = run("make", "test", cwd=project)
    assert re.search(r"\d+ passed", said)
    assert not re.search(r"failed|skipped|error", said)


@pytest.mark.usefixtures("served")
def test_make_check_is_green(project: Path) -> None:
    """Without mypy, which takes half a minute without its cache; ``make faults`` runs it."""
    commands = run("make", "--dry-run", "check", cwd=project).strip().splitlines()
    assert commands[-1].endswith("mypy")
    said = "".join(run(*command.split(), cwd=project) for command in commands[:-1])
    assert "specifications and generated code agree" in said


def test_make_upgrade_takes_other_versions_than_those_pinned(project: Path) -> None:
    commands = run("make", "--what-if=pyproject.toml", "--dry-run", "upgrade", cwd=project)
    assert "--upgrade" in commands
    assert "--constraint" not in commands


@pytest.mark.parametrize(
    "name", ["2shop", "Shop", "my shop", "json", "class", "specs", "fastapi", "", "shöp", "../shop/."]
)
def test_name_that_makes_no_package_is_refused(name: str) -> None:
    with pytest.raises(BadName):
        _name_facts(name)


def test_folder_with_files_is_left_alone(project: Path) -> None:
    before = (project / "README.md").read_bytes()
    words = [str(project / ".venv/bin/python"), "-m", "recordsmith", "init", str(project)]
    done = subprocess.run(words, env=environment(), cwd="/", capture_output=True, text=True, check=False)
    assert (done.returncode, "already exists" in done.stderr) == (2, True), done.stderr
    assert (project / "README.md").read_bytes() == before


class Installed(Distribution):
    """A package as pip says it was installed."""

    def __init__(self, wheel: Path, digest: str) -> None:
        self.text = json.dumps({"url": wheel.as_uri(), "archive_info": {"hash": f"sha256={digest}"}})

    def read_text(self, filename: str) -> str | None:
        return self.text if filename == "direct_url.json" else None

    def locate_file(self, path: object) -> Path:
        return Path(str(path))


def test_wheel_is_copied_only_as_it_was_installed(tmp_path: Path) -> None:
    wheel, target = tmp_path / "a b-1-py3-none-any.whl", tmp_path / "wheels"
    target.mkdir()
    wheel.write_bytes(b"ours")
    installed = Installed(wheel, sha256(b"ours").hexdigest())
    assert _copy_wheel(installed, target) == wheel.name
    assert (target / wheel.name).read_bytes() == b"ours"
    wheel.write_bytes(b"of somebody else")
    assert _copy_wheel(installed, target) is None
    assert (target / wheel.name).read_bytes() == b"ours"
    wheel.unlink()
    assert _copy_wheel(installed, target) is None
