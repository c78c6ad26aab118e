"""Dates relative to the moment of a request: their values, their zone, where they are refused, in the store."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pymongo.collection import Collection

from runtime.errors import FilterType
from runtime.filter import Moment, admits, compile_filter
from runtime.filter.compiler import _prepare_once
from tests.filter.sample import SHIPMENT

Rows = Collection[dict[str, Any]]

BERLIN, AUCKLAND, HAVANA = (
    ZoneInfo(name) for name in ("Europe/Berlin", "Pacific/Auckland", "America/Havana")
)
NOW = datetime(2026, 3, 31, 22, 30, 15, 250000, tzinfo=UTC)  # a Tuesday; in Berlin 1 April, 00:30


def at(year: int, month: int, day: int, *time: int) -> datetime:
    return datetime(year, month, day, *time, tzinfo=UTC)


def days(first: datetime, after: datetime) -> dict[str, Any]:
    """From the first moment to the last millisecond before ``after``."""
    return {"$gte": first, "$lte": after - timedelta(milliseconds=1)}


def match(text: str, zone: tzinfo = UTC, now: datetime = NOW) -> Any:
    return compile_filter(text, SHIPMENT, moment=Moment(now, zone)).match


@pytest.mark.parametrize(
    ("text", "zone", "expected"),
    [
        pytest.param("placed:>=now", UTC, {"$gte": NOW}, id="now"),
        pytest.param("placed:<now-7d", UTC, {"$lt": at(2026, 3, 24, 22, 30, 15, 250000)}, id="days ago"),
        pytest.param("placed:<=now+2h", UTC, {"$lte": at(2026, 4, 1, 0, 30, 15, 250000)}, id="hours ahead"),
        pytest.param("placed:>now-90m", UTC, {"$gt": at(2026, 3, 31, 21, 0, 15, 250000)}, id="minutes ago"),
        pytest.param("placed:>now-15s", UTC, {"$gt": at(2026, 3, 31, 22, 30, 0, 250000)}, id="seconds ago"),
        pytest.param("placed:>now-2w", UTC, {"$gt": at(2026, 3, 17, 22, 30, 15, 250000)}, id="weeks ago"),
        pytest.param(
            "placed:>now-1mo", UTC, {"$gt": at(2026, 2, 28, 22, 30, 15, 250000)}, id="the month is shorter"
        ),
        pytest.param("placed:>now-2y", UTC, {"$gt": at(2024, 3, 31, 22, 30, 15, 250000)}, id="years ago"),
        pytest.param("placed:!now", UTC, {"$ne": NOW}, id="another moment"),
        pytest.param("placed:today", UTC, days(at(2026, 3, 31), at(2026, 4, 1)), id="today"),
        pytest.param("placed:today", BERLIN, days(at(2026, 3, 31, 22), at(2026, 4, 1, 22)), id="in Berlin"),
        pytest.param("placed:today", AUCKLAND, days(at(2026, 3, 31, 11), at(2026, 4, 1, 11)), id="ahead"),
        pytest.param("placed:>=today", BERLIN, {"$gte": at(2026, 3, 31, 22)}, id="from today on"),
        pytest.param("placed:<today", BERLIN, {"$lt": at(2026, 3, 31, 22)}, id="before today"),
        pytest.param("placed:>=today-30d", UTC, {"$gte": at(2026, 3, 1)}, id="from a day on"),
        pytest.param("placed:today+1mo", UTC, days(at(2026, 4, 30), at(2026, 5, 1)), id="a day in a month"),
        pytest.param("placed:yesterday", UTC, days(at(2026, 3, 30), at(2026, 3, 31)), id="yesterday"),
        pytest.param("placed:tomorrow", UTC, days(at(2026, 4, 1), at(2026, 4, 2)), id="tomorrow"),
        pytest.param("placed:thisWeek", UTC, days(at(2026, 3, 30), at(2026, 4, 6)), id="from Monday"),
        pytest.param("placed:lastWeek", UTC, days(at(2026, 3, 23), at(2026, 3, 30)), id="last week"),
        pytest.param("placed:nextWeek", UTC, days(at(2026, 4, 6), at(2026, 4, 13)), id="next week"),
        pytest.param("placed:thisMonth", UTC, days(at(2026, 3, 1), at(2026, 4, 1)), id="this month"),
        pytest.param(
            "placed:thisMonth", BERLIN, days(at(2026, 3, 31, 22), at(2026, 4, 30, 22)), id="which is April"
        ),
        pytest.param("placed:lastMonth", UTC, days(at(2026, 2, 1), at(2026, 3, 1)), id="last month"),
        pytest.param(
            "placed:lastMonth", BERLIN, days(at(2026, 2, 28, 23), at(2026, 3, 31, 22)), id="across DST"
        ),
        pytest.param("placed:thisQuarter", UTC, days(at(2026, 1, 1), at(2026, 4, 1)), id="this quarter"),
        pytest.param("placed:lastQuarter", UTC, days(at(2025, 10, 1), at(2026, 1, 1)), id="last quarter"),
        pytest.param("placed:thisYear", UTC, days(at(2026, 1, 1), at(2027, 1, 1)), id="this year"),
        pytest.param("placed:nextYear", UTC, days(at(2027, 1, 1), at(2028, 1, 1)), id="next year"),
        pytest.param(
            "placed:2026-03-29", BERLIN, days(at(2026, 3, 28, 23), at(2026, 3, 29, 22)), id="23 hours"
        ),
        pytest.param("placed:>=2026-10", BERLIN, {"$gte": at(2026, 9, 30, 22)}, id="a month there"),
        pytest.param(
            "placed:2026-11-01", HAVANA, days(at(2026, 11, 1, 4), at(2026, 11, 2, 5)), id="midnight twice"
        ),
        pytest.param(
            "placed:2026-03-08", HAVANA, days(at(2026, 3, 8, 5), at(2026, 3, 9, 4)), id="midnight never"
        ),
        pytest.param(
            "placed:9999-12-31",
            HAVANA,
            {"$gte": at(9999, 12, 31, 5), "$lte": at(9999, 12, 31, 23, 59, 59, 999000)},
            id="the last day there is, in part",
        ),
        pytest.param("placed:>=0001-01-01", BERLIN, {"$gte": at(1, 1, 1)}, id="the first one, in part"),
    ],
)
def test_moments(text: str, zone: tzinfo, expected: dict[str, Any]) -> None:
    assert match(text, zone) == {"placed": expected}


@pytest.mark.parametrize(
    ("text", "zone", "expected"),
    [
        pytest.param("born:today", UTC, {"$eq": "2026-03-31"}, id="today"),
        pytest.param("born:today", BERLIN, {"$eq": "2026-04-01"}, id="in Berlin"),
        pytest.param("born:!today", UTC, {"$ne": "2026-03-31"}, id="another day"),
        pytest.param("born:>now-1d", BERLIN, {"$gt": "2026-03-31"}, id="a day ago"),
        pytest.param("born:>now-1h", BERLIN, {"$gt": "2026-03-31"}, id="an hour ago"),
        pytest.param("born:thisMonth", UTC, {"$gte": "2026-03-01", "$lte": "2026-03-31"}, id="this month"),
        pytest.param("born:^[today,tomorrow]", UTC, {"$in": ["2026-03-31", "2026-04-01"]}, id="in a list"),
        pytest.param("born:2026-03", BERLIN, {"$gte": "2026-03-01", "$lte": "2026-03-31"}, id="no zone"),
    ],
)
def test_dates(text: str, zone: tzinfo, expected: dict[str, Any]) -> None:
    assert match(text, zone) == {"born": expected}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("name:today", {"name": {"$eq": "today"}}, id="a text"),
        pytest.param("name:>now-7d", {"name": {"$gt": "now-7d"}}, id="a text in order"),
        pytest.param("meta.a:lastWeek", {"meta.a": {"$eq": "lastWeek"}}, id="free form"),
        pytest.param(
            "dynamicAttributes.a.b:now", {"dynamicAttributes.a.b.value": {"$eq": "now"}}, id="an attribute"
        ),
        pytest.param("now:1", None, id="a field of that name is none"),
    ],
)
def test_elsewhere_they_are_text(text: str, expected: Any) -> None:
    if expected is not None:
        assert match(text) == expected
        assert compile_filter(text, SHIPMENT, for_rule=True).match == expected
    else:
        with pytest.raises(Exception, match="has no field now"):
            match(text)


def test_all_conditions_of_a_filter_have_one_moment() -> None:
    found = match("placed:^[now,today] && lines:{dueAt:>now} && stamps:every{value:<=now}", BERLIN)
    assert str(found).count(repr(NOW)) == 3


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param("placed:now-7days", "relative dates are written now-7d", id="a long unit"),
        pytest.param("placed:now - 7d", "relative dates are written now-7d", id="blanks"),
        pytest.param("placed:NOW", "relative dates are written now-7d", id="capitals"),
        pytest.param("placed:today-3h", "relative dates are written now-7d", id="hours of a day"),
        pytest.param("placed:lastweek", "did you mean lastWeek?", id="case"),
        pytest.param("born:yestreday", "did you mean yesterday?", id="misspelt"),
        pytest.param('placed:"today"', "", id="quoted"),
        pytest.param("placed:today~ci", "takes no ~ci", id="without case"),
        pytest.param("placed:now+1D", "the units y, mo, w, d, h, m and s", id="a unit in capitals"),
        pytest.param("placed:now-9999y", "now-9999y is not in the calendar", id="before the calendar"),
        pytest.param("placed:now+999999mo", "is not in the calendar", id="after the calendar"),
        pytest.param("placed:now+999999w", "is not in the calendar", id="weeks after it"),
        pytest.param("placed:now-1234567d", "relative dates are written", id="too many digits"),
        pytest.param("born:today+9999y", "is not in the calendar", id="a date after it"),
        pytest.param("qty:now", "qty is an integer", id="of a number"),
    ],
)
def test_mistakes_are_pointed_at(text: str, said: str) -> None:
    with pytest.raises(FilterType) as refused:
        match(text)
    assert said in refused.value.message
    assert refused.value.details["column"] == len(text.split(":")[0]) + 2


@pytest.mark.parametrize("text", ["placed:>now-7d", "born:today", "placed:^[now]", "lines:{dueAt:lastWeek}"])
@pytest.mark.parametrize("for_rule", [False, True])
def test_without_a_moment_they_are_refused_by_name(text: str, for_rule: bool) -> None:
    """In rules, constraints, scripts and lookups."""
    with pytest.raises(FilterType, match="is relative to the moment of a request: rules, constraints"):
        compile_filter(text, SHIPMENT, for_rule=for_rule)


def test_they_are_not_cached() -> None:
    text = "placed:>now-1h && born:!today"
    later = NOW + timedelta(days=1)
    assert match(text) != match(text, now=later)
    assert match(text)["placed"] == {"$gt": NOW - timedelta(hours=1)}
    assert match("placed:2026-01-01", BERLIN) != match("placed:2026-01-01", AUCKLAND), "nor across zones"


def test_filters_without_them_are_cached_for_each_zone() -> None:
    _prepare_once.cache_clear()
    for now in (NOW, NOW + timedelta(hours=1)):
        assert compile_filter("name:x && placed:2026", SHIPMENT, moment=Moment(now, BERLIN)).match
    assert _prepare_once.cache_info().hits == 1


WORDS = ["today", "yesterday", "tomorrow"]
WORDS += [
    f"{which}{unit}" for which in ("this", "last", "next") for unit in ("Week", "Month", "Quarter", "Year")
]


def plain(word: str, day: date, today: date) -> bool:
    """Whether a day is one of those that a word means."""
    if word in WORDS[:3]:
        return (day - today).days == {"today": 0, "yesterday": -1, "tomorrow": 1}[word]
    count = {
        "Week": lambda one: (one.toordinal() - 1) // 7,
        "Month": lambda one: one.year * 12 + one.month - 1,
        "Quarter": lambda one: one.year * 4 + (one.month - 1) // 3,
        "Year": lambda one: one.year,
    }[word[4:]]
    return int(count(day) - count(today)) == {"this": 0, "last": -1, "next": 1}[word[:4]]


@given(
    now=st.datetimes(datetime(1990, 1, 1), datetime(2060, 1, 1)),
    zone=st.sampled_from([UTC, BERLIN, AUCKLAND, HAVANA]),
    word=st.sampled_from(WORDS),
    apart=st.lists(st.timedeltas(timedelta(days=-500), timedelta(days=500)), min_size=10, max_size=30),
)
def test_words_mean_the_days_of_the_zone(
    rows: Rows, now: datetime, zone: tzinfo, word: str, apart: list[timedelta]
) -> None:
    moment = now.replace(microsecond=now.microsecond // 1000 * 1000, tzinfo=UTC)
    stored = [moment + timedelta(milliseconds=one // timedelta(milliseconds=1)) for one in apart]
    documents = [
        {"_id": at, "placed": one, "born": one.astimezone(zone).date().isoformat()}
        for at, one in enumerate(stored)
    ]
    today = moment.astimezone(zone).date()
    expected = {at for at, one in enumerate(stored) if plain(word, one.astimezone(zone).date(), today)}
    rows.delete_many({})
    rows.insert_many(documents)
    for field in ("placed", "born"):
        predicate = compile_filter(f"{field}:{word}", SHIPMENT, moment=Moment(moment, zone))
        assert {row["_id"] for row in rows.find(predicate.match, {"_id": 1})} == expected
        assert {one["_id"] for one in documents if admits(predicate, one)} == expected
