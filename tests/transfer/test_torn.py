"""What a row of another width is told to be."""

from __future__ import annotations

import pytest

from runtime.transfer.rows.torn import separator_hint, width_hint

SEMICOLON = "; the cells have a semicolon between them: send it as fieldSeparator (%3B in a URL)"


@pytest.mark.parametrize(
    ("cells", "expected", "hint"),
    [
        (["a;b;c"], 3, SEMICOLON),
        (["a\tb"], 2, "; the cells have a tab between them: send it as fieldSeparator (%09 in a URL)"),
        (["a|b"], 2, "; the cells have a bar between them: send it as fieldSeparator (%7C in a URL)"),
        (["a,b"], 2, "; the cells have a comma between them: send it as fieldSeparator (%2C in a URL)"),
        (["a;b"], 3, ""),
        (["a", "b;c"], 3, ""),
        (["a", "b", ""], 2, "; the row ends with separators behind its last cell: leave them out"),
        (["a", "b", "", ""], 2, "; the row ends with separators behind its last cell: leave them out"),
        (["a", "b", "c"], 2, ""),
        (["a"], 2, ""),
        ([";" * 20_000], 20_001, ""),
    ],
)
def test_a_row_of_another_width(cells: list[str], expected: int, hint: str) -> None:
    assert width_hint(cells, expected) == hint


def test_a_header_of_one_column() -> None:
    assert separator_hint(["REF;NAME"]) == SEMICOLON
    assert separator_hint(["REF"]) == ""
    assert separator_hint(["REF", "A;B"]) == ""
