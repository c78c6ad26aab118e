"""The service is killed while it notifies: none is lost, and what comes twice comes with its own id.

A short run of ``webhooks.py``; `make faults` is the long one. Nothing here is timed.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import sys
import time
from pathlib import Path

import pytest

from tests.faults.service import served
from tests.faults.webhooks import SETTINGS, find_wrong, play
from tests.outbox.receiver import Received

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="processes are killed by their session")


def test_no_notification_is_lost_in_kills(mongo_uri: str, realm: str, tmp_path: Path) -> None:
    settings = SETTINGS | {"SERVICE_DEFAULT_REALM": realm}
    with served(mongo_uri, tmp_path, 1, **settings) as service:
        wrong, came = play(service, kills=1, seed=7, pause=0.02)
    assert wrong == []
    assert came > 20


def build_notification(own_id: str, record: str, version: int) -> Received:
    body = json.dumps({"data": {"id": record, "version": version}}).encode()
    headers = {"webhook-id": own_id, "webhook-timestamp": str(int(time.time())), "webhook-signature": "v1,x"}
    return Received("/", headers, body, 0.0)


@pytest.mark.parametrize(
    ("accepted", "says"),
    [
        ([build_notification("a", "r", 1)], "has 2 versions, and was notified of [1]"),
        ([build_notification("b", "r", 2), build_notification("a", "r", 1)], "was notified of [2, 1]"),
        (
            [
                build_notification("a", "r", 1),
                build_notification("b", "r", 1),
                build_notification("c", "r", 2),
            ],
            "under two ids",
        ),
        ([build_notification("a", "r", 1), build_notification("a", "r", 2)], "a is of"),
        (
            [
                build_notification("a", "r", 1),
                build_notification("b", "r", 2),
                build_notification("c", "q", 1),
            ],
            "q was never acknowledged",
        ),
        ([build_notification("a", "r", 1), build_notification("b", "r", 2)], "a is not signed"),
    ],
)
def test_what_is_wrong_is_found(accepted: list[Received], says: str) -> None:
    assert any(says in one for one in find_wrong({"r": 2}, accepted, "whsec_c2VjcmV0"))


def sign(body: bytes, signed: float, came: float) -> Received:
    seconds = str(int(signed))
    digest = hmac.new(b"secret", b".".join([b"a", seconds.encode(), body]), hashlib.sha256).digest()
    signature = f"v1,{base64.b64encode(digest).decode()}"
    headers = {"webhook-id": "a", "webhook-timestamp": seconds, "webhook-signature": signature}
    return Received("/", headers, body, 0.0, came)


@pytest.mark.parametrize(("age", "expected"), [(0, []), (600, ["a is not signed"])])
def test_a_signature_is_judged_at_the_time_it_came(age: int, expected: list[str]) -> None:
    """A run may take longer than a signature is fresh."""
    body, came = json.dumps({"data": {"id": "r", "version": 1}}).encode(), time.time() - 3600
    assert find_wrong({"r": 1}, [sign(body, came - age, came)], "whsec_c2VjcmV0") == expected
