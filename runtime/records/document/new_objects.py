"""Defaults of the objects that a partial write creates: new items of lists, objects not there before. Pure.

A partial write fills in no defaults, since a field that was cleared stays cleared. An object that the write
itself creates has no cleared fields: it gets its defaults, as in a full save.
"""

from collections.abc import Mapping, Set
from functools import lru_cache
from typing import Any, get_args

from pydantic import BaseModel

from runtime.model.record import members
from runtime.model.record_type import RecordType
from runtime.storage.codec import encode_document
from runtime.storage.stored_form import freeze_meaning

Document = dict[str, Any]


def fill_new_objects(
    kind: RecordType[Any], checked: BaseModel, sent: Document, stored: Document, asked: Mapping[str, Any]
) -> Document:
    """Fill in the defaults of the objects in ``sent`` that are not in ``stored``.

    ``checked``: the record that ``sent`` was read from. ``asked``: what the caller wrote, where a null keeps
    its default away.
    """
    names = _find_defaulted(kind) & sent.keys()
    if not names:
        return sent
    whole = encode_document(kind, checked)
    return sent | {name: _fill(sent[name], whole[name], stored.get(name), asked.get(name)) for name in names}


def _fill(sent: Any, whole: Any, stored: Any, asked: Any) -> Any:
    """Fill new objects with defaults. ``whole``: what is sent, with all defaults."""
    if isinstance(sent, dict):
        return _fill_object(sent, whole, stored, asked if isinstance(asked, Mapping) else {})
    if isinstance(sent, list):
        there = {freeze_meaning(one) for one in stored} if isinstance(stored, list) else set()
        return [one if freeze_meaning(one) in there else full for one, full in zip(sent, whole, strict=True)]
    return sent


def _fill_object(sent: Document, whole: Document, stored: Any, asked: Mapping[str, Any]) -> Document:
    is_new = not isinstance(stored, dict)
    known = {} if is_new else stored
    return {
        name: _fill(sent[name], value, known.get(name), asked.get(name)) if name in sent else value
        for name, value in whole.items()
        if name in sent or (is_new and name not in asked)
    }


@lru_cache(maxsize=1024)
def _find_defaulted(kind: RecordType[Any]) -> Set[str]:
    """Return the members of a record whose objects have defaults."""
    found = members(kind.input).items()
    return frozenset(name for name, (_own_name, info) in found if _has_default_inside(info.annotation))


def _has_default_inside(annotation: Any) -> bool:
    if not (isinstance(annotation, type) and issubclass(annotation, BaseModel)):
        return any(map(_has_default_inside, get_args(annotation)))
    return any(
        info.default_factory is not None
        or not (info.is_required() or info.default is None)
        or _has_default_inside(info.annotation)
        for info in annotation.model_fields.values()
    )
