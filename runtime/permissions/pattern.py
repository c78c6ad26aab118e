"""Wildcards over one member of a rule: ``*`` any run, ``?`` one character, without case.

An automaton kept in the bits of one number: bit n says that n signs of the pattern are read. One step a
character whatever the pattern, and the end at the first that fits nowhere: no text and no pattern costs
more than its length. Both sides are casefolded.
"""

import re
from functools import cached_property
from typing import Final

_WILD: Final = re.compile(r"[*?]")


class Wildcard:
    """A pattern ready to match; its automaton is made when a text first comes near."""

    def __init__(self, pattern: str) -> None:
        self._signs = pattern.casefold()
        self._needle = max(_WILD.split(self._signs), key=len)

    def matches(self, folded: str) -> bool:
        """Whether a text, casefolded already, matches as a whole."""
        if self._needle not in folded:
            return False
        loops, reads, any_sign, end = self._automaton
        state = 1
        for character in folded:
            state = (state & loops) | (state & reads.get(character, any_sign)) << 1
            if not state:
                return False
        return state & end != 0

    @cached_property
    def _automaton(self) -> tuple[int, dict[str, int], int, int]:
        """Where a star stands, which signs a character reads, those that any reads, and the end."""
        loops, any_sign, length = 0, 0, 0
        signs: dict[str, int] = {}
        for sign in self._signs:
            bit = 1 << length
            if sign == "*":
                loops |= bit
                continue
            if sign == "?":
                any_sign |= bit
            else:
                signs[sign] = signs.get(sign, 0) | bit
            length += 1
        return loops, {sign: bits | any_sign for sign, bits in signs.items()}, any_sign, 1 << length


def has_wildcards(pattern: str) -> bool:
    """Whether it stands for more than itself."""
    return _WILD.search(pattern) is not None


def is_any(pattern: str) -> bool:
    """Whether it matches everything, the absent included: stars alone."""
    return pattern != "" and not pattern.strip("*")


def matches_name(pattern: str, name: str) -> bool:
    """Return whether a pattern matches a name as a whole, in any case."""
    return Wildcard(pattern).matches(name.casefold())
