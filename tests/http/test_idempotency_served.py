"""A hundred requests at once with one key, to a service in a process of its own: one effect."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx2
import pytest

from tests.http.world import CALLERS, PASSWORD, World
from tests.serving import serving

CARRIERS = "/logistics/carriers"
LINE = {"name": "Atlantic Air Cargo", "mode": "AIR"}
REPLAYED = "idempotency-replayed"
PARALLEL = 100


@pytest.fixture(scope="module")
def client(world: World, mongo_uri: str, key_folder: Path) -> Iterator[httpx2.Client]:
    """Of the served application, signed in."""
    with serving(mongo_uri, world.realm, key_folder) as (_process, url):
        user = {"userId": CALLERS["acme"].user_id, "password": PASSWORD}
        token = httpx2.post(f"{url}/security/login", json=user, timeout=60).json()["accessToken"]
        headers = {"Authorization": f"Bearer {token}"}
        with httpx2.Client(base_url=url, headers=headers, timeout=60) as signed_in:
            yield signed_in


@pytest.mark.parametrize(
    ("name", "effects"),
    [
        pytest.param(lambda _number: "one", 1, id="one key"),
        pytest.param(lambda number: f"mixed-{number % 7}", 7, id="several keys"),
    ],
)
def test_a_hundred_at_once(
    world: World, client: httpx2.Client, name: Callable[[int], str], effects: int
) -> None:
    def ask(number: int) -> httpx2.Response:
        key = name(number)
        body = LINE | {"name": f"Line {key}"}
        answer: httpx2.Response = client.post(CARRIERS, json=body, headers={"Idempotency-Key": key})
        return answer

    with ThreadPoolExecutor(32) as pool:
        answers = list(pool.map(ask, range(PARALLEL)))
    assert Counter(answer.status_code for answer in answers).keys() <= {201, 409}
    for answer in answers:
        if answer.status_code == 409:
            assert (answer.json()["code"], answer.headers["retry-after"]) == ("idempotency.in_flight", "1")
    done = [answer for answer in answers if answer.status_code == 201]
    assert sum(REPLAYED not in answer.headers for answer in done) == effects
    ids = {answer.json()["id"] for answer in done}
    assert len(ids) == effects
    names = sorted({f"Line {name(number)}" for number in range(PARALLEL)})
    stored = list(world.documents["carriers"].find({"name": {"$in": names}}))
    assert {str(document["_id"]) for document in stored} == ids
