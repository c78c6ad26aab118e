"""``openapi.json``: only the parts whose specifications differ from those of the last run are described.

The others are read out of the document that this run wrote, if it is still there as it was; the cache has
where each piece of it is. What that costs is two hashes of the document.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

import orjson

from generator import openapi
from generator.aside import may_run_aside, run_aside
from generator.cache import TextCache, hash_parts
from generator.model import Model, Record
from generator.openapi import Describer, Part, render_head, render_pieces
from generator.output import hash_content
from generator.pieces import Pieces, join_pieces, list_rows, read_rows

_MANY: Final = 100
"""Record types that are described faster by a second process."""


@dataclass(frozen=True, slots=True)
class _Last:
    """The document that the last run wrote; ``rows``: where the pieces of its parts are, by their keys."""

    content: bytes
    rows: Mapping[str, Any]

    @classmethod
    def read(cls, file: Path | None, cache: TextCache) -> _Last:
        """Read the document; one that was changed by hand, or is not there, has no known pieces."""
        try:
            content = file.read_bytes() if file else b""
        except OSError:
            content = b""
        found = cache.read(_name(content))
        return cls(content, {} if found is None else orjson.loads(found))

    def find(self, key: str, describe: Callable[[], Part]) -> Pieces:
        """Return the pieces of a part: as they were, or described."""
        rows = self.rows.get(key)
        return render_pieces(describe()) if rows is None else read_rows(rows, self.content)


@contextmanager
def begin_document(
    describer: Describer, cache: TextCache, file: Path | None
) -> Iterator[Callable[[], bytes]]:
    """Yield what waits for the document: in a second process, where all of a large one is described."""
    render = partial(render_document, describer, cache, file)
    is_large = not cache.is_lasting and len(describer.model.records) >= _MANY
    with run_aside(render) if is_large and may_run_aside() else nullcontext(render) as finish:
        yield finish


def render_document(describer: Describer, cache: TextCache, file: Path | None) -> bytes:
    """Render the document of a model; ``file``: where the last one is."""
    model = describer.model
    if not cache.is_lasting:
        return openapi.render_document(model, describer)
    last, shared, around = _Last.read(file, cache), _hash_shared(model), _hash_around(model)
    parts = {shared: last.find(shared, lambda: describer.shared)}
    for record in model.records:
        key = hash_parts(around, model.digests.get(record.name) or _describe(record))
        parts[key] = last.find(key, partial(describer.describe_record, record))
    security = last.rows.get("security", {}).get(shared) or describer.protection.usual
    found = join_pieces(render_head(model, security), parts.values())
    rows = {key: list_rows(part, found.spans) for key, part in parts.items()}
    cache.store(_name(found.content), orjson.dumps({**rows, "security": {shared: security}}).decode())
    return found.content


def _describe(record: Record) -> tuple[Record, list[str]]:
    """Return what the description of a record depends on: not the record that it extends."""
    return replace(record, operations=(), extends=None), [row.key for row in record.operations]


def _hash_around(model: Model) -> str:
    """Hash what the description of every record type depends on."""
    areas = {one.area for one in model.records}
    return hash_parts("around", model.structures, model.graphs, model.endpoints, areas)


def _hash_shared(model: Model) -> str:
    """Hash what the part depends on that is not of one record type."""
    operations = {row.key for record in model.records for row in record.operations}
    return hash_parts("shared", _hash_around(model), model.tools, operations)


def _name(content: bytes) -> str:
    """Name what is stored of a document, so that the next run finds it if it still has this one."""
    return f"document {hash_content(content)}"
