"""New records that are built of stored values, without writing them as JSON first. Pure.

A cell has been read to its stored form before its record is built. The plain twin writes all of them as JSON,
and reads that by the class of the record, which takes three times as long (``sent.read_sent``).
"""

from functools import lru_cache
from typing import Any, Final

from runtime.model.field_type import ValueKind
from runtime.model.record import members
from runtime.model.record_type import RecordType
from runtime.records.document.targets import sent_fields
from runtime.records.document.whole import sendable
from runtime.storage.codec import encode_document
from runtime.storage.stored_form import is_settled, is_sound

Document = dict[str, Any]

_ID: Final = frozenset({"id"})


def build_as_stored(kind: RecordType[Any], values: Document) -> Document | None:
    """Build a new record from its members in stored form, as reading it from JSON would.

    Return None where that could give another record, or where it takes the class of the record to decide:
    a lenient type stores what is wrong, and a hidden field may be missing.
    """
    if kind.hidden or kind.lenient or not all(map(is_settled, values.values())):
        return None
    blank = _build_blank(kind, tuple(values))
    if blank is None:
        return None
    whole = blank | values
    return whole if is_sound(kind, whole, sendable(kind)) else None


@lru_cache(maxsize=1024)
def _build_blank(kind: RecordType[Any], names: tuple[str, ...]) -> Document | None:
    """Build the members ``names`` and those that have a default, in the order of the class.

    None where a name is not that of a member to be sent, or a default is shared if it is not copied.
    """
    defaults = encode_document(kind, kind.input.model_construct())
    if not sendable(kind, _ID).issuperset(names) or not all(map(is_settled, defaults.values())):
        return None
    if any(sent_fields(kind)[name].kind is ValueKind.NUMBER for name in names):
        return None  # which takes an integer, and stores it as a floating point number
    return {name: defaults.get(name) for name in members(kind.input) if name in defaults or name in names}
