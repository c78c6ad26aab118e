"""The beginning of a row that is too long to be read again whenever more of it arrives. Pure.

One regular expression over some megabytes, or one call of the csv module, holds all threads for tenths of a
second. So what is certain of such a row is taken off its beginning: its whole cells, and what has come of
the cell after them. A cell that goes on in quotes is given a quote to go on with.
"""

from collections.abc import Sequence

from runtime.transfer.csv.grammar import Grammar, split_rows


class LongRow:
    """The part of a row that was taken. ``size``: its characters; ``width``: its whole cells."""

    def __init__(self, grammar: Grammar) -> None:
        self._grammar = grammar
        self._reset()

    @property
    def width(self) -> int:
        """The number of whole cells."""
        return len(self._cells)

    def take(self, begun: str) -> str:
        """Take what is certain of a text that may be the beginning of a row; return how the row goes on."""
        whole = self._grammar.read_cells(begun)
        if whole:
            self._add_cells(next(split_rows(self._grammar, whole))[:-1])
        rest = self._take_cell(begun[len(whole) :])
        self.size += len(begun) - len(rest)
        return rest

    def finish(self, cells: Sequence[str]) -> list[str]:
        """Return the row that ends with these cells. The next row begins with nothing taken."""
        self._add_cells(cells or [""])
        row = self._cells
        self._reset()
        return row

    def _reset(self) -> None:
        self.size = 0
        self._cells: list[str] = []
        self._parts: list[str] = []

    def _add_cells(self, cells: Sequence[str]) -> None:
        self._cells.append("".join((*self._parts, cells[0])))
        self._cells += cells[1:]
        self._parts.clear()

    def _take_cell(self, begun: str) -> str:
        quote = self._grammar.quote
        if not begun.startswith(quote):  # one character stays, so that a quote after it is inside a cell
            self._parts.append(begun[:-1])
            return begun[-1:]
        end = len(begun) - (len(begun[1:]) - len(begun[1:].rstrip(quote))) % 2  # the next may be its twin
        self._parts.append(begun[1:end].replace(quote * 2, quote))
        return quote + begun[end:]
