"""The references that a path of ``expand`` follows, one after the other. Pure.

A path names fields, as everywhere; where a reference ends, it goes on in the record referred to. ``[*]``
behind a step marks a list. The mark may be left out, but is refused where there is no list.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any, Final, TypeAlias

from runtime.errors import InvalidParameter, UnknownField
from runtime.filter.position import place
from runtime.model.catalog import Catalog
from runtime.model.paths import is_within, top_of
from runtime.model.record import ADDED_ON_READING
from runtime.model.record_type import RecordType, Reference

HiddenFields: TypeAlias = Callable[[RecordType[Any], str], frozenset[str]]
"""The fields of a record type, reached by a path, that the caller may not see. Raises ``Denied`` where they
may see no records."""

_STEP: Final = re.compile(r"([^\[\]*]+)((?:\[\*\])*)")
_MARK: Final = "[*]"


def find_hops(
    path: str, kind: RecordType[Any], catalog: Catalog, hidden_in: HiddenFields, text: str, at: int
) -> tuple[Reference, ...]:
    """Find the references on a path that begins in ``kind``; ``at`` is where ``text`` has the path.

    Raises ``UnknownField`` for a field that is unknown or hidden, ``InvalidParameter`` for one that is not a
    reference or a ``[*]`` that does not fit, and ``Denied``.
    """
    try:
        return tuple(_follow(path, kind, catalog, hidden_in))
    except UnknownField as error:
        error.details |= {"expected": error.details["nearest"], **place(text, at)}
        raise
    except InvalidParameter as error:
        error.details |= place(text, at)
        raise


def _follow(
    path: str, kind: RecordType[Any], catalog: Catalog, hidden_in: HiddenFields
) -> Iterator[Reference]:
    steps = path.split(".")
    names = [_read_step(step) for step in steps]
    while names:
        way = ".".join(steps[: len(steps) - len(names)])
        reference, count = _find_reference(kind, names, hidden_in(kind, way))
        yield reference
        names = names[count:]
        kind = catalog[reference.target]


def _read_step(step: str) -> tuple[str, int]:
    """Split a step into its name and the number of its marks."""
    found = _STEP.fullmatch(step)
    if found is None:
        raise _refuse(f"{step[:100] or 'an empty step'} is not a field, or a list as in lines[*]")
    return found[1], len(found[2]) // len(_MARK)


def _find_reference(
    kind: RecordType[Any], steps: list[tuple[str, int]], hidden: frozenset[str]
) -> tuple[Reference, int]:
    """Find the reference that the first of these steps lead to, and how many steps these are."""
    by_path = {reference.stored: reference for reference in kind.references}
    for count in range(1, len(steps) + 1):
        path = ".".join(name for name, _marks in steps[:count])
        if path in by_path and is_within(by_path[path].key, kind.hidden | hidden):
            hidden |= {path}  # refused below, as a field that does not exist
        elif path in by_path:
            _require_lists(by_path[path], steps)
            return by_path[path], count
    whole = ".".join(name for name, _marks in steps)
    advice = _advice(kind, hidden)
    try:
        kind.field_at(whole, hidden)
    except UnknownField as error:
        if error.details["nearest"] or top_of(whole) in ADDED_ON_READING:
            raise
        message = f"{kind.shown_name} has no field {error.details['field']}{advice}"
        raise UnknownField(message, **error.details) from None
    raise _refuse(f"{whole[:200]} of {kind.shown_name} is not a reference{advice}")


def _require_lists(reference: Reference, steps: list[tuple[str, int]]) -> None:
    """Refuse a mark where there is no list."""
    for (name, marks), step in zip(steps, reference.path.split("."), strict=False):
        if marks > step.count("[]"):
            raise _refuse(f"{name} is not a list, or not of so many levels: leave {_MARK} out")


def _advice(kind: RecordType[Any], hidden: frozenset[str]) -> str:
    shown = [one for one in kind.references if not is_within(one.key, kind.hidden | hidden)]
    names = ", ".join(one.path.replace("[]", _MARK) for one in shown)
    return f": expand {names}" if names else "; it has no references"


def _refuse(message: str) -> InvalidParameter:
    return InvalidParameter(message, parameter="expand")
