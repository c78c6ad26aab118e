"""Partial writes: a stored record and what changes in it → the whole record, read as a full save is.

The result is checked like a full replace. Four things differ: defaults are filled in only in objects that are
new (a field that was cleared stays cleared), required fields that the store hides do not count as missing,
members that are not named stay as they are stored, and so do members that the record type no longer knows.
"""

from collections.abc import Iterator, Mapping, Set
from functools import lru_cache
from typing import Any, Final

from pydantic_core import from_json

from runtime.errors import MalformedRequest, UnknownMember
from runtime.model.attribute_names import as_sent, sent_name
from runtime.model.field_type import FieldType, ValueKind
from runtime.model.paths import top_of
from runtime.model.problems import no_entity_id
from runtime.model.record_type import RecordType
from runtime.records.document.dynamic import Written, build_attribute
from runtime.records.document.lenient import check_types
from runtime.records.document.sent import Sent
from runtime.records.document.targets import (
    kept_by_server,
    readable_path,
    refuse_overlap,
    sent_fields,
    settable,
)
from runtime.records.document.whole import rewrite_members, sendable, set_as_stored
from runtime.storage.wire import read_back, to_json

Document = dict[str, Any]

MAX_DEPTH: Final = 32
"""Levels of a patch: as deep as what a record may hold."""


def merge(kind: RecordType[Any], stored: Document, patch: Any, hidden: Set[str] = frozenset()) -> Sent:
    """Apply a JSON merge patch (RFC 7396) to a record: null clears, objects merge, lists are replaced.

    ``patch`` is parsed JSON; ``hidden`` is what rules take away (such a name is unknown). Server-kept members
    are ignored, ``version`` is passed on to be compared.

    Raises ``MalformedRequest`` (not an object, too deep), ``UnknownMember`` with the nearest names,
    ``ValidationFailed`` (a reference without its id), and what ``read_input`` and ``read_sent`` raise for the
    record as a whole.
    """
    named = _check_names(kind, patch, hidden)
    emptied = frozenset(path for path in kind.hidden if _names_null(named, path))
    touched = as_sent(_pick_touched(kind, stored, named.keys()))
    return rewrite_members(kind, stored, named, _merge_patch(touched, named), emptied, hidden - kind.hidden)


def check_patch(kind: RecordType[Any], patch: Any, hidden: Set[str] = frozenset()) -> None:
    """Check what is wrong with a merge patch whatever it is applied to: names, and the types of values.

    Raises what ``merge`` does.
    """
    check_types(kind, _merge_patch({}, _check_names(kind, patch, hidden)), hidden - kind.hidden)


def expand_values(kind: RecordType[Any], values: Mapping[str, Any], hidden: Set[str]) -> Document:
    """Turn the ``values`` of a bulk set, with dotted or nested names, into a merge patch.

    Raises ``UnknownField`` and ``InvalidParameter`` for a path that cannot be set, is named twice or is
    inside another.
    """
    patch: Document = {}
    for at, path in enumerate(values):
        inner = readable_path(path)
        settable(kind, inner, hidden)
        refuse_overlap(inner, [readable_path(one) for one in list(values)[:at]])
        _put(patch, [sent_name(step) for step in inner.split(".")], values[path])
    return patch


def apply_values(kind: RecordType[Any], stored: Document, values: Mapping[str, Any]) -> Sent:
    """Set values by dotted path, in stored form and None to clear (``parse_pairs``), on a stored record.

    Raises what ``read_input`` and ``read_sent`` raise for the record as a whole.
    """
    if values.keys() <= _members(kind):  # each by itself, as nearly all are
        tops = frozenset(values)
        if (document := set_as_stored(kind, stored, tops, values)) is not None:
            return Sent(document)
        body = {name: read_back(value) for name, value in values.items() if value is not None}
    else:
        tops = frozenset(top_of(path) for path in values)
        merged = {path for path in values.keys() & _references(kind) if isinstance(values[path], Mapping)}
        body = _pick_touched(kind, stored, tops, replaced=values.keys() - merged)
        for path, value in values.items():
            _set(body, path, value, keeps_rest=path in merged)
    emptied = _find_emptied(kind, values) if kind.hidden else kind.hidden
    return rewrite_members(kind, stored, _nest(values), as_sent(body), emptied, kind.fields.keys())


def _find_emptied(kind: RecordType[Any], values: Mapping[str, Any]) -> frozenset[str]:
    """Return the hidden fields that are cleared, alone or with an object around them."""
    cleared = [f"{path}." for path, value in values.items() if value is None]
    return frozenset(hidden for hidden in kind.hidden for path in cleared if f"{hidden}.".startswith(path))


@lru_cache(maxsize=1024)
def _members(kind: RecordType[Any]) -> frozenset[str]:
    """Return the members that can change independently, and are not references."""
    fields = sent_fields(kind)
    return frozenset(name for name in sendable(kind) - {"id"} if not fields[name].is_reference)


@lru_cache(maxsize=1024)
def _references(kind: RecordType[Any]) -> frozenset[str]:
    """Return the paths that name a reference as a whole."""
    return frozenset(_references_in(sent_fields(kind)))


def _references_in(fields: Mapping[str, FieldType], prefix: str = "") -> Iterator[str]:
    for name, field in fields.items():
        if field.is_reference:
            yield f"{prefix}{name}"
        else:
            yield from _references_in(field.fields, f"{prefix}{name}.")


def _pick_touched(
    kind: RecordType[Any], stored: Document, named: Set[str], replaced: Set[str] = frozenset()
) -> Document:
    """Return the named members, as on the wire, without those that are ``replaced`` whole."""
    wanted = (sendable(kind) & named) - replaced
    touched = {name: value for name, value in stored.items() if name in wanted}
    touched_json: Document = from_json(to_json(touched)) if touched else touched
    return touched_json


def _merge_patch(target: Any, patch: Any) -> Any:
    """Merge a patch into a document by RFC 7396 §2."""
    if not isinstance(patch, Mapping):
        return patch
    result = dict(target) if isinstance(target, dict) else {}
    for name, value in patch.items():
        if value is None:
            result.pop(name, None)
        else:
            result[name] = _merge_patch(result.get(name), value)
    return result


def _check_names(kind: RecordType[Any], patch: Any, hidden: Set[str]) -> Document:
    """Check the form of a patch and the names in it; return the members that the server does not replace."""
    if not isinstance(patch, Mapping):
        raise MalformedRequest("a merge patch of a record is a JSON object")
    _check_depth(patch)
    _check_members(kind, sent_fields(kind), patch, "", hidden - kind.hidden)
    return {name: value for name, value in patch.items() if not kept_by_server(kind, name)}


def _check_depth(patch: Any) -> None:
    level: list[Any] = [patch]
    for _depth in range(MAX_DEPTH + 1):
        inner = [one for one in level if isinstance(one, Mapping | list)]
        level = [value for one in inner for value in (one.values() if isinstance(one, Mapping) else one)]
        if not level:
            return
    raise MalformedRequest(f"a patch is nested at most {MAX_DEPTH} deep")


def _check_members(
    kind: RecordType[Any],
    known: Mapping[str, FieldType],
    patch: Mapping[str, Any],
    prefix: str,
    hidden: Set[str],
) -> None:
    """Check names, since a null for an unknown one would otherwise be lost."""
    for name, value in patch.items():
        path = f"{prefix}{name}"
        if name not in known or path in hidden:
            named = [one for one in known if f"{prefix}{one}" not in hidden]
            _near, advice = kind.advise_name(path, name, named, "member")
            raise UnknownMember(f"unknown member {path[:200]}{advice}", member=path[:200])
        if isinstance(value, Mapping):
            _check_inside(kind, known[name], value, path, hidden)


def _check_inside(
    kind: RecordType[Any], here: FieldType, value: Mapping[str, Any], path: str, hidden: Set[str]
) -> None:
    if here.kind is ValueKind.OBJECT:
        _check_members(kind, here.fields, value, f"{path}.", hidden)
        if here.is_reference and "entityId" not in value:  # only its copies, which follow the record
            raise no_entity_id(path)
    elif here.kind is ValueKind.MAP and here.item is not None:
        for name, inner in value.items():
            if isinstance(inner, Mapping):
                _check_inside(kind, here.item, inner, f"{path}.{name}", hidden)


def _names_null(patch: Any, path: str) -> bool:
    """Return whether a patch clears a path, or an object around it."""
    for step in path.split("."):
        if not isinstance(patch, Mapping) or step not in patch:
            return False
        patch = patch[step]
        if patch is None:
            return True
    return False


def _nest(values: Mapping[str, Any]) -> Document:
    """Turn values by dotted path into objects in each other."""
    nested: Document = {}
    for path, value in values.items():
        _put(nested, path.split("."), value)
    return nested


def _put(patch: Document, steps: list[str], value: Any) -> None:
    for step in steps[:-1]:
        patch = patch.setdefault(step, {})
    patch[steps[-1]] = value


def _set(body: Document, path: str, value: Any, *, keeps_rest: bool) -> None:
    """Set one value of a record as on the wire, creating objects on the way; None removes it.

    ``keeps_rest``: a reference keeps its other members.
    """
    *way, last = path.split(".")
    here = body
    for step in way:
        inner = here.get(step)
        if not isinstance(inner, dict):
            if value is None:
                return
            inner = here[step] = {}
        here = inner
    if value is None:
        here.pop(last, None)
    elif isinstance(value, Written):
        here[last] = build_attribute(path, here.get(last), value)
    elif keeps_rest and isinstance(value, Mapping) and isinstance(here.get(last), dict):
        here[last] |= read_back(value)
    else:
        here[last] = read_back(value)
