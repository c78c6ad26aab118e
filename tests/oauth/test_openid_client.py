"""Sign-ins with openid-client, the certified client for Node, where npm has installed it (``make test`` does)."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.oauth.served import CALLBACK, KEY, USER, Served

HERE = Path(__file__).parent
NODE = shutil.which("node")

pytestmark = [
    pytest.mark.skipif(NODE is None, reason="Node is not on this machine"),
    pytest.mark.skipif(
        not (HERE / "node_modules" / "openid-client").is_dir(),
        reason="openid-client is not installed: run npm ci in tests/oauth, as make test does",
    ),
]


def run(served: Served, client_id: str, **credentials: str) -> dict[str, Any]:
    """Sign in by the program; what it found out."""
    environment = {
        "PATH": os.environ["PATH"], "ISSUER": served.url, "CLIENT_ID": client_id, "CALLBACK": CALLBACK,
        "SCOPE": "openid profile email offline_access", **credentials,
    }  # fmt: skip
    with subprocess.Popen(
        [str(NODE), "--no-warnings", str(HERE / "openid_client.mjs")], stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment,
    ) as program:  # fmt: skip
        assert program.stdout is not None
        address = program.stdout.readline().strip()
        landed = served.sign_in(address) if address else ""
        said, faults = program.communicate(landed + "\n", timeout=60)
    assert program.returncode == 0, faults
    found: dict[str, Any] = json.loads(said)
    return found


@pytest.mark.parametrize("client_id", ["web", "single-page", "keyed"])
def test_a_user_signs_in(served: Served, client_id: str) -> None:
    """Confidential clients push their requests first."""
    credentials = {
        "web": {"CLIENT_SECRET": served.secrets["web"]},
        "keyed": {"CLIENT_KEY": json.dumps(KEY)},
    }.get(client_id, {})
    said = run(served, client_id, **credentials)
    assert (said["claims"]["iss"], said["claims"]["aud"]) == (served.url, client_id)
    assert said["claims"]["auth_time"] <= said["claims"]["iat"], "max_age asks for it"
    assert said["userinfo"]["preferred_username"] == USER.user_id
    assert said["rotated"]
    if credentials:
        assert (said["before"], said["after"], said["own"].lower()) == (True, False, "bearer")
