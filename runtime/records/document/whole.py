"""The whole record of a partial write: the named members among the stored ones. Pure.

Nothing is checked less than in a full save. Members stay as they are stored that nobody names or the record
type no longer knows, and required fields that the store hides do not count as missing.
"""

from collections.abc import Mapping, Set
from functools import lru_cache
from typing import Any, Final

from pydantic import ValidationError
from pydantic_core import to_json as to_json_text

from runtime.errors import ValidationFailed
from runtime.model.mappings import without_nones
from runtime.model.record import members
from runtime.model.record_type import RecordType
from runtime.records.document.lenient import read_input
from runtime.records.document.new_objects import fill_new_objects
from runtime.records.document.sent import Sent, read_sent
from runtime.records.document.targets import kept_by_server, sent_fields
from runtime.storage.codec import encode_member
from runtime.storage.stored_form import is_settled, is_sound
from runtime.storage.wire import to_json

Document = dict[str, Any]

_FEW: Final = 3
"""Single values that are sooner checked one by one than with the whole record."""

_SINGLE: Final = frozenset({str, int, float, bool})

_RESETTABLE: Final = frozenset({"orgRefName", "accountId", "dataSegment"})
"""The members of a data domain that null resets. A full save cannot: what is absent there stays."""


def rewrite_members(
    kind: RecordType[Any],
    stored: Document,
    asked: Mapping[str, Any],
    body: Document,
    emptied: frozenset[str],
    unnamed: Set[str],
) -> Sent:
    """Rewrite the members of a stored record that are ``asked`` for, and check the whole of it.

    ``asked``: what the caller wrote, as a merge patch. ``body``: the new values of these members, as on the
    wire; cleared ones are not in it. ``emptied``: hidden paths to be cleared. ``unnamed``: members that an
    error must not suggest. Raises what ``read_input`` and ``read_sent`` raise for the record as a whole.
    """
    named = frozenset(asked)
    if "id" in body and body["id"] != str(stored["_id"]):
        raise ValidationFailed.at("id", "cannot change", "id:")
    found = None if emptied else _convert_members(kind, stored, named, body)
    if found is not None:
        return Sent(_join_sent(kind, stored, named, found))
    others = sendable(kind, named)
    rest = {name: value for name, value in stored.items() if name in others}
    checked = read_input(kind, _render_both(rest, body), kind.hidden - emptied, lambda: unnamed)
    sent = read_sent(kind, checked, only=body.keys())
    filled = fill_new_objects(kind, checked, sent.document, stored, asked)
    if "dataDomain" in filled:
        cleared = [name for name, value in asked["dataDomain"].items() if value is None]
        filled["dataDomain"] = dict.fromkeys(_RESETTABLE.intersection(cleared)) | filled["dataDomain"]
    return Sent(_join_sent(kind, stored, named, filled), emptied, sent.violations)


def set_as_stored(
    kind: RecordType[Any], stored: Document, named: frozenset[str], values: Mapping[str, Any]
) -> Document | None:
    """Set the ``named`` members of a stored record to ``values``, which are in stored form.

    Return None where converting to the wire and back would give another record, or where it takes the class
    of the record to decide that.
    """
    sent = without_nones(values)
    if (len(sent) < len(values) and kind.hidden) or not all(map(is_settled, sent.values())):
        return None
    whole = _join_sent(kind, stored, named, sent)
    return whole if is_sound(kind, whole, sendable(kind)) else None


def _convert_members(
    kind: RecordType[Any], stored: Document, named: frozenset[str], body: Document
) -> Document | None:
    """Convert what is sent to stored form, each member by its own type.

    Only where these are few and single values, and what is stored is sound. Return None where it takes the
    class of the whole record to check it or to say what is wrong.
    """
    if len(body) > _FEW or not _SINGLE.issuperset(map(type, body.values())) or "id" in body:
        return None
    if not body.keys() <= members(kind.input).keys():
        return None
    if len(named) > len(body) and not _required(kind).isdisjoint(named - body.keys()):
        return None
    if not is_sound(kind, stored, sendable(kind)):
        return None
    try:
        return {name: encode_member(kind, name, value) for name, value in body.items()}
    except (ValidationError, ValidationFailed):
        return None


@lru_cache(maxsize=1024)
def _required(kind: RecordType[Any]) -> frozenset[str]:
    fields = members(kind.input).items()
    return frozenset(name for name, (_own_name, info) in fields if info.is_required())


def _render_both(rest: Document, body: Document) -> bytes:
    """Render both as one JSON object.

    ``body`` is rendered as it was sent: numbers too long or not finite are refused by the record's class, not
    lost here.
    """
    if all(type(value) is str for value in body.values()):
        return to_json(rest | body)
    text = to_json_text(body, inf_nan_mode="constants")
    return b"{" + b",".join(part[1:-1] for part in (to_json(rest), text) if part != b"{}") + b"}"


def _join_sent(kind: RecordType[Any], stored: Document, named: frozenset[str], sent: Document) -> Document:
    """Put what is sent in its place among what stays.

    What stays: the checked members, which are stored already as they would be written, and members that the
    record type no longer knows.
    """
    whole = stored | sent
    for name in _not_sent_back(kind, named):
        if name not in sent:
            whole.pop(name, None)
    if "dataDomain" in named and "dataDomain" not in sent:
        whole["dataDomain"] = dict.fromkeys(_RESETTABLE)
    for name in [name for name, value in whole.items() if value is None]:
        del whole[name]
    return whole


@lru_cache(maxsize=4096)
def _not_sent_back(kind: RecordType[Any], named: frozenset[str]) -> frozenset[str]:
    return frozenset(kind.fields.keys() - sendable(kind, named))


@lru_cache(maxsize=4096)
def sendable(kind: RecordType[Any], but: frozenset[str] = frozenset()) -> frozenset[str]:
    """Return the members, without those in ``but``, that a caller could send back as it has read them."""
    known = sent_fields(kind).keys() - but
    return frozenset(name for name in known if name != "version" and not kept_by_server(kind, name))
