"""Sort and projection."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Set
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from runtime.errors import InvalidParameter, UnknownField
from runtime.filter.fields import Columns, Field, locate, shows_ref_name
from runtime.filter.order import SCORE, Marks, Order, split_marks
from runtime.filter.position import place
from runtime.filter.projected import project
from runtime.filter.quoted import read_path, split_list
from runtime.filter.sizes import advise_filter
from runtime.filter.syntax import FieldMark
from runtime.model.field_type import FieldType, ValueKind
from runtime.model.paths import around, is_within
from runtime.model.record_type import RecordType

MAX_SORT_KEYS: Final = 8
MAX_PROJECTED: Final = 200


@dataclass(frozen=True, slots=True)
class Projection:
    """Which fields a read returns: dotted wire paths. ``id`` is always read, and sent unless excluded.

    ``fields`` are the types of the top-level fields: nothing else is returned. ``may_fill``: a record
    without a field may be returned with null in it, as an index has it, so that the index is enough.
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    fields: Mapping[str, FieldType] = field(default_factory=dict, compare=False, repr=False)
    may_fill: bool = False

    @property
    def omits_id(self) -> bool:
        """Whether ``id`` is to be removed from what was read."""
        return "id" in self.exclude

    def as_mongo(self, hidden: Set[str]) -> dict[str, Any]:
        """Build the MongoDB projection that returns only declared fields, and no hidden one."""
        return project(
            self.fields, _outermost(self.include or self.fields), _outermost((*self.exclude, *hidden))
        )

    def with_fields(self, paths: Iterable[str], hidden: Set[str]) -> tuple[Projection, tuple[str, ...]]:
        """Add the fields at ``paths``; return that projection and the fields to remove from rows again.

        A row without the latter is what this projection alone would have returned. ``paths`` are of fields
        that are not hidden, and that have no fields of their own unless they are references.
        """
        kept, dropped = list(self.exclude), ["_id"] * self.omits_id
        missing = [path for path in paths if path != "_id"]
        for path in missing:
            dropped += [one for one in kept if is_within(path, (one,))]
            kept = [one for one in kept if not is_within(path, (one,))]
        added = [path for path in missing if not is_within(path, self.include)]
        include = (*self.include, *added) if self.include else ()
        wider = Projection(include, tuple(kept), self.fields, self.may_fill)
        return wider, (*dropped, *_list_more(wider.as_mongo(hidden), self.as_mongo(hidden)))


def parse_sort(text: str | None, kind: RecordType[Any] | Columns) -> tuple[tuple[str, int], ...]:
    """Parse an order without marks: its keys. Raises as ``parse_order``."""
    order = parse_order(text, kind)
    if order.language or order.moved:
        at = (text or "").find("~")
        raise _build_refusal(
            "sort", text or "", at, f"{kind.shown_name} are ordered without marks: leave out ~"
        )
    return order.keys


def parse_order(
    text: str | None, kind: RecordType[Any] | Columns, hidden: frozenset[str] = frozenset()
) -> Order:
    """Parse ``-placed,refName~ci`` into stored paths with 1 or -1, ended by ``_id`` in the last direction.

    Only what has one value has a place in an order: lists, objects and maps are refused, and more than
    one free-form field, since MongoDB cannot sort by two arrays. Raises ``UnknownField`` and
    ``InvalidParameter``; ``hidden`` fields are unknown.
    """
    text, keys, all_marks = text or "", dict[str, int](), Marks()
    free_form = 0
    for name, sign, at, marks in _entries("sort", text):
        with _pointing(text, at, kind, name, hidden):
            found = _locate_key(kind, name, hidden)
        if found is None:
            if sign != "-" or marks or SCORE in keys:
                raise _build_refusal(
                    "sort", text, at, "relevance is sorted from the best, once: write -score"
                )
            keys[SCORE] = -1
            continue
        free_form += found.type.kind is ValueKind.JSON
        direction = -1 if sign == "-" else 1
        has_name = found.type.is_reference and shows_ref_name(kind, name, hidden)
        fault = _sort_fault(name, found, has_name, keys, free_form) or all_marks.add(
            name, found, direction, marks
        )
        if fault:
            raise _build_refusal("sort", text, at, fault)
        keys[found.path] = direction
    keys.setdefault("_id", next(reversed(keys.values()), 1))
    unique = tuple(keys.items())[: list(keys).index("_id") + 1]  # what follows it cannot matter
    return Order(language=all_marks.language, moved=frozenset(all_marks.moved)).with_keys(unique)


def _locate_key(kind: RecordType[Any] | Columns, name: str, hidden: frozenset[str]) -> Field | None:
    """Find a field to sort by; None for ``score`` where no field is called so that the caller may see."""
    if name != "score" or isinstance(kind, Columns):
        return locate(kind, name, hidden)
    is_own = name in kind.fields and name not in kind.hidden | hidden
    return locate(kind, name, hidden) if is_own or not kind.text else None


def parse_projection(
    text: str, kind: RecordType[Any], hidden: frozenset[str] = frozenset(), *, may_omit_id: bool = False
) -> Projection:
    """Parse ``+refName,+lines,-lines.note``: with ``+`` or no sign only those and ``id``; ``-`` leaves out.

    Raises ``UnknownField`` and ``InvalidParameter``; ``hidden`` fields are unknown. ``may_omit_id``: whether
    ``-id`` is allowed; the schema of most answers requires an id.
    """
    marks = [FieldMark(name, sign != "-", at) for name, sign, at, _ in _entries("projection", text)]
    for mark in marks:
        if mark.path == "id" and not mark.include and not may_omit_id:
            raise _build_refusal("projection", text, mark.at, "id is always returned: leave -id out")
    return project_marks(marks, kind, hidden, text)


def project_marks(
    marks: Iterable[FieldMark],
    kind: RecordType[Any],
    hidden: frozenset[str],
    text: str,
    parameter: str = "projection",
) -> Projection:
    """Build the projection of these marks, which were read from ``text``. Raises as ``parse_projection``."""
    include: list[str] = []
    exclude: list[str] = []
    for mark in marks:
        name, at = mark.path, mark.at
        with _pointing(text, at, kind, name, hidden):
            kind.field_at(name, hidden)
        for path in mark.marked:
            if kind.field_at(path, hidden).kind is not ValueKind.LIST:
                raise _build_refusal(parameter, text, at, f"{path} is not a list: leave out its [*]")
        if name in include or name in exclude:
            raise _build_refusal(parameter, text, at, f"{name} is named twice: name it once")
        (include if mark.include else exclude).append(name)
    for path in exclude:
        if whole := _inseparable(kind, path, include):
            at = text.find(path)
            raise _build_refusal(
                parameter, text, at, f"{path} cannot be carved out of {whole}, which is free-form"
            )
    return Projection(tuple(include), tuple(exclude), kind.fields)


_ENTRY = re.compile(
    r'\s*+([+-]?)\s*+((?:[^\s,+"-]|"[^"]*+(?>(?:""[^"]*+)*)")(?:[^\s,"]|"[^"]*+(?>(?:""[^"]*+)*)")*)\s*'
)


def _entries(parameter: str, text: str) -> Iterator[tuple[str, str, int, tuple[str, ...]]]:
    """Yield name, sign, offset and marks of each entry of a comma-separated list; blank text has none."""
    if not text.strip():
        return
    at = 0
    for number, entry in enumerate(split_list(text)):
        found = _ENTRY.fullmatch(entry)
        if found is None:
            raise _build_refusal(parameter, text, at, f"write {parameter}=-name,other: names between commas")
        if number == _MOST[parameter]:
            raise _build_refusal(parameter, text, at, f"{parameter} takes at most {_MOST[parameter]} fields")
        path, marks = split_marks(found[2]) if parameter == "sort" else (found[2], ())
        try:
            yield read_path(path), found[1], at + found.start(2), marks
        except ValueError as error:
            raise _build_refusal(parameter, text, at + found.start(2), str(error)) from None
        at += len(entry) + 1


_MOST: Final = {"sort": MAX_SORT_KEYS, "projection": MAX_PROJECTED}


def _sort_fault(
    name: str, found: Field, has_name: bool, keys: Mapping[str, int], free_form: int
) -> str | None:
    if found.lists:
        return f"{name} is a list or inside a list: a record has no single value to sort by"
    if found.type.is_reference:
        return f"{name} is a reference" + (
            f": sort by {name}.entityRefName" if has_name else ", which has no order"
        )
    if found.type.kind in (ValueKind.OBJECT, ValueKind.MAP):
        return f"{name} has fields of its own: sort by one of them"
    if found.path in keys:
        return f"{name} is named twice: name it once"
    return f"{name} is the second free-form field: only one may sort" if free_form > 1 else None


@contextmanager
def _pointing(
    text: str, at: int, kind: RecordType[Any] | Columns, name: str, hidden: frozenset[str]
) -> Iterator[None]:
    try:
        yield
    except UnknownField as error:
        details = error.details | {"expected": error.details["nearest"], **place(text, at)}
        raise UnknownField(error.message + advise_filter(kind, name, hidden), **details) from None


def _build_refusal(parameter: str, text: str, at: int, message: str) -> InvalidParameter:
    return InvalidParameter(message, parameter=parameter, **place(text, at))


def _outermost(paths: Iterable[str]) -> tuple[str, ...]:
    """Return the paths that are not inside another one."""
    known = set(paths)
    return tuple(path for path in sorted(known) if known.isdisjoint(around(path)))


def _list_more(wider: Mapping[str, int], shown: Mapping[str, int]) -> Iterator[str]:
    """Yield the outermost parts that only the wider of two inclusions returns.

    MongoDB keeps empty parents.
    """
    for path in wider:
        if not is_within(path, shown):
            parts = (*around(path), path)
            yield from [part for part in parts if not any(is_within(one, (part,)) for one in shown)][:1]


def _inseparable(kind: RecordType[Any], path: str, include: list[str]) -> str | None:
    """Find the included map or free-form field from which MongoDB cannot remove ``path``."""
    for parent in reversed(around(path)):
        is_free_form = kind.field_at(parent).innermost.kind in (ValueKind.MAP, ValueKind.JSON)
        if is_free_form and is_within(parent, include):
            return parent
    return None
