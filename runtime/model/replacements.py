"""Replacements by regular expressions: the pattern, compiled by RE2, and what replaces its matches. Pure."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final

from runtime.linear_patterns import compile_pattern

MOST_PATTERN_CHARACTERS: Final = 1000

_GROUP = re.compile(r"\\\\|\$\$|[\\$](\d)")


class BadReplacement(ValueError):
    """A replacement that names a group which the pattern does not have."""


@lru_cache(maxsize=256)
def parse_replacement(pattern: str, text: str | None = None) -> tuple[Any, tuple[bytes | int, ...]]:
    """Return the compiled pattern, and the replacement as text and numbers of groups.

    Raises ``ValueError`` with what is wrong with the pattern, ``BadReplacement`` with what the replacement
    names.
    """
    if len(pattern) > MOST_PATTERN_CHARACTERS:
        raise ValueError(f"has more than {MOST_PATTERN_CHARACTERS} characters")
    try:
        compiled = compile_pattern(pattern)
    except ValueError as error:
        raise ValueError(f"cannot be used: {error}; look-around and back-references do not exist") from None
    parts = tuple(_split(text or ""))
    missing = [one for one in parts if isinstance(one, int) and one > compiled.groups]
    if missing:
        raise BadReplacement(f"has no group {missing[0]}, which the replacement names")
    return compiled, parts


def _split(text: str) -> Iterator[bytes | int]:
    at = 0
    for found in _GROUP.finditer(text):
        yield text[at : found.start()].encode()
        yield int(found[1]) if found[1] else found[0][:1].encode()
        at = found.end()
    yield text[at:].encode()
