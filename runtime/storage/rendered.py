"""Documents as the store encodes them → JSON; what was rendered before is not read again.

Records that are embedded in others are few and come again and again. What a document is as JSON follows from
its bytes alone, so these are the key: a document that was written since has others, and so has one of which
another caller sees less. The plain way is ``wire.render_fragment``.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

import bson
from bson.raw_bson import RawBSONDocument

from runtime.storage.wire import Fragment, render_fragment

_MOST_BYTES: Final = 1024
"""Of a document whose JSON is kept: 4,096 of them and their JSON are at most some 10 MB of a worker."""
_MOST_KEPT: Final = 4096


def render_encoded(document: RawBSONDocument, *, omits_id: bool = False) -> tuple[bytes, Fragment]:
    """Render a document as a part of others; also return the bytes of its id."""
    raw = bytes(document.raw)
    return _render_kept(raw, omits_id) if len(raw) <= _MOST_BYTES else _render(raw, omits_id)


def _render(raw: bytes, omits_id: bool) -> tuple[bytes, Fragment]:
    document: Mapping[str, Any] = bson.decode(raw)
    return document["_id"].binary, render_fragment(dict(document), omits_id=omits_id)


_render_kept = lru_cache(maxsize=_MOST_KEPT)(_render)
