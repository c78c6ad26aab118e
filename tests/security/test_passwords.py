"""Password hashes: what is accepted, what is refused, and that refusing costs as much as checking."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import Iterator

import bcrypt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.admission import FixedLimit, Gate
from runtime.errors import Overloaded, ValidationFailed
from runtime.identity.credentials import passwords
from runtime.identity.credentials.passwords import (
    check_off_loop,
    hash_off_loop,
    hash_password,
    password_matches,
)

COST = 4


@pytest.mark.parametrize(
    "password",
    [
        pytest.param("12345678", id="8 bytes"),
        pytest.param("x" * 72, id="72 bytes"),
        pytest.param("pässwörd", id="accents"),
        pytest.param("abcd\0efgh", id="NUL in the middle"),
        pytest.param("🔒🔒", id="two characters of four bytes"),
    ],
)
def test_password_matches_its_own_hash_only(password: str) -> None:
    hashed = hash_password(password, COST)
    assert password_matches(password, hashed, COST)
    assert not password_matches(password + "x", hashed, COST)
    assert not password_matches(password[:-1], hashed, COST)
    assert not password_matches(password.swapcase() + " ", hashed, COST)


@settings(max_examples=30)
@given(st.text(min_size=8, max_size=18), st.text(min_size=8, max_size=18))
def test_two_passwords_share_no_hash(one: str, other: str) -> None:
    hashed = hash_password(one, COST)
    assert password_matches(one, hashed, COST)
    same = passwords._octets(one) == passwords._octets(other)
    assert password_matches(other, hashed, COST) is same


@pytest.mark.parametrize(
    "password",
    [
        pytest.param("", id="empty"),
        pytest.param("1234567", id="7 bytes"),
        pytest.param("x" * 73, id="73 bytes"),
        pytest.param("ä" * 37, id="37 characters of 74 bytes"),
        pytest.param("password\ud800", id="half a surrogate pair"),
    ],
)
def test_password_that_cannot_be_kept_is_refused(password: str) -> None:
    with pytest.raises(ValidationFailed, match="8 to 72 bytes") as refusal:
        hash_password(password, COST)
    assert refusal.value.details["violations"][0]["path"] == "password"
    assert "password\ud800" not in refusal.value.message


def test_same_text_in_another_unicode_form_is_the_same_password() -> None:
    assert password_matches("café-latte", hash_password("cafe\u0301-latte", COST), COST)


@pytest.mark.parametrize(
    ("password", "hashed"),
    [
        pytest.param("12345678", None, id="no such user"),
        pytest.param("x" * 73, hash_password("x" * 72, COST), id="longer than bcrypt reads"),
        pytest.param("x" * 10_000, None, id="very long"),
        pytest.param("password\ud800", hash_password("password", COST), id="half a surrogate pair"),
        pytest.param("12345678", "12345678", id="stored in the clear"),
        pytest.param("12345678", "", id="stored empty"),
        pytest.param("12345678", "$2b$04$short", id="stored hash cut"),
    ],
)
def test_what_cannot_match_costs_one_check(
    password: str, hashed: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    checked: list[bytes] = []
    real = bcrypt.checkpw

    def check(octets: bytes, against: bytes) -> bool:
        answer = real(octets, against)
        checked.append(against)
        return answer

    monkeypatch.setattr(bcrypt, "checkpw", check)
    assert not password_matches(password, hashed, COST)
    assert [against[:7] for against in checked] == [b"$2b$04$"]


def test_cost_is_that_of_the_argument() -> None:
    assert hash_password("12345678", 5).startswith("$2b$05$")
    assert passwords._nobodys_hash(12).startswith(b"$2b$12$")


def test_hashes_are_salted() -> None:
    assert hash_password("12345678", COST) != hash_password("12345678", COST)


@pytest.mark.anyio
async def test_hashing_runs_beside_the_event_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    threads: set[str] = set()
    real = bcrypt.hashpw
    monkeypatch.setattr(
        bcrypt,
        "hashpw",
        lambda *arguments: (threads.add(threading.current_thread().name), real(*arguments))[1],
    )
    hashed = await hash_off_loop("12345678", COST)
    assert await check_off_loop("12345678", hashed, COST)
    assert not await check_off_loop("87654321", hashed, COST)
    assert all(name.startswith("passwords") for name in threads)


@pytest.fixture
def stopped(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Gate, threading.Event, threading.Event]]:
    """One place to hash, with a short queue; every check says that it has begun, and waits for the event."""
    gate, begun, event = Gate("test", FixedLimit(1), 0.02), threading.Event(), threading.Event()

    def check(*_arguments: object) -> bool:
        begun.set()
        return event.wait(10)

    monkeypatch.setattr(passwords, "_gate", gate)
    monkeypatch.setattr(passwords, "password_matches", check)
    yield gate, begun, event
    event.set()


@pytest.mark.anyio
async def test_too_many_at_once_wait_in_vain(
    stopped: tuple[Gate, threading.Event, threading.Event],
) -> None:
    gate, _begun, event = stopped
    first = asyncio.create_task(check_off_loop("12345678", None, COST))
    await asyncio.sleep(0)
    for work in (check_off_loop("12345678", None, COST), hash_off_loop("12345678", COST)):
        with pytest.raises(Overloaded) as refusal:
            await work
        assert refusal.value.headers["Retry-After"] == "1"
    event.set()
    assert await first
    assert await check_off_loop("12345678", None, COST)  # places are given back
    assert (gate.taken, gate.waiting) == (0, 0)


@pytest.mark.anyio
async def test_caller_that_hangs_up_keeps_the_place_until_the_thread_is_done(
    stopped: tuple[Gate, threading.Event, threading.Event],
) -> None:
    gate, begun, event = stopped
    waiting = asyncio.create_task(check_off_loop("12345678", None, COST))
    assert await asyncio.to_thread(begun.wait, 10)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    with pytest.raises(Overloaded):
        await check_off_loop("12345678", None, COST)
    event.set()
    async with asyncio.timeout(10):
        await gate.wait("match", is_patient=True)


@pytest.mark.anyio
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has priorities of threads")
async def test_threads_that_hash_give_way_to_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    def niceness(*_arguments: object) -> bool:
        found.append(os.getpriority(os.PRIO_PROCESS, threading.get_native_id()))
        return True

    found: list[int] = []
    own = os.getpriority(os.PRIO_PROCESS, threading.get_native_id())
    monkeypatch.setattr(passwords, "password_matches", niceness)
    await check_off_loop("12345678", None, COST)
    assert found[0] > own
    assert os.getpriority(os.PRIO_PROCESS, threading.get_native_id()) == own
