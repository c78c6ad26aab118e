"""ImportProfile, from runtime/system/specs/integration/import_profile.yaml. Written by the generator; do not edit."""

from typing import Annotated, Literal

from pydantic import Field

from runtime.model.record import Record, RecordInput, Strict


class ImportProfileColumnMappingLookup(Strict):
    """Part of ImportProfile."""

    lookup_collection: Annotated[
        str, Field(max_length=200, min_length=1, description="The collection to search.")
    ]
    lookup_match_field: Annotated[
        str | None,
        Field(
            max_length=300, min_length=1, description="The field to compare with the cell (default refName)."
        ),
    ] = None
    lookup_return_field: Annotated[
        str | None, Field(max_length=300, min_length=1, description="The field to return (default id).")
    ] = None
    on_not_found: Annotated[
        Literal["FAIL", "NULL", "PASSTHROUGH"] | None,
        Field(description="How to handle a cell without a matching record (default FAIL)."),
    ] = None


class ImportProfileColumnMappingTransformationRegex(Strict):
    """Part of ImportProfile."""

    pattern: Annotated[str, Field(max_length=1000, min_length=1, description="The regular expression.")]
    replacement: Annotated[
        str | None,
        Field(
            max_length=1000,
            description="The replacement; \\1 or $1 inserts a group, \\\\ and $$ insert a backslash and a dollar sign.",
        ),
    ] = None


class ImportProfileColumnMappingTransformation(Strict):
    """Part of ImportProfile."""

    trim: Annotated[bool | None, Field(description="Whether to remove whitespace at both ends.")] = None
    case: Annotated[
        Literal["UPPER", "LOWER", "TITLE"] | None, Field(description="The case to convert the text to.")
    ] = None
    regex: Annotated[
        ImportProfileColumnMappingTransformationRegex | None,
        Field(description="A replacement by regular expression (RE2 syntax)."),
    ] = None
    default: Annotated[
        str | None, Field(max_length=2000, description="The value to use for an empty cell.")
    ] = None
    date_format: Annotated[
        str | None, Field(max_length=100, min_length=1, description="The date format of the file.")
    ] = None


class ImportProfileColumnMapping(Strict):
    """Part of ImportProfile."""

    source_column: Annotated[
        str, Field(max_length=200, min_length=1, description="The header of the column.")
    ]
    target_field: Annotated[
        str, Field(max_length=300, min_length=1, description="The field to fill, dotted.")
    ]
    value_mappings: Annotated[
        dict[str, Annotated[str, Field(max_length=2000)]] | None,
        Field(description="The value to store for a cell, by cell text."),
    ] = None
    unmapped_value_behavior: Annotated[
        Literal["FAIL", "PASSTHROUGH", "NULL"] | None,
        Field(description="How to handle a cell that is not in valueMappings (default PASSTHROUGH)."),
    ] = None
    lookup: Annotated[
        ImportProfileColumnMappingLookup | None,
        Field(description="Replaces the cell with a field of the record that it names."),
    ] = None
    row_value_resolver_name: Annotated[
        str | None,
        Field(
            max_length=200, min_length=1, description="The name of a resolver that the application registers."
        ),
    ] = None
    list_separator: Annotated[
        str | None,
        Field(
            max_length=10,
            min_length=1,
            description="The text between the elements of a list in one cell; each element goes through the steps alone.",
        ),
    ] = None
    transformations: Annotated[
        ImportProfileColumnMappingTransformation | None,
        Field(description="Transformations of the cell's text."),
    ] = None


class ImportProfileFields(Strict):
    """The fields that are both sent and read."""

    description: Annotated[
        str | None, Field(max_length=2000, description="What the file contains and where it comes from.")
    ] = None
    target_type: Annotated[
        str, Field(max_length=200, min_length=1, description="The record type: its area and name.")
    ]
    column_mappings: Annotated[
        list[ImportProfileColumnMapping],
        Field(max_length=200, min_length=1, description="The columns and the fields they fill."),
    ]
    intent_column: Annotated[
        str | None,
        Field(
            max_length=200, min_length=1, description="The column that says INSERT, UPDATE, UPSERT or SKIP."
        ),
    ] = None
    default_intent: Annotated[
        Literal["INSERT", "UPDATE", "UPSERT", "SKIP"] | None,
        Field(description="The intent of a row whose intent column is empty or absent."),
    ] = "UPSERT"
    header_modifiers: Annotated[
        bool | None,
        Field(
            description="Whether * ? ~ # at the end of a header mark required, optional, calculated and key columns."
        ),
    ] = False
    unmapped_columns: Annotated[
        Literal["IGNORE", "FAIL"] | None, Field(description="How to handle columns without a mapping.")
    ] = "FAIL"
    dynamic_attribute_strategy: Annotated[
        Literal["DOT_NOTATION", "JSON_COLUMN", "VERTICAL", "HYBRID"] | None,
        Field(description="The layout of dynamic attributes in the file."),
    ] = None
    dynamic_attribute_prefix: Annotated[
        str | None,
        Field(max_length=50, min_length=1, description="The prefix of columns with dynamic attributes."),
    ] = "dyn."
    enable_dynamic_attribute_discovery: Annotated[
        bool | None,
        Field(
            description="Whether every column with the prefix is an attribute; if false, only those in columnMappings."
        ),
    ] = True
    dynamic_attribute_merge_strategy: Annotated[
        Literal["REPLACE", "MERGE", "APPEND"] | None,
        Field(description="How to combine imported attributes with those the record has."),
    ] = "MERGE"


class ImportProfileInput(ImportProfileFields, RecordInput):
    """A mapping of the columns of a CSV file to fields of records, validated when it is saved and again when a file is read with it. Steps for each cell, or each element of one that lists several, in order: trim, value mappings, case, regex, default, date format, lookup, resolver, type (as sent)."""


class ImportProfile(ImportProfileFields, Record):
    """A mapping of the columns of a CSV file to fields of records, validated when it is saved and again when a file is read with it. Steps for each cell, or each element of one that lists several, in order: trim, value mappings, case, regex, default, date format, lookup, resolver, type."""
