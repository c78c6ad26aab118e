"""Large answers that wait for slow readers: a worker holds a bounded number of bytes, and serves everyone else."""

from __future__ import annotations

import asyncio
from typing import Any

import orjson
import pytest
from starlette.types import Message

from runtime.errors import Overloaded
from runtime.http import unread_answers
from runtime.http.unread_answers import LARGE, MOST, MOST_OF_ONE, UnreadAnswers
from tests.http.world import Play, World
from tests.scenario import Scenario

CARRIERS = "/logistics/carriers"


def body_of(size: int) -> Message:
    return {"type": "http.response.body", "body": bytes(size), "more_body": False}


class Reader:
    """Takes an answer when it may."""

    def __init__(self) -> None:
        self.may_read = asyncio.Event()

    async def take(self, _message: Message) -> None:
        await self.may_read.wait()


@pytest.mark.anyio
async def test_one_user_leaves_a_part_of_what_all_may_unread() -> None:
    answers, reader = UnreadAnswers(), Reader()
    sending = [asyncio.create_task(answers.send("a", body_of(MOST_OF_ONE // 2), reader.take)) for _ in "12"]
    await asyncio.sleep(0)
    with pytest.raises(Overloaded):
        answers.require_room("a")
    answers.require_room("b")
    reader.may_read.set()
    await asyncio.gather(*sending)
    answers.require_room("a")


@pytest.mark.anyio
async def test_who_has_read_all_is_served_however_much_others_leave_unread() -> None:
    answers, reader = UnreadAnswers(), Reader()
    sizes = {"a": MOST, "b": LARGE}
    sending = [asyncio.create_task(answers.send(one, body_of(sizes[one]), reader.take)) for one in sizes]
    await asyncio.sleep(0)
    with pytest.raises(Overloaded):
        answers.require_room("b")
    answers.require_room("c")
    for one in sending:
        one.cancel()
    await asyncio.gather(*sending, return_exceptions=True)
    answers.require_room("a")
    answers.require_room("b")


def test_the_end_of_a_large_answer_waits_for_its_reader(world: World) -> None:
    world.make("Carrier", refName="pattern", name="large")
    row = world.documents["carriers"].find_one({"refName": "pattern"}) or {}
    del row["_id"]
    world.documents["carriers"].insert_many({**row, "refName": f"large-{at}"} for at in range(600))

    async def receive() -> Any:
        await asyncio.sleep(60)

    query = b"filter=name:large&limit=1000"
    start, whole, end = world.send_messages(
        "GET", f"{CARRIERS}/list", receive, query=query, headers=world.headers("acme")
    )
    assert len(orjson.loads(whole["body"])["rows"]) == 601
    assert dict(start["headers"])[b"content-length"] == str(len(whole["body"])).encode()
    assert len(whole["body"]) > LARGE
    assert (whole["more_body"], end["body"], end.get("more_body", False)) == (True, b"", False)


@pytest.mark.parametrize(
    "scenario",
    [
        Scenario(
            "a list", f"GET {CARRIERS}/list", status=503, code="service.overloaded", says=("read them",)
        ),
        Scenario("a save", f"POST {CARRIERS}", body={"name": "One", "mode": "AIR"}, status=503),
    ],
    ids=lambda scenario: str(scenario.name),
)
def test_who_has_answers_to_read_is_refused_before_anything_is_done(
    play: Play, scenario: Scenario, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unread_answers, "MOST_OF_ONE", 0)
    play(scenario)
