"""Conversions in processes: they keep their order, and end with the command, however that ends."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator
from multiprocessing import active_children
from multiprocessing.context import SpawnProcess
from pathlib import Path

import pytest

from runtime.backup import converting as module
from runtime.backup.converting import converting
from tests.patience import wait_until

HELD = """
import asyncio, multiprocessing, os
from runtime.backup import converting as module

async def main():
    module._FEW = 0
    with module.converting(bytes.upper) as converter:
        await asyncio.gather(*(converter.start(b"a") for _number in range(20)))
        for child in converter._children:
            child._pipe.send(b"a")
            assert child._pipe.poll(60)
        print(*(child.pid for child in multiprocessing.active_children()), flush=True)
        await asyncio.Event().wait()

if __name__ == "__main__":
    asyncio.run(main())
"""


def is_alive(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text("utf-8").rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def test_results_keep_the_order_of_the_source(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_FEW", 8)  # the first in a thread, the others in processes

    async def source() -> AsyncGenerator[bytes, None]:
        for number in range(40):
            yield f"part {number}".encode()

    async def convert() -> list[bytes]:
        with converting(bytes.upper) as converter:
            return [one async for one in converter.convert(source())]

    found = asyncio.run(convert())
    assert found == [f"PART {number}".encode() for number in range(40)]


def test_without_further_processes_the_thread_converts(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_arguments: object) -> None:
        raise BlockingIOError

    monkeypatch.setattr(module, "_FEW", 0)
    monkeypatch.setattr(SpawnProcess, "start", refuse)

    async def convert() -> list[bytes]:
        with converting(bytes.upper) as converter:
            return list(await asyncio.gather(*(converter.start(one) for one in (b"a", b"b"))))

    assert asyncio.run(convert()) == [b"A", b"B"]


def test_what_a_killed_process_had_is_converted_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_FEW", 0)

    async def convert() -> list[bytes]:
        with converting(bytes.upper) as converter:
            await converter.start(b"a")
            for child in active_children():
                child.kill()
                child.join()
            found = await asyncio.gather(*(converter.start(b"b") for _number in range(converter.ahead)))
            assert not converter._idle
            assert await converter.start(b"c") == b"C"
            return found

    assert {*asyncio.run(convert())} == {b"B"}


def test_what_a_conversion_raises_in_a_process_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_FEW", 0)

    async def convert() -> str:
        with converting(bytes.decode) as converter:
            return await converter.start(b"\xff")

    with pytest.raises(UnicodeDecodeError):
        asyncio.run(convert())


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_processes_end_with_a_command_that_is_killed(tmp_path: Path) -> None:
    script = tmp_path / "held.py"
    script.write_text(HELD, "utf-8")
    root = Path(module.__file__).parents[2]
    held = subprocess.Popen(
        [sys.executable, str(script)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=root,
        env=os.environ | {"PYTHONPATH": str(root)},
    )  # fmt: skip
    with held:
        try:
            assert held.stdout is not None
            children = [int(word) for word in held.stdout.readline().split()]
            assert children
            assert all(map(is_alive, children))
            maps = Path(f"/proc/{held.pid}/maps").read_text("utf-8")
            assert "/dev/shm/sem." not in maps, "a semaphore whose file would stay"
        finally:
            held.send_signal(signal.SIGKILL)  # with results that it has not read
        held.wait(60)
        wait_until(lambda: not any(map(is_alive, children)))
        assert held.stderr is not None
        assert held.stderr.read() == ""
