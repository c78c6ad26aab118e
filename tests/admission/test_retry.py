"""After how long those who are refused are asked to come back."""

from __future__ import annotations

import pytest

from runtime.admission.retry import MOST_SECONDS, Retries


@pytest.mark.parametrize(
    ("refused", "served", "seconds"),
    [
        pytest.param(1, 100.0, 1, id="hardly anybody"),
        pytest.param(40, 10.0, 4, id="four times as many as are served"),
        pytest.param(1000, 5.0, MOST_SECONDS, id="a flood"),
    ],
)
def test_it_follows_the_refusals_of_the_second_before(refused: int, served: float, seconds: int) -> None:
    retries = Retries()
    first = [retries.refuse(100.0 + at / refused, served) for at in range(refused)]
    assert set(first) == {1}
    assert retries.refuse(101.0, served) == seconds
    assert retries.refuse(200.0, served) == 1


def test_callers_who_heed_it_come_about_as_fast_as_they_are_served() -> None:
    """Two hundred callers of whom five a second are served, in steps of a tenth of a second."""
    retries, served = Retries(), 5.0
    due = [0.0] * 200
    asked = []
    for step in range(600):
        now = step / 10
        for at, moment in enumerate(due):
            if moment <= now:
                asked.append(now)
                due[at] = now + retries.refuse(now, served)
    late = sum(moment >= 30 for moment in asked) / 30
    assert served <= late <= 12 * served
