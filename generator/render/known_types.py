"""The annotations of an earlier run, where the types of the model are the same: most edits add none."""

from dataclasses import dataclass

import orjson

from generator.cache import TextCache, hash_parts
from generator.pydantic_models import Schema, Written, write_types

_NAME = "types"


@dataclass(frozen=True, slots=True)
class KnownTypes:
    """What the last run wrote, with the hash of what it was written for."""

    cache: TextCache
    text: str | None

    @classmethod
    def read(cls, cache: TextCache) -> "KnownTypes":
        """Read it, so that it is kept for the next run even where this one needs no types."""
        return cls(cache, cache.find(_NAME))

    def write(self, schemas: list[Schema]) -> Written:
        """Return the annotations of these types; run the library if the last run had others."""
        key = hash_parts(schemas)
        if self.text is not None:
            known, texts, modules = orjson.loads(self.text)
            if known == key:
                return texts, modules
        written = write_types(schemas)
        self.cache.store(_NAME, orjson.dumps([key, *written]).decode())
        return written
