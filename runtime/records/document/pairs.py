"""``pairs=a:1,b.c:x`` of ``PUT {basePath}/set`` → typed values by dotted path.

    pairs  =  pair { "," pair }            blanks around names and values do not count
    pair   =  path ":" value
    value  =  bare | quoted | "[" [ value { "," value } ] "]"

Bare text is read by the type of its field, as in a filter: ``#10`` is a number, ``@@`` and 24 hexadecimal
digits a reference, ``null`` clears. Double quotes hold commas, brackets and the text ``null``; ``""`` inside
them is a quote; steps of a path may be quoted. Errors carry their column.
"""

import re
from collections.abc import Set
from dataclasses import replace
from typing import Any, Final

from runtime.errors import InvalidParameter, RequestError
from runtime.filter.limits import MAX_BYTES, MAX_ITEMS
from runtime.filter.position import place
from runtime.filter.quoted import read_path
from runtime.filter.syntax_literals import Number, ReferenceId, Text
from runtime.filter.unreadable import Unreadable, unreadable
from runtime.filter.values import read_value
from runtime.model.field_type import FieldType, ValueKind
from runtime.model.record_type import RecordType
from runtime.model.scalars import MARKED_ID, is_id
from runtime.records.document.dynamic import Written
from runtime.records.document.targets import refuse_overlap, settable

MAX_PAIRS: Final = 200
MAX_LISTS: Final = 8
"""How deep lists of lists may be."""

_BLANKS = re.compile(r"\s*")
_PATH = re.compile(r'(?>(?:[^\s:,"\[\]{}]++|"[^"]*+(?>(?:""[^"]*+)*)")+)')
_BARE = re.compile(r'[^,"\[\]]+')
_QUOTED = re.compile(r'"([^"]*+(?>(?:""[^"]*+)*))"')
_NUMBER = re.compile(r"##?[+-]?[0-9.][0-9.eE+-]*")


def parse_pairs(kind: RecordType[Any], text: str, hidden: Set[str]) -> dict[str, Any]:
    """Parse pairs: dotted wire path → value as stored; None clears. ``hidden``: what rules take away.

    A reference is ``{"entityId": …}``, a dynamic attribute ``Written`` (its type is that of the stored
    one); ``version`` is the version the caller expects. ``merge.apply_values`` takes the result.

    Raises ``InvalidParameter`` and ``UnknownField`` with ``column``, ``excerpt`` and, where it applies,
    ``field``, ``fieldType``, ``value``, ``expected``, ``nearest``.
    """
    reader = _Reader(text)
    values: dict[str, Any] = {}
    while True:
        path, at, is_element = reader.path()
        start, written = (reader.at, _ELEMENT) if is_element else reader.value()
        try:
            field_type = settable(kind, path, hidden)
            if path in kind.states:
                field_type = replace(field_type, values=())  # the graph refuses unknown ones
            refuse_overlap(path, values)
        except RequestError as error:
            error.details |= {"parameter": "pairs", **place(text, at)}
            raise
        if is_element:
            raise _refuse_element(reader, path, field_type)
        try:
            values[path] = _convert_value(path, field_type, written)
        except Unreadable as error:
            raise _refuse_value(reader, path, field_type, written, error, start) from None
        if reader.is_at_end():
            return values
        if len(values) == MAX_PAIRS:
            raise reader.refused(f"at most {MAX_PAIRS} pairs in one request")


class _Reader:
    """The text and how far it was read."""

    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0
        if len(text) > MAX_BYTES:
            raise self.refused(f"pairs have at most {MAX_BYTES} characters")

    def path(self) -> tuple[str, int, bool]:
        """Read a field name; return it, where it begins, and whether an index follows, else its value."""
        self._skip_blanks()
        found, at = _PATH.match(self.text, self.at), self.at
        if found is None:
            raise self.refused("a field name and its value belong here, as in name:value")
        self.at = found.end()
        self._skip_blanks()
        is_element = self.text.startswith("[", self.at)
        if not is_element and not self._takes(":"):
            raise self.refused(f"{found[0][:40]} has no value: write {found[0][:40]}:value")
        try:
            return read_path(found[0]), at, is_element
        except ValueError as error:
            raise self.refused(str(error), at) from None

    def value(self, depth: int = 0) -> tuple[int, Written]:
        """Read a value; return where it begins and what it is."""
        self._skip_blanks()
        start = self.at
        if self._takes("["):
            return start, Written("[…]", items=self._items(depth + 1))
        quoted = _QUOTED.match(self.text, start)
        if quoted is not None:
            self.at = quoted.end()
            return start, Written(quoted[1].replace('""', '"'), quoted=True)
        bare = _BARE.match(self.text, start)
        if bare is None or not bare[0].strip():
            raise self.refused(self._missing())
        if bare[0][0] == "{":
            raise self.refused("an object is not written in pairs: name its fields, or quote the text")
        self.at = bare.end()
        return start, Written(bare[0].rstrip())

    def is_at_end(self) -> bool:
        """Go past the value of a pair: to the end, or past the comma before the next one."""
        self._skip_blanks()
        if self.at == len(self.text):
            return True
        if not self._takes(","):
            raise self.refused("pairs have commas between them; quote a value with punctuation")
        return False

    def refused(self, message: str, at: int | None = None, **details: Any) -> InvalidParameter:
        """Build an error that points at the current position, or at ``at``."""
        shown = place(self.text, self.at if at is None else at)
        return InvalidParameter(f"pairs: {message}", parameter="pairs", **details, **shown)

    def _items(self, depth: int) -> tuple[Written, ...]:
        if depth > MAX_LISTS:
            raise self.refused(f"lists are nested at most {MAX_LISTS} deep")
        items: list[Written] = []
        self._skip_blanks()
        while not (not items and self._takes("]")):
            items.append(self.value(depth)[1])
            self._skip_blanks()
            if self._takes("]"):
                break
            if not self._takes(","):
                raise self.refused("values of a list have commas between them, and ] at the end")
            if len(items) == MAX_ITEMS:
                raise self.refused(f"a list has at most {MAX_ITEMS} values")
        return tuple(items)

    def _missing(self) -> str:
        if self.text[self.at : self.at + 1] == '"':
            return 'the double quote is not closed; inside quotes "" stands for one quote'
        return 'a value is missing: null clears the field, "" is the empty text'

    def _skip_blanks(self) -> None:
        found = _BLANKS.match(self.text, self.at)
        self.at = found.end() if found else self.at

    def _takes(self, sign: str) -> bool:
        is_there = self.text.startswith(sign, self.at)
        self.at += is_there
        return is_there


def _convert_value(path: str, field_type: FieldType, written: Written) -> Any:
    """Convert a value to its stored form. Raises ``Unreadable``."""
    if written == _NULL:
        if path == "version":
            raise unreadable(field_type)
        return None
    if _is_attribute(path):
        return written
    return _read(field_type, written)


_NULL = Written("null")
_ELEMENT = Written("[…]")
"""What follows the name of an element: it is refused by the type of its field."""
_REFERENCE = "@@65f0c0ffee00c0ffee00c0de"


def _is_attribute(path: str) -> bool:
    return path.startswith("dynamicAttributes.") and path.count(".") == 2


def _read(field_type: FieldType, written: Written) -> Any:
    if field_type.kind in (ValueKind.LIST, ValueKind.JSON) and written.items is not None:
        return [_read(field_type.item or field_type, item) for item in written.items]
    if written.items is not None or written == _NULL:
        raise unreadable(field_type)
    marked = None if written.quoted else MARKED_ID.fullmatch(written.text)
    if field_type.is_reference:
        if marked is None:
            raise Unreadable("a reference", f"@@{written.text}" if is_id(written.text) else _REFERENCE)
        return {"entityId": read_value(field_type.fields["entityId"], marked[1].lower())}
    if marked is not None and field_type.kind is ValueKind.OBJECT_ID:
        return read_value(field_type, ReferenceId(marked[1].lower()))
    if not written.quoted and _NUMBER.fullmatch(written.text):
        return read_value(field_type, Number(written.text))
    return read_value(field_type, Text(written.text, quoted=written.quoted))


def _refuse_element(reader: _Reader, path: str, field_type: FieldType) -> InvalidParameter:
    is_list = field_type.kind in (ValueKind.LIST, ValueKind.JSON) and not field_type.has_members
    if is_list or _is_attribute(path):
        return reader.refused(f"an element is not set alone: set the whole list, as in {path[:40]}:[…]")
    error = Unreadable("a reference", _REFERENCE) if field_type.is_reference else unreadable(field_type)
    return _refuse_value(reader, path, field_type, _ELEMENT, error, reader.at)


def _refuse_value(
    reader: _Reader, path: str, field_type: FieldType, written: Written, error: Unreadable, at: int
) -> InvalidParameter:
    kind = "reference" if field_type.is_reference else field_type.kind.value
    about = {"field": path[:200], "fieldType": kind, "value": written.text[:100]}
    if field_type.has_members:
        message = f"{path[:200]} is {error}: name its members, as in {path[:200]}.name:value"
        if field_type.kind is ValueKind.LIST:
            message = f"{path[:200]} is a list of objects, which pairs cannot write: send it as JSON"
        return reader.refused(message, at, **about)
    example = _list_example(field_type, written) or error.example
    message = f"{path[:200]} is {error}: write {path[:200]}:{example}"
    return reader.refused(message, at, **about, expected=[error.expected])


def _list_example(field_type: FieldType, written: Written) -> str | None:
    """Return a value with as many brackets as the field has lists; None if there are enough of them."""
    depth = _count_lists(field_type)
    if _count_brackets(written) >= depth:
        return None
    while written.items:
        written = written.items[0]
    one = _REFERENCE if field_type.innermost.is_reference else written.text[:40]
    return f"{'[' * depth}{one},…{']' * depth}"


def _count_lists(field_type: FieldType) -> int:
    return 1 + _count_lists(field_type.item) if field_type.kind is ValueKind.LIST and field_type.item else 0


def _count_brackets(written: Written) -> int:
    """Return the least number of brackets around a value."""
    return 0 if written.items is None else 1 + min(map(_count_brackets, written.items), default=0)
