"""The published document against the running service: every route, every check, two callers of two tenants.

``recordsmith serve`` answers, the ``schemathesis`` command asks: the examples of the document, each
constraint's edges, random requests valid and not, and chains of requests along the document's links. Its
object-level check repeats each caller's reads as the other: it finds a service without tenant scope within
25 s (tried by taking the scope away). What is switched off or widened, and why, stands in schemathesis.toml
and hooks.py.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from pymongo import MongoClient

from generated.app import DOCUMENT
from generated.record_types import CATALOG
from tests.http.world import CALLERS, PASSWORD, PATHS, World, open_world
from tests.serving import serving

NOTHING = "API Links:    0 covered"
"""What the command reports when no chain led anywhere."""

SECONDS = 1200
"""Until a run counts as hanging. It may share its processors with much else."""
pytestmark = pytest.mark.timeout(SECONDS + 60)

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
REPLACED = ("use_after_free", "allow_header_conformance", "negative_data_rejection")
CHECKS = ("--checks", "all", "--exclude-checks", ",".join(REPLACED))
"""In place of those left out, ``hooks.py`` has ``used_after_deletion``, ``allows_its_methods`` and
``rejects_invalid_data``: what the command line says of checks overrides the file's settings of single routes."""

LOOKED_UP = {
    "NO_PROXY": "127.0.0.1",  # else each request looks through all variables for a proxy
    "NETRC": "",  # and in the home folder for a password
    "HYPOTHESIS_STORAGE_DIRECTORY": str(ROOT / ".hypothesis"),  # tables of Unicode, as of all other tests
}
"""What the command finds at once, and would else search or compute."""

PEERS = ("acme", "globex")
CHAINED = ("Country", "Product")
"""Tags whose records refer to none: a save that fits the schema succeeds, and its links lead on."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the command runs: copies of its settings, what it is told of the service, what it keeps."""
    folder = tmp_path_factory.mktemp("schemathesis")
    for name in ("schemathesis.toml", "hooks.py"):
        shutil.copy(HERE / name, folder)
    return folder


@pytest.fixture(scope="module")
def world(mongo_uri: str, mongo_client: MongoClient[dict[str, Any]], folder: Path) -> Iterator[World]:
    """Makes the users, and of each kind one record a tenant for references to lead to."""
    base = "http://service.example"
    with open_world(mongo_uri, mongo_client, data_folder=folder / "data", base_url=base) as opened:
        yield opened


@pytest.fixture(scope="module")
def url(world: World, mongo_uri: str, folder: Path) -> Iterator[str]:
    (folder / "wfc.json").write_text(json.dumps({"auth": [credentials(world, user) for user in PEERS]}))
    (folder / "known.json").write_text(json.dumps(known(world)))
    world.client.exit_stack.close()  # else the service of this process follows all that the other one stores
    # Thousands of wrong passwords from one address are the point here; throttling has its own tests.
    # What is too long for a head is refused before there is a route: the document does not describe it.
    limits = {"AUTH_LOGIN_FAILURES": "1000000", "LIMITS_HEAD_BYTES": "1000000"}
    with serving(mongo_uri, world.realm, folder / "data", **limits) as (_process, url):
        yield url


def credentials(world: World, user: str) -> dict[str, Any]:
    """A caller in the words of the Web Fuzzing Commons."""
    return {
        "name": user,
        "fixedHeaders": [{"name": name, "value": value} for name, value in world.headers(user).items()],
    }


def known(world: World) -> dict[str, Any]:
    """What the hooks may put into requests: records to refer to, by field, and a password."""
    targets = {
        reference.path.split(".")[-1].removesuffix("[]"): reference.target
        for kind in CATALOG
        if kind.name in PATHS
        for reference in kind.references
    }
    records = {
        user: {field: world.ref(kind, user)["entityId"] for field, kind in targets.items()} for user in PEERS
    }
    return {
        "records": records,
        "login": {"userId": CALLERS["acme"].user_id, "password": PASSWORD},
        "archived": [kind.base_path for kind in CATALOG if kind.on_delete == "archive"],
    }


def ask(url: str, folder: Path, *options: str) -> str:
    """Run the command; its report. Fails with it when a check failed."""
    command = [
        str(Path(sys.executable).with_name("schemathesis")),
        "--no-color",
        "--config-file",
        "schemathesis.toml",
    ]
    quiet = ("--warnings", "off")  # they are counted again after each route, and fail nothing
    done = subprocess.run(
        [*command, "run", f"{url}/openapi.json", *CHECKS, *quiet, *options],
        cwd=folder, capture_output=True, text=True, timeout=SECONDS, check=False,
        env=os.environ | LOOKED_UP,
    )  # fmt: skip
    found = max(min(done.stdout.find(f"= {head} =") % 10**9 for head in ("ERRORS", "FAILURES")), 0)
    assert done.returncode == 0, (
        done.stdout[found : found + 10_000] + done.stdout[-5_000:] + done.stderr[-2_000:]
    )
    return done.stdout


def test_each_route_alone(world: World, url: str, folder: Path) -> None:
    """The same requests in every run."""
    phases = ("--phases", "examples,coverage,fuzzing", "--generation-deterministic", "--max-examples", "2")
    report = ask(url, folder, *phases)
    operations = sum(len(item) for item in json.loads(DOCUMENT.read_bytes())["paths"].values())
    assert f"Tested: {operations}" in report
    for peer in PEERS:  # else the requests after the one that ended a token tested nothing
        known = httpx2.get(f"{url}/security/me", headers=world.headers(peer), timeout=60)
        assert known.status_code == 200, peer


def test_chains_of_requests(url: str, folder: Path) -> None:
    """Seeded, for as long as it may take: what a chain meets hangs on what others have stored before.

    Over a few record types: chains over all of them begin everywhere and get nowhere.
    """
    chained = [option for tag in CHAINED for option in ("--include-tag", tag)]
    phase = ("--phases", "stateful", "--max-examples", "60", *chained)
    report = ask(url, folder, *phase, "--max-time", "5")
    if NOTHING in report:  # the machine is busy
        report = ask(url, folder, *phase, "--max-time", "120")
    assert "API Links:" in report
    assert NOTHING not in report
