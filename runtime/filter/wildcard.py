"""Wildcards → a regular expression of linear cost (decisions §2).

``a*b*c`` becomes ``^a(?>.*?b)(?=.{1})(?>.*)(?<=c)``: every part between two stars is found once, at
its first place, and never looked for again (an atomic group); the last part is looked for at the end
only, where enough characters are left for it. The leading literal stays bare, so that MongoDB can walk
an index on it. The end is written ``(?!.)``, which PCRE and Python read alike under the flag ``s``.
"""

from __future__ import annotations

import re

FLAGS = "s"
FLAGS_IGNORE_CASE = "is"

_END = "(?!.)"


def wildcard_pattern(text: str) -> str:
    """``*`` any run, ``?`` one character, everything else itself; anchored at both ends."""
    first, *rest = re.split(r"\*+", text)
    pattern = "^" + _part(first)
    if not rest:
        return pattern + _END
    *middle, last = rest
    pattern += "".join(f"(?>.*?{_part(part)})" for part in middle)
    return f"{pattern}(?=.{{{len(last)}}})(?>.*)(?<={_part(last)})" if last else pattern


def exact_pattern(text: str) -> str:
    """The text itself, anchored at both ends: for equality that ignores case."""
    return f"^{_literal(text)}{_END}"


def _part(text: str) -> str:
    return ".".join(map(_literal, text.split("?")))


def _literal(text: str) -> str:
    return re.escape(text).replace("\0", r"\x00")
