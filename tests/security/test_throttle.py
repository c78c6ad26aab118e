"""Throttling: the tally as a pure value, and the counting of many logins at once in the store."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.errors import LoginFailed, ServiceError, StoreUnavailable, Throttled
from runtime.filter import EVERYTHING
from runtime.identity.login.throttle import Tally, Throttle, address_key, user_key
from runtime.storage.as_service import as_service
from runtime.system.record_types import LOGIN_ATTEMPT

NOON = datetime(2026, 3, 27, 12)
WINDOW = timedelta(minutes=10)


def ago(*minutes: float) -> tuple[datetime, ...]:
    return tuple(NOON - timedelta(minutes=each) for each in minutes)


@pytest.mark.parametrize(
    ("tally", "counted"),
    [
        pytest.param(Tally(), Tally(), id="nothing"),
        pytest.param(Tally(ago(9, 1)), Tally(ago(9, 1)), id="failures of the window"),
        pytest.param(Tally(ago(11, 10, 9)), Tally(ago(9)), id="older ones are forgotten"),
        pytest.param(Tally((), ago(0.5)), Tally((), ago(0.5)), id="unfinished since half a minute"),
        pytest.param(Tally((), ago(1)), Tally(ago(1)), id="unfinished for a minute: failed"),
        pytest.param(Tally((), ago(11)), Tally(), id="unfinished and forgotten"),
        pytest.param(Tally(ago(1, 9)), Tally(ago(9, 1)), id="oldest first"),
    ],
)
def test_what_counts(tally: Tally, counted: Tally) -> None:
    assert tally.at(NOON, WINDOW) == counted


@pytest.mark.parametrize(
    ("failures", "seconds"),
    [
        pytest.param((), None, id="none"),
        pytest.param(ago(9, 8), None, id="one too few"),
        pytest.param(ago(9, 8, 7), 60, id="as many as allowed: until the oldest is forgotten"),
        pytest.param(ago(9, 8, 7, 6), 120, id="more than allowed: until enough are forgotten"),
        pytest.param(ago(10, 10, 10), 1, id="about to be forgotten: at least a second"),
    ],
)
def test_how_long_to_wait(failures: tuple[datetime, ...], seconds: int | None) -> None:
    assert Tally(failures).free_after(3, NOON, WINDOW) == seconds


def test_settling_removes_one_attempt_of_several_at_the_same_moment() -> None:
    (moment,) = ago(0)
    tally = Tally().reserved(moment).reserved(moment)
    assert tally.settled(moment).pending == (moment,)
    assert tally.failed(moment) == Tally((moment,), (moment,))
    assert tally.failed(moment).failed(moment) == Tally((moment, moment), ())
    assert tally.failed(moment).cleared(moment) == Tally((), ())


def test_attempt_given_up_as_lost_is_counted_once() -> None:
    (moment,) = ago(1)
    lost = Tally((), (moment,)).at(NOON, WINDOW)
    assert lost.failed(moment).failures == (moment,)


_moments = st.integers(0, 900).map(lambda seconds: NOON - timedelta(seconds=seconds))


@given(st.lists(_moments, max_size=30), st.lists(_moments, max_size=10), st.integers(1, 12))
def test_failures_and_reservations_never_exceed_the_limit(
    failures: list[datetime], pending: list[datetime], limit: int
) -> None:
    tally = Tally(tuple(failures), tuple(pending)).at(NOON, WINDOW)
    begun = 0
    while tally.free_after(limit, NOON, WINDOW) is None and not tally.is_full(limit):
        tally = tally.reserved(NOON)
        begun += 1
    assert begun <= limit
    if begun:
        assert len(tally.failures) + len(tally.pending) == limit


@given(st.lists(_moments, min_size=1, max_size=30), st.integers(1, 12))
def test_waiting_as_told_is_enough_and_not_more(failures: list[datetime], limit: int) -> None:
    tally = Tally(tuple(failures)).at(NOON, WINDOW)
    seconds = tally.free_after(limit, NOON, WINDOW)
    if seconds is not None:
        assert not tally.at(NOON + timedelta(seconds=seconds), WINDOW).is_full(limit)
        assert tally.at(NOON + timedelta(seconds=seconds - 1), WINDOW).is_full(limit) or seconds == 1


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        pytest.param("192.0.2.1", "192.0.2.1", True, id="an address"),
        pytest.param("192.0.2.1", "192.0.2.2", False, id="two addresses"),
        pytest.param("2001:db8::1", "2001:db8::ffff:1", True, id="one network of IPv6"),
        pytest.param("2001:db8::1", "2001:db8:0:1::1", False, id="two networks of IPv6"),
        pytest.param("::ffff:192.0.2.1", "192.0.2.1", True, id="IPv4 in IPv6"),
        pytest.param("fe80::1%eth0", "fe80::1%eth1", True, id="scoped"),
        pytest.param("", "", True, id="unknown address"),
        pytest.param("", "192.0.2.1", False, id="unknown and known"),
        pytest.param("testclient", "other", False, id="no addresses"),
    ],
)
def test_addresses_that_count_together(one: str, other: str, is_same: bool) -> None:
    assert (address_key(one) == address_key(other)) is is_same


def test_keys_show_no_names() -> None:
    assert "hunter2" not in user_key("main", "hunter2")
    assert user_key("main", "ada") != user_key("other", "ada")
    assert user_key("main", "\ud800").startswith("user:")


Verify = Callable[[], Awaitable[bool]]


@pytest.fixture
def throttle(service: Any, clock: Any) -> Throttle:
    access = as_service(LOGIN_ATTEMPT, service.settings.default_realm)
    return Throttle(service.store, access, limit=10, window_seconds=600, longest_wait_seconds=60, clock=clock)


async def attempt(throttle: Throttle, is_right: bool, address: str = "a", user: str = "u") -> str:
    """What became of one login whose password takes a moment to check."""
    try:
        async with throttle.attempt(user, address) as login:
            await asyncio.sleep(0.01)
            if not is_right:
                raise LoginFailed("wrong")
            login.has_succeeded = True
    except ServiceError as error:
        return type(error).__name__
    return "in"


@pytest.mark.anyio
async def test_burst_of_wrong_passwords_gets_as_many_guesses_as_a_patient_caller(throttle: Throttle) -> None:
    outcomes = Counter(await asyncio.gather(*(attempt(throttle, False) for _ in range(50))))
    assert outcomes == {"LoginFailed": 10, "Throttled": 40}


@pytest.mark.anyio
async def test_burst_from_many_addresses_at_one_user_is_one_burst(throttle: Throttle) -> None:
    outcomes = Counter(await asyncio.gather(*(attempt(throttle, False, f"a{n}") for n in range(50))))
    assert outcomes == {"LoginFailed": 10, "Throttled": 40}


@pytest.mark.anyio
async def test_burst_from_one_address_at_many_users_is_one_burst(throttle: Throttle) -> None:
    outcomes = Counter(await asyncio.gather(*(attempt(throttle, False, "a", f"u{n}") for n in range(50))))
    assert outcomes == {"LoginFailed": 10, "Throttled": 40}


@pytest.mark.anyio
async def test_many_right_logins_at_once_all_get_in(throttle: Throttle) -> None:
    outcomes = Counter(await asyncio.gather(*(attempt(throttle, True, "a", f"u{n % 3}") for n in range(50))))
    assert outcomes == {"in": 50}


@pytest.mark.anyio
async def test_throttled_attempts_write_nothing(throttle: Throttle, service: Any) -> None:
    for _ in range(10):
        await attempt(throttle, False)
    access = as_service(LOGIN_ATTEMPT, service.settings.default_realm)
    before = await service.store.find(access, EVERYTHING, order=[("key", 1)])
    assert await attempt(throttle, False, address="other") == "Throttled"
    assert [each for each in await _tallies(service) if each["key"] in ("a", "u")] == before


@pytest.mark.anyio
async def test_failures_are_forgotten_after_the_window(throttle: Throttle, clock: Any) -> None:
    for _ in range(10):
        assert await attempt(throttle, False) == "LoginFailed"
        clock.advance(10)
    with pytest.raises(Throttled) as refusal:
        async with throttle.attempt("u", "other"):
            pytest.fail("the password was looked at")
    assert refusal.value.details["retryAfter"] == 500

    clock.advance(499)
    assert await attempt(throttle, False, "other") == "Throttled"
    clock.advance(1)
    assert await attempt(throttle, False, "other") == "LoginFailed"  # one place, and it is taken again
    assert await attempt(throttle, False, "other") == "Throttled"


@pytest.mark.anyio
async def test_success_clears_the_user_and_not_the_address(throttle: Throttle) -> None:
    for _ in range(9):
        await attempt(throttle, False)
    assert await attempt(throttle, True) == "in"
    outcomes = [await attempt(throttle, False, "other") for _ in range(11)]
    assert outcomes == ["LoginFailed"] * 10 + ["Throttled"]
    outcomes = [await attempt(throttle, False, "a", f"user {n}") for n in range(2)]
    assert outcomes == ["LoginFailed", "Throttled"]


@pytest.mark.anyio
async def test_user_that_is_throttled_costs_the_address_nothing(throttle: Throttle, service: Any) -> None:
    for n in range(10):
        await attempt(throttle, False, f"a{n}")
    for _ in range(12):
        assert await attempt(throttle, False, "bystander") == "Throttled"
    assert await attempt(throttle, True, "bystander", "other user") == "in"


@pytest.mark.anyio
async def test_fault_of_ours_counts_for_nothing(throttle: Throttle, service: Any) -> None:
    for _ in range(12):
        with pytest.raises(StoreUnavailable):
            async with throttle.attempt("u", "a"):
                raise StoreUnavailable("down")
    assert [(each["failures"], each["pending"]) for each in await _tallies(service)] == [([], []), ([], [])]


@pytest.mark.anyio
async def test_caller_that_hangs_up_has_used_its_guess(throttle: Throttle, service: Any) -> None:
    begun = asyncio.Event()

    async def hang_up() -> None:
        async with throttle.attempt("u", "a"):
            begun.set()
            await asyncio.Event().wait()

    task = asyncio.create_task(hang_up())
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert [(len(each["failures"]), each["pending"]) for each in await _tallies(service)] == [
        (1, []),
        (1, []),
    ]


@pytest.mark.anyio
async def test_worker_that_dies_in_an_attempt_blocks_nobody_for_ever(throttle: Throttle, clock: Any) -> None:
    for _ in range(10):
        await throttle._reserve("u")  # and never settled
    clock.advance(60)
    assert await attempt(throttle, True) == "Throttled"
    clock.advance(540)
    assert await attempt(throttle, True) == "in"


async def _tallies(service: Any) -> list[dict[str, Any]]:
    access = as_service(LOGIN_ATTEMPT, service.settings.default_realm)
    found: list[dict[str, Any]] = await service.store.find(access, EVERYTHING, order=[("key", 1)])
    return found
