"""Did you mean …?"""

from __future__ import annotations

from collections.abc import Iterable

from rapidfuzz import process


def nearest(name: str, known: Iterable[str]) -> list[str]:
    """At most three known names that look like ``name``, best first."""
    found = process.extract(name[:200], sorted(known), limit=3, score_cutoff=70)
    return [candidate for candidate, _score, _index in found]


def hint(name: str, known: Iterable[str]) -> str:
    """``; did you mean refName?``, or nothing when no known name is near."""
    near = nearest(name, known)
    return f"; did you mean {' or '.join(near)}?" if near else ""
