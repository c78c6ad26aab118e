"""How dates are written in a file."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.model.date_format import NoDate, parse_date_format


@pytest.mark.parametrize(
    ("pattern", "text", "iso"),
    [
        ("yyyy-MM-dd", "2026-03-27", "2026-03-27"),
        ("dd.MM.yyyy", "27.03.2026", "2026-03-27"),
        ("d/M/yy", "7/3/26", "2026-03-07"),
        ("d/M/yy", "7/3/70", "1970-03-07"),
        ("d/M/yy", "7/3/69", "2069-03-07"),
        ("dd MMM yyyy", "27 mar 2026", "2026-03-27"),
        ("MMMM d, yyyy", "March 7, 2026", "2026-03-07"),
        ("yyyyMMdd", "20260327", "2026-03-27"),
        ("dd'th of' MMMM yyyy", "27th of may 2026", "2026-05-27"),
        ("yyyy''MM''dd", "2026'03'27", "2026-03-27"),
        ("dd.MM.yyyy HH:mm", "27.03.2026 04:12", "2026-03-27T04:12:00Z"),
        ("dd.MM.yyyy H:mm:ss", "27.03.2026 4:12:14", "2026-03-27T04:12:14Z"),
        ("M/d/yyyy h:mm a", "3/27/2026 12:05 AM", "2026-03-27T00:05:00Z"),
        ("M/d/yyyy h:mm a", "3/27/2026 12:05 pm", "2026-03-27T12:05:00Z"),
        ("yyyy-MM-dd'T'HH:mm:ss.SSSXXX", "2026-03-27T04:12:14.118+01:00", "2026-03-27T04:12:14.118+01:00"),
        ("yyyy-MM-dd HH:mm XX", "2026-03-27 04:12 -0330", "2026-03-27T04:12:00-0330"),
        ("yyyy-MM-dd HH:mmX", "2026-03-27 04:12z", "2026-03-27T04:12:00Z"),
    ],
)
def test_what_is_read_is_written_anew(pattern: str, text: str, iso: str) -> None:
    assert parse_date_format(pattern).read(text) == iso


def test_a_day_is_the_one_that_is_written() -> None:
    found = parse_date_format("yyyy-MM-dd HH:mm XXX")
    assert found.read("2026-03-27 00:30 +02:00", day_only=True) == "2026-03-27"


@pytest.mark.parametrize(
    ("pattern", "text", "message"),
    [
        ("dd.MM.yyyy", "27/03/2026", "is not written as in 27.03.2026"),
        ("dd.MM.yyyy", "7.3.2026", "is not written as in 27.03.2026"),
        ("dd.MM.yyyy", "27.03.2026 ", "is not written as in 27.03.2026"),
        ("dd.MM.yyyy", "२७.०३.२०२६", "is not written as in"),
        ("dd.MM.yyyy", "31.02.2026", "is not in the calendar"),
        ("dd.MM.yyyy", "27.13.2026", "is not in the calendar"),
        ("dd.MM.yyyy", "27.03.0000", "is not in the calendar"),
        ("dd.MM.yyyy HH:mm", "27.03.2026 24:00", "on no clock"),
        ("dd.MM.yyyy hh:mm a", "27.03.2026 13:00 pm", "outside 1 to 12"),
        ("dd MMMM yyyy", "27 März 2026", "as in 27 March 2026"),
    ],
)
def test_a_text_that_the_pattern_does_not_read(pattern: str, text: str, message: str) -> None:
    with pytest.raises(NoDate, match=message):
        parse_date_format(pattern).read(text)


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("", "needs a year"),
        ("MM.yyyy", "needs a year, a month and a day"),
        ("dd.MM.YYYY", "YYYY, which means nothing"),
        ("dd.mm.yyyy", "needs a year, a month and a day"),
        ("%d.%m.%Y", "Y, which means nothing"),
        ("dd.MM.yyyy dd", "the day twice"),
        ("dd.MM.yyyy yy", "the year twice"),
        ("dd.MM.yyyy 'at", "not closed"),
        ("dd.MM.yyyy hh:mm", "exactly where it has a"),
        ("dd.MM.yyyy HH:mm a", "exactly where it has a"),
        ("dd.MM.yyyy mm", "a minute without its hour"),
        ("dd.MM.yyyy HH:ss", "a second without its minute"),
        ("dd.MM.yyyy XXX", "a zone without a time"),
        ("dd.MM.yyyy" + " " * 100, "more than 100 characters"),
    ],
)
def test_a_pattern_that_is_no_date(pattern: str, message: str) -> None:
    with pytest.raises(NoDate, match=message):
        parse_date_format(pattern)


@given(st.datetimes(min_value=datetime(1970, 1, 1), max_value=datetime(2069, 12, 31)))
def test_every_moment_comes_back(moment: datetime) -> None:
    moment = moment.replace(microsecond=0, tzinfo=UTC)
    text = moment.strftime("%d %b %y %I:%M:%S %p")
    found = parse_date_format("dd MMM yy hh:mm:ss a")
    assert found.read(text) == moment.isoformat().replace("+00:00", "Z")
