"""CSV files: how they are written, and what an export is asked for."""

from typing import Annotated

from pydantic import BeforeValidator, Field

from runtime.contract.charset import Charset, Quoting
from runtime.contract.pages import FilterText, SortText, TimeZone
from runtime.contract.values import MOST, TrueOrFalse, describe_field, read_digits
from runtime.model.record import Strict

_Character = Annotated[str, Field(min_length=1, max_length=1)]


class DialectParameters(Strict):
    """How the file is written; the same for export and import."""

    field_separator: Annotated[
        _Character, Field(description="The separator between cells: `,`, `;`, a tab or another character.")
    ] = ","
    quoting_strategy: Annotated[
        Quoting, Field(description="Quotes around the cells that need them, or around all.")
    ] = Quoting.WHERE_ESSENTIAL
    quote_char: Annotated[_Character, Field(description="The quote around cells; not the separator.")] = '"'
    decimal_separator: Annotated[
        _Character, Field(description="Accepted and ignored: decimals always have a dot.")
    ] = "."
    charset_encoding: Annotated[
        Charset,
        Field(
            description="The character set of the file. A text with a character that it lacks is refused, "
            "not changed."
        ),
    ] = Charset.UTF_8
    formula_guard: Annotated[
        TrueOrFalse,
        Field(description="Whether to put a `'` before strings that a spreadsheet would evaluate (`=1+1`)."),
    ] = True


class ExportParameters(DialectParameters):
    """The query of an export."""

    requested_columns: Annotated[
        str,
        Field(max_length=8192),
        describe_field(
            "Comma-separated fields, dotted where they are inside objects. `list[0].field` makes a row of "
            "each item of the list; one list for all columns.",
            minLength=1,
            example="refName,displayName",
        ),
    ] = "refName"
    filter: FilterText | None = None
    time_zone: TimeZone = "UTC"
    sort: SortText | None = None
    offset: Annotated[
        int, Field(ge=0, le=MOST, description="Number of records to skip."), BeforeValidator(read_digits)
    ] = 0
    length: Annotated[
        int,
        Field(ge=-1, le=MOST, description="Maximum number of records; -1 is all."),
        BeforeValidator(read_digits),
    ] = 1000
    filename: Annotated[str, Field(max_length=200, description="The name of the file.")] = "downloaded.csv"
    prepend_header_row: Annotated[
        TrueOrFalse, Field(description="Whether to write the column names as the first row.")
    ] = False
    preferred_column_names: Annotated[
        str | None,
        Field(
            max_length=8192,
            description="Comma-separated names for the header, by position; an empty one keeps the name of "
            "the field.",
        ),
    ] = None
