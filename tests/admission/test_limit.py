"""The limit that follows the store: when it grows, when it shrinks, and that it finds a store's capacity."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.admission import AdaptiveLimit

TARGET = 0.5
MOST = 48


def after_rounds(seconds: float, rounds: int, *, is_short: bool = True, timeouts: bool = False) -> list[int]:
    """The limit after each round of commands that all take so long."""
    limit, now, values = AdaptiveLimit(MOST, target_seconds=TARGET), 1.0, []
    for _round in range(rounds):
        if is_short:
            limit.note_shortage()
        began = now
        now += seconds
        for _command in range(max(limit.value, 8)):
            limit.record(began, now, has_timed_out=timeouts)
        values.append(limit.value)
        now += 0.001
    return values


@pytest.mark.parametrize(
    ("seconds", "options", "values"),
    [
        pytest.param(0.01, {}, [18, 20, 22, 24, 27, 30], id="fast, somebody waits: it grows"),
        pytest.param(0.01, {"is_short": False}, [16, 16, 16], id="fast, nobody waits: it stays"),
        pytest.param(9.0, {"is_short": False}, [16, 16, 16], id="slow, nobody waits: it stays"),
        pytest.param(1.0, {}, [8, 4, 4], id="twice the target: half, and not below four"),
        pytest.param(0.6, {}, [13, 10, 8], id="a little slow: a little less"),
        pytest.param(5.0, {"timeouts": True}, [8, 4, 2, 2], id="time-outs: half, once a round"),
        pytest.param(5.0, {"timeouts": True, "is_short": False}, [8, 4, 2], id="time-outs, nobody waits"),
    ],
)
def test_steps(seconds: float, options: dict[str, bool], values: list[int]) -> None:
    assert after_rounds(seconds, len(values), **options) == values


def test_it_grows_to_its_cap() -> None:
    assert after_rounds(0.001, 40)[-1] == MOST


@pytest.mark.parametrize("most", [1, 2, 3, 5])
def test_a_small_cap_is_kept(most: int) -> None:
    limit = AdaptiveLimit(most, target_seconds=TARGET)
    limit.note_shortage()
    for _command in range(8):
        limit.record(1.0, 9.0)
    assert limit.value == min(most, 4)
    limit.record(10.0, 15.0, has_timed_out=True)
    assert limit.value == min(most, 2)


def test_few_slow_commands_among_many_fast_ones_do_not_shrink_it() -> None:
    limit = AdaptiveLimit(MOST, target_seconds=TARGET)
    limit.note_shortage()
    for at in range(16):
        limit.record(1.0, 4.0 if at < 7 else 1.01)
    assert limit.value == 16


def test_commands_from_before_a_change_do_not_count() -> None:
    """They ran beside more than are let in now."""
    limit = AdaptiveLimit(MOST, target_seconds=TARGET)
    limit.note_shortage()
    for _command in range(16):
        limit.record(1.0, 3.0)
    assert limit.value == 8
    limit.note_shortage()
    for _command in range(100):
        limit.record(2.0, 9.0)
        limit.record(2.0, 9.0, has_timed_out=True)
    assert limit.value == 8


@given(
    capacity=st.integers(1, 16),
    work=st.floats(0.002, 0.2),
    clients=st.integers(60, 400),
)
def test_it_keeps_a_store_busy_and_below_its_time_limit(capacity: int, work: float, clients: int) -> None:
    """A store that does ``capacity`` commands side by side: more of them take longer in proportion."""
    limit, now = AdaptiveLimit(MOST, target_seconds=TARGET), 1.0
    for _round in range(60):
        at_once = min(clients, limit.value)
        limit.note_shortage()
        began = now
        now += work * max(1.0, at_once / capacity)
        for _command in range(max(at_once, 8)):
            limit.record(began, now)
        now += 0.0001
    slowest = work * max(1.0, limit.value / capacity)
    assert slowest <= max(2 * TARGET, work * 4)  # far from the time limit, which is ten times the target
    assert limit.value >= min(capacity, MOST)  # and never idle
