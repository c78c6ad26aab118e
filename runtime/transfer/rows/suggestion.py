"""What somebody may have meant by a cell that its field cannot read. Pure.

A suggestion is made of the cell alone, and only where the cell can mean one thing: ``31.12.2025`` can be one
day, ``03.04.2025`` can be two. Each is read by the type of the field before it is returned.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import date
from typing import Final

from runtime.filter.unreadable import Unreadable
from runtime.filter.values import read_value
from runtime.model.field_type import FieldType, ValueKind
from runtime.model.nearest import nearest

_LONGEST: Final = 100
"""Characters of a cell that is looked at."""

_SPACED: Final = re.compile("(?<=[0-9])[ '\u00a0\u2009\u202f](?=[0-9]{3}(?![0-9]))")
"""What is between thousands and is neither a point nor a comma."""

_NUMBER: Final = re.compile("([+-]?[0-9]*)((?:[.,][0-9]+)*)")
_DAY: Final = re.compile(
    r"([0-9]{4})([-./ ])([0-9]{1,2})\2([0-9]{1,2})|([0-9]{1,2})([-./ ])([0-9]{1,2})\6([0-9]{4})"
)
_MOMENT: Final = re.compile(r"(\S+?)[Tt ]\s*([0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?)\s*(\S*)")


def suggest(field_type: FieldType, text: str) -> str | None:
    """Return a text that the field reads, and that is the only one the cell may have been meant as."""
    cell = text.strip()
    if not cell or len(cell) > _LONGEST:
        return None
    words = ("true", "false") if field_type.kind is ValueKind.BOOLEAN else field_type.values
    if words:
        folded = {word.casefold(): word for word in words}
        near = nearest(cell.casefold(), folded)
        return folded[near[0]] if near else None
    readings = _READINGS.get(field_type.kind)
    if readings is None:
        return None
    found = {
        reading for reading in {cell, *readings(cell)} if reading != text and _is_read(field_type, reading)
    }
    return found.pop() if len(found) == 1 else None


def _is_read(field_type: FieldType, text: str) -> bool:
    try:
        read_value(field_type, text)
    except Unreadable:
        return False
    return True


def _read_numbers(cell: str) -> Iterator[str]:
    """Yield the number with a decimal point and no thousands separator.

    Yields two for ``1,000``, which may be either.
    """
    plain = _SPACED.sub("", cell)
    found = _NUMBER.fullmatch(plain)
    if found is None:
        return
    if plain != cell:
        yield plain
    whole, groups = found[1], re.findall("([.,])([0-9]+)", found[2])
    marks = [mark for mark, _digits in groups]
    is_grouped = whole.lstrip("+-") not in ("", "0") and len(whole.lstrip("+-")) <= 3
    if (
        len(groups) >= 1
        and len(set(marks)) == 1
        and is_grouped
        and all(len(one) == 3 for _mark, one in groups)
    ):
        yield whole + "".join(digits for _mark, digits in groups)
    if groups and len(set(marks[:-1])) <= 1 and marks.count(marks[-1]) == 1:
        *thousands, (_mark, decimals) = groups
        if all(len(one) == 3 for _mark, one in thousands) and (is_grouped or not thousands):
            yield f"{whole}{''.join(digits for _mark, digits in thousands)}.{decimals}"


def _read_whole_numbers(cell: str) -> Iterator[str]:
    """Yield numbers whose decimals, if any, are zeros."""
    for number in _read_numbers(cell):
        whole, _, decimals = number.partition(".")
        if not decimals.strip("0"):
            yield whole


def _read_days(cell: str) -> Iterator[str]:
    """Yield the day as ``yyyy-MM-dd``; two where day and month could be exchanged."""
    found = _DAY.fullmatch(cell)
    if found is None:
        return
    if found[1]:
        orders = [(found[1], found[3], found[4])]
    else:
        first, second, year = found[5], found[7], found[8]
        orders = [(year, second, first), (year, first, second)]
    for year, month, day in orders:
        try:
            yield date(int(year), int(month), int(day)).isoformat()
        except ValueError:
            continue


def _read_moments(cell: str) -> Iterator[str]:
    """Yield day and time as RFC 3339 writes them, in UTC where no zone is written."""
    found = _MOMENT.fullmatch(cell)
    if found is not None:
        for day in _read_days(found[1]):
            hour, _, rest = found[2].partition(":")
            yield f"{day}T{hour.zfill(2)}:{rest}{found[3] or 'Z'}"
    yield from _read_days(cell)


_READINGS: Final[Mapping[ValueKind, Callable[[str], Iterator[str]]]] = {
    ValueKind.INTEGER: _read_whole_numbers,
    ValueKind.NUMBER: _read_numbers,
    ValueKind.DECIMAL: _read_numbers,
    ValueKind.DATE: _read_days,
    ValueKind.DATETIME: _read_moments,
    ValueKind.OBJECT_ID: lambda _cell: iter(()),
}
