"""The start of a diff of two texts, in a time that does not grow with the square of their length."""

import difflib
from itertools import takewhile

_MOST_LINES = 20
_WINDOW = 100
_MOST_LETTERS = 300


def excerpt_diff(path: str, found: str, wanted: str) -> str:
    """Return the start of a unified diff, because a diff of a whole document takes minutes."""
    ours, theirs = found.splitlines(), wanted.splitlines()
    same = takewhile(lambda pair: pair[0] == pair[1], zip(ours, theirs, strict=False))
    start = max(0, sum(1 for _pair in same) - 1)
    end, place = start + _WINDOW, f"{path}:{start + 1}"
    lines = difflib.unified_diff(
        *_cut_where_both_go_on(ours[start:end], theirs[start:end], min(len(ours), len(theirs)) > end),
        f"{place} (found)",
        f"{place} (wanted)",
        n=1,
        lineterm="",
    )
    return "\n".join(line[:_MOST_LETTERS] for _count, line in zip(range(_MOST_LINES), lines, strict=False))


def _cut_where_both_go_on(ours: list[str], theirs: list[str], has_more: bool) -> tuple[list[str], list[str]]:
    """Leave out what follows the last common lines of two windows: it may come later in the other text."""
    last = difflib.SequenceMatcher(None, ours, theirs).get_matching_blocks()[-2:]
    end_ours, end_theirs = last[0].a + last[0].size, last[0].b + last[0].size
    if not has_more or ours[:end_ours] == theirs[:end_theirs]:
        return ours, theirs
    return ours[:end_ours], theirs[:end_theirs]
