"""Work that many want at once: each caller is served by a run that began after it asked."""

from __future__ import annotations

import asyncio

import pytest

from runtime.records.effects.joint import Joint

pytestmark = pytest.mark.anyio


class Work:
    """Runs that end when they are let go."""

    def __init__(self) -> None:
        self.began = 0
        self.gate = asyncio.Event()

    async def __call__(self) -> None:
        self.began += 1
        await self.gate.wait()


async def settle() -> None:
    for _turn in range(10):
        await asyncio.sleep(0)


async def test_those_that_come_during_a_run_share_the_next_one() -> None:
    joint, work = Joint(), Work()
    first = asyncio.create_task(joint.run("a", work))
    await settle()
    later = [asyncio.create_task(joint.run("a", work)) for _caller in range(5)]
    await settle()
    assert work.began == 1
    assert not any(task.done() for task in (first, *later))
    work.gate.set()
    await asyncio.gather(first, *later)
    assert work.began == 2


async def test_keys_do_not_wait_for_each_other() -> None:
    joint, slow, quick = Joint(), Work(), Work()
    quick.gate.set()
    waits = asyncio.create_task(joint.run("a", slow))
    await joint.run("b", quick)
    assert not waits.done()
    slow.gate.set()
    await waits


async def test_a_cancelled_caller_stops_no_run_of_others() -> None:
    joint, work = Joint(), Work()
    callers = [asyncio.create_task(joint.run("a", work)) for _caller in range(2)]
    await settle()
    callers[0].cancel()
    await settle()
    work.gate.set()
    await callers[1]
    assert (callers[0].cancelled(), work.began) == (True, 1)


async def test_each_caller_gets_the_error_and_the_next_run_is_a_new_one() -> None:
    joint, runs = Joint(), list[int]()

    async def fail_once() -> None:
        runs.append(1)
        if len(runs) == 1:
            raise ValueError("once")

    found = await asyncio.gather(*(joint.run("a", fail_once) for _caller in range(3)), return_exceptions=True)
    assert [type(one) for one in found] == [ValueError] * 3
    await joint.run("a", fail_once)
    assert len(runs) == 2
