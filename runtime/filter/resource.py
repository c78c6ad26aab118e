"""The records a permission rule names in ``resourceId``: a pattern of their id or refName."""

import re
from functools import lru_cache
from typing import Any, Final

from bson import ObjectId

from runtime.errors import FilterType
from runtime.filter.conditions import MAX_WILDCARD
from runtime.filter.predicate import EVERYTHING, Predicate
from runtime.filter.wildcard import exact_pattern, wildcard_pattern

_ID: Final = re.compile(r"[0-9a-f]{24}")
_SIGNS_OF_IDS: Final = re.compile(r"[0-9a-f?*]*")
_ID_LENGTH: Final = 24
_HALF: Final = re.compile("[\ud800-\udfff]")


@lru_cache(maxsize=1024)
def named(pattern: str) -> Predicate:
    """Match records by id or refName, without case; ``*`` any run, ``?`` one character.

    Raises ``FilterType`` for a text that no store could search for: too long, or half a character.
    """
    if pattern and not pattern.strip("*"):
        return EVERYTHING
    if len(pattern) > MAX_WILDCARD or _HALF.search(pattern):
        message = f"a resourceId is text of at most {MAX_WILDCARD} characters"
        raise FilterType(message, field="resourceId", value=pattern[:100])
    is_wild = "*" in pattern or "?" in pattern
    spell = wildcard_pattern if is_wild else exact_pattern
    by_name = {"refName": {"$regex": spell(pattern, ignore_case=True)}}
    by_id = _by_id(pattern.lower())
    return Predicate({"$or": [by_name, by_id]} if by_id else by_name)


def _by_id(pattern: str) -> dict[str, Any] | None:
    """Match ids as lower-case hexadecimal text; None for a pattern that no id matches."""
    if _ID.fullmatch(pattern):
        return {"_id": ObjectId(pattern)}
    signs = len(pattern.replace("*", ""))
    fits = signs <= _ID_LENGTH if "*" in pattern else signs == _ID_LENGTH
    if not fits or not _SIGNS_OF_IDS.fullmatch(pattern):
        return None
    found = {"input": {"$toString": "$_id"}, "regex": wildcard_pattern(pattern)}
    return {"$expr": {"$regexMatch": found}}
