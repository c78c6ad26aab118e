"""What the CSV routes take in their query (spec 2 §4.3)."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from runtime.model.record import Strict
from runtime.records.document.queries import FilterText, SortText, TrueOrFalse, WholeNumber
from runtime.transfer.csv.dialect import Charset, Dialect, Quoting

_Character = Annotated[str, Field(min_length=1, max_length=1)]


class DialectParameters(Strict):
    """How the file is written; the same for export and import."""

    field_separator: Annotated[_Character, Field(description="Between cells: , or ; or a tab …")] = ","
    quoting_strategy: Annotated[
        Quoting, Field(description="Quotes where a cell needs them, or around every cell")
    ] = Quoting.WHERE_ESSENTIAL
    quote_char: Annotated[_Character, Field(description="Around cells")] = '"'
    decimal_separator: Annotated[
        _Character, Field(description="Accepted and ignored: decimals have a dot")
    ] = "."
    charset_encoding: Annotated[Charset, Field(description="The character set of the file")] = Charset.UTF_8
    formula_guard: Annotated[
        TrueOrFalse, Field(description="A ' before texts that a spreadsheet would run")
    ] = True

    def dialect(self) -> Dialect:
        """These as one value. Raises ``InvalidParameter``."""
        return Dialect(
            separator=self.field_separator,
            quote_char=self.quote_char,
            quoting=self.quoting_strategy,
            charset=self.charset_encoding,
            formula_guard=self.formula_guard,
        )


class ExportParameters(DialectParameters):
    """The query of an export."""

    requested_columns: Annotated[
        str, Field(max_length=8192, description="Comma list of fields; one list by [0]")
    ] = "refName"
    filter: FilterText | None = None
    sort: SortText | None = None
    offset: Annotated[WholeNumber, Field(ge=0, lt=2**31, description="Records to pass over")] = 0
    length: Annotated[WholeNumber, Field(ge=-1, lt=2**31, description="Most records; -1: all")] = 1000
    filename: Annotated[str, Field(max_length=200, description="What the file is to be called")] = (
        "downloaded.csv"
    )
    prepend_header_row: Annotated[TrueOrFalse, Field(description="Begin with the names of the columns")] = (
        False
    )
    preferred_column_names: Annotated[
        str | None,
        Field(max_length=8192, description="Comma list of names for the header; empty: the field's own"),
    ] = None
