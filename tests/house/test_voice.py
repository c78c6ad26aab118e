"""Plain technical English: words that the code and its pages do not use, since another one says it better."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WORDS = re.compile(
    r"\b(are none|told|tells of|speaks of|anew|whoever|held against|hangs on|as singly|mend(s|ed)?|rehearsal|"
    r"stands in|lies in|beside|look-ups?|log-ins?|comma list|spec [123] §|decisions §|spec §)\b",
    re.IGNORECASE,
)
ON_THE_WIRE = {"runtime/cli/references.py": ("mended",)}
"""Members that scripts read."""

FOLDERS = ("runtime", "generator", "specs", "README.md")
TEXTS = (".py", ".md", ".yaml", ".jinja")


def found_in(text: str, allowed: tuple[str, ...] = ()) -> list[str]:
    """``line: word`` of each word that has a better one."""
    return [
        f"{number}: {match[0]}"
        for number, line in enumerate(text.splitlines(), 1)
        for match in WORDS.finditer(line)
        if not any(word in line for word in allowed)
    ]


def test_no_text_uses_a_word_that_has_a_better_one() -> None:
    listed = subprocess.run(
        ["git", "ls-files", *FOLDERS], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.split()
    paths = [name for name in listed if name.endswith(TEXTS)]
    assert len(paths) > 400
    found = {
        name: words
        for name in paths
        if (words := found_in((ROOT / name).read_text("utf-8"), ON_THE_WIRE.get(name, ())))
    }
    assert found == {}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("They are told.", ["1: told"]),
        ("One.\nWhoever asks, mends.", ["2: Whoever", "2: mends"]),
        ("A lookup beside another", ["1: beside"]),
        ("Returned, besides, and recommended", []),
        ("See decisions §3", ["1: decisions §"]),
    ],
)
def test_the_words_are_found(text: str, words: list[str]) -> None:
    assert found_in(text) == words
