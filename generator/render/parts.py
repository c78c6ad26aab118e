"""Modules, each with what it depends on: only those that are not known from an earlier run are rendered."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from generator.cache import TextCache, hash_parts
from generator.render.formatting import format_aside


@dataclass(frozen=True, slots=True)
class Part:
    """A module. ``key``: the hash of all that ``render`` reads; None where that is most of the model."""

    path: str
    render: Callable[[], str]
    key: str | None = None


@contextmanager
def write_parts(
    parts: Iterable[Part], first_party: set[str], cache: TextCache
) -> Iterator[Callable[[], dict[str, str]]]:
    """Render the modules, and yield what waits until they are formatted: path → text.

    What a cache knows is neither rendered nor formatted.
    """
    texts: dict[str, str] = {}
    raw: dict[str, str] = {}
    keys: dict[str, str] = {}
    for part in parts:
        text = part.render() if part.key is None else None
        key = keys[part.path] = hash_parts(part.path, part.key or text, sorted(first_party))
        found = cache.find(key)
        if found is None:
            raw[part.path] = part.render() if text is None else text
        texts[part.path] = found or ""
    with format_aside(raw, first_party) as format_raw:

        def finish() -> dict[str, str]:
            texts.update(format_raw())
            for path in raw:
                cache.store(keys[path], texts[path])
            return texts

        yield finish
