"""Timestamps as the JSON library writes them: as ``isoformat`` would."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

from hypothesis import example, given
from hypothesis import strategies as st

from runtime.fast.timestamps import format_timestamp, format_timestamp_json, format_timestamps


def plain_timestamp_text(value: datetime) -> str:
    return f"{value.isoformat(timespec='milliseconds')}Z"


FIRST, LAST = datetime(1, 1, 1), datetime(9999, 12, 31, 23, 59, 59, 999999)


@given(st.datetimes())
@example(FIRST)
@example(LAST)
@example(datetime(2026, 3, 27, 4, 12, 14, 999))
def test_one_is_written_like_its_plain_twin(value: datetime) -> None:
    assert format_timestamp(value) == plain_timestamp_text(value)
    assert format_timestamp_json(value) == f'"{plain_timestamp_text(value)}"'.encode()


@given(st.lists(st.datetimes(), min_size=1, max_size=20))
@example([FIRST, LAST, datetime(2026, 3, 27)])
def test_many_are_written_like_one_by_one(values: list[datetime]) -> None:
    assert format_timestamps(values) == [plain_timestamp_text(value) for value in values]


@given(st.datetimes(datetime(2, 1, 1), datetime(9998, 1, 1)), st.integers(-840, 840))
def test_one_of_another_zone_is_written_in_utc(value: datetime, minutes: int) -> None:
    there = value.replace(tzinfo=UTC).astimezone(timezone(timedelta(minutes=minutes)))
    assert format_timestamp(there) == plain_timestamp_text(value)
