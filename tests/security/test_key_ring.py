"""Running workers notice other keys: soon by themselves, at once for a token of a key they do not know."""

from __future__ import annotations

import asyncio
import os
import shutil
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from runtime.errors import Unauthenticated
from runtime.settings import Settings
from runtime.tokens import Tokens, key_ring, remove_key, rotate_keys
from tests.log_lines import capture_logs
from tests.security.key_folders import ADA, NOW, Clock, settings

DAMAGED = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("usual_logs")]


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def worker(made: Settings, clock: Clock) -> Tokens:
    """One that has read its keys."""
    tokens = Tokens(made, clock)
    assert tokens.ring.keys.kid
    return tokens


@pytest.fixture
def looks(made: Settings, worker: Tokens, monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """How often the worker has looked at its public file."""
    seen: list[Path] = []
    real = key_ring._mark

    def counted(file: Path) -> Any:
        seen.append(file)
        return real(file)

    monkeypatch.setattr(key_ring, "_mark", counted)
    return lambda: seen.count(made.data_folder / "keys" / "public.pem")


def signed_by_another(made: Settings, clock: Clock) -> str:
    """By a worker that came up after the keys were changed."""
    return Tokens(made, clock).mint_access(ADA)


def forged(folder: Path, clock: Clock) -> str:
    return Tokens(settings(folder), clock).mint_access(ADA)


def test_a_token_of_an_unknown_key_makes_it_look_at_once(
    made: Settings, worker: Tokens, clock: Clock
) -> None:
    rotate_keys(made, NOW, at_once=True)
    token = signed_by_another(made, clock)
    assert worker.verify_access(token).user_id == "Ada"
    assert worker.mint_access(ADA).split(".")[0] == token.split(".")[0], "it signs with the new key too"


def test_tokens_of_unknown_keys_do_not_make_it_read_each_time(
    worker: Tokens, clock: Clock, tmp_path: Path, looks: Callable[[], int]
) -> None:
    token = forged(tmp_path / "stranger", clock)
    for at in range(100):
        clock.seconds = NOW + at / 50
        with pytest.raises(Unauthenticated):
            worker.verify_access(token)
    assert looks() == 1
    clock.seconds = NOW + 2
    with pytest.raises(Unauthenticated):
        worker.verify_access(token)
    assert looks() == 2


def test_tokens_of_known_keys_never_make_it_read(
    worker: Tokens, clock: Clock, looks: Callable[[], int]
) -> None:
    token = worker.mint_access(ADA)
    for _ in range(100):
        worker.verify_access(token)
        worker.verify_access(worker.mint_access(ADA))
        clock.seconds += 10
    assert looks() == 0


def test_a_clock_that_is_set_back_does_not_stop_it_from_looking(
    made: Settings, worker: Tokens, clock: Clock, tmp_path: Path
) -> None:
    with pytest.raises(Unauthenticated):
        worker.verify_access(forged(tmp_path / "stranger", clock))
    clock.seconds -= 3600
    rotate_keys(made, clock.seconds, at_once=True)
    assert worker.verify_access(signed_by_another(made, clock)).user_id == "Ada"


async def test_it_takes_over_what_changed(made: Settings, worker: Tokens) -> None:
    old = worker.ring.keys.kid
    token = worker.mint_access(ADA)
    worker.verify_access(token)
    await worker.ring.refresh()
    assert worker.ring.keys.kid == old

    rotate_keys(made, NOW, at_once=True)
    await worker.ring.refresh()
    assert worker.ring.keys.kid != old
    assert worker.verify_access(token).user_id == "Ada"

    remove_key(made, old, NOW)
    await worker.ring.refresh()
    with pytest.raises(Unauthenticated):  # although it was remembered
        worker.verify_access(token)


async def test_a_key_is_published_before_it_signs_on_every_worker(
    made: Settings, worker: Tokens, clock: Clock
) -> None:
    rotate_keys(made, NOW)
    await worker.ring.refresh()
    signing, waiting = (key["kid"] for key in worker.key_set()["keys"])
    assert worker.ring.keys.kid == signing
    clock.seconds += made.key_publish_seconds
    assert worker.ring.keys.kid == waiting
    assert [key["kid"] for key in worker.key_set()["keys"]] == [waiting, signing]


async def test_it_looks_by_itself(made: Settings, worker: Tokens, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(key_ring, "REFRESH_SECONDS", 0.01)
    old = worker.ring.keys.kid
    async with worker.ring.keep_refreshing():
        rotate_keys(made, NOW, at_once=True)
        for _ in range(1000):
            if worker.ring.keys.kid != old:
                break
            await asyncio.sleep(0.01)
    assert worker.ring.keys.kid != old
    assert not [task for task in asyncio.all_tasks() if task.get_name() == "keys"]


async def test_a_file_that_cannot_be_read_to_its_end_does_not_hold_up_the_end(
    made: Settings, worker: Tokens, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As one of a file system that hangs: here a pipe that nobody writes to."""
    monkeypatch.setattr(key_ring, "REFRESH_SECONDS", 0.01)
    before, file = worker.ring.keys, made.data_folder / "keys" / "private.pem"
    file.unlink()
    os.mkfifo(file)
    async with worker.ring.keep_refreshing():
        for _ in range(1000):
            if reading := [one for one in threading.enumerate() if one.name == "keys"]:
                break
            await asyncio.sleep(0.01)
    assert worker.ring.keys == before
    assert [one.daemon for one in reading] == [True]  # so that the process does not wait for it either
    (thread,) = reading
    with suppress(OSError):  # let it end
        os.close(os.open(file, os.O_WRONLY | os.O_NONBLOCK))
    thread.join(10)


@pytest.mark.parametrize("name", ["private.pem", "public.pem"])
@pytest.mark.parametrize(
    "spoil",
    [
        pytest.param(lambda file: None, id="gone"),
        pytest.param(lambda file: file.touch(), id="empty"),
        pytest.param(lambda file: file.mkdir(), id="folder"),
        pytest.param(lambda file: file.write_text(DAMAGED), id="damaged"),
    ],
)
async def test_files_that_cannot_be_read_change_nothing(
    worker: Tokens, made: Settings, tmp_path: Path, name: str, spoil: Callable[[Path], Any]
) -> None:
    """Nor are they made anew, as at a start in development."""
    file, aside = made.data_folder / "keys" / name, tmp_path / "aside"
    before = worker.ring.keys
    file.rename(aside)
    spoil(file)
    with capture_logs() as lines:
        await worker.ring.refresh()
        await worker.ring.refresh()
    assert worker.ring.keys is before
    assert [line["event"] for line in lines] == ["keys.unreadable"], "said once"

    shutil.rmtree(file) if file.is_dir() else file.unlink(missing_ok=True)
    aside.replace(file)
    rotate_keys(made, NOW, at_once=True)
    with capture_logs() as lines:
        await worker.ring.refresh()
    assert worker.ring.keys.kid != before.kid
    assert [line["event"] for line in lines] == ["keys.read"]
