"""The limit that follows the store: when it grows, when it shrinks, and that it finds a store's capacity."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.admission import AdaptiveLimit

TARGET = 0.5
MOST = 48


def play(
    limit: AdaptiveLimit, now: float, seconds: float, rounds: int, **how: bool
) -> tuple[list[int], float]:
    """The limit after each round of commands that all take so long, and the time in the end."""
    values = []
    for _round in range(rounds):
        if how.get("is_short", True):
            limit.note_shortage()
        began, before = now, limit.value
        now += seconds
        for _command in range(max(before, 4)):
            limit.record(began, now, has_timed_out=how.get("timeouts", False))
        values.append(limit.value)
        now += 0.001
    return values, now


@pytest.mark.parametrize(
    ("seconds", "how", "values"),
    [
        pytest.param(0.01, {}, [8, 16, 32, 48, 48], id="fast, somebody waits: it doubles"),
        pytest.param(0.01, {"is_short": False}, [4, 4, 4], id="fast, nobody waits: it stays"),
        pytest.param(1.0, {}, [2, 2], id="twice the target: half, and not below two"),
        pytest.param(5.0, {"timeouts": True}, [2, 2], id="time-outs: half"),
        pytest.param(5.0, {"timeouts": True, "is_short": False}, [2, 2], id="time-outs, nobody waits"),
    ],
)
def test_from_the_first(seconds: float, how: dict[str, bool], values: list[int]) -> None:
    assert play(AdaptiveLimit(MOST, target_seconds=TARGET), 1.0, seconds, len(values), **how)[0] == values


@pytest.mark.parametrize(
    ("seconds", "how", "values"),
    [
        pytest.param(0.01, {"is_short": False}, [42, 37, 33, 29, 26, 23], id="unused: slowly less"),
        pytest.param(1.0, {}, [24, 12, 6, 3, 2], id="twice the target: half"),
        pytest.param(0.6, {}, [40, 33, 27], id="a little slow: a little less"),
        pytest.param(5.0, {"timeouts": True}, [24, 12, 6, 3, 2], id="time-outs: half, once a round"),
    ],
)
def test_from_the_most(seconds: float, how: dict[str, bool], values: list[int]) -> None:
    limit = AdaptiveLimit(MOST, target_seconds=TARGET)
    _values, now = play(limit, 1.0, 0.001, 10)
    assert limit.value == MOST
    assert play(limit, now, seconds, len(values), **how)[0] == values


def test_beyond_where_it_shrank_it_grows_by_steps() -> None:
    limit = AdaptiveLimit(MOST, target_seconds=TARGET)
    _values, now = play(limit, 1.0, 0.001, 10)
    _values, now = play(limit, now, 0.6, 3)
    assert play(limit, now, 0.01, 4)[0] == [30, 33, 37, 41]
    idle, now = play(limit, now + 1, 0.01, 60, is_short=False)
    assert idle[-1] == 4
    assert play(limit, now, 0.01, 4)[0] == [8, 16, 27, 30]


@pytest.mark.parametrize("most", [1, 2, 3, 5])
def test_a_small_cap_is_kept(most: int) -> None:
    limit = AdaptiveLimit(most, target_seconds=TARGET)
    assert max(play(limit, 1.0, 0.01, 9)[0]) == most
    assert play(limit, 10.0, 9.0, 9)[0][-1] == min(most, 2)


def test_few_slow_commands_among_many_fast_ones_do_not_shrink_it() -> None:
    limit = AdaptiveLimit(MOST, target_seconds=TARGET)
    _values, now = play(limit, 1.0, 0.001, 10)
    limit.note_shortage()
    for at in range(MOST):
        limit.record(now, now + (3.0 if at < 20 else 0.01))
    assert limit.value == MOST


def test_many_slow_ones_are_enough() -> None:
    """The rest of the round need not come."""
    limit = AdaptiveLimit(MOST, target_seconds=TARGET)
    _values, now = play(limit, 1.0, 0.001, 10)
    limit.note_shortage()
    for _command in range(MOST // 2 + 1):
        limit.record(now, now + 3.0)
    assert limit.value == MOST // 2


def test_commands_from_before_a_change_do_not_count() -> None:
    """They ran beside more than are let in now."""
    limit = AdaptiveLimit(MOST, target_seconds=TARGET)
    _values, now = play(limit, 1.0, 0.001, 10)
    limit.record(now, now + 5, has_timed_out=True)
    assert limit.value == MOST // 2
    limit.note_shortage()
    for _command in range(100):
        limit.record(now + 4, now + 6)
        limit.record(now + 4, now + 9, has_timed_out=True)
    assert limit.value == MOST // 2


@given(capacity=st.integers(1, 16), work=st.floats(0.002, 0.2), clients=st.integers(60, 400))
def test_it_keeps_a_store_busy_and_below_its_time_limit(capacity: int, work: float, clients: int) -> None:
    """A store that does ``capacity`` commands side by side: more of them take longer in proportion."""
    limit, now, worst = AdaptiveLimit(MOST, target_seconds=TARGET), 1.0, 0.0
    for _round in range(60):
        at_once = min(clients, limit.value)
        limit.note_shortage()
        began = now
        now += work * max(1.0, at_once / capacity)
        worst = max(worst, now - began)
        for _command in range(max(at_once, 4)):
            limit.record(began, now)
        now += 0.0001
    assert worst <= 4 * TARGET  # far from the time limit, which is ten times the target
    assert limit.value >= min(capacity, MOST)  # and never idle
