"""The annotations that the library wrote in this run or an earlier one: most edits add no type."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import orjson

from generator.cache import TextCache

Schema = dict[str, Any]

_NAME = "types"


@dataclass(frozen=True, slots=True)
class KnownTypes:
    """Annotations by the text of their schema, and the modules of the names in them."""

    cache: TextCache = field(default_factory=TextCache)
    texts: dict[str, str] = field(default_factory=dict)
    modules: dict[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, cache: TextCache) -> KnownTypes:
        """Read those of earlier runs, so that they are stored again even where this one needs no types."""
        found = cache.find(_NAME)
        return cls(cache) if found is None else cls(cache, *orjson.loads(found))

    def find(self, schema: Schema) -> str | None:
        return self.texts.get(repr(schema))

    def write(self, schema: Schema, schemas: Iterable[Schema]) -> str:
        """Return the annotation of one of ``schemas``, all of which the library writes.

        What no type of the model needs any more is forgotten.
        """
        from generator.type_library import write_types

        schemas = list(schemas)
        texts, modules = write_types(schemas)
        self.texts.clear()
        self.texts.update(zip(map(repr, schemas), texts, strict=True))
        self.modules.clear()
        self.modules.update(modules)
        self.cache.store(_NAME, orjson.dumps([self.texts, self.modules]).decode())
        return self.texts[repr(schema)]
