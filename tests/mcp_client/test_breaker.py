"""When a server that failed is asked again: a table, and a property over any order of events."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from runtime.mcp_client.breaker import FIRST_PAUSE, LONGEST_PAUSE, MOST_FAILURES, Breaker


def test_some_failures_in_a_row_open_it_for_a_pause_that_doubles() -> None:
    breaker, now = Breaker(), 100.0
    for _failure in range(MOST_FAILURES - 1):
        assert breaker.find_wait(now) == 0
        breaker.fail(now)
    assert breaker.find_wait(now) == 0
    breaker.fail(now)
    for doubled in (1, 2, 4, 8):
        assert breaker.find_wait(now) == FIRST_PAUSE * doubled
        now += FIRST_PAUSE * doubled
        assert breaker.find_wait(now) == 0, "one request is let through"
        assert breaker.find_wait(now) > 0, "and no other beside it"
        breaker.fail(now)
    now += 1000
    assert breaker.find_wait(now) == 0
    breaker.succeed()
    assert [breaker.find_wait(now) for _request in range(5)] == [0] * 5


@given(st.lists(st.tuples(st.sampled_from(["ask", "fail", "succeed"]), st.floats(0, 100)), max_size=60))
def test_it_never_stays_open(events: list[tuple[str, float]]) -> None:
    breaker, now = Breaker(), 0.0
    for event, later in events:
        now += later
        if event == "ask":
            assert 0 <= breaker.find_wait(now) <= LONGEST_PAUSE
        elif event == "fail":
            breaker.fail(now)
        else:
            breaker.succeed()
    if not breaker.is_trying:
        assert breaker.find_wait(now + LONGEST_PAUSE) == 0
