"""From the store to the wire: stored documents → JSON bytes, without building models.

The way back is ``runtime.storage.codec``. On the wire: ``id`` in place of ``_id``, object ids and decimals as
text, ``2026-03-27T04:12:14.118Z``. Absent and null fields are left out on both sides.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from functools import lru_cache
from hashlib import sha256
from typing import Any, Final, Generic, NamedTuple, TypeAlias, TypeVar, cast

import bson
import orjson
from bson import Decimal128, ObjectId
from bson.raw_bson import RawBSONDocument

from runtime.fast.decimals import format_decimal
from runtime.fast.timestamps import format_timestamp_json
from runtime.model.attribute_names import as_sent
from runtime.model.record_type import RecordType

T_co = TypeVar("T_co", covariant=True)
Document = dict[str, Any]
DocumentT = TypeVar("DocumentT", bound=Mapping[str, Any])


@dataclass(frozen=True, slots=True)
class Json(Generic[T_co]):
    """An answer as JSON bytes; ``T_co`` is what the bytes say, for the document and the type-checker.

    ``is_secret``: it is given once, and not stored for an idempotency key.
    """

    body: bytes
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    is_secret: bool = False


def create_id() -> ObjectId:
    """Create a fresh record id, as the store holds it."""
    return ObjectId()


def derive_id(*parts: str) -> ObjectId:
    """Return the id of what is named by its parts alone, so that there cannot be two of it."""
    return ObjectId(sha256("\0".join(parts).encode()).digest()[:12])


def is_id(value: Any) -> bool:
    """Return whether a stored value is an id."""
    return type(value) is ObjectId


def parse_id(hex_text: str) -> ObjectId:
    """Parse an id that the service knows already: 24 hexadecimal digits."""
    return ObjectId(hex_text)


def to_json(value: Any) -> bytes:
    """Render any answer as JSON, with stored values written as on the wire."""
    return orjson.dumps(value, default=_prepare_value, option=orjson.OPT_PASSTHROUGH_DATETIME)


def _prepare_value(value: Any) -> Any:
    """Convert a stored value to what JSON has. Rows are full of ids, so those come first."""
    kind = type(value)
    return value.binary.hex() if kind is ObjectId else _WRITERS[kind](value)


def plain_text(value: Any) -> str | None:
    """Return the text of a value on the wire; of an object or a list it is JSON, of nothing None."""
    if value is None or isinstance(value, str):
        return value
    text: str = to_json(value).decode()
    return str(orjson.loads(text)) if text.startswith('"') else text


def read_back(value: Any) -> Any:
    """Return a stored value as parsed JSON; most are single ones, which need neither writing nor reading."""
    if type(value) in _AS_THEY_ARE:
        return value
    return format_decimal(value) if type(value) is Decimal128 else orjson.loads(to_json(value))


_AS_THEY_ARE: Final = frozenset({str, int, float, bool})


def to_wire(document: Document) -> Document:
    """Convert a stored document to what a caller sees: ``id`` first, in place of ``_id``, if it has one."""
    if "_id" not in document:
        return dict(as_sent(document))
    shown = {"id": document["_id"], **as_sent(document)}
    del shown["_id"]
    return shown


def record_json(
    kind: RecordType[T_co],
    document: Document,
    *,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
) -> Json[T_co]:
    """Render one record, with its ``ETag``."""
    tag = {"ETag": etag(document)} if "version" in document else {}
    return Json(to_json(to_wire(document)), status, {**tag, **(headers or {})})


def without(document: DocumentT, paths: Collection[str]) -> DocumentT:
    """Return a copy without the fields at these dotted paths; everything else is shared, not copied."""
    shown: Any = dict(document)
    for path in paths:
        name, _, rest = path.partition(".")
        if not rest:
            shown.pop(name, None)
        elif isinstance(shown.get(name), dict):
            shown[name] = without(shown[name], (rest,))
        elif isinstance(shown.get(name), list):
            shown[name] = [without(item, (rest,)) if isinstance(item, dict) else item for item in shown[name]]
    return cast(DocumentT, shown)


def put_back(document: Document, stored: Document, paths: Collection[str]) -> Document:
    """Return a copy in which the fields at these dotted paths are those of ``stored``, absent ones absent.

    A path through a list puts the whole list back: its items have no stable name.
    """
    whole = dict(document)
    for path in paths:
        name, _, rest = path.partition(".")
        old, new = stored.get(name), whole.get(name)
        if rest and not isinstance(old, list) and not isinstance(new, list):
            inner = put_back(_object(new), _object(old), (rest,))
            value = inner if inner or new is not None else None
        else:
            value = old
        if value is None:
            whole.pop(name, None)
        else:
            whole[name] = value
    return whole


def _object(value: Any) -> Document:
    return value if isinstance(value, dict) else {}


def etag(document: Mapping[str, Any]) -> str:
    """Return the entity tag of a stored record: its version."""
    return f'"{document["version"]}"'


def names_tag(header: str, tag: str) -> bool:
    """Whether ``If-None-Match`` names this entity tag: compared weakly (RFC 9110 §13.1.2)."""
    tags = {entry.strip().removeprefix("W/") for entry in header.split(",")}
    return "*" in tags or tag in tags


_WRITERS: Mapping[type, Callable[[Any], Any]] = {
    datetime: lambda value: orjson.Fragment(format_timestamp_json(value)),
    Decimal128: format_decimal,
    date: date.isoformat,
    Decimal: lambda value: f"{value:f}",
    set: sorted,
    frozenset: sorted,
}


ListText: TypeAlias = orjson.Fragment
"""The rows of a list that are JSON already."""


class Fragment(NamedTuple):
    """A part of an answer that is JSON already. ``size`` in bytes."""

    json: orjson.Fragment
    size: int


def render_fragment(document: Document, *, omits_id: bool = False) -> Fragment:
    """Render a stored document as a part of other documents."""
    body = _without_room(to_json(to_wire(without(document, ("_id",)) if omits_id else document)))
    return Fragment(orjson.Fragment(body), len(body))


def render_encoded(document: RawBSONDocument, *, omits_id: bool = False) -> tuple[bytes, Fragment]:
    """Render a document as a part of others; also return the bytes of its id.

    Documents that are embedded in others are few and come again and again. What one is as JSON follows from
    its bytes alone, so these are the key: a document that was written since has others, and so has one of
    which another caller sees less.
    """
    raw = bytes(document.raw)
    return _render_kept(raw, omits_id) if len(raw) <= _MOST_BYTES_KEPT else _render(raw, omits_id)


def _render(raw: bytes, omits_id: bool) -> tuple[bytes, Fragment]:
    document = bson.decode(raw)
    return document["_id"].binary, render_fragment(document, omits_id=omits_id)


_render_kept = lru_cache(maxsize=4096)(_render)

_MOST_BYTES_KEPT: Final = 1024
"""Of a document whose JSON is cached: with it 4,096 of them are at most some 10 MB of a worker."""


def render_rows(documents: Iterable[Document]) -> list[Document]:
    """Convert stored documents to the rows of a list."""
    return [to_wire(document) for document in documents]


def render_list(documents: Iterable[Document]) -> ListText:
    """Render stored documents as the rows of a list, to be put into answers."""
    return orjson.Fragment(_without_room(to_json(render_rows(documents))))


def _without_room(text: bytes) -> bytes:
    """Copy what orjson wrote: it leaves room behind a text, 3 KB of a short one, while the text is there."""
    return bytes(memoryview(text))
