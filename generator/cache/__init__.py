"""What earlier runs found out, by the content it depends on. A run without it does the same, slower."""

from generator.cache.known_specs import is_believed, open_known_specs
from generator.cache.sources import Sources
from generator.cache.stamps import ALWAYS, Stamp
from generator.cache.texts import TextCache, hash_parts

__all__ = ["ALWAYS", "Sources", "Stamp", "TextCache", "hash_parts", "is_believed", "open_known_specs"]
