"""What earlier runs found out, by the content it depends on. A run without it does the same, slower."""

from generator.cache.sources import is_believed
from generator.cache.stamps import ALWAYS, Stamp
from generator.cache.texts import TextCache, hash_parts, open_known_specs

__all__ = ["ALWAYS", "Stamp", "TextCache", "hash_parts", "is_believed", "open_known_specs"]
