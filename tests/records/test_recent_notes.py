"""How many notes renames of one record cost: each rename has one that is due late enough for it."""

from __future__ import annotations

from datetime import timedelta

import pytest

from runtime.records import renames
from runtime.records.renames import RecentNotes

pytestmark = pytest.mark.anyio

KEY = ("realm", "acme", "Airport", "1")


class Clock:
    """``time.monotonic``, moved by hand."""

    now = 100.0

    def monotonic(self) -> float:
        return self.now


@pytest.mark.parametrize(
    ("renamed_at", "lateness"),
    [
        ([0.0], [0.0]),
        ([0.0, 5.0], [0.0, 0.0]),  # a single one is looked at as early as it can be
        ([0.0, 0.1], [0.0, 0.2]),
        ([0.0, 0.1, 0.2, 0.29], [0.0, 0.2]),  # covered until 0.3
        ([0.0, 0.1, 0.29, 0.31, 0.5], [0.0, 0.2, 0.2]),
        ([at / 100 for at in range(100)], [0.0, 0.2, 0.2, 0.2, 0.2, 0.2]),
    ],
)
async def test_notes_of_one_record(
    monkeypatch: pytest.MonkeyPatch, renamed_at: list[float], lateness: list[float]
) -> None:
    clock, notes, stored = Clock(), RecentNotes(), list[tuple[float, float]]()
    monkeypatch.setattr(renames, "time", clock)

    async def insert(later: timedelta) -> None:
        stored.append((clock.now, later.total_seconds()))

    for at in renamed_at:
        clock.now = 100.0 + at
        await notes.store_note(KEY, insert)
        assert any(began + later >= clock.now - 1e-9 for began, later in stored), "each rename is covered"
    assert [later for _began, later in stored] == lateness


async def test_records_do_not_cover_each_other_and_a_failed_note_covers_nothing() -> None:
    notes, stored = RecentNotes(), list[str]()

    async def fail(_later: timedelta) -> None:
        raise ValueError("not stored")

    async def insert(_later: timedelta) -> None:
        stored.append("note")

    with pytest.raises(ValueError, match="not stored"):
        await notes.store_note(KEY, fail)
    await notes.store_note(KEY, insert)
    await notes.store_note((*KEY[:3], "2"), insert)
    assert len(stored) == 2
