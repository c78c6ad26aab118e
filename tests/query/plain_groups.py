"""Aggregates worked out in Python, from whole records: what the stages of MongoDB are compared with."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from decimal import Context, Decimal
from statistics import fmean
from typing import Any
from zoneinfo import ZoneInfo

from bson import Decimal128, ObjectId

Document = Mapping[str, Any]
DECIMALS = Context(prec=34)


def unwound(record: Any, path: Sequence[str]) -> Iterator[Any]:
    """A record once for each element of the list at a path; once without it where there is none."""
    if not isinstance(record, dict):
        yield record
        return
    name, *rest = path
    inner = record.get(name)
    if rest:
        yield from ({**record, name: one} for one in unwound(inner, rest)) if inner is not None else [record]
    elif not isinstance(inner, list):
        yield record
    elif not inner:
        yield {key: value for key, value in record.items() if key != name}
    else:
        yield from ({**record, name: one} for one in inner)


def values(record: Any, path: Sequence[str]) -> Iterator[Any]:
    """Everything at a path, elements of lists one by one, that is not null."""
    if isinstance(record, list):
        for one in record:
            yield from values(one, path)
    elif not path:
        if record is not None:
            yield record
    elif isinstance(record, dict):
        yield from values(record.get(path[0]), path[1:])


def label(moment: datetime | str, unit: str, zone: str) -> str:
    """A date by its unit, as a clock in the zone shows it."""
    if isinstance(moment, str):
        here = datetime.fromisoformat(moment)
    else:
        here = moment.replace(tzinfo=UTC).astimezone(ZoneInfo(zone))
    year, week, _day = here.isocalendar()
    return {
        "year": f"{here.year:04}",
        "quarter": f"{here.year:04}-Q{(here.month + 2) // 3}",
        "month": f"{here.year:04}-{here.month:02}",
        "week": f"{year:04}-W{week:02}",
        "day": f"{here.year:04}-{here.month:02}-{here.day:02}",
        "hour": f"{here.year:04}-{here.month:02}-{here.day:02}T{here.hour:02}",
    }[unit]


def group(
    records: Sequence[Document],
    keys: Sequence[tuple[str, str | None]],
    lists: Sequence[str],
    measures: Mapping[str, tuple[str, str | None]],
    zone: str,
) -> list[tuple[tuple[Any, ...], dict[str, Any]]]:
    """The groups in the order of their keys. ``lists``: through which the keys lead, outermost first."""
    rows: list[Any] = list(records)
    for path in lists:
        rows = [one for row in rows for one in unwound(row, path.split("."))]
    groups: dict[tuple[Any, ...], list[Any]] = {}
    for row in rows:
        groups.setdefault(tuple(_key(row, *key, zone) for key in keys), []).append(row)
    found = [
        (key, {n: _measure(inside, *one) for n, one in measures.items()}) for key, inside in groups.items()
    ]
    return sorted(found, key=lambda one: [in_order(part) for part in one[0]])


def in_order(value: Any) -> Any:
    """Null comes first."""
    if isinstance(value, ObjectId):
        value = str(value)
    return (value is not None, value)


def _key(row: Any, path: str, unit: str | None, zone: str) -> Any:
    found = next(values(row, path.split(".")), None)
    if found is None:
        return None
    return plain(found) if unit is None else label(found, unit, zone)


def plain(value: Any) -> Any:
    """Decimals as Python's, which compare by value; references as their ids."""
    if isinstance(value, dict):
        return value["entityId"]
    return value.to_decimal() if isinstance(value, Decimal128) else value


def _measure(rows: Sequence[Any], function: str, path: str | None) -> Any:
    if path is None:
        return len(rows)
    found = [plain(value) for row in rows for value in values(row, path.split("."))]
    return _FUNCTIONS[function](found)


def _sum(found: Sequence[Any]) -> Any:
    if found and isinstance(found[0], Decimal):
        total = Decimal(0)
        for one in found:
            total = DECIMALS.add(total, one)
        return total
    return sum(found)


def _avg(found: Sequence[Any]) -> Any:
    if not found:
        return None
    return (
        DECIMALS.divide(_sum(found), Decimal(len(found))) if isinstance(found[0], Decimal) else fmean(found)
    )


_FUNCTIONS: dict[str, Callable[[Sequence[Any]], Any]] = {
    "count": len,
    "countDistinct": lambda found: len(set(found)),
    "sum": _sum,
    "avg": _avg,
    "min": lambda found: min(found, default=None),
    "max": lambda found: max(found, default=None),
}
