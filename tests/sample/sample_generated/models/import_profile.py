"""ImportProfile, from specs/system/import_profile.yaml. Written by the generator; do not edit."""

from typing import Annotated, Literal

from pydantic import Field

from runtime.model.record import Record, RecordInput, Strict


class ImportProfileColumnMappingLookup(Strict):
    """Part of ImportProfile."""

    lookup_collection: Annotated[
        str, Field(max_length=200, min_length=1, description="The collection to look in.")
    ]
    lookup_match_field: Annotated[
        str | None,
        Field(
            max_length=300, min_length=1, description="The field compared with the cell; refName unless said."
        ),
    ] = None
    lookup_return_field: Annotated[
        str | None,
        Field(max_length=300, min_length=1, description="The field that is taken; id unless said."),
    ] = None
    on_not_found: Annotated[
        Literal["FAIL", "NULL", "PASSTHROUGH"] | None, Field(description="FAIL unless said.")
    ] = None


class ImportProfileColumnMappingTransformationRegex(Strict):
    """Part of ImportProfile."""

    pattern: Annotated[str, Field(max_length=1000, min_length=1)]
    replacement: Annotated[
        str | None,
        Field(max_length=1000, description="\\1 or $1 is a group, \\\\ and $$ are the signs themselves."),
    ] = None


class ImportProfileColumnMappingTransformation(Strict):
    """Part of ImportProfile."""

    trim: Annotated[bool | None, Field(description="Take blanks off both ends.")] = None
    case: Literal["UPPER", "LOWER", "TITLE"] | None = None
    regex: Annotated[
        ImportProfileColumnMappingTransformationRegex | None,
        Field(description="Replace what matches; a regular expression of RE2."),
    ] = None
    default: Annotated[str | None, Field(max_length=2000, description="The value of an empty cell.")] = None
    date_format: Annotated[
        str | None, Field(max_length=100, min_length=1, description="How dates are written in the file.")
    ] = None


class ImportProfileColumnMapping(Strict):
    """Part of ImportProfile."""

    source_column: Annotated[
        str, Field(max_length=200, min_length=1, description="The header of the column.")
    ]
    target_field: Annotated[
        str, Field(max_length=300, min_length=1, description="The field it fills, dotted.")
    ]
    value_mappings: Annotated[
        dict[str, Annotated[str, Field(max_length=2000)]] | None, Field(description="Cell to value.")
    ] = None
    unmapped_value_behavior: Annotated[
        Literal["FAIL", "PASSTHROUGH", "NULL"] | None,
        Field(
            description="What becomes of a cell that valueMappings does not name; PASSTHROUGH unless said."
        ),
    ] = None
    lookup: Annotated[
        ImportProfileColumnMappingLookup | None,
        Field(description="Replaces the cell by a field of the record that has it."),
    ] = None
    row_value_resolver_name: Annotated[
        str | None, Field(max_length=200, min_length=1, description="A resolver of the application.")
    ] = None
    transformations: Annotated[
        ImportProfileColumnMappingTransformation | None,
        Field(description="What is done to the text of the cell."),
    ] = None


class ImportProfileFields(Strict):
    """The fields that are both sent and read."""

    description: Annotated[
        str | None, Field(max_length=2000, description="What the file is and where it comes from.")
    ] = None
    target_type: Annotated[
        str, Field(max_length=200, min_length=1, description="The record type, as in logistics.Airport.")
    ]
    column_mappings: Annotated[
        list[ImportProfileColumnMapping],
        Field(max_length=200, min_length=1, description="Columns and the fields they fill."),
    ]
    intent_column: Annotated[
        str | None,
        Field(
            max_length=200, min_length=1, description="The column that says INSERT, UPDATE, UPSERT or SKIP."
        ),
    ] = None
    default_intent: Annotated[
        Literal["INSERT", "UPDATE", "UPSERT", "SKIP"] | None,
        Field(description="The intent where the column is empty or absent."),
    ] = "UPSERT"
    header_modifiers: Annotated[
        bool | None,
        Field(description="* ? ~ # at the end of a header mean required, optional, calculated and key."),
    ] = False
    unmapped_columns: Annotated[
        Literal["IGNORE", "FAIL"] | None, Field(description="Columns that no mapping names.")
    ] = "FAIL"
    dynamic_attribute_strategy: Annotated[
        Literal["DOT_NOTATION", "JSON_COLUMN", "VERTICAL", "HYBRID"] | None,
        Field(description="How dynamic attributes are written in the file."),
    ] = None
    dynamic_attribute_prefix: Annotated[
        str | None, Field(max_length=50, min_length=1, description="The prefix of their columns.")
    ] = "dyn."
    enable_dynamic_attribute_discovery: Annotated[
        bool | None,
        Field(
            description="Columns with the prefix are attributes; false: only those that columnMappings name."
        ),
    ] = True
    dynamic_attribute_merge_strategy: Annotated[
        Literal["REPLACE", "MERGE", "APPEND"] | None,
        Field(description="What happens to the attributes a record already has."),
    ] = "MERGE"


class ImportProfileInput(ImportProfileFields, RecordInput):
    """How the columns of a CSV file become the fields of records (spec 2 §2.7). It is checked when it is saved, and again when a file is opened with it. Of a cell: trim, value mappings, case, regex, default, date format, look-up, resolver, type (as sent)."""


class ImportProfile(ImportProfileFields, Record):
    """How the columns of a CSV file become the fields of records (spec 2 §2.7). It is checked when it is saved, and again when a file is opened with it. Of a cell: trim, value mappings, case, regex, default, date format, look-up, resolver, type."""
