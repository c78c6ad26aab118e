"""The regular expressions that read the rows of a dialect, and how rows become cells. Pure."""

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from io import StringIO


@dataclass(frozen=True, slots=True)
class Grammar:
    """The regular expressions of a dialect; none of them ever backtracks.

    ``rows`` matches as many whole rows as there are, ``begun`` what may be the beginning of one, ``quoted`` a
    cell in quotes, ``cells`` the whole cells that a row begins with, each with its separator.
    """

    separator: str
    quote: str
    rows: re.Pattern[str]
    begun: re.Pattern[str]
    quoted: re.Pattern[str]
    cells: re.Pattern[str]

    def read_cells(self, text: str) -> str:
        """Return the whole cells that a row begins with."""
        found = self.cells.match(text)
        return found[0] if found else ""


@lru_cache(maxsize=64)
def build_grammar(separator: str, quote: str) -> Grammar:
    """Compile the expressions of a dialect, once."""
    s, q = re.escape(separator), re.escape(quote)
    plain = f"[^{s}{q}\r\n]*+"
    opened = f"{q}[^{q}]*+(?>(?:{q}{q}[^{q}]*+)*)"
    cell = f"(?:{opened}{q}|{plain})"
    row = f"{cell}(?>(?:{s}{cell})*)(?:\r\n?+|\n)"  # (?>…): see tests/house/test_patterns.py
    return Grammar(
        separator=separator,
        quote=quote,
        rows=re.compile(f"(?>(?:{row})*)"),
        begun=re.compile(f"(?>(?:{cell}{s})*)(?:{opened}{q}?+|{plain})"),
        quoted=re.compile(f"{opened}{q}"),
        cells=re.compile(f"(?>(?:{cell}{s})*)"),
    )


def split_rows(grammar: Grammar, text: str) -> Iterator[list[str]]:
    """Yield the cells of each row of a text that is known to be well formed; a blank line has none."""
    lines = StringIO(text, newline="")
    return csv.reader(lines, delimiter=grammar.separator, quotechar=grammar.quote, strict=True)
