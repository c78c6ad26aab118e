"""Regular expressions that mean the same in every Python that the service supports."""

from __future__ import annotations

import re
from pathlib import Path

from tests.house.test_sizes import SOURCES
from tests.house.trees import ROOT, name_of, read_text
from tests.rows import for_each_row

GROUP = re.compile(r"(?<!\\)\)[*+?]\+")
"""A possessive repetition of a group. One that failed half way is kept before Python 3.11.5: ``(?:ab)*+`` matches
``aba`` as a whole, and a CSV file lost rows. ``(?>(?:ab)*)`` is the same and right everywhere."""

GRAMMARS = sorted((ROOT / "runtime").rglob("*.lark"))
PLAIN = "()*+,;="
"""The characters of RFC 3986, which are not a pattern."""


@for_each_row("file", {name_of(file): file for file in (*SOURCES, *GRAMMARS)})
def test_no_group_is_repeated_possessively(file: Path) -> None:
    assert not GROUP.search(read_text(file).replace(PLAIN, ""))
