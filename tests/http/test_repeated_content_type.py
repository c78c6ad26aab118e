"""A request names the media type of its body once: of two, servers on the way may believe the other one."""

from __future__ import annotations

import pytest

from tests.http.world import World

BODIES = {
    "JSON": ("/logistics/carriers", b'{"name": "Once", "mode": "AIR"}', "application/json"),
    "a form": ("/oauth/token", b"grant_type=client_credentials", "application/x-www-form-urlencoded"),
    "an upload": ("/logistics/carriers/csv", b"--b--\r\n", "multipart/form-data; boundary=b"),
}


@pytest.mark.parametrize(("path", "body", "media_type"), BODIES.values(), ids=BODIES)
def test_two_media_types_are_refused(world: World, path: str, body: bytes, media_type: str) -> None:
    types = [("Content-Type", media_type), ("Content-Type", "text/plain")]
    own = world.headers("acme" if path != "/oauth/token" else None)
    before = world.snapshot()
    answer = world.client.post(path, content=body, headers=[*types, *own.items()])
    assert answer.status_code == 400, answer.text
    assert "the header content-type came 2 times; send it once" in answer.text
    assert world.snapshot() == before
