"""Wildcards → a regular expression of linear cost.

``a*b*c`` becomes ``^a(?>.*?b)(?=.{1})(?>.*)(?<=c)``: every part between two stars is found once, at
its first place, and never looked for again (an atomic group); the last part is looked for at the end
only, where enough characters are left for it. The leading literal stays bare, so that MongoDB can walk
an index on it. The end is written ``(?!.)``, which PCRE and Python read alike under the flag ``s``.

Where case does not matter each letter is written in all its cases, ``[Aa]``: what the flag ``i`` means
depends on the engine and on the Unicode of its year, and the store and this process have to agree.

In this process a part between two stars would be tried at each place of a text. Where that is many steps,
the pattern is read back and decided by sets of positions (``runtime/fast/wildcards.py``).
"""

import re
from collections import defaultdict
from collections.abc import Collection
from functools import cache, lru_cache
from typing import Final, TypeAlias

from bson.regex import Regex

from runtime.fast.wildcards import LONGEST_PART, Part, Shape, fits

Pattern: TypeAlias = Regex[str]

_FLAGS = "s"
_END = "(?!.)"
_FOR_MONGODB = re.compile(r"\\[px]\{")  # braces of literals have a backslash of their own
_CASED = range(0x1F000)  # no letter beyond has cases
_LAST = 0x10FFFF

_MOST_STEPS: Final = 2**14
"""Characters of the pattern times those of the text that the expression may cost: some 60 µs."""

_SIGN = r"(?:\\x00|\\[^x]|\[[^\[\]]+\]|[^\\\[\](){}^$*+?|])"
_SHAPE: Final = re.compile(
    rf"\^({_SIGN}*)((?:\(\?>\.\*\?{_SIGN}+\))+)(?:\(\?=\.\{{\d+\}}\)\(\?>\.\*\)\(\?<=({_SIGN}+)\))?",
    re.DOTALL,
)
_MIDDLE: Final = re.compile(rf"\(\?>\.\*\?({_SIGN}+)\)", re.DOTALL)
_SIGNS: Final = re.compile(_SIGN, re.DOTALL)


def wildcard_pattern(
    text: str, *, ignore_case: bool = False, wild: Collection[int] | None = None
) -> Regex[str]:
    """Compile wildcards to an anchored pattern: ``*`` is any run, ``?`` one character, all else itself.

    ``wild``: where the wildcards are, if not every such sign is one.
    """
    first, *rest = _parts(text, wild)
    pattern = "^" + _part(first, ignore_case)
    if not rest:
        return Regex(pattern + _END, _FLAGS)
    *middle, last = rest
    pattern += "".join(f"(?>.*?{_part(part, ignore_case)})" for part in middle)
    if last != [""]:
        length = sum(map(len, last)) + len(last) - 1
        pattern += f"(?=.{{{length}}})(?>.*)(?<={_part(last, ignore_case)})"
    return Regex(pattern, _FLAGS)


def exact_pattern(text: str, *, ignore_case: bool = False) -> Regex[str]:
    """Match the text itself, anchored at both ends."""
    return Regex(f"^{_literal(text, ignore_case)}{_END}", _FLAGS)


def prefix_pattern(text: str) -> Regex[str]:
    """Match texts with a word that begins so, in any case. For MongoDB alone, which knows all letters."""
    return Regex(rf"(?<![\p{{L}}\p{{N}}]){_literal(text, ignore_case=True)}", _FLAGS)


def range_pattern(operator: str, text: str) -> Regex[str]:
    """Match the texts before or behind one, by code points; ``operator`` as in ``{"$lt": text}``.

    For MongoDB alone. ``$gt`` of ``ab`` is ``^(?:[b-…]|a(?:[c-…]|b(?:.)))``: as many groups as characters.
    """
    pattern = {"$lt": "(?!)", "$lte": _END, "$gt": ".", "$gte": ""}[operator]
    further = _before if operator.startswith("$lt") else _behind
    for character in reversed(text):
        pattern = f"{further(ord(character))}{_literal(character, ignore_case=False)}(?:{pattern})"
    return Regex(f"^(?:{pattern})", _FLAGS)


def _before(point: int) -> str:
    """Write what precedes a character: the end of the text, or another one; then a bar."""
    return f"{_END}|[\\x{{0}}-\\x{{{_off_halves(point - 1, 0xD7FF):x}}}]|" if point else f"{_END}|"


def _behind(point: int) -> str:
    return f"[\\x{{{_off_halves(point + 1, 0xE000):x}}}-\\x{{{_LAST:x}}}]|" if point < _LAST else ""


def _off_halves(point: int, instead: int) -> int:
    """Return a code point of which there are texts: halves of characters have none of their own."""
    return instead if 0xD800 <= point <= 0xDFFF else point


def is_for_mongodb(pattern: Regex[str]) -> bool:
    """Whether a pattern of this module is for MongoDB alone."""
    return _FOR_MONGODB.search(pattern.pattern) is not None


def is_found(pattern: Regex[str], text: str) -> bool:
    """Whether a pattern of this module fits a text: here and in MongoDB alike."""
    if len(text) * len(pattern.pattern) > _MOST_STEPS:
        shape = _read_shape(pattern.pattern)
        if shape is not None:
            return fits(shape, text)
    return _compiled(pattern.pattern, pattern.flags).search(text) is not None


_compiled = lru_cache(maxsize=1024)(re.compile)


@lru_cache(maxsize=1024)
def _read_shape(pattern: str) -> Shape | None:
    """Read back what a pattern was written for; None for one that the expression decides in linear time."""
    found = _SHAPE.fullmatch(pattern)
    if found is None:
        return None
    head, middle, tail = found.groups("")
    parts = tuple(_read_part(part) for part in _MIDDLE.findall(middle))
    if max(map(len, parts)) > LONGEST_PART:
        return None
    return Shape(_read_part(head), parts, _read_part(tail))


def _read_part(written: str) -> Part:
    signs = tuple(map(_read_sign, _SIGNS.findall(written)))
    return "".join(signs) if all(len(letters) == 1 for letters in signs) else signs


def _read_sign(sign: str) -> str:
    if sign == ".":
        return ""
    if sign == r"\x00":
        return "\0"
    return sign[1:-1] if sign[0] == "[" else sign[-1]


def _parts(text: str, wild: Collection[int] | None) -> list[list[str]]:
    """Split at runs of stars, and each part at question marks."""
    if wild is None:
        return [part.split("?") for part in re.split(r"\*+", text)]
    parts = [[""]]
    for at, sign in enumerate(text):
        if at not in wild:
            parts[-1][-1] += sign
        elif sign == "?":
            parts[-1].append("")
        elif len(parts) == 1 or parts[-1] != [""]:
            parts.append([""])
    return parts


def _part(pieces: list[str], ignore_case: bool) -> str:
    return ".".join(_literal(piece, ignore_case) for piece in pieces)


def _literal(text: str, ignore_case: bool) -> str:
    if ignore_case:
        return "".join(map(_any_case, text))
    return re.escape(text).replace("\0", r"\x00")


def _any_case(character: str) -> str:
    cases = _letters().get(character.casefold(), "")
    return f"[{cases}]" if character in cases else _literal(character, ignore_case=False)


@cache
def _letters() -> dict[str, str]:
    """Map what letters fold to, to the letters that differ in case alone."""
    alike: defaultdict[str, set[str]] = defaultdict(set)
    for character in map(chr, _CASED):
        folded = character.casefold()
        if folded != character:
            alike[folded] |= {character, folded} if len(folded) == 1 else {character}
    return {folded: "".join(sorted(cases)) for folded, cases in alike.items() if len(cases) > 1}
